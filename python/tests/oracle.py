# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What the paper says, as plainly as NumPy can say it.

Vision is two loops over the cells of the visual field, scent is the diffusion equation on a whole
grid, one step at a time, and rewards are functions. Nothing here is fast, and nothing here knows
how the library does it. Generating a map is left out: the oracle is told which items there are.

    frame of vision (R = 1)         the same for an agent that faces right
      ahead, left .. ahead, right        (x+1,y+1) (x+1,y) (x+1,y-1)
      left  ..  itself  ..  right        (x  ,y+1) (x  ,y) (x  ,y-1)
      behind                             (x-1,y+1) (x-1,y) (x-1,y-1)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]

UP, RIGHT, DOWN, LEFT = range(4)

#: (ahead x, ahead y, right-hand x, right-hand y) of each direction; x grows to the right, y up
AXES = {
    UP: (0, 1, 1, 0),
    RIGHT: (1, 0, 0, -1),
    DOWN: (0, -1, -1, 0),
    LEFT: (-1, 0, 0, 1),
}


@dataclass
class Item:
    """An item type."""

    name: str
    color: NDArray[np.float64]
    scent: NDArray[np.float64]
    occlusion: float = 0.0
    blocks: bool = False
    collectable: bool = True
    requires: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Agent:
    """An agent as the oracle knows it."""

    position: Cell
    direction: int
    start: Cell
    inventory: dict[str, int] = field(default_factory=dict)
    active: bool = True


@dataclass
class Step:
    """One agent's part in one step: what rewards look at."""

    time: int
    action: str | None
    collected: str | None
    start: Cell
    before: Cell
    after: Cell


# ----------------------------------------------------------------------------------------------
# vision


def overlap(center: float, half: float, other_center: float, other_half: float) -> float:
    """What two arcs of a circle have in common, each a centre and half a length, in radians."""
    if half >= math.pi:
        return 2 * min(other_half, math.pi)
    if other_half >= math.pi:
        return 2 * half
    total = 0.0
    for turn in (-2 * math.pi, 0.0, 2 * math.pi):
        low = max(center - half, other_center + turn - other_half)
        high = min(center + half, other_center + turn + other_half)
        total += max(0.0, high - low)
    return total


def arc(ahead: int, right: int) -> tuple[float, float]:
    """Centre and half-length of the arc that a cell covers; straight ahead is zero."""
    distance = math.hypot(ahead, right)
    return math.atan2(right, ahead), math.asin(1 / (2 * distance))


def vision(
    position: Cell,
    direction: int,
    items: Mapping[Cell, Item],
    agents: Iterable[Cell],
    agent_color: NDArray[np.float64],
    vision_range: int,
    field_of_view: float = 360.0,
    occlusion: bool = False,
) -> NDArray[np.float64]:
    """What an agent sees: (2R + 1, 2R + 1, colours)."""
    reach = vision_range
    side = 2 * reach + 1
    ahead_x, ahead_y, right_x, right_y = AXES[direction]

    def cell(ahead: int, right: int) -> Cell:
        return (
            position[0] + ahead * ahead_x + right * right_x,
            position[1] + ahead * ahead_y + right * right_y,
        )

    standing: dict[Cell, int] = {}
    for place in agents:
        standing[place] = standing.get(place, 0) + 1

    span = range(-reach, reach + 1)
    square = [(ahead, right) for ahead in span for right in span]
    out = np.zeros((side, side, len(agent_color)))
    for ahead, right in square:
        there = cell(ahead, right)
        color = np.zeros(len(agent_color))
        if there in items:
            color += items[there].color
        color += standing.get(there, 0) * agent_color

        part = 1.0
        if (ahead, right) != (0, 0):
            center, half = arc(ahead, right)
            part *= overlap(0.0, math.radians(field_of_view) / 2, center, half) / (2 * half)
            if occlusion:
                hidden = 0.0
                for other_ahead, other_right in square:
                    item = items.get(cell(other_ahead, other_right))
                    is_nearer = other_ahead**2 + other_right**2 < ahead**2 + right**2
                    if item is None or (other_ahead, other_right) == (0, 0) or not is_nearer:
                        continue
                    shared = overlap(*arc(other_ahead, other_right), center, half)
                    hidden += item.occlusion * shared / (2 * half)
                part *= max(1 - hidden, 0.0)
        out[reach - ahead, right + reach] = color * part
    return out


