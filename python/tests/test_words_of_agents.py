# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What agents say, hear, write and read: agents, worlds, environments and batches."""

import copy
import json
import pickle

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import jbw
from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldParallelEnv, JellyBeanWorldVectorEnv

ACTIONS = ["MoveForward", "TurnLeft", "Collect", "Drop[Note]", "NoOp", "Drop[Bean]"]
FORWARD, LEFT, COLLECT, DROP, NOTHING, DROP_BEAN = range(6)


def config(generation="frontier", voice=True, **items):
    data = {
        "patch_size": 16,
        "mh_iterations": 10,
        "generation": generation,
        "scent_dimensions": 0,
        "collection": "manual",
        "collision": "allow",
        "agent": {"vision_range": 2, "actions": ACTIONS},
        "items": {
            "Note": {"text": True, "intensity": "Constant[-30]"},
            "Bean": {"intensity": "Constant[-30]"},
            **items,
        },
    }
    if voice:
        data["agent"]["voice"] = {"symbols": 3, "range": 2}
    return data


def give_note(world, agent, text=None):
    world.place("Note", *agent.position, text=text)
    agent.act("Collect")


# --- agents and worlds ----------------------------------------------------------------------------


@pytest.mark.parametrize("generation", ["frontier", "invariant"])
def test_notes(generation, tmp_path):
    world = jbw.World(config(generation, voice=False), seed=1)
    agent = world.add_agent()
    assert agent.note == ""
    give_note(world, agent, "go north")
    assert agent.note == "go north"
    agent.act("Drop[Note]", text="north: beans 🫘")
    assert agent.note == world.inspect(0, 0).text == "north: beans 🫘"
    path = tmp_path / "world.jbw"
    world.save(path)
    for copied in (world.clone(), jbw.World.load(path), pickle.loads(pickle.dumps(world))):
        assert copied.inspect(0, 0).text == "north: beans 🫘"
        assert copied.agents[0].note == "north: beans 🫘"
        assert copied.hash() == world.hash()
    agent.act("MoveForward")
    assert agent.note == ""
    agent.act("NoOp")
    assert world.model.text_items == ("Note",)
    assert world.model.parts["text"].shape == (256,)


def test_what_is_refused():
    world = jbw.World(config(), seed=1)
    agent = world.add_agent()
    give_note(world, agent)
    before = world.hash()
    for action, words, why in [
        ("Drop[Note]", {"text": "x" * 256}, "256 bytes, expected at most 255"),
        ("Drop[Note]", {"text": "a\0b"}, "zero"),
        ("Drop[Bean]", {"text": "x"}, "Bean carries no text"),
        ("NoOp", {"text": "x"}, "NoOp has no text"),
        ("NoOp", {"say": 4}, "there is no symbol 4, expected 1 to 3"),
        ("NoOp", {"say": -1}, "there is no symbol -1"),
    ]:
        with pytest.raises(ValueError, match=why):
            agent.act(action, **words)
        with pytest.raises(ValueError, match=why):
            if "say" in words:
                world.act({agent: (action, words["say"])})
            else:
                world.act([agent], [action], [words["text"]])
    with pytest.raises(ValueError, match="Bean carries no text"):
        world.place("Bean", 5, 5, text="x")
    with pytest.raises(ValueError, match="at most 255"):
        world.place("Note", 5, 5, text="ä" * 128)
    with pytest.raises(TypeError, match="unexpected keyword"):
        agent.act("NoOp", shout=1)
    with pytest.raises(TypeError):
        agent.act("Drop[Note]", text=3)
    assert world.hash() == before
    with pytest.raises(ValueError, match="have no voice"):
        jbw.World(config(voice=False)).add_agent().act("NoOp", say=1)


def test_voices():
    world = jbw.World(config(), seed=1)
    near, other, far = (world.add_agent(position=at) for at in [(0, 0), (2, 0), (3, 0)])
    assert world.model.voice == (3, 2)
    near.act("NoOp", say=1)
    other.act("NoOp", say=3)
    assert far.act("NoOp", say=3)
    assert near.heard.dtype == np.float32
    assert near.heard.tolist() == [0, 0, 1]
    assert other.heard.tolist() == [1, 0, 1]
    assert far.heard.tolist() == [0, 0, 1]
    assert [agent.result.said for agent in (near, other, far)] == [1, 3, 3]
    assert world.act({near: ("NoOp", 2), other: "NoOp", far: ("NoOp", 0)})
    assert other.heard.tolist() == [0, 1, 0]


