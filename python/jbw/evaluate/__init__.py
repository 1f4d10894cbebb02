# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Metrics for agents that never stop learning, computed from logs. Needs only NumPy.

A log is an array of rewards. Its last axis is time; an axis before it, if there is one, is seeds.
An entry is the reward of one step or, with ``every=n``, the sum over n steps. Windows and times are
always in steps.

    rates = evaluate.reward_rate(rewards, window=100_000)     # (seeds, steps), as the paper plots
    band = evaluate.standard_error_band(rates)                # over seeds
    interval = evaluate.bootstrap(rates[:, -1], seed=0)       # for the mean over seeds

Seeds are the independent unit; the steps of one life are not. So every interval is over seeds.
"""

from jbw.evaluate.rates import (
    Recovery,
    Worst,
    area_under_rate,
    forward_transfer,
    median_recovery,
    recovery_time,
    recovery_times,
    regret,
    reward_rate,
    worst_window,
)
from jbw.evaluate.seeds import (
    Band,
    Interval,
    Paired,
    bootstrap,
    bootstrap_difference,
    paired_difference,
    standard_error_band,
    student_quantile,
)
from jbw.evaluate.stuck import CellSet, Spell, entered_new_cell, longest_spell, stuck_spells

__all__ = [
    "Band",
    "CellSet",
    "Interval",
    "Paired",
    "Recovery",
    "Spell",
    "Worst",
    "area_under_rate",
    "bootstrap",
    "bootstrap_difference",
    "entered_new_cell",
    "forward_transfer",
    "longest_spell",
    "median_recovery",
    "paired_difference",
    "recovery_time",
    "recovery_times",
    "regret",
    "reward_rate",
    "standard_error_band",
    "stuck_spells",
    "student_quantile",
    "worst_window",
]
