# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The vector environment whose worlds are spread over a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, Unpack, cast

from gymnasium.vector import AutoresetMode

from jbw import _core
from jbw.envs.common import DEFAULT_REWARD, RewardLike
from jbw.envs.options import EnvOptions
from jbw.envs.vector import Autoreset, JellyBeanWorldVectorEnv
from jbw.ray import cluster
from jbw.ray.batch import RemoteBatch
from jbw.ray.shard import Origin, Plan


class RemoteVectorEnv(JellyBeanWorldVectorEnv):
    """`num_envs` independent lives, in actors of a Ray cluster.

    Spaces, seeds and results are those of `JellyBeanWorldVectorEnv`, row for row and bit by bit,
    whatever the number of actors. If an actor or its machine is lost, its worlds are restored from
    their latest snapshot in another one, their steps since then are repeated, and results are what
    they would have been. The program that uses the environment keeps what that takes: snapshots of
    all worlds, and the actions since. `with` closes the environment in the end.

    Args:
        num_envs, world, reward, max_episode_steps, autoreset_mode: as in the local environment,
            as are all other options. A reward function written in Python runs in the actors; it
            must depend on nothing but its argument.
        actors: number of processes among which the worlds are divided; None is one per machine.
        threads: of each actor, which is also how many processors Ray reserves for it; 0 is one per
            processor of its machine, and reserves one.
        snapshot_every: steps between snapshots. More steps cost less time now, and more after a
            loss. At most twice as many are kept.
        address: of the cluster, such as "auto" or "HOST:6379". None is the one that the program
            has joined already or that RAY_ADDRESS names; if there is none, one is started on this
            machine that ends with the environment.
        start_timeout: seconds that actors may wait for free processors.

    `world(index)` is a copy, to look at. `losses` counts actors that were lost.
    """

    def __init__(
        self,
        num_envs: int = 1,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        actors: int | None = None,
        threads: int = 1,
        snapshot_every: int = 1000,
        address: str | None = None,
        start_timeout: float = 60.0,
        max_episode_steps: int | None = None,
        autoreset_mode: Autoreset | AutoresetMode = "next_step",
        **options: Unpack[EnvOptions],
    ) -> None:
        if actors is not None and not 1 <= int(actors) <= int(num_envs):
            raise ValueError(f"actors is {actors}, expected 1 to {num_envs}, the number of worlds")
        if int(snapshot_every) < 1:
            raise ValueError(f"snapshot_every is {snapshot_every}, expected 1 or more")
        if not start_timeout > 0:
            raise ValueError(f"start_timeout is {start_timeout}, expected more than 0")
        self.closed = True  # nothing to close yet, should the next line raise
        super().__init__(
            num_envs,
            world,
            reward,
            threads=threads,
            max_episode_steps=max_episode_steps,
            autoreset_mode=autoreset_mode,
            **options,
        )
        self.snapshot_every = int(snapshot_every)
        self.start_timeout = float(start_timeout)
        self._has_joined = False
        self._join(address)
        try:
            self.actors = self._count_actors(actors)
        except BaseException:
            self._leave()
            raise
        self.closed = False

    def _join(self, address: str | None) -> None:
        self.address = address
        self._has_joined = cluster.join(address)

    def _leave(self) -> None:
        if self._has_joined:
            self._has_joined = False
            cluster.leave()

    def _count_actors(self, actors: int | None) -> int:
        chosen = min(cluster.node_count(), self.num_envs) if actors is None else int(actors)
        needed, there = max(chosen, 1) * self._processors, cluster.processor_count()
        if needed > there:
            raise ValueError(
                f"actors is {chosen}, with {self._processors} processors each, "
                f"but the cluster has {there} processors"
            )
        return max(chosen, 1)

    @property
    def _processors(self) -> int:
        """That Ray reserves for an actor."""
        return max(self.threads, 1)

    @property
    def losses(self) -> int:
        """How many actors were lost since the first reset."""
        return sum(part.losses for part in self._remote.parts) if self._batch is not None else 0

    @property
    def batch(self) -> _core.Batch:
        """There is none in this process: RuntimeError."""
        raise RuntimeError("the worlds are in other processes: world(index) returns a copy of one")

    @property
    def _remote(self) -> RemoteBatch:
        return cast(RemoteBatch, self._live())

    def _begin(self, seeds: Sequence[int]) -> None:
        self._start(list(seeds))

    def _begin_with(self, worlds: Sequence[_core.World]) -> None:
        self._start([world.to_bytes() for world in worlds])

    def _start(self, origin: Origin) -> None:
        """Begins with new worlds, or with snapshots."""
        if self.closed:
            raise RuntimeError("the environment is closed")
        if self._batch is None:
            atlas, arrays = self._model.atlas, self._arrays
            plan = Plan(
                model=self._model,
                reward=self._payment.source,
                shapes={name: (array.shape[1:], array.dtype.str) for name, array in arrays.items()},
                threads=self.threads,
                atlas=None if atlas is None else (atlas.path, atlas.read_only),
                body=self.body,
            )
            self._batch = cast(_core.Batch, self._spread(plan))
        self._remote.begin(origin)

    def _spread(self, plan: Plan) -> RemoteBatch:
        return RemoteBatch(
            plan,
            self._arrays,
            self.actors,
            self._processors,
            self.snapshot_every,
            self.start_timeout,
        )

    def _copies(self) -> list[_core.World]:
        return [_core.World.from_bytes(one) for one in self._remote.snapshots()]

    def _waiting(self) -> dict[int, str]:
        return {}  # actors have no texts that wait

    def _renew(self, indexes: Sequence[int]) -> None:
        self._remote.renew(indexes, [self._seeds[i] for i in indexes])

    def _ask(self, rows: Sequence[int]) -> None:
        """The actors have asked already."""

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the actors, and Ray if it was started by the environment and nobody else uses it."""
        super().close_extras(**kwargs)
        self._leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.closed, self._has_joined = True, False
        self._join(state["address"])
        try:
            super().__setstate__({**state, "closed": False, "_has_joined": self._has_joined})
        except BaseException:
            self._leave()
            raise


__all__ = ["RemoteVectorEnv"]
