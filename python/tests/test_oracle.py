# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The library against `oracle`, which is the paper in plain NumPy, through whatever hypothesis
comes up with.

Vision must agree to 1e-5, scent to 1e-4 times the strongest component, positions, inventories and
rewards exactly.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy.typing import NDArray

import jbw

EXTENT = 80  # cells around the origin in which scent is simulated
DIRECTIONS = ("up", "right", "down", "left")

ACTIONS = [
    "MoveForward",
    "MoveBackward",
    "MoveLeft",
    "MoveRight",
    "TurnLeft",
    "TurnRight",
    "TurnAround",
    "Collect",
    "Drop[JellyBean]",
    "NoOp",
]

ITEMS: dict[str, dict[str, Any]] = {
    "JellyBean": {"color": [0.8, 0.25, 0.2], "scent": [1.0, 0.25], "intensity": "Constant[-1.5]"},
    "Onion": {"color": [0.7, 0.0, 1.0], "scent": [-0.5, 1.5], "intensity": "Constant[-2]"},
    "Wall": {
        "color": [0.25, 0.5, 0.75],
        "occlusion": 1.0,
        "blocks_movement": True,
        "collectable": False,
        "intensity": "Constant[-2.5]",
    },
    "Tree": {
        "color": [0.0, 0.5, 0.0],
        "scent": [0.0, 0.5],
        "occlusion": 0.3,
        "intensity": "Constant[-2.5]",
        "interactions": {"Tree": "PiecewiseBox[3, 10, 0.5, -0.5]"},
        "requires": {"JellyBean": 1},
        "costs": {"Onion": 1},
    },
}

BASE: dict[str, Any] = {
    "color_dimensions": 3,
    "scent_dimensions": 2,
    "patch_size": 24,
    "mh_iterations": 3000,
    "scent_decay": 0.2,
    "scent_diffusion": 0.05,
    "agent": {
        "color": [0.125, 0.0, 0.25],
        "scent": [0.25, -0.5],
        "vision_range": 3,
        "actions": ACTIONS,
    },
    "items": ITEMS,
}


def variant(**agent: Any) -> dict[str, Any]:
    world = copy.deepcopy(BASE)
    for key in ("collision", "collection", "scent_decay", "scent_diffusion", "patch_size"):
        if key in agent:
            world[key] = agent.pop(key)
    world["agent"].update(agent)
    return world


WORLDS = [
    BASE,
    variant(field_of_view=90, visual_occlusion=True, vision_range=4),
    variant(field_of_view=200, visual_occlusion=True, collision="allow"),
    variant(field_of_view=359, collection="manual", vision_range=2),
    variant(field_of_view=1, visual_occlusion=True),
    # the paper's decay and diffusion, which reach far
    variant(scent_decay=0.4, scent_diffusion=0.14, patch_size=32, visual_occlusion=True),
    # scent that changes its sign as it fades
    variant(scent_decay=-0.3, scent_diffusion=0.05),
]


def items_of(world: dict[str, Any]) -> list[oracle.Item]:
    return [
        oracle.Item(
            name,
            np.array(item["color"]),
            np.array(item.get("scent", [0.0, 0.0])),
            item.get("occlusion", 0.0),
            item.get("blocks_movement", False),
            item.get("collectable", True),
            item.get("requires", {}),
            item.get("costs", {}),
        )
        for name, item in world["items"].items()
    ]


# ------------------------------------------------------------------------------------ strategies

VALUES = st.sampled_from([1.0, -1.0, 0.5, 0.1, -0.3, 2.0])
NAMES = st.sampled_from(list(ITEMS))
SIMPLE = st.one_of(
    st.tuples(st.just("Action"), VALUES),
    st.tuples(st.just("Explore"), VALUES),
    st.tuples(st.sampled_from(["Collect", "Avoid"]), NAMES, VALUES),
    st.just(("Zero",)),
)


