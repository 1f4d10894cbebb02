# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The options that all environments of local worlds have in common, checked in one place."""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping
from typing import Any, Self, TypedDict

from jbw import _core
from jbw.envs.common import ObservationForm, RenderMode, VisionKind, check_choice, make_model
from jbw.envs.layout import Layout, make_layout
from jbw.envs.render import Renderer


class EnvOptions(TypedDict, total=False):
    """Keyword arguments of every environment; `JellyBeanWorldEnv` explains them."""

    overrides: Mapping[str, Any] | None
    observation: ObservationForm
    vision: VisionKind
    field_of_view: float | None
    visual_occlusion: bool | None
    strict: bool
    copy: bool
    render_mode: RenderMode | None
    render_size: tuple[int, int]
    render_scale: int
    render_panel: bool


class LocalEnv:
    """What the environments of local worlds have in common."""

    copy: bool
    render_mode: str | None
    strict: bool
    _model: _core.Model
    _observation: ObservationForm
    _vision_kind: VisionKind
    _renderer: Renderer
    _has_window = False  # whether render_mode may be "human"

    def _set_options(
        self,
        world: Any,
        *,
        overrides: Mapping[str, Any] | None = None,
        observation: ObservationForm = "dict",
        vision: VisionKind = "color",
        field_of_view: float | None = None,
        visual_occlusion: bool | None = None,
        strict: bool = False,
        copy: bool = True,
        render_mode: RenderMode | None = None,
        render_size: tuple[int, int] = (41, 31),
        render_scale: int = 16,
        render_panel: bool = True,
    ) -> None:
        if render_mode is not None:
            check_choice("render_mode", render_mode, RenderMode)
            if render_mode == "human" and not self._has_window:
                raise ValueError('render_mode is "human", which is for environments of one agent')
        self._model = make_model(world, overrides, field_of_view, visual_occlusion)
        self._observation: ObservationForm = observation
        self._vision_kind: VisionKind = vision
        self._layout()  # raises if there is none
        self.strict = bool(strict)
        self.copy = bool(copy)
        self.render_mode = render_mode
        self._renderer = Renderer(self._model, render_size, render_scale, render_panel)

    def _layout(self) -> Layout:
        """What observations consist of."""
        return make_layout(self._model, self._observation, self._vision_kind)

    def _check_reset(self, has_lived: bool) -> None:
        """With `strict`, raises RuntimeError if there was a life before."""
        if self.strict and has_lived:
            raise RuntimeError(
                "this environment is strict: it cannot be reset a second time. "
                "Make another environment, or leave out strict=True"
            )

    @property
    def model(self) -> _core.Model:
        """The world file, checked and compiled."""
        return self._model

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names by item type: the channels of `vision="items"`."""
        return self._model.item_names

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names by action number."""
        return self._model.action_names

    def clone(self) -> Self:
        """An independent copy that continues bit by bit as this one would, generator included."""
        return copying.deepcopy(self)

    def _state_without(self, *names: str) -> dict[str, Any]:
        """What to pickle: everything except the renderer, which is made again, and some others."""
        state = self.__dict__.copy()
        for name in ("_renderer", *names):
            del state[name]
        renderer = self._renderer
        state["render"] = (renderer.size, renderer.scale, renderer.panel)
        return state

    def _restore(self, state: dict[str, Any]) -> None:
        render = state.pop("render")
        self.__dict__.update(state)
        self._renderer = Renderer(self._model, *render)
