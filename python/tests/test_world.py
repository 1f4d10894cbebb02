# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds: making them, looking at them, editing them, stepping them, keeping them."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import jbw

SMALL = {
    "scent_dimensions": 2,
    "color_dimensions": 3,
    "patch_size": 16,
    "mh_iterations": 400,
    "scent_decay": 0.2,
    "scent_diffusion": 0.1,
    "agent": {
        "vision_range": 2,
        "actions": ["MoveForward", "TurnLeft", "TurnRight", "NoOp", "Collect", "Drop[Bean]"],
    },
    "items": {
        "Bean": {"color": [1, 0, 0], "scent": [1, 0], "intensity": "Constant[-2]"},
        "Wall": {"color": [0, 0, 1], "blocks_movement": True, "intensity": "Constant[-4]"},
    },
}


@pytest.fixture
def world() -> jbw.World:
    return jbw.World(SMALL, seed=3)


def empty_cells(world: jbw.World) -> list[tuple[int, int]]:
    world.explore((0, 0))
    rows, columns = np.nonzero(world.items(-8, -8, 16, 16) == 0)
    return [(int(x) - 8, int(y) - 8) for x, y in zip(columns, rows, strict=True)]


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    path.write_text(jbw.shipped_text("paper"))
    worlds = [
        jbw.World("paper", seed=7),
        jbw.World(path, seed=7),
        jbw.World(str(path), 7),
        jbw.World(jbw.Config("paper"), seed=7),
        jbw.World(jbw.Config("paper").to_dict(), seed=7),
        jbw.World(jbw.Model.read("paper"), seed=7),
    ]
    for world in worlds:
        world.explore((0, 0))
    assert len({world.hash() for world in worlds}) == 1
    assert worlds[0].seed == 7
    assert worlds[0].time == 0
    assert worlds[0].model == worlds[1].model
    assert hash(worlds[0].model) == hash(worlds[1].model)


def test_overrides() -> None:
    overrides = {"agent.vision_range": 3, "items.Wall.color": np.array([1.0, 0.5, 0.25])}
    world = jbw.World("paper", overrides=overrides)
    assert world.model.vision_range == 3
    assert world.add_agent().vision.shape == (7, 7, 3)
    wall = world.model.item_type("Wall")
    np.testing.assert_array_equal(world.model.item_colors[wall], [1, 0.5, 0.25])
    again = jbw.World(world.model, overrides={"agent.vision_range": 4})
    assert again.model.vision_shape == (9, 9, 3)


def test_seeds() -> None:
    assert jbw.World("walk", seed=2**64 - 1).seed == 2**64 - 1
    assert jbw.World("walk", seed=np.int64(5)).seed == 5
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match=r"0 to 2\*\*64 - 1"):
            jbw.World("walk", seed=seed)
    with pytest.raises(TypeError):
        jbw.World("walk", seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        jbw.World(17)  # type: ignore[arg-type]


def test_model(world: jbw.World) -> None:
    model = world.model
    assert model.item_names == world.item_names == ("Bean", "Wall")
    assert model.action_names == world.action_names
    assert world.action_names[5] == "Drop[Bean]"
    assert model.action("TurnLeft") == model.action(1) == 1
    assert (model.color_dimensions, model.scent_dimensions, model.patch_size) == (3, 2, 16)
    assert model.item_blocks.tolist() == [False, True]
    assert model.field_of_view.shape == (5, 5)
    assert (model.field_of_view == 1).all()
    for array in (model.item_colors, model.item_blocks, model.field_of_view):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError):
            array.flags.writeable = True
    assert pickle.loads(pickle.dumps(model)) == model
    assert model != jbw.Model.read("walk")
    with pytest.raises(LookupError):
        model.item_type("Banana")


def test_items_and_states(world: jbw.World) -> None:
    assert not world.items(-4, -4, 8, 8).any()
    assert not world.patch_states(-4, -4, 8, 8).any()
    world.explore((0, 0))
    assert (world.patch_states(-2, -2, 4, 4) == 2).all()
    items = world.items(-16, -16, 32, 24)
    assert items.shape == (24, 32)
    assert items.dtype == np.uint8
    assert set(np.unique(items)) <= {0, 1, 2}
    # row 0 has the lowest y
    np.testing.assert_array_equal(world.items(-16, -15, 32, 1)[0], items[1])
    np.testing.assert_array_equal(world.items(-10, -16, 1, 24)[:, 0], items[:, 6])
    assert world.items(0, 0, 0, 5).shape == (5, 0)
    with pytest.raises(jbw.ArgumentError):
        world.items(0, 0, -1, 1)


