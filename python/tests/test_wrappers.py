# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The reward rate of worlds that never end, as a wrapper."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from small_worlds import SMALL

from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldVectorEnv
from jbw.envs.infos import Infos
from jbw.wrappers import RewardRate, VectorRewardRate

REWARD = "Collect[JellyBean] & Avoid[Onion] & Action[0.25]"
COUNT = 3


def by_hand(rewards: list[Any], t: int, window: int) -> Any:
    return np.mean(rewards[max(0, t + 1 - window) : t + 1], axis=0)


class Writer:
    """Has what TensorBoard's SummaryWriter has."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, float, int]] = []

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.lines.append((name, value, step))


@pytest.mark.parametrize("info", ["full", "numbers", "none"])
def test_one_world(info: Any) -> None:
    logged: list[tuple[dict[str, float], int]] = []

    def log(figures: dict[str, float], step: int) -> None:
        logged.append((figures, step))

    env = RewardRate(JellyBeanWorldEnv(SMALL, REWARD, info=info), window=7, log=log)
    assert isinstance(env, gymnasium.Wrapper)
    env.reset(seed=2)
    rewards: list[float] = []
    for t, action in enumerate(np.random.default_rng(0).integers(3, size=60)):
        _, reward, _, _, told = env.step(action)
        rewards.append(reward)
        assert told["reward_rate"] == pytest.approx(by_hand(rewards, t, 7)) == env.rate
        assert ("position" in told) == (info != "none")
        if t == 30:
            env.reset(seed=3)  # a rate has no episodes
    assert [step for _, step in logged] == list(range(7, 60, 7))
    for figures, step in logged:
        assert figures["reward_rate"] == pytest.approx(np.mean(rewards[step - 7 : step]))
        assert figures["reward_rate_lifetime"] == pytest.approx(np.mean(rewards[:step]))
    assert env.figures()["reward_rate_lifetime"] == pytest.approx(np.mean(rewards))


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("info", ["full", "none"])
def test_many_worlds(copied: bool, info: Any) -> None:
    writer = Writer()
    plain = JellyBeanWorldVectorEnv(COUNT, SMALL, REWARD, copy=copied, info=info)
    envs: Any = RewardRate(plain, window=10, log=writer)
    assert isinstance(envs, VectorRewardRate) and envs.num_envs == COUNT
    envs.reset(seed=2)
    rewards: list[Any] = []
    for t, actions in enumerate(np.random.default_rng(0).integers(3, size=(45, COUNT))):
        _, paid, _, _, infos = envs.step(actions)
        rewards.append(paid.copy())
        if copied and info == "full":
            assert isinstance(infos, Infos) and dict.__len__(infos) == 0  # not made yet
        np.testing.assert_allclose(infos["reward_rate"], by_hand(rewards, t, 10), atol=1e-12)
        assert infos["_reward_rate"].all() and ("time" in infos) == (info == "full")
    names = ["reward_rate", "reward_rate_lifetime"]
    assert [line[0] for line in writer.lines] == names * 4
    assert writer.lines[-2][1:] == (pytest.approx(np.mean(rewards[30:40])), 40)
    np.testing.assert_allclose(envs.rates, np.mean(rewards[-10:], axis=0), atol=1e-12)


def test_it_works_on_vectors_of_gymnasium() -> None:
    other = gymnasium.vector.SyncVectorEnv([lambda: JellyBeanWorldEnv(SMALL, REWARD)] * 2)
    envs: Any = RewardRate(other, window=5)
    envs.reset(seed=1)
    assert envs.step([0, 0])[4]["reward_rate"].shape == (2,)


def test_a_window_is_at_least_one_step() -> None:
    with pytest.raises(ValueError, match="window is 0"):
        RewardRate(JellyBeanWorldEnv(SMALL), window=0)
