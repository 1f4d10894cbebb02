# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents share a world: collectors of two kinds compete, one joins late, and one leaves.

python many_agents.py --steps 400
"""

import argparse

import numpy as np

import jbw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()

    # a reward for everybody by name: friends of beans, and friends of onions
    rewards = {f"bean_{i}": "Collect[JellyBean] & Avoid[Onion]" for i in range(3)}
    rewards |= {f"onion_{i}": "Collect[Onion] & Avoid[JellyBean]" for i in range(3)}
    env = jbw.parallel_env("paper-code", agents=list(rewards), reward=rewards)
    observations, _ = env.reset(seed=arguments.seed)

    # the built-in greedy policy looks for what its reward pays best
    def greedy(name: str, reward: str) -> jbw.Policy:
        return jbw.Policy("greedy", env.model, jbw.Reward(env.model, reward), seed=len(name))

    policies = {name: greedy(name, reward) for name, reward in rewards.items()}
    scores = dict.fromkeys(rewards, 0.0)
    for step in range(arguments.steps):
        if step == arguments.steps // 4:
            late = env.join("late_bean", reward="Collect[JellyBean]")
            policies[late] = greedy(late, "Collect[JellyBean]")
            scores[late] = 0.0
            observations[late] = env.observe(late)
            print(f"time {env.world.time}: {late} joins at {env.member(late).position}")
        if step == arguments.steps // 2:
            env.leave("onion_2")
            print(f"time {env.world.time}: onion_2 leaves")
        actions = {
            name: policies[name].act(env.world.time, observations[name]["vision"])
            for name in env.agents
        }
        observations, paid, terminations, _, infos = env.step(actions)
        for name, reward in paid.items():
            scores[name] += reward
        for name in (name for name, is_over in terminations.items() if is_over):
            print(f"time {env.world.time}: the last of {name}, score {scores[name]:g}")

    for name in env.agents:
        distance = np.hypot(*infos[name]["position"])
        print(f"{name:10} score {scores[name]:5g}, {distance:6.1f} cells from the origin")


if __name__ == "__main__":
    main()
