# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Threads: different worlds at the same time, one world by turns. No test looks at a clock."""

import threading
from collections.abc import Callable

import numpy as np
import pytest

import jbw
from jbw import _core

MODEL = _core.Model.read("scent")
REWARD = _core.Reward(MODEL, "Collect[JellyBean]")


def run_all(functions: list[Callable[[], None]]) -> None:
    failures: list[BaseException] = []

    def guarded(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("kind", ["follow", "explore", "batch"])
def test_python_goes_on_while_a_world_is_at_work(kind: str) -> None:
    """With the interpreter's lock held, this thread could not do anything between the moment when
    the other begins its one long call and the moment when that returns."""
    began = threading.Event()
    ended = threading.Event()
    world = jbw.World(MODEL, 1)
    agent = world.add_agent()
    policy = _core.Policy("random", MODEL, REWARD, 1)
    batch = _core.Batch(MODEL, range(32), REWARD, threads=1)

    def work() -> None:
        began.set()
        if kind == "follow":
            agent.follow(policy, 200_000, REWARD)
        elif kind == "explore":
            world.explore([(x * 300, 0) for x in range(300)])
        else:
            for _ in range(300):
                batch.step(np.zeros(32, np.int32))
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    count = 0
    while not ended.is_set():
        count += 1
    thread.join()
    # between two switches of threads that want the lock lie 5 ms of Python, hundreds of rounds;
    # while the other one works without it, there are many more
    assert count > 1000


def test_two_worlds_meet_in_their_callbacks() -> None:
    """Each thread waits, in the middle of its own step, for the other to be in the middle of its
    own: possible only if both steps are under way at the same time."""
    barrier = threading.Barrier(2, timeout=60)
    worlds = [jbw.World(MODEL, seed) for seed in (1, 2)]
    agents = [world.add_agent() for world in worlds]
    for world in worlds:
        world.on_step(lambda now: barrier.wait())

    def walk(agent: jbw.Agent) -> Callable[[], None]:
        def run() -> None:
            for _ in range(50):
                agent.act(0)

        return run

    run_all([walk(agent) for agent in agents])
    assert [world.time for world in worlds] == [50, 50]


def test_different_worlds_give_what_they_give_alone() -> None:
    def life(seed: int) -> int:
        env = _core.Env(MODEL, REWARD, seed)
        for step in range(2000):
            env.step((0, 0, 1, 0, 2)[step % 5])
        return env.world.hash()

    expected = [life(seed) for seed in range(4)]
    found = [0] * 4

    def run(seed: int) -> None:
        found[seed] = life(seed)

    run_all([lambda seed=seed: run(seed) for seed in range(4)])  # type: ignore[misc]
    assert found == expected


def test_one_world_by_turns() -> None:
    world = jbw.World(MODEL, 1)
    agent = world.add_agent()
    cells = 0

    def act() -> None:
        for _ in range(2000):
            agent.act(1)

    def look() -> None:
        nonlocal cells
        for _ in range(2000):
            _ = agent.vision.sum(), agent.scent, agent.position, agent.result, world.time
            cells += world.items(-10, -10, 20, 20).size

    def edit() -> None:
        for _ in range(500):
            if world.items(5, 5, 1, 1)[0, 0]:
                world.remove(5, 5)
            else:
                world.place("Onion", 5, 5)
            world.clone().hash()

    def add_and_remove() -> None:
        for i in range(200):
            other = world.add_agent((100 + i, 100))
            other.active = False
            other.remove()

    run_all([act, act, look, edit, add_and_remove])
    assert world.agents == (agent,)


def test_one_environment_by_turns() -> None:
    env = _core.Env(MODEL, REWARD, 1)

    def step() -> None:
        for _ in range(1000):
            observation, _, _, _, info = env.step(1)
            assert observation["vision"].shape == MODEL.vision_shape
            assert info["position"] == (0, 0)

    def reset() -> None:
        for seed in range(30):
            env.reset(seed)
            env.observe()

    run_all([step, step, reset])


def test_one_batch_by_turns() -> None:
    batch = _core.Batch(MODEL, range(4), REWARD, threads=2)

    def step() -> None:
        for _ in range(300):
            batch.step([1, 1, 1, 1])

    def look() -> None:
        for _ in range(300):
            batch.states()
            batch.hash(2)

    run_all([step, step, look])
    assert batch.world(0).time == 600


def test_closing_while_others_step() -> None:
    batch = _core.Batch(MODEL, range(4), REWARD, threads=2)
    stepped = threading.Event()

    def step() -> None:
        with pytest.raises(jbw.BusyError, match="closed"):
            while True:
                batch.step([1, 1, 1, 1])
                stepped.set()

    def close() -> None:
        stepped.wait()
        batch.close()

    run_all([step, close])
