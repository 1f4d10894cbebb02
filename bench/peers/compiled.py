# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Steps of worlds that are JAX programs: one call of a compiled step for a single world, and a
compiled loop over many steps for a batch of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from serving import Way

#: World steps in one call of a compiled loop, about.
STEPS = 1 << 15

Begin = Callable[[Any], Any]
Advance = Callable[[Any, Any], Any]


def way(
    worlds: int, begin: Begin, advance: Advance, observe: Callable[[Any], Any], text: str
) -> Way:
    """`begin(key)` starts a world and `advance(key, world)` steps it with a random action; both
    return the world with its observation, so that no step can leave it out."""
    key = jax.random.key(0)
    if worlds == 1:
        one = jax.jit(advance)
        world = jax.jit(begin)(key)
        keys = list(jax.random.split(key, 64))

        def call() -> None:
            nonlocal world
            for each in keys:
                world = one(each, world)
                jax.block_until_ready(world)

        return Way(call, len(keys), count(observe(world)), text)

    steps = max(STEPS // worlds, 16)

    def loop(key: Any, batch: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            key, batch = carry
            key, used = jax.random.split(key)
            return (key, jax.vmap(advance)(jax.random.split(used, worlds), batch)), None

        return jax.lax.scan(step, (key, batch), length=steps)[0]

    program = jax.jit(loop)
    state = (key, jax.jit(jax.vmap(begin))(jax.random.split(key, worlds)))

    def run() -> None:
        nonlocal state
        state = jax.block_until_ready(program(*state))

    single = jax.tree.map(lambda array: array[0], state[1])
    return Way(run, steps, count(observe(single)), text)


def way_of_gymnax(worlds: int, env: Any, text: str) -> Way:
    """For environments with the functions of gymnax's: `reset` and `step` take parameters, and
    return an observation and a state first."""
    params = env.default_params
    actions = env.action_space(params).n

    def begin(key: Any) -> Any:
        return env.reset(key, params)

    def advance(key: Any, world: Any) -> Any:
        choose, step = jax.random.split(key)
        action = jax.random.randint(choose, (), 0, actions)
        observation, state, *_ = env.step(step, world[1], action, params)
        return observation, state

    return way(worlds, begin, advance, lambda world: world[0], text)


def count(observation: Any) -> int:
    """Numbers in an observation."""
    return sum(int(np.size(part)) for part in jax.tree.leaves(observation))
