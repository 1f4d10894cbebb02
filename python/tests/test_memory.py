# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""References and memory stay flat, however long it goes on.

Resident memory is asked from the kernel, since what C allocates tracemalloc does not see. A leak of
one small object per step or cycle would show as at least 16 MB in a million steps, or 160 KB in ten
thousand cycles; the tolerances lie above what allocators keep for themselves.
"""

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jbw
from jbw import _core

pytestmark = pytest.mark.slow

MODEL = _core.Model.read("scent")
REWARD = _core.Reward(MODEL, "Cyclical[(Collect[JellyBean], 20), (Avoid[Onion], 10)]")
SMALL = _core.Model(
    "{patch_size: 8, mh_iterations: 8, scent_dimensions: 0, color_dimensions: 1, "
    "agent: {vision_range: 2}, items: {A: {color: [1], intensity: 'Constant[-2]'}}}"
)


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check_flat(work: Callable[[], None], times: int, tolerance: int) -> None:
    """Warms up with a tenth, then does the rest and compares."""
    for _ in range(times // 10):
        work()
    gc.collect()
    before = resident_bytes()
    blocks = sys.getallocatedblocks()
    for _ in range(times):
        work()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert resident_bytes() - before < tolerance


def test_a_million_steps() -> None:
    env = _core.Env(MODEL, REWARD, 1)
    step = env.step
    gc.collect()
    words = [MODEL, REWARD, env.world, env.agent, None, False, "vision", "up", *MODEL.item_names]
    counts = [sys.getrefcount(word) for word in words]

    def turn_around() -> None:
        for _ in range(1000):
            step(1)

    # in place, so that the map does not grow
    check_flat(turn_around, 1000, 2 << 20)
    after = [sys.getrefcount(word) for word in words]
    # a leak of one reference per step would be a million
    assert [a - b < 50 for a, b in zip(after, counts, strict=True)] == [True] * len(words)
    assert env.world.time == 1_100_000


def test_everything_an_agent_offers() -> None:
    world = jbw.World(MODEL, 1)
    agent = world.add_agent()
    policy = _core.Policy("random", MODEL, REWARD)

    def look() -> None:
        agent.act("TurnLeft")
        world.act({agent: 1})
        _ = agent.vision, agent.scent, agent.item_vision, agent.position, agent.start
        _ = agent.direction, agent.items, agent.inventory, agent.active, agent.request
        _ = agent.result, agent.id, agent.world, world.agents, world.stats, world.time
        _ = repr(agent), hash(agent), world.items(-5, -5, 10, 10), world.smell(0, 0)
        _ = world.patch_states(0, 0, 3, 3), world.seed, world.hash(), world.notes
        _ = policy.act(3, agent.vision), REWARD.of(agent), REWARD.at(3), REWARD.evaluate(5)
        _ = MODEL.item_colors, MODEL.item_blocks, MODEL.field_of_view, MODEL.vision_shape

    check_flat(look, 10_000, 2 << 20)


def test_errors() -> None:
    world = jbw.World(MODEL, 1)
    agent = world.add_agent()
    calls: list[Callable[[], Any]] = [
        lambda: agent.act("Jump"),
        lambda: agent.act(17),
        lambda: world.place("Nothing", 0, 0),
        lambda: world.add_agent((2**61, 0)),
        lambda: world.explore([1, 2, 3]),
        lambda: world.act([agent, agent], [0, 0]),
        lambda: _core.Model("{patch_size: x, a: b}"),
        lambda: _core.Model.read("nothing"),
        lambda: _core.Reward(MODEL, "Collect[Nothing]"),
        lambda: _core.Policy("nothing", MODEL),
        lambda: _core.Policy.from_bytes(b"nothing", MODEL, REWARD),
        lambda: _core.Env(MODEL, form="round"),  # type: ignore[arg-type]
        lambda: _core.Batch(MODEL, [1], vision=np.zeros(1, np.float32)),
        lambda: _core.World.from_bytes(b"nothing"),
        lambda: _core.Recording("/nothing"),
        lambda: world.save("/nothing/there", {"a": "b"}),
    ]

    def fail() -> None:
        for call in calls:
            with pytest.raises(Exception):  # noqa: B017
                call()

    check_flat(fail, 300, 2 << 20)


def test_ten_thousand_worlds() -> None:
    def live_and_die() -> None:
        world = jbw.World(SMALL, 1)
        agent = world.add_agent()
        agent.act(0)
        _ = agent.vision, world.agents
        world.on_step(lambda world: None)

    check_flat(live_and_die, 10_000, 4 << 20)


def test_ten_thousand_environments() -> None:
    reward = _core.Reward(SMALL, "Collect[A]")
    env = _core.Env(SMALL, reward, 1)

    def live_and_die() -> None:
        other = _core.Env(SMALL, reward, 1)
        other.step(0)
        env.reset(2)

    check_flat(live_and_die, 10_000, 4 << 20)


def test_copies() -> None:
    env = _core.Env(SMALL, None, 1)
    env.step(0)

    def copy() -> None:
        clone = env.clone()
        clone.step(0)
        world = clone.world.clone()
        _ = _core.World.from_bytes(world.to_bytes({"note": "text"})).config

    check_flat(copy, 1000, 4 << 20)


def test_models_rewards_and_batches() -> None:
    text = SMALL.to_yaml()

    def make() -> None:
        model = _core.Model(text, overrides=[("agent.vision_range", "1")])
        reward = _core.Reward(model, "Random[3, 1, Collect[A], Avoid[A]]")
        policy = _core.Policy("random", model, reward)
        _ = policy.name, model.to_json(), model == SMALL, hash(model)
        _ = _core.Policy.from_bytes(policy.to_bytes(), model, reward), policy.__reduce__()
        batch = _core.Batch(model, [1, 2], reward, threads=2)
        batch.step([0, 0])
        batch.send([0], [0])
        _ = batch.receive(), batch.states(), batch.item_vision(), batch.world(0).agents
        batch.reset(0, 5)

    check_flat(make, 1000, 4 << 20)


def test_circles_are_found() -> None:
    """A callback that refers to its world keeps it only until the collector comes by."""

    def tie() -> None:
        world = jbw.World(SMALL, 1)
        agent = world.add_agent()
        world.on_step(lambda now: (now, agent, world))
        agent.act(0)

    check_flat(tie, 1000, 4 << 20)


def test_no_python_memory_per_step() -> None:
    env = _core.Env(MODEL, REWARD, 1, copy=False)
    for _ in range(1000):
        env.step(1)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10_000):
            env.step(1)
        assert tracemalloc.get_traced_memory()[0] - before < 10_000
    finally:
        tracemalloc.stop()


def test_policies_of_equal_models_are_compared_cheaply() -> None:
    # as after loading: a life and its mind have a model each, and are compared at every step
    agent = jbw.World(_core.Model(MODEL.to_yaml()), 1).add_agent()
    policy = _core.Policy("random", MODEL, REWARD)
    policy.choose(agent)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        policy.choose(agent)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(MODEL.to_yaml()) > 1000
    assert most - before < 1000
