# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One agent in one world, as a Gymnasium environment."""

from __future__ import annotations

import copy as copying
from typing import Any, Self, Unpack

import gymnasium
from gymnasium.error import ResetNeeded

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    RewardLike,
    check_generation_threads,
    check_seed,
    draw_seed,
    make_payment,
)
from jbw.envs.options import EnvOptions, LocalEnv
from jbw.envs.spaces import action_space, layout_space
from jbw.envs.window import Window


class JellyBeanWorldEnv(LocalEnv, gymnasium.Env[Any, Any]):
    """An agent's life in an endless world.

    `terminated` and `truncated` are always False: a life has no end, and a step limit is a wrapper
    (`gymnasium.wrappers.TimeLimit`). `reset` starts a new life in a new world.

    Args:
        world: the name of a shipped world, the path of a world file, a mapping, a `jbw.Config` or a
            model.
        reward: a text such as "Collect[JellyBean] & Avoid[Onion]", an object of `jbw.rewards`, a
            function of a `jbw.envs.Step`, or None for no reward.
        overrides: keys of the world file to replace, such as {"agent.vision_range": 5}.
        observation: "dict" is {"vision", "scent", "moved"} ("scent" only if the world has scent),
            "vision" and "scent" are one array, "flat" is one vector of everything in "dict".
        vision: "color" is float32 (2R + 1, 2R + 1, colors), "items" (2R + 1, 2R + 1, item types):
            1 where an item of that type is visible.
        field_of_view: in degrees; replaces the world's.
        visual_occlusion: replaces the world's.
        strict: makes a second `reset` an error. That is the never-ending setting.
        copy: return new arrays from each step; otherwise later steps write into the same ones.
        generation_threads: number of background threads that generate an invariant world. Results
            do not depend on it.
        render_mode: "rgb_array" (uint8, (height, width, 3)), "human" (a window, which shows each
            step), "ansi" (text), or None.
        render_size: the number of cells to draw, (width, height); the agent is in the middle.
        render_scale: pixels per cell.
        render_panel: beside the map, what the agent sees, smells, carries and gains.

    The same seed and actions give the same bits: `reset(seed=s)` starts in
    `jbw.World(world, seed=s)`. A reset without a seed draws one from `np_random`; it is returned as
    `info["seed"]`, and is also `world.seed`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base class
        "render_modes": ["rgb_array", "human", "ansi"],
        "render_fps": 10,
    }
    _has_window = True

    def __init__(
        self,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        generation_threads: int = 0,
        **options: Unpack[EnvOptions],
    ) -> None:
        self._set_options(world, **options)
        layout = self._layout()
        self._payment = make_payment(self._model, reward)
        self._core_arguments: dict[str, Any] = {
            "parts": dict(layout.parts),
            "form": layout.form,
            "copy": self.copy,
            "generation_threads": check_generation_threads(generation_threads),
        }
        self._core: _core.Env | None = None  # the first reset creates it, as it needs a seed
        self.observation_space = layout_space(self._model, layout)
        self.action_space = action_space(self._model)
        if self.render_mode == "human":
            self.__class__ = ShownEnv  # which costs the others nothing

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new life: (observation, info). `info["seed"]` is the seed of the new world.

        Options are ignored. With `strict` a second reset raises RuntimeError.
        """
        self._check_reset(self._core is not None)
        if seed is not None:
            seed = check_seed(seed)
        super().reset(seed=seed)
        if seed is None:
            seed = draw_seed(self.np_random)
        if self._core is None:
            self._core = _core.Env(
                self._model, self._payment.compiled, seed, **self._core_arguments
            )
            observation, info = self._core.observe(), self._core.info()
        else:
            observation, info = self._core.reset(seed)
        if self._payment.function is not None:
            info["reward_function"] = self._payment.name
        info["seed"] = seed
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """(observation, reward, False, False, info), after one step of the world.

        `info` has `position` and `start` (x, y), `direction` ("up", "right", "down", "left"),
        `time`, `collected` (the name of an item, or None), `inventory` (a count for each item
        type), `outcome` (of the action) and `reward_function` (the text of the reward for this
        step).
        """
        if self._core is None:
            raise ResetNeeded("call reset before step")
        if self._payment.function is None:
            return self._core.step(action)
        observation, _, terminated, truncated, info = self._core.step(action)
        info["reward_function"] = self._payment.name
        return observation, self._payment.ask(self._core.agent), terminated, truncated, info

    def render(self) -> Any:
        """The agent's surroundings, as `render_mode` says: uint8 (height, width, 3) or text.

        Pictures that follow one another show the agent's trail, and its reward if every step since
        was drawn.
        """
        if self.render_mode is None:
            gymnasium.logger.warn('render needs render_mode="rgb_array" or "ansi" in make()')
            return None
        if self._core is None:
            raise ResetNeeded("call reset before render")
        if self.render_mode == "ansi":
            return self._renderer.text(self.world, self.agent)
        return self._renderer.picture(self.world, self.agent, self._payment)

    @property
    def world(self) -> _core.World:
        """The world of this life, to look at, edit, clone or save."""
        return self._life().world

    @property
    def agent(self) -> _core.Agent:
        """The agent of this life."""
        return self._life().agent

    def _life(self) -> _core.Env:
        if self._core is None:
            raise ResetNeeded("call reset first")
        return self._core

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        shared = ("_model", "_payment", "_core_arguments", "_renderer")  # never change
        for name, value in self.__dict__.items():
            new.__dict__[name] = value if name in shared else copying.deepcopy(value, memo)
        return new

    def __getstate__(self) -> dict[str, Any]:
        return {**self._state_without(), "_payment": self._payment.source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["_core"] is not None:
            state["_model"] = state["_core"].model  # one model for both
        self._restore(state)
        self._payment = make_payment(self._model, state["_payment"])


class ShownEnv(JellyBeanWorldEnv):
    """The same in a window: what `render_mode="human"` makes of it."""

    _window: Window | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new life, and shows it."""
        result = super().reset(seed=seed, options=options)
        self.render()
        return result

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes a step, and shows it."""
        result = super().step(action)
        self.render()
        return result

    def render(self) -> None:
        """Shows the world as it is now. `reset` and `step` do so themselves."""
        if self._window is None:
            self._window = Window("Jelly Bean World", self.metadata["render_fps"])
        self._window.show(super().render())

    def close(self) -> None:
        """Closes the window."""
        if self._window is not None:
            self._window.close()
        super().close()


__all__ = ["JellyBeanWorldEnv"]