def together(part: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    # sums within sums are laid flat, which would change the order of rounding: one level only
    return st.lists(part, min_size=2, max_size=3).map(lambda parts: ("And", *parts))


SUMS = st.one_of(SIMPLE, together(SIMPLE))
STAGES = st.lists(st.tuples(SUMS, st.integers(1, 6)), min_size=1, max_size=3)
SCHEDULES = st.one_of(
    SUMS,
    st.tuples(st.just("Fixed"), SUMS),
    STAGES.map(lambda stages: ("Curriculum", *stages)),
    STAGES.map(lambda stages: ("Cyclical", *stages)),
    st.lists(
        st.tuples(STAGES.map(lambda s: ("Cyclical", *s)), st.integers(1, 9)), min_size=1, max_size=2
    ).map(lambda stages: ("Curriculum", *stages)),
)
# something to be paid in every step, and something else in the next stage
BUSY = st.tuples(st.tuples(st.just("Action"), VALUES), SIMPLE).map(lambda parts: ("And", *parts))
CHANGING = st.tuples(
    st.sampled_from(["Curriculum", "Cyclical"]),
    st.lists(st.tuples(BUSY, st.integers(1, 4)), min_size=2, max_size=3),
).map(lambda parts: (parts[0], *parts[1]))
CELLS = st.tuples(st.integers(-6, 6), st.integers(-6, 6))


class Generated(Mapping[oracle.Cell, str]):
    """Generated items by cell, from an array [x, y] of 0 or item types plus one."""

    def __init__(self, cells: NDArray[np.int_], names: list[str]) -> None:
        self.cells = cells
        self.names = names

    def __getitem__(self, cell: oracle.Cell) -> str:
        number = int(self.cells[cell[0] + EXTENT, cell[1] + EXTENT])
        if number == 0:
            raise KeyError(cell)
        return self.names[number - 1]

    def __iter__(self) -> Iterator[oracle.Cell]:
        return ((int(x) - EXTENT, int(y) - EXTENT) for x, y in np.argwhere(self.cells))

    def __len__(self) -> int:
        return int(np.count_nonzero(self.cells))


class Lives(RuleBasedStateMachine):
    """Two worlds side by side: the library's, and the oracle's."""

    @initialize(
        config=st.sampled_from(WORLDS),
        seed=st.integers(0, 2**64 - 1),
        reward=st.one_of(CHANGING, SCHEDULES),
        agents=st.integers(1, 3),
    )
    def begin(self, config: dict[str, Any], seed: int, reward: oracle.Reward, agents: int) -> None:
        self.config = config
        self.world = jbw.World(config, seed=seed)
        self.reward_tree = reward
        self.reward = jbw.Reward(self.world.model, oracle.text(reward))
        self.types = items_of(config)
        self.twin = oracle.World(
            self.types, config.get("collision", "first"), config.get("collection", "automatic")
        )
        self.scent = oracle.Scent(EXTENT, 2, config["scent_decay"], config["scent_diffusion"])
        self.members: dict[int, jbw.Agent] = {}
        self.agent_color = np.array(config["agent"]["color"])
        self.agent_scent = np.array(config["agent"]["scent"])
        strongest = [*(item.scent for item in self.types), self.agent_scent]
        self.tolerance = 1e-4 * float(np.abs(strongest).max())
        for _ in range(agents):
            self._adopt(self.world.add_agent())
        self._look()

    def _adopt(self, agent: jbw.Agent) -> None:
        self.members[agent.id] = agent
        direction = DIRECTIONS.index(agent.direction)
        self.twin.agents[agent.id] = oracle.Agent(agent.position, direction, agent.position)

    def _look(self) -> None:
        """Tells the oracle what is generated by now, and what emits scent."""
        side = 2 * EXTENT
        cells = self.world.items(-EXTENT, -EXTENT, side, side).T.astype(int)  # [x, y]
        numbers = {name: number for number, name in enumerate(self.twin.types, 1)}
        # what was changed was generated as something else
        for (x, y), (was, now) in self.twin.changes.items():
            at = x + EXTENT, y + EXTENT
            assert cells[at] == numbers.get(now or "", 0), (x, y)
            cells[at] = numbers.get(was or "", 0)
        self.twin.generated = Generated(cells, list(self.twin.types))

        scents = np.array([[0.0, 0.0], *(item.scent for item in self.types)])
        self.scent.set_generated(scents[cells])
        sources = np.zeros((side, side, 2))
        for (x, y), (was, now) in self.twin.changes.items():
            change = scents[numbers.get(now or "", 0)] - scents[numbers.get(was or "", 0)]
            sources[x + EXTENT, y + EXTENT] += change
        for agent in self.twin.agents.values():
            x, y = agent.position
            sources[x + EXTENT, y + EXTENT] += self.agent_scent
        self.scent.sources = sources

    # ------------------------------------------------------------------------------------ rules

    @precondition(lambda self: self.members)
    @rule(data=st.data(), together=st.booleans())
    def act(self, data: st.DataObject, together: bool) -> None:
        order = data.draw(st.permutations(sorted(self.members)), label="order")
        actions = {
            key: data.draw(st.sampled_from(ACTIONS), label=f"action of {key}") for key in order
        }
        if together:
            # requests that are handed over together rank by the order of adding
            order = list(self.members)
            stepped = self.world.act({self.members[key]: actions[key] for key in order})
        else:
            stepped = [self.members[key].act(actions[key]) for key in order][-1]
        assert stepped
        self._compare_steps(self.twin.step([(key, actions[key]) for key in order]))

    @precondition(lambda self: self.members)
    @rule(data=st.data(), count=st.integers(1, 5))
    def walk(self, data: st.DataObject, count: int) -> None:
        """Everybody goes on, so that something is met on the way."""
        turn = data.draw(st.sampled_from(["MoveForward", "MoveLeft", "TurnRight"]))
        for action in [*["MoveForward"] * count, turn]:
            self.world.act(dict.fromkeys(self.members.values(), action))
            self._compare_steps(self.twin.step([(key, action) for key in self.members]))

    def _compare_steps(self, steps: dict[int, oracle.Step]) -> None:
        self.scent.advance()
        for key, member in self.members.items():
            expected, twin = steps[key], self.twin.agents[key]
            assert member.position == twin.position
            assert member.direction == DIRECTIONS[twin.direction]
            assert member.result.collected == expected.collected
            assert member.items == {name: count for name, count in twin.inventory.items() if count}
            assert self.reward.of(member) == oracle.pay(self.reward_tree, expected)
        assert self.world.time == self.twin.time
        self._look()

    @rule(cell=CELLS, direction=st.sampled_from(DIRECTIONS))
    def add_agent(self, cell: oracle.Cell, direction: Any) -> None:
        if len(self.members) >= 5:
            return
        try:
            agent = self.world.add_agent(cell, direction)
        except jbw.CellBlockedError:
            name = self.twin.item(cell)
            blocked = name is not None and self.twin.types[name].blocks
            taken = any(agent.position == cell for agent in self.twin.agents.values())
            assert blocked or (taken and self.twin.collision == "first")
            self._look()
            return
        self._adopt(agent)
        self._look()

    @precondition(lambda self: len(self.members) > 1)
    @rule(data=st.data())
    def remove_agent(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.members)))
        self.members.pop(key).remove()
        del self.twin.agents[key]
        self._look()

    @rule(cell=CELLS, name=NAMES)
    def edit(self, cell: oracle.Cell, name: str) -> None:
        """Places an item where there is none, and removes one where there is."""
        if self.world.patch_states(*cell, 1, 1)[0, 0] != 2:
            self.world.explore(cell)  # or the edit would make it final, and change what is there
            self._look()
        if self.twin.item(cell) is None:
            self.world.place(name, *cell)
            self.twin.set_item(cell, name)
        else:
            self.world.remove(*cell)
            self.twin.set_item(cell, None)
        self._look()

    # ------------------------------------------------------------------------------- comparisons

    @invariant()
    def perceptions_agree(self) -> None:
        if not hasattr(self, "world"):
            return
        agent = self.config["agent"]
        for key, member in self.members.items():
            twin = self.twin.agents[key]
            reach = range(-agent["vision_range"], agent["vision_range"] + 1)
            near = [(twin.position[0] + x, twin.position[1] + y) for x in reach for y in reach]
            there = {cell: self.twin.types[name] for cell in near if (name := self.twin.item(cell))}
            seen = oracle.vision(
                twin.position,
                twin.direction,
                there,
                [other.position for other in self.twin.agents.values()],
                self.agent_color,
                agent["vision_range"],
                agent.get("field_of_view", 360),
                agent.get("visual_occlusion", False),
            )
            np.testing.assert_allclose(member.vision, seen, rtol=0, atol=1e-5)
            smelled = self.scent.at(twin.position)
            np.testing.assert_allclose(member.scent, smelled, rtol=0, atol=self.tolerance)