def test_explore_region(world: jbw.World) -> None:
    world.explore_region(100, 100, 40, 20)
    assert (world.patch_states(100, 100, 40, 20) == 2).all()
    world.explore(np.array([[500, 500], [900, 900]], np.int32))
    assert world.patch_states(900, 900, 1, 1)[0, 0] == 2
    before = world.stats.sampling_count
    world.explore([])
    assert world.stats.sampling_count == before
    with pytest.raises(jbw.OutOfRangeError):
        world.explore_region(2**60, 0, 2, 2)
    for bad in ([1, 2, 3], [[1.5, 2.0]], "ab"):
        with pytest.raises(jbw.ArgumentError):
            world.explore(bad)


def test_edit(world: jbw.World) -> None:
    x, y = empty_cells(world)[0]
    world.place("Wall", x, y)
    assert world.items(x, y, 1, 1)[0, 0] == 2
    with pytest.raises(jbw.CellBlockedError):
        world.place(0, x, y)
    world.remove(x, y)
    with pytest.raises(jbw.NotFoundError):
        world.remove(x, y)
    with pytest.raises(jbw.ArgumentError, match="Banana"):
        world.place("Banana", x, y)
    with pytest.raises(jbw.OutOfRangeError):
        world.place("Wall", 2**62, 0)


def test_smell(world: jbw.World) -> None:
    x, y = empty_cells(world)[0]
    before = world.smell(x, y)
    assert before.shape == (2,)
    assert before.dtype == np.float32
    world.place("Bean", x, y)
    after = world.smell(x, y)
    assert after[0] > before[0]


def test_act_together(world: jbw.World) -> None:
    first, second = world.add_agent(), world.add_agent()
    assert world.agents == (first, second)
    assert world.act({first: "TurnLeft"}) is False
    assert first.request == "TurnLeft"
    assert world.act([second], [2]) is True
    assert (first.direction, second.direction) == ("left", "right")
    assert world.act([first, second], np.array([2, 1])) is True
    assert (first.direction, second.direction) == ("up", "up")
    with pytest.raises(jbw.ArgumentError, match="2 agents, but 1 actions"):
        world.act([first, second], [0])
    with pytest.raises(jbw.ArgumentError):
        world.act([first, first], [0, 0])
    with pytest.raises(jbw.ArgumentError, match="another world"):
        world.act({jbw.World(SMALL).add_agent(): 0})
    with pytest.raises(TypeError):
        world.act({"me": 0})  # type: ignore[dict-item]
    assert world.time == 2
    world.step()
    assert world.time == 3


def test_on_step(world: jbw.World) -> None:
    agent = world.add_agent()
    seen: list[tuple[int, str]] = []

    def look(now: jbw.World) -> None:
        assert now is world
        seen.append((now.time, agent.direction))
        assert agent.vision.shape == (5, 5, 3)
        with pytest.raises(jbw.BusyError):
            now.step()
        with pytest.raises(jbw.BusyError):
            agent.act(0)

    world.on_step(look)
    agent.act("TurnLeft")
    world.step()
    assert seen == [(1, "left"), (2, "left")]

    def fail(now: jbw.World) -> None:
        raise RuntimeError("enough")

    world.on_step(fail)
    with pytest.raises(RuntimeError, match="enough"):
        agent.act("NoOp")
    assert world.time == 3
    policy = jbw.Policy("random", world.model, seed=1)
    with pytest.raises(RuntimeError, match="enough"):
        agent.follow(policy, 1000)
    assert world.time == 4
    world.on_step(None)
    agent.act("NoOp")
    assert world.time == 5


def test_draw(world: jbw.World, tmp_path: Path) -> None:
    world.explore((0, 0))
    path = tmp_path / "map.png"
    world.draw(path, -8, -8, 16, 16, scale=2, grid=True, trail=[(0, 0), (1, 0), (1, 1)])
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(jbw.FileError) as failure:
        world.draw(tmp_path / "missing" / "map.png", 0, 0, 4, 4)
    assert failure.value.filename == str(tmp_path / "missing" / "map.png")


def live(world: jbw.World, steps: int) -> list[bytes]:
    agent = world.agents[0]
    seen = []
    for step in range(steps):
        agent.act((step * 7) % 4)
        seen.append(agent.vision.tobytes() + agent.scent.tobytes())
    return seen


