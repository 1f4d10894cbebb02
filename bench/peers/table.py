# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The results of a comparison: a CSV file, and the table that docs/benchmarks.md makes of it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from catalog import HERE, ROOT

RESULTS = HERE / "results.csv"
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- peers: begin -->\n", "<!-- peers: end -->\n"

#: Worlds in a batch; one is a single step from Python.
SIZES = (1, 64, 1024, 4096)


@dataclass
class Row:
    """The figure of one environment with so many worlds, or why there is none."""

    name: str
    title: str
    worlds: int
    steps_per_second: str
    """The median of the rounds, as a whole number; empty if it was not measured."""
    least: str
    most: str
    rounds: int
    numbers: str
    """In an observation."""
    observation: str
    endless: str
    persists: str
    absent: str


def write(rows: Sequence[Row], path: Path = RESULTS) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def read(path: Path = RESULTS) -> list[Row]:
    with path.open(newline="") as file:
        return [
            Row(**{**row, "worlds": int(row["worlds"]), "rounds": int(row["rounds"])})
            for row in csv.DictReader(file)
        ]


def table(rows: Sequence[Row]) -> str:
    """As Markdown: a line per environment."""
    sizes = " | ".join("single step" if size == 1 else f"{size:,}" for size in SIZES)
    lines = [
        f"| environment | observation | numbers | endless | persists | {sizes} |",
        "| --- | --- | --- | --- | --- " + "| --- " * len(SIZES) + "|",
    ]
    for title in dict.fromkeys(row.title for row in rows):
        own = [row for row in rows if row.title == title]
        first = own[0]
        measured = {row.worlds: row.steps_per_second for row in own}
        figures = " | ".join(
            f"{int(measured[size]):,}" if measured.get(size) else "-" for size in SIZES
        )
        lines.append(
            f"| {title} | {first.observation or '-'} | {first.numbers or '-'} | {first.endless} "
            f"| {first.persists} | {figures} |"
        )
    absent = {row.title: row.absent for row in rows if row.absent}
    text = "\n".join(lines) + "\n"
    if absent:
        reasons = "\n".join(f"- {title}: {reason}" for title, reason in absent.items())
        text += f"\nNot measured:\n\n{reasons}\n"
    return text


def put_into(page: str, rows: Sequence[Row]) -> str:
    """The page with the table between its markers."""
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return page[:begin] + "\n" + table(rows) + "\n" + page[end:]
