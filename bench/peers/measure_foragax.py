# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""continual-foragax: a small grid that wraps around, with food that grows back."""

from __future__ import annotations

from compiled import way_of_gymnax
from foragax.registry import make
from serving import Way, serve

SIDE = 9


def prepare(worlds: int) -> Way:
    env = make("ForagaxBig-v5", observation_type="object", aperture_size=(SIDE, SIDE))
    made = way_of_gymnax(worlds, env, "")
    made.observation = f"{SIDE} x {SIDE} cells x {made.numbers // SIDE**2} kinds"
    return made


if __name__ == "__main__":
    serve(prepare)
