# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Ours, from Python: the environment for one world, the vector environment for many.

    measure_jbw.py WORLD STATE

STATE is "settled", worlds in which agents have walked for a while, or "young": every measurement
begins with worlds that have just been made, so that it makes terrain.
"""

from __future__ import annotations

import sys

import numpy as np
from serving import Way, serve

from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldVectorEnv

REWARD = "Collect[JellyBean]"

#: Random steps before worlds count as settled; fewer in large batches, which take long.
STEPS, FEWER_STEPS = 2000, 500


def prepare(worlds: int, world: str, is_young: bool) -> Way:
    generator = np.random.default_rng(0)
    if worlds == 1:
        env = JellyBeanWorldEnv(world, REWARD, copy=False, info="none")
        env.reset(seed=0)
        numbers = sum(int(np.prod(env.model.parts[name].shape)) for name in ("vision", "scent"))
        actions = generator.integers(len(env.action_names), size=4096).tolist()
        current = env

        def walk(count: int) -> None:
            nonlocal at
            step = current.step
            for _ in range(count):
                step(actions[at % 4096])
                at += 1
    else:
        envs = JellyBeanWorldVectorEnv(worlds, world, REWARD, copy=False, info="none", threads=1)
        envs.reset(seed=0)
        parts = envs.model.parts
        numbers = sum(int(np.prod(parts[name].shape)) for name in ("vision", "scent"))
        rows = list(generator.integers(len(envs.action_names), size=(256, worlds), dtype=np.int32))
        env = current = envs  # type: ignore[assignment]

        def walk(count: int) -> None:
            nonlocal at
            step = current.step
            for _ in range(count):
                step(rows[at % 256])
                at += 1

    at = 0
    if not is_young:
        walk(STEPS if worlds <= 64 else FEWER_STEPS)

    def renew() -> None:
        nonlocal at, current
        if is_young:
            at, current = 0, env.clone()

    side = env.model.parts["vision"].shape[0]
    text = f"{side} x {side} cells x 3"
    if env.model.scent_dimensions > 0:
        text += f", scent {env.model.scent_dimensions}"
    steps = max(256 // worlds, 1)
    return Way(lambda: walk(steps), steps, numbers, text, renew)


def main() -> None:
    world, state = sys.argv[1:]
    serve(lambda worlds: prepare(worlds, world, state == "young"))


if __name__ == "__main__":
    main()
