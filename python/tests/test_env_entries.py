# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What observations can have besides vision, scent and `moved`: inventory, task, other agents and
pictures; in every kind of environment."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from small_worlds import SMALL

import jbw
from jbw import _core
from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldVectorEnv

REWARD = "Collect[JellyBean] & Avoid[Onion] & Action[0.1]"
TURNS = "Cyclical[(Collect[JellyBean, 2], 3), (Avoid[Onion] & Explore[0.5], 2)]"

OPTIONS: list[dict[str, Any]] = [
    {"inventory": True},
    {"task": True},
    {"vision": "items", "agents_channel": True},
    {"vision": "image"},
    {"vision": "image", "channels": "first", "image_scale": 2, "observation": "vision"},
    {"inventory": True, "task": True, "vision": "items", "agents_channel": True},
    {"inventory": True, "task": True, "observation": "flat"},
]


def ids(options: dict[str, Any]) -> str:
    return "-".join(f"{key}={value}" for key, value in options.items())


def same(a: Any, b: Any) -> bool:
    return bool(data_equivalence(a, b, exact=True))


def weights(world: jbw.World, time: int) -> dict[str, float]:
    """Of TURNS, by hand."""
    paid = dict.fromkeys(world.item_names, 0.0)
    paid.update({"JellyBean": 2.0} if time % 5 < 3 else {"Onion": -1.0})
    return paid


@pytest.mark.parametrize("options", OPTIONS, ids=ids)
@pytest.mark.parametrize("copied", [True, False])
def test_single_and_many_worlds_say_the_same(options: dict[str, Any], copied: bool) -> None:
    env = JellyBeanWorldEnv(SMALL, TURNS, copy=copied, **options)
    check_env(JellyBeanWorldEnv(SMALL, TURNS, **options), skip_render_check=True)
    envs = JellyBeanWorldVectorEnv(2, SMALL, TURNS, copy=copied, **options)
    observation, _ = env.reset(seed=5)
    rows, _ = envs.reset(seed=5)
    for action in np.random.default_rng(0).integers(3, size=80):
        assert env.observation_space.contains(observation)
        assert envs.observation_space.contains(rows)
        first = {k: v[0] for k, v in rows.items()} if isinstance(rows, dict) else rows[0]
        assert same(first, observation)
        observation, paid, *_ = env.step(action)
        rows, all_paid, *_ = envs.step([action, action])
        assert paid == all_paid[0]


@pytest.mark.parametrize("options", OPTIONS, ids=ids)
def test_many_agents_and_copies_say_the_same(options: dict[str, Any]) -> None:
    many = jbw.parallel_env(SMALL, 1, TURNS, **options)
    one = JellyBeanWorldEnv(SMALL, TURNS, **options)
    assert same(many.reset(seed=3)[0]["agent_0"], one.reset(seed=3)[0])
    for action in (0, 0, 1, 0, 0, 2, 0):
        assert same(many.step({"agent_0": action})[0]["agent_0"], one.step(action)[0])
        assert many.observation_space("agent_0").contains(many.observe("agent_0"))
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert same(twin.step(0), copy.deepcopy(one).step(0))
    again = pickle.loads(pickle.dumps(many))
    assert same(again.step({"agent_0": 0}), many.step({"agent_0": 0}))


def test_inventory_and_task() -> None:
    env = JellyBeanWorldEnv(SMALL, TURNS, inventory=True, task=True)
    observation, info = env.reset(seed=5)
    carried = 0
    for action in np.random.default_rng(1).integers(3, size=300):
        assert observation["inventory"].dtype == observation["task"].dtype == np.float32
        assert observation["inventory"].tolist() == list(info["inventory"].values())
        expected = weights(env.world, env.world.time)  # of the step that comes
        assert observation["task"].tolist() == [expected[name] for name in env.item_names]
        observation, _, _, _, info = env.step(action)
        carried += sum(info["inventory"].values())
    assert carried > 0


def test_task_of_each_agent_is_its_own() -> None:
    rewards = {"a": "Collect[JellyBean]", "b": "Avoid[Onion]"}
    env = jbw.parallel_env(SMALL, ["a", "b", "c"], rewards, task=True)
    observations, _ = env.reset(seed=1)
    names = env.item_names
    shown = {
        name: dict(zip(names, seen["task"].tolist(), strict=True))
        for name, seen in observations.items()
    }
    assert shown["a"]["JellyBean"] == 1 and shown["b"]["Onion"] == -1
    assert shown["a"]["Onion"] == shown["b"]["JellyBean"] == 0 and not any(shown["c"].values())


def test_agents_are_seen_where_they_are() -> None:
    env = jbw.parallel_env(
        SMALL, 2, None, vision="items", agents_channel=True, overrides={"items": {}}
    )
    observations, _ = env.reset(seed=0)
    assert [env.member(name).position for name in env.agents] == [(0, 0), (1, 0)]
    seen = observations["agent_0"]["vision"][..., -1]
    middle = seen.shape[0] // 2
    assert seen.sum() == 1 and seen[middle, middle + 1] == 1  # oneself is not counted
    env.step({"agent_0": 2, "agent_1": 1})  # now they look at each other
    for name in env.agents:
        seen = env.observe(name)["vision"][..., -1]
        assert seen.sum() == 1 and seen[middle - 1, middle] == 1
    env.leave("agent_1")
    assert env.observe("agent_0")["vision"][..., -1].sum() == 0


