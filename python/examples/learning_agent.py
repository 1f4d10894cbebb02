# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A linear agent learns, online and without ever starting over, to collect beans and avoid onions.

    python learning_agent.py --steps 8000

Sixteen agents live in sixteen worlds and share one table of weights. They see item types, one-hot,
in a square around them; the value of an action is a sum over what is seen there,

    Q(s, a) = w[a] . x(s)
    w[a] += rate * (r + discount * max Q(s', .) - Q(s, a)) * x(s) / |x(s)|^2

That is semi-gradient Q-learning, and enough to walk up to beans and around onions. A second set of
worlds with random agents tells what luck alone is worth: nothing, as beans and onions are equally
common. After 8,000 steps the agents earn about 0.1 a step.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np

import jbw  # noqa: F401 - registers the environments

WORLDS = 16

# A meadow with something in sight wherever one stands. In the paper's worlds items are rare, and
# agents without memory easily end up turning on the spot.
MEADOW: dict[str, Any] = {
    "scent_dimensions": 0,
    "patch_size": 32,
    "mh_iterations": 4000,
    "agent": {"vision_range": 4, "actions": ["MoveForward", "TurnLeft", "TurnRight"]},
    "items": {
        "JellyBean": {"color": [0.8, 0.3, 0.2], "intensity": "Constant[-3]"},
        "Onion": {"color": [0.7, 0.0, 1.0], "intensity": "Constant[-3]"},
    },
}


def make(seed: int) -> tuple[gymnasium.vector.VectorEnv, np.ndarray]:
    envs = gymnasium.make_vec(
        "jbw/JellyBeanWorld-v0",
        num_envs=WORLDS,
        world=MEADOW,
        reward="Collect[JellyBean] & Avoid[Onion]",
        observation="vision",
        vision="items",
    )
    observations, _ = envs.reset(seed=seed)
    return envs, features(observations)


def features(vision: np.ndarray) -> np.ndarray:
    """(worlds, features): what is seen, and a one."""
    flat = vision.reshape(len(vision), -1)
    return np.concatenate([flat, np.ones((len(flat), 1), np.float32)], axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=8000, help="of each agent")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--discount", type=float, default=0.8)
    arguments = parser.parse_args()

    generator = np.random.default_rng(arguments.seed)
    envs, seen = make(arguments.seed)
    random_envs, _ = make(arguments.seed + WORLDS)
    actions_count = len(MEADOW["agent"]["actions"])
    weights = np.zeros((actions_count, seen.shape[1]), np.float32)

    rows = np.arange(WORLDS)
    earned = np.zeros(arguments.steps)
    by_luck = np.zeros(arguments.steps)
    values = seen @ weights.T
    for t in range(arguments.steps):
        # explore much in the beginning, and a little for ever
        epsilon = max(0.05, 1.0 - 4 * t / arguments.steps)
        noise = 1e-6 * generator.random(values.shape)  # a random one among equals
        actions = np.where(
            generator.random(WORLDS) < epsilon,
            generator.integers(actions_count, size=WORLDS),
            (values + noise).argmax(axis=1),
        )
        observations, rewards, _, _, _ = envs.step(actions)
        after = features(observations)
        values_after = after @ weights.T
        targets = rewards + arguments.discount * values_after.max(axis=1)
        errors = targets - values[rows, actions]
        steps = arguments.rate * errors / (seen * seen).sum(axis=1)
        np.add.at(weights, actions, steps[:, np.newaxis] * seen)
        seen, values = after, after @ weights.T
        earned[t] = rewards.mean()

        _, rewards, _, _, _ = random_envs.step(generator.integers(actions_count, size=WORLDS))
        by_luck[t] = rewards.mean()

    fifth = max(arguments.steps // 5, 1)
    for part in range(0, arguments.steps, fifth):
        print(f"steps {part:6} ... : reward rate {earned[part : part + fifth].mean():.4f}")
    print(f"learned {earned[-fifth:].mean():.4f}, random {by_luck.mean():.4f}")


if __name__ == "__main__":
    main()
