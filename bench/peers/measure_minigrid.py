# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""MiniGrid, written in Python."""

from __future__ import annotations

import gymnasium
import minigrid  # noqa: F401 - registers its environments
import numpy as np
from serving import Way, serve

ID = "MiniGrid-FourRooms-v0"
TEXT = "7 x 7 cells x 3"


def prepare(worlds: int) -> Way:
    generator = np.random.default_rng(0)
    if worlds == 1:
        env = gymnasium.make(ID)
        env.reset(seed=0)
        actions = generator.integers(env.action_space.n, size=256).tolist()

        def call() -> None:
            for action in actions:
                _, _, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    env.reset()

        return Way(call, len(actions), 7 * 7 * 3, TEXT)

    envs = gymnasium.make_vec(ID, num_envs=worlds, vectorization_mode="sync")
    envs.reset(seed=0)
    actions = generator.integers(envs.single_action_space.n, size=(16, worlds))
    at = 0

    def step() -> None:
        nonlocal at
        envs.step(actions[at % len(actions)])
        at += 1

    return Way(step, 1, 7 * 7 * 3, TEXT)


if __name__ == "__main__":
    serve(prepare)
