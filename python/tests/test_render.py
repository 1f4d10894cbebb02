# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pictures and texts of an agent's surroundings."""

from __future__ import annotations

import re

import numpy as np
import pytest
from small_worlds import SMALL

from jbw.envs import JellyBeanWorldEnv
from jbw.envs.render import INK, PAPER, UNKNOWN, Renderer, item_rgb, item_symbols


def make(mode: str | None, **kwargs: object) -> JellyBeanWorldEnv:
    env = JellyBeanWorldEnv(SMALL, render_mode=mode, **kwargs)  # type: ignore[arg-type]
    env.reset(seed=6)
    return env


def test_a_picture_shows_items_and_the_agent() -> None:
    env = make("rgb_array", render_size=(9, 7), render_scale=8)
    picture = env.render()
    assert picture.shape == (56, 72, 3) and picture.dtype == np.uint8
    cells = env.world.items(env.agent.position[0] - 4, env.agent.position[1] - 3, 9, 7)[::-1]
    colors = np.vstack([PAPER[None], item_rgb(env.model)])
    for row in range(7):
        for column in range(9):
            middle = picture[row * 8 + 4, column * 8 + 4]
            if (row, column) == (3, 4):
                assert (middle == INK).all()
            else:
                assert (middle == colors[cells[row, column]]).all()


def test_the_agent_points_where_it_looks() -> None:
    env = make("rgb_array", render_size=(1, 1), render_scale=20)
    widths = {}
    for _ in range(4):
        ink = (env.render() == INK).all(axis=2)
        widths[env.agent.direction] = [
            ink[:5].sum(), ink[:, -5:].sum(), ink[-5:].sum(), ink[:, :5].sum(),
        ]  # fmt: skip
        env.step(2)
    assert list(widths) == ["up", "right", "down", "left"]
    for i, direction in enumerate(widths):
        assert int(np.argmin(widths[direction])) == i  # the tip is the thin end


def test_unknown_cells_are_grey() -> None:
    env = make("rgb_array", render_size=(201, 3), render_scale=1)
    picture = env.render()
    assert (picture[0, 0] == UNKNOWN).all()
    states = env.world.patch_states(env.agent.position[0] - 100, 0, 201, 1)
    assert {0, 1, 2} == set(np.unique(states))


def test_text_shows_the_same() -> None:
    env = make("ansi", render_size=(9, 7))
    text = env.render()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    lines = plain.splitlines()
    assert len(lines) == 8 and all(len(line) == 9 for line in lines[:7])
    assert lines[3][4] == "^" and "facing up" in lines[7]
    cells = env.world.items(env.agent.position[0] - 4, env.agent.position[1] - 3, 9, 7)[::-1]
    symbols = [".", *item_symbols(env.item_names)]
    for row, line in enumerate(lines[:7]):
        for column, letter in enumerate(line):
            assert letter == "^" or letter == symbols[cells[row, column]]
    env.step(1)
    assert "<" in env.render()


def test_rendering_changes_nothing() -> None:
    env = make("rgb_array")
    before = env.world.hash()
    env.render()
    assert env.world.hash() == before


def test_without_a_mode_nothing_is_drawn() -> None:
    env = make(None)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_symbols_differ() -> None:
    names = ["Wall", "Wood", "Water", "W", "v", "Vine", *(f"I{i}" for i in range(40))]
    symbols = item_symbols(names)
    assert len(set(symbols)) == len(names) and symbols[:2] == ["W", "w"] and "v" not in symbols
    assert all(len(symbol) == 1 for symbol in symbols)


def test_colors_of_other_dimensions() -> None:
    world = {
        "color_dimensions": 1,
        "scent_dimensions": 0,
        "patch_size": 16,
        "mh_iterations": 50,
        "agent": {"vision_range": 2},
        "items": {name: {"color": [1.0]} for name in ("A", "B", "C")},
    }
    env = JellyBeanWorldEnv(world, reward=None, render_mode="rgb_array")
    env.reset(seed=0)
    assert len({tuple(color) for color in item_rgb(env.model)}) == 3
    assert Renderer(env.model, (3, 3), 2).picture(env.world, (0, 0)).shape == (6, 6, 3)
    assert env.render().shape[2] == 3
