# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Ours, from Python: the environment for one world, the vector environment for many.

    measure_jbw.py WORLD STATE

STATE is "settled", worlds in which agents walk through terrain that is there, or "young": every
measurement begins with worlds that have just been made, so that it makes terrain.

Agents act at random. In settled worlds the same actions come again after a while, and an agent has
turned around by then. So the second time leads it back to where it began, unless something blocks
its way, and after that it needs no new terrain.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from serving import Way, serve

from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldVectorEnv

REWARD = "Collect[JellyBean]"

Actions = NDArray[np.int32]

#: Random steps until the same actions come again: of a settled world alone and in a batch, and of
#: all young worlds together, which is more than a measurement makes.
SINGLE, BATCH, YOUNG = 4096, 256, 4_000_000


def random_actions(names: Sequence[str], count: int, worlds: int) -> Actions:
    """(count, worlds)"""
    return np.random.default_rng(0).integers(len(names), size=(count, worlds), dtype=np.int32)


def returning_actions(names: Sequence[str], count: int, worlds: int) -> Actions:
    """The same, but each agent faces backwards after them."""
    actions = random_actions(names, count, worlds)
    left, right = names.index("TurnLeft"), names.index("TurnRight")
    actions[-2:] = names.index("MoveForward")
    turns = np.sum(actions == left, axis=0) - np.sum(actions == right, axis=0)
    missing = (2 - turns) % 4
    actions[-1, missing >= 1] = left
    actions[-2, missing == 2] = left
    actions[-1, missing == 3] = right
    return actions


def choose_actions(names: Sequence[str], worlds: int, is_young: bool) -> Actions:
    if is_young:
        return random_actions(names, max(YOUNG // worlds, 1), worlds)
    return returning_actions(names, SINGLE if worlds == 1 else BATCH, worlds)


def prepare(worlds: int, world: str, is_young: bool) -> Way:
    env: JellyBeanWorldEnv | JellyBeanWorldVectorEnv
    if worlds == 1:
        env = JellyBeanWorldEnv(world, REWARD, copy=False, info="none")
    else:
        env = JellyBeanWorldVectorEnv(worlds, world, REWARD, copy=False, info="none", threads=1)
    env.reset(seed=0)
    current = env
    rows = choose_actions(env.action_names, worlds, is_young)
    actions = rows[:, 0].tolist() if worlds == 1 else list(rows)
    count = len(actions)

    def walk(steps: int) -> None:
        nonlocal at
        step = current.step
        for _ in range(steps):
            step(actions[at % count])
            at += 1

    at = 0
    if not is_young:
        walk(2 * count)  # there and back

    def renew() -> None:
        nonlocal at, current
        if is_young:
            at, current = 0, env.clone()

    numbers = sum(int(np.prod(env.model.parts[name].shape)) for name in ("vision", "scent"))
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
