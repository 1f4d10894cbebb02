# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The options that all environments of local worlds have in common, checked in one place."""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping
from typing import Any, Literal, Self, TypedDict

from jbw import _core
from jbw.envs.common import (
    Channels,
    InfoKind,
    ObservationForm,
    Payment,
    RenderMode,
    VisionKind,
    check_choice,
    make_model,
)
from jbw.envs.layout import Layout, make_layout
from jbw.envs.render import Renderer


class EnvOptions(TypedDict, total=False):
    """Keyword arguments of every environment; `JellyBeanWorldEnv` explains them."""

    overrides: Mapping[str, Any] | None
    atlas: _core.AtlasLike | Literal[False] | None
    observation: ObservationForm
    vision: VisionKind
    inventory: bool
    task: bool
    note: bool
    agents_channel: bool
    image_scale: int | None
    channels: Channels
    info: InfoKind
    field_of_view: float | None
    visual_occlusion: bool | None
    body: str | None
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
    body: str | None
    info_kind: InfoKind
    _model: _core.Model
    _layout: Layout
    _renderer: Renderer
    _has_window = False  # whether render_mode may be "human"

    def _set_options(
        self,
        world: Any,
        *,
        overrides: Mapping[str, Any] | None = None,
        atlas: _core.AtlasLike | Literal[False] | None = None,
        observation: ObservationForm = "dict",
        vision: VisionKind = "color",
        inventory: bool = False,
        task: bool = False,
        note: bool = False,
        agents_channel: bool = False,
        image_scale: int | None = None,
        channels: Channels = "last",
        info: InfoKind = "full",
        field_of_view: float | None = None,
        visual_occlusion: bool | None = None,
        body: str | None = None,
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
        check_choice("info", info, InfoKind)
        self._model = make_model(world, overrides, field_of_view, visual_occlusion)
        if atlas is not None:
            self._model = self._model.with_atlas(atlas)
        self._layout = make_layout(
            self._model,
            observation,
            vision,
            inventory=inventory,
            task=task,
            note=note,
            agents_channel=agents_channel,
            image_scale=image_scale,
            channels=channels,
        )
        self.body = body
        self._model.action_mask(body)  # which checks the name
        self.info_kind: InfoKind = info
        self.strict = bool(strict)
        self.copy = bool(copy)
        self.render_mode = render_mode
        self._renderer = Renderer(self._model, render_size, render_scale, render_panel)

    def _check_task(self, payment: Payment) -> None:
        """ValueError if observations show a task that only a Python function knows."""
        if payment.function is not None and "task" in self._layout.parts.values():
            raise ValueError(
                f"task=True shows the weights of a reward in the reward language, "
                f"but the reward is the Python function {payment.name}"
            )

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
            state.pop(name, None)
        renderer = self._renderer
        state["render"] = (renderer.size, renderer.scale, renderer.panel)
        return state

    def _restore(self, state: dict[str, Any]) -> None:
        render = state.pop("render")
        self.body = None  # of older pickles
        self.__dict__.update(state)
        self._renderer = Renderer(self._model, *render)
