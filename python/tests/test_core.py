# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What environments are made of: Env and Batch."""

import copy
import gc
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jbw
from jbw import _core

MODEL = _core.Model.read("scent")
REWARD = _core.Reward(MODEL, "Cyclical[(Collect[JellyBean], 20), (Avoid[Onion], 10)]")


def actions(count: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).choice(3, count, p=[0.8, 0.1, 0.1]).tolist()


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


# --- Env ---


def test_step_is_what_an_agent_sees() -> None:
    env = _core.Env(MODEL, REWARD, 5)
    world = jbw.World(MODEL, 5)
    agent = world.add_agent()
    kept = []
    for step, action in enumerate(actions(200)):
        observation, reward, terminated, truncated, info = env.step(action)
        agent.act(action)
        assert list(observation) == ["vision", "scent", "moved"]
        np.testing.assert_array_equal(observation["vision"], agent.vision)
        np.testing.assert_array_equal(observation["scent"], agent.scent)
        assert observation["moved"] == agent.result.moved
        assert isinstance(observation["moved"], np.int64)
        assert reward == REWARD.of(agent)
        assert isinstance(reward, float)
        assert (terminated, truncated) == (False, False)
        assert info == {
            "position": agent.position,
            "start": (0, 0),
            "direction": agent.direction,
            "time": step + 1,
            "collected": agent.result.collected,
            "inventory": dict(zip(MODEL.item_names, agent.inventory.tolist(), strict=True)),
            "outcome": agent.result.outcome,
            "reward_function": REWARD.at(step),
        }
        kept.append((observation, agent.vision.copy(), agent.scent.copy(), info, dict(info)))
    assert env.world.hash() == world.hash()
    assert sum(env.info()["inventory"].values()) > 0
    # later steps have changed none of it
    for observation, vision, scent, info, before in kept:
        np.testing.assert_array_equal(observation["vision"], vision)
        np.testing.assert_array_equal(observation["scent"], scent)
        assert info == before


def test_forms() -> None:
    whole = _core.Env(MODEL, REWARD, 5)
    flat = _core.Env(MODEL, REWARD, 5, form="flat")
    vision = _core.Env(MODEL, REWARD, 5, scent=False, form="plain")
    scent = _core.Env(MODEL, REWARD, 5, vision=None, form="plain")
    items = _core.Env(MODEL, REWARD, 5, vision="items", moved=False)
    for action in actions(50):
        full = whole.step(action)[0]
        parts = [full["vision"].reshape(-1), full["scent"], [full["moved"]]]
        np.testing.assert_array_equal(flat.step(action)[0], np.concatenate(parts))
        np.testing.assert_array_equal(vision.step(action)[0], full["vision"])
        np.testing.assert_array_equal(scent.step(action)[0], full["scent"])
        seen = items.step(action)[0]
        assert list(seen) == ["vision", "scent"]
        np.testing.assert_array_equal(seen["vision"], items.agent.item_vision)
        # one item type per cell, in its colour
        colored = seen["vision"] @ MODEL.item_colors
        partly = MODEL.field_of_view < 1
        np.testing.assert_allclose(colored[~partly], full["vision"][~partly], rtol=1e-6)
    assert flat.observe().dtype == np.float32
    side, _, colors = MODEL.vision_shape
    assert whole.observation_shapes == {"vision": (side, side, colors), "scent": (3,)}
    assert items.observation_shapes["vision"] == (side, side, len(MODEL.item_names))
    assert scent.observation_shapes == {"scent": (3,)}
    walk = _core.Env(_core.Model.read("walk"), None, 1)
    assert list(walk.step(0)[0]) == ["vision", "moved"]
    assert walk.info()["reward_function"] == "Zero"
    for bad in (
        {"form": "plain"},
        {"form": "round"},
        {"vision": "x"},
        {"vision": None, "scent": False, "moved": False, "form": "flat"},
    ):
        with pytest.raises(jbw.ArgumentError):
            _core.Env(MODEL, **bad)  # type: ignore[arg-type]


