# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many agents in one world: PettingZoo's checkers, joining and leaving, copies."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import parallel_api_test, parallel_seed_test
from small_worlds import SMALL

import jbw
from jbw.envs import REGISTRATIONS, JellyBeanWorldEnv, JellyBeanWorldParallelEnv, Step

REWARD = "Collect[JellyBean] & Avoid[Onion]"


def make(agents: Any = 3, **kwargs: Any) -> JellyBeanWorldParallelEnv:
    return jbw.parallel_env(**{"world": SMALL, "agents": agents, "reward": REWARD, **kwargs})


def act(env: JellyBeanWorldParallelEnv, steps: int, seed: int = 0) -> list[Any]:
    generator = np.random.default_rng(seed)
    return [
        env.step({name: int(generator.integers(3)) for name in env.agents}) for _ in range(steps)
    ]


def same(a: Any, b: Any) -> bool:
    return bool(data_equivalence(a, b, exact=True))


@pytest.mark.parametrize("registration", REGISTRATIONS, ids=lambda registration: registration.id)
def test_pettingzoo_accepts(registration: Any) -> None:
    def new() -> JellyBeanWorldParallelEnv:
        return jbw.parallel_env(agents=3, **registration.kwargs)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(new(), num_cycles=10)
        parallel_seed_test(new, num_cycles=10)


@pytest.mark.parametrize("observation", ["dict", "vision", "scent", "flat"])
@pytest.mark.parametrize("vision", ["color", "items"])
def test_pettingzoo_accepts_all_observations(observation: Any, vision: Any) -> None:
    env = make(observation=observation, vision=vision)
    parallel_api_test(env, num_cycles=50)
    observations, _ = env.reset(seed=1)
    for name in env.agents:
        assert observations[name] in env.observation_space(name)


def test_pettingzoo_accepts_agents_that_come_and_go() -> None:
    class Restless(JellyBeanWorldParallelEnv):
        """Somebody joins or leaves before every fifth step."""

        def step(self, actions: Any) -> Any:
            if self.world.time % 10 == 5 and len(self.agents) > 1:
                gone = self.agents[0]
                self.leave(gone)
                actions = {name: action for name, action in actions.items() if name != gone}
            result: Any = super().step(actions)
            if self.world.time % 10 == 0:
                name = self.join()
                for part, value in zip(
                    result, (self.observe(name), 0.0, False, False, {}), strict=True
                ):
                    part[name] = value
            return result

    parallel_api_test(Restless(SMALL, 3, REWARD), num_cycles=100)


def test_one_agent_equals_the_single_environment() -> None:
    many, one = make(1), JellyBeanWorldEnv(SMALL, REWARD)
    observations, infos = many.reset(seed=4)
    observation, info = one.reset(seed=4)
    assert same((observations["agent_0"], infos["agent_0"]), (observation, info))
    for action in np.random.default_rng(0).integers(3, size=200):
        mine = many.step({"agent_0": action})
        assert same(tuple(part["agent_0"] for part in mine), one.step(action))


def test_rewards_by_name() -> None:
    rewards = {
        "a": "Collect[JellyBean]",
        "b": "Avoid[JellyBean]",
        "c": lambda step: float(step.time),
    }
    env = make(["a", "b", "c", "d"], reward=rewards)
    env.reset(seed=1)
    totals: dict[str, float] = dict.fromkeys("abcd", 0.0)
    steps = act(env, 400)
    for _, paid, _, _, _ in steps:
        for name, value in paid.items():
            totals[name] += value
    infos = steps[-1][4]
    assert infos["a"]["reward_function"] == "Collect[JellyBean]"
    assert infos["d"]["reward_function"] == "Zero"
    assert totals["a"] == infos["a"]["inventory"]["JellyBean"] > 0
    assert totals["b"] == -infos["b"]["inventory"]["JellyBean"]
    assert totals["c"] == sum(range(400)) and totals["d"] == 0


