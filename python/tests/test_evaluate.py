# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The evaluation kit: small cases by hand, plain loops as twins, and what must hold for any log."""

from __future__ import annotations

import itertools
import math
import pickle
import statistics
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jbw import evaluate

REWARDS = st.lists(st.integers(-3, 3), min_size=1, max_size=60)
#: Ways of an agent: steps to one of four neighbours, or none.
MOVES = st.lists(st.sampled_from([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]), max_size=200)


# twins: slow, and plain to see


def slow_rate(rewards: list[float], window: int) -> list[float]:
    rates = []
    for i in range(len(rewards)):
        seen = rewards[max(0, i + 1 - window) : i + 1]
        rates.append(sum(seen) / len(seen))
    return rates


def slow_worst(rewards: list[float], window: int) -> tuple[float, int]:
    best: tuple[float, int] | None = None
    for begin in range(len(rewards) - window + 1):
        rate = sum(rewards[begin : begin + window]) / window
        if best is None or rate < best[0] - 1e-9:
            best = (rate, begin)
    assert best is not None
    return best


def slow_recovery(rewards: list[float], change: int, window: int, level: float) -> tuple[int, bool]:
    for end in range(change + window, len(rewards) + 1):
        if sum(rewards[end - window : end]) / window >= level - 1e-12:
            return end - change, False
    return len(rewards) - change, True


def slow_median(recoveries: list[evaluate.Recovery]) -> float | None:
    """Efron's way to Kaplan and Meier: who leaves early hands his share to all who are still
    watched. Exact, in fractions."""
    # of equal times those that happened come first
    ordered = sorted(recoveries, key=lambda one: (one.steps, one.censored))
    shares = [Fraction(1, len(ordered))] * len(ordered)
    recovered = Fraction(0)
    for i, one in enumerate(ordered):
        if not one.censored:
            recovered += shares[i]
            if recovered >= Fraction(1, 2):
                return one.steps
        for j in range(i + 1, len(ordered)) if one.censored else ():
            shares[j] += shares[i] / (len(ordered) - i - 1)
    return None


def slow_quantile(values: list[float], share: float) -> float:
    """Between two neighbours in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def slow_new(way: list[tuple[int, int]]) -> list[bool]:
    seen, out = {way[0]}, []
    for cell in way[1:]:
        out.append(cell not in seen)
        seen.add(cell)
    return out


def slow_spells(flags: list[bool], n: int) -> list[tuple[int, int]]:
    out, begin = [], None
    for i, flag in enumerate([*flags, False]):
        if flag and begin is None:
            begin = i
        if not flag and begin is not None:
            if i - begin >= n:
                out.append((begin, i))
            begin = None
    return out


def way_of(moves: list[tuple[int, int]], start: tuple[int, int] = (0, 0)) -> list[Any]:
    way = [start]
    for dx, dy in moves:
        way.append((way[-1][0] + dx, way[-1][1] + dy))
    return way


# reward rate


def test_reward_rate_by_hand() -> None:
    rates = evaluate.reward_rate([1, 0, 0, 1, 1], 2)
    assert rates.tolist() == [1.0, 0.5, 0.0, 0.5, 1.0]
    whole = evaluate.reward_rate([1, 0, 0, 1, 1], 2, partial=False)
    assert math.isnan(whole[0]) and whole[1:].tolist() == [0.5, 0.0, 0.5, 1.0]
    # entries of ten steps each
    assert evaluate.reward_rate([5, 1, 3], 20, every=10).tolist() == [0.5, 0.3, 0.2]


@given(REWARDS, st.integers(1, 80))
def test_reward_rate_is_its_twin(rewards: list[int], window: int) -> None:
    np.testing.assert_allclose(
        evaluate.reward_rate(rewards, window),
        slow_rate([float(r) for r in rewards], window),
        atol=1e-12,
    )


@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 12), st.integers(0, 2**32))
def test_entries_of_many_steps_give_the_same_rates(
    every: int, wide: int, entries: int, seed: int
) -> None:
    rewards = np.random.default_rng(seed).integers(-2, 3, (3, entries * every)).astype(float)
    sums = rewards.reshape(3, entries, every).sum(axis=-1)
    window = wide * every
    steps = evaluate.reward_rate(rewards, window)[:, every - 1 :: every]
    np.testing.assert_allclose(evaluate.reward_rate(sums, window, every=every), steps, atol=1e-12)


@given(REWARDS, st.integers(1, 80))
def test_only_whole_windows_unless_parts_will_do(rewards: list[int], window: int) -> None:
    whole = evaluate.reward_rate(rewards, window, partial=False)
    for i, rate in enumerate(slow_rate([float(r) for r in rewards], window)):
        assert math.isnan(whole[i]) if i + 1 < window else whole[i] == pytest.approx(rate)


@given(REWARDS, st.integers(1, 20), st.integers(1, 7))
def test_area_is_its_twin(rewards: list[int], entries: int, every: int) -> None:
    """Every entry's steps are shown the rate at its end."""
    area = 0.0
    for i in range(len(rewards)):
        seen = rewards[max(0, i + 1 - entries) : i + 1]
        rate = sum(seen) / (len(seen) * every)
        for _ in range(every):
            area += rate
    got = evaluate.area_under_rate(rewards, entries * every, every=every)
    assert got == pytest.approx(area, abs=1e-9)


