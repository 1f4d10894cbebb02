# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Craftax with symbolic observations.

Its automatic reset makes a new world in every step, whether it is needed or not, which takes longer
than all else. So a single world is made again by Python when it has ended, and a batch makes some
worlds per step for those that have ended, as the training code of Craftax's authors does.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from compiled import count, loop, repeated
from craftax.craftax_env import make_craftax_env_from_name
from serving import Way, serve

TEXT = "9 x 11 cells, symbolic, and inventory"

#: Of a batch, as in the training code of Craftax's authors.
WORLDS_PER_RESET = 16


def prepare(worlds: int) -> Way:
    env = make_craftax_env_from_name("Craftax-Symbolic-v1", auto_reset=False)
    params = env.default_params
    key = jax.random.key(0)

    def begin(key: Any) -> Any:
        return env.reset_env(key, params)

    def advance(key: Any, world: Any) -> Any:
        choose, step = jax.random.split(key)
        action = jax.random.randint(choose, (), 0, env.num_actions)
        observation, state, _, is_over, _ = env.step_env(step, world[1], action, params)
        return (observation, state), is_over

    if worlds == 1:
        one, again = jax.jit(advance), jax.jit(begin)
        world = again(key)
        keys = list(jax.random.split(key, 64))

        def call() -> None:
            nonlocal world
            for each in keys:
                world, is_over = jax.block_until_ready(one(each, world))
                if is_over:
                    world = again(each)

        return Way(call, len(keys), count(world[0]), TEXT)

    made = max(worlds // WORLDS_PER_RESET, 1)

    def advance_all(key: Any, batch: Any) -> Any:
        step, reset = jax.random.split(key)
        batch, are_over = jax.vmap(advance)(jax.random.split(step, worlds), batch)
        fresh = jax.vmap(begin)(jax.random.split(reset, made))
        used = jnp.cumsum(are_over) % made  # each its own, unless too many end at once

        def choose(new: Any, old: Any) -> Any:
            return jnp.where(are_over.reshape(-1, *[1] * (old.ndim - 1)), new[used], old)

        return jax.tree.map(choose, fresh, batch)

    batch = repeated(begin, key, worlds)
    return loop(key, batch, advance_all, count(batch[0][0]), TEXT)


if __name__ == "__main__":
    serve(prepare)
