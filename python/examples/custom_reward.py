# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A reward of our own, written in Python: jelly beans pay, and the first visit to a cell pays a
little.

python custom_reward.py --steps 1000
"""

import argparse

import gymnasium

import jbw
from jbw.envs import Step


class BeansAndNewCells:
    """Any function of a step is a reward; this one is an object, to remember where it was."""

    __name__ = "BeansAndNewCells"  # what info["reward_function"] will say

    def __init__(self, bonus: float) -> None:
        self.bonus = bonus
        self.visited: set[tuple[int, int]] = set()

    def __call__(self, step: Step) -> float:
        reward = 1.0 if step.collected == "JellyBean" else 0.0
        if step.position not in self.visited:
            self.visited.add(step.position)
            reward += self.bonus
        return reward


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()

    reward = BeansAndNewCells(bonus=0.01)
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world="paper-code", reward=reward)
    env.reset(seed=arguments.seed)
    env.action_space.seed(arguments.seed)
    total = 0.0
    for _ in range(arguments.steps):
        _, paid, _, _, info = env.step(env.action_space.sample())
        total += float(paid)
    name, cells = info["reward_function"], len(reward.visited)
    print(f"{name}: {total:.2f} in {arguments.steps} steps, {cells} cells seen")

    # Most rewards need no Python: this text runs in C, at full speed, also on many threads
    text = jbw.rewards.Collect("JellyBean") & jbw.rewards.Explore(0.01)
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world="paper-code", reward=text)
    env.reset(seed=arguments.seed)
    env.action_space.seed(arguments.seed)
    total = sum(float(env.step(env.action_space.sample())[1]) for _ in range(arguments.steps))
    print(f"{text}: {total:.2f} in {arguments.steps} steps")


if __name__ == "__main__":
    main()
