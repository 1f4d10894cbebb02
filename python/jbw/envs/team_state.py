# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What all agents of a world know together, in one array: for critics that see everything.

A row for each seat, one after the other, zeros if nobody is there:

    1 | the observation, flat | x, y from the middle of all agents | direction | body | inventory

Direction and body are one-hot; the body of `agent` comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.layout import Layout
from jbw.envs.spaces import layout_space

DIRECTIONS = ("up", "right", "down", "left")
FARTHEST = 2.0**52  # more than the width of a world


def state_space(model: _core.Model, layout: Layout, seats: int, agents: int | None) -> spaces.Box:
    """The space of (seats * features)."""
    seen = layout_space(model, replace(layout, form="flat"), agents)
    assert isinstance(seen, spaces.Box)
    known = len(DIRECTIONS) + len(model.bodies) + 1
    items = len(model.item_names)
    low: list[Any] = [[0], seen.low, [-FARTHEST] * 2, [0] * (known + items)]
    high: list[Any] = [[1], seen.high, [FARTHEST] * 2, [1] * known, [2.0**64] * items]
    ends = (np.concatenate(end, dtype=np.float32) for end in (low, high))
    first, last = (np.tile(end, seats) for end in ends)
    # an empty seat is zero
    return spaces.Box(np.minimum(first, 0), np.maximum(last, 0), dtype=np.float32)


def team_state(
    space: spaces.Box,
    seats: int,
    members: Mapping[int, tuple[_core.Agent, Any]],
    bodies: tuple[str, ...],
) -> NDArray[np.float32]:
    """The rows of agents and their observations, by seat."""
    rows = np.zeros((seats, space.shape[0] // max(seats, 1)), np.float32)
    if not members:
        return rows.ravel()
    places = np.array([agent.position for agent, _ in members.values()], np.int64)
    middle = np.floor(places.astype(np.float64).mean(axis=0)).astype(np.int64)
    for (seat, (agent, observation)), place in zip(members.items(), places, strict=True):
        values = observation.values() if isinstance(observation, Mapping) else [observation]
        body = np.zeros(len(bodies) + 1, np.float32)
        body[0 if agent.body is None else bodies.index(agent.body) + 1] = 1
        direction = [agent.direction == name for name in DIRECTIONS]
        seen = [np.ravel(value) for value in values]
        rows[seat] = np.concatenate(
            [[1], *seen, place - middle, direction, body, agent.inventory], dtype=np.float32
        )
    return rows.ravel()
