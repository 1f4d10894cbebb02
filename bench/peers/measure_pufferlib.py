# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""PufferLib's snake, written in C: one snake per world, which looks for food."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pufferlib
from serving import Way, serve

# The wheel lacks modules which `pufferlib.ocean` imports. The snake is whole, so that an empty
# module stands for the package around it.
ocean = ModuleType("pufferlib.ocean")
ocean.__path__ = [str(Path(pufferlib.__file__).parent / "ocean")]
sys.modules["pufferlib.ocean"] = ocean

# Its C function `step` has the name of one in the C library, which is found first and does nothing.
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)

from pufferlib.ocean.snake.snake import Snake  # noqa: E402

#: Of a world. Its density of food is that of the worlds which the package makes by default.
SIDE, FOOD = 64, 73

#: How far a snake sees.
VISION = 5


def prepare(worlds: int) -> Way:
    envs = Snake(
        widths=worlds * [SIDE],
        heights=worlds * [SIDE],
        num_snakes=worlds * [1],
        num_food=worlds * [FOOD],
        vision=VISION,
    )
    envs.reset()
    generator = np.random.default_rng(0)
    rows = list(generator.integers(4, size=(256, worlds), dtype=np.int32))
    steps = max(256 // worlds, 1)
    at = 0

    def call() -> None:
        nonlocal at
        for _ in range(steps):
            envs.step(rows[at % len(rows)])
            at += 1

    side = 2 * VISION + 1
    return Way(call, steps, side * side, f"{side} x {side} cells")


if __name__ == "__main__":
    serve(prepare)