def test_area_by_hand() -> None:
    assert evaluate.area_under_rate([1, 0, 0, 1, 1], 2) == pytest.approx(3.0)
    assert evaluate.area_under_rate([5, 1, 3], 20, every=10) == pytest.approx(10.0)
    # a steady life: the area is all that was earned
    assert evaluate.area_under_rate(np.full((2, 50), 0.25), 7) == pytest.approx([12.5, 12.5])


@given(REWARDS)
def test_area_with_a_window_of_one_step_is_the_sum(rewards: list[int]) -> None:
    assert evaluate.area_under_rate(rewards, 1) == pytest.approx(sum(rewards))


# regret


def test_regret_by_hand() -> None:
    assert evaluate.regret([0, 1, 1], [1, 1, 0]).tolist() == [1.0, 1.0, 0.0]
    assert evaluate.regret([0, 1], 0.5, every=4).tolist() == [2.0, 3.0]
    two = evaluate.regret([[0, 1], [1, 1]], [1, 1])
    assert two.tolist() == [[1.0, 1.0], [0.0, 0.0]]


@given(REWARDS, st.integers(0, 2**32))
def test_regret_is_its_twin_and_antisymmetric(rewards: list[int], seed: int) -> None:
    other = np.random.default_rng(seed).integers(-3, 4, len(rewards)).astype(float)
    got = evaluate.regret(rewards, other)
    total, slow = 0.0, []
    for mine, theirs in zip(rewards, other, strict=True):
        total += theirs - mine
        slow.append(total)
    np.testing.assert_allclose(got, slow, atol=1e-9)
    np.testing.assert_allclose(evaluate.regret(other, rewards), -got, atol=1e-9)


# worst window


def test_worst_window_by_hand() -> None:
    assert evaluate.worst_window([1, 0, 0, 1, 0, 0], 2) == (0.0, 1)
    assert evaluate.worst_window([4, 2, 6], 20, every=10) == (0.3, 0)


@given(REWARDS, st.integers(1, 60))
def test_worst_window_is_its_twin(rewards: list[int], window: int) -> None:
    if window > len(rewards):
        with pytest.raises(ValueError, match="shorter than a window"):
            evaluate.worst_window(rewards, window)
        return
    got = evaluate.worst_window(rewards, window)
    rate, begin = slow_worst([float(r) for r in rewards], window)
    assert got.rate == pytest.approx(rate) and got.begin == begin


@given(REWARDS, st.integers(1, 10), st.integers(2, 5))
def test_worst_window_of_entries_is_its_twin(rewards: list[int], entries: int, every: int) -> None:
    entries = min(entries, len(rewards))
    got = evaluate.worst_window(rewards, entries * every, every=every)
    rate, begin = slow_worst([float(r) for r in rewards], entries)
    assert got.rate == pytest.approx(rate / every) and got.begin == begin * every


