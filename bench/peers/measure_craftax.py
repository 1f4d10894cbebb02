# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Craftax with symbolic observations."""

from __future__ import annotations

from typing import Any

import jax
from compiled import way
from craftax.craftax_env import make_craftax_env_from_name
from serving import Way, serve


def prepare(worlds: int) -> Way:
    env = make_craftax_env_from_name("Craftax-Symbolic-v1", auto_reset=True)
    params = env.default_params
    actions = env.action_space(params).n

    def begin(key: Any) -> Any:
        return env.reset(key, params)

    def advance(key: Any, world: Any) -> Any:
        choose, step = jax.random.split(key)
        action = jax.random.randint(choose, (), 0, actions)
        observation, state, *_ = env.step(step, world[1], action, params)
        return observation, state

    return way(
        worlds, begin, advance, lambda world: world[0], "9 x 11 cells, symbolic, and inventory"
    )


if __name__ == "__main__":
    serve(prepare)
