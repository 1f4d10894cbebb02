# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A batch whose worlds are in actors of a Ray cluster, and stay whole if actors are lost.

    worlds 0 .. n-1 --> parts, one actor each --> rows of the caller's arrays

    a part:   origin (seeds, or snapshots) + operations since then = its worlds now

The origin and the operations are kept here. If an actor is lost, another one gets both; worlds are
functions of them, so they are what they were. Every so often the worlds are saved, which happens
between two steps while the program goes on, and earlier operations are forgotten.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.errors import ArgumentError, Error
from jbw.ray.cluster import affinity, other_node, ray
from jbw.ray.shard import Operation, Origin, Plan, Renew, Replace, Rows, Shard, Step

#: How many actors in a row a part may lose without getting anything done.
RETRIES = 5

log = logging.getLogger("jbw.ray")

_LOSSES = (
    ray.exceptions.RayActorError,  # also if it cannot be reached for a while
    ray.exceptions.ObjectLostError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.OutOfMemoryError,
)


class Lost(Error, RuntimeError):
    """An actor was lost too often, or there is no machine for it."""


class _Entry:
    """An operation that was asked for, and the answer once it is there."""

    def __init__(self, number: int, operation: Operation, answer: Any) -> None:
        self.number = number
        self.operation = operation
        self.answer = answer  # a reference until it is fetched
        self.is_fetched = False


