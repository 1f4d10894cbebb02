# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents with different bodies, and tools: worlds, environments, masks of actions."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import jbw
from jbw import _core
from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldParallelEnv, JellyBeanWorldVectorEnv

WORLD: dict[str, Any] = {
    "patch_size": 32,
    "mh_iterations": 300,
    "agent": {
        "vision_range": 2,
        "color": [0, 0, 1],
        "actions": ["MoveForward", "TurnLeft", "TurnRight", "Drop[Glass]"],
        "tools": {"Glass": {"vision_range": 6}},
    },
    "bodies": {
        "Scout": {"vision_range": 5, "color": [-1, 2, 0], "scent": [1, 0, 0]},
        "Snail": {"vision_range": 1, "actions": ["MoveForward", "TurnRight"]},
    },
    "items": {
        "JellyBean": {"color": [1, 0, 0], "intensity": "Constant[-2]"},
        "Glass": {"color": [0, 1, 0], "intensity": "Constant[-3]"},
    },
}
SNAIL_MASK = [1, 0, 1, 0]


@pytest.fixture(scope="module")
def model() -> _core.Model:
    return jbw.World(WORLD).model


def test_model(model: _core.Model) -> None:
    assert model.bodies == ("Scout", "Snail")
    assert model.vision_range == 6
    mask = model.action_mask("Snail")
    assert mask.dtype == np.int8
    assert mask.tolist() == SNAIL_MASK
    assert model.action_mask(None).tolist() == [1, 1, 1, 1]
    with pytest.raises(jbw.ArgumentError, match="unknown body 'Snake', expected one of"):
        model.action_mask("Snake")
    with pytest.raises(jbw.ArgumentError, match="this world has no bodies"):
        jbw.World("walk").model.action_mask("Scout")
    with pytest.raises(TypeError):
        model.action_mask(3)  # type: ignore[arg-type]


def test_agents(model: _core.Model) -> None:
    world = jbw.World(model, seed=4)
    scout, plain = world.add_agent(body="Scout"), world.add_agent()
    snail = world.add_agent((3, 3), force=True, body="Snail")
    assert [agent.body for agent in (scout, plain, snail)] == ["Scout", None, "Snail"]
    with pytest.raises(jbw.ArgumentError, match="unknown body"):
        world.add_agent(body="Snake")
    assert scout.vision.shape == (13, 13, 3)
    for agent, reach in ((scout, 5), (plain, 2), (snail, 1)):
        seen = np.argwhere(np.any(agent.vision != 0, axis=2)) - 6
        assert np.abs(seen).max() <= reach
    world.act({scout: "MoveForward", plain: "TurnLeft", snail: "TurnLeft"})
    assert world.time == 1
    assert snail.result.outcome == "not_able"
    assert snail.direction == "up"
    for other in (world.clone(), pickle.loads(pickle.dumps(world))):
        assert other.hash() == world.hash()
        assert [agent.body for agent in other.agents] == ["Scout", None, "Snail"]
        assert all(
            np.array_equal(a.vision, b.vision)
            for a, b in zip(other.agents, world.agents, strict=True)
        )


def test_tool_widens_the_view(model: _core.Model) -> None:
    world = jbw.World(model, seed=4)
    agent = world.add_agent(body="Snail")
    ahead = (agent.position[0], agent.position[1] + 1)
    if world.inspect(*ahead).item is not None:
        world.remove(*ahead)
    world.place("Glass", *ahead)
    before = np.abs(np.argwhere(np.any(agent.vision != 0, axis=2)) - 6).max()
    agent.act("MoveForward")
    assert agent.items == {"Glass": 1}
    after = np.abs(np.argwhere(np.any(agent.vision != 0, axis=2)) - 6).max()
    assert before <= 1 < after


def test_recording(model: _core.Model, tmp_path: Any) -> None:
    world = jbw.World(model, seed=9)
    with world.record(tmp_path / "life.jbwr"):
        world.add_agent(body="Snail")
        world.add_agent()
        for _ in range(5):
            world.act(world.agents, ["TurnLeft", "MoveForward"])
    recording = jbw.Recording(tmp_path / "life.jbwr")
    recording.seek()
    replayed = recording.world
    assert replayed.hash() == world.hash()
    assert [agent.body for agent in replayed.agents] == ["Snail", None]


def test_env() -> None:
    env = JellyBeanWorldEnv(WORLD, body="Snail", vision="items", agents_channel=True)
    observation, info = env.reset(seed=3)
    assert observation["vision"].shape == (13, 13, 2 + 3)
    assert env.observation_space.contains(observation)
    assert info["action_mask"].tolist() == SNAIL_MASK
    assert info["action_mask"].dtype == np.int8  # as Discrete.sample wants it
    assert env.agent.body == "Snail"
    assert env.action_space.sample(info["action_mask"]) in (0, 2)
    assert env.action_masks().tolist() == [True, False, True, False]
    for action, outcome in ((1, "not_able"), (2, "done")):
        *_, info = env.step(action)
        assert info["outcome"] == outcome
        assert info["action_mask"].tolist() == SNAIL_MASK
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.agent.body == "Snail"
        assert other.step(2)[4]["outcome"] == "done"
        other.reset(seed=1)
        assert other.agent.body == "Snail"
    numbers = JellyBeanWorldEnv(WORLD, info="numbers")
    assert numbers.reset(seed=1)[1]["action_mask"].tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="unknown body"):
        JellyBeanWorldEnv(WORLD, body="Snake")
    plain = JellyBeanWorldEnv("walk")
    assert "action_mask" not in plain.reset(seed=1)[1]
    assert plain.action_masks().all()


def test_env_checker() -> None:
    check_env(JellyBeanWorldEnv(WORLD, body="Scout"), skip_render_check=True)


