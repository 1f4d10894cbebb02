# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The world village, and ids that stand for environments of many agents."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test, state_test
from pettingzoo.utils.conversions import parallel_to_aec

import jbw

VILLAGE = "jbw/Village-v0"


def test_id_stands_for_arguments() -> None:
    env = jbw.parallel_env(VILLAGE)
    observations, _ = env.reset(seed=7)
    bodies = [env.member(name).body for name in env.agents]
    assert bodies == [None, "Scout", "Gatherer", None, "Scout", "Gatherer", None, "Scout"]
    assert env.world.reward == "Team[Collect[JellyBean]] & Avoid[Onion, 0.1]"
    assert set(observations["agent_0"]) == {"vision", "scent", "moved", "heard", "note"}
    assert observations["agent_7"]["vision"].shape == (11, 11, 3)

    few = jbw.parallel_env(VILLAGE, ["ann", "bob"], None, bodies={"bob": "Gatherer"}, note=False)
    observations, _ = few.reset(seed=7)
    assert [few.member(name).body for name in few.agents] == [None, "Gatherer"]
    assert few.world.reward is None and "note" not in observations["ann"]

    usual = jbw.parallel_env("jbw/Orchard-v0")
    usual.reset(seed=7)
    assert usual.agents == ["agent_0", "agent_1"] and "Square" in usual.world.reward
    with pytest.raises(ValueError, match="there is no id 'jbw/Nowhere-v0'"):
        jbw.parallel_env("jbw/Nowhere-v0")
    with pytest.raises(TypeError, match="expected a mapping or a sequence of bodies"):
        jbw.parallel_env("village", bodies="Scout")


def test_pettingzoo_accepts_it() -> None:
    parallel_api_test(jbw.parallel_env(VILLAGE, max_agents=8), num_cycles=50)
    parallel_seed_test(lambda: jbw.parallel_env(VILLAGE))


def test_alone_it_is_a_gymnasium_environment() -> None:
    env = gymnasium.make(VILLAGE)
    assert env.action_space == gymnasium.spaces.MultiDiscrete([5, 5])
    observation, info = env.reset(seed=7)
    assert observation["heard"].shape == (4,)
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 1]


def test_bodies_see_as_far_as_they_should() -> None:
    world = jbw.World("village", seed=7)
    for body, reach in ((None, 4), ("Scout", 5), ("Gatherer", 2)):
        agent = world.add_agent(body=body)
        for ahead in range(1, 6):
            world.place("Hedge", agent.position[0], agent.position[1] + ahead)
        seen = agent.vision[..., 1] == np.float32(0.47)
        assert seen[:5, 5].tolist() == [5 - i <= reach for i in range(5)]
        world = jbw.World("village", seed=7)


def test_state_of_all_agents() -> None:
    env = jbw.parallel_env(VILLAGE, ["ann", "bob", "eve"], max_agents=4, inventory=True)
    env.reset(seed=7)
    state = env.state()
    assert state.shape == env.state_space.shape and state.dtype == np.float32

    def expected(name: str, names: list[str]) -> list[float]:
        seen = env.observe(name)
        parts = [np.asarray(seen[key], np.float64).ravel().tolist() for key in seen]
        member = env.member(name)
        xs, ys = zip(*(env.member(one).position for one in names), strict=True)
        x, y = member.position
        place = [x - sum(xs) // len(xs), y - sum(ys) // len(ys)]
        turned = [float(member.direction == way) for way in ("up", "right", "down", "left")]
        body = [float(member.body == one) for one in (None, "Scout", "Gatherer")]
        carried = [float(member.items.get(item, 0)) for item in env.item_names]
        seen_flat = [value for part in parts for value in part]
        return [1.0, *seen_flat, *place, *turned, *body, *carried]

    def check(seats: dict[str, int]) -> None:
        assert env.state() in env.state_space
        state = env.state().reshape(4, -1)
        for name, seat in seats.items():
            assert state[seat].tolist() == expected(name, list(seats))
        empty = [seat for seat in range(4) if seat not in seats.values()]
        assert not state[empty].any()

    generator = np.random.default_rng(1)

    def act() -> None:
        env.step({name: generator.integers([5, 5]) for name in env.agents})

    for _ in range(30):
        act()
        check({"ann": 0, "bob": 1, "eve": 2})
    env.leave("bob")
    check({"ann": 0, "eve": 2})
    late = [env.join(body="Scout"), env.join()]
    for _ in range(5):
        check({"ann": 0, late[0]: 1, "eve": 2, late[1]: 3})
        act()
    twin = env.clone()
    assert np.array_equal(twin.state(), env.state())
    env.reset(seed=8)
    check({"ann": 0, "bob": 1, "eve": 2})
    few = jbw.parallel_env(VILLAGE, 1)  # without max_agents, who joins has no seat
    few.reset(seed=7)
    few.join()
    assert few.state().shape == few.state_space.shape
    assert few.state()[0] == 1 and few.state_space.shape[0] * 4 == env.state_space.shape[0] - 16


@pytest.mark.parametrize("options", [{}, {"observation": "flat"}, {"vision": "image"}], ids=str)
def test_pettingzoo_accepts_the_state(options: dict[str, Any]) -> None:
    def new() -> Any:
        return jbw.parallel_env(VILLAGE, max_agents=8, **options)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state_test(parallel_to_aec(new()), new(), 5)
