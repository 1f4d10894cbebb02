# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pictures and texts of an agent's surroundings."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from small_worlds import SMALL

import jbw
from jbw.envs import JellyBeanWorldEnv
from jbw.envs.render import Renderer, item_rgb, item_symbols
from jbw.envs.window import Window

PAPER, FOLLOWED = (250, 249, 245), (230, 104, 0)


def make(mode: str | None, **kwargs: object) -> JellyBeanWorldEnv:
    env = JellyBeanWorldEnv(SMALL, render_mode=mode, **kwargs)  # type: ignore[arg-type]
    env.reset(seed=6)
    return env


def test_a_picture_shows_items_and_the_agent() -> None:
    env = make("rgb_array", render_size=(9, 7), render_scale=24, render_panel=False)
    picture = env.render()
    assert picture.shape == (168, 216, 3) and picture.dtype == np.uint8
    cells = env.world.items(env.agent.position[0] - 4, env.agent.position[1] - 3, 9, 7)[::-1]
    colors = np.vstack([[PAPER], item_rgb(env.model)])
    for row in range(7):
        for column in range(9):
            middle = picture[row * 24 + 12, column * 24 + 12]
            if (row, column) == (3, 4):
                assert (middle == FOLLOWED).all()
            elif abs(row - 3) < 2 and abs(column - 4) < 2:
                assert (middle == colors[cells[row, column]]).all()  # in sight


def test_the_panel_shows_more() -> None:
    env = make("rgb_array")
    first = env.render()
    assert first.shape[0] >= 31 * 16 and first.shape[1] > 41 * 16 + 200
    same = env.render()
    assert (first == same).all()
    env.step(0)
    moved = env.render()
    assert moved.shape == first.shape and (moved != first).any()


def test_a_trail_and_rewards_build_up() -> None:
    env = make("rgb_array", reward=lambda step: 1.0)
    for _ in range(5):
        env.render()
        env.step(0)
    env.render()
    history = env._renderer._histories[0]
    assert list(history.rewards) == [1.0] * 5 and len(history.places) == 6
    env.step(0)
    env.step(0)
    env.render()
    assert list(history.rewards) == [] and len(history.places) == 7  # a step was not seen
    env.reset(seed=6)
    env.render()
    assert len(env._renderer._histories[0].places) == 1


def test_unknown_cells_are_striped() -> None:
    env = make("rgb_array", render_size=(201, 3), render_scale=1, render_panel=False)
    picture = env.render()
    assert picture[0, 0, 0] in (176, 160)
    states = env.world.patch_states(env.agent.position[0] - 100, 0, 201, 1)
    assert {0, 1, 2} == set(np.unique(states))


def test_a_window_shows_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int, ...]] = []
    monkeypatch.setattr(Window, "show", lambda self, pixels: shown.append(pixels.shape))
    env = make("human", render_size=(9, 7), render_scale=8)
    assert len(shown) == 1
    env.step(0)
    assert len(shown) == 2 and shown[0] == shown[1]
    copy = pickle.loads(pickle.dumps(env))
    copy.step(0)
    env.clone().step(0)
    assert len(shown) == 4 and env.render() is None
    env.close()
    with pytest.raises(ValueError, match="one agent"):
        jbw.parallel_env(SMALL, render_mode="human")


def test_without_a_screen_the_window_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.warns(UserWarning, match="human.* shows nothing"):
        env = make("human")
    env.step(0)
    env.close()


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
    assert Renderer(env.model, (3, 3), 2).picture(env.world, None).shape == (6, 6, 3)
    assert env.render().shape[2] == 3