class Part:
    """Some of the worlds, in an actor."""

    def __init__(self, plan: Plan, begin: int, end: int, processors: int, timeout: float) -> None:
        self.plan, self.begin, self.end = plan, begin, end
        self.losses = 0
        self._processors, self._timeout = processors, timeout
        self._rows = Rows(plan.shapes, end - begin)
        self._origin: Origin = ()
        self._entries: deque[_Entry] = deque()
        self._next = 0  # the number of the next entry
        self._weight = 0  # of the entries
        self._saving: tuple[Any, int, int] | None = None  # reference, next number, weight then
        self._lost_in_a_row = 0
        self._actor: Any = None
        self._begun: Any = None  # a reference to the rows of the origin
        self._node: str | None = None  # the machine
        self._avoided: set[str | None] = set()  # machines that lost it since something was done
        self._place(processors, "SPREAD")

    @property
    def name(self) -> str:
        """In messages."""
        return f"worlds {self.begin} to {self.end - 1}"

    # --- actors ----------------------------------------------------------------------------------

    def _place(self, processors: int, strategy: Any) -> None:
        made = ray.remote(Shard).options(
            num_cpus=processors, max_restarts=0, scheduling_strategy=strategy
        )
        self._actor = made.remote(self.plan)

    def wait_for_actor(self) -> None:
        """Until it is there. It must have the version of the package that is used here."""
        try:
            version, self._node = ray.get(self._actor.about.remote(), timeout=self._timeout)
        except ray.exceptions.GetTimeoutError:
            raise Lost(
                f"{self.name}: no machine of the cluster had {self._processors} free processors "
                f"within {self._timeout:g} seconds"
            ) from None
        if version != _core.version:
            raise Lost(f"{self.name}: version {version} of jbw there, {_core.version} here")

    def _replace_actor(self, reason: BaseException) -> None:
        """Another actor with the same worlds; the operations under way are asked for again."""
        while True:
            self.losses += 1
            self._lost_in_a_row += 1
            if self._lost_in_a_row > RETRIES:
                times = f"{self._lost_in_a_row} times in a row"
                raise Lost(f"{self.name} lost their actor {times}: {reason}")
            log.warning("%s: lost their actor (%s); they go on in another", self.name, reason)
            self.end_actor()
            # Ray may take a minute to notice that a machine is gone, and start actors there. What
            # replaces an actor reserves no processor: slower than stuck for want of a free one.
            self._avoided.add(self._node)
            self._node = other_node(self._avoided, self.begin)
            self._place(0, "SPREAD" if self._node is None else affinity(self._node))
            try:
                self.wait_for_actor()
                break
            except _LOSSES as error:
                reason = error
        self._saving = None
        self._begun = self._actor.begin.remote(self._origin)
        done: list[Operation] = []
        for entry in self._entries:
            if entry.is_fetched:
                done.append(entry.operation)
                continue
            self._replay(done)
            done = []
            entry.answer = self._actor.run.remote(entry.operation)
        self._replay(done)

    def _replay(self, operations: list[Operation]) -> None:
        if operations:
            self._actor.replay.remote(operations)

    def end_actor(self) -> None:
        """Ends the process, if it is there."""
        with contextlib.suppress(Exception):
            ray.kill(self._actor)

    # --- operations ------------------------------------------------------------------------------

    def start(self, origin: Origin) -> None:
        """All worlds anew."""
        self._origin = origin
        self._entries.clear()
        self._weight, self._saving = 0, None
        self._begun = self._actor.begin.remote(origin)

    def first_rows(self) -> dict[str, NDArray[Any]]:
        """All rows after `start`."""
        while True:
            try:
                block = ray.get(self._begun)
                self._begun = None
                self._note_progress()
                return self._rows.views(block)
            except _LOSSES as error:
                self._replace_actor(error)

    def ask(self, operation: Operation) -> _Entry:
        """Starts an operation."""
        entry = _Entry(self._next, operation, self._actor.run.remote(operation))
        self._next += 1
        self._weight += operation.weight
        self._entries.append(entry)
        return entry

    def fetch(self, entry: _Entry) -> Any:
        """The answer to an operation; if the actor is lost meanwhile, that of the next one."""
        while not self.try_fetch(entry):
            pass
        return entry.answer

    def try_fetch(self, entry: _Entry) -> bool:
        """Waits for an answer. False if the actor is lost: another one was asked again."""
        if entry.is_fetched:
            return True
        try:
            self.keep(entry, ray.get(entry.answer))
        except _LOSSES as error:
            self._replace_actor(error)
        except Exception:  # of a reward function: the step is done, and has no rows to show
            self.keep(entry, None)
            raise
        return entry.is_fetched

    def keep(self, entry: _Entry, answer: Any) -> None:
        """Notes that an answer is here."""
        entry.answer, entry.is_fetched = answer, True
        self._note_progress()

    def _note_progress(self) -> None:
        self._lost_in_a_row = 0
        self._avoided.clear()

    def release(self, entry: _Entry) -> None:
        """The rows of an answer have been copied; the operation may be needed again."""
        entry.answer = None

    def rows(self, entry: _Entry) -> dict[str, NDArray[Any]]:
        """The rows in an answer, by the names of the arrays."""
        if isinstance(entry.answer, list):
            return dict(zip(self._rows.shapes, entry.answer, strict=True))
        return self._rows.views(entry.answer)

    # --- saving ----------------------------------------------------------------------------------

    def save_if_due(self, limit: int) -> None:
        """Saves the worlds every `limit` steps of them, without waiting; waits if that would keep
        more than twice as many operations."""
        if self._saving is None:
            if self._weight >= limit:
                self._saving = (self._actor.snapshots.remote(), self._next, self._weight)
            return
        reference = self._saving[0]
        is_urgent = self._weight >= 2 * limit
        if is_urgent or ray.wait([reference], timeout=0)[0]:
            self._adopt(is_urgent)

    def _adopt(self, is_urgent: bool) -> None:
        """Makes a snapshot the origin, unless operations before it are under way."""
        assert self._saving is not None
        reference, number, weight = self._saving
        before = [e for e in self._entries if e.number < number and not e.is_fetched]
        if before and not is_urgent:
            return
        for entry in before:
            if not self.try_fetch(entry):
                return  # the actor is lost, and the snapshot with it
        try:
            self._origin = ray.get(reference)
        except _LOSSES as error:
            self._replace_actor(error)
            return
        while self._entries and self._entries[0].number < number:
            self._entries.popleft()
        self._weight -= weight
        self._saving = None

    @property
    def kept_count(self) -> int:
        """Operations since the origin."""
        return len(self._entries)

    # --- looking ---------------------------------------------------------------------------------

    def look(self, method: str, *arguments: Any) -> Any:
        """What a method of the shard returns that changes nothing."""
        while True:
            try:
                return ray.get(getattr(self._actor, method).remote(*arguments))
            except _LOSSES as error:
                self._replace_actor(error)


