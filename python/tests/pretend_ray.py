# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""As much of Ray as `jbw.ray` uses, in this process, with actors that are lost when a test says so.

Calls are executed at once; what they return is pickled, as if it were sent. A lost actor takes the
answers along that nobody has fetched yet, or else leaves them, as Ray does with large and small
ones.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    pass


class RayActorError(RayError):
    pass


class ObjectLostError(RayError):
    pass


class NodeDiedError(RayError):
    pass


class WorkerCrashedError(RayError):
    pass


class OutOfMemoryError(RayError):
    pass


class GetTimeoutError(RayError, TimeoutError):
    pass


exceptions = SimpleNamespace(
    RayError=RayError,
    RayActorError=RayActorError,
    ObjectLostError=ObjectLostError,
    NodeDiedError=NodeDiedError,
    WorkerCrashedError=WorkerCrashedError,
    OutOfMemoryError=OutOfMemoryError,
    GetTimeoutError=GetTimeoutError,
)


class Reference:
    """An answer, or the exception that comes instead of it."""

    def __init__(self, actor: Actor, answer: bytes | Exception) -> None:
        self.actor, self.answer = actor, answer


class Actor:
    """An object that is lost at some time."""

    def __init__(self, cluster: Cluster, node: str, make: Callable[[], Any]) -> None:
        self.cluster, self.node, self.is_lost = cluster, node, False
        self.references: list[Reference] = []
        self.object: Any = None
        try:
            self.object = make()
        except Exception:
            self.is_lost = True

    def lose(self) -> None:
        self.is_lost = True
        for reference in self.references:
            if isinstance(reference.answer, bytes) and self.cluster.takes_answers:
                reference.answer = ObjectLostError("its machine was lost")

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(remote=lambda *arguments: self.call(method, arguments))

    def call(self, method: str, arguments: Sequence[Any]) -> Reference:
        self.cluster.calls += 1
        self.cluster.log.append(method)
        if self.cluster.calls in self.cluster.losses:
            self.lose()
        if self.is_lost or self.cluster.is_full:
            missing = GetTimeoutError("busy") if self.cluster.is_full else RayActorError("lost")
            return Reference(self, missing)
        given = pickle.loads(pickle.dumps(arguments))
        self.cluster.current = self
        try:
            answer: bytes | Exception = pickle.dumps(getattr(self.object, method)(*given))
        except Exception as error:
            answer = error
        reference = Reference(self, answer)
        self.references.append(reference)
        return reference


NODES = ("east", "west")


class Cluster:
    """Stands in for the module `ray`."""

    exceptions = exceptions
    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(
            NodeAffinitySchedulingStrategy=lambda node, soft: node
        )
    )
    current: Actor  # that executes a call

    def __init__(self) -> None:
        self.calls = 0  # of methods of actors so far
        self.log: list[str] = []
        self.losses: set[int] = set()  # the calls that lose their actor, counted from one
        self.takes_answers = True
        self.late: set[Reference] = set()  # answers that `wait` never sees
        self.is_full = False
        self.processors = 8
        self.actors: list[Actor] = []
        self.order = random.Random(0)
        self._is_initialized = False

    def init(self, **_: Any) -> None:
        self._is_initialized = True

    def is_initialized(self) -> bool:
        return self._is_initialized

    def shutdown(self) -> None:
        self._is_initialized = False

    def nodes(self) -> list[dict[str, Any]]:
        about = {"Alive": True, "Resources": {"CPU": self.processors / 2}}
        return [{**about, "NodeID": name} for name in NODES]

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.processors)}

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: self.current.node)

    def remote(self, kind: type) -> Any:
        def options(num_cpus: int, max_restarts: int, scheduling_strategy: str) -> Any:
            """The strategy is the name of a machine, or to take turns."""
            turn = NODES[len(self.actors) % len(NODES)]
            node = turn if scheduling_strategy == "SPREAD" else scheduling_strategy

            def make(*arguments: Any) -> Actor:
                self.actors.append(Actor(self, node, lambda: kind(*arguments)))
                return self.actors[-1]

            return SimpleNamespace(remote=make)

        return SimpleNamespace(options=options)

    def kill(self, actor: Actor) -> None:
        actor.lose()

    def get(self, reference: Any, timeout: float | None = None) -> Any:
        if isinstance(reference, list):
            return [self.get(one) for one in reference]
        if isinstance(reference.answer, Exception):
            raise reference.answer
        return pickle.loads(reference.answer)

    def wait(
        self, references: list[Reference], num_returns: int = 1, timeout: float | None = None
    ) -> tuple[list[Reference], list[Reference]]:
        """Some of them, in any order: as many as wanted, fewer if there is a timeout."""
        count = num_returns if timeout is None else self.order.randint(0, num_returns)
        there = [one for one in references if one not in self.late]
        shuffled = self.order.sample(there, len(there))[:count]
        return shuffled, [one for one in references if one not in shuffled]
