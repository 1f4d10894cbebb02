# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The Gymnasium spaces of a world: its actions, and the bounds of its observations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.layout import Layout


def action_space(model: _core.Model) -> spaces.Discrete | spaces.MultiDiscrete:
    """The numbers of the actions, in the order in which the world lists them.

    If agents have a voice, an action is followed by a symbol; 0 is silence.
    """
    count = len(model.action_names)
    if model.voice is None:
        return spaces.Discrete(count)
    symbols, _ = model.voice
    return spaces.MultiDiscrete([count, symbols + 1])


def layout_space(model: _core.Model, layout: Layout, agents: int | None = 1) -> spaces.Space[Any]:
    """The space of one agent's observations.

    `agents` is the largest number of agents in a world, None if it is unknown. It matters if agents
    may share cells, since their colors and scents add up.
    """
    parts = {
        key: _image(model, layout) if name == "image" else part_space(model, name, agents)
        for key, name in layout.parts.items()
    }
    if layout.form == "dict":
        return spaces.Dict(parts)
    if layout.form == "plain":
        return next(iter(parts.values()))
    bounds = [_bounds(part) for part in parts.values()]
    low, high = (np.concatenate(ends, dtype=np.float32) for ends in zip(*bounds, strict=True))
    return spaces.Box(low, high, dtype=np.float32)


def part_space(model: _core.Model, name: str, agents: int | None) -> spaces.Space[Any]:
    """The space of one of `Model.parts`; without bounds of its own, it has those of its type."""
    if name in _SPACES:
        return _SPACES[name](model, agents)
    part = model.parts[name]
    if part.dtype.kind == "f":
        return spaces.Box(-np.inf, np.inf, part.shape, part.dtype.type)
    limits = np.iinfo(part.dtype)
    if part.shape:
        return spaces.Box(limits.min, limits.max, part.shape, part.dtype.type)
    # single numbers are int64 in observations, and so is the size of their space
    return spaces.Discrete(min(limits.max - limits.min + 1, 2**63 - 1), start=limits.min)