class RemoteBatch:
    """As much of `_core.Batch` as vector environments need, for worlds in actors."""

    def __init__(
        self,
        plan: Plan,
        arrays: Mapping[str, NDArray[Any]],
        actors: int,
        processors: int,
        snapshot_every: int,
        timeout: float,
    ) -> None:
        if plan.model.voice is not None:
            raise ArgumentError(
                "agents of this world have a voice, for which there is no Ray cluster"
            )
        self._arrays = arrays
        self._count = len(arrays["reward"])
        self._action_count = len(plan.model.action_names)
        self._snapshot_every = snapshot_every
        ends = [self._count * i // actors for i in range(actors + 1)]
        self._ends = np.array(ends[1:])
        self._under_way: dict[Any, tuple[Part, _Entry, NDArray[np.int64]]] = {}
        self._is_under_way = np.zeros(self._count, np.bool_)
        self.parts: list[Part] = []
        try:
            for begin, end in pairwise(ends):
                self.parts.append(Part(plan, begin, end, processors, timeout))
            for part in self.parts:
                part.wait_for_actor()
        except _LOSSES as error:
            self.close()
            raise Lost(f"an actor could not be started: {error}") from error
        except BaseException:
            self.close()
            raise

    def begin(self, origin: Origin) -> None:
        """All worlds anew."""
        self._check_idle()
        for part in self.parts:
            part.start(origin[part.begin : part.end])
        for part in self.parts:
            self._write(slice(part.begin, part.end), part.first_rows())

    # --- stepping --------------------------------------------------------------------------------

    def step(self, actions: ArrayLike) -> None:
        """Steps all worlds."""
        numbers = self._check_actions(actions, self._count)
        self._check_idle()
        asked = [part.ask(Step(numbers[part.begin : part.end])) for part in self.parts]
        self._fetch(zip(self.parts, asked, strict=True))

    def send(self, worlds: ArrayLike, actions: ArrayLike) -> None:
        """Starts a step of some worlds."""
        chosen = np.asarray(worlds, np.int64)
        strange = chosen[(chosen < 0) | (chosen >= self._count)]
        if len(strange):
            raise ArgumentError(f"there is no world {strange[0]}")
        numbers = self._check_actions(actions, len(chosen))
        if len(np.unique(chosen)) < len(chosen) or self._is_under_way[chosen].any():
            raise ArgumentError("a world is listed twice or already under way")
        for part, places in self._split(chosen):
            if len(places) == part.end - part.begin and (np.diff(chosen[places]) == 1).all():
                operation = Step(numbers[places])
            else:
                operation = Step(numbers[places], chosen[places] - part.begin)
            entry = part.ask(operation)
            self._under_way[id(entry)] = part, entry, chosen[places]
        self._is_under_way[chosen] = True

    def receive(self, wanted: int = 1) -> NDArray[np.int64]:
        """The worlds that are done, at least so many; their rows are written."""
        count = int(self._is_under_way.sum())
        if not 0 <= wanted <= count:
            raise ArgumentError(f"{wanted} worlds wanted, {count} under way")
        done: list[NDArray[np.int64]] = []
        while True:
            missing = wanted - sum(map(len, done))
            ready = [key for key, sent in self._under_way.items() if sent[1].is_fetched]
            waiting = {
                sent[1].answer: key
                for key, sent in self._under_way.items()
                if not sent[1].is_fetched
            }
            if waiting:
                timeout = None if missing > 0 and not ready else 0
                ray.wait(list(waiting), num_returns=1, timeout=timeout)
                found, _ = ray.wait(list(waiting), num_returns=len(waiting), timeout=0)
                ready += [waiting[reference] for reference in found]
            for key in ready:
                part, entry, worlds = self._under_way[key]
                try:
                    if not part.try_fetch(entry):
                        continue
                except Exception:
                    self._forget(key)
                    raise
                self._write(worlds, part.rows(entry))
                part.release(entry)
                self._forget(key)
                done.append(worlds)
            if sum(map(len, done)) >= wanted:
                break
        self._save()
        return np.concatenate(done) if done else np.zeros(0, np.int64)

    def _forget(self, key: Any) -> None:
        self._is_under_way[self._under_way.pop(key)[2]] = False

    # --- replacing worlds ------------------------------------------------------------------------

    def renew(self, worlds: Sequence[int], seeds: Sequence[int]) -> None:
        """New worlds in place of some."""
        self._check_idle()
        chosen = np.asarray(worlds, np.int64)
        asked = []
        for part, places in self._split(chosen):
            operation = Renew(chosen[places] - part.begin, tuple(seeds[i] for i in places.tolist()))
            asked.append((part, part.ask(operation)))
        self._fetch(asked)

    def reset(self, index: int, seed: int) -> None:
        """A new world in place of one."""
        self.renew([index], [seed])

    def set_world(self, index: int, world: _core.World) -> None:
        """Replaces one world by a copy of another one."""
        self._check_idle()
        part = self._part_of(index)
        if world.model != part.plan.model or len(world.agents) != 1:
            raise ArgumentError("the world has another model, or another number of agents")
        entry = part.ask(Replace(index - part.begin, world.to_bytes()))
        self._fetch([(part, entry)])

    # --- looking ---------------------------------------------------------------------------------

    def world(self, index: int) -> _core.World:
        """A copy of a world."""
        part = self._part_of(index)
        return _core.World.from_bytes(part.look("snapshot", index - part.begin))

    def snapshots(self) -> list[bytes]:
        """Of all worlds."""
        return [one for part in self.parts for one in part.look("snapshots")]

    def agent(self, row: int) -> _core.Agent:
        """The agent in a copy of its world."""
        return self.world(row).agents[0]

    def hash(self, index: int) -> int:
        """World.hash of one world."""
        part = self._part_of(index)
        return int(part.look("hash", index - part.begin))

    def close(self) -> None:
        """Ends the actors."""
        for part in self.parts:
            part.end_actor()

    # --- inside ----------------------------------------------------------------------------------

    def _check_actions(self, actions: ArrayLike, count: int) -> NDArray[np.int32]:
        numbers = np.asarray(actions)
        if numbers.size and numbers.dtype.kind not in "iu":
            raise ArgumentError(f"actions: expected whole numbers, found {actions!r}")
        if numbers.size != count:
            raise ArgumentError(f"expected {count} actions, found {numbers.size}")
        if ((numbers < 0) | (numbers >= self._action_count)).any():
            raise ArgumentError("there is no such action")
        return np.array(numbers, np.int32).reshape(count)  # kept, so it must be a copy

    def _check_idle(self) -> None:
        if self._under_way:
            raise ArgumentError("a world was sent and not received yet")

    def _part_of(self, index: int) -> Part:
        if not 0 <= index < self._count:
            raise ArgumentError(f"there is no world {index}")
        return self.parts[int(np.searchsorted(self._ends, index, side="right"))]

    def _split(self, worlds: NDArray[np.int64]) -> Iterable[tuple[Part, NDArray[np.int64]]]:
        """The parts that have some of the worlds, and where these are in the list."""
        owners = np.searchsorted(self._ends, worlds, side="right")
        for i in np.unique(owners).tolist():
            yield self.parts[i], np.flatnonzero(owners == i)

    def _fetch(self, asked: Iterable[tuple[Part, _Entry]]) -> None:
        """Waits for answers, and writes their rows."""
        pairs = list(asked)
        # all at once, unless something goes wrong
        with contextlib.suppress(Exception):
            answers = ray.get([entry.answer for _, entry in pairs])
            for (part, entry), answer in zip(pairs, answers, strict=True):
                part.keep(entry, answer)
        failure: Exception | None = None
        for part, entry in pairs:
            try:
                part.fetch(entry)
            except Lost:
                raise
            except Exception as error:  # of a reward function
                failure = failure or error
                continue
            self._write(self._places(part, entry), part.rows(entry))
            part.release(entry)
        self._save()
        if failure is not None:
            raise failure

    def _places(self, part: Part, entry: _Entry) -> Any:
        operation = entry.operation
        if isinstance(operation, Replace):
            return np.array([part.begin + operation.world])
        if operation.worlds is None:
            return slice(part.begin, part.end)
        return part.begin + operation.worlds

    def _write(self, places: Any, rows: Mapping[str, NDArray[Any]]) -> None:
        for name, values in rows.items():
            self._arrays[name][places] = values

    def _save(self) -> None:
        for part in self.parts:
            part.save_if_due(self._snapshot_every * (part.end - part.begin))
