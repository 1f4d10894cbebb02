# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Craftax with symbolic observations."""

from __future__ import annotations

from compiled import way_of_gymnax
from craftax.craftax_env import make_craftax_env_from_name
from serving import Way, serve


def prepare(worlds: int) -> Way:
    env = make_craftax_env_from_name("Craftax-Symbolic-v1", auto_reset=True)
    return way_of_gymnax(worlds, env, "9 x 11 cells, symbolic, and inventory")


if __name__ == "__main__":
    serve(prepare)