# recovery


def test_recovery_by_hand() -> None:
    # 1 a step, a change at 4, nothing for three steps, then 1 again
    log = [1, 1, 1, 1, 0, 0, 0, 1, 1, 1]
    assert evaluate.recovery_time(log, 4, window=2) == (5, False, 0.9)
    assert evaluate.recovery_time(log, 4, window=2, level=0.5) == (4, False, 0.5)
    assert evaluate.recovery_time(log, 4, window=2, until=8) == (4, True, 0.9)
    # a change that changes nothing: the first whole window behind it
    assert evaluate.recovery_time([1] * 8, 4, window=3) == (3, False, 0.9)
    # at the very end nothing can be seen
    assert evaluate.recovery_time(log, 10, window=2, level=1) == (0, True, 1)


def test_recoveries_wait_until_the_next_change() -> None:
    log = [1, 1, 0, 0, 1, 1, 0, 0, 0, 1]
    got = evaluate.recovery_times(log, [6, 2], window=2, level=1.0)
    assert [one[:2] for one in got] == [(4, False), (4, True)]
    sums = [2, 0, 2, 0, 1]
    assert evaluate.recovery_times(sums, [4, 8], window=2, level=1.0, every=2)[0].steps == 2


@given(REWARDS, st.integers(0, 60), st.integers(1, 10), st.integers(-2, 3))
def test_recovery_is_its_twin(rewards: list[int], change: int, window: int, level: int) -> None:
    change = min(change, len(rewards))
    got = evaluate.recovery_time(rewards, change, window=window, level=level)
    slow = slow_recovery([float(r) for r in rewards], change, window, level)
    assert (got.steps, got.censored) == slow


@given(
    REWARDS,
    st.sets(st.integers(0, 20), min_size=1, max_size=5),
    st.integers(1, 6),
    st.integers(-2, 3),
    st.integers(1, 4),
)
def test_recoveries_are_their_twins(
    rewards: list[int], changes: set[int], entries: int, level: int, every: int
) -> None:
    """Each change has the log up to the next one for itself; what has not happened by then is
    censored with all the time that was waited."""
    times = sorted({min(change, len(rewards)) for change in changes})
    got = evaluate.recovery_times(
        rewards,
        [time * every for time in times],
        window=entries * every,
        level=level / every,
        every=every,
    )
    for one, change, end in zip(got, times, [*times[1:], len(rewards)], strict=True):
        slow = slow_recovery([float(r) for r in rewards[:end]], change, entries, level)
        assert (one.steps, one.censored) == (slow[0] * every, slow[1])


@given(REWARDS, st.integers(1, 60), st.integers(1, 6), st.sampled_from([0.25, 0.5, 0.9]))
def test_what_was_before_sets_the_level(
    rewards: list[int], change: int, window: int, fraction: float
) -> None:
    change = min(change, len(rewards))
    before = rewards[max(0, change - window) : change]
    if len(before) < window or sum(before) <= 0:
        with pytest.raises(ValueError, match="give a level"):
            evaluate.recovery_time(rewards, change, window=window, fraction=fraction)
        return
    got = evaluate.recovery_time(rewards, change, window=window, fraction=fraction)
    assert got.level == pytest.approx(fraction * sum(before) / window)
    slow = slow_recovery([float(r) for r in rewards], change, window, got.level)
    assert (got.steps, got.censored) == slow


def test_recovery_from_nothing_needs_a_level() -> None:
    with pytest.raises(ValueError, match="give a level"):
        evaluate.recovery_time([0, 0, 1, 1], 2, window=2)
    with pytest.raises(ValueError, match="no full window"):
        evaluate.recovery_time([1, 1, 1, 1], 1, window=2)
    with pytest.raises(ValueError, match="multiples of 10"):
        evaluate.recovery_time([1, 1, 1, 1], 15, window=10, level=0, every=10)