@pytest.mark.parametrize("channels", ["last", "first"])
@pytest.mark.parametrize("scale", [None, 1, 3])
def test_pictures(channels: Any, scale: int | None) -> None:
    options: Any = {"observation": "vision"}
    env = JellyBeanWorldEnv(
        SMALL, REWARD, vision="image", channels=channels, image_scale=scale, **options
    )
    plain = JellyBeanWorldEnv(SMALL, REWARD, **options)
    picture, colors = env.reset(seed=5)[0], plain.reset(seed=5)[0]
    for action in (0, 1, 0, 0, 2, 0):
        expected = np.floor(np.clip(colors, 0, 1) * np.float32(255) + np.float32(0.5))
        used = scale or -(-36 // colors.shape[0])
        expected = expected.astype(np.uint8).repeat(used, axis=0).repeat(used, axis=1)
        if channels == "first":
            expected = expected.transpose(2, 0, 1)
        assert picture.dtype == np.uint8 and np.array_equal(picture, expected)
        assert scale or min(sorted(picture.shape)[1:]) >= 36
        picture, colors = env.step(action)[0], plain.step(action)[0]


def test_colors_beyond_the_range_are_cut_off() -> None:
    seen = np.array([[[-1.0, 0.0, 0.5]]], np.float32)
    assert _core.paint(seen).tolist() == [[[0, 0, 128]]]
    seen = np.array([[[1.0, 7.0, np.nan]]], np.float32)
    assert _core.paint(seen, scale=2)[1, 1].tolist() == [255, 255, 0]
    for wrong in ({"scale": 0}, {"scale": 65}, {"out": np.zeros((1, 1, 2), np.uint8)}):
        with pytest.raises(ValueError):
            _core.paint(seen, **wrong)
    with pytest.raises(ValueError):
        _core.paint(np.zeros((2, 3, 1), np.float32))


def pays(step: Any) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": True, "reward": pays}, "Python function pays"),
        ({"inventory": True, "observation": "vision"}, "inventory, task and note need"),
        ({"agents_channel": True}, "agents_channel needs"),
        ({"vision": "image", "observation": "flat"}, "cannot hold"),
        ({"vision": "image", "image_scale": 0}, "image_scale is 0"),
        ({"image_scale": 2}, "image_scale and channels need"),
        ({"channels": "middle"}, "channels is 'middle'"),
    ],
)
def test_mistakes_are_told(options: dict[str, Any], message: str) -> None:
    for make in (JellyBeanWorldEnv, jbw.parallel_env, JellyBeanWorldVectorEnv):
        with pytest.raises(ValueError, match=message):
            make(**{"world": SMALL, **options})


@pytest.mark.parametrize("info", ["full", "numbers", "none"])
def test_infos_of_many_agents_are_those_of_one(info: Any) -> None:
    many, one = (
        jbw.parallel_env(SMALL, 1, TURNS, info=info),
        JellyBeanWorldEnv(SMALL, TURNS, info=info),
    )
    assert same(many.reset(seed=3)[1]["agent_0"], one.reset(seed=3)[1])
    for action in np.random.default_rng(1).integers(3, size=60):
        mine, other = many.step({"agent_0": action})[4]["agent_0"], one.step(action)[4]
        assert same(mine, other)
        texts = [value for value in mine.values() if not isinstance(value, (int, np.ndarray))]
        assert (info == "full") == bool(texts) and (info == "none") == (not mine)


def returns_nothing(step: Any) -> Any:
    return None


def test_a_reward_function_must_return_a_number() -> None:
    words = "reward function returns_nothing returned None, expected a number"
    env = JellyBeanWorldEnv(SMALL, returns_nothing)
    env.reset(seed=1)
    with pytest.raises(TypeError, match=words):
        env.step(0)
    envs = JellyBeanWorldVectorEnv(2, SMALL, returns_nothing)
    envs.reset(seed=1)
    with pytest.raises(TypeError, match=words):
        envs.step([0, 0])


def test_an_unknown_agent_is_named() -> None:
    env = jbw.parallel_env(SMALL, ["a", "b"])
    env.reset(seed=1)
    for use in (env.observe, env.member, env.leave):
        with pytest.raises(ValueError, match="there is no agent 'c'; agents: a, b"):
            use("c")
    env.leave("b")
    with pytest.raises(ValueError, match="no agent 'b', which has left; agents: a"):
        env.observe("b")
    with pytest.raises(ValueError, match="no such agents: \\['c'\\]"):
        env.step({"a": 0, "c": 0})
    with pytest.raises(ValueError, match="missing for \\['a'\\]; no such agents: \\['c'\\]"):
        env.step({"c": 0})
    with pytest.raises(ValueError, match=r"missing for \['a'\]$"):
        env.step({})
    with pytest.raises(TypeError, match="a has action None, expected 0 to 2"):
        env.step({"a": None})
    with pytest.raises(ValueError, match="a has action 9, expected 0 to 2"):
        env.step({"a": 9})
    with pytest.raises(TypeError):
        env.step({"a": 0.5})
