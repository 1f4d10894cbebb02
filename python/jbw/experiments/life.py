# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A life: a world that is never reset, and a meter that records what an agent does in it."""

from __future__ import annotations

import time
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import ObservationForm
from jbw.envs.env import JellyBeanWorldEnv
from jbw.envs.vector import JellyBeanWorldVectorEnv
from jbw.evaluate import CellSet
from jbw.experiments.case import Run

#: Columns of wall-clock time: they differ when a run is repeated.
CLOCK_COLUMNS = ("seconds", "environment_seconds")


class Life:
    """One strict world and its observations, or `worlds` of them for agents that run in several.

    `step` takes an action (one per world) and returns the reward; `observation` is the latest
    observation. A life is pickled with its worlds.
    """

    def __init__(self, run: Run, worlds: int = 1) -> None:
        self.model = _core.Model(run.world, f"world of {run.case}")
        self.reward = _core.Reward(self.model, run.reward)
        self.worlds = worlds
        self.seed = run.seed
        form = cast(ObservationForm, run.observation)
        self.form: str = form
        self.env: JellyBeanWorldEnv | JellyBeanWorldVectorEnv
        if worlds == 1:
            self.env = JellyBeanWorldEnv(self.model, run.reward, observation=form, strict=True)
            self.observation, info = self.env.reset(seed=run.seed)
        else:
            # seeds are `worlds` apart, so that no two runs share a world
            self.env = JellyBeanWorldVectorEnv(
                worlds, self.model, run.reward, observation=form, strict=True, info="numbers"
            )
            self.observation, info = self.env.reset(seed=run.seed * worlds)
        self.meter = Meter(self.model, worlds, run.every, run.steps // run.every, info["position"])

    @property
    def agent(self) -> _core.Agent:
        """The agent, if there is one world."""
        if not isinstance(self.env, JellyBeanWorldEnv):
            raise TypeError("this life has several worlds")
        return self.env.agent

    @property
    def steps(self) -> int:
        """Steps taken so far, in each world."""
        return self.meter.steps

    @property
    def action_count(self) -> int:
        """The number of actions; they are numbered from 0."""
        return len(self.model.action_names)

    def step(self, action: Any) -> Any:
        """Takes a step and returns its reward, or one reward per world if there are several."""
        before = time.perf_counter()
        self.observation, reward, _, _, info = self.env.step(action)
        self.meter.environment_seconds += time.perf_counter() - before
        self.meter.count(action, reward, info["position"], info["collected"])
        return reward

    def follow(self, policy: _core.Policy, steps: int) -> None:
        """Lets a policy of the library take steps in the only world, without Python in between. It
        gets no observations from here, so the latest `observation` is left as it is."""
        self.meter.count_all(*self.agent.follow_log(policy, steps, self.reward))

    def count_anew(self, every: int, rows: int) -> None:
        """Discards the rows of the meter and starts new ones."""
        if isinstance(self.env, JellyBeanWorldEnv):
            cells: Any = self.env.agent.position
        else:
            cells = [self.env.world(i).agents[0].position for i in range(self.worlds)]
        steps = self.steps
        self.meter = Meter(self.model, self.worlds, every, rows, cells)
        self.meter.steps = steps

    def hashes(self) -> list[int]:
        """The hashes of all worlds, which are the same on every machine."""
        if isinstance(self.env, JellyBeanWorldEnv):
            return [self.env.world.hash()]
        return [self.env.world(i).hash() for i in range(self.worlds)]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["model"], state["reward"]
        state["reward_text"] = self.reward.text
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        text = state.pop("reward_text")
        self.__dict__.update(state)
        self.model = self.env.model
        self.reward = _core.Reward(self.model, text)


class Meter:
    """Records what happens, in rows of `every` steps.

    With several worlds, a row holds the mean over them. Columns:

        step                 steps so far at the end of the row
        reward               reward earned in this row
        moves, turns         steps to another cell; actions that were turns
        new_cells            steps to cells that the agent had never visited
        since_new_cell       steps since the latest new cell, at the end of the row
        turning              steps since the latest action that was not a turn
        collected.ITEM       items collected
        seconds              wall-clock time of this row
        environment_seconds  the part of it spent in the environment
    """

    def __init__(
        self, model: _core.Model, worlds: int, every: int, rows: int, positions: Any
    ) -> None:
        self.item_names = model.item_names
        self.every = every
        self.row_count = rows
        self.worlds = worlds
        self.steps = 0
        self.rows: list[dict[str, float]] = []
        self.environment_seconds = 0.0
        self._seconds = 0.0
        self._since: float | None = None
        self._turns = np.array([name.startswith("Turn") for name in model.action_names])
        self._numbers: dict[str | None, int] = {None: -1}
        self._numbers.update((name, i) for i, name in enumerate(self.item_names))
        # what has happened since the latest row
        self._actions: list[Any] = []
        self._rewards: list[Any] = []
        self._way: list[Any] = [np.array(positions)]
        self._collected: list[Any] = []
        # (worlds) each
        self._visited = [CellSet() for _ in range(worlds)]
        for visited, cell in zip(self._visited, self._cells(self._way)[0], strict=True):
            visited.add(cell[None])
        self._since_new = np.zeros(worlds, np.int64)
        self._turning = np.zeros(worlds, np.int64)

    def start_clock(self) -> None:
        """Starts the clock; time before this, such as a pause, does not count."""
        self._since = time.perf_counter()

    def count(self, action: Any, reward: Any, position: Any, collected: Any) -> None:
        """Records one step."""
        self.steps += 1
        if len(self.rows) == self.row_count:
            return  # an agent that advances in long strides has passed the end of its run
        self._actions.append(action)
        self._rewards.append(reward)
        self._way.append(position)
        self._collected.append(collected)
        if len(self._rewards) == self.every:
            self._close_row()

    def count_all(
        self,
        rewards: NDArray[np.float64],
        actions: NDArray[np.int32],
        positions: NDArray[np.int64],
        collected: NDArray[np.int32],
    ) -> None:
        """Records many steps in the only world, as `_core.Agent.follow_log` returns them."""
        names: list[str | None] = [*self.item_names, None]  # the last one has number -1
        begin = 0
        while begin < len(rewards) and len(self.rows) < self.row_count:
            end = min(len(rewards), begin + self.every - len(self._rewards))
            self.steps += end - begin
            self._actions += actions[begin:end].tolist()
            self._rewards += rewards[begin:end].tolist()
            self._way += positions[begin:end].tolist()
            self._collected += [names[number] for number in collected[begin:end].tolist()]
            if len(self._rewards) == self.every:
                self._close_row()
            begin = end
        self.steps += len(rewards) - begin

    def _cells(self, way: list[Any]) -> NDArray[np.int64]:
        return np.array(way, np.int64).reshape(len(way), self.worlds, 2)

    def _close_row(self) -> None:
        now = time.perf_counter()
        if self._since is not None:
            self._seconds += now - self._since
        self._since = now

        shape = (self.every, self.worlds)
        way = self._cells(self._way)
        turned = self._turns[np.array(self._actions, np.int64).reshape(shape)]
        is_new = np.stack(
            [visited.add(way[1:, i]) for i, visited in enumerate(self._visited)], axis=1
        )
        self._since_new = _steps_since(is_new, self._since_new)
        self._turning = _steps_since(~turned, self._turning)
        collected = self._collected_counts()
        row: dict[str, float] = {
            "step": self.steps,
            "reward": float(np.array(self._rewards, np.float64).reshape(shape).sum() / self.worlds),
            "moves": float((way[1:] != way[:-1]).any(axis=2).sum() / self.worlds),
            "turns": float(turned.sum() / self.worlds),
            "new_cells": float(is_new.sum() / self.worlds),
            "since_new_cell": float(self._since_new.mean()),
            "turning": float(self._turning.mean()),
        }
        for name, count in zip(self.item_names, collected, strict=True):
            row[f"collected.{name}"] = float(count / self.worlds)
        row["seconds"] = self._seconds
        row["environment_seconds"] = self.environment_seconds
        self.rows.append(row)

        self._actions, self._rewards, self._collected = [], [], []
        self._way = [self._way[-1]]
        self._seconds = self.environment_seconds = 0.0

    def _collected_counts(self) -> NDArray[np.int64]:
        if self.worlds == 1:
            numbers = np.array([self._numbers[name] for name in self._collected])
        else:
            numbers = np.array(self._collected).ravel()
        return np.bincount(numbers[numbers >= 0], minlength=len(self.item_names))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._since is not None:
            state["_seconds"] = self._seconds + time.perf_counter() - self._since
        state["_since"] = None
        return state


def _steps_since(flags: NDArray[np.bool_], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """(worlds): the number of steps since the last true flag of (steps, worlds), where `before` is
    the number at the beginning."""
    steps = len(flags)
    last = steps - 1 - flags[::-1].argmax(axis=0)
    return np.where(flags.any(axis=0), steps - 1 - last, before + steps)
