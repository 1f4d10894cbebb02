# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Draws the surroundings of an agent as pixels and as text. Drawing generates nothing: unknown
cells stay blank, and cells that may still change are dimmed."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jbw import _core

PAPER = np.array([252, 250, 247], np.uint8)
INK = np.array([24, 24, 28], np.uint8)
FIELD = np.array([150, 160, 190], np.uint8)
UNKNOWN = np.array([170, 170, 176], np.uint8)

ARROWS = {"up": "^", "right": ">", "down": "v", "left": "<"}


class Surroundings(NamedTuple):
    """A rectangle of cells as on paper: row 0 has the highest y."""

    items: NDArray[np.uint8]
    """(height, width): 0 is empty, otherwise the item type plus one."""
    states: NDArray[np.uint8]
    """(height, width): 0 unknown, 1 may still change, 2 final."""
    agents: Sequence[tuple[int, int, str]]
    """(row, column, direction) of every agent in sight."""


def surroundings(
    world: _core.World, center: tuple[int, int], size: tuple[int, int]
) -> Surroundings:
    """The (width, height) cells around a cell."""
    width, height = size
    left, bottom = center[0] - width // 2, center[1] - height // 2
    items = world.items(left, bottom, width, height)[::-1]
    states = world.patch_states(left, bottom, width, height)[::-1]
    agents = []
    for agent in world.agents:
        column, row = agent.position[0] - left, height - 1 - (agent.position[1] - bottom)
        if 0 <= column < width and 0 <= row < height:
            agents.append((row, column, agent.direction))
    return Surroundings(items, states, agents)


def item_symbols(names: Sequence[str]) -> list[str]:
    """A letter for each item, from its name if possible."""
    symbols: list[str] = []
    taken = set("v")  # the agent that looks down
    for name in names:
        wanted = name[:1].upper() + name[:1].lower() + name.upper() + name.lower()
        spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        symbol = next((c for c in wanted + spare if c.isalnum() and c not in taken), "*")
        taken.add(symbol)
        symbols.append(symbol)
    return symbols


def item_rgb(model: _core.Model) -> NDArray[np.uint8]:
    """(item types, 3): the items' own colors if they have three components, else distinct ones."""
    count = len(model.item_names)
    if model.color_dimensions == 3:
        colors = np.asarray(model.item_colors, float).reshape(count, 3)
    else:
        hues = [(0.03 + 0.618034 * i) % 1.0 for i in range(count)]
        colors = np.array([colorsys.hsv_to_rgb(hue, 0.75, 0.8) for hue in hues]).reshape(count, 3)
    rgb: NDArray[np.uint8] = np.round(255 * np.clip(colors, 0.0, 1.0)).astype(np.uint8)
    return rgb


class Renderer:
    """Draws worlds of one model. `size` is (width, height) in cells, `scale` pixels per cell."""

    def __init__(
        self, model: _core.Model, size: tuple[int, int] = (41, 41), scale: int = 12
    ) -> None:
        width, height = (int(length) for length in size)
        if width < 1 or height < 1 or int(scale) < 1:
            raise ValueError(f"render_size is {size} and render_scale {scale}, expected at least 1")
        self.size = (width, height)
        self.scale = int(scale)
        self.vision_range = model.vision_range
        self.item_names = model.item_names
        self.symbols = item_symbols(model.item_names)
        self.rgb = item_rgb(model)

    def picture(self, world: _core.World, center: tuple[int, int]) -> NDArray[np.uint8]:
        """uint8 (height * scale, width * scale, 3), with a frame around what the agent sees."""
        seen = surroundings(world, center, self.size)
        palette = np.vstack([PAPER[np.newaxis], self.rgb])
        cells = palette[seen.items].astype(np.float64)
        cells[seen.states == 1] = 0.55 * cells[seen.states == 1] + 0.45 * 205
        cells[seen.states == 0] = UNKNOWN
        scale = self.scale
        pixels = cells.astype(np.uint8).repeat(scale, axis=0).repeat(scale, axis=1)
        self._frame(pixels)
        for row, column, direction in seen.agents:
            block = pixels[row * scale : (row + 1) * scale, column * scale : (column + 1) * scale]
            block[_arrow(scale, direction)] = INK
        return pixels

    def _frame(self, pixels: NDArray[np.uint8]) -> None:
        """A thin line around the square that the agent in the middle can see."""
        width, height = self.size
        middle_row, middle_column = height - 1 - height // 2, width // 2
        top = max(middle_row - self.vision_range, 0) * self.scale
        bottom = min(middle_row + self.vision_range + 1, height) * self.scale - 1
        left = max(middle_column - self.vision_range, 0) * self.scale
        right = min(middle_column + self.vision_range + 1, width) * self.scale - 1
        if self.scale < 3:
            return  # a line would hide the cells
        pixels[top, left : right + 1] = FIELD
        pixels[bottom, left : right + 1] = FIELD
        pixels[top : bottom + 1, left] = FIELD
        pixels[top : bottom + 1, right] = FIELD

    def rows(self, world: _core.World, center: tuple[int, int]) -> list[str]:
        """The same as text, a character per cell: '.' is empty, ' ' unknown, '^' an agent."""
        seen = surroundings(world, center, self.size)
        letters = np.array([".", *self.symbols])
        cells = letters[seen.items]
        cells[seen.states == 0] = " "
        for row, column, direction in seen.agents:
            cells[row, column] = ARROWS[direction]
        return ["".join(row) for row in cells]

    def text(self, world: _core.World, agent: _core.Agent) -> str:
        """The same in color for a terminal, with a line about the agent below."""
        colors = {
            symbol: f"\x1b[38;2;{red};{green};{blue}m{symbol}\x1b[0m"
            for symbol, (red, green, blue) in zip(self.symbols, self.rgb, strict=True)
        }
        for arrow in ARROWS.values():
            colors[arrow] = f"\x1b[1m{arrow}\x1b[0m"
        lines = [
            "".join(colors.get(letter, letter) for letter in row)
            for row in self.rows(world, agent.position)
        ]
        carried = ", ".join(f"{count} {name}" for name, count in agent.items.items()) or "nothing"
        lines.append(
            f"time {world.time}, at {agent.position}, facing {agent.direction}, carrying {carried}"
        )
        return "\n".join(lines) + "\n"


def _arrow(scale: int, direction: str) -> NDArray[np.bool_]:
    """(scale, scale): a triangle that points in a direction."""
    y, x = (np.indices((scale, scale)) + 0.5) / scale
    if scale < 5:
        return np.ones((scale, scale), np.bool_)
    up: NDArray[np.bool_] = (np.abs(x - 0.5) <= 0.45 * (y - 0.05) / 0.9) & (y <= 0.95)
    turns = {"up": 0, "left": 1, "down": 2, "right": 3}[direction]
    return np.rot90(up, turns)