def test_median_recovery_by_hand() -> None:
    def made(*steps: int) -> list[evaluate.Recovery]:
        return [evaluate.Recovery(abs(s), s < 0, 1.0) for s in steps]

    assert evaluate.median_recovery(made(3, 1, 2)) == 2
    # half or more never came back within their time
    assert evaluate.median_recovery(made(1, -9, -9)) is None
    # 1 of 4 at 1, one leaves at 2, 1 of 2 at 3: 3/4 * 1/2 <= 1/2
    assert evaluate.median_recovery(made(1, -2, 3, 4)) == 3
    with pytest.raises(ValueError, match="no recoveries"):
        evaluate.median_recovery([])


@given(st.lists(st.integers(1, 30), min_size=1, max_size=30))
def test_median_recovery_without_censoring_is_the_low_median(steps: list[int]) -> None:
    got = evaluate.median_recovery([evaluate.Recovery(s, False, 0.0) for s in steps])
    assert got == statistics.median_low(steps)


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=20))
def test_median_recovery_is_its_twin(made: list[tuple[int, bool]]) -> None:
    recoveries = [evaluate.Recovery(steps, censored, 0.0) for steps, censored in made]
    assert evaluate.median_recovery(recoveries) == slow_median(recoveries)


# transfer


@given(st.integers(1, 4), st.integers(1, 9), st.integers(1, 5), st.integers(0, 2**32))
def test_forward_transfer_is_its_twin(seeds: int, entries: int, every: int, seed: int) -> None:
    old, new = np.random.default_rng(seed).integers(-2, 3, (2, seeds, entries))
    plain = evaluate.forward_transfer(old, new, every=every)
    relative = evaluate.forward_transfer(old, new, every=every, relative=True)
    for i in range(seeds):
        mine = sum(int(r) for r in old[i]) / (entries * every)
        theirs = sum(int(r) for r in new[i]) / (entries * every)
        assert plain[i] == pytest.approx(mine - theirs)
        if theirs == 0:
            assert math.isnan(relative[i])
        else:
            assert relative[i] == pytest.approx((mine - theirs) / abs(theirs))


def test_forward_transfer_by_hand() -> None:
    old, new = [[1, 1, 1, 1], [0, 0, 1, 1]], [[0, 0, 1, 1], [0, 0, 1, 1]]
    assert evaluate.forward_transfer(old, new).tolist() == [0.5, 0.0]
    assert evaluate.forward_transfer(old, new, relative=True).tolist() == [1.0, 0.0]
    assert evaluate.forward_transfer([4, 4], [2, 4], every=10) == pytest.approx(0.1)
    assert math.isnan(evaluate.forward_transfer([1.0], [0.0], relative=True))


# seeds


def test_standard_errors_by_hand() -> None:
    band = evaluate.standard_error_band([[1.0, 2.0], [3.0, 2.0]])
    assert band.mean.tolist() == [2.0, 2.0] and band.seeds == 2
    assert band.error.tolist() == [1.0, 0.0]  # a deviation of sqrt(2), over sqrt(2)
    assert band.low.tolist() == [1.0, 2.0] and band.high.tolist() == [3.0, 2.0]
    assert np.isnan(evaluate.standard_error_band([[1.0]]).error).all()


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=20))
def test_standard_errors_are_their_twin(values: list[int]) -> None:
    band = evaluate.standard_error_band(values)
    assert band.error == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)))


def test_bootstrap_is_seeded() -> None:
    values = [0.1, 0.4, 0.2, 0.9, 0.3]
    got = evaluate.bootstrap(values, seed=3, resamples=2000)
    assert got == evaluate.bootstrap(values, seed=3, resamples=2000)
    assert got != evaluate.bootstrap(values, seed=4, resamples=2000)
    assert got.estimate == pytest.approx(0.38)


