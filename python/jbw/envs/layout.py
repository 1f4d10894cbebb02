# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What an observation consists of: which of the parts in `Model.parts`, and in which form.

Three entries are made from parts here, in Python:

    image      uint8 pixels of the part `vision`, for networks that expect pictures
    inventory  the part of that name as float32
    task       what collecting pays, by item type; of the reward, so the world does not know it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import Channels, ObservationForm, VisionKind, check_choice

#: Networks made for video games need pictures of at least this many pixels in each direction.
MIN_IMAGE_SIZE = 36


@dataclass(frozen=True, slots=True)
class Image:
    """How vision becomes a picture: pixels per cell, and where the axis of colours is."""

    scale: int
    channels_first: bool

    def shape(self, vision: tuple[int, ...]) -> tuple[int, ...]:
        """Of the picture, from the shape of vision: (2R + 1, 2R + 1, colours)."""
        side, colors = vision[0] * self.scale, vision[2]
        return (colors, side, side) if self.channels_first else (side, side, colors)

    def paint(self, vision: NDArray[Any], out: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """The picture of (..., 2R + 1, 2R + 1, colours)."""
        return _core.paint(vision, self.scale, self.channels_first, out)


@dataclass(frozen=True, slots=True)
class Layout:
    """The entries of an observation, from the keys that they have in a dict to their names.

    Names are those of `Model.parts`, or `image`, `inventory` and `task`. The form is "dict",
    "flat" (one float32 vector of all entries in their order) or "plain" (the only entry).
    """

    form: Literal["dict", "flat", "plain"]
    parts: Mapping[str, str]
    image: Image | None = None

    @property
    def is_made_here(self) -> bool:
        """True if some entries are not parts that the C library writes as they are."""
        return not set(self.parts.values()).isdisjoint(("image", "inventory", "task"))

    @property
    def sources(self) -> tuple[str, ...]:
        """The parts that the entries are made from."""
        names = ("vision" if name == "image" else name for name in self.parts.values())
        return tuple(dict.fromkeys(name for name in names if name != "task"))

    def core_arguments(self) -> dict[str, Any]:
        """The arguments `parts` and `form` of `_core.Env` and `_core.Team`.

        If `is_made_here`, they observe what `assemble` needs.
        """
        if self.is_made_here:
            return {"parts": {name: name for name in self.sources}, "form": "dict"}
        return {"parts": dict(self.parts), "form": self.form}

    def assemble(self, values: Mapping[str, Any], task: NDArray[np.float32] | None = None) -> Any:
        """An observation from the parts by their names, as `_core.Env` makes it."""
        found = {key: self._entry(name, values, task) for key, name in self.parts.items()}
        if self.form == "flat":
            return np.concatenate([np.ravel(value) for value in found.values()]).astype(
                np.float32, copy=False
            )
        return found if self.form == "dict" else next(iter(found.values()))

    def _entry(self, name: str, values: Mapping[str, Any], task: Any) -> Any:
        if name == "task":
            return task
        if name == "image":
            assert self.image is not None
            return self.image.paint(values["vision"])
        value = values[name]
        if name == "inventory":
            return np.asarray(value, np.float32)
        # single whole numbers are numpy.int64, as in Gymnasium's Discrete spaces
        return np.int64(value) if np.ndim(value) == 0 and value.dtype.kind in "iu" else value


def make_layout(
    model: _core.Model,
    observation: ObservationForm = "dict",
    vision: VisionKind = "color",
    *,
    inventory: bool = False,
    task: bool = False,
    note: bool = False,
    agents_channel: bool = False,
    image_scale: int | None = None,
    channels: Channels = "last",
) -> Layout:
    """The layout that the arguments of an environment stand for; ValueError if there is none."""
    check_choice("observation", observation, ObservationForm)
    check_choice("vision", vision, VisionKind)
    check_choice("channels", channels, Channels)
    if agents_channel and vision != "items":
        raise ValueError(f'agents_channel needs vision="items", but vision is {vision!r}')
    if (inventory or task or note) and observation not in ("dict", "flat"):
        raise ValueError(
            f'inventory, task and note need observation="dict" or "flat", but it is {observation!r}'
        )
    image = None
    if vision == "image":
        if observation == "flat":
            raise ValueError('vision="image" is a picture, which observation="flat" cannot hold')
        image = _make_image(model, image_scale, channels)
    elif image_scale is not None or channels != "last":
        raise ValueError(f'image_scale and channels need vision="image", but it is {vision!r}')
    names = {"color": "vision", "items": "item_vision", "image": "image"}
    seen = "entity_vision" if agents_channel else names[vision]
    if observation == "vision":
        return Layout("plain", {"vision": seen}, image)
    has_scent = model.scent_dimensions > 0
    if observation == "scent":
        if not has_scent:
            raise ValueError('observation is "scent", but this world has no scent dimensions')
        return Layout("plain", {"scent": "scent"})
    parts = {"vision": seen}
    if has_scent:
        parts["scent"] = "scent"
    parts["moved"] = "moved"
    if inventory:
        parts["inventory"] = "inventory"
    if task:
        parts["task"] = "task"
    if model.voice is not None:
        parts["heard"] = "heard"
    if note and model.text_items:
        parts["note"] = "text"
    return Layout(observation, parts, image)


def _make_image(model: _core.Model, scale: int | None, channels: Channels) -> Image:
    side = model.vision_shape[0]
    if scale is None:
        scale = -(-MIN_IMAGE_SIZE // side)
    if not 1 <= int(scale) <= 64:
        raise ValueError(f"image_scale is {scale}, expected 1 to 64")
    return Image(int(scale), channels == "first")
