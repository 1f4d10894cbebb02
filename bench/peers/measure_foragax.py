# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""continual-foragax: a small grid that wraps around, with food that grows back. It never ends."""

from __future__ import annotations

from typing import Any

import jax
from compiled import way
from foragax.registry import make
from serving import Way, serve

SIDE = 9


def prepare(worlds: int) -> Way:
    env = make("ForagaxBig-v5", observation_type="object", aperture_size=(SIDE, SIDE))
    params = env.default_params

    def begin(key: Any) -> Any:
        return env.reset(key, params)

    def advance(key: Any, world: Any) -> Any:
        choose, step = jax.random.split(key)
        action = jax.random.randint(choose, (), 0, env.num_actions)
        return env.step(step, world[1], action, params)[:2]

    made = way(worlds, begin, advance, lambda world: world[0], "")
    made.observation = f"{SIDE} x {SIDE} cells x {made.numbers // SIDE**2} kinds"
    return made


if __name__ == "__main__":
    serve(prepare)