def test_vector() -> None:
    env = JellyBeanWorldVectorEnv(3, WORLD, body="Snail", threads=1)
    single = JellyBeanWorldEnv(WORLD, body="Snail")
    observations, infos = env.reset(seed=7)
    alone, _ = single.reset(seed=8)
    assert np.array_equal(observations["vision"][1], alone["vision"])
    assert infos["action_mask"].shape == (3, 4)
    assert infos["action_mask"].tolist() == [SNAIL_MASK] * 3
    assert env.action_masks().tolist() == [[True, False, True, False]] * 3
    for action in (0, 1, 2, 0):
        observations, *_, infos = env.step(np.full(3, action))
        alone, *_, info = single.step(action)
        assert np.array_equal(observations["vision"][1], alone["vision"])
        assert infos["outcome"][1] == info["outcome"]
    assert pickle.loads(pickle.dumps(env)).world(0).agents[0].body == "Snail"


def test_parallel() -> None:
    env = JellyBeanWorldParallelEnv(
        WORLD,
        ["ann", "bob", "eve"],
        body="Scout",
        bodies={"bob": "Snail", "eve": None},
        vision="items",
        agents_channel=True,
        max_agents=4,
    )
    observations, infos = env.reset(seed=2)
    assert [env.member(name).body for name in env.agents] == ["Scout", "Snail", None]
    assert infos["bob"]["action_mask"].tolist() == SNAIL_MASK
    assert infos["ann"]["action_mask"].tolist() == [1, 1, 1, 1]
    assert env.action_mask("bob").tolist() == SNAIL_MASK
    # they stand side by side: channels by body, oneself not counted
    ann = observations["ann"]["vision"]
    assert ann.shape == (13, 13, 2 + 3)
    assert ann[..., 2].sum() == 1
    assert ann[..., 3].sum() == 0
    assert ann[..., 4].sum() == 1
    assert env.observation_space("ann").contains(observations["ann"])
    _, _, _, _, infos = env.step(dict.fromkeys(env.agents, 1))
    assert infos["bob"]["outcome"] == "not_able"
    assert infos["ann"]["outcome"] == "done"
    name = env.join(body="Snail")
    assert env.member(name).body == "Snail"
    again = copy.deepcopy(env)
    assert [again.member(one).body for one in again.agents] == ["Scout", "Snail", None, "Snail"]
    with pytest.raises(ValueError, match="unknown body"):
        JellyBeanWorldParallelEnv(WORLD, 2, bodies={"agent_0": "Snake"})
    with pytest.raises(ValueError, match="no agent's name"):
        JellyBeanWorldParallelEnv(WORLD, 2, bodies={"zoe": "Snail"})


def test_batch(model: _core.Model) -> None:
    body = np.zeros(4, np.uint8)
    batch = _core.Batch(model, [1, 2], None, 2, 1, bodies=["Snail", None], body=body)
    assert body.tolist() == [2, 0, 2, 0]
    batch.reset(1, 5)
    assert [agent.body for agent in batch.world(1).agents] == ["Snail", None]
    with pytest.raises(jbw.ArgumentError, match="world 0 has 2 agents, but there are 1 bodies"):
        _core.Batch(model, [1], None, 2, 1, bodies=["Snail"])
    with pytest.raises(jbw.ArgumentError, match="unknown body"):
        _core.Batch(model, [1], bodies=["Snake"])
    with pytest.raises(TypeError):
        _core.Batch(model, [1], bodies="Snail")


def test_maskable_ppo() -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    env = JellyBeanWorldEnv(WORLD, body="Snail")
    learner = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, seed=1)
    outcomes: list[str] = []

    def watch(local: dict[str, Any], _: dict[str, Any]) -> bool:
        outcomes.extend(info["outcome"] for info in local["infos"])
        return True

    learner.learn(64, callback=watch)
    assert len(outcomes) >= 64
    assert "not_able" not in outcomes


def test_spaces_hold_what_is_seen() -> None:
    env = JellyBeanWorldParallelEnv(
        {**WORLD, "collision": "allow"}, 4, bodies={"agent_1": "Scout"}, max_agents=4
    )
    observations, _ = env.reset(seed=2)
    for _ in range(30):
        for name in env.agents:
            assert env.observation_space(name).contains(observations[name])
        observations, *_ = env.step({name: env.action_space(name).sample() for name in env.agents})


def test_policies_know_bodies(model: _core.Model) -> None:
    for name in ("greedy", "random", "oracle"):
        world = jbw.World(model, seed=6)
        agents = [world.add_agent(body=body) for body in (None, "Scout", "Snail")]
        policies = [
            jbw.Policy(name, model, jbw.Reward(model, "Collect[JellyBean]"), seed=i)
            for i, _ in enumerate(agents)
        ]
        for _ in range(60):
            actions = [policy.choose(agent) for policy, agent in zip(policies, agents, strict=True)]
            world.act(agents, actions)
            assert "not_able" not in [agent.result.outcome for agent in agents]


def test_config() -> None:
    config = jbw.Config(WORLD)
    assert config.bodies == ("Scout", "Snail")
    assert config.tools == ("Glass",)
    config.add_body("Owl", vision_range=6, field_of_view=90, actions=["MoveForward"])
    config.add_tool("JellyBean", visual_occlusion=False).remove_tool("Glass").remove_body("Scout")
    assert config.problems() == []
    made = jbw.World(config).model
    assert made.bodies == ("Snail", "Owl")
    assert made.action_mask("Owl").tolist() == [1, 0, 0, 0]
    config = jbw.Config(WORLD).remove_item("Glass")
    assert config.tools == ()
    assert config.problems() == []
    config.add_body("Owl", actions=["Collect"])
    assert "'Collect' is not one of agent.actions" in str(config.problems()[0])