def test_agents_see_and_block_each_other() -> None:
    env = make(2, overrides={"items": {}}, reward=None)
    env.reset(seed=0)
    a, b = (env.member(name).position for name in env.agents)
    assert (a, b) == ((0, 0), (1, 0))
    observations, _, _, _, _ = env.step({"agent_0": 2, "agent_1": 1})
    # now they look at each other: each sees itself, and the other one ahead
    vision = observations["agent_0"]["vision"]
    assert vision[3, 3, 2] == vision[2, 3, 2] == np.float32(0.2)
    _, _, _, _, infos = env.step({"agent_0": 0, "agent_1": 1})
    assert infos["agent_0"]["outcome"] == "blocked_by_agent"


def test_joining_and_leaving() -> None:
    env = make(2)
    env.reset(seed=1)
    act(env, 3)
    name = env.join(position=(10, 10), direction="left", reward="Action[0.5]")
    assert name == "agent_2" and env.agents == ["agent_0", "agent_1", "agent_2"]
    assert env.observe(name) in env.observation_space(name)
    assert env.member(name).position == (10, 10) and env.member(name).direction == "left"
    with pytest.raises(ValueError, match="agent_2"):
        env.step({"agent_0": 0, "agent_1": 0})
    _, rewards, terminations, _, infos = env.step(dict.fromkeys(env.agents, 1))
    assert rewards[name] == 0.5 and not any(terminations.values())
    assert infos[name]["start"] == (10, 10) and infos[name]["time"] == 4

    env.leave("agent_0")
    assert env.agents == ["agent_1", "agent_2"] and len(env.world.agents) == 2
    with pytest.raises(ValueError, match="agent_0"):
        env.step(dict.fromkeys(("agent_0", "agent_1", "agent_2"), 1))
    observations, rewards, terminations, truncations, infos = env.step(dict.fromkeys(env.agents, 1))
    assert terminations == {"agent_1": False, "agent_2": False, "agent_0": True}
    assert not any(truncations.values()) and rewards["agent_0"] == 0 and "agent_0" in observations
    observations, *_ = env.step(dict.fromkeys(env.agents, 1))
    assert list(observations) == ["agent_1", "agent_2"]

    for wrong in ("agent_0", "agent_1"):  # names are not used twice in a life
        with pytest.raises(ValueError, match="taken"):
            env.join(wrong)
    with pytest.raises(ValueError, match="no agent"):
        env.leave("agent_0")
    assert env.join("guest") == "guest" and env.join() == "agent_4"
    env.reset(seed=1)
    assert env.agents == env.possible_agents == ["agent_0", "agent_1"]


def test_everybody_may_leave() -> None:
    env = make(1)
    env.reset(seed=1)
    env.leave("agent_0")
    assert env.step({})[2] == {"agent_0": True}
    assert env.step({}) == ({}, {}, {}, {}, {})
    assert env.world.time == 0
    name = env.join()
    assert env.step({name: 0})[4][name]["time"] == 1


def test_limits_on_agents() -> None:
    env = make(2, max_agents=3)
    env.reset(seed=1)
    env.join()
    with pytest.raises(ValueError, match="max_agents"):
        env.join()


def test_seeds_and_strictness() -> None:
    a, b = make(), make()
    assert same(a.reset(seed=3), b.reset(seed=3))
    assert same(act(a, 50), act(b, 50))
    assert same(a.reset(), b.reset())
    assert a.reset(seed=9)[1]["agent_1"]["seed"] == 9 == a.world.seed
    env = make(strict=True)
    env.reset(seed=1)
    with pytest.raises(RuntimeError, match="strict"):
        env.reset()


