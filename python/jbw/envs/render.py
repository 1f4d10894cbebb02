# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The surroundings of an agent as pixels, drawn by `World.picture`, and as text. Drawing generates
nothing: unknown cells stay blank, and cells that may still change are dimmed."""

from __future__ import annotations

import colorsys
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import Payment

TRAIL, REWARDS = 400, 2000  # steps that a picture shows

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


class History:
    """What is known about an agent's latest steps: those after which it was drawn."""

    def __init__(self, life: tuple[int, int]) -> None:
        self.life = life
        self.time = -1
        self.places: deque[tuple[int, int]] = deque(maxlen=TRAIL)
        self.rewards: deque[float] = deque(maxlen=REWARDS)

    def note(self, time: int, agent: _core.Agent, payment: Payment | None) -> None:
        """Adds the latest step. If steps were left out, the rewards begin again."""
        if time == self.time:
            return
        if time != self.time + 1:
            self.rewards.clear()
        elif payment is not None and time > 0:
            compiled = payment.compiled
            self.rewards.append(compiled.of(agent) if compiled else payment.ask(agent))
        self.places.append(agent.position)
        self.time = time


class Renderer:
    """Draws worlds of one model. `size` is (width, height) in cells, `scale` pixels per cell."""

    def __init__(
        self,
        model: _core.Model,
        size: tuple[int, int] = (41, 31),
        scale: int = 16,
        panel: bool = False,
    ) -> None:
        width, height = (int(length) for length in size)
        if width < 1 or height < 1 or int(scale) < 1:
            raise ValueError(f"render_size is {size} and render_scale {scale}, expected at least 1")
        self.size = (width, height)
        self.scale = int(scale)
        self.panel = bool(panel)
        self.item_names = model.item_names
        self.symbols = item_symbols(model.item_names)
        self.rgb = item_rgb(model)
        self._histories: dict[int, History] = {}

    def picture(
        self,
        world: _core.World,
        agent: _core.Agent | None,
        payment: Payment | None = None,
        slot: int = 0,
    ) -> NDArray[np.uint8]:
        """uint8 (height, width, 3): the map around an agent, or the origin, and perhaps the panel.

        Pictures of the same `slot` that follow one another show the agent's trail and its rewards.
        """
        width, height = self.size
        x, y = agent.position if agent is not None else (0, 0)
        region = (x - width // 2, y - height // 2, width, height)
        if agent is None:
            return world.picture(region, scale=self.scale)
        history = self._histories.get(slot)
        life = (world.seed, agent.id)
        if history is None or history.life != life or world.time < history.time:
            history = self._histories[slot] = History(life)
        history.note(world.time, agent, payment)
        return world.picture(
            region,
            scale=self.scale,
            agent=agent,
            panel=self.panel,
            trail=list(history.places),
            fade=TRAIL,
            rewards=None if payment is None else list(history.rewards),
        )

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
