# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Gymnasium's spaces of a world: what can be done, and what can be perceived at the most."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import ObservationForm, VisionKind


def action_space(model: _core.Model) -> spaces.Discrete:
    """The numbers of the actions, in the order in which the world lists them."""
    return spaces.Discrete(len(model.action_names))


def observation_space(
    model: _core.Model,
    observation: ObservationForm,
    vision: VisionKind,
    agents: int | None = 1,
) -> spaces.Space[Any]:
    """The space of one agent's observations.

    `agents` is how many there can be in a world, None if there is no telling. That matters where
    agents may share cells, since their colours and scents add up.
    """
    if observation == "vision":
        return _vision(model, vision, agents)
    if observation == "scent":
        if model.scent_dimensions == 0:
            raise ValueError('observation is "scent", but this world has no scent dimensions')
        return _scent(model, agents)

    parts: dict[str, spaces.Space[Any]] = {"vision": _vision(model, vision, agents)}
    if model.scent_dimensions > 0:
        parts["scent"] = _scent(model, agents)
    if observation == "dict":
        parts["moved"] = spaces.Discrete(2)
        return spaces.Dict(parts)

    low = [part.low.ravel() for part in parts.values() if isinstance(part, spaces.Box)]
    high = [part.high.ravel() for part in parts.values() if isinstance(part, spaces.Box)]
    return spaces.Box(
        np.concatenate([*low, np.zeros(1, np.float32)]),
        np.concatenate([*high, np.ones(1, np.float32)]),
        dtype=np.float32,
    )


def _vision(model: _core.Model, kind: VisionKind, agents: int | None) -> spaces.Box:
    side = model.vision_shape[0]
    if kind == "items":
        return spaces.Box(0.0, 1.0, (side, side, len(model.item_names)), np.float32)
    config = json.loads(model.to_json())
    items = np.asarray(model.item_colors, float).reshape(-1, model.color_dimensions)
    own = _vector(config["agent"].get("color"), model.color_dimensions)
    # a cell shows a part of what is there, possibly nothing
    low, high = _cell_bounds(items, own, _agents_per_cell(config, agents))
    shape = (side, side, model.color_dimensions)
    return _box(np.broadcast_to(low, shape), np.broadcast_to(high, shape))


def _scent(model: _core.Model, agents: int | None) -> spaces.Box:
    config = json.loads(model.to_json())
    items = np.array(
        [
            _vector(item.get("scent"), model.scent_dimensions)
            for item in (config.get("items") or {}).values()
        ]
    ).reshape(-1, model.scent_dimensions)
    own = _vector(config["agent"].get("scent"), model.scent_dimensions)
    low, high = _cell_bounds(items, own, _agents_per_cell(config, agents))
    # at worst all cells hold the strongest source for ever; then S = C + (decay + 4 diffusion) S
    decay, diffusion = float(config["scent_decay"]), float(config["scent_diffusion"])
    if decay < 0 or diffusion < 0:
        high = np.maximum(high, -low)
        low = -high
    keeps = abs(decay) + 4 * abs(diffusion)
    # what is left out of the sums, and rounding, stays far below a thousandth
    margin = 1e-3 * float(np.maximum(np.abs(items), np.abs(own)).max(initial=0.0))
    low = np.where(low < 0, low / (1 - keeps), 0.0) - margin
    high = np.where(high > 0, high / (1 - keeps), 0.0) + margin
    return _box(low, high)


def _box(low: NDArray[np.float64], high: NDArray[np.float64]) -> spaces.Box:
    # where nothing has any colour or scent: from 0 to 1, as others divide by the difference
    high = np.where(low == high, low + 1, high)
    return spaces.Box(_outwards(low, -np.inf), _outwards(high, np.inf), dtype=np.float32)


def _vector(values: Any, length: int) -> NDArray[np.float64]:
    return np.zeros(length) if values is None else np.asarray(values, np.float64)


def _agents_per_cell(config: dict[str, Any], agents: int | None) -> float:
    if config.get("collision", "first") != "allow":
        return 1.0
    return np.inf if agents is None else float(agents)


def _cell_bounds(
    items: NDArray[np.float64], agent: NDArray[np.float64], agents: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the most that one cell can hold, nothing included."""
    low = items.min(axis=0, initial=0.0)
    high = items.max(axis=0, initial=0.0)
    with np.errstate(invalid="ignore"):  # none of infinitely many agents has a colour: 0 * inf
        low = low + np.where(agent < 0, agents * agent, 0.0)
        high = high + np.where(agent > 0, agents * agent, 0.0)
    return low, high


def _outwards(values: NDArray[np.float64], towards: float) -> NDArray[np.float32]:
    """The nearest float32 that does not cut anything off; exact values stay as they are."""
    rounded = values.astype(np.float32)
    cuts = rounded > values if towards < 0 else rounded < values
    out: NDArray[np.float32] = np.where(cuts, np.nextafter(rounded, np.float32(towards)), rounded)
    return out
