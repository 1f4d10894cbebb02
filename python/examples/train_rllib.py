# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""RLlib's PPO on worlds that never end.

    python train_rllib.py --steps 240000

RLlib measures episodes, so that lives are cut after 500 steps and go on in new worlds. Prints the
reward per step of ten iterations, and that of an agent that acts at random.
"""

from __future__ import annotations

import argparse
import logging
import os
import warnings

import gymnasium
import numpy as np

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
warnings.filterwarnings("ignore")  # of libraries that RLlib uses

import ray  # noqa: E402
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig  # noqa: E402
from ray.tune.registry import register_env  # noqa: E402

from jbw.envs import JellyBeanWorldEnv  # noqa: E402

TASK = "Collect[JellyBean] & Avoid[Onion]"
LIFE = 500


def make_env(config: dict[str, object] | None = None) -> gymnasium.Env:
    env = JellyBeanWorldEnv(
        "paper-code", TASK, observation="flat", vision="items", info="none",
        overrides={"agent.vision_range": 4},
    )  # fmt: skip
    return gymnasium.wrappers.TimeLimit(env, LIFE)


def random_rate(steps: int) -> float:
    """The reward per step of an agent that acts at random."""
    env = make_env().unwrapped
    env.reset(seed=10**6)
    actions = np.random.default_rng(0).integers(env.action_space.n, size=steps)
    return sum(env.step(action)[1] for action in actions) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=240_000)
    parser.add_argument("--batch", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    ray.init(
        num_cpus=1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False,
        _node_ip_address="127.0.0.1",
    )  # fmt: skip
    register_env("jelly_bean_world", make_env)
    config = (
        PPOConfig()
        .environment("jelly_bean_world")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8, rollout_fragment_length="auto")
        .training(
            train_batch_size=options.batch, minibatch_size=1000, num_epochs=4, lr=1e-3, gamma=0.98,
            lambda_=0.95, clip_param=0.2, use_kl_loss=False, vf_loss_coeff=0.5, grad_clip=0.5,
            entropy_coeff=0.01,
        )
        .rl_module(
            model_config=DefaultModelConfig(fcnet_hiddens=[64, 64], fcnet_activation="tanh")
        )
        .debugging(seed=options.seed, log_level="ERROR")
    )  # fmt: skip
    algorithm = config.build_algo()
    rates = []
    steps = 0
    while steps < options.steps:
        result = algorithm.train()["env_runners"]
        steps = int(result["num_env_steps_sampled_lifetime"])
        rates.append(float(result.get("episode_return_mean", 0.0)) / LIFE)
        if len(rates) % 10 == 0:
            print(f"steps {steps}: reward rate {np.mean(rates[-10:]):.4f}", flush=True)
    algorithm.stop()
    ray.shutdown()
    print(f"learned {np.mean(rates[-10:]):.4f}, random {random_rate(20_000):.4f}")


if __name__ == "__main__":
    main()
