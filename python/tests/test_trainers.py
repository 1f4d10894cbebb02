# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Environments in other libraries: what they get is what the native environment says."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from small_worlds import SMALL

import jbw
from jbw.envs import JellyBeanWorldVectorEnv

REWARD = "Collect[JellyBean] & Avoid[Onion]"
COUNT = 3


def plan(steps: int) -> np.ndarray:
    return np.random.default_rng(4).integers(3, size=(steps, COUNT))


def same(a: Any, b: Any) -> bool:
    return bool(data_equivalence(a, b, exact=True))


class TestStableBaselines:
    @pytest.fixture(autouse=True)
    def _needed(self) -> None:
        pytest.importorskip("stable_baselines3")

    def make(self, **options: Any) -> Any:
        import jbw.sb3

        return jbw.sb3.VecEnv(COUNT, SMALL, REWARD, seed=5, **options)

    @pytest.mark.parametrize("observation", ["dict", "flat", "vision"])
    def test_steps_are_those_of_the_native_environment(self, observation: Any) -> None:
        env = self.make(observation=observation, window=10)
        twin = JellyBeanWorldVectorEnv(COUNT, SMALL, REWARD, observation=observation)
        assert same(env.reset(), twin.reset(seed=5)[0])
        sums = np.zeros(COUNT)
        for t, actions in enumerate(plan(30), 1):
            seen, rewards, dones, infos = env.step(actions)
            expected, due, *_ = twin.step(actions)
            assert same(seen, expected) and not dones.any() and len(infos) == COUNT
            assert rewards.dtype == np.float32 and np.array_equal(rewards, due.astype(np.float32))
            sums += due
            if t % 10 == 0:
                assert [info["episode"]["r"] for info in infos] == pytest.approx(sums.tolist())
                assert [info["episode"]["l"] for info in infos] == [10] * COUNT
                assert env.rate == pytest.approx(sums.mean() / 10)
                sums[:] = 0
            else:
                assert infos == [{}] * COUNT

    def test_lives_that_end(self) -> None:
        env = self.make(max_episode_steps=4, info="full")
        twin = JellyBeanWorldVectorEnv(
            COUNT, SMALL, REWARD, max_episode_steps=4, autoreset_mode="same_step"
        )
        env.reset()
        twin.reset(seed=5)
        for t, actions in enumerate(plan(12), 1):
            seen, _, dones, infos = env.step(actions)
            expected, _, _, truncations, told = twin.step(actions)
            assert same(seen, expected) and np.array_equal(dones, truncations)
            assert [info["time"] for info in infos] == told["time"].tolist()
            assert dones.all() == (t % 4 == 0)
            for i in np.flatnonzero(dones):
                assert same(infos[i]["terminal_observation"], told["final_obs"][i])
                assert infos[i]["TimeLimit.truncated"] and infos[i]["inventory"]["Onion"] == 0

    def test_it_logs_the_reward_rate(self) -> None:
        from stable_baselines3 import PPO
        from stable_baselines3.common.logger import KVWriter, Logger

        class Keeper(KVWriter):
            rows: list[dict[str, Any]] = []  # noqa: RUF012 - there is one

            def write(self, key_values: Any, key_excluded: Any, step: int = 0) -> None:
                self.rows.append(dict(key_values))

            def close(self) -> None:
                pass

        model = PPO(
            "MultiInputPolicy", self.make(window=16), n_steps=32, batch_size=32, device="cpu"
        )
        model.set_logger(Logger(None, [Keeper()]))
        model.learn(3 * 32 * COUNT, callback=jbw.sb3.RewardRateCallback())
        assert len(model.ep_info_buffer) > 0
        last = Keeper.rows[-1]
        assert "rollout/reward_rate" in last and "rollout/ep_rew_mean" in last
        assert last["rollout/ep_len_mean"] == 16
        assert len(model.env.get_attr("item_names")) == COUNT
        assert model.env.env_is_wrapped(object) == [False] * COUNT

    def test_pictures_for_convolutions(self) -> None:
        from stable_baselines3 import PPO

        env = self.make(observation="vision", vision="image")
        model = PPO("CnnPolicy", env, n_steps=8, batch_size=8, n_epochs=1, device="cpu")
        model.learn(8 * COUNT)