def test_recordings(tmp_path):
    world = jbw.World(config(), seed=1)
    first, second = world.add_agent(), world.add_agent()
    path = tmp_path / "life.jbwr"
    with world.record(path):
        world.place("Note", *first.position, text="take me")
        world.act({first: "Collect", second: ("NoOp", 3)})
        world.act([first, second], [("Drop[Note]", 1), "NoOp"], ["mine", None])
        first.act("NoOp", say=2)
        second.act("NoOp")
    operations = list(jbw.Recording(path))
    assert [o.texts for o in operations] == [
        ("take me",),
        (None, None),
        ("mine", None),
        (None,),
        (None,),
    ]
    assert [o.say for o in operations] == [(), (0, 3), (1, 0), (2,), (0,)]
    recording = jbw.Recording(path)
    for _ in recording:
        pass
    assert recording.world.hash() == world.hash()
    assert recording.world.agents[1].heard.tolist() == second.heard.tolist() == [0, 1, 0]
    assert recording.world.agents[0].note == "mine"


# --- environments ---------------------------------------------------------------------------------


def decoded(observation):
    return bytes(observation["note"]).rstrip(b"\0").decode()


def test_env_with_voice_and_notes():
    env = JellyBeanWorldEnv(config(), None, note=True)
    assert env.action_space == spaces.MultiDiscrete([6, 4])
    assert env.observation_space["heard"].shape == (3,)
    assert env.observation_space["note"] == spaces.Box(0, 255, (256,), np.uint8)
    env.reset(seed=3)
    env.world.place("Note", *env.agent.position, text="old")
    observation, *_ = env.step(np.array([COLLECT, 2]))
    assert env.agent.result.said == 2
    assert decoded(observation) == "old"
    assert observation in env.observation_space
    env.write("new")
    observation, *_ = env.step([FORWARD, 0])  # the text waits
    twin, again = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    for one in (env, twin, again):
        observation, *_ = one.step((DROP, 0))
        assert decoded(observation) == "new"
        one.step((COLLECT, 0))
        observation, *_ = one.step((DROP, 0))  # and is used once
        assert decoded(observation) == ""
    env.write("lost")
    env.reset(seed=4)
    env.world.place("Note", *env.agent.position)
    env.step(COLLECT)  # an action alone is silent
    observation, *_ = env.step((DROP, 1))
    assert decoded(observation) == ""
    with pytest.raises(ValueError, match="there is no symbol 4"):
        env.step((NOTHING, 4))
    with pytest.raises(ValueError, match="an action and a symbol"):
        env.step((NOTHING, 1, 1))
    with pytest.raises(ValueError, match="at most 255"):
        env.write("x" * 256)


def test_env_without_words():
    env = JellyBeanWorldEnv("paper-code", note=True)
    assert isinstance(env.action_space, spaces.Discrete)
    assert set(env.observation_space.spaces) == {"vision", "scent", "moved"}
    env.reset(seed=1)
    with pytest.raises(ValueError, match="no item of this world carries a text"):
        env.write("x")
    with pytest.raises(TypeError):
        env.step((0, 0))


def test_gymnasium_accepts_it():
    env = JellyBeanWorldEnv(config(), None, note=True)
    check_env(env, skip_render_check=True)


def test_flat_observations():
    env = JellyBeanWorldEnv(config(), None, observation="flat", note=True)
    env.reset(seed=1)
    env.world.place("Note", *env.agent.position, text="a")
    observation, *_ = env.step((NOTHING, 0))
    assert observation[-256] == ord("a")
    assert observation in env.observation_space


