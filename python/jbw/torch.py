# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds whose observations are tensors, without a copy.

    envs = jbw.torch.VectorEnv(64, "paper-code", "Collect[JellyBean]")
    observations, infos = envs.reset(seed=7)
    observations, rewards, terminations, truncations, infos = envs.step(actions)

The C library writes straight into the memory of the tensors. Every call returns the same ones,
which the next call overwrites: `clone()` what you keep.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import torch
except ModuleNotFoundError as error:
    raise ImportError("jbw.torch needs torch: pip install 'jbw[train]'") from error

from jbw.envs.common import DEFAULT_REWARD, RewardLike
from jbw.envs.vector import JellyBeanWorldVectorEnv


class VectorEnv(JellyBeanWorldVectorEnv):
    """A `JellyBeanWorldVectorEnv` that takes and returns tensors.

    Args:
        num_envs, world, reward, options: as there; `copy` is always False.
        pin: puts observations and rewards into pinned memory, from which
            `tensor.to(device, non_blocking=True)` copies while the CPU goes on. It needs a device
            other than the CPU.
    """

    def __init__(
        self,
        num_envs: int = 1,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        pin: bool = False,
        **options: Any,
    ) -> None:
        if options.setdefault("copy", False):
            raise ValueError("copy=True is not for tensors that share memory: clone what you keep")
        self._is_pinned = bool(pin)
        self._tensors: dict[int, torch.Tensor] = {}
        super().__init__(num_envs, world, reward, **options)

    def _zeros(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if not self._is_pinned:
            return np.zeros(shape, dtype)
        like = torch.from_numpy(np.zeros(1, dtype))
        array: NDArray[Any] = torch.zeros(shape, dtype=like.dtype, pin_memory=True).numpy()
        return array

    def _make_arrays(self) -> None:
        super()._make_arrays()
        self._tensors = {}

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        """The tensor that shares the memory of an array of this environment."""
        found = self._tensors.get(id(array))
        if found is None:
            found = self._tensors[id(array)] = torch.from_numpy(array)
        return found

    def _share(self, observations: Any) -> Any:
        if isinstance(observations, dict):
            return {key: self._tensor(array) for key, array in observations.items()}
        return self._tensor(observations)

    def reset(self, **kwargs: Any) -> Any:
        """Starts new lives: (observations, infos)."""
        observations, infos = super().reset(**kwargs)
        return self._share(observations), infos

    def step(self, actions: Any) -> Any:
        """Like that of `JellyBeanWorldVectorEnv`, with tensors. `actions` may be on any device."""
        if isinstance(actions, torch.Tensor):
            actions = actions.to("cpu", torch.int32).numpy()
        observations, rewards, terminations, truncations, infos = super().step(actions)
        return (
            self._share(observations),
            self._tensor(rewards),
            torch.from_numpy(terminations.copy()),
            torch.from_numpy(truncations.copy()),
            infos,
        )

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        del state["_tensors"]
        return state


__all__ = ["VectorEnv"]
