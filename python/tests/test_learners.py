# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The agents of the library that learn: `jbw.agents`, and `ppo` and `dqn` in experiments."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import jbw
from jbw import _core
from jbw.agents import DQN, PPO, Learner

#: Small enough for a test: an update takes a few milliseconds.
SMALL: dict[str, Any] = {"lstm": 16, "rows": 32, "epochs": 2}
REWARD = "Collect[JellyBean]"


def a_mind(seed: int = 3, **settings: Any) -> PPO:
    world = jbw.World("scent", seed=7)
    return PPO(world, REWARD, seed=seed, **{**SMALL, **settings})


def a_dqn(**settings: Any) -> DQN:
    small = {"warm_up": 20, "batch": 4, "replay": 50, "replay_megabytes": 1}
    return DQN(jbw.World("scent", seed=7), REWARD, seed=3, **{**small, **settings})


def state_of(mind: Learner) -> tuple[int, int]:
    return mind.world.hash(), mind.hash()


def test_it_learns_from_what_it_lives() -> None:
    mind = a_mind()
    before = mind.hash()
    rewards = mind.run(100)
    assert rewards.shape == (100,) and rewards.dtype == np.float64
    assert mind.world.time == 100 and mind.hash() != before
    assert mind.metrics["updates"] == 3 and mind.metrics["entropy"] > 0


def test_the_same_seed_gives_the_same_weights() -> None:
    minds = [a_mind(), a_mind(), a_mind(seed=4)]
    rewards = [mind.run(100) for mind in minds]
    assert state_of(minds[0]) == state_of(minds[1]) != state_of(minds[2])
    assert np.array_equal(rewards[0], rewards[1])


@pytest.mark.parametrize("at", [0, 1, 31, 32, 33, 70])
def test_a_saved_life_continues_as_if_it_had_not_stopped(at: int, tmp_path: Path) -> None:
    whole = a_mind()
    whole.run(100)
    mind = a_mind()
    mind.run(at)
    mind.save(tmp_path / "life.jbw")
    for again in (PPO.load(tmp_path / "life.jbw"), pickle.loads(pickle.dumps(mind))):
        assert again.settings == mind.settings and again.seed == 3
        again.run(100 - at)
        assert state_of(again) == state_of(whole)


def test_a_mind_is_saved_as_its_bytes(tmp_path: Path) -> None:
    mind = a_mind()
    mind.run(50)
    mind.save(tmp_path / "life.jbw")
    notes = jbw.World.load(tmp_path / "life.jbw").notes
    assert notes["run.policy"] == mind.policy.to_bytes()
    assert notes["run.agent"] == b"ppo"
    two: dict[str, str | bytes | _core.Policy] = {"one": mind.policy, "two": mind.policy}
    with pytest.raises(jbw.ArgumentError, match="one policy"):
        mind.world.save(tmp_path / "two.jbw", notes=two)
    with pytest.raises(TypeError, match="str or bytes"):
        mind.world.to_bytes(notes={"one": mind.policy})  # type: ignore[dict-item]
    with pytest.raises(jbw.ArgumentError):
        mind.world.save(tmp_path / "bad.jbw", notes={"no blanks": mind.policy})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["life.jbw"]


#: Prints the peak of memory before and after saving, and the size of the mind, in megabytes.
SAVING = """
import resource, sys, jbw
from jbw.agents import PPO
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
mind = PPO(jbw.World("paper-code", seed=1), "Collect[JellyBean]", preset="authors")
mind.run(513)
before = peak()
mind.save(sys.argv[1])
after = peak()
print(before, after, len(mind.policy.to_bytes()) / 1e6)
"""


#: The same before loading, after it, and after living on through an update and saving again.
LOADING = """
import resource, sys, jbw
from jbw.agents import PPO
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = peak()
mind = PPO.load(sys.argv[1])
loaded = peak()
mind.run(512)
mind.save(sys.argv[1], replace=True)
print(before, loaded, peak())
"""


def test_saving_and_loading_take_little_memory(tmp_path: Path) -> None:
    def measure(script: str) -> list[float]:
        command = [sys.executable, "-c", script, str(tmp_path / "life.jbw")]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        return [float(word) for word in done.stdout.split()]

    before, after, size = measure(SAVING)
    assert size > 40 and after - before < 10
    # while it is loaded it is there twice, and later once, beside all that it needs to learn
    before, loaded, after = measure(LOADING)
    assert loaded - before < 2.2 * size and after - loaded < 10


def test_a_loaded_world_does_not_keep_its_mind(tmp_path: Path) -> None:
    a_mind().save(tmp_path / "life.jbw")
    mind = PPO.load(tmp_path / "life.jbw")
    assert sorted(mind.world.notes) == ["run.agent", "run.reward", "run.seed"]
    for copy in (mind.world.clone(), pickle.loads(pickle.dumps(mind.world))):
        assert copy.hash() == mind.world.hash() and "run.policy" not in copy.notes
    assert mind.world.pop_note("run.agent") == b"ppo"
    assert sorted(mind.world.notes) == ["run.reward", "run.seed"]
    for missing in ("run.agent", "run.policy"):
        with pytest.raises(KeyError, match=missing):
            mind.world.pop_note(missing)
    with pytest.raises(KeyError):
        jbw.World("scent").pop_note("run.agent")
    with pytest.raises(TypeError):
        mind.world.pop_note([])  # type: ignore[arg-type]
    mind.save(tmp_path / "again.jbw")
    assert state_of(PPO.load(tmp_path / "again.jbw")) == state_of(mind)