def test_copy_false_writes_again() -> None:
    env = _core.Env(MODEL, REWARD, 5, copy=False)
    first = env.step(0)[0]
    second = env.step(1)[0]
    assert first["vision"] is second["vision"]
    assert env.observe()["vision"] is not second["vision"]
    assert env.reset(5)[0]["scent"] is second["scent"]


def test_reset() -> None:
    env = _core.Env(MODEL, REWARD, 5, position=(3, 4), direction="left")
    old = env.world
    steps = [env.step(action) for action in actions(30)]
    again = env.reset(5)
    assert again[1]["position"] == (3, 4)
    assert again[1]["direction"] == "left"
    assert again[1]["reward_function"] == REWARD.at(0)
    assert env.world is not old
    assert old.time == 30
    assert all(
        same(env.step(action), step) for action, step in zip(actions(30), steps, strict=True)
    )
    assert env.world.hash() == old.hash()
    assert env.reset(6)[1]["time"] == 0
    assert env.world.seed == 6
    with pytest.raises(ValueError):
        env.reset(-1)


@pytest.mark.parametrize("way", ["clone", "copy", "deepcopy", "pickle"])
def test_env_copies(way: str) -> None:
    env = _core.Env(MODEL, REWARD, 5, form="flat", direction="down")
    for action in actions(40):
        env.step(action)
    if way == "clone":
        other = env.clone()
    elif way == "copy":
        other = copy.copy(env)
    elif way == "deepcopy":
        other = copy.deepcopy(env)
    else:
        other = pickle.loads(pickle.dumps(env))
    assert other.info() == env.info()
    for action in actions(40, seed=1):
        assert same(other.step(action), env.step(action))
    assert other.world.hash() == env.world.hash()
    assert same(other.reset(1), env.reset(1))


def test_env_world() -> None:
    env = _core.Env(MODEL, REWARD, 5)
    saved = env.world.clone()
    for action in actions(10):
        env.step(action)
    env.world = saved
    assert env.info()["time"] == 0
    assert env.agent in saved.agents
    with pytest.raises(jbw.ArgumentError):
        env.world = jbw.World("walk")
    with pytest.raises(jbw.NoSuchAgentError):
        env.world = jbw.World(MODEL)
    with pytest.raises(TypeError):
        del env.world
    other = env.world.add_agent()
    with pytest.raises(jbw.ArgumentError, match="other active agents"):
        env.step(0)
    other.remove()
    env.step(0)
    env.agent.remove()
    with pytest.raises(jbw.NoSuchAgentError):
        env.step(0)
    with pytest.raises(jbw.NoSuchAgentError):
        env.observe()
    env.reset(1)
    env.step(0)


def test_env_actions() -> None:
    env = _core.Env(MODEL, REWARD, 5)
    for action in (0, np.int64(1), np.array(2), True):
        env.step(action)  # type: ignore[arg-type]
    for bad in (3, -1, 2**32, 2**70):
        with pytest.raises(jbw.ArgumentError):
            env.step(bad)
    for wrong in (1.0, None, np.array([1, 2])):
        with pytest.raises(TypeError):
            env.step(wrong)  # type: ignore[arg-type]


def test_env_callback() -> None:
    env = _core.Env(MODEL, REWARD, 5)
    times = []

    def look(world: jbw.World) -> None:
        times.append(env.info()["time"])
        with pytest.raises(jbw.BusyError):
            env.step(0)
        with pytest.raises(jbw.BusyError):
            env.reset(0)

    env.world.on_step(look)
    env.step(0)
    env.step(0)
    assert times == [1, 2]


# --- Batch ---


