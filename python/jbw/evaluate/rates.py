# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Metrics of rewards over time: reward rate, regret, recovery, transfer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class Worst(NamedTuple):
    """The window with the lowest reward rate."""

    rate: float
    begin: int
    """Its first step; the earliest if several windows are equally bad."""


class Recovery(NamedTuple):
    """How long it took until the reward rate was good again after a change."""

    steps: int
    """From the change to the end of the first good window; if censored, the time observed."""
    censored: bool
    """True if it did not happen before the next change or the end of the log."""
    level: float
    """The reward rate that counts as good."""


def read_log(rewards: ArrayLike, every: int) -> Floats:
    """A log as a float64 array with at least one entry and only finite values."""
    log = np.asarray(rewards, np.float64)
    if log.ndim == 0 or log.shape[-1] == 0:
        raise ValueError("a log needs a time axis with at least one entry")
    if not np.isfinite(log).all():
        raise ValueError(
            "the log has values that are not finite: cut off the part that was not run"
        )
    if every < 1:
        raise ValueError(f"every is {every}, expected at least 1 step per entry")
    return log


def _one_life(rewards: ArrayLike, every: int) -> Floats:
    log = read_log(rewards, every)
    if log.ndim != 1:
        raise ValueError(f"expected the log of one life, found an array of shape {log.shape}")
    return log


def _entries(steps: int, every: int, name: str) -> int:
    """Converts a number of steps to a number of entries."""
    if steps < 1:
        raise ValueError(f"{name} is {steps}, expected at least 1 step")
    if steps % every:
        raise ValueError(f"{name} is {steps} steps, not a multiple of the {every} steps per entry")
    return steps // every


def _sums(log: Floats, count: int) -> Floats:
    """(..., entries - count + 1): the sum over each run of `count` entries."""
    before = np.concatenate([np.zeros((*log.shape[:-1], 1)), log.cumsum(axis=-1)], axis=-1)
    out: Floats = before[..., count:] - before[..., :-count]
    return out


def reward_rate(rewards: ArrayLike, window: int, *, every: int = 1, partial: bool = True) -> Floats:
    """The paper's metric: the reward per step over a moving window, at the end of each entry.

    Before the first full window, the rate is over the steps so far; with ``partial=False`` it is
    NaN there. The result has the shape of ``rewards``.
    """
    log = read_log(rewards, every)
    count = _entries(window, every, "window")
    length = log.shape[-1]
    out = np.full(log.shape, np.nan)
    if length >= count:
        out[..., count - 1 :] = _sums(log, count) / window
    if partial:
        early = min(count - 1, length)
        steps = np.arange(1, early + 1) * every
        out[..., :early] = log[..., :early].cumsum(axis=-1) / steps
    return out


def area_under_rate(rewards: ArrayLike, window: int, *, every: int = 1) -> Floats:
    """The area under the moving reward rate, in units of reward; one number per life.

    It differs from the plain sum in that late rewards count less: they have not left the window
    when the log ends.
    """
    out: Floats = reward_rate(rewards, window, every=every).sum(axis=-1) * every
    return out


def regret(rewards: ArrayLike, reference: ArrayLike, *, every: int = 1) -> Floats:
    """How much less was earned than by a reference, up to the end of each entry.

    ``reference`` is a log with the same entries (of the same seeds, or of one life for all), such
    as the greedy agent's, or a number, its reward per step. The result is in units of reward, and
    negative if the agent did better.
    """
    log = read_log(rewards, every)
    other = np.asarray(reference, np.float64)
    if other.ndim == 0:
        other = np.broadcast_to(other * every, log.shape)
    else:
        other = read_log(other, every)
        if other.shape[-1] != log.shape[-1]:
            raise ValueError(
                f"the log has {log.shape[-1]} entries and its reference {other.shape[-1]}"
            )
        if other.ndim > 1 and other.shape != log.shape:
            raise ValueError(f"logs of shape {log.shape} against a reference of {other.shape}")
    out: Floats = (other - log).cumsum(axis=-1)
    return out