def test_parallel():
    env = JellyBeanWorldParallelEnv(config(), 3, None, note=True)
    env.reset(seed=1)
    assert env.action_space("agent_0") == spaces.MultiDiscrete([6, 4])
    env.world.place("Note", *env.member("agent_1").position)
    observations, *_ = env.step(
        {"agent_0": (0, 1), "agent_1": (COLLECT, 3), "agent_2": (NOTHING, 3)}
    )
    heard = {name: observation["heard"].tolist() for name, observation in observations.items()}
    for name in env.agents:
        assert heard[name] == env.member(name).heard.tolist()
    assert heard["agent_0"][0] == 0  # not oneself
    env.write("agent_1", "for you")
    observations, *_ = env.step({"agent_0": 4, "agent_1": (DROP, 0), "agent_2": (NOTHING, 0)})
    assert decoded(observations["agent_1"]) == "for you"
    with pytest.raises(ValueError, match="no agent"):
        env.write("agent_7", "x")


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_vector_is_as_single(mode):
    count, steps = 3, 60
    rng = np.random.default_rng(5)
    envs = JellyBeanWorldVectorEnv(
        count, config(), None, note=True, max_episode_steps=1000, autoreset_mode=mode
    )
    singles = [JellyBeanWorldEnv(config(), None, note=True) for _ in range(count)]
    assert envs.single_action_space == spaces.MultiDiscrete([6, 4])
    assert envs.action_space.shape == (count, 2)
    envs.reset(seed=7)
    for i, env in enumerate(singles):
        env.reset(seed=7 + i)
        for world in (env.world, envs.world(i)):
            world.place("Note", *env.agent.position)
    for step in range(steps):
        actions = np.stack([rng.integers(6, size=count), rng.integers(4, size=count)], axis=1)
        if step == 0:
            actions[:, 0] = COLLECT
        if step % 3 == 0:
            for i, env in enumerate(singles):
                text = f"step {step} of {i}"
                env.write(text)
                envs.write(i, text)
        if step % 2:
            observations, *_ = envs.step(actions)
        elif mode == "next_step":
            observations, *_ = envs.step(actions.tolist())
        else:
            observations, *_ = envs.step(actions.astype(np.int32))
        for i, env in enumerate(singles):
            alone, *_ = env.step(actions[i])
            for key, value in alone.items():
                np.testing.assert_array_equal(observations[key][i], value)
            assert envs.world(i).hash() == env.world.hash()
            assert envs.batch.agent(i).result.said == actions[i, 1]


def test_batches():
    model = jbw.World(config()).model
    heard = np.zeros((4, 3), np.float32)
    text = np.zeros((4, 256), np.uint8)
    batch = jbw.Batch(model, [1, 2], None, 2, heard=heard, text=text)
    batch.step([[NOTHING, 1], [NOTHING, 0], [NOTHING, 3], [NOTHING, 2]])
    for row in range(4):
        assert heard[row].tolist() == batch.agent(row).heard.tolist()
    assert heard.sum() > 0
    batch.step([NOTHING] * 4)  # silence
    assert heard.sum() == 0
    batch.send([1], [[NOTHING, 1], [NOTHING, 1]])
    with pytest.raises(ValueError, match="not received yet"):
        batch.write(3, "x")
    batch.receive()
    assert heard[2:].tolist() == [[1, 0, 0], [1, 0, 0]]
    with pytest.raises(ValueError, match="no such action or symbol"):
        batch.step([[NOTHING, 4]] * 4)
    with pytest.raises(ValueError, match="expected 4 actions"):
        batch.step([[NOTHING, 1]] * 3)
    batch.world(0).place("Note", *batch.agent(0).position)
    batch.step([COLLECT, NOTHING, NOTHING, NOTHING])
    batch.write(0, "hello")
    batch.step([NOTHING] * 4)
    batch.step([DROP, NOTHING, NOTHING, NOTHING])
    assert bytes(text[0]).rstrip(b"\0") == b"hello"
    with pytest.raises(ValueError):
        batch.write(9, "x")


def test_config():
    world = jbw.Config(config(voice=False))
    world.add_item("Sign", text=True, collectable=False)
    world["agent.voice"] = {"symbols": 2, "range": 5}
    model = jbw.World(world).model
    assert model.text_items == ("Note", "Sign")
    assert model.voice == (2, 5)
    assert json.loads(model.to_json())["agent"]["voice"] == {"symbols": 2, "range": 5}