class TestTorch:
    @pytest.fixture(autouse=True)
    def _needed(self) -> None:
        pytest.importorskip("torch")

    @pytest.mark.parametrize("observation", ["dict", "flat", "scent"])
    def test_tensors_share_memory(self, observation: Any) -> None:
        import torch

        import jbw.torch

        envs = jbw.torch.VectorEnv(COUNT, SMALL, REWARD, observation=observation)
        twin = JellyBeanWorldVectorEnv(COUNT, SMALL, REWARD, observation=observation)
        first, _ = envs.reset(seed=5)
        twin.reset(seed=5)
        for actions in plan(20):
            results = envs.step(torch.from_numpy(actions))
            expected = twin.step(actions)
            assert isinstance(results[1], torch.Tensor) and results[1].dtype == torch.float64
            arrays = (
                {key: part.numpy() for key, part in results[0].items()}
                if observation == "dict"
                else results[0].numpy()
            )
            assert same((arrays, *(part.numpy() for part in results[1:4])), expected[:4])
            if observation == "dict":
                assert results[0]["vision"].data_ptr() == first["vision"].data_ptr()
            else:
                assert results[0].data_ptr() == first.data_ptr()
        again = pickle.loads(pickle.dumps(envs))
        assert same(again.step([0] * COUNT)[1].numpy(), twin.step([0] * COUNT)[1])
        with pytest.raises(ValueError, match="clone"):
            jbw.torch.VectorEnv(COUNT, SMALL, copy=True)

    def test_pinned_memory(self) -> None:
        import torch

        import jbw.torch

        if not torch.cuda.is_available():
            with pytest.raises(RuntimeError):
                jbw.torch.VectorEnv(COUNT, SMALL, REWARD, pin=True)
            return
        envs = jbw.torch.VectorEnv(COUNT, SMALL, REWARD, pin=True)
        assert envs.reset(seed=1)[0]["vision"].is_pinned()


class TestTorchRL:
    @pytest.fixture(autouse=True)
    def _needed(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip("torchrl")
            yield

    def test_one_world(self) -> None:
        from torchrl.envs.libs.gym import GymEnv

        env = GymEnv("jbw/PaperCode-v0", world=SMALL, info="numbers")
        env.set_seed(3)
        steps = env.rollout(20)
        assert steps["vision"].shape[0] == 20 and steps["next", "reward"].shape == (20, 1)

    def test_many_worlds(self) -> None:
        import torch
        from torchrl.envs.libs.gym import GymWrapper
        from torchrl.envs.utils import check_env_specs

        envs = JellyBeanWorldVectorEnv(
            COUNT, SMALL, REWARD, info="numbers", autoreset_mode="disabled"
        )
        env = GymWrapper(envs, categorical_action_encoding=True)
        assert env.batch_size == torch.Size([COUNT])
        check_env_specs(env)
        twin = JellyBeanWorldVectorEnv(COUNT, SMALL, REWARD)
        table = plan(20)
        state = env.reset(seed=7)
        assert np.array_equal(state["vision"].numpy(), twin.reset(seed=7)[0]["vision"])
        for actions in table:
            state["action"] = torch.from_numpy(actions)
            after = env.step(state)["next"]
            seen, paid, *_ = twin.step(actions)
            assert np.array_equal(after["vision"].numpy(), seen["vision"])
            assert np.array_equal(after["reward"][:, 0].numpy(), paid.astype(np.float32))
            state = after

    def test_lives_that_end(self) -> None:
        from torchrl.envs.libs.gym import GymWrapper

        envs = JellyBeanWorldVectorEnv(
            COUNT, SMALL, info="none", max_episode_steps=4, autoreset_mode="disabled"
        )
        steps = GymWrapper(envs).rollout(10, break_when_any_done=False)
        assert steps["next", "truncated"][1, :, 0].tolist() == [t % 4 == 3 for t in range(10)]

    def test_many_agents(self) -> None:
        from torchrl.envs.libs.pettingzoo import PettingZooWrapper

        env = PettingZooWrapper(jbw.parallel_env(SMALL, 3, REWARD, info="numbers", max_agents=3))
        steps = env.rollout(10)
        assert steps["agent", "observation", "vision"].shape[:2] == (10, 3)


class TestSuperSuit:
    def test_agents_become_rows(self) -> None:
        supersuit = pytest.importorskip("supersuit")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env = jbw.parallel_env(SMALL, 3, REWARD, observation="flat", info="none")
            rows = supersuit.concat_vec_envs_v1(
                supersuit.pettingzoo_env_to_vec_env_v1(env), 2, num_cpus=0
            )
            seen, _ = rows.reset(seed=4)
            twins = [jbw.parallel_env(SMALL, 3, REWARD, observation="flat") for _ in range(2)]
            firsts = [twin.reset(seed=4 + i)[0] for i, twin in enumerate(twins)]
            expected = [part for first in firsts for part in first.values()]
            assert np.array_equal(seen, np.stack(expected))
            for actions in np.random.default_rng(0).integers(3, size=(20, 6)):
                seen, paid, *_ = rows.step(actions)
                results = [
                    twin.step(dict(zip(twin.agents, part, strict=True)))
                    for twin, part in zip(twins, actions.reshape(2, 3), strict=True)
                ]
                assert np.array_equal(
                    seen, np.stack([part for result in results for part in result[0].values()])
                )
                assert paid.tolist() == [p for result in results for p in result[1].values()]