def test_bootstrap_against_every_draw_there_is() -> None:
    """Of 5 seeds there are 5^5 equally likely draws: its ends must cut off the tails of these, up
    to chance (4 standard deviations) and the width of a step."""
    values = [0.1, 0.4, 0.2, 0.9, 0.3]
    means = sorted(sum(draw) / 5 for draw in itertools.product(values, repeat=5))
    chance = 4 * math.sqrt(0.025 * 0.975 / 10_000)
    got = evaluate.bootstrap(values, seed=3)
    for end in (got.low, 1 - got.high):
        ordered = means if end == got.low else sorted(1 - mean for mean in means)
        below = sum(mean < end - 1e-9 for mean in ordered) / len(ordered)
        up_to = sum(mean <= end + 1e-9 for mean in ordered) / len(ordered)
        assert below - chance <= 0.025 <= up_to + chance


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=8),
    st.lists(st.integers(-5, 5), min_size=1, max_size=8),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.integers(0, 2**32),
)
def test_bootstraps_are_their_twins(
    one: list[int], two: list[int], confidence: float, seed: int
) -> None:
    """The same draws, in plain loops."""
    tail = (1 - confidence) / 2
    draws = np.random.default_rng(seed).integers(0, len(one), (50, len(one))).tolist()
    means = [statistics.fmean(one[i] for i in draw) for draw in draws]
    got = evaluate.bootstrap(one, confidence=confidence, resamples=50, seed=seed)
    assert got.estimate == pytest.approx(statistics.fmean(one))
    assert got.low == pytest.approx(slow_quantile(means, tail))
    assert got.high == pytest.approx(slow_quantile(means, 1 - tail))
    assert got.confidence == confidence

    # of two samples: each seed of the first with the same of the second, or any with any
    generator = np.random.default_rng(seed)
    draws = generator.integers(0, len(one), (50, len(one))).tolist()
    others = generator.integers(0, len(two), (50, len(two))).tolist()
    for paired, sample, picked in ((False, two, others), (True, (two * 8)[: len(one)], draws)):
        differences = [
            statistics.fmean(one[i] for i in a) - statistics.fmean(sample[i] for i in b)
            for a, b in zip(draws, picked, strict=True)
        ]
        interval = evaluate.bootstrap_difference(
            one, sample, paired=paired, confidence=confidence, resamples=50, seed=seed
        )
        assert interval.estimate == pytest.approx(statistics.fmean(one) - statistics.fmean(sample))
        assert interval.low == pytest.approx(slow_quantile(differences, tail))
        assert interval.high == pytest.approx(slow_quantile(differences, 1 - tail))


def test_bootstrap_of_another_statistic() -> None:
    got = evaluate.bootstrap([1, 2, 3, 4, 100], statistic=np.median, resamples=500)
    assert got.estimate == 3 and got.low >= 1 and got.high <= 100


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12), st.integers(0, 2**32))
@settings(deadline=None)
def test_bootstrap_stays_within_the_values(values: list[int], seed: int) -> None:
    got = evaluate.bootstrap(values, seed=seed, resamples=200)
    assert min(values) - 1e-9 <= got.low <= got.high <= max(values) + 1e-9
    shifted = evaluate.bootstrap([v + 7 for v in values], seed=seed, resamples=200)
    assert shifted.low == pytest.approx(got.low + 7) and shifted.high == pytest.approx(got.high + 7)


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    inside = 0
    for i in range(300):
        got = evaluate.bootstrap(generator.normal(size=20), seed=i, resamples=500)
        inside += got.low <= 0 <= got.high
    assert 0.86 <= inside / 300 <= 0.98  # 95 % asked for; percentiles of 20 seeds are a bit short


def test_paired_differences_do_not_see_what_seeds_share() -> None:
    generator = np.random.default_rng(0)
    worlds = generator.normal(0, 10, 8)
    one, two = worlds + 1, worlds
    paired = evaluate.bootstrap_difference(one, two, paired=True)
    assert paired.low == pytest.approx(1.0) and paired.high == pytest.approx(1.0)
    loose = evaluate.bootstrap_difference(one, two)
    assert loose.low < 0 < loose.high
    with pytest.raises(ValueError, match="cannot be paired"):
        evaluate.bootstrap_difference([1, 2], [1], paired=True)