# -----------------------------------------------------------------------------------------------
# scent


def spread(scent: NDArray[np.float64], decay: float, diffusion: float) -> NDArray[np.float64]:
    """One step without sources. `scent` is (x, y, dimensions), and zero beyond its edge."""
    out = decay * scent
    out[1:] += diffusion * scent[:-1]
    out[:-1] += diffusion * scent[1:]
    out[:, 1:] += diffusion * scent[:, :-1]
    out[:, :-1] += diffusion * scent[:, 1:]
    return out


def steady(
    sources: NDArray[np.float64], decay: float, diffusion: float, tolerance: float = 1e-7
) -> NDArray[np.float64]:
    """What the equation comes to when the same sources have always been there."""
    scent = sources.copy()
    while True:
        new = sources + spread(scent, decay, diffusion)
        change = np.abs(new - scent).max(initial=0.0)
        scent = new
        if change <= tolerance * (1 - abs(decay) - 4 * abs(diffusion)):
            return scent


class Scent:
    """The scent of a square of cells around the origin, simulated step by step.

    The world is older than the simulation: what was generated has always been there and
    contributes its steady state. Everything else (agents, what was placed, dropped, collected or
    removed) is a difference from that, begins at time zero with nothing, and follows the equation.
    """

    def __init__(self, extent: int, dimensions: int, decay: float, diffusion: float) -> None:
        self.extent = extent
        self.decay = decay
        self.diffusion = diffusion
        side = 2 * extent
        self.before = np.zeros((side, side, dimensions))  # the differences, one step ago
        self.sources = np.zeros_like(self.before)  # of the differences, now
        self._generated = np.zeros_like(self.before)
        self._steady = np.zeros_like(self.before)

    def advance(self) -> None:
        """The clock ticks: what is now will be the past."""
        self.before = self.differences()

    def differences(self) -> NDArray[np.float64]:
        return self.sources + spread(self.before, self.decay, self.diffusion)

    def set_generated(self, generated: NDArray[np.float64]) -> None:
        """Sources that have always been there: (x, y, dimensions)."""
        if not np.array_equal(generated, self._generated):
            self._generated = generated
            self._steady = steady(generated, self.decay, self.diffusion)

    def at(self, cell: Cell) -> NDArray[np.float64]:
        x, y = cell[0] + self.extent, cell[1] + self.extent
        found: NDArray[np.float64] = (self._steady + self.differences())[x, y]
        return found


# ---------------------------------------------------------------------------------------------
# rewards

# A reward is a tuple whose first part is its name: ("Collect", item, value), ("And", a, b, ...),
# ("Cyclical", (a, steps), (b, steps), ...).
Reward = tuple[Any, ...]


def pay(reward: Reward, step: Step) -> float:
    """What a reward pays for a step."""
    match reward:
        case ("Zero",):
            return 0.0
        case ("Action", value):
            return value if step.action not in (None, "NoOp") else 0.0
        case ("Collect", item, value):
            return value if step.collected == item else 0.0
        case ("Avoid", item, value):
            return -value if step.collected == item else 0.0
        case ("Explore", value):
            return (
                value
                if _squared(step.start, step.after) > _squared(step.start, step.before)
                else 0.0
            )
        case ("And", *parts):
            total = 0.0
            for part in parts:
                total += pay(part, step)
            return total
        case ("Fixed", only):
            return pay(only, step)
        case ("Curriculum", *stages):
            time = step.time
            for part, steps in stages:
                if time < steps:
                    return pay(part, step)
                time -= steps
            return pay(stages[-1][0], step)
        case ("Cyclical", *stages):
            time = step.time % sum(steps for _, steps in stages)
            for part, steps in stages:
                if time < steps:
                    return pay(part, step)
                time -= steps
    raise ValueError(f"no such reward: {reward}")


def text(reward: Reward) -> str:
    """The same reward in the language of the library."""
    match reward:
        case ("Zero",):
            return "Zero"
        case ("Action" | "Explore" as name, value):
            return f"{name}[{value!r}]"
        case ("Collect" | "Avoid" as name, item, value):
            return f"{name}[{item}, {value!r}]"
        case ("And", *parts):
            return " & ".join(f"({text(part)})" for part in parts)
        case ("Fixed", only):
            return f"Fixed[{text(only)}]"
        case (name, *stages):
            return f"{name}[{', '.join(f'({text(part)}, {steps})' for part, steps in stages)}]"
    raise ValueError(f"no such reward: {reward}")


