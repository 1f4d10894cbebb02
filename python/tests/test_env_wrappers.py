# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Gymnasium's wrappers for single environments accept ours, and do what they say.

Not those for continuous actions (ClipAction, RescaleAction, DiscretizeAction), for Atari, and for
environments that return arrays of JAX.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from small_worlds import SMALL

import jbw  # noqa: F401 - registers the ids

PICTURE: Any = {"observation": "vision", "vision": "image"}
RGB: Any = {"render_mode": "rgb_array"}


def make(**kwargs: Any) -> Any:
    options = {"world": SMALL, "reward": "Collect[JellyBean] & Avoid[Onion]", **kwargs}
    return gymnasium.make("jbw/JellyBeanWorld-v0", **options)


def live(env: Any, steps: int = 30, seed: int = 3) -> list[Any]:
    """Every result, after a check that observations are in the space."""
    generator = np.random.default_rng(0)
    found = [env.reset(seed=seed)]
    for action in generator.integers(3, size=steps):
        found.append(env.step(action))
        assert env.observation_space.contains(found[-1][0])
    return found


def plain(steps: int = 30, **options: Any) -> list[Any]:
    return live(make(**options), steps)


WRAPPERS: dict[str, tuple[dict[str, Any], Any]] = {
    "DelayObservation": ({"observation": "vision"}, lambda e: wrappers.DelayObservation(e, 2)),
    "DtypeObservation": (PICTURE, lambda e: wrappers.DtypeObservation(e, np.int32)),
    "DiscretizeObservation": (
        {"observation": "scent"},
        lambda e: wrappers.DiscretizeObservation(e, 4),
    ),
    "FilterObservation": ({}, lambda e: wrappers.FilterObservation(e, ["vision", "scent"])),
    "FlattenObservation": ({}, wrappers.FlattenObservation),
    "FrameStackObservation": ({}, lambda e: wrappers.FrameStackObservation(e, 3)),
    "GrayscaleObservation": (PICTURE, wrappers.GrayscaleObservation),
    "TransformObservation": (
        {"observation": "scent"},
        lambda e: wrappers.TransformObservation(e, lambda seen: seen, None),
    ),
    "ReshapeObservation": (
        {"observation": "vision"},
        lambda e: wrappers.ReshapeObservation(e, (7, 21)),
    ),
    "RescaleObservation": (
        {"observation": "vision"},
        lambda e: wrappers.RescaleObservation(e, np.float32(-1), np.float32(1)),
    ),
    "TimeAwareObservation": ({"max_episode_steps": 99}, wrappers.TimeAwareObservation),
    "AddRenderObservation": (RGB, lambda e: wrappers.AddRenderObservation(e, render_only=False)),
    "TransformAction": (
        {},
        lambda e: wrappers.TransformAction(e, lambda action: 2 - action, e.action_space),
    ),
    "StickyAction": ({}, lambda e: wrappers.StickyAction(e, 0.5)),
    "OrderEnforcing": ({}, wrappers.OrderEnforcing),
    "PassiveEnvChecker": ({}, wrappers.PassiveEnvChecker),
}


@pytest.mark.parametrize("name", list(WRAPPERS))
def test_observations_and_actions(name: str) -> None:
    options, wrap = WRAPPERS[name]
    found = live(wrap(make(**options)))
    assert found[-1][4]["time"] == 30


def test_frames_are_kept() -> None:
    stacked = live(wrappers.FrameStackObservation(make(), 3))
    single = plain()
    for t in range(3, 31):
        for k in range(3):
            np.testing.assert_array_equal(
                stacked[t][0]["vision"][k], single[t - 2 + k][0]["vision"]
            )


@pytest.mark.parametrize("name", ["MaxAndSkipObservation", "RepeatAction"])
def test_actions_count_several_times(name: str) -> None:
    if name == "RepeatAction":
        env: Any = wrappers.RepeatAction(make(), 4)
    else:
        env = wrappers.MaxAndSkipObservation(make(observation="vision"), 4)
    assert live(env, 5)[-1][4]["time"] == 20


def test_normalize_observation() -> None:
    found = [
        result[0] for result in live(wrappers.NormalizeObservation(make(observation="flat")), 300)
    ]
    varies = np.std(found, axis=0) > 0.1
    late = np.array(found[200:])[:, varies]
    assert abs(float(late.mean())) < 0.5 and 0.3 < float(late.std()) < 2


@pytest.mark.parametrize("name", ["TransformReward", "ClipReward", "NormalizeReward"])
def test_rewards(name: str) -> None:
    wrap: Any = {
        "TransformReward": lambda e: wrappers.TransformReward(e, lambda paid: paid * 3),
        "ClipReward": lambda e: wrappers.ClipReward(e, min_reward=0.0),
        "NormalizeReward": wrappers.NormalizeReward,
    }[name]
    paid = np.array([result[1] for result in plain(200)[1:]])
    wrapped = np.array([result[1] for result in live(wrap(make()), 200)[1:]])
    assert paid.any() and np.isfinite(wrapped).all()
    if name != "NormalizeReward":
        np.testing.assert_allclose(wrapped, paid.clip(0) if name == "ClipReward" else 3 * paid)


def test_lives_that_end() -> None:
    env = wrappers.Autoreset(wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(make(), 10)))
    found = live(env, 33)
    assert [t for t, result in enumerate(found) if t and result[3]] == [10, 21, 32]
    episode = found[10][4]["episode"]
    assert episode["l"] == 10
    assert episode["r"] == pytest.approx(sum(result[1] for result in plain(10)[1:]))


def test_pictures_of_worlds() -> None:
    noisy = wrappers.AddWhiteNoise(make(**RGB), probability_of_noise_per_pixel=0.5)
    hidden = wrappers.ObstructView(make(**RGB), obstructed_pixels_ratio=0.5, obstruction_width=20)
    clear = make(**RGB)
    for env in (clear, noisy, hidden):
        env.reset(seed=3)
    picture = clear.render()
    for env in (noisy, hidden):
        other = env.render()
        assert other.shape == picture.shape and 0.1 < (other != picture).any(axis=2).mean() < 0.9
    collection = wrappers.RenderCollection(make(**RGB))
    live(collection, 4)
    frames = collection.render()
    assert len(frames) == 5 and all(frame.shape == picture.shape for frame in frames)


def test_arrays_of_jax() -> None:
    jax_numpy = pytest.importorskip("jax.numpy")
    pytest.importorskip("array_api_compat")
    env = wrappers.ArrayConversion(make(info="numbers"), env_xp=np, target_xp=jax_numpy)
    env.reset(seed=3)
    found = env.step(jax_numpy.array(2))
    twin = make(info="numbers")
    twin.reset(seed=3)
    expected = twin.step(2)
    for key, values in found[0].items():
        np.testing.assert_array_equal(np.asarray(values), expected[0][key])
    assert float(found[1]) == pytest.approx(float(expected[1]))


def test_numpy_to_torch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    env = wrappers.NumpyToTorch(make(info="numbers"))
    observation, info = env.reset(seed=3)
    assert isinstance(observation["vision"], torch.Tensor)
    assert isinstance(info["position"], torch.Tensor)
    assert env.step(torch.tensor(0))[4]["time"] == 1


def test_resize_observation() -> None:
    pytest.importorskip("cv2")
    found = live(wrappers.ResizeObservation(make(**PICTURE), (32, 32)), 3)
    assert found[-1][0].shape[:2] == (32, 32)


def test_record_video(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = wrappers.RecordVideo(make(**RGB), str(tmp_path), video_length=4)
    live(env, 12)
    env.close()
    assert list(tmp_path.glob("*.mp4"))
