# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pictures of worlds and movies of recordings."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

import jbw


@pytest.fixture
def world() -> jbw.World:
    world = jbw.World("scent", seed=4)
    agent = world.add_agent()
    for i in range(20):
        agent.act(1 if i % 6 == 5 else 0)
    return world


@pytest.fixture
def recording(world: jbw.World, tmp_path: Path) -> jbw.Recording:
    with world.record(tmp_path / "life.jbwr"):
        for i in range(60):
            world.agents[0].act(1 if i % 9 == 8 else 0)
    return jbw.Recording(tmp_path / "life.jbwr")


def test_regions_and_scales(world: jbw.World) -> None:
    before = world.hash()
    plain = world.picture((-5, -5, 12, 8), scale=3)
    assert plain.shape == (24, 36, 3) and plain.dtype == np.uint8
    assert world.picture((-5, -5, 12, 8)).shape == (192, 288, 3)
    assert world.picture().shape == (31 * 23, 41 * 23, 3)  # around the first agent
    assert world.picture((0, 0, 20, 20), legend=True).shape[0] > 480
    assert world.hash() == before


def test_the_same_in_a_file(world: jbw.World, tmp_path: Path) -> None:
    agent = world.agents[0]
    rewards = np.linspace(0, 1, 50)
    options = {"scale": 9, "agent": agent, "trail": [(0, 0), (0, 3)], "rewards": rewards}
    array = world.picture((-9, -9, 20, 20), **options)
    world.draw(tmp_path / "a.png", -9, -9, 20, 20, **options)
    size = struct.unpack(">II", (tmp_path / "a.png").read_bytes()[16:24])
    assert size == (array.shape[1], array.shape[0]) and size[0] > 180


def test_panels_and_trails_change_the_picture(world: jbw.World) -> None:
    agent, region = world.agents[0], (-20, -20, 41, 41)
    plain = world.picture(region, scale=8)
    marked = world.picture(region, scale=8, agent=agent, panel=False)
    faded = world.picture(region, scale=8, agent=agent, panel=False, trail=[(0, 0), (0, 9)], fade=5)
    assert plain.shape == marked.shape == faded.shape
    assert (plain != marked).any() and (marked != faded).any()
    panel = world.picture(region, scale=8, agent=agent)
    assert (panel[: marked.shape[0], : marked.shape[1]] == marked).all()


def test_what_makes_no_sense_is_refused(world: jbw.World) -> None:
    other = jbw.World("scent", seed=4)
    other.add_agent()
    for options in (
        {"region": (0, 0, 0, 5)},
        {"region": (1, 2, 3)},
        {"region": "abcd"},
        {"scale": -1},
        {"agent": other.agents[0]},
        {"agent": 1},
        {"fade": -1},
        {"trail": [1, 2, 3]},
        {"region": (0, 0, 10**9, 10**9)},
    ):
        with pytest.raises(jbw.ArgumentError):
            world.picture(**options)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        world.picture(rewards=[[1.0]])
    with pytest.raises(jbw.NoSuchAgentError):
        jbw.World("scent").picture()


def test_frames(recording: jbw.Recording) -> None:
    film = recording.frames(start=30, every=10, size=(11, 9), scale=6, panel=False)
    assert len(film) == 6 and film.shape == (54, 66, 3)
    frames = list(film)
    assert len(frames) == 6 and all(frame.shape == film.shape for frame in frames)
    assert recording.time == recording.last_time == 80
    last = recording.world
    x, y = last.agents[0].position
    alone = last.picture((x - 5, y - 4, 11, 9), scale=6, agent=last.agents[0], panel=False)
    untrailed = list(recording.frames(start=80, size=(11, 9), scale=6, panel=False, trail=0))
    assert len(untrailed) == 1 and (untrailed[0] == alone).all()
    rewarded = next(recording.frames(reward="Collect[JellyBean]"))
    assert (rewarded.shape[0]) == 620 and rewarded.shape[1] > 820


def test_frames_that_make_no_sense(recording: jbw.Recording) -> None:
    for options in ({"start": 81}, {"agent": 0}, {"size": (0, 4)}, {"scale": 0}, {"trail": -1}):
        with pytest.raises(jbw.ArgumentError):
            recording.frames(**options)  # type: ignore[arg-type]
    with pytest.raises(jbw.RewardError):
        recording.frames(reward="Collect[Nothing]")
    film = recording.frames(scale=2)
    next(film)
    recording.close()
    with pytest.raises(jbw.ArgumentError, match="closed"):
        next(film)
    del film


def test_movies(recording: jbw.Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(jbw.ArgumentError, match="fps"):
        recording.movie(tmp_path / "a.gif", fps=0)
    with pytest.raises(jbw.ArgumentError, match="such as life"):
        recording.movie(tmp_path / "a")
    if shutil.which("ffmpeg"):
        recording.movie(tmp_path / "a.gif", end=40, size=(11, 9), scale=4)
        assert (tmp_path / "a.gif").read_bytes()[:6] == b"GIF89a"
        with pytest.raises(jbw.FileError, match="ffmpeg"):
            recording.movie(tmp_path / "nowhere" / "a.gif", size=(11, 9), scale=4)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(jbw.UnsupportedError, match="ffmpeg"):
        recording.movie(tmp_path / "b.gif")
