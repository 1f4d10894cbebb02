# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Hello, world: an agent takes a walk, and we look over its shoulder.

python hello_world.py --steps 200 --seed 7
"""

import argparse

import gymnasium
import numpy as np

import jbw  # registers the environments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()

    env = gymnasium.make("jbw/NonEpisodic-v0", render_mode="ansi", render_size=(41, 15))
    observation, info = env.reset(seed=arguments.seed)
    print(
        f"jbw {jbw.__version__}: vision {observation['vision'].shape}, scent {observation['scent']}"
    )

    # a world never ends, so there is no episode to wait for: we stop when we have seen enough
    generator = np.random.default_rng(arguments.seed)
    forward, left, right = range(3)  # the paper's three actions, see env.unwrapped.action_names
    total = 0.0
    for _ in range(arguments.steps):
        action = generator.choice([forward, left, right], p=[0.9, 0.05, 0.05])
        observation, reward, _, _, info = env.step(action)
        total += float(reward)
        if info["collected"]:
            print(f"time {info['time']}: collected {info['collected']} at {info['position']}")
    print(env.render())
    print(f"reward {total:g} in {info['time']} steps for {info['reward_function']}")


if __name__ == "__main__":
    main()
