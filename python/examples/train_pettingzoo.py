# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents that share a world learn one policy: PettingZoo, SuperSuit and Stable-Baselines3.

    python train_pettingzoo.py --steps 800000

SuperSuit turns the agents of several worlds into the rows of one vector environment. They see each
other as one more channel of vision. Prints the reward per step, and that of agents that act at
random.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import supersuit
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import VecMonitor

import jbw

TASK = "Collect[JellyBean] & Avoid[Onion]"


def make_env(worlds: int, agents: int, seed: int) -> VecMonitor:
    env = jbw.parallel_env(
        "paper-code", agents, TASK, observation="flat", vision="items", agents_channel=True,
        info="none", overrides={"agent.vision_range": 4}, max_agents=agents,
    )  # fmt: skip
    rows = supersuit.pettingzoo_env_to_vec_env_v1(env)
    rows = supersuit.concat_vec_envs_v1(rows, worlds, num_cpus=0, base_class="stable_baselines3")
    rows.venv.reset(seed=seed)  # SuperSuit cannot seed; later resets draw from what this seeds
    return VecMonitor(rows)


class Meter(BaseCallback):
    """Prints the reward per step of ten rollouts, again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.rates: list[float] = []

    @property
    def rate(self) -> float:
        """Reward per step of the latest ten rollouts."""
        return float(np.mean(self.rates[-10:]))

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.rates.append(float(self.model.rollout_buffer.rewards.mean()))
        if len(self.rates) % 10 == 0:
            print(f"steps {self.num_timesteps}: reward rate {self.rate:.4f}", flush=True)


def random_rate(env: VecMonitor, steps: int) -> float:
    """The reward per step of agents that act at random."""
    env.reset()
    generator = np.random.default_rng(0)
    actions = generator.integers(env.action_space.n, size=(steps, env.num_envs))
    return float(np.mean([env.step(row)[1].mean() for row in actions]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800_000, help="of all agents together")
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--agents", type=int, default=8, help="in each world")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")  # of libraries that SuperSuit uses
    torch.set_num_threads(1)
    set_random_seed(options.seed)

    meter = Meter()
    model = PPO(
        "MlpPolicy", make_env(options.worlds, options.agents, options.seed), n_steps=128,
        batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=0.98, ent_coef=0.01,
        device="cpu",
    )  # fmt: skip
    model.learn(options.steps, callback=meter)
    luck = random_rate(make_env(options.worlds, options.agents, 10**6), 200)
    print(f"learned {meter.rate:.4f}, random {luck:.4f}")


if __name__ == "__main__":
    main()