def test_one_mind_lives_in_many_worlds() -> None:
    def begin() -> tuple[_core.Batch, _core.Policy]:
        model = jbw.World("scent").model
        reward = jbw.Reward(model, REWARD)
        batch = _core.Batch(model, range(4), reward, reward=np.zeros(4))
        settings = {**SMALL, "worlds": 4, "rows": 16}
        return batch, _core.Policy("ppo", model, reward, 3, settings)

    def live(batch: _core.Batch, policy: _core.Policy, steps: int) -> None:
        paid = np.zeros(4)
        for _ in range(steps):
            actions = batch.choose(policy)
            assert actions.shape == (4,) and actions.dtype == np.int32
            batch.step(actions)
            policy.reward_all(paid)

    batch, policy = begin()
    before = policy.hash()
    live(batch, policy, 4)
    assert policy.hash() == before  # learns only when it knows what comes next
    live(batch, policy, 1)
    assert policy.hash() != before
    again, other = begin()
    live(again, other, 3)
    model = again.world(0).model
    other = _core.Policy.from_bytes(other.to_bytes(), model, jbw.Reward(model, REWARD))
    live(again, other, 2)
    assert other.hash() == policy.hash()
    assert [again.hash(i) for i in range(4)] == [batch.hash(i) for i in range(4)]

    agent = batch.agent(0)
    for misuse in (
        lambda: policy.choose(agent),
        lambda: policy.act(0, None),
        lambda: policy.reward(1.0),
        lambda: agent.follow(policy, 1),
        lambda: policy.reward_all(np.zeros(3)),
        lambda: again.choose(_core.Policy("random", model)),
    ):
        with pytest.raises(jbw.errors.ArgumentError, match=r"4 (agents|rewards)|for 1 agents"):
            misuse()


@pytest.mark.parametrize("settings", [{}, {"lstm": 16, "sequence": 4}])
def test_dqn(settings: dict[str, Any], tmp_path: Path) -> None:
    whole, mind = a_dqn(**settings), a_dqn(**settings)
    before = whole.hash()
    whole.run(80)
    assert whole.metrics["updates"] == 15 and whole.metrics["replay"] == 50
    assert whole.hash() != before
    assert whole.weights["heads"].shape[1] == 3 and ("lstm" in whole.weights) == bool(settings)
    mind.run(47)
    mind.save(tmp_path / "life.jbw")
    for again in (DQN.load(tmp_path / "life.jbw"), pickle.loads(pickle.dumps(mind))):
        again.run(33)
        assert state_of(again) == state_of(whole)
    with pytest.raises(jbw.DataError, match="a life of 'dqn', not a life of 'ppo'"):
        PPO.load(tmp_path / "life.jbw")


def test_choosing_and_rewarding_one_by_one_is_the_same() -> None:
    whole, mind = a_mind(), a_mind()
    rewards = whole.run(100)
    for expected in rewards:
        mind.agent.act(mind.policy.choose(mind.agent))
        paid = mind.reward.of(mind.agent)
        assert paid == expected
        mind.policy.reward(paid)
    assert state_of(mind) == state_of(whole)


def test_without_learning_the_weights_stay() -> None:
    mind = a_mind()
    mind.run(40)
    mind.learning = False
    before = mind.hash()
    mind.run(100)
    assert mind.hash() == before and not mind.learning
    mind.learning = True
    mind.run(100)
    assert mind.hash() != before


@pytest.mark.parametrize("kind", [PPO, DQN])
def test_threads_change_nothing(kind: type[Learner]) -> None:
    """A life on one thread, and one on a number that changes, also by saving."""
    settings = {"rows": 32, "epochs": 2} if kind is PPO else {"warm_up": 40}
    one, many = (
        kind(jbw.World("scent", seed=7), REWARD, seed=3, threads=threads, **settings)
        for threads in (1, 2)
    )
    assert (one.threads, many.threads) == (1, 2)
    for threads in (3, 1, 2):
        assert list(one.run(30)) == list(many.run(30))
        assert one.policy.to_bytes() == many.policy.to_bytes()
        assert one.settings == many.settings
        many.threads = threads
        assert many.threads == threads
        many = pickle.loads(pickle.dumps(many))
        assert many.threads == 1
        many.threads = threads
    assert one.hash() == many.hash() != 0


@pytest.mark.parametrize("threads", [0, 65, "many", None, 1.5])
def test_bad_threads(threads: Any) -> None:
    mind = a_mind()
    with pytest.raises(jbw.ArgumentError, match="threads: found"):
        mind.threads = threads
    assert mind.threads == 1
    with pytest.raises(jbw.ArgumentError, match="that can change"):
        jbw.Policy("greedy", mind.world.model).threads = 2
    with pytest.raises(AttributeError):
        del mind.policy.threads


