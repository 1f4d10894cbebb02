# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Statistics over seeds, the only independent unit that experiments have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Maps (..., seeds) to (...), such as np.mean or np.median with an axis.
Statistic = Callable[..., Any]


class Band(NamedTuple):
    """A mean over seeds, with one standard error on both sides."""

    mean: Floats
    low: Floats
    high: Floats
    error: Floats
    """NaN for a single seed, which says nothing about others."""
    seeds: int


class Interval(NamedTuple):
    """An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float
    confidence: float


def _by_seed(values: ArrayLike) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim == 0 or array.shape[0] == 0:
        raise ValueError("expected one row per seed, and at least one seed")
    return array


def _one_figure_per_seed(values: ArrayLike) -> Floats:
    array = _by_seed(values)
    if array.ndim != 1:
        raise ValueError(f"expected one figure per seed, found an array of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("some seeds have no finite figure: leave them out, and say so")
    return array


def standard_error_band(values: ArrayLike) -> Band:
    """Mean and standard error over the first axis, the seeds: the paper's shaded bands."""
    array = _by_seed(values)
    seeds = array.shape[0]
    mean = array.mean(axis=0)
    alone = np.full_like(mean, np.nan)
    error = alone if seeds == 1 else array.std(axis=0, ddof=1) / np.sqrt(seeds)
    return Band(mean, mean - error, mean + error, error, seeds)


def bootstrap(
    values: ArrayLike,
    *,
    statistic: Statistic = np.mean,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """A percentile bootstrap interval for a statistic of one figure per seed.

    ``statistic(array, axis=-1)`` is computed for ``resamples`` resamples of the seeds, drawn with
    replacement. The same ``seed`` gives the same interval. With a single seed the interval has no
    width and is meaningless.
    """
    array = _one_figure_per_seed(values)
    draws = np.random.default_rng(_checked(seed, confidence, resamples)).integers(
        0, len(array), (resamples, len(array))
    )
    return _interval(statistic(array, axis=-1), statistic(array[draws], axis=-1), confidence)


def bootstrap_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    paired: bool = False,
    statistic: Statistic = np.mean,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """The same for the statistic of ``first`` minus that of ``second``.

    ``paired`` resamples the same seeds for both, for agents that ran in the same worlds.
    """
    one, two = _one_figure_per_seed(first), _one_figure_per_seed(second)
    if paired and len(one) != len(two):
        raise ValueError(f"{len(one)} and {len(two)} seeds cannot be paired")
    generator = np.random.default_rng(_checked(seed, confidence, resamples))
    draws = generator.integers(0, len(one), (resamples, len(one)))
    others = draws if paired else generator.integers(0, len(two), (resamples, len(two)))
    return _interval(
        statistic(one, axis=-1) - statistic(two, axis=-1),
        statistic(one[draws], axis=-1) - statistic(two[others], axis=-1),
        confidence,
    )


def _checked(seed: int, confidence: float, resamples: int) -> int:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected more than 0 and less than 1")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}, expected at least 1")
    return seed


def _interval(estimate: Any, draws: Any, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(estimate), float(low), float(high), confidence)
