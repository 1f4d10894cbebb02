# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Statistics over seeds, the only independent unit that experiments have."""

from __future__ import annotations

import functools
import math
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


class Paired(NamedTuple):
    """How much one condition differs from another in the same worlds."""

    estimate: float
    """The mean difference."""
    low: float
    high: float
    """Student's interval for it; NaN for a single seed."""
    bootstrap: Interval
    """The percentile bootstrap interval, which is too narrow for few seeds."""
    effect: float
    """Hedges' g: the mean difference in standard deviations of the differences, corrected for few
    seeds; NaN for fewer than three."""
    seeds: int


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


def paired_difference(
    first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95, seed: int = 0
) -> Paired:
    """``first`` minus ``second``, one figure per seed each, of the same seeds in the same order.

    With few seeds this is the interval to decide by. That of the bootstrap excludes zero as soon as
    all differences have the same sign, which three seeds have by chance once in four times.
    Student's interval excludes it once in twenty times, for differences that are about normal.
    """
    boot = bootstrap_difference(first, second, paired=True, confidence=confidence, seed=seed)
    differences = _one_figure_per_seed(first) - _one_figure_per_seed(second)
    count = len(differences)
    if count == 1:
        return Paired(boot.estimate, math.nan, math.nan, boot, math.nan, 1)
    spread = float(differences.std(ddof=1))
    reach = student_quantile((1 + confidence) / 2, count - 1) * spread / math.sqrt(count)
    mean = float(differences.mean())
    effect = math.nan
    if count > 2 and spread > 0:
        half = (count - 1) / 2
        correction = math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)
        effect = correction * mean / spread
    return Paired(mean, mean - reach, mean + reach, boot, effect, count)


@functools.cache
def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t distribution with that many degrees of freedom.

    With t = sqrt(freedom) tan(a), the density of the angle a is proportional to
    cos(a) ** (freedom - 1).
    """
    if not 0 < probability < 1 or freedom < 1:
        raise ValueError(f"no quantile {probability} with {freedom} degrees of freedom")
    angles = np.linspace(0, np.pi / 2, 400_001)
    density = np.cos(angles) ** (freedom - 1)
    area = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    upper = max(probability, 1 - probability)
    angle = np.interp(2 * upper - 1, area / area[-1], angles)
    quantile = math.sqrt(freedom) * math.tan(angle)
    return quantile if probability >= 0.5 else -quantile


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