def worst_window(rewards: ArrayLike, window: int, *, every: int = 1) -> Worst:
    """The full window of one life with the lowest reward rate."""
    log = _one_life(rewards, every)
    count = _entries(window, every, "window")
    if len(log) < count:
        raise ValueError(f"the log has {len(log) * every} steps, shorter than a window of {window}")
    rates = _sums(log, count) / window
    first = int(rates.argmin())
    return Worst(float(rates[first]), first * every)


def recovery_time(
    rewards: ArrayLike,
    change: int,
    *,
    window: int,
    level: float | None = None,
    fraction: float = 0.9,
    until: int | None = None,
    every: int = 1,
) -> Recovery:
    """The number of steps from a change until the reward rate of one life is good again.

    Only windows that lie entirely after the change count, so the shortest possible time is
    ``window``. A rate is good if it reaches ``level`` or, if that is not given, ``fraction`` of the
    rate in the last window before the change. The search ends at ``until``, by default at the end
    of the log.
    """
    log = _one_life(rewards, every)
    count = _entries(window, every, "window")
    length = len(log) * every
    end = length if until is None else min(until, length)
    if change < 0 or change > length or change % every or end % every:
        raise ValueError(
            f"change is {change} and until is {end}: expected multiples of {every} "
            f"from 0 to {length}"
        )
    if level is None:
        if change < window:
            raise ValueError(
                f"no full window of {window} steps before the change at {change}: give a level"
            )
        before = float(log[(change - window) // every : change // every].sum() / window)
        if before <= 0:
            raise ValueError(
                f"the rate before the change at {change} is {before:g}: "
                "a fraction of that is no goal; give a level"
            )
        level = fraction * before
    after = log[change // every : max(end, change) // every]
    if len(after) >= count:
        good = np.flatnonzero(_sums(after, count) / window >= level)
        if len(good):
            return Recovery((int(good[0]) + count) * every, False, level)
    return Recovery(max(end - change, 0), True, level)


def recovery_times(
    rewards: ArrayLike,
    changes: Iterable[int],
    *,
    window: int,
    level: float | None = None,
    fraction: float = 0.9,
    every: int = 1,
) -> list[Recovery]:
    """`recovery_time` for each change of one life, up to the next change."""
    times = sorted(set(changes))
    ends: list[int | None] = [*times[1:], None]
    return [
        recovery_time(
            rewards,
            change,
            window=window,
            level=level,
            fraction=fraction,
            until=end,
            every=every,
        )
        for change, end in zip(times, ends, strict=True)
    ]


def median_recovery(recoveries: Sequence[Recovery]) -> float | None:
    """The Kaplan-Meier median of recovery times; None if too many are censored.

    This is the first time by which at least half would have recovered. A censored recovery counts
    only up to the time observed.
    """
    if not recoveries:
        raise ValueError("no recoveries to take a median of")
    times = np.array([one.steps for one in recoveries])
    events = np.array([not one.censored for one in recoveries])
    waiting = 1.0
    for time in np.unique(times[events]):
        at_risk = int((times >= time).sum())
        happened = int((times[events] == time).sum())
        waiting *= 1 - happened / at_risk
        if waiting <= 0.5 + 1e-12:
            return float(time)
    return None


def forward_transfer(
    experienced: ArrayLike, fresh: ArrayLike, *, every: int = 1, relative: bool = False
) -> Floats:
    """The value of earlier experience: the reward per step of agents with experience minus that of
    fresh agents, over the same number of steps of the new task.

    Seeds are compared in pairs, so both logs are (seeds, entries) or (entries). A positive result
    means that the experience helps. ``relative`` divides by the absolute reward of the fresh agent;
    the result is NaN where that is zero.
    """
    old, new = read_log(experienced, every), read_log(fresh, every)
    if old.shape != new.shape:
        raise ValueError(f"logs of shape {old.shape} and {new.shape} cannot be compared in pairs")
    steps = old.shape[-1] * every
    difference = (old.sum(axis=-1) - new.sum(axis=-1)) / steps
    if not relative:
        return np.asarray(difference, np.float64)
    scale = np.abs(new.sum(axis=-1)) / steps
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale > 0, difference / scale, np.nan)
