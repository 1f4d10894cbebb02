# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds that change by themselves: seasons, items that grow back, rewards whose values change."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from small_worlds import SMALL

import jbw
from jbw.envs.registration import SEASONS

PERIOD = 120
PAGE = Path(__file__).resolve().parents[2] / "docs" / "changing_worlds.md"


def in_season(item: str, time: int) -> bool:
    """When beans and onions are there: beans over the end of the period, onions within it."""
    phase = time % PERIOD
    return {"JellyBean": phase >= 90 or phase < 50, "Onion": 50 <= phase < 110}.get(item, True)


def seasonal(generation: str = "frontier") -> dict[str, Any]:
    """SMALL with seasons for beans and onions."""
    world = copy.deepcopy(SMALL)
    world["generation"] = generation
    world["items"]["JellyBean"]["season"] = {"period": PERIOD, "from": 90, "to": 50}
    world["items"]["Onion"]["season"] = {"period": PERIOD, "from": 50, "to": 110}
    return world


def all_items(world: jbw.World, region: tuple[int, int, int, int]) -> Any:
    """What is in the cells of a region, in season or not."""
    planes = world.planes(*region)
    assert not np.any((planes.items > 0) & (planes.hidden > 0))
    return planes.items + planes.hidden


@pytest.mark.parametrize("generation", ["frontier", "invariant"])
def test_planes_and_cells(generation: str) -> None:
    region = (-12, -12, 24, 24)
    world = jbw.World(seasonal(generation), seed=5)
    world.explore((0, 0))
    cells = all_items(world, region)
    assert {1, 2, 3} <= set(cells.ravel())
    for _ in range(2 * PERIOD):
        planes = world.planes(*region)
        assert isinstance(planes, jbw.Planes) and planes.items.dtype == np.uint8
        there = np.array([0] + [in_season(name, world.time) for name in world.item_names])
        assert np.array_equal(planes.items, np.where(there[cells], cells, 0))
        assert np.array_equal(planes.hidden, np.where(there[cells], 0, cells))
        assert np.array_equal(planes.items, world.items(*region))
        assert np.array_equal(planes.states, world.patch_states(*region))
        for x, y in ((0, 0), (3, -2), (-7, 5)):
            cell = world.inspect(x, y)
            type_plus_one = int(cells[y + 12, x + 12])
            name = None if type_plus_one == 0 else world.item_names[type_plus_one - 1]
            hidden = name is not None and not in_season(name, world.time)
            assert cell == (name, hidden, True, None, False, None, None, 2, "")
        world.step()


def test_cells_that_were_changed() -> None:
    world = jbw.World(seasonal(), seed=5)
    world.explore((0, 0))
    rows, columns = np.nonzero(all_items(world, (-12, -12, 24, 24)) == 0)
    x, y = int(columns[0]) - 12, int(rows[0]) - 12
    for _ in range(60):  # beans are out of season
        world.step()
    world.place("JellyBean", x, y)
    cell = world.inspect(x, y)
    assert (cell.item, cell.hidden, cell.generated, cell.since) == ("JellyBean", True, False, 60)
    assert cell.since_known
    with pytest.raises(jbw.CellBlockedError):
        world.place("Wall", x, y)
    assert world.items(x, y, 1, 1)[0, 0] == 0
    world.remove(x, y)
    assert world.inspect(x, y).item is None
    far = jbw.World(seasonal(), seed=5).inspect(10**6, 0)
    assert far == (None, False, True, None, False, None, None, 0, "")
    with pytest.raises(jbw.OutOfRangeError):
        world.inspect(2**62, 0)
    with pytest.raises(jbw.OutOfRangeError):
        world.planes(2**62, 0, 1, 1)
    with pytest.raises(jbw.ArgumentError):
        world.planes(0, 0, -1, 1)
    assert all(plane.shape == (0, 3) for plane in world.planes(0, 0, 3, 0))


@pytest.mark.parametrize("generation", ["frontier", "invariant"])
def test_what_grows_back(generation: str) -> None:
    """A walker harvests; each harvested cell is growing until its time has come."""
    config = seasonal(generation)
    config["items"]["JellyBean"]["regrows"] = "Constant[30]"
    world = jbw.World(config, seed=5)
    agent = world.add_agent()
    due: dict[tuple[int, int], int] = {}
    for step in range(2 * PERIOD):
        agent.act("TurnLeft" if step % 9 == 8 else "MoveForward")
        due = {cell: time for cell, time in due.items() if time > world.time}
        if agent.result.collected == "JellyBean":
            due[agent.position] = world.time + 30
        x, y = agent.position
        planes = world.planes(x - 40, y - 40, 81, 81)
        rows, columns = np.nonzero(planes.growing)
        assert {
            (int(i) + x - 40, int(j) + y - 40) for i, j in zip(columns, rows, strict=True)
        } == set(due)
        assert not np.any((planes.items + planes.hidden)[planes.growing > 0])
        for cell, time in due.items():
            seen = world.inspect(*cell)
            assert (seen.item, seen.growing, seen.due) == (None, "JellyBean", time)
    assert agent.items["JellyBean"] > 1


