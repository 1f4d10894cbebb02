# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds at once are bit by bit what each of them is alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from small_worlds import SMALL

from jbw.envs import REGISTRATIONS, JellyBeanWorldEnv, JellyBeanWorldVectorEnv, Step

REWARD = "Collect[JellyBean] & Avoid[Onion]"
COUNT = 5


def make(count: int = COUNT, **kwargs: Any) -> JellyBeanWorldVectorEnv:
    return JellyBeanWorldVectorEnv(count, **{"world": SMALL, "reward": REWARD, **kwargs})


def plan(steps: int, count: int = COUNT, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(3, size=(steps, count))


def act(envs: JellyBeanWorldVectorEnv, steps: int, seed: int = 0) -> list[Any]:
    return [copy.deepcopy(envs.step(actions)) for actions in plan(steps, envs.num_envs, seed)]


def same(a: Any, b: Any) -> bool:
    return bool(data_equivalence(a, b, exact=True))


def row(observations: Any, i: int) -> Any:
    return (
        {k: v[i] for k, v in observations.items()}
        if isinstance(observations, dict)
        else observations[i]
    )


def pays_height(step: Step) -> float:
    return float(step.position[1] - step.position_before[1]) + (step.collected == "Onion")


@pytest.mark.parametrize("registration", REGISTRATIONS, ids=lambda registration: registration.id)
def test_every_id_makes_vectors(registration: Any) -> None:
    envs = gymnasium.make_vec(registration.id, num_envs=2)
    assert isinstance(envs.unwrapped, JellyBeanWorldVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=3)
    assert observations in envs.observation_space
    for _ in range(3):
        observations, rewards, terminations, truncations, infos = envs.step(
            envs.action_space.sample()
        )
        assert observations in envs.observation_space
        assert rewards.shape == (2,) and not terminations.any() and not truncations.any()
    assert infos["time"].tolist() == [3, 3]
    envs.close()


@pytest.mark.parametrize("observation", ["dict", "vision", "scent", "flat"])
@pytest.mark.parametrize("vision", ["color", "items"])
@pytest.mark.parametrize("copied", [True, False])
def test_equals_single_environments(observation: Any, vision: Any, copied: bool) -> None:
    options = {"observation": observation, "vision": vision}
    envs = make(threads=2, copy=copied, **options)
    singles = [JellyBeanWorldEnv(SMALL, REWARD, **options) for _ in range(COUNT)]
    observations, infos = envs.reset(seed=20)
    assert infos["seed"].tolist() == [20, 21, 22, 23, 24]
    for i, single in enumerate(singles):
        expected, info = single.reset(seed=20 + i)
        assert same(row(observations, i), expected)
        assert info["seed"] == infos["seed"][i]
    for actions in plan(100):
        observations, rewards, _, _, infos = envs.step(actions)
        for i, single in enumerate(singles):
            expected, reward, _, _, info = single.step(actions[i])
            assert same(row(observations, i), expected)
            assert rewards[i] == reward
            carried = infos["inventory"]
            assert {name: carried[name][i] for name in envs.item_names} == info["inventory"]
            assert {k: infos[k][i] for k in info if k != "inventory"} == {
                k: value for k, value in info.items() if k != "inventory"
            }
        assert all(infos[f"_{key}"].all() for key in list(infos) if not key.startswith("_"))
    for i, single in enumerate(singles):
        assert envs.world(i).hash() == single.world.hash()


def test_the_space_is_that_of_gymnasium_own_vectors() -> None:
    def single() -> JellyBeanWorldEnv:
        return JellyBeanWorldEnv(SMALL, REWARD)

    other = gymnasium.vector.SyncVectorEnv([single] * COUNT)
    envs = make()
    assert envs.observation_space == other.observation_space
    assert envs.action_space == other.action_space
    theirs, _ = other.reset(seed=5)
    mine, _ = envs.reset(seed=5)
    assert same(mine, theirs)
    for actions in plan(20):
        assert same(envs.step(actions)[:4], other.step(actions)[:4])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_make_no_difference(threads: int) -> None:
    envs, twin = make(threads=threads), make(threads=1)
    assert same(envs.reset(seed=1), twin.reset(seed=1))
    assert same(act(envs, 50), act(twin, 50))


def test_results_never_change_afterwards() -> None:
    envs, twin = make(), make()
    kept = [envs.reset(seed=1)] + [envs.step(actions) for actions in plan(100)]
    again = [copy.deepcopy(twin.reset(seed=1)), *act(twin, 100)]
    assert same(copy.deepcopy(kept), again)


def test_copy_false_reuses_arrays() -> None:
    envs, twin = make(copy=False), make()
    first, _ = envs.reset(seed=1)
    twin.reset(seed=1)
    for actions in plan(20):
        mine, other = envs.step(actions), twin.step(actions)
        assert mine[0]["vision"] is first["vision"]
        assert same(mine, other)
    # a new life goes on in the same arrays
    again, _ = envs.reset(seed=1)
    assert again["vision"] is first["vision"]
    assert same(again, make().reset(seed=1)[0])


# ---------------------------------------------------------------------------------- send and recv


@pytest.mark.parametrize(
    "reward", [REWARD, "Cyclical[(Collect[JellyBean], 3), (Action[1], 2)]", pays_height]
)
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_send_and_recv_equal_step(reward: Any, observation: Any) -> None:
    envs, twin = [make(reward=reward, observation=observation) for _ in range(2)]
    assert same(envs.reset(seed=1), twin.reset(seed=1))
    for actions in plan(40):
        envs.send(actions)
        mine, other = envs.recv(), twin.step(actions)
        assert mine[4].pop("world").tolist() == list(range(COUNT))
        assert mine[4].pop("_world").all()
        assert same(mine, other)


def test_worlds_may_go_at_their_own_pace() -> None:
    envs, twin = make(), make()
    envs.reset(seed=1)
    twin.reset(seed=1)
    generator = np.random.default_rng(0)
    expected: list[list[Any]] = [[] for _ in range(COUNT)]
    actions = plan(30)
    for chosen in actions:
        result = twin.step(chosen)
        for i in range(COUNT):
            expected[i].append((row(result[0], i), result[1][i], result[4]["position"][i]))
    done = [0] * COUNT
    waiting: set[int] = set()
    while min(done) < 30:
        idle = [i for i in range(COUNT) if i not in waiting and done[i] < 30]
        some = [i for i in idle if generator.random() < 0.6]
        if some:
            envs.send([actions[done[i], i] for i in some], some)
            waiting |= set(some)
        if waiting:
            observations, rewards, _, _, infos = envs.recv(1)
            assert len(infos["world"]) >= 1
            for k, i in enumerate(infos["world"].tolist()):
                observation, reward, position = expected[i][done[i]]
                assert same(row(observations, k), observation) and rewards[k] == reward
                assert np.array_equal(infos["position"][k], position)
                assert infos["time"][k] == done[i] + 1
                done[i] += 1
                waiting.remove(i)
    assert [envs.world(i).hash() for i in range(COUNT)] == [
        twin.world(i).hash() for i in range(COUNT)
    ]


def test_wrong_sending_is_told() -> None:
    envs = make()
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.send([0] * COUNT)
    envs.reset(seed=1)
    with pytest.raises(RuntimeError, match="send first"):
        envs.recv()
    with pytest.raises(ValueError, match="shape"):
        envs.send([0, 0], [1])
    with pytest.raises((ValueError, LookupError)):
        envs.send([0], [COUNT])
    envs.send([0], [2])
    with pytest.raises((ValueError, RuntimeError)):
        envs.send([0], [2])
    with pytest.raises((ValueError, RuntimeError)):
        envs.step([0] * COUNT)
    with pytest.raises(RuntimeError, match="under way"):
        envs.reset()
    with pytest.raises(RuntimeError, match="under way"):
        envs.clone()
    assert envs.recv()[4]["world"].tolist() == [2]


# ------------------------------------------------------------------------------------- lives


def test_seeds() -> None:
    envs = make()
    assert envs.reset(seed=[7, 1, 2**64 - 1, 0, 5])[1]["seed"].tolist() == [7, 1, 2**64 - 1, 0, 5]
    assert [envs.world(i).seed for i in range(COUNT)] == [7, 1, 2**64 - 1, 0, 5]
    assert envs.reset(seed=2**64 - 2)[1]["seed"].tolist() == [2**64 - 2, 2**64 - 1, 0, 1, 2]
    a, b = make(), make()
    a.reset(seed=1)
    b.reset(seed=1)
    first, second = a.reset()[1]["seed"], b.reset()[1]["seed"]
    assert np.array_equal(first, second) and len(set(first.tolist())) == COUNT
    assert not np.array_equal(a.reset()[1]["seed"], first)
    with pytest.raises(ValueError, match="4 seeds for 5 worlds"):
        envs.reset(seed=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="seed"):
        envs.reset(seed=[1, 2, 3, 4, -5])


def test_some_worlds_may_be_reset() -> None:
    envs, twin = make(), make()
    envs.reset(seed=1)
    twin.reset(seed=1)
    act(envs, 10)
    result = act(twin, 10)[-1]
    mask = np.array([False, True, False, False, True])
    observations, infos = envs.reset(seed=50, options={"reset_mask": mask})
    fresh, _ = make().reset(seed=50)
    for i in range(COUNT):
        assert same(row(observations, i), row(fresh if mask[i] else result[0], i))
    assert infos["time"].tolist() == [10, 0, 10, 10, 0]
    assert infos["seed"].tolist() == [1, 51, 3, 4, 54]
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": [1, 0]})


def test_the_reward_in_force_follows_each_world() -> None:
    envs = make(2, reward="Curriculum[(Collect[JellyBean], 2), (Collect[Onion], 1)]")
    envs.reset(seed=0)
    texts = [envs.step([1, 1])[4]["reward_function"].tolist() for _ in range(3)]
    bean, onion = "Collect[JellyBean]", "Collect[Onion]"
    assert texts == [[bean, bean], [bean, bean], [onion, onion]]
    envs.reset(seed=0, options={"reset_mask": np.array([True, False])})
    assert envs.step([1, 1])[4]["reward_function"].tolist() == [bean, onion]


def test_a_reward_in_python() -> None:
    envs = make(reward=pays_height)
    singles = [JellyBeanWorldEnv(SMALL, pays_height) for _ in range(COUNT)]
    envs.reset(seed=3)
    for i, single in enumerate(singles):
        single.reset(seed=3 + i)
    paid = 0
    for actions in plan(100):
        _, rewards, _, _, infos = envs.step(actions)
        expected = [single.step(actions[i])[1] for i, single in enumerate(singles)]
        assert rewards.tolist() == expected
        assert set(infos["reward_function"]) == {"pays_height"}
        paid += int(np.count_nonzero(rewards))
    assert paid > 10


def test_strict() -> None:
    envs = make(strict=True)
    envs.reset(seed=1)
    with pytest.raises(RuntimeError, match="strict"):
        envs.reset()
    envs.step([0] * COUNT)


@pytest.mark.parametrize(
    "arguments", [{"num_envs": 0}, {"threads": -1}, {"observation": "x"}, {"vision": "x"}]
)
def test_wrong_arguments_are_told(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        JellyBeanWorldVectorEnv(**{"num_envs": 2, "world": SMALL, **arguments})


def test_wrong_actions_are_told() -> None:
    envs = make()
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step([0] * COUNT)
    envs.reset(seed=1)
    for wrong in ([0] * 4, [0, 0, 0, 0, 3], [0, 0, -1, 0, 0], [0.5] * COUNT):
        with pytest.raises(ValueError, match="action"):
            envs.step(wrong)
    assert envs.step([0] * COUNT)[4]["time"].tolist() == [1] * COUNT


def test_rendering() -> None:
    envs = make(2, render_mode="rgb_array", render_size=(5, 4), render_scale=3)
    envs.reset(seed=1)
    pictures = envs.render()
    assert pictures is not None and [picture.shape for picture in pictures] == [(12, 15, 3)] * 2
    texts = make(2, render_mode="ansi")
    texts.reset(seed=1)
    assert all("facing up" in text for text in texts.render() or ())


def test_closing() -> None:
    envs = make()
    envs.reset(seed=1)
    envs.close()
    envs.close()
    with pytest.raises((RuntimeError, ValueError)):
        envs.step([0] * COUNT)


# ------------------------------------------------------------------------------------- copies


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda envs: envs.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda envs: pickle.loads(pickle.dumps(envs)),
}


@pytest.mark.parametrize("way", list(COPIES))
@pytest.mark.parametrize(
    "reward", ["Cyclical[(Collect[JellyBean], 15), (Explore[0.1], 20)]", pays_height]
)
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_copies_go_on_bit_by_bit(way: str, reward: Any, observation: Any) -> None:
    envs = make(reward=reward, observation=observation, vision="items")
    envs.reset(seed=8)
    act(envs, 30)
    twin = COPIES[way](envs)
    assert same(act(twin, 50, seed=1), act(envs, 50, seed=1))
    hashes = [envs.world(i).hash() for i in range(COUNT)]
    assert [twin.world(i).hash() for i in range(COUNT)] == hashes
    act(twin, 10)
    assert [envs.world(i).hash() for i in range(COUNT)] == hashes
    assert same([twin.reset(), *act(twin, 5)], [envs.reset(), *act(envs, 5)])


def test_a_copy_before_the_first_life() -> None:
    assert same(make().clone().reset(seed=1), make().reset(seed=1))