# stuck agents


def test_stuck_by_hand() -> None:
    # to the right twice, back, and then on the spot
    way = [(0, 0), (1, 0), (2, 0), (1, 0), (1, 0), (1, 0), (1, 1)]
    assert evaluate.entered_new_cell(way).tolist() == [True, True, False, False, False, True]
    assert evaluate.stuck_spells(way, 2) == [("no_new_cell", 2, 5), ("only_turning", 3, 5)]
    assert evaluate.stuck_spells(way, 3) == [("no_new_cell", 2, 5)]
    # running against a wall is not turning
    turned = [False, False, False, True, False, False]
    assert evaluate.stuck_spells(way, 2, turned=turned) == [("no_new_cell", 2, 5)]
    assert evaluate.longest_spell([True, False, True, True]) == 2
    assert evaluate.longest_spell([]) == 0


@given(MOVES, st.integers(1, 20), st.integers(-(2**40), 2**40))
def test_stuck_is_its_twin(moves: list[tuple[int, int]], n: int, far: int) -> None:
    way = way_of(moves, (far, -far))
    fresh = slow_new(way)
    assert evaluate.entered_new_cell(way).tolist() == fresh
    turns = [a == b for a, b in itertools.pairwise(way)]
    spells = evaluate.stuck_spells(way, n)
    for kind, flags in (("no_new_cell", [not f for f in fresh]), ("only_turning", turns)):
        assert [s[1:] for s in spells if s.kind == kind] == slow_spells(flags, n)


@given(MOVES, st.integers(0, 200))
def test_cells_added_in_pieces_are_the_same(moves: list[tuple[int, int]], cut: int) -> None:
    way = way_of(moves, (60, -66))
    whole, pieces = evaluate.CellSet(), evaluate.CellSet()
    flags = whole.add(way)
    first = pieces.add(way[:cut])
    pieces = pickle.loads(pickle.dumps(pieces))
    np.testing.assert_array_equal(flags, np.concatenate([first, pieces.add(way[cut:])]))
    assert len(whole) == len(pieces) == len(set(way))
    assert all(cell in pieces for cell in way) and (10**6, 0) not in pieces


# clear errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate.reward_rate([], 2), "at least one entry"),
        (lambda: evaluate.reward_rate(3.0, 2), "time axis"),
        (lambda: evaluate.reward_rate([1.0, math.nan], 2), "not finite"),
        (lambda: evaluate.reward_rate([1.0], 0), "window is 0"),
        (lambda: evaluate.reward_rate([1.0], 15, every=10), "not a multiple"),
        (lambda: evaluate.reward_rate([1.0], 1, every=0), "every is 0"),
        (lambda: evaluate.worst_window([[1.0]], 1), "one life"),
        (lambda: evaluate.regret([1.0, 2.0], [1.0]), "2 entries and its reference 1"),
        (lambda: evaluate.regret([[1.0]], [[1.0], [2.0]]), "against a reference"),
        (lambda: evaluate.forward_transfer([1.0], [1.0, 2.0]), "in pairs"),
        (lambda: evaluate.bootstrap([]), "at least one seed"),
        (lambda: evaluate.bootstrap([[1.0]]), "one figure per seed"),
        (lambda: evaluate.bootstrap([math.inf]), "no finite figure"),
        (lambda: evaluate.bootstrap([1.0], confidence=1.0), "confidence"),
        (lambda: evaluate.bootstrap([1.0], resamples=0), "resamples"),
        (lambda: evaluate.stuck_spells([(0, 0)], 0), "n is 0"),
        (lambda: evaluate.stuck_spells([(0.5, 0)], 1), "whole cells"),
        (lambda: evaluate.stuck_spells([], 1), "began"),
        (lambda: evaluate.stuck_spells([(0, 0), (0, 1)], 1, turned=[]), "1 steps"),
    ],
)
def test_errors_say_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
