# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds on many machines, and an agent that chooses actions for some while others step.

    python many_machines.py --worlds 64 --steps 1000                  # a cluster of this machine
    python many_machines.py --worlds 4096 --address HOST:6379         # yours

The worlds are in two groups that take turns: while one is under way, actions are chosen for the
other. Prints the reward per step of all worlds.
"""

import argparse

import numpy as np

import jbw.ray


def choose(scent: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Turns now and then, and more often where there is little to smell: (n) actions."""
    restless = np.where(scent.sum(axis=1) > 0.1, 0.1, 0.3)
    turns = generator.integers(1, 3, size=len(scent))  # left or right
    return np.where(generator.random(len(scent)) < restless, turns, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--actors", type=int, help="(one per machine)")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--address", help="of a Ray cluster (one is started)")
    arguments = parser.parse_args()

    envs = jbw.ray.RemoteVectorEnv(
        arguments.worlds, "scent", "Collect[JellyBean]",
        actors=arguments.actors, address=arguments.address, info="numbers",
    )  # fmt: skip
    generator = np.random.default_rng(0)
    total = 0.0
    with envs:
        observations, _ = envs.reset(seed=0)
        scent = observations["scent"].copy()
        groups = np.array_split(np.arange(arguments.worlds), 2)
        envs.send(choose(scent[groups[0]], generator), groups[0])
        for turn in range(1, 2 * arguments.steps):
            group = groups[turn % 2]
            actions = choose(scent[group], generator)  # the other group is under way meanwhile
            observations, rewards, _, _, infos = envs.recv()
            scent[infos["world"]] = observations["scent"]
            total += rewards.sum()
            envs.send(actions, group)
        total += envs.recv()[1].sum()
        print(f"reward per step: {total / arguments.steps / arguments.worlds:.4f}")
        print(f"actors: {envs.actors}, lost: {envs.losses}")


if __name__ == "__main__":
    main()
