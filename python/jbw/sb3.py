# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds for Stable-Baselines3: many of them in the native batch.

model = stable_baselines3.PPO("MultiInputPolicy", jbw.sb3.VecEnv(16, "paper-code"))
model.learn(100_000, callback=jbw.sb3.RewardRateCallback())
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv as BaseVecEnv
except ModuleNotFoundError as error:
    raise ImportError("jbw.sb3 needs Stable-Baselines3: pip install 'jbw[train]'") from error

from jbw.envs.common import DEFAULT_REWARD, RewardLike
from jbw.envs.vector import JellyBeanWorldVectorEnv
from jbw.wrappers import KEY, Rates


class VecEnv(BaseVecEnv):
    """`num_envs` worlds with one agent each.

    Worlds never end, and Stable-Baselines3 logs nothing before an episode ends. So every `window`
    steps, each life is reported as if an episode of that length had ended: `ep_rew_mean` is the
    reward of a window, and `rate` the reward per step.

    Args:
        num_envs: number of worlds.
        world, reward: as in `jbw.envs.JellyBeanWorldEnv`.
        seed: of the first life; world i has the seed `seed` + i.
        window: number of steps over which rewards are reported.
        options: those of `jbw.envs.JellyBeanWorldVectorEnv`, such as `observation`, `vision` and
            `max_episode_steps`. Infos are "none" unless asked for.
    """

    def __init__(
        self,
        num_envs: int = 1,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        seed: int | None = None,
        window: int = 1000,
        **options: Any,
    ) -> None:
        options.setdefault("info", "none")
        options["autoreset_mode"] = "same_step"
        self.envs = JellyBeanWorldVectorEnv(num_envs, world, reward, **options)
        self.render_mode = self.envs.render_mode
        self._seed = seed
        self._actions: NDArray[Any] = np.zeros(num_envs, np.int64)
        self._meter = Rates(num_envs, window)
        self._begin = time.perf_counter()
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )

    @property
    def rate(self) -> float:
        """Reward per step over the latest window, mean over all worlds."""
        return float(self._meter.rates.mean())

    def reset(self) -> Any:
        """Starts new lives: the observations."""
        observations, infos = self.envs.reset(seed=self._seed)
        self._seed = None
        self.reset_infos = self._rows(infos)
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The seed of the next reset; world i gets `seed` + i."""
        self._seed = seed
        return [None if seed is None else seed + i for i in range(self.num_envs)]

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        """(observations, rewards, dones, infos) after a step of all worlds."""
        observations, rewards, _, dones, told = self.envs.step(self._actions)
        self._meter.add(rewards)
        infos = self._rows(told)
        if self._meter.steps % self._meter.window == 0:
            seconds = round(time.perf_counter() - self._begin, 6)
            for info, paid in zip(infos, self._meter.sums.tolist(), strict=True):
                info["episode"] = {"r": paid, "l": self._meter.window, "t": seconds}
        for i in np.flatnonzero(dones).tolist():
            infos[i]["terminal_observation"] = told["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = True
        return observations, rewards.astype(np.float32), dones, infos

    def _rows(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """One dict for each world."""
        if self.envs.info_kind == "none":
            return [{} for _ in range(self.num_envs)]
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for key, values in infos.items():
            if key.startswith("_") or key.startswith("final_"):
                continue
            for i in np.flatnonzero(infos[f"_{key}"]).tolist():
                is_dict = isinstance(values, dict)
                rows[i][key] = (
                    {k: v[i] for k, v in values.items() if not k.startswith("_")}
                    if is_dict
                    else values[i]
                )
        return rows

    def close(self) -> None:
        """Destroys the worlds."""
        self.envs.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of each world, with `render_mode="rgb_array"`."""
        return list(self.envs.render() or [None] * self.num_envs)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute that all worlds have in common."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("the worlds of a batch have no attributes of their own")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError("the worlds of a batch have no methods of their own: use .envs")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))


class RewardRateCallback(BaseCallback):
    """Logs `rollout/reward_rate` after each rollout: reward per step over the latest window."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        env = self.training_env
        while not isinstance(env, VecEnv) and hasattr(env, "venv"):
            env = env.venv
        if isinstance(env, VecEnv):
            self.logger.record(f"rollout/{KEY}", env.rate)


__all__ = ["RewardRateCallback", "VecEnv"]
