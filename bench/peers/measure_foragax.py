# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""continual-foragax: a small grid that wraps around, with food that grows back."""

from __future__ import annotations

from typing import Any

import jax
from compiled import way
from foragax.registry import make
from serving import Way, serve


def prepare(worlds: int) -> Way:
    env = make("ForagaxBig-v5", observation_type="object", aperture_size=(9, 9))
    params = env.default_params
    actions = env.action_space(params).n

    def begin(key: Any) -> Any:
        return env.reset(key, params)

    def advance(key: Any, world: Any) -> Any:
        choose, step = jax.random.split(key)
        action = jax.random.randint(choose, (), 0, actions)
        observation, state, *_ = env.step(step, world[1], action, params)
        return observation, state

    return way(worlds, begin, advance, lambda world: world[0], "9 x 9 cells x {kinds} kinds")


def main() -> None:
    def named(worlds: int) -> Way:
        made = prepare(worlds)
        made.observation = made.observation.format(kinds=made.numbers // 81)
        return made

    serve(named)


if __name__ == "__main__":
    main()
