# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Wrappers for environments that never end.

`RewardRate` does for them what Gymnasium's `RecordEpisodeStatistics` does for episodes: that one
reports nothing until an episode ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper
from numpy.typing import ArrayLike, NDArray

from jbw.envs.infos import Infos

KEY = "reward_rate"

#: Where figures go: a function such as `wandb.log`, called with a dict and `step=`, or an object
#: with `add_scalar(name, value, step)`, such as TensorBoard's SummaryWriter.
Log = Callable[..., Any] | Any


class Rates:
    """Reward per step of `count` lives, over the latest `window` steps and since the beginning."""

    def __init__(self, count: int, window: int) -> None:
        if int(window) < 1:
            raise ValueError(f"window is {window}, expected 1 or more")
        self.window = int(window)
        self.steps = 0
        self._latest = np.zeros((self.window, count))
        self._sum = np.zeros(count)
        self._total = np.zeros(count)

    def add(self, rewards: ArrayLike) -> None:
        """Counts a step of all lives."""
        row = self._latest[self.steps % self.window]
        self._sum -= row
        row[:] = rewards
        self._sum += row
        self._total += row
        self.steps += 1
        if self.steps % self.window == 0:
            self._sum = self._latest.sum(axis=0)  # rounding does not add up

    @property
    def rates(self) -> NDArray[np.float64]:
        """(count) reward per step over the latest window, or since the start if that is later."""
        rates: NDArray[np.float64] = self._sum / max(min(self.steps, self.window), 1)
        return rates

    @property
    def sums(self) -> NDArray[np.float64]:
        """(count) sums over the latest window."""
        return self._sum.copy()

    def figures(self) -> dict[str, float]:
        """For loggers: means over all lives."""
        return {
            KEY: float(self.rates.mean()),
            f"{KEY}_lifetime": float(self._total.mean()) / max(self.steps, 1),
        }

    def write(self, log: Log) -> None:
        """Hands the figures to a logger, once per window."""
        if log is None or self.steps % self.window:
            return
        if hasattr(log, "add_scalar"):
            for name, value in self.figures().items():
                log.add_scalar(name, value, self.steps)
        else:
            log(self.figures(), step=self.steps)


class RewardRate(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds `info["reward_rate"]`: the reward per step over the latest `window` steps.

    Resets do not begin anew: a rate has no episodes. For a vector environment the rate is
    float64 (n), with a mask like those of other infos.

    Args:
        env: a Gymnasium environment, single or vector.
        window: number of steps.
        log: gets the figures of all lives once per window: a function such as `wandb.log`, called
            with a dict and `step=`, or an object with `add_scalar(name, value, step)`, such as
            TensorBoard's `SummaryWriter`.

    `figures()` returns what is logged; `rates` are those of each life.
    """

    def __new__(cls, env: Any, window: int = 1000, log: Log = None) -> Any:
        if isinstance(env, VectorEnv):
            return VectorRewardRate(env, window, log)
        return super().__new__(cls)

    def __init__(self, env: Any, window: int = 1000, log: Log = None) -> None:
        super().__init__(env)
        self._meter, self._log = Rates(1, window), log

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Adds the rate to the info."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._meter.add(float(reward))
        self._meter.write(self._log)
        return observation, reward, terminated, truncated, {**info, KEY: self.rate}

    @property
    def rate(self) -> float:
        """Reward per step over the latest window."""
        return float(self._meter.rates[0])

    @property
    def rates(self) -> NDArray[np.float64]:
        """The same as an array, (1)."""
        return self._meter.rates

    def figures(self) -> dict[str, float]:
        """For loggers: `reward_rate` of the latest window, and since the beginning."""
        return self._meter.figures()


class VectorRewardRate(VectorWrapper):
    """`RewardRate` of a vector environment, which makes it."""

    def __init__(self, env: Any, window: int = 1000, log: Log = None) -> None:
        super().__init__(env)
        self._meter, self._log = Rates(self.num_envs, window), log

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Adds the rates to the infos, which are still made only when they are used."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        self._meter.add(rewards)
        self._meter.write(self._log)
        rates = self._meter.rates

        def make() -> dict[str, Any]:
            return {**infos, KEY: rates, f"_{KEY}": np.ones(self.num_envs, np.bool_)}

        lazy = Infos.later(make) if isinstance(infos, Infos) and self._is_copied else make()
        return observations, rewards, terminations, truncations, lazy

    @property
    def _is_copied(self) -> bool:
        return bool(getattr(self.env.unwrapped, "copy", False))

    @property
    def rates(self) -> NDArray[np.float64]:
        """(n) reward per step over the latest window."""
        return self._meter.rates

    def figures(self) -> Mapping[str, float]:
        """For loggers: `reward_rate` of the latest window, and since the beginning."""
        return self._meter.figures()


__all__ = ["RewardRate", "VectorRewardRate"]
