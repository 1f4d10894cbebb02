# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""docs/forager.md: its world files say what it says, and its rewards fit them."""

from __future__ import annotations

import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import jbw

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "forager.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")

# the share of the biome, times that of its cells; there are about 2,000 regions to draw from
SHARES = {
    "examples/forager-two-biomes.yaml": {
        **dict.fromkeys(["OysterEast", "ChanterelleEast"], 15 / 60 / 6),
        **dict.fromkeys(["OysterWest", "ChanterelleWest"], 15 / 60 / 6),
        "Wall": 4 / 60,
    },
    "examples/forager-drift.yaml": {
        **dict.fromkeys(["Morel", "Oyster", "Chanterelle", "Porcini"], 0.2 / 10),
        "Wall": 0.1 * 0.6,
    },
}


@pytest.mark.parametrize("path", SHARES)
def test_frequencies_are_those_of_forager(path: str) -> None:
    world = jbw.World(ROOT / path, seed=1)
    items = world.items(0, 0, 640, 640)
    shares = np.bincount(items.ravel(), minlength=6) / items.size
    for name, wanted in SHARES[path].items():
        assert shares[world.model.item_type(name) + 1] == pytest.approx(wanted, rel=0.2), name


@pytest.mark.parametrize("path", SHARES)
def test_rewards_fit_their_worlds(path: str) -> None:
    """Four moves in place of turns, an aperture of 9 x 9, and food that is back after ten steps."""
    found = re.search(rf"```reward {re.escape(path)}\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
    assert found
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=str(ROOT / path), reward=found[1])
    observation, _ = env.reset(seed=1)
    assert observation["vision"].shape == (9, 9, 3)
    world = env.unwrapped.world  # type: ignore[attr-defined]
    moves = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}
    generator = np.random.default_rng(2)
    harvested = 0
    for _ in range(2000):
        action = int(generator.integers(0, 4))
        (x, y) = world.agents[0].position
        *_, info = env.step(action)
        if info["outcome"] == "done":
            assert info["position"] == (x + moves[action][0], y + moves[action][1])
        if info["collected"]:
            harvested += 1
            cell = world.inspect(*info["position"])
            assert cell.growing == info["collected"] and 9 <= cell.due - world.time <= 11
    assert harvested > 0