def _squared(a: Cell, b: Cell) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


# -----------------------------------------------------------------------------------------------
# steps

TURNS = {"TurnLeft": -1, "TurnRight": 1, "TurnAround": 2}
MOVES = {"MoveForward": (1, 0), "MoveBackward": (-1, 0), "MoveLeft": (0, -1), "MoveRight": (0, 1)}


class World:
    """Agents and items over a generated map that somebody else provides.

    `changes` holds, for every cell that is not as it was generated: what was generated there, and
    what is there now (item names, None for nothing).
    """

    def __init__(
        self, items: Sequence[Item], collision: str = "first", collection: str = "automatic"
    ) -> None:
        self.types = {item.name: item for item in items}
        self.collision = collision
        self.collection = collection
        self.time = 0
        self.agents: dict[Any, Agent] = {}
        self.generated: Mapping[Cell, str] = {}
        self.changes: dict[Cell, tuple[str | None, str | None]] = {}

    def item(self, cell: Cell) -> str | None:
        if cell in self.changes:
            return self.changes[cell][1]
        return self.generated.get(cell)

    def set_item(self, cell: Cell, name: str | None) -> None:
        was = self.changes[cell][0] if cell in self.changes else self.generated.get(cell)
        self.changes[cell] = (was, name)

    def step(self, requests: Sequence[tuple[Any, str]]) -> dict[Any, Step]:
        """Takes a step: (agent, action) in the order in which they were asked for."""
        before = {key: agent.position for key, agent in self.agents.items()}
        moved = self._move(requests)
        for key, action in requests:
            if action in TURNS:
                agent = self.agents[key]
                agent.direction = (agent.direction + TURNS[action]) % 4

        collected: dict[Any, str] = {}
        for key, action in requests:
            enters = key in moved and self.collection == "automatic"
            if enters or action == "Collect":
                name = self._collect(self.agents[key])
                if name is not None:
                    collected[key] = name
        for key, action in requests:
            if action.startswith("Drop["):
                self._drop(self.agents[key], action[5:-1])

        asked = dict(requests)
        steps = {
            key: Step(
                self.time,
                asked.get(key),
                collected.get(key),
                agent.start,
                before[key],
                agent.position,
            )
            for key, agent in self.agents.items()
        }
        self.time += 1
        return steps

    def _move(self, requests: Sequence[tuple[Any, str]]) -> set[Any]:
        targets: dict[Any, Cell] = {}
        for key, action in requests:
            if action in MOVES:
                agent = self.agents[key]
                ahead, right = MOVES[action]
                ahead_x, ahead_y, right_x, right_y = AXES[agent.direction]
                x, y = agent.position
                target = (
                    x + ahead * ahead_x + right * right_x,
                    y + ahead * ahead_y + right * right_y,
                )
                name = self.item(target)
                if name is None or not self.types[name].blocks:
                    targets[key] = target

        if self.collision == "first":
            winners: dict[Cell, Any] = {}
            for key, target in targets.items():  # in the order of requests
                winners.setdefault(target, key)
            targets = {key: target for target, key in winners.items()}
            while True:
                stays = {agent.position for key, agent in self.agents.items() if key not in targets}
                stuck = [key for key, target in targets.items() if target in stays]
                if not stuck:
                    break
                for key in stuck:
                    del targets[key]

        for key, target in targets.items():
            self.agents[key].position = target
        return set(targets)

    def _collect(self, agent: Agent) -> str | None:
        name = self.item(agent.position)
        if name is None or not self.types[name].collectable:
            return None
        item = self.types[name]
        for needed in (item.requires, item.costs):
            if any(agent.inventory.get(other, 0) < count for other, count in needed.items()):
                return None
        for other, count in item.costs.items():
            agent.inventory[other] -= count
        agent.inventory[name] = agent.inventory.get(name, 0) + 1
        self.set_item(agent.position, None)
        return name

    def _drop(self, agent: Agent, name: str) -> None:
        if self.item(agent.position) is None and agent.inventory.get(name, 0) > 0:
            agent.inventory[name] -= 1
            self.set_item(agent.position, name)
