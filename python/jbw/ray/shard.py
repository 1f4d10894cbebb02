# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The worlds of one actor: a native batch, and what it takes to make it again elsewhere.

Everything that changes worlds is an operation: plain data, so that the other side can keep what it
has asked for, and ask for it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import Payment, RewardLike, make_payment
from jbw.errors import Error
from jbw.ray.cluster import this_node

#: Seeds of new worlds, or snapshots of worlds that go on.
Origin: TypeAlias = Sequence[int] | Sequence[bytes]


@dataclass(frozen=True)
class Step:
    """A step of some worlds, or of all."""

    actions: NDArray[np.int32]
    worlds: NDArray[np.int64] | None = None

    @property
    def weight(self) -> int:
        """How many steps of worlds it is."""
        return len(self.actions)


@dataclass(frozen=True)
class Renew:
    """New worlds in place of some."""

    worlds: NDArray[np.int64]
    seeds: tuple[int, ...]

    @property
    def weight(self) -> int:
        return len(self.seeds)


@dataclass(frozen=True)
class Replace:
    """Another world in place of one."""

    world: int
    snapshot: bytes

    @property
    def weight(self) -> int:
        """So much that worlds are saved soon: it must be kept until then."""
        return 1 << 62


Operation: TypeAlias = Step | Renew | Replace

#: What a row of an array is like: shape and type, by the name of the array.
RowShapes: TypeAlias = Mapping[str, tuple[tuple[int, ...], str]]


class Rows:
    """Arrays with one row per world, all in one block of memory: one message carries them."""

    def __init__(self, shapes: RowShapes, count: int) -> None:
        self.shapes, self.count = shapes, count
        self._ends: dict[str, tuple[int, int]] = {}
        at = 0
        for name, (shape, dtype) in shapes.items():
            size = count * int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            self._ends[name] = (at, at + size)
            at += -(-size // 64) * 64  # lines of the cache, so that all are aligned
        self.block = np.zeros(at, np.uint8)
        self.arrays = self.views(self.block)

    def views(self, block: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
        """The arrays in a block."""
        found: dict[str, NDArray[Any]] = {}
        for name, (shape, dtype) in self.shapes.items():
            begin, end = self._ends[name]
            found[name] = block[begin:end].view(dtype).reshape((self.count, *shape))
        return found


@dataclass(frozen=True)
class Plan:
    """What all shards of a batch have in common."""

    model: _core.Model
    reward: RewardLike
    shapes: RowShapes
    threads: int
    atlas: tuple[str, bool] | None
    """The folder of an atlas, and whether it is only read."""
    body: str | None
    """Of all agents."""

    def open_model(self) -> _core.Model:
        """The model, with the atlas, which pickles forget."""
        if self.atlas is None:
            return self.model
        path, read_only = self.atlas
        return self.model.with_atlas(_core.Atlas(path, read_only=read_only))


class Shard:
    """An actor's worlds. Calls are executed one after the other."""

    def __init__(self, plan: Plan) -> None:
        self._model = plan.open_model()
        self._payment: Payment = make_payment(self._model, plan.reward)
        self._shapes, self._threads, self._body = plan.shapes, plan.threads, plan.body
        self._batch: _core.Batch | None = None
        self._rows = Rows(plan.shapes, 0)

    def about(self) -> tuple[str, str]:
        """The version of the package, and the id of the machine."""
        return _core.version, this_node()

    def begin(self, origin: Origin) -> NDArray[np.uint8]:
        """All worlds anew: all rows."""
        if self._batch is not None:
            self._batch.close()
        seeds = [one if isinstance(one, int) else 0 for one in origin]
        self._rows = Rows(self._shapes, len(seeds))
        arrays: dict[str, Any] = self._rows.arrays
        self._batch = _core.Batch(
            *(self._model, seeds, self._payment.compiled, 1, self._threads),
            bodies=[self._body],
            **arrays,
        )
        for i, one in enumerate(origin):
            if isinstance(one, bytes):
                self._replace(i, one)
        return self._rows.block

    def run(self, operation: Operation) -> NDArray[np.uint8] | list[NDArray[Any]]:
        """All rows after a step of all worlds; otherwise those of the worlds that it was about."""
        worlds = self._apply(operation)
        if isinstance(operation, Step) and self._payment.function is not None:
            rewards, chosen = self._rows.arrays["reward"], range(self._rows.count)
            for row in chosen if worlds is None else worlds.tolist():
                rewards[row] = self._payment.ask(self._live().agent(row))
        if worlds is None:
            return self._rows.block  # Ray copies it before the next call
        return [array[worlds] for array in self._rows.arrays.values()]

    def replay(self, operations: Sequence[Operation]) -> None:
        """What was done before, whose results nobody waits for."""
        for operation in operations:
            self._apply(operation)

    def _apply(self, operation: Operation) -> NDArray[np.int64] | None:
        """The worlds that it was about, or None for all."""
        batch = self._live()
        if isinstance(operation, Replace):
            self._replace(operation.world, operation.snapshot)
            return np.array([operation.world])
        if isinstance(operation, Renew):
            for world, seed in zip(operation.worlds.tolist(), operation.seeds, strict=True):
                batch.reset(world, seed)
            return operation.worlds
        if operation.worlds is None:
            batch.step(operation.actions)
        else:
            batch.send(operation.worlds, operation.actions)
            batch.receive(len(operation.worlds))
        return operation.worlds

    def snapshots(self) -> list[bytes]:
        """All worlds, as they are now."""
        return [self.snapshot(i) for i in range(self._rows.count)]

    def snapshot(self, index: int) -> bytes:
        return self._live().world(index).to_bytes()

    def hash(self, index: int) -> int:
        return self._live().hash(index)

    def _replace(self, index: int, snapshot: bytes) -> None:
        self._live().set_world(index, _core.World.from_bytes(snapshot))

    def _live(self) -> _core.Batch:
        if self._batch is None:
            raise Error("the worlds of this actor have not begun")
        return self._batch
