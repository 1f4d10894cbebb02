# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""XLand-MiniGrid's own implementation of four rooms."""

from __future__ import annotations

from typing import Any

import jax
import xminigrid
from compiled import way
from serving import Way, serve
from xminigrid.wrappers import GymAutoResetWrapper


def prepare(worlds: int) -> Way:
    env, params = xminigrid.make("MiniGrid-FourRooms")
    env = GymAutoResetWrapper(env)
    actions = env.num_actions(params)

    def begin(key: Any) -> Any:
        return env.reset(params, key)

    def advance(key: Any, world: Any) -> Any:
        return env.step(params, world, jax.random.randint(key, (), 0, actions))

    return way(worlds, begin, advance, lambda world: world.observation, "7 x 7 cells x 2")


if __name__ == "__main__":
    serve(prepare)
