# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Ctrl-C in the middle of calls that take long: they stop soon, the world is as it was before, and
the same call gives the same result later. Times are processor time, so that they do not depend on
what else the machine does."""

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import jbw

# every sampling takes a few seconds, which nobody waits for
SLOW = {"mh_iterations": 3_000_000}
INVARIANT = {"generation": "invariant"}


DELAY = 0.1  # from the call to the signal, in seconds
SOON = 0.2  # from the signal to the exception: a hundredth as a rule


class AlarmError(Exception):
    pass


# the world that is being called, and whether the handler found it in the middle of the call
called: list[jbw.World] = []
found_busy = False


@pytest.fixture(params=["KeyboardInterrupt", "an exception of its own"])
def alarm(request: pytest.FixtureRequest) -> Iterator[type[BaseException]]:
    """A signal in a while, and what it raises."""
    raised = KeyboardInterrupt if request.param == "KeyboardInterrupt" else AlarmError

    def ring(*_: object) -> None:
        global found_busy
        try:
            found_busy = called[0].time < 0
        except jbw.BusyError:
            found_busy = True
        raise raised

    before = signal.signal(signal.SIGPROF, ring)
    yield raised
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def stops(world: jbw.World, call: Callable[[], Any], raised: type[BaseException]) -> None:
    hash_before = world.hash()
    called[:] = [world]
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, DELAY)
    with pytest.raises(raised):
        call()
    seconds = time.process_time() - start - DELAY
    print(f"stopped {seconds:.3f} seconds after the signal")
    assert found_busy, "the handler ran after the call"
    assert seconds < SOON
    assert world.hash() == hash_before


def test_items(alarm: type[BaseException]) -> None:
    world = jbw.World("paper-code", seed=3, overrides=INVARIANT)
    stops(world, lambda: world.items(0, 0, 1500, 1500), alarm)
    same = jbw.World("paper-code", seed=3, overrides=INVARIANT)
    assert (world.items(0, 0, 70, 70) == same.items(0, 0, 70, 70)).all()


def test_draw(alarm: type[BaseException], tmp_path: Any) -> None:
    world = jbw.World("paper-code", seed=3, overrides=INVARIANT)
    stops(world, lambda: world.draw(tmp_path / "a.png", 0, 0, 1500, 1500, scale=1), alarm)
    assert list(tmp_path.iterdir()) == []


CALLS: dict[str, Callable[[jbw.World], Any]] = {
    "add_agent": lambda world: world.add_agent(),
    "add_agent with a place": lambda world: world.add_agent((500, 500)),
    "explore": lambda world: world.explore([(0, 0), (900, 900)]),
    "explore_region": lambda world: world.explore_region(0, 0, 100, 100),
    "place": lambda world: world.place("Wall", 5, 5),
}


@pytest.mark.parametrize("name", CALLS)
def test_generation(name: str, alarm: type[BaseException]) -> None:
    world = jbw.World("paper-code", seed=3, overrides=SLOW)
    stops(world, lambda: CALLS[name](world), alarm)
    assert world.agents == ()
    assert world.stats.patch_count == 0


def test_step(alarm: type[BaseException]) -> None:
    """An agent walks on into terrain that takes long to generate."""
    slow = {"mh_iterations": 400_000, "patch_size": 16, "agent.vision_range": 5}
    world = jbw.World("walk", seed=3, overrides=slow)
    agent = world.add_agent()
    twin = world.clone()
    called[:] = [world]
    signal.setitimer(signal.ITIMER_PROF, DELAY)
    with pytest.raises(alarm):
        while world.time < 1000:
            agent.act("MoveForward")
    assert not agent.request
    while twin.time < world.time + 20:
        twin.agents[0].act("MoveForward")
    while world.time < twin.time:
        agent.act("MoveForward")
    assert world.hash() == twin.hash()


def test_handlers_without_exceptions() -> None:
    """A handler that raises nothing changes nothing; it cannot use the world meanwhile."""
    world = jbw.World("walk", seed=3, overrides={"mh_iterations": 300_000})
    seen = []

    def look(*_: object) -> None:
        try:
            seen.append(world.time)
        except jbw.BusyError:
            seen.append(-1)

    before = signal.signal(signal.SIGPROF, look)
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
        world.explore([(0, 0), (100, 100), (300, 300)])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert -1 in seen
    same = jbw.World("walk", seed=3, overrides={"mh_iterations": 300_000})
    same.explore([(0, 0), (100, 100), (300, 300)])
    assert world.hash() == same.hash()


def test_follow(alarm: type[BaseException]) -> None:
    """A policy that was interrupted goes on as if it had not been."""
    model = jbw.World("walk").model
    world = jbw.World(model, seed=3)
    agent = world.add_agent()
    policy = jbw.Policy("random", model, seed=5)
    called[:] = [world]
    signal.setitimer(signal.ITIMER_PROF, DELAY)
    with pytest.raises(alarm):
        agent.follow(policy, 100_000_000)
    steps = world.time
    assert steps < 100_000_000
    same = jbw.World(model, seed=3)
    other = same.add_agent()
    again = jbw.Policy("random", model, seed=5)
    other.follow(again, steps)
    agent.follow(policy, 100)
    other.follow(again, 100)
    assert world.hash() == same.hash()
