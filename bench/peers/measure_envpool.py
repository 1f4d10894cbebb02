# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""EnvPool's MiniGrid, written in C++."""

from __future__ import annotations

import envpool
import numpy as np
from serving import Way, serve


def prepare(worlds: int) -> Way:
    envs = envpool.make(
        "MiniGrid-FourRooms-v0", env_type="gymnasium", num_envs=worlds, num_threads=1, seed=0
    )
    envs.reset()
    generator = np.random.default_rng(0)
    rows = list(generator.integers(envs.action_space.n, size=(64, worlds)).astype(np.int32))
    steps = max(64 // worlds, 1) if worlds > 64 else 64
    at = 0

    def call() -> None:
        nonlocal at
        for _ in range(steps):
            envs.step(rows[at % len(rows)])
            at += 1

    return Way(call, steps, 7 * 7 * 3, "7 x 7 cells x 3")


if __name__ == "__main__":
    serve(prepare)
