# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A table of all agents in all cases, as Markdown, from results or an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jbw.experiments.agents import LABELS
from jbw.experiments.case import case_names
from jbw.experiments.errors import ExperimentError
from jbw.experiments.results import Results, StudyFolder, write_atomically
from jbw.experiments.summary import read_groups, summarize

#: The lines between which a page has the table.
BEGIN = "<!-- the leaderboard begins: `jbw experiments leaderboard` writes it -->"
END = "<!-- the leaderboard ends -->"

_HEADS = ("case", "variant", "agent", "reward per step", "seeds", "steps", "stuck", "steps/s")


def leaderboard(results: Results, cases: Sequence[str] = ()) -> str:
    """The table: the best agent of each case and variant first. Unfinished runs do not count."""
    known = case_names()
    studies = [study for study in results.studies() if not cases or study.case in cases]
    if not studies:
        raise ExperimentError(f"{results.path} has no results{' of these cases' if cases else ''}")

    def order(study: StudyFolder) -> tuple[int, str, int, str]:
        place = known.index(study.case) if study.case in known else len(known)
        return place, study.case, -int(study.about["steps"]), study.path.name

    rows = [cells for study in sorted(studies, key=order) for cells in _rows(study)]
    lines = [_line(_HEADS), _line(["---"] * len(_HEADS))]
    before: tuple[str, str] | None = None
    for cells in rows:
        same_case = before is not None and before[0] == cells[0]
        same_variant = same_case and before is not None and before[1] == cells[1]
        before = cells[0], cells[1]
        shown = ["" if same_case else cells[0], "" if same_variant else cells[1], *cells[2:]]
        lines.append(_line(shown))
    return "\n".join(lines) + "\n"


def write_leaderboard(table: str, page: Path) -> None:
    """Puts the table into a page, where the two marks are."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise ExperimentError(f"{page} has no place for the table: two lines,\n{BEGIN}\n{END}")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    write_atomically(page, f"{head}{BEGIN}\n\n{table}\n{END}{tail}".encode())


def _rows(study: StudyFolder) -> list[list[str]]:
    """The cells of all agents of a study."""
    groups = [group for group in read_groups(study) if group.complete == len(group.seeds)]
    found = summarize(study, groups)
    variants = list(study.variants)
    found.sort(key=lambda row: (variants.index(row["group"].variant), -row["end_rate"].estimate))
    several = len(variants) > 1
    return [_cells(study, row, several) for row in found]


def _cells(study: StudyFolder, row: dict[str, Any], several: bool) -> list[str]:
    group, rate, speed = row["group"], row["end_rate"], row["steps_per_second"]
    text = f"{rate.estimate:.4f}"
    if row["seeds"] > 1:
        text += f" [{rate.low:.4f}, {rate.high:.4f}]"
    return [
        study.label,
        study.variants[group.variant]["label"] if several else "",
        LABELS.get(group.agent, group.agent),
        text,
        str(row["seeds"]),
        f"{row['steps']:,}",
        f"{row['no_new_cell']} of {row['seeds']}",
        "" if speed is None else f"{speed:,.0f}",
    ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
