# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The atlas from Python: worlds, loaded ones, environments and batches look into it, and are the
same as without."""

import copy
import pickle
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import jbw

INVARIANT = {"generation": "invariant"}


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JBW_ATLAS", raising=False)


def walk(world: jbw.World, steps: int = 40) -> int:
    agent = world.agents[0] if world.agents else world.add_agent()
    for _ in range(steps):
        agent.act("MoveForward")
    return world.hash()


def make(atlas: object = None, seed: int = 3) -> jbw.World:
    return jbw.World("scent", seed, overrides=INVARIANT, atlas=atlas)


def test_world(tmp_path: Path) -> None:
    expected = walk(make())
    atlas = jbw.Atlas(tmp_path / "a")
    assert not atlas.read_only and atlas.path == str(tmp_path / "a")
    assert walk(make(atlas)) == expected
    cold = atlas.counts
    assert cold["added"] == cold["missing"] > 0 and cold["found"] == 0
    assert walk(make(tmp_path / "a")) == expected  # by its path: the same folder
    warm = atlas.counts
    assert warm["missing"] == cold["missing"] and warm["found"] > 0
    assert walk(make(str(tmp_path / "a"), seed=4)) != expected
    assert atlas.counts["added"] > warm["added"]


def test_copies_and_loaded_worlds(tmp_path: Path) -> None:
    atlas = jbw.Atlas(tmp_path / "a")
    world, twin = make(atlas), make()
    walk(world), walk(twin)
    clone, plain = world.clone(), jbw.World.from_bytes(world.to_bytes())
    loaded = jbw.World.from_bytes(world.to_bytes(), atlas=atlas)
    world.save(tmp_path / "w.jbw")
    read = jbw.World.load(tmp_path / "w.jbw", atlas=str(tmp_path / "a"))
    expected = walk(twin, 100)
    added = atlas.counts["added"]
    assert walk(plain, 100) == expected
    assert atlas.counts["added"] == added  # without an atlas
    for each in (clone, loaded, read, copy.deepcopy(world)):
        found = atlas.counts["found"] + atlas.counts["added"]
        assert walk(each, 100) == expected
        assert atlas.counts["found"] + atlas.counts["added"] > found


def test_read_only_and_limits(tmp_path: Path) -> None:
    with pytest.raises(jbw.FileError, match="No such file"):
        jbw.Atlas(tmp_path / "a", read_only=True)
    with pytest.raises(jbw.FileError, match="below"):
        jbw.Atlas(tmp_path / "none" / "below")
    (tmp_path / "file").write_text("")
    with pytest.raises(jbw.FileError, match="not a folder"):
        make(tmp_path / "file")
    with pytest.raises(ValueError, match="limit"):
        jbw.Atlas(tmp_path / "a", limit=0)
    with pytest.raises(TypeError):
        make(7)
    atlas = jbw.Atlas(tmp_path / "a", limit=1)
    walk(make(atlas))
    shown = jbw.Atlas(tmp_path / "a", read_only=True)
    assert shown.read_only and "read-only" in repr(shown) and "read-only" not in repr(atlas)
    walk(make(shown, seed=9))
    assert shown.counts["added"] == 0 < shown.counts["missing"]
    with pytest.raises(jbw.Error):
        shown.prune(0)
    assert atlas.prune(1) == 0
    assert atlas.prune(0) > 0
    assert pickle.loads(pickle.dumps(atlas)).path == atlas.path


def test_models(tmp_path: Path) -> None:
    model = make().model
    assert model.atlas is None
    kept = model.with_atlas(tmp_path / "a")
    assert kept == model and kept.atlas is not None and model.atlas is None
    del model
    assert walk(jbw.World(kept, 3)) == walk(make())
    assert kept.atlas.counts["added"] > 0
    assert kept.with_atlas(False).atlas is None
    frontier = jbw.World("scent").model
    with pytest.raises(jbw.Error, match="invariant"):
        frontier.with_atlas(tmp_path / "a")
    with pytest.raises(jbw.Error, match="invariant"):
        jbw.World("scent", atlas=tmp_path / "a")


def test_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atlas = jbw.Atlas(tmp_path / "a")
    monkeypatch.setenv("JBW_ATLAS", str(tmp_path / "a"))
    expected = walk(make())
    added = atlas.counts["added"]
    assert added > 0
    assert walk(make(False)) == expected
    assert atlas.counts["found"] == 0
    walk(jbw.World("scent"))  # has history: the variable is not for it
    assert atlas.counts["added"] == added


def episode(env: gymnasium.Env, steps: int = 40) -> list[np.ndarray]:
    env.reset(seed=3)
    env.action_space.seed(5)
    return [env.step(env.action_space.sample())[0]["vision"] for _ in range(steps)]


def test_environment(tmp_path: Path) -> None:
    atlas = jbw.Atlas(tmp_path / "a")
    options = {"world": "scent", "overrides": INVARIANT}
    plain = episode(gymnasium.make("jbw/JellyBeanWorld-v0", **options))
    for _ in range(2):
        kept = episode(gymnasium.make("jbw/JellyBeanWorld-v0", atlas=atlas, **options))
        assert all(np.array_equal(a, b) for a, b in zip(plain, kept, strict=True))
    assert atlas.counts["found"] > 0 and atlas.counts["added"] == atlas.counts["missing"] > 0


def test_vector_environment(tmp_path: Path) -> None:
    atlas = jbw.Atlas(tmp_path / "a")
    options = {"num_envs": 4, "world": "scent", "overrides": INVARIANT}
    results = []
    for each in (None, atlas, str(tmp_path / "a")):
        envs = gymnasium.make_vec(
            "jbw/JellyBeanWorld-v0", vectorization_mode="vector_entry_point", atlas=each, **options
        )
        envs.reset(seed=[1, 1, 2, 3])
        for _ in range(40):
            observations = envs.step(np.zeros(4, np.int64))[0]
        results.append(observations["vision"])
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])
    counts = atlas.counts
    assert counts["found"] > counts["added"] > 0


def test_many_agents(tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo")
    atlas = jbw.Atlas(tmp_path / "a")
    env = jbw.parallel_env(world="scent", agents=2, overrides=INVARIANT, atlas=atlas)
    env.reset(seed=1)
    assert atlas.counts["added"] > 0