def test_copies_agree_in_all_seasons(tmp_path: Path) -> None:
    config = seasonal("invariant")
    config["items"]["JellyBean"]["regrows"] = "Uniform[5, 50]"
    world = jbw.World(config, seed=9)
    agent = world.add_agent()
    for step in range(100):
        agent.act(step % 3)
    world.save(tmp_path / "world.jbw")
    others = [
        world.clone(),
        copy.deepcopy(world),
        pickle.loads(pickle.dumps(world)),
        jbw.World.load(tmp_path / "world.jbw"),
    ]
    for step in range(PERIOD):
        agent.act(step % 3)
        for other in others:
            twin = other.agent(agent.id)
            twin.act(step % 3)
            assert np.array_equal(twin.vision, agent.vision)
            assert np.array_equal(twin.scent, agent.scent)
    growing = world.planes(-40, -40, 80, 80).growing
    for other in others:
        assert np.array_equal(other.planes(-40, -40, 80, 80).growing, growing)
    assert {other.hash() for other in others} == {world.hash()}


def test_environments_agree_in_all_seasons() -> None:
    """One environment, one of three in a vector, and one agent of PettingZoo see the same."""
    config = seasonal()
    config["items"]["Onion"]["regrows"] = "Geometric[20]"
    reward = "Collect[JellyBean] & Collect[Onion, -0.5]"
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=config, reward=reward)
    envs = gymnasium.make_vec("jbw/JellyBeanWorld-v0", 3, world=config, reward=reward)
    many = jbw.parallel_env(world=config, agents=1, reward=reward)
    one, _ = env.reset(seed=4)
    three, _ = envs.reset(seed=[3, 4, 5])
    several, _ = many.reset(seed=4)
    generator = np.random.default_rng(1)
    changes = set()
    for _ in range(2 * PERIOD):
        for name in ("vision", "scent"):
            assert np.array_equal(one[name], three[name][1])
            assert np.array_equal(one[name], several["agent_0"][name])
        actions = generator.integers(0, 3, 3)
        one, paid, *_ = env.step(actions[1])
        three, rewards, *_ = envs.step(actions)
        several, payments, *_ = many.step({"agent_0": actions[1]})
        assert paid == rewards[1] == payments["agent_0"]
        changes.add(float(paid))
    assert changes == {0.0, 1.0, -0.5}
    restored = pickle.loads(pickle.dumps(env.unwrapped))
    for _ in range(PERIOD):
        action = int(generator.integers(0, 3))
        first, second = env.step(action), restored.step(action)
        assert np.array_equal(first[0]["vision"], second[0]["vision"])
        assert first[1:] == second[1:]


def test_infos_tell_the_value_in_force() -> None:
    """For the latest step; before the first one, for that one."""
    reward = "Collect[JellyBean, Square[8, 1, -1]] & Collect[Onion, Steps[(0, 2), (5, 3)]]"
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL, reward=reward)
    envs = gymnasium.make_vec("jbw/JellyBeanWorld-v0", 2, world=SMALL, reward=reward)
    many = jbw.parallel_env(world=SMALL, agents=2, reward=reward)
    _, info = env.reset(seed=1)
    _, infos = envs.reset(seed=[1, 2])
    _, told = many.reset(seed=1)
    for time in range(20):
        paid = max(time - 1, 0)  # the time of the step that was paid
        bean = "Collect[JellyBean]" if paid % 8 < 4 else "Avoid[JellyBean]"
        expected = f"{bean} & Collect[Onion, {2 if paid < 5 else 3}]"
        assert info["reward_function"] == expected
        assert list(infos["reward_function"]) == 2 * [expected]
        assert [told[agent]["reward_function"] for agent in many.agents] == 2 * [expected]
        *_, info = env.step(1)
        *_, infos = envs.step(np.array([1, 1]))
        *_, told = many.step(dict.fromkeys(many.agents, 1))


def test_the_year_of_the_shipped_world() -> None:
    """Each season has its crop, winter has none, and what is good swaps every two years."""
    world = jbw.World("seasons", seed=3)
    world.explore((0, 0))
    bean, banana = world.model.item_type("JellyBean"), world.model.item_type("Banana")
    reward = jbw.Reward(world.model, SEASONS)
    for year in range(2):
        for start, crop in ((0, bean), (8000, banana), (16000, None)):
            while world.time < 20000 * year + start:
                world.step()
            there = set(np.unique(world.items(-30, -30, 60, 60)))
            assert {bean + 1, banana + 1} & there == (set() if crop is None else {crop + 1})
    for year in range(8):
        good, bad = (bean, banana) if year % 4 < 2 else (banana, bean)
        for time in (20000 * year, 20000 * year + 19999):
            assert reward.of_collecting(good, time) == 1
            assert reward.of_collecting(bad, time) == -1


@pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")
def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text()
    assert re.search(r"```reward\n(.*?)\n```", text, re.DOTALL)[1] == SEASONS  # type: ignore[index]
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), {"__name__": "__main__"})
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["Collect[JellyBean] & Avoid[Banana] & Collect[Onion, 0.1]", "True True"]
