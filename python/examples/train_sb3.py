# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Stable-Baselines3's PPO on worlds that never end.

    python train_sb3.py --steps 800000

Prints the reward per step after every tenth rollout, and that of an agent that acts at random.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from stable_baselines3 import PPO

import jbw.sb3

TASK = "Collect[JellyBean] & Avoid[Onion]"


def make_env(count: int, seed: int) -> jbw.sb3.VecEnv:
    return jbw.sb3.VecEnv(
        count, "paper-code", TASK, seed=seed, window=1280, observation="flat", vision="items",
        overrides={"agent.vision_range": 4},
    )  # fmt: skip


def random_rate(count: int, steps: int) -> float:
    """The reward per step of agents that act at random."""
    env = make_env(count, seed=10**6)
    env.reset()
    generator = np.random.default_rng(0)
    actions = generator.integers(env.action_space.n, size=(steps, count))
    return float(np.mean([env.step(row)[1].mean() for row in actions]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800_000, help="of all worlds together")
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)

    env = make_env(options.envs, options.seed)
    model = PPO(
        "MlpPolicy", env, n_steps=128, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=0.98,
        ent_coef=0.01, seed=options.seed, verbose=1, device="cpu",
    )  # fmt: skip
    # the log has rollout/reward_rate; ep_rew_mean is the reward of 1280 steps
    model.learn(options.steps, callback=jbw.sb3.RewardRateCallback(), log_interval=10)
    print(f"learned {env.rate:.4f}, random {random_rate(options.envs, 200):.4f}")


if __name__ == "__main__":
    main()
