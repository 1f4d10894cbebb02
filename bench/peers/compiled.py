# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Steps of worlds that are JAX programs: one call of a compiled step for a single world, and a
compiled loop over many steps for a batch of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from serving import Way

#: Seconds that a call of a compiled loop takes, about, and the most steps of each world in it.
#: Worlds differ by a factor of a thousand, so that no number of steps suits all.
SECONDS, STEPS = 0.1, 512

#: Worlds of a batch that begin differently.
DIFFERENT = 16

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

    batch = repeated(begin, key, worlds)
    single = jax.tree.map(lambda array: array[0], batch)

    def advance_all(key: Any, batch: Any) -> Any:
        return jax.vmap(advance)(jax.random.split(key, worlds), batch)

    return loop(key, batch, advance_all, count(observe(single)), text)


def repeated(begin: Begin, key: Any, worlds: int) -> Any:
    """A batch of worlds that repeats some: chance soon makes them differ, and a program that begins
    all at once would take minutes to compile for some peers."""
    one = jax.jit(begin)
    some = [one(each) for each in jax.random.split(key, min(worlds, DIFFERENT))]
    chosen = jnp.arange(worlds) % len(some)
    return jax.tree.map(lambda *arrays: jnp.stack(arrays)[chosen], *some)


def loop(key: Any, batch: Any, advance_all: Advance, numbers: int, text: str) -> Way:
    """Many steps of all worlds of a batch: a loop that is compiled, and whose length is not."""

    def many(steps: Any, state: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            key, batch = state
            key, used = jax.random.split(key)
            return key, advance_all(used, batch)

        return jax.lax.fori_loop(0, steps, step, state)

    program = jax.jit(many, donate_argnums=1)
    state = jax.block_until_ready(program(1, (key, batch)))  # compiles

    def run(steps: int) -> None:
        nonlocal state
        state = jax.block_until_ready(program(steps, state))

    begin = time.process_time()
    run(1)
    steps = int(SECONDS / max(time.process_time() - begin, 1e-6))
    steps = min(max(steps, 1), STEPS)
    return Way(lambda: run(steps), steps, numbers, text)


def count(observation: Any) -> int:
    """Numbers in an observation."""
    return sum(int(np.size(part)) for part in jax.tree.leaves(observation))
