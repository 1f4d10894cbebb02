# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Invariant worlds: the same for whoever comes, made again instead of remembered."""

import copy as copying
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from small_worlds import SMALL

import jbw
from jbw import _core

INVARIANT: dict[str, Any] = {**SMALL, "generation": "invariant"}
FAR = 10**9


def test_config() -> None:
    config = jbw.Config(INVARIANT)
    assert config.to_dict()["generation"] == "invariant"
    assert config.to_dict()["memory_budget"] == 64
    assert jbw.Config("paper").to_dict()["generation"] == "frontier"
    world = jbw.World("walk", overrides={"generation": "invariant", "memory_budget": 8})
    assert world.config["generation"] == "invariant"
    with pytest.raises(jbw.ConfigError, match="did you mean 'invariant'"):
        jbw.World("walk", overrides={"generation": "invarant"})
    with pytest.raises(jbw.ConfigError, match="expected 1 to 1048576 megabytes"):
        jbw.World("walk", overrides={"memory_budget": 0})


def test_looking_changes_nothing() -> None:
    world = jbw.World(INVARIANT, seed=7)
    before = world.hash()
    near = world.items(-50, -50, 100, 100)
    far = world.items(FAR, -FAR, 60, 60)
    assert np.count_nonzero(far) > 300
    assert world.hash() == before
    assert world.stats.patch_count == 0
    world.explore((FAR, -FAR))
    assert world.hash() == before

    # who goes there finds just that
    agent = world.add_agent(position=(FAR + 20, 20 - FAR), force=True)
    assert agent.position == (FAR + 20, 20 - FAR)
    assert np.array_equal(world.items(FAR, -FAR, 60, 60), far)
    assert np.array_equal(world.items(-50, -50, 100, 100), near)


def wander(world: jbw.World, seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    agent = world.agents[0] if world.agents else world.add_agent()
    for _ in range(steps):
        agent.act(int(rng.choice(3, p=[0.8, 0.1, 0.1])))


def test_the_budget_makes_no_difference(tmp_path: Path) -> None:
    worlds = [
        jbw.World(INVARIANT, seed=3, overrides={"memory_budget": budget}) for budget in (1, 500)
    ]
    for world in worlds:
        wander(world, 1, 3000)
    small, large = worlds
    assert small.hash() == large.hash()
    assert np.array_equal(small.agents[0].vision, large.agents[0].vision)
    assert np.array_equal(small.agents[0].scent, large.agents[0].scent)
    path = tmp_path / "small.jbw"
    small.save(path)
    assert path.stat().st_size < 4000

    copies = [small.clone(), jbw.World.load(path)]
    copies.append(pickle.loads(pickle.dumps(large)))
    for copy in copies:
        assert copy.hash() == small.hash()
        wander(copy, 2, 500)
    wander(large, 2, 500)
    assert {copy.hash() for copy in copies} == {large.hash()}


def test_threads_make_no_difference(tmp_path: Path) -> None:
    plain = jbw.World("scent", seed=2, overrides={"generation": "invariant"})
    ahead = jbw.World("scent", seed=2, overrides={"generation": "invariant"}, generation_threads=2)
    assert (plain.generation_threads, ahead.generation_threads) == (0, 2)
    for world in (plain, ahead):
        wander(world, 1, 500)
    assert plain.hash() == ahead.hash()
    assert np.array_equal(plain.items(FAR, 0, 200, 99), ahead.items(FAR, 0, 200, 99))

    # they are no part of the world
    path = tmp_path / "ahead.jbw"
    ahead.save(path)
    for copy in (ahead.clone(), jbw.World.load(path), pickle.loads(pickle.dumps(ahead))):
        assert copy.hash() == ahead.hash()
        assert copy.generation_threads == 0
        copy.generation_threads = 1
        assert copy.generation_threads == 1
    ahead.generation_threads = 0
    assert ahead.generation_threads == 0


def test_threads_where_they_are_of_no_use() -> None:
    for world in (
        jbw.World("scent", generation_threads=2),
        jbw.World("walk", overrides={"generation": "invariant"}, generation_threads=2),
        jbw.World(
            "scent", overrides={"generation": "invariant", "memory_budget": 1}, generation_threads=2
        ),
    ):
        assert world.generation_threads == 0
    world = jbw.World("walk")
    for count in (-1, 65):
        with pytest.raises(jbw.ArgumentError, match="expected 0 to 64"):
            jbw.World("walk", generation_threads=count)
        with pytest.raises(jbw.ArgumentError, match="expected 0 to 64"):
            world.generation_threads = count
    with pytest.raises(TypeError):
        world.generation_threads = "many"  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        del world.generation_threads


def test_loading_with_a_budget_and_threads(tmp_path: Path) -> None:
    world = jbw.World("scent", seed=2, overrides={"generation": "invariant"})
    wander(world, 1, 200)
    path = tmp_path / "world.jbw"
    world.save(path, notes={"why": "because"})
    saved = world.to_bytes()

    plain = jbw.World.load(path)
    threaded = jbw.World.load(path, generation_threads=2)
    small = jbw.World.load(path, memory_budget=1)
    of_bytes = jbw.World.from_bytes(saved, memory_budget=8, generation_threads=1)
    assert [w.generation_threads for w in (plain, threaded, small, of_bytes)] == [0, 2, 0, 1]
    assert [w.config["memory_budget"] for w in (plain, small, of_bytes)] == [64, 1, 8]
    assert small.notes == {"why": b"because"}
    assert small.clone().config["memory_budget"] == 1
    assert jbw.World.load(path, memory_budget=None).config == world.config

    # the budget is real: there is no room for a thread, and little for patches
    assert jbw.World.load(path, memory_budget=1, generation_threads=2).generation_threads == 0
    for each in (plain, small):
        each.explore_region(0, 0, 600, 600)
    assert small.stats.map_bytes < 2**18 + 2**16 < plain.stats.map_bytes

    # and neither makes a difference
    for each in (plain, threaded, small, of_bytes):
        assert each.hash() == world.hash()
        wander(each, 2, 200)
    assert len({each.hash() for each in (plain, threaded, small, of_bytes)}) == 1


def test_loaded_worlds_keep_their_budget(tmp_path: Path) -> None:
    options = {"generation": "invariant", "memory_budget": 1}
    world = jbw.World("walk", seed=2, overrides=options)
    path = tmp_path / "world.jbw"
    world.save(path)
    same = (jbw.World.load(path), jbw.World.from_bytes(world.to_bytes()), copying.deepcopy(world))
    crowd = jbw.parallel_env("walk", 2, overrides=options)
    crowd.reset(seed=2)
    twin = pickle.loads(pickle.dumps(crowd))
    twin.reset(seed=2)
    with world.record(tmp_path / "world.jbwr"):
        world.step()
    recording = jbw.Recording(tmp_path / "world.jbwr")
    for each in (*same, pickle.loads(pickle.dumps(world)), twin.world, recording.world):
        assert each.config["memory_budget"] == 1
        each.explore_region(0, 0, 600, 600)
        assert each.stats.map_bytes < 2**18 + 2**16

    # it is the same world with more memory, too
    large = jbw.World.load(path, memory_budget=200)
    assert large.model == world.model
    assert large.hash() == same[0].hash()


def test_loading_with_what_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "world.jbw"
    world = jbw.World(INVARIANT)
    world.save(path)
    load: Any = jbw.World.load
    for budget in (0, -1, 2**20 + 1, 2**80, -(2**80)):
        expected = f"memory_budget: found {budget}, expected 1 to 1048576 megabytes"
        with pytest.raises(jbw.ArgumentError, match=expected):
            load(path, memory_budget=budget)
        with pytest.raises(jbw.ArgumentError, match=expected):
            jbw.World.from_bytes(world.to_bytes(), memory_budget=budget)
    for count in (-1, 65):
        with pytest.raises(jbw.ArgumentError, match="generation_threads: expected 0 to 64"):
            load(path, generation_threads=count)
    for wrong in ({"memory_budget": "8"}, {"memory_budget": 1.5}, {"generation_threads": None}):
        with pytest.raises(TypeError):
            load(path, **wrong)
    with pytest.raises(TypeError):
        load(path, 8)
    with pytest.raises(jbw.NoSuchFileError):
        load(tmp_path / "none.jbw", memory_budget=8, generation_threads=1)

    # a world of "frontier" has no use for them, and takes them
    jbw.World(SMALL).save(path, replace=True)
    frontier = load(path, memory_budget=8, generation_threads=2)
    assert frontier.generation_threads == 0


def test_environments_meet_the_same_world() -> None:
    options = {"generation": "invariant", "memory_budget": 2}
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL, overrides=options)
    first, _ = env.reset(seed=5)
    for _ in range(50):
        env.step(0)
    again, _ = env.reset(seed=5)
    assert np.array_equal(first["vision"], again["vision"])
    assert np.array_equal(first["scent"], again["scent"])
    env.close()


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copying.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