def _bounds(space: spaces.Space[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and the largest values of a space, as vectors."""
    if isinstance(space, spaces.Discrete):
        return np.array([space.start]), np.array([space.start + space.n - 1])
    assert isinstance(space, spaces.Box)
    return space.low.ravel(), space.high.ravel()


def _moved(model: _core.Model, agents: int | None) -> spaces.Discrete:
    return spaces.Discrete(2)


def _entity_vision(model: _core.Model, agents: int | None) -> spaces.Box:
    shape = model.parts["entity_vision"].shape
    high = np.ones(shape, np.float32)
    high[..., len(model.item_names) :] = _agents_per_cell(json.loads(model.to_json()), agents)
    return spaces.Box(np.zeros(shape, np.float32), high)


def _inventory(model: _core.Model, agents: int | None) -> spaces.Box:
    return spaces.Box(0.0, 2.0**64, (len(model.item_names),), np.float32)


def _heard(model: _core.Model, agents: int | None) -> spaces.Box:
    # oneself is not heard; but others divide by the difference
    most = np.inf if agents is None else max(1.0, agents - 1.0)
    return spaces.Box(0.0, most, model.parts["heard"].shape, np.float32)


def _task(model: _core.Model, agents: int | None) -> spaces.Box:
    largest = np.finfo(np.float32).max  # any number can be a weight; infinity makes others warn
    return spaces.Box(-largest, largest, (len(model.item_names),), np.float32)


def _image(model: _core.Model, layout: Layout) -> spaces.Box:
    assert layout.image is not None
    return spaces.Box(0, 255, layout.image.shape(model.vision_shape), np.uint8)


def _item_vision(model: _core.Model, agents: int | None) -> spaces.Box:
    return spaces.Box(0.0, 1.0, model.parts["item_vision"].shape, np.float32)


def _vision(model: _core.Model, agents: int | None) -> spaces.Box:
    config = json.loads(model.to_json())
    items = np.asarray(model.item_colors, float).reshape(-1, model.color_dimensions)
    own = _of_bodies(config, "color", model.color_dimensions)
    # a cell shows a fraction of what it holds, possibly nothing
    low, high = _cell_bounds(items, own, _agents_per_cell(config, agents))
    shape = model.parts["vision"].shape
    return _box(np.broadcast_to(low, shape), np.broadcast_to(high, shape))


def _scent(model: _core.Model, agents: int | None) -> spaces.Box:
    config = json.loads(model.to_json())
    items = np.array(
        [
            _vector(item.get("scent"), model.scent_dimensions)
            for item in (config.get("items") or {}).values()
        ]
    ).reshape(-1, model.scent_dimensions)
    own = _of_bodies(config, "scent", model.scent_dimensions)
    low, high = _cell_bounds(items, own, _agents_per_cell(config, agents))
    # at most all cells hold the strongest source forever; then S = C + (decay + 4 diffusion) S
    decay, diffusion = float(config["scent_decay"]), float(config["scent_diffusion"])
    if decay < 0 or diffusion < 0:
        high = np.maximum(high, -low)
        low = -high
    keeps = abs(decay) + 4 * abs(diffusion)
    # what the sums leave out, and rounding, stay far below a thousandth
    margin = 1e-3 * max(float(np.abs(some).max(initial=0.0)) for some in (items, own))
    low = np.where(low < 0, low / (1 - keeps), 0.0) - margin
    high = np.where(high > 0, high / (1 - keeps), 0.0) + margin
    return _box(low, high)


def _box(low: NDArray[np.float64], high: NDArray[np.float64]) -> spaces.Box:
    # without any color or scent: from 0 to 1, as others divide by the difference
    high = np.where(low == high, low + 1, high)
    return spaces.Box(_outwards(low, -np.inf), _outwards(high, np.inf), dtype=np.float32)


def _vector(values: Any, length: int) -> NDArray[np.float64]:
    return np.zeros(length) if values is None else np.asarray(values, np.float64)


def _of_bodies(config: dict[str, Any], key: str, length: int) -> NDArray[np.float64]:
    """(bodies, length) the colors or scents of agents, that of `agent` first."""
    bodies = [config["agent"], *(config.get("bodies") or {}).values()]
    return np.array([_vector(body.get(key), length) for body in bodies])


def _agents_per_cell(config: dict[str, Any], agents: int | None) -> float:
    if config.get("collision", "first") != "allow":
        return 1.0
    return np.inf if agents is None else float(agents)


def _cell_bounds(
    items: NDArray[np.float64], bodies: NDArray[np.float64], agents: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the most that one cell can hold; it may be empty."""
    low, least = items.min(axis=0, initial=0.0), bodies.min(axis=0, initial=0.0)
    high, most = items.max(axis=0, initial=0.0), bodies.max(axis=0, initial=0.0)
    with np.errstate(invalid="ignore"):  # infinitely many agents without a color: 0 * inf
        low = low + np.where(least < 0, agents * least, 0.0)
        high = high + np.where(most > 0, agents * most, 0.0)
    return low, high


def _outwards(values: NDArray[np.float64], towards: float) -> NDArray[np.float32]:
    """The nearest float32 that cuts nothing off; exact values stay as they are."""
    rounded = values.astype(np.float32)
    cuts = rounded > values if towards < 0 else rounded < values
    out: NDArray[np.float32] = np.where(cuts, np.nextafter(rounded, np.float32(towards)), rounded)
    return out


_SPACES: dict[str, Callable[[_core.Model, int | None], spaces.Space[Any]]] = {
    "vision": _vision,
    "scent": _scent,
    "item_vision": _item_vision,
    "entity_vision": _entity_vision,
    "inventory": _inventory,
    "task": _task,
    "heard": _heard,
    "moved": _moved,
}
