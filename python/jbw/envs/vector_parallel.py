# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds with many agents each, stepped together by threads of the C library.

    row = world * agents + agent

The rows are those of the C batch, and what the batch writes is what the environment returns. An
agent that leaves makes its row empty, one that joins fills it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.envs.common import DEFAULT_REWARD, Payment, RewardLike, make_payment
from jbw.envs.infos import Telling
from jbw.envs.options import EnvOptions
from jbw.envs.registration import many_arguments
from jbw.envs.vector import JellyBeanWorldVectorEnv, Results

Rows = int | Sequence[int] | NDArray[np.integer[Any]]


class JellyBeanWorldVectorParallelEnv(JellyBeanWorldVectorEnv):
    """`worlds` worlds with `agents` agents each: a vector environment with a row for each agent.

    Row `world * agents + agent` does exactly what that agent does in a `JellyBeanWorldParallelEnv`
    with the seed of its world. Arguments are those of `JellyBeanWorldEnv`, except
    `generation_threads`; and:

    Args:
        worlds, agents: the number of worlds, and of agents in each of them.
        reward: one for all rows, or a sequence with one for each agent of a world. No functions.
        bodies: a sequence of bodies, which the agents of each world take in turn; the default is
            `body` for all.
        teams: the team of each agent of a world, by any names, for rewards such as
            ``Team[Collect[JellyBean]]``. Without it, all agents of a world are one team.
        threads: as in `JellyBeanWorldVectorEnv`.

    Worlds never end, and `terminations` are false, except once for the row of an agent that has
    left. Empty rows are zero, their actions are ignored, and masks of infos leave them out.
    """

    def __init__(
        self,
        world: Any = "paper-code",
        worlds: int = 64,
        agents: int = 2,
        reward: RewardLike | Sequence[RewardLike] = DEFAULT_REWARD,
        *,
        bodies: Sequence[str | None] | None = None,
        teams: Sequence[Any] | None = None,
        threads: int = 0,
        **options: Unpack[EnvOptions],
    ) -> None:
        if int(worlds) < 1:
            raise ValueError(f"worlds is {worlds}, expected at least 1")
        if int(agents) < 1:
            raise ValueError(f"agents is {agents}, expected at least 1")
        self._agents = int(agents)
        count = int(worlds) * self._agents
        self._first_bodies = self._choose_bodies(bodies, options.get("body"))
        self._team_numbers = self._choose_teams(teams)
        self._bodies = self._first_bodies * int(worlds)  # of the rows
        self._present = np.ones(count, np.bool_)
        self._left = np.zeros(count, np.bool_)  # since the latest step
        self._seats: list[int | None] = []  # the agents of rows, while an environment is copied
        super().__init__(count, world, reward, threads=threads, **options)
        for body in self._first_bodies:
            self._model.action_mask(body)  # which checks the name

    def _choose_rewards(self, reward: Any) -> list[Payment]:
        is_one = isinstance(reward, (str, _core.Reward)) or not isinstance(reward, Sequence)
        rewards = [reward] * self._agents if is_one else list(reward)
        if len(rewards) != self._agents:
            raise ValueError(f"there are {len(rewards)} rewards for {self._agents} agents")
        made: dict[int, Payment] = {}  # agents with the same reward share it
        for one in rewards:
            made.setdefault(id(one), make_payment(self._model, one))
        payments = [made[id(one)] for one in rewards]
        if any(payment.function is not None for payment in payments):
            raise TypeError("a reward is a text here, not a Python function")
        return payments

    def _choose_bodies(
        self, bodies: Sequence[str | None] | None, usual: str | None
    ) -> list[str | None]:
        if isinstance(bodies, str):
            raise TypeError(f"bodies is {bodies!r}, expected a sequence of bodies")
        given = list(bodies or ())
        if not given:
            return [usual] * self._agents
        return [given[i % len(given)] for i in range(self._agents)]

    def _choose_teams(self, teams: Sequence[Any] | None) -> list[int] | None:
        if teams is None:
            return None
        if isinstance(teams, str):
            raise TypeError(f"teams is {teams!r}, expected a sequence with the team of each agent")
        if len(teams) != self._agents:
            raise ValueError(f"there are {len(teams)} teams for {self._agents} agents")
        names = list(dict.fromkeys(teams))
        return [names.index(team) for team in teams]

    # ------------------------------------------------------------------------------------ lives

    def _begin(self, seeds: Sequence[int]) -> None:
        if self._batch is not None:
            self._batch.close()
        rewards = [payment.compiled for payment in self._payments]
        is_one = len({id(reward) for reward in rewards}) == 1
        self._batch = _core.Batch(
            self._model,
            seeds,
            rewards[0] if is_one else None,
            self._agents,
            self.threads,
            bodies=self._first_bodies,
            teams=self._team_numbers,
            agent_rewards=None if is_one else rewards,
            **self._arrays,
        )
        self._fill_rows(range(self._world_count))

    def _renew(self, indexes: Sequence[int]) -> None:
        super()._renew(indexes)
        self._fill_rows(indexes)

    def _fill_rows(self, worlds: Sequence[int]) -> None:
        """All agents of these worlds are there again."""
        present, left, bodies = self._present.copy(), self._left.copy(), list(self._bodies)
        for world in worlds:
            rows = slice(world * self._agents, (world + 1) * self._agents)
            present[rows], left[rows], bodies[rows] = True, False, self._first_bodies
        self._left = left
        self._seat(present, bodies)

    def _seat(self, present: NDArray[np.bool_], bodies: list[str | None]) -> None:
        """Notes who is there; earlier infos keep what they were told."""
        self._present, self._bodies, self._all_rows = present, bodies, present
        self._telling = self._make_telling()
        if self._task is not None:
            self._show_tasks(self._task)

    def _make_telling(self) -> Telling:
        masks = None
        if self._model.bodies:
            by_body = {body: self._model.action_mask(body) for body in set(self._bodies)}
            masks = np.stack([by_body[body] for body in self._bodies])
        return Telling(self._model, self._payments, self.info_kind, masks)

    def _show_tasks(self, task: NDArray[np.float32]) -> None:
        super()._show_tasks(task)
        task[~self._present] = 0.0

    def step(self, actions: ArrayLike) -> Results:
        """(observations, rewards, terminations, truncations, infos) after a step of every world."""
        results = super().step(actions)
        if not self._left.any():
            return results
        observations, rewards, _, truncations, infos = results
        terminations, self._left = self._left, np.zeros(self.num_envs, np.bool_)
        return observations, rewards, terminations, truncations, infos

    def leave(self, rows: Rows) -> None:
        """Removes the agents of some rows from their worlds now, with all that they carry.

        The rows are empty until somebody joins there or their world is reset. The next step reports
        them as terminated.
        """
        chosen = self._choose(rows)
        for row in chosen:
            if not self._present[row]:
                raise ValueError(f"row {row} is empty: its agent has left")
        present = self._present.copy()
        try:
            for row in chosen:
                self._live().leave(row)
                present[row], self._left[row] = False, True
        finally:
            self._seat(present, self._bodies)
            self._refresh()

    def join(
        self,
        rows: Rows,
        body: str | None = None,
        *,
        position: tuple[int, int] | None = None,
        direction: str | int = "up",
    ) -> None:
        """Adds agents to the worlds of some empty rows now; `observe` has what they perceive.

        They have the reward and the team of their row; without `body`, also its first body.
        """
        chosen = self._choose(rows)
        for row in chosen:
            if self._present[row]:
                raise ValueError(f"row {row} is not empty: an agent is there")
        self._model.action_mask(body)  # which checks the name
        present, bodies = self._present.copy(), list(self._bodies)
        try:
            for row in chosen:
                own = self._first_bodies[row % self._agents] if body is None else body
                self._live().join(row, position, direction, own)  # type: ignore[arg-type]
                present[row], bodies[row] = True, own
        finally:
            self._seat(present, bodies)
            self._refresh()

    def _choose(self, rows: Rows) -> list[int]:
        """The rows as a list, checked."""
        self._live()
        chosen = [int(row) for row in np.atleast_1d(np.asarray(rows, np.int64))]
        for row in chosen:
            if not 0 <= row < self.num_envs:
                raise IndexError(f"there is no row {row}, expected 0 to {self.num_envs - 1}")
        if len(set(chosen)) != len(chosen):
            raise ValueError("a row is named twice")
        return chosen

    def send(self, actions: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Worlds with many agents are stepped together only."""
        raise NotImplementedError("worlds with many agents are stepped together: call step")

    # --------------------------------------------------------------------------------- looking

    @property
    def worlds(self) -> int:
        """The number of worlds."""
        return self._world_count

    @property
    def agents(self) -> int:
        """The number of rows of each world."""
        return self._agents

    @property
    def present(self) -> NDArray[np.bool_]:
        """(rows) which rows have an agent: a new array."""
        return self._present.copy()

    @property
    def bodies(self) -> tuple[str | None, ...]:
        """The body of each row's agent, or of the one that was there last."""
        return tuple(self._bodies)

    def observe(self) -> Any:
        """The observations of all rows as they are now: after `leave` and `join`."""
        self._live()
        return self._latest_observations()

    def agent(self, row: int) -> _core.Agent:
        """The `jbw.Agent` of a row."""
        (chosen,) = self._choose(row)
        if not self._present[chosen]:
            raise ValueError(f"row {row} is empty: its agent has left")
        return self._live().agent(chosen)

    def action_masks(self) -> NDArray[np.bool_]:
        """(rows, actions) True for what the agents' bodies can do; in empty rows, everywhere."""
        masks = np.stack([self._model.action_mask(body) for body in self._bodies]).astype(np.bool_)
        masks[~self._present] = True
        return masks

    def render(self) -> tuple[Any, ...] | None:
        """A picture, or a text, of each world, around its first agent."""
        if self.render_mode is None:
            return None
        batch = self._live()
        pictures: list[Any] = []
        for i in range(self._world_count):
            rows = range(i * self._agents, (i + 1) * self._agents)
            first = next((batch.agent(row) for row in rows if self._present[row]), None)
            if self.render_mode == "rgb_array":
                pictures.append(self._renderer.picture(batch.world(i), first))
            else:
                center = first.position if first is not None else (0, 0)
                pictures.append("\n".join(self._renderer.rows(batch.world(i), center)) + "\n")
        return tuple(pictures)

    # --------------------------------------------------------------------------------- copying

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if self._batch is not None:
            state["_seats"] = self._batch.agent_ids()
        return state

    def _begin_with(self, worlds: Sequence[_core.World]) -> None:
        present, left, bodies = self._present, self._left, self._bodies
        self._begin(self._seeds)
        for i, world in enumerate(worlds):
            seats = self._seats[i * self._agents : (i + 1) * self._agents]
            self._live().set_world(i, world, seats)
        self._left = left
        self._seat(present, bodies)


def vector_parallel_env(
    world: Any = "paper-code",
    worlds: int = 64,
    agents: int | None = None,
    reward: RewardLike | Sequence[RewardLike] = ...,
    **kwargs: Any,
) -> JellyBeanWorldVectorParallelEnv:
    """Many worlds with many agents: see `JellyBeanWorldVectorParallelEnv` for all arguments.

    As in `jbw.parallel_env`, an id may stand for the world and other arguments. Unless it says
    otherwise, there are two agents in each world, paid for jelly beans.
    """
    if agents is not None:
        kwargs["agents"] = agents
    if reward is not ...:
        kwargs["reward"] = reward
    return JellyBeanWorldVectorParallelEnv(**many_arguments(world, {"worlds": worlds, **kwargs}))