def make_single(threads: int) -> Any:
    options = {"generation": "invariant"}
    env = gymnasium.make("jbw/Scent-v0", overrides=options, generation_threads=threads)
    return env.unwrapped


def make_crowd(threads: int) -> Any:
    options = {"generation": "invariant"}
    return jbw.parallel_env("scent", 2, overrides=options, generation_threads=threads)


def forward(env: Any, steps: int) -> None:
    for _ in range(steps):
        env.step(dict.fromkeys(env.agents, 0) if hasattr(env, "agents") else 0)


@pytest.mark.parametrize("make", [make_single, make_crowd])
def test_environments_pass_threads_on(make: Callable[[int], Any]) -> None:
    plain, ahead = make(0), make(2)
    for seed in (5, 6):
        for env in (plain, ahead):
            env.reset(seed=seed)
            forward(env, 100)
        assert (plain.world.generation_threads, ahead.world.generation_threads) == (0, 2)
        assert plain.world.hash() == ahead.world.hash()

    # a copy is as the environment is, also in its next life
    for copy in COPIES.values():
        twin = copy(ahead)
        assert (twin.world.generation_threads, copy(plain).world.generation_threads) == (2, 0)
        forward(twin, 20)
        other = copy(plain)
        forward(other, 20)
        assert twin.world.hash() == other.world.hash()
        twin.reset(seed=7)
        assert twin.world.generation_threads == 2
    assert copying.deepcopy(make(1)).reset(seed=1)


def test_environments_where_threads_are_of_no_use() -> None:
    env = gymnasium.make("jbw/Scent-v0", generation_threads=2)
    env.reset(seed=5)
    env.step(0)
    assert env.unwrapped.world.generation_threads == 0  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="generation_threads"):
        gymnasium.make_vec("jbw/Scent-v0", num_envs=2, generation_threads=2)


def test_the_core_of_environments_takes_threads() -> None:
    model = jbw.World("scent", overrides={"generation": "invariant"}).model
    env = _core.Env(model, generation_threads=64)
    assert env.world.generation_threads > 1
    for count in (-1, 65):
        with pytest.raises(jbw.ArgumentError, match="generation_threads: expected 0 to 64"):
            _core.Env(model, generation_threads=count)

    # a world that it is given keeps what it has; the next one is its own again
    env = _core.Env(model, generation_threads=1)
    world = jbw.World(model)
    world.add_agent()
    env.world = world
    assert env.world.generation_threads == 0
    env.reset(3)
    assert env.world.generation_threads == 1