Lives.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestLives = Lives.TestCase


# ----------------------------------------------------------------------- parts that need no machine


@pytest.mark.parametrize("degrees", [1, 60, 90, 180, 270, 359, 360])
def test_field_of_view(degrees: float) -> None:
    world = jbw.World(variant(field_of_view=degrees, vision_range=8))
    expected = np.ones((17, 17))
    for ahead in range(-8, 9):
        for right in range(-8, 9):
            if (ahead, right) != (0, 0):
                center, half = oracle.arc(ahead, right)
                part = oracle.overlap(0.0, np.radians(degrees) / 2, center, half) / (2 * half)
                expected[8 - ahead, 8 + right] = part
    np.testing.assert_allclose(world.model.field_of_view, expected, atol=1e-9)


@given(
    SCHEDULES,
    st.integers(0, 40),
    st.sampled_from([*ACTIONS, None]),
    st.one_of(st.none(), NAMES),
    CELLS,
    CELLS,
    CELLS,
)
@settings(deadline=None, database=None, max_examples=300)
def test_rewards(
    reward: oracle.Reward,
    time: int,
    action: str | None,
    collected: str | None,
    start: oracle.Cell,
    before: oracle.Cell,
    after: oracle.Cell,
) -> None:
    compiled = jbw.Reward(MODEL, oracle.text(reward))
    step = oracle.Step(time, action, collected, start, before, after)
    paid = compiled.evaluate(
        time,
        has_acted=action not in (None, "NoOp"),
        collected=collected,
        start=start,
        position_before=before,
        position=after,
    )
    assert paid == oracle.pay(reward, step)


