# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Who got stuck, how, and for how long, from the rows of results.

A row is stuck if fewer than one in a hundred of its steps led to a cell that the agent had never
visited. How it was stuck is what most of its steps did:

    roaming     walked over cells that it knows: the paper's first way, an exhausted area
    rotating    turned: the paper's second way
    pushing     neither: it tried to move, and something blocked it
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jbw.evaluate import longest_spell
from jbw.experiments.agents import LABELS
from jbw.experiments.results import Results, StudyFolder
from jbw.experiments.summary import Group, read_groups

#: A row with a smaller share of new cells is stuck.
LEAST_NEW = 0.01

WAYS = ("roaming", "rotating", "pushing")


@dataclass(frozen=True)
class Stuck:
    """How often and how long the runs of an agent in a variant were stuck."""

    runs: int
    at_end: int
    """Runs that were stuck in their last row."""
    shares: dict[str, float]
    """The share of all steps, by way."""
    longest: int
    """Steps of the longest stretch of stuck rows in any run."""


def stuck_rows(group: Group, every: int) -> NDArray[np.int64]:
    """(seeds, rows): the number of its way, or -1 where the agent was not stuck."""
    moves, turns = group.columns["moves"], group.columns["turns"]
    counts = np.stack([moves, turns, every - moves - turns])
    ways: NDArray[np.int64] = np.where(
        group.columns["new_cells"] < LEAST_NEW * every, counts.argmax(axis=0), -1
    )
    return ways


def count_stuck(group: Group, every: int) -> Stuck:
    """Counts the stuck rows of a group."""
    ways = stuck_rows(group, every)
    return Stuck(
        runs=len(group.seeds),
        at_end=int((ways[:, -1] >= 0).sum()),
        shares={name: float((ways == number).mean()) for number, name in enumerate(WAYS)},
        longest=max(longest_spell(row >= 0) for row in ways) * every,
    )


def stuck_table(results: Results) -> str:
    """A Markdown table of all agents in all studies, of finished runs only."""
    lines = [
        "| case | variant | agent | runs | steps | stuck at the end | roaming | rotating |"
        " pushing | longest |",
        "| --- " * 10 + "|",
    ]
    before = ("", "")
    for study in sorted(results.studies(), key=lambda study: (study.case, study.path.name)):
        for group in read_groups(study):
            if group.complete < len(group.seeds) or group.agent == "random":
                continue
            label = study.variants[group.variant]["label"] if len(study.variants) > 1 else ""
            case = "" if study.label == before[0] else study.label
            variant = "" if (study.label, label) == before else label
            before = (study.label, label)
            lines.append(f"| {case} | {variant} | {_figures(study, group)} |")
    return "\n".join(lines) + "\n"


def _figures(study: StudyFolder, group: Group) -> str:
    found = count_stuck(group, study.about["every"])
    shares = " | ".join(f"{100 * found.shares[way]:.1f} %" for way in WAYS)
    return (
        f"{LABELS.get(group.agent, group.agent)} | {found.runs} | {study.about['steps']:,} | "
        f"{found.at_end} | {shares} | {found.longest:,}"
    )
