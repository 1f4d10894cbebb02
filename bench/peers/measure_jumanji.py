# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Jumanji's snake, its grid world with the largest observation."""

from __future__ import annotations

from typing import Any

import jax
import jumanji
from compiled import way
from jumanji.wrappers import AutoResetWrapper
from serving import Way, serve


def prepare(worlds: int) -> Way:
    env = AutoResetWrapper(jumanji.make("Snake-v1"))
    actions = env.action_spec.num_values

    def advance(key: Any, world: Any) -> Any:
        return env.step(world[0], jax.random.randint(key, (), 0, actions))

    return way(
        worlds, env.reset, advance, lambda world: world[1].observation.grid, "12 x 12 cells x 5"
    )


if __name__ == "__main__":
    serve(prepare)
