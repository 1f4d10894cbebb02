# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The world village, and ids that stand for environments of many agents."""

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

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