MODEL = jbw.World(BASE).model


def test_scent_of_one_item_follows_the_equation() -> None:
    """An item in an empty world: it appears, spreads, vanishes and fades, everywhere alike."""
    config = variant(scent=[0.0, 0.0])
    for item in config["items"].values():
        item["intensity"] = "Constant[-100]"
    world = jbw.World(config, seed=1)
    world.add_agent((9, 9))
    world.explore_region(-24, -24, 48, 48)
    twin = oracle.Scent(40, 2, config["scent_decay"], config["scent_diffusion"])
    source = np.array(config["items"]["Onion"]["scent"])
    worst = 0.0
    for time in range(12):
        if time == 2:
            world.place("Onion", 0, 0)
            twin.sources[40, 40] = source
        if time == 6:
            world.remove(0, 0)
            twin.sources[40, 40] = 0
        for x in range(-4, 5):
            for y in range(-4, 5):
                worst = max(worst, float(np.abs(world.smell(x, y) - twin.at((x, y))).max()))
        world.step()
        twin.advance()
    assert worst <= 1.5e-4


def test_the_oracle_can_fail() -> None:
    """Slightly wrong oracles are told from the right one, somewhere."""
    config = variant(field_of_view=90, visual_occlusion=True, vision_range=6)
    types = items_of(config)
    differences = np.zeros(4)
    for seed in range(8):
        agent = jbw.World(config, seed=seed).add_agent()
        cells = agent.world.items(-10, -10, 20, 20)
        there = {(int(x) - 10, int(y) - 10): types[cells[y, x] - 1] for y, x in np.argwhere(cells)}
        place, color = agent.position, np.array(config["agent"]["color"])
        for i, (degrees, occlusion, direction) in enumerate(
            [(90, True, 0), (91, True, 0), (90, False, 0), (90, True, 1)]
        ):
            seen = oracle.vision(place, direction, there, [place], color, 6, degrees, occlusion)
            differences[i] = max(differences[i], np.abs(agent.vision - seen).max())
    assert differences[0] <= 1e-5
    assert differences[1:].min() > 1e-3
