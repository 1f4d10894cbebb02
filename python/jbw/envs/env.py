# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One agent in one world, as a Gymnasium environment."""

from __future__ import annotations

import copy as copying
from typing import Any, Self, Unpack

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

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
        atlas: a folder that keeps the patches of invariant worlds: a path, a `jbw.Atlas`, or False
            for none, whatever the variable JBW_ATLAS says. Results do not depend on it.
        observation: "dict" is {"vision", "scent", "moved"} ("scent" only if the world has scent),
            "vision" and "scent" are one array, "flat" is one vector of everything in "dict".
        vision: "color" is float32 (2R + 1, 2R + 1, colors), "items" (2R + 1, 2R + 1, item types):
            1 where an item of that type is visible. "image" is a uint8 picture of the colors.
        agents_channel: adds a channel to `vision="items"`: the number of other agents in a cell. If
            the world has bodies, there is one for each, that of `agent` first.
        image_scale, channels: of `vision="image"`: pixels per cell, by default so many that there
            are at least 36 in each direction; and the axis of colors, "last" or "first".
        inventory: adds "inventory", the number of items carried by type, to "dict" and "flat".
        task: adds "task", what collecting an item of each type pays in the next step.
        note: adds "note", uint8 (256): the text that the agent reads, UTF-8 and then zeros, if
            items of the world carry texts. `write` is what it writes.
        info: "full" is told in words, "numbers" has numbers and arrays only, "none" is empty.
        field_of_view: in degrees; replaces the world's.
        visual_occlusion: replaces the world's.
        body: one of `model.bodies`, or None for that of `agent`.
        strict: makes a second `reset` an error. That is the never-ending setting.
        copy: return new arrays from each step; otherwise later steps write into the same ones.
        generation_threads: number of background threads that generate an invariant world. Results
            do not depend on it.
        render_mode: "rgb_array" (uint8, (height, width, 3)), "human" (a window, which shows each
            step), "ansi" (text), or None.
        render_size: the number of cells to draw, (width, height); the agent is in the middle.
        render_scale: pixels per cell.
        render_panel: beside the map, what the agent sees, smells, carries and gains.

    If agents of the world have a voice, an action is a pair, the action and a symbol, where 0 is
    silence, and "dict" and "flat" have "heard", how many others said each symbol.

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
        self._payment = make_payment(self._model, reward)
        self._check_task(self._payment)
        self._core_arguments: dict[str, Any] = {
            **self._layout.core_arguments(),
            "copy": self.copy,
            "info": self.info_kind,
            "body": self.body,
            "generation_threads": check_generation_threads(generation_threads),
        }
        self._core: _core.Env | None = None  # the first reset creates it, as it needs a seed
        self.observation_space = layout_space(self._model, self._layout)
        self.action_space = action_space(self._model)
        if self.render_mode == "human":
            self.__class__ = ShownEnv  # which costs the others nothing

    def _shorten_step(self) -> None:
        """Makes `step` of this object the function in C, if there is nothing to do in Python: one
        call less is a sixth of the time. The method of a subclass stays."""
        does_nothing = self._payment.function is None and not self._layout.is_made_here
        if self._core is not None and does_nothing and type(self).step is JellyBeanWorldEnv.step:
            self.__dict__["step"] = self._core.step

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
            self._shorten_step()
            observation, info = self._core.observe(), self._core.info()
        else:
            observation, info = self._core.reset(seed)
        if self._layout.is_made_here:
            observation = self._layout.assemble(observation, self._task())
        if self.info_kind != "none":
            info["seed"] = seed
        self._name_reward(info)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """(observation, reward, False, False, info), after one step of the world.

        `info` has `position` and `start` (x, y), `direction` ("up", "right", "down", "left"),
        `time`, `collected` (the name of an item, or None), `inventory` (a count for each item
        type), `outcome` (of the action) and `reward_function` (the text of the reward for this
        step). In a world with bodies it also has `action_mask`: int8 (actions), 1 for what the
        agent's body can do.
        """
        core = self._life()
        observation, reward, terminated, truncated, info = core.step(action)
        if self._payment.function is not None:
            reward = self._payment.ask(core.agent)
            self._name_reward(info)
        if self._layout.is_made_here:
            observation = self._layout.assemble(observation, self._task())
        return observation, reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """(actions) True for what the agent's body can do: for learners that mask actions."""
        return self._model.action_mask(self.body).astype(np.bool_)

    def write(self, text: str | None) -> None:
        """The next item that the agent drops and that may carry a text carries this one.

        It waits for such an action, whatever becomes of that. None takes it back, as does a reset.
        """
        self._life().write(text)

    def _task(self) -> NDArray[np.float32]:
        """What the next step pays for items."""
        return self._payment.weights(self._life().world.time)

    def _name_reward(self, info: dict[str, Any]) -> None:
        if self._payment.function is not None and self.info_kind == "full":
            info["reward_function"] = self._payment.name

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
        shared = ("_model", "_payment", "_core_arguments", "_layout", "_renderer")  # never change
        for name, value in self.__dict__.items():
            if name != "step":
                new.__dict__[name] = value if name in shared else copying.deepcopy(value, memo)
        new._shorten_step()
        return new

    def __getstate__(self) -> dict[str, Any]:
        return {**self._state_without("step"), "_payment": self._payment.source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["_core"] is not None:
            state["_model"] = state["_core"].model  # one model for both
        self._restore(state)
        self._payment = make_payment(self._model, state["_payment"])
        self._shorten_step()


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