def test_observations_never_change_afterwards() -> None:
    a, b = make(), make()
    kept = [a.reset(seed=2)[0]] + [step[0] for step in act(a, 100)]
    again = [copy.deepcopy(b.reset(seed=2)[0])]
    generator = np.random.default_rng(0)
    for _ in range(100):
        actions = {name: int(generator.integers(3)) for name in b.agents}
        again.append(copy.deepcopy(b.step(actions)[0]))
    assert same(kept, again)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": -1}, "agents is -1"),
        ({"agents": ["a", "a"]}, "same name"),
        ({"agents": 2, "max_agents": 1}, "max_agents"),
        ({"reward": {"nobody": "Zero"}}, "nobody"),
        ({"reward": "Collect[Bean]"}, "Bean"),
        ({"observation": "x"}, "observation"),
        ({"generation_threads": 65}, "generation_threads is 65, expected 0 to 64"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_wrong_calls_are_told() -> None:
    env = make()
    with pytest.raises(RuntimeError, match="reset"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action 3"):
        env.step(dict.fromkeys(env.agents, 3))
    with pytest.raises(ValueError, match="no agent"):
        env.observe("nobody")
    with pytest.raises(TypeError, match="agents"):
        make("abc")
    assert env.world.time == 0


def test_rendering() -> None:
    env = make(render_mode="rgb_array", render_size=(5, 4), render_scale=3)
    env.reset(seed=1)
    assert env.render().shape == (12, 15, 3)
    env = make(render_mode="ansi", render_size=(9, 9))
    env.reset(seed=1)
    assert env.render().count("^") == 3


def pays_x(step: Step) -> float:
    return float(step.position[0])


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("way", list(COPIES))
def test_copies_go_on_bit_by_bit(way: str) -> None:
    env = make(
        ["a", "b", "c"], reward={"a": pays_x, "b": "Cyclical[(Action[1], 7), (Collect[Onion], 9)]"}
    )
    env.reset(seed=8)
    act(env, 20)
    env.leave("b")
    env.join("d", reward="Explore")
    twin = COPIES[way](env)
    assert same(act(twin, 60, seed=1), act(env, 60, seed=1))
    before = env.world.hash()
    assert twin.world.hash() == before
    act(twin, 5)
    assert env.world.hash() == before
    act(env, 5)
    assert same([twin.reset(), *act(twin, 5)], [env.reset(), *act(env, 5)])


def test_teams_are_paid_together() -> None:
    teams = {"red": ["agent_0", "agent_2"], "blue": ["agent_1"]}
    reward = "Team[Collect[JellyBean, 4] & Explore[0.5]] & Action[-0.25]"
    env, alone = make(4, reward=reward, teams=teams), make(4, reward="Zero")
    env.reset(seed=5)
    alone.reset(seed=5)
    own = jbw.Reward(alone.world.model, "Action[-0.25]")
    shared = jbw.Reward(alone.world.model, "Collect[JellyBean, 4] & Explore[0.5]")

    def expect(name: str, mates: list[str]) -> float:
        paid = sum(shared.of(alone.member(mate)) for mate in mates)
        return own.of(alone.member(name)) + paid

    generator = np.random.default_rng(1)
    earned = 0.0
    for step in range(200):
        if step == 100:  # one joins a team, another is alone
            assert env.join(team="blue") == alone.join() == "agent_4"
            assert env.join() == alone.join() == "agent_5"
            env = pickle.loads(pickle.dumps(env))
        actions = {name: int(generator.integers(3)) for name in env.agents}
        rewards = env.step(actions)[1]
        alone.step(actions)
        for name, paid in rewards.items():
            team = env.team(name)
            assert team == {"agent_0": "red", "agent_2": "red"}.get(
                name, "blue" if name in ("agent_1", "agent_4") else None
            )
            mates = [name]
            if team is not None:
                mates = [mate for mate in env.agents if env.team(mate) == team]
            assert paid == expect(name, mates)
            earned += paid
    assert earned != 0


def test_all_are_one_team_without_names() -> None:
    env = make(3, reward="Team[Explore]")
    env.reset(seed=5)
    paid = [env.step({name: 0 for name in env.agents})[1] for _ in range(5)]
    assert all(len(set(rewards.values())) == 1 for rewards in paid)
    assert max(rewards["agent_0"] for rewards in paid) > 1


def test_teams_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="eve, which is no agent's name"):
        make(2, teams={"red": ["agent_0", "eve"]})
    with pytest.raises(ValueError, match="agent_0 is named twice"):
        make(2, teams={"red": ["agent_0"], "blue": ["agent_1", "agent_0"]})
    with pytest.raises(TypeError, match="expected a sequence of names"):
        make(2, teams={"red": "agent_0"})
    env = make(2, teams={"red": ["agent_0"]})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="there is no team 'blue'; teams: red"):
        env.join(team="blue")
    assert env.agents == ["agent_0", "agent_1"]