def buffers(model: _core.Model, agents: int) -> dict[str, np.ndarray[Any, Any]]:
    side, _, colors = model.vision_shape
    items = len(model.item_names)
    return {
        "vision": np.full((agents, side, side, colors), 7, np.float32),
        "scent": np.full((agents, model.scent_dimensions), 7, np.float32),
        "reward": np.full(agents, 7, np.float64),
        "moved": np.full(agents, 7, np.uint8),
        "collected": np.full(agents, 7, np.int32),
        "position": np.full((agents, 2), 7, np.int64),
        "direction": np.full(agents, 7, np.uint8),
        "time": np.full(agents, 7, np.uint64),
        "inventory": np.full((agents, items), 7, np.uint64),
        "items": np.full((agents, side, side), 7, np.uint8),
    }


def check_rows(batch: _core.Batch, out: dict[str, Any], worlds: list[jbw.World]) -> None:
    agents = [agent for world in worlds for agent in world.agents]
    names = MODEL.item_names
    for row, agent in enumerate(agents):
        np.testing.assert_array_equal(out["vision"][row], agent.vision)
        np.testing.assert_array_equal(out["scent"][row], agent.scent)
        assert out["reward"][row] == REWARD.of(agent)
        assert out["moved"][row] == agent.result.moved
        collected = agent.result.collected
        assert out["collected"][row] == (-1 if collected is None else names.index(collected))
        assert tuple(out["position"][row]) == agent.position
        assert ("up", "right", "down", "left")[out["direction"][row]] == agent.direction
        assert out["time"][row] == agent.world.time
        np.testing.assert_array_equal(out["inventory"][row], agent.inventory)
        one_hot = out["items"][row][..., None] == np.arange(1, len(names) + 1)
        np.testing.assert_array_equal(one_hot, agent.item_vision)
    states = batch.states()
    np.testing.assert_array_equal(states["position"], out["position"])
    np.testing.assert_array_equal(states["direction"], out["direction"])
    np.testing.assert_array_equal(states["time"], out["time"])
    np.testing.assert_array_equal(states["inventory"], out["inventory"])
    np.testing.assert_array_equal(
        batch.item_vision(), np.stack([agent.item_vision for agent in agents])
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_batch_is_worlds_side_by_side(threads: int) -> None:
    counts = [1, 2, 1, 3]
    seeds = [4, 5, 6, 7]
    out = buffers(MODEL, sum(counts))
    batch = _core.Batch(MODEL, seeds, REWARD, counts, threads, **out)
    assert (batch.world_count, batch.agent_count) == (4, 7)
    assert batch.model is MODEL
    worlds = [jbw.World(MODEL, seed) for seed in seeds]
    for world, count in zip(worlds, counts, strict=True):
        for _ in range(count):
            world.add_agent()
    check_rows(batch, out, worlds)
    random = np.random.default_rng(1)
    for step in range(60):
        chosen = random.choice(3, 7, p=[0.8, 0.1, 0.1]).astype(np.int32)
        batch.step(chosen if step % 2 else chosen.tolist())
        row = 0
        for world, count in zip(worlds, counts, strict=True):
            world.act(world.agents, chosen[row : row + count])
            row += count
    check_rows(batch, out, worlds)
    assert [batch.hash(i) for i in range(4)] == [world.hash() for world in worlds]
    batch.reset(2, 99)
    worlds[2] = jbw.World(MODEL, 99)
    worlds[2].add_agent()
    assert batch.hash(2) == worlds[2].hash()
    assert batch.reward_function(2) == REWARD.at(0)
    assert batch.reward_function(0) == REWARD.at(60)


def test_batch_send_and_receive() -> None:
    one = _core.Batch(MODEL, range(5), REWARD, threads=2)
    two = _core.Batch(MODEL, range(5), REWARD, threads=1)
    for _ in range(20):
        one.send([3, 1], [0, 1])
        with pytest.raises(jbw.BusyError):
            one.hash(3)
        with pytest.raises(jbw.ArgumentError):
            one.send([3], [0])
        with pytest.raises(jbw.ArgumentError):
            one.step(np.zeros(5, np.int32))
        with pytest.raises(jbw.ArgumentError):
            one.reset(1, 0)
        with pytest.raises(jbw.BusyError):
            one.states()
        assert set(one.receive(2).tolist()) == {1, 3}
        one.send(np.array([0, 2, 4]), np.array([2, 0, 0]))
        got: list[int] = []
        while len(got) < 3:
            got += one.receive().tolist()
        assert set(got) == {0, 2, 4}
        two.step([2, 1, 0, 0, 0])
    assert [one.hash(i) for i in range(5)] == [two.hash(i) for i in range(5)]
    assert one.receive(0).tolist() == []
    assert one.receive(1).tolist() == []
    with pytest.raises(jbw.ArgumentError):
        one.receive(6)


def test_batch_run() -> None:
    one = _core.Batch(MODEL, range(3), REWARD)
    two = _core.Batch(MODEL, range(3), REWARD)
    table = np.random.default_rng(0).integers(0, 3, (300, 3), dtype=np.int32)
    one.run(table)
    for row in table:
        two.step(row)
    assert [one.hash(i) for i in range(3)] == [two.hash(i) for i in range(3)]
    for bad in (table[:, :2], table.astype(np.int64), table[0], table.tolist(), table[:, ::-1]):
        with pytest.raises(jbw.ArgumentError, match="int32"):
            one.run(bad)  # type: ignore[arg-type]
    table[1, 1] = 3
    with pytest.raises(jbw.ArgumentError):
        one.run(table)
    assert one.world(0).time == 301


def test_batch_worlds() -> None:
    out = buffers(MODEL, 2)
    batch = _core.Batch(MODEL, [1, 2], REWARD, **out)
    world = batch.world(1)
    agent = batch.agent(1)
    assert agent.position == world.agents[0].position
    np.testing.assert_array_equal(agent.vision, out["vision"][1])
    batch.step([0, 0])
    np.testing.assert_array_equal(agent.vision, out["vision"][1])
    assert world.time == 1
    assert world.clone().time == 1
    x, y = agent.position
    if world.items(x, y + 1, 1, 1)[0, 0]:
        world.remove(x, y + 1)
    world.place("Onion", x, y + 1)
    for refused in (
        lambda: agent.act(0),
        lambda: agent.remove(),
        lambda: world.step(),
        lambda: world.add_agent(),
        lambda: world.on_step(print),
        lambda: setattr(agent, "active", False),
    ):
        with pytest.raises(jbw.BusyError):
            refused()
    batch.reset(1, 5)
    for refused in (lambda: world.time, lambda: agent.position, lambda: world.hash()):
        with pytest.raises(jbw.BusyError, match="reset"):
            refused()
    assert "out of reach" in repr(world)
    assert batch.world(1).time == 0
    batch.close()
    batch.close()
    for closed in (lambda: batch.step([0, 0]), lambda: batch.world(0).time, batch.states):
        with pytest.raises(jbw.BusyError, match="closed"):
            closed()
    for bad in (2, -1):
        with pytest.raises(IndexError):
            batch.world(bad)
        with pytest.raises(IndexError):
            batch.agent(bad)


def test_batch_set_world() -> None:
    out = buffers(MODEL, 2)
    batch = _core.Batch(MODEL, [1, 2], REWARD, **out)
    for _ in range(10):
        batch.step([0, 0])
    saved = pickle.loads(pickle.dumps(batch.world(0)))
    vision = out["vision"][0].copy()
    for _ in range(10):
        batch.step([0, 0])
    batch.set_world(0, saved)
    np.testing.assert_array_equal(out["vision"][0], vision)
    assert batch.hash(0) == saved.hash()
    del saved
    gc.collect()
    batch.step([0, 0])
    assert batch.world(0).time == 11
    with pytest.raises(jbw.ArgumentError, match="number of agents"):
        batch.set_world(0, jbw.World(MODEL))
    with pytest.raises(jbw.ArgumentError, match="another model"):
        batch.set_world(0, jbw.World("walk"))


def test_batch_in_a_cycle_keeps_its_models() -> None:
    class Holder:
        pass

    for _ in range(3):
        world = jbw.World(_core.Model.read("scent"))
        world.add_agent()
        batch = _core.Batch(MODEL, [1], **buffers(MODEL, 1))
        batch.set_world(0, world)
        holder = Holder()
        holder.batch, holder.itself = batch, holder  # type: ignore[attr-defined]
        del world, batch, holder
        gc.collect()  # which may take parts of the batch apart before the batch


def test_batch_keeps_its_arrays() -> None:
    out = buffers(MODEL, 3)
    vision = out["vision"]
    batch = _core.Batch(_core.Model.read("scent"), [1, 2, 3], None, **out)
    del out
    gc.collect()
    batch.step([0, 0, 0])
    batch.send([0, 1, 2], [0, 0, 0])
    del batch  # while worlds are under way
    gc.collect()
    assert not (vision == 7).any()


def test_batch_arguments() -> None:
    good = buffers(MODEL, 2)
    for name, array in good.items():
        for bad in (
            array.astype(np.float16),
            array[:1],
            np.concatenate([array, array])[::2],
            array.tolist(),
            np.broadcast_to(array[:1], array.shape),
        ):
            with pytest.raises(jbw.ArgumentError, match=name):
                _core.Batch(MODEL, [1, 2], **{name: bad})  # type: ignore[arg-type]
        locked = array.copy()
        locked.flags.writeable = False
        with pytest.raises(jbw.ArgumentError, match="read-only"):
            _core.Batch(MODEL, [1, 2], **{name: locked})  # type: ignore[arg-type]
    for call in (
        lambda: _core.Batch(MODEL, []),
        lambda: _core.Batch([MODEL], [1, 2]),
        lambda: _core.Batch(MODEL, [1, 2], [REWARD]),
        lambda: _core.Batch(MODEL, [1, 2], None, 0),
        lambda: _core.Batch(MODEL, [1, 2], None, [1]),
        lambda: _core.Batch([MODEL, _core.Model.read("walk")], [1, 2]),
        lambda: _core.Batch(MODEL, [1], None, 1, -1),
    ):
        with pytest.raises(jbw.ArgumentError):
            call()
    with pytest.raises(ValueError):
        _core.Batch(MODEL, [-1])
    batch = _core.Batch([MODEL, MODEL], np.array([1, 2]), [REWARD, None])
    for actions in ([0], [0, 3], [0, -1], [0.0, 1.0], [0, 2**33], np.zeros(3, np.int32)):
        with pytest.raises(jbw.ArgumentError):
            batch.step(actions)
    assert batch.world(0).time == 0
    with pytest.raises(jbw.ArgumentError):
        batch.send([2], [0])
    with pytest.raises(jbw.ArgumentError):
        batch.send([0, 0], [0, 0])
    with pytest.raises(jbw.ArgumentError):
        batch.send([0], [0, 0])
    assert batch.reward_function(1) == "Zero"


def test_subinterpreters(tmp_path: Path) -> None:
    """They are refused by a clear error, before NumPy gives one that is hard to understand."""
    said = tmp_path / "said.txt"
    inside = f"""
try:
    import jbw
except ImportError as error:
    open({str(said)!r}, "w").write(str(error))
"""
    outside = f"""
import importlib
for name in ("_interpreters", "_xxsubinterpreters"):
    try:
        interpreters = importlib.import_module(name)
        break
    except ImportError:
        pass
else:
    raise SystemExit("this Python has no subinterpreters")
number = interpreters.create()
(getattr(interpreters, "exec", None) or interpreters.run_string)(number, {inside!r})
"""
    result = subprocess.run([sys.executable, "-c", outside], capture_output=True, text=True)
    if "no subinterpreters" in result.stderr:
        pytest.skip("this Python has no subinterpreters")
    assert result.returncode == 0, result.stderr
    assert "jbw does not work in subinterpreters" in said.read_text()
