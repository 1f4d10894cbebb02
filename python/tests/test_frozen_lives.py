# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents that stop learning: the table of docs/changing_worlds.md, and the lives behind it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "frozen_lives"
PAGE = ROOT / "docs" / "changing_worlds.md"

if not (SCRIPT.exists() and PAGE.exists()):
    pytest.skip("the script or the docs are not here", allow_module_level=True)


@pytest.fixture(scope="module")
def lives() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_table_is_that_of_the_results(lives: dict[str, Any]) -> None:
    assert lives["table"](lives["read"]()) in PAGE.read_text()


def test_the_frozen_do_worse(lives: dict[str, Any]) -> None:
    """In each life: the learner has learned something, and the frozen copy loses with it."""
    rows = lives["read"]()
    for world in lives["WORLDS"]:
        seeds = lives["seeds_of"](rows, world)
        gains = [
            lives["mean"](rows, world, "learning", seed, 2)
            - lives["mean"](rows, world, "frozen", seed, 2)
            for seed in seeds
        ]
        assert len(seeds) >= 3
        assert min(gains) > 0
        assert min(lives["mean"](rows, world, "learning", seed, 1) for seed in seeds) > 0
        assert max(lives["mean"](rows, world, "frozen", seed, 2) for seed in seeds) < 0


@pytest.mark.parametrize("world", ["orchard", "seasons", "biomes"])
def test_lives_can_be_lived_again(lives: dict[str, Any], world: str) -> None:
    """The results of agents that do not learn, which are cheap, begin as their lives do now."""
    every = lives["EVERY"]
    stored = {row[1:4]: row[4] for row in lives["read"]() if row[0] == world}
    found = lives["live_without_learning"](world, lives["rewards"]()[world], 1, steps=every)
    assert [row[1:4] for row in found] == [
        (agent, 1, every) for agent in ("greedy", "told", "random")
    ]
    assert all(stored[row[1:4]] == row[4] for row in found)


def test_looks_are_learned(lives: dict[str, Any]) -> None:
    """The life of the learner in `biomes`, which is cheap, begins as it did, and it learns."""
    every = lives["EVERY"]
    stored = {row[1:4]: row[4] for row in lives["read"]() if row[0] == "biomes"}
    home = lives["begin"]("biomes", 1)
    learner = lives["Looks"](home.model, 1)
    reward = lives["rewards"]()["biomes"]
    rows = learner.live(home, reward, ("biomes", "learning", 1), every, every, learning=True)
    assert stored["learning", 1, every] == rows[0][4] > 0
    worth = learner.copy().worth
    assert worth == learner.worth != [[lives["HOPE"]] * 3] * 3
    learner.live(home, reward, ("biomes", "frozen", 1), 100, 100, learning=False)
    assert learner.worth == worth


@pytest.mark.parametrize(
    ("live", "world"), [("live_and_learn", "seasons"), ("live_by_looks", "biomes")]
)
def test_a_life_forks(lives: dict[str, Any], live: str, world: str) -> None:
    """Both copies go on from the same step."""
    rows = lives[live](world, lives["rewards"]()[world], 1, half=300, every=100)
    assert [(row[1], row[3]) for row in rows] == [
        *(("learning", time) for time in (100, 200, 300, 400, 500, 600)),
        *(("frozen", time) for time in (400, 500, 600)),
    ]
