# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pages of documentation that follow from results: figures and tables between marks.

    <!-- claims begin -->
    ...
    <!-- claims end -->

`jbw experiments document` draws the figures and writes all of them again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from jbw.experiments.agents import LABELS
from jbw.experiments.case import case_names, read_case
from jbw.experiments.claims import OTHER_WORLDS, claims_table, main_study, studies_of
from jbw.experiments.errors import ExperimentError
from jbw.experiments.leaderboard import leaderboard, write_leaderboard
from jbw.experiments.results import Results, StudyFolder, write_atomically
from jbw.experiments.stuck import stuck_table
from jbw.experiments.summary import read_groups, summarize

#: The page of case studies, and the folder of its pictures beside it.
PAGE = "case_studies.md"
PICTURES = "pictures"

_BLOCK = re.compile(r"<!-- ([\w-]+) begin -->\n.*?<!-- \1 end -->", re.DOTALL)


def fill(text: str, results: Results) -> str:
    """The text of a page with all its blocks written again: "claims", "stuck", or a case."""
    writers: dict[str, Callable[[], str]] = {
        "claims": lambda: claims_table(results),
        "stuck": lambda: stuck_table(results),
    }

    def write(match: re.Match[str]) -> str:
        name = match[1]
        if name in writers:
            block = writers[name]()
        elif name in case_names():
            block = case_block(results, name)
        else:
            raise ExperimentError(f"there is no block {name!r}: claims, stuck, or a case")
        return f"<!-- {name} begin -->\n\n{block}\n<!-- {name} end -->"

    return _BLOCK.sub(write, text)


def case_block(results: Results, case: str) -> str:
    """The figure of a case, a table of its rates, and what has not been run."""
    study = main_study(results, case)
    if study is None:
        text = f"*No run of {read_case(case).steps:,} steps has been finished yet.*\n"
    else:
        text = _study_block(study, f"reward rates of {case}") + f"\n{_missing(study, case)}\n"
    for other in shown_studies(results, case):
        if study is None or other.path != study.path:
            title = f"{other.label}, {other.about['steps']:,} steps"
            text += f"\nAlso run, {title}:\n\n{_study_block(other, f'reward rates of {title}')}"
    return text


def shown_studies(results: Results, case: str) -> list[StudyFolder]:
    """The study of a case, shorter ones, and those in other worlds."""
    return [study for world in ({}, *OTHER_WORLDS) for study in studies_of(results, case, world)]


def _picture(study: StudyFolder) -> str:
    """The name of a study's figure."""
    parts = [study.case, *(str(value) for value in study.overrides.values())]
    if study.about["steps"] != read_case(study.case).steps:
        parts.append(str(study.about["steps"]))
    return f"case-{'-'.join(parts)}.png"


def _study_block(study: StudyFolder, title: str) -> str:
    """The figure of a study, and a table of its rates."""
    lines = [
        f"![{title.replace('`', '')}]({PICTURES}/{_picture(study)})",
        "",
        "| variant | agent | reward per step | seeds |",
        "| --- | --- | --- | --- |",
    ]
    groups = [group for group in read_groups(study) if group.complete == len(group.seeds)]
    several = len(study.variants) > 1
    for row in summarize(study, groups):
        group, rate = row["group"], row["end_rate"]
        text = f"{rate.estimate:.4f}"
        if row["seeds"] > 1:
            text += f" [{rate.low:.4f}, {rate.high:.4f}]"
        label = study.variants[group.variant]["label"] if several else ""
        lines.append(
            f"| {label} | {LABELS.get(group.agent, group.agent)} | {text} | {row['seeds']} |"
        )
    return "\n".join(lines) + "\n"


def _missing(study: StudyFolder, case: str) -> str:
    """How many runs of the learner there are, of those that the case asks for."""
    planned = read_case(case).seeds * len(study.variants)
    found = sum(len(study.runs(variant, "ppo")) for variant in study.variants)
    return f"*{found} of {planned} runs of PPO are finished.*"


def write_documents(results: Results, docs: Path) -> list[Path]:
    """Draws all figures and writes all tables of a folder of documentation. Returns the files."""
    from jbw.experiments.plots import draw_picture

    written = []
    for case in case_names():
        for study in shown_studies(results, case):
            path = docs / PICTURES / _picture(study)
            draw_picture(study, path)
            written.append(path)
    page, board = docs / PAGE, docs / "leaderboard.md"
    write_atomically(page, fill(page.read_text(encoding="utf-8"), results).encode())
    write_leaderboard(leaderboard(results), board)
    return [*written, page, board]
