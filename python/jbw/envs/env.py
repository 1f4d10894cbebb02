# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One agent in one world, as a Gymnasium environment."""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping
from typing import Any, Self

import gymnasium
from gymnasium.error import ResetNeeded

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    ObservationForm,
    RenderMode,
    RewardLike,
    Step,
    VisionKind,
    check_choice,
    check_generation_threads,
    check_seed,
    draw_seed,
    make_model,
    make_payment,
)
from jbw.envs.render import Renderer
from jbw.envs.spaces import action_space, observation_space


def core_arguments(observation: ObservationForm, vision: VisionKind) -> dict[str, Any]:
    """How `_core.Env` is told what to observe."""
    if observation in ("vision", "scent"):
        return {
            "vision": vision if observation == "vision" else None,
            "scent": observation == "scent",
            "moved": False,
            "form": "plain",
        }
    return {"vision": vision, "scent": True, "moved": True, "form": observation}


class JellyBeanWorldEnv(gymnasium.Env[Any, Any]):
    """An agent's life in an endless world.

    `terminated` and `truncated` are always False: a life has no end, and a limit on its steps is a
    wrapper (`gymnasium.wrappers.TimeLimit`). `reset` starts a new life in a new world.

    Args:
        world: the name of a shipped world, the path of a world file, a mapping, a `jbw.Config` or a
            model.
        reward: a text such as "Collect[JellyBean] & Avoid[Onion]", an object of `jbw.rewards`, a
            function of a `jbw.envs.Step`, or None for no reward.
        overrides: keys of the world file to replace, such as {"agent.vision_range": 5}.
        observation: "dict" is {"vision", "scent", "moved"} ("scent" only if the world has any),
            "vision" and "scent" are one array, "flat" is one vector of all that "dict" has.
        vision: "color" is float32 (2R + 1, 2R + 1, colours), "items" (2R + 1, 2R + 1, item types):
            1 where an item of that type is seen.
        field_of_view: degrees, replaces the world's.
        visual_occlusion: replaces the world's.
        strict: makes a second `reset` an error. That is the never-ending setting.
        copy: returns new arrays from each step; otherwise later steps write into the same ones.
        generation_threads: so many make the world ahead of its agent, if it is invariant. Results
            do not depend on it.
        render_mode: "rgb_array" (uint8, (height, width, 3)), "ansi" (text), or None.
        render_size: cells that are drawn, (width, height); the agent is in the middle.
        render_scale: pixels per cell of "rgb_array".

    Same seed and actions, same bits: `reset(seed=s)` is the world `jbw.World(world, seed=s)`. A
    reset without a seed draws one from `np_random`; `info["seed"]` of the reset, and `world.seed`,
    tell it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base class
        "render_modes": ["rgb_array", "ansi"],
        "render_fps": 10,
    }

    def __init__(
        self,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        overrides: Mapping[str, Any] | None = None,
        observation: ObservationForm = "dict",
        vision: VisionKind = "color",
        field_of_view: float | None = None,
        visual_occlusion: bool | None = None,
        strict: bool = False,
        copy: bool = True,
        generation_threads: int = 0,
        render_mode: RenderMode | None = None,
        render_size: tuple[int, int] = (41, 41),
        render_scale: int = 12,
    ) -> None:
        check_choice("observation", observation, ObservationForm)
        check_choice("vision", vision, VisionKind)
        if render_mode is not None:
            check_choice("render_mode", render_mode, RenderMode)
        self._model = make_model(world, overrides, field_of_view, visual_occlusion)
        self._payment = make_payment(self._model, reward)
        self._core_arguments = {
            **core_arguments(observation, vision),
            "copy": bool(copy),
            "generation_threads": check_generation_threads(generation_threads),
        }
        self._core: _core.Env | None = None  # the first reset makes it, as it needs a seed
        self.observation_space = observation_space(self._model, observation, vision)
        self.action_space = action_space(self._model)
        self.strict = bool(strict)
        self.render_mode = render_mode
        self._renderer = Renderer(self._model, render_size, render_scale)
        self._position = (0, 0)  # before the step, for rewards in Python

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new life: (observation, info). `info["seed"]` is the new world's seed.

        No options are known; they are ignored. With `strict` a second reset raises RuntimeError.
        """
        if self.strict and self._core is not None:
            raise RuntimeError(
                "this environment is strict: its one life cannot be reset. "
                "Make another environment, or leave out strict=True"
            )
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
            self._position = info["position"]
            info["reward_function"] = self._payment.name
        info["seed"] = seed
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """(observation, reward, False, False, info), after one step of the world.

        `info` has `position` and `start` (x, y), `direction` ("up", "right", "down", "left"),
        `time`, `collected` (an item's name, or None), `inventory` (a count for each item type),
        `outcome` (what became of the action) and `reward_function` (the text of what paid for this
        step).
        """
        if self._core is None:
            raise ResetNeeded("call reset before step")
        if self._payment.function is None:
            return self._core.step(action)
        return self._step_and_ask(self._core, action)

    def _step_and_ask(
        self, core: _core.Env, action: Any
    ) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The same with a reward function in Python."""
        observation, _, terminated, truncated, info = core.step(action)
        assert self._payment.function is not None
        position = info["position"]
        step = Step(
            time=info["time"] - 1,
            action=self._model.action_names[self._model.action(action)],
            moved=position != self._position,
            collected=info["collected"],
            start=info["start"],
            position_before=self._position,
            position=position,
            agent=core.agent,
        )
        self._position = position
        info["reward_function"] = self._payment.name
        return observation, float(self._payment.function(step)), terminated, truncated, info

    def render(self) -> Any:
        """The agent's surroundings: uint8 (height, width, 3) or text, as `render_mode` says."""
        if self.render_mode is None:
            gymnasium.logger.warn('render needs render_mode="rgb_array" or "ansi" in make()')
            return None
        if self._core is None:
            raise ResetNeeded("call reset before render")
        if self.render_mode == "ansi":
            return self._renderer.text(self.world, self.agent)
        return self._renderer.picture(self.world, self.agent.position)

    @property
    def model(self) -> _core.Model:
        """The world file, checked and prepared."""
        return self._model

    @property
    def world(self) -> _core.World:
        """The world of this life, to look at, edit, clone or save."""
        return self._life().world

    @property
    def agent(self) -> _core.Agent:
        """The agent of this life."""
        return self._life().agent

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names by item type: the channels of `vision="items"`."""
        return self._model.item_names

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names by action number."""
        return self._model.action_names

    def _life(self) -> _core.Env:
        if self._core is None:
            raise ResetNeeded("call reset first")
        return self._core

    def clone(self) -> Self:
        """A copy that goes on by itself, bit by bit as this one would, its generator included."""
        return copying.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        shared = ("_model", "_payment", "_core_arguments", "_renderer")  # never change
        for name, value in self.__dict__.items():
            new.__dict__[name] = value if name in shared else copying.deepcopy(value, memo)
        return new

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_renderer"]
        state["render"] = (self._renderer.size, self._renderer.scale)
        state["_payment"] = self._payment.function or self._payment.name
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        size, scale = state.pop("render")
        self.__dict__.update(state)
        if self._core is not None:
            self._model = self._core.model  # one model for both
        self._payment = make_payment(self._model, state["_payment"])
        self._renderer = Renderer(self._model, size, scale)


__all__ = ["JellyBeanWorldEnv"]