@pytest.mark.parametrize("way", ["clone", "copy", "deepcopy", "pickle", "bytes", "file"])
def test_copies_go_on_alike(world: jbw.World, way: str, tmp_path: Path) -> None:
    world.add_agent()
    live(world, 20)
    if way == "clone":
        other = world.clone()
    elif way == "copy":
        other = copy.copy(world)
    elif way == "deepcopy":
        other = copy.deepcopy(world)
    elif way == "pickle":
        other = pickle.loads(pickle.dumps(world))
    elif way == "bytes":
        other = jbw.World.from_bytes(world.to_bytes())
    else:
        world.save(tmp_path / "world.jbw")
        other = jbw.World.load(tmp_path / "world.jbw")
    assert other.hash() == world.hash()
    assert other.agents[0].id == world.agents[0].id
    assert other.agents[0] != world.agents[0]
    assert other.config == world.config
    before = world.hash()
    seen = live(other, 30)
    assert world.hash() == before
    assert live(world, 30) == seen
    assert world.hash() == other.hash()


def test_notes(world: jbw.World, tmp_path: Path) -> None:
    path = tmp_path / "world.jbw"
    world.save(path, notes={"reward": "Collect[Bean]", "bytes": b"\0\1"})
    other = jbw.World.load(path)
    assert other.notes == {"reward": b"Collect[Bean]", "bytes": b"\0\1"}
    assert world.notes == {}
    assert pickle.loads(pickle.dumps(other)).notes == other.notes
    with pytest.raises(jbw.ArgumentError):
        world.save(path, notes={"no blanks": ""}, replace=True)
    with pytest.raises(TypeError):
        world.save(path, notes={"number": 1}, replace=True)  # type: ignore[dict-item]


def test_damaged_snapshots(world: jbw.World, tmp_path: Path) -> None:
    world.explore((0, 0))
    good = world.to_bytes()
    for bad in (b"", b"nonsense", good[:-5], good[:40], good[:50] + b"\xff" + good[51:]):
        with pytest.raises(jbw.DataError):
            jbw.World.from_bytes(bad)
    with pytest.raises(jbw.NoSuchFileError):
        jbw.World.load(tmp_path / "none.jbw")
    with pytest.raises(jbw.FileError):
        world.save(tmp_path / "missing" / "world.jbw")


def test_recording(world: jbw.World, tmp_path: Path) -> None:
    path = tmp_path / "life.rec"
    agent = world.add_agent()
    x, y = empty_cells(world)[5]
    hashes = {}
    with world.record(path, notes={"reward": "Zero"}, snapshot_every=50, hash_every=10) as recorder:
        assert recorder.world is world
        with pytest.raises(jbw.BusyError):
            world.record(tmp_path / "other.rec")
        world.place("Bean", x, y)
        for step in range(120):
            agent.act(step % 4)
            hashes[world.time] = world.hash()
        recorder.flush()
    recorder.close()
    with pytest.raises(jbw.ArgumentError):
        recorder.flush()
    with pytest.raises(jbw.Error):
        world.record(path)

    with jbw.Recording(path) as recording:
        assert (recording.first_time, recording.last_time) == (0, 120)
        assert recording.note("reward") == b"Zero"
        assert recording.note("other") is None
        operations = list(recording)
        assert len(operations) == recording.operation_count
        assert operations[0].kind == "place_item"
        assert operations[0].item == "Bean"
        assert operations[0].positions == ((x, y),)
        assert operations[-1].actions == ("NoOp",)
        assert operations[-1].agents == (agent.id,)
        assert recording.time == 120
        for time in (60, 7, 120):
            recording.seek(time)
            replayed = recording.world
            assert replayed.hash() == hashes[time]
            assert replayed.config == world.config
        recording.seek()
        end = recording.world
        with pytest.raises(jbw.NotFoundError):
            recording.seek(121)
    with pytest.raises(jbw.ArgumentError):
        recording.seek(1)
    assert end.hash() == world.hash()

    with end.record(path, append=True):
        end.agents[0].act(0)
    assert jbw.Recording(path).last_time == 121
    with pytest.raises(jbw.FileError):
        jbw.Recording(tmp_path / "none.rec")


def test_recorder_lets_go(world: jbw.World, tmp_path: Path) -> None:
    agent = world.add_agent()
    recorder = world.record(tmp_path / "a.rec")
    agent.act(0)
    del recorder
    with world.record(tmp_path / "b.rec"):
        agent.act(0)
    assert jbw.Recording(tmp_path / "a.rec").last_time == 1
