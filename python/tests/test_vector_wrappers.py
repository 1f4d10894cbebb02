# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Gymnasium's wrappers for vector environments accept the native one, and do what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import vector as wrappers
from small_worlds import SMALL

import jbw  # noqa: F401 - registers the ids

COUNT = 3


def make(**kwargs: Any) -> Any:
    options = {"world": SMALL, "reward": "Collect[JellyBean] & Avoid[Onion]", **kwargs}
    return gymnasium.make_vec("jbw/JellyBeanWorld-v0", num_envs=COUNT, **options)


def live(envs: Any, steps: int = 30, seed: int = 3) -> list[Any]:
    """Every result, after a check that observations are in the space."""
    generator = np.random.default_rng(0)
    found = [envs.reset(seed=seed)]
    for _ in range(steps):
        found.append(envs.step(generator.integers(3, size=COUNT)))
        assert envs.observation_space.contains(found[-1][0])
    return found


PICTURE: Any = {"observation": "vision", "vision": "image"}
WRAPPERS: dict[str, tuple[dict[str, Any], Any]] = {
    "FilterObservation": ({}, lambda e: wrappers.FilterObservation(e, ["vision", "scent"])),
    "FlattenObservation": ({}, wrappers.FlattenObservation),
    "ReshapeObservation": (
        {"observation": "vision"},
        lambda e: wrappers.ReshapeObservation(e, (7, 21)),
    ),
    "RescaleObservation": (
        {"observation": "vision"},
        lambda e: wrappers.RescaleObservation(e, np.float32(-1), np.float32(1)),
    ),
    "DtypeObservation": (
        PICTURE,
        lambda e: wrappers.DtypeObservation(e, np.int32),
    ),
    "GrayscaleObservation": (PICTURE, wrappers.GrayscaleObservation),
    "TransformObservation": (
        {"observation": "scent"},
        lambda e: wrappers.TransformObservation(e, lambda seen: seen * np.float32(0.5)),
    ),
    "VectorizeTransformObservation": (
        {"observation": "scent"},
        lambda e: wrappers.VectorizeTransformObservation(
            e,
            gymnasium.wrappers.TransformObservation,
            func=lambda seen: seen,
            observation_space=None,
        ),
    ),
    "TransformAction": ({}, lambda e: wrappers.TransformAction(e, lambda actions: 2 - actions)),
    "VectorizeTransformAction": (
        {},
        lambda e: wrappers.VectorizeTransformAction(
            e,
            gymnasium.wrappers.TransformAction,
            func=lambda action: 2 - action,
            action_space=e.single_action_space,
        ),
    ),
}


@pytest.mark.parametrize("name", list(WRAPPERS))
def test_observations_and_actions(name: str) -> None:
    options, wrap = WRAPPERS[name]
    found = live(wrap(make(**options)))
    assert found[-1][4]["time"].tolist() == [30] * COUNT


def test_normalize_observation() -> None:
    envs = wrappers.NormalizeObservation(make(observation="flat"))
    found = [result[0] for result in live(envs, 300)]
    late = np.concatenate(found[200:])
    varies = np.concatenate(found).std(axis=0) > 0.1
    assert abs(float(late[:, varies].mean())) < 0.3 and 0.5 < float(late[:, varies].std()) < 2


@pytest.mark.parametrize("name", ["TransformReward", "ClipReward", "VectorizeTransformReward"])
def test_rewards(name: str) -> None:
    wrap: Any = {
        "TransformReward": lambda e: wrappers.TransformReward(e, lambda paid: paid * 3),
        "ClipReward": lambda e: wrappers.ClipReward(e, min_reward=0.0),
        "VectorizeTransformReward": lambda e: wrappers.VectorizeTransformReward(
            e, gymnasium.wrappers.TransformReward, func=lambda paid: paid * 3
        ),
    }[name]
    paid = np.array([result[1] for result in live(make(), 200)[1:]])
    wrapped = np.array([result[1] for result in live(wrap(make()), 200)[1:]])
    assert paid.any()
    np.testing.assert_allclose(wrapped, paid.clip(0) if name == "ClipReward" else 3 * paid)


def test_normalize_reward() -> None:
    envs = wrappers.NormalizeReward(make(max_episode_steps=50))
    assert all(np.isfinite(result[1]).all() for result in live(envs, 120)[1:])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_record_episode_statistics(mode: str) -> None:
    envs = make(max_episode_steps=20, autoreset_mode=mode)
    recorded = wrappers.RecordEpisodeStatistics(envs)
    twin = live(make(max_episode_steps=20, autoreset_mode=mode), 60)
    found = live(recorded, 60)
    infos = found[20][4]
    assert infos["_episode"].all() and infos["episode"]["l"].tolist() == [20] * COUNT
    expected = np.sum([result[1] for result in twin[1:21]], axis=0)
    np.testing.assert_allclose(infos["episode"]["r"], expected)


def test_dict_info_to_list() -> None:
    found = live(wrappers.DictInfoToList(make()))
    infos = found[-1][4]
    assert len(infos) == COUNT and [info["time"] for info in infos] == [30] * COUNT
    single = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL)
    single.reset(seed=3)
    assert infos[0].keys() == single.step(0)[4].keys()


def test_numpy_to_torch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    envs = wrappers.NumpyToTorch(make(info="numbers"))
    observations, infos = envs.reset(seed=3)
    plain, _ = make().reset(seed=3)
    assert isinstance(infos["position"], torch.Tensor)
    for key, values in observations.items():
        np.testing.assert_array_equal(values.numpy(), plain[key])
    results = envs.step(torch.zeros(COUNT, dtype=torch.int64))
    assert all(isinstance(part, torch.Tensor) for part in results[1:4])


def test_arrays_of_jax() -> None:
    jax_numpy = pytest.importorskip("jax.numpy")
    pytest.importorskip("array_api_compat")
    envs = wrappers.ArrayConversion(make(info="numbers"), env_xp=np, target_xp=jax_numpy)
    envs.reset(seed=3)
    observations, rewards, *_ = envs.step(jax_numpy.array([0, 1, 2]))
    twin = make()
    twin.reset(seed=3)
    expected, paid, *_ = twin.step(np.array([0, 1, 2]))
    for key, values in observations.items():
        assert isinstance(values, jax_numpy.ndarray)
        np.testing.assert_array_equal(np.asarray(values), expected[key])
    np.testing.assert_allclose(np.asarray(rewards), paid)


def test_resize_observation() -> None:
    pytest.importorskip("cv2")
    found = live(wrappers.ResizeObservation(make(**PICTURE), (32, 32)), 3)
    assert found[-1][0].shape == (COUNT, 32, 32, 3)


def test_record_video(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    envs = wrappers.RecordVideo(
        make(render_mode="rgb_array", max_episode_steps=5), str(tmp_path), video_length=4
    )
    live(envs, 12)
    envs.close()
    assert list(tmp_path.glob("*.mp4"))