def test_weights_are_views() -> None:
    mind = a_mind()
    weights = mind.weights
    assert weights["lstm"].shape[1] == 4 * 16 and weights["lstm"].dtype == np.float32
    before = weights["lstm"].copy()
    mind.run(64)
    assert not np.array_equal(weights["lstm"], before)
    with pytest.raises(ValueError, match="read-only"):
        weights["lstm"][0, 0] = 1
    # an array keeps its policy alive
    mean = float(weights["heads"].mean())
    heads = weights["heads"]
    del mind, weights
    assert float(heads.mean()) == mean


def test_senses() -> None:
    both, vision, scent = (a_mind(senses=senses) for senses in ("both", "vision", "scent"))
    assert {"conv1", "scent1"} <= both.weights.keys()
    assert "conv1" in vision.weights and "scent1" not in vision.weights
    assert "scent1" in scent.weights and "conv1" not in scent.weights
    for mind in (both, vision, scent):
        mind.run(64)


def test_it_lives_in_an_environment_s_world() -> None:
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world="scent", reward=REWARD)
    env.reset(seed=7)
    mind = PPO(env, seed=3, **SMALL)
    mind.run(100)
    whole = a_mind()
    whole.run(100)
    assert state_of(mind) == state_of(whole)
    assert env.unwrapped.world.time == 100  # type: ignore[attr-defined]


def test_settings_are_described() -> None:
    about = PPO.describe_settings()
    assert list(about) == [*a_mind().settings, "threads"]
    assert all(meaning and allowed for meaning, allowed in about.values())
    assert a_mind(amsgrad=False, learning_rate=0.5).settings["amsgrad"] == "false"
    assert PPO(jbw.World("scent", seed=1), REWARD).settings["preset"] == "authors"
    tiny = PPO(jbw.World("scent", seed=1), REWARD, preset="tiny").settings
    assert (tiny["preset"], tiny["lstm"], tiny["dense"], tiny["bptt"]) == ("tiny", "32", "32", "64")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"learning_rat": 1}, "did you mean 'learning_rate'"),
        ({"lstm": 17}, "expected a multiple of 16"),
        ({"preset": "author"}, "authors"),
        ({"gamma": float("nan")}, "gamma"),
        ({"gamma": None}, "gamma"),
        ({"amsgrad": "maybe"}, "amsgrad"),
    ],
)
def test_bad_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(jbw.ArgumentError, match=words):
        PPO(jbw.World("scent", seed=1), REWARD, **settings)


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(jbw.ArgumentError, match="no reward is given"):
        PPO(jbw.World("scent", seed=1))
    with pytest.raises(jbw.ArgumentError, match=r"expected a jbw\.World"):
        PPO("scent", REWARD)
    crowded = jbw.World("scent", seed=1)
    crowded.add_agent()
    crowded.add_agent()
    with pytest.raises(jbw.ArgumentError, match="2 agents"):
        PPO(crowded, REWARD)
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world="scent", reward=lambda step: 1.0)
    env.reset(seed=1)
    with pytest.raises(jbw.ArgumentError, match="Python function"):
        PPO(env)
    jbw.World("scent", seed=1).save(tmp_path / "world.jbw")
    with pytest.raises(jbw.DataError, match="a world without a mind"):
        PPO.load(tmp_path / "world.jbw")
    mind = a_mind()
    with pytest.raises(TypeError, match="expected an Agent"):
        mind.policy.choose(mind.world)  # type: ignore[arg-type]
    other = jbw.World("paper-code", seed=1).add_agent()
    with pytest.raises(jbw.ArgumentError, match="another model"):
        mind.policy.choose(other)
    with pytest.raises(TypeError):
        mind.policy.reward("much")  # type: ignore[arg-type]


def test_damaged_minds_are_refused() -> None:
    mind = a_mind()
    mind.run(40)
    saved = mind.policy.to_bytes()
    model = mind.world.model
    assert _core.Policy.from_bytes(saved, model, mind.reward).hash() == mind.hash()
    for size in (0, 1, 10, len(saved) // 2, len(saved) - 1):
        with pytest.raises(jbw.DataError):
            _core.Policy.from_bytes(saved[:size], model, mind.reward)
    with pytest.raises(jbw.DataError):
        _core.Policy.from_bytes(saved + b"x", model, mind.reward)
    with pytest.raises(jbw.DataError):
        _core.Policy.from_bytes(saved, jbw.World("paper-code", seed=1).model, None)


def test_policies_that_do_not_learn() -> None:
    world = jbw.World("scent", seed=7)
    policy = _core.Policy("greedy", world.model, _core.Reward(world.model, REWARD))
    assert policy.hash() == 0 and not policy.learning
    assert policy.weights == policy.metrics == policy.settings == {}
    assert 0 <= policy.choose(world.add_agent()) < 3
    policy.reward(1.0)
