# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Finished runs in a compact form that can be committed, compared and plotted again.

    FOLDER/CASE/STUDY/study.json     what all its runs have in common
    FOLDER/CASE/STUDY/VARIANT.yaml   the complete world file of each variant
    FOLDER/CASE/STUDY/runs.csv       one line per run: settings, versions, hashes, time
    FOLDER/CASE/STUDY/rows.csv       one line per row of a run, see `Meter`

Lines are sorted, so that runs which are added later leave the others in place. Checkpoints and the
time of each single row are left out: the same command makes them again, except for the time.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jbw.experiments.case import Run
from jbw.experiments.errors import ExperimentError
from jbw.experiments.life import CLOCK_COLUMNS
from jbw.experiments.results import RunFolder, StudyFolder, write_atomically

_RUNS = "runs.csv"
_ROWS = "rows.csv"

#: The columns that identify a run within a study.
_KEY = ("variant", "agent", "seed")

#: Columns of runs.csv that differ when a run is repeated.
_CLOCK = ("begun", *CLOCK_COLUMNS)

_RUN_COLUMNS = (
    *_KEY, "name", "options", "steps", "world_hashes", "agent_facts", "versions", *_CLOCK,
)  # fmt: skip


@dataclass(frozen=True)
class _Key:
    variant: str
    agent: str
    seed: int

    @classmethod
    def of(cls, line: Mapping[str, str]) -> _Key:
        return cls(line["variant"], line["agent"], int(line["seed"]))

    def __str__(self) -> str:
        return f"{self.variant}, {self.agent}, seed {self.seed}"

    @property
    def order(self) -> tuple[str, str, int]:
        return self.variant, self.agent, self.seed


class ArchivedRun(RunFolder):
    """A run of an archive. It has settings, rows and hashes, but no checkpoints."""

    def __init__(self, study: ArchivedStudy, key: _Key) -> None:
        super().__init__(study.path / key.variant / key.agent / f"seed-{key.seed}")
        self._study = study
        self._key = key

    @property
    def _line(self) -> dict[str, str]:
        return self._study.run_lines[self._key]

    @property
    def run(self) -> Run:
        about = self._study.about
        variant = self._study.variants[self._key.variant]
        return Run(
            case=self._study.case,
            variant=self._key.variant,
            agent=self._line["name"],
            seed=self._key.seed,
            world=(self._study.path / f"{self._key.variant}.yaml").read_text(encoding="utf-8"),
            reward=variant["reward"],
            observation=variant["observation"],
            steps=about["steps"],
            window=about["window"],
            every=about["every"],
            changes=tuple(variant["changes"]),
            options=json.loads(self._line["options"]),
        )

    def status(self) -> dict[str, Any]:
        return {
            "steps": int(self._line["steps"]),
            "done": True,
            "world_hashes": self._line["world_hashes"].split(),
            "agent_facts": json.loads(self._line["agent_facts"]),
        }

    def sessions(self) -> list[dict[str, Any]]:
        versions = json.loads(self._line["versions"])
        return [{"begun": self._line["begun"], "step": 0, "host": "archive", "versions": versions}]

    def checkpoints(self) -> list[tuple[int, Path]]:
        return []

    def metrics(self) -> dict[str, NDArray[np.float64]]:
        columns = dict(self._study.rows[self._key])
        # only the sum was kept
        count = max(1, len(columns["step"]))
        for name in CLOCK_COLUMNS:
            columns[name] = np.full(len(columns["step"]), float(self._line[name]) / count)
        return columns


class ArchivedStudy(StudyFolder):
    """A study in an archive."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.run_lines = {_Key.of(line): line for line in _read(path / _RUNS)}
        self.rows = _read_rows(path / _ROWS)

    @staticmethod
    def is_at(path: Path) -> bool:
        """Whether a folder holds an archived study."""
        return (path / _RUNS).is_file()

    def runs(self, variant: str, agent: str) -> list[RunFolder]:
        keys = [key for key in self.run_lines if (key.variant, key.agent) == (variant, agent)]
        return [ArchivedRun(self, key) for key in sorted(keys, key=lambda key: key.seed)]

    def agent_names(self, variant: str) -> Iterable[str]:
        return {key.agent for key in self.run_lines if key.variant == variant}


def archive_study(study: StudyFolder, into: Path) -> tuple[int, int]:
    """Adds the finished runs of a study to an archive. Returns how many are new, and how many there
    are in all. Raises ExperimentError if a run is there already with other results."""
    folder = into / study.case / study.path.name
    old_lines: dict[_Key, dict[str, str]] = {}
    old_rows: dict[_Key, list[dict[str, str]]] = {}
    if ArchivedStudy.is_at(folder):
        old_lines = {_Key.of(line): line for line in _read(folder / _RUNS)}
        for row in _read(folder / _ROWS):
            old_rows.setdefault(_Key.of(row), []).append(row)
    lines, rows = dict(old_lines), dict(old_rows)
    worlds: dict[str, str] = {}
    for run_folder in study.all_runs():
        if not run_folder.status().get("done"):
            continue
        run = run_folder.run
        key = _Key(run.variant, run.agent_folder, run.seed)
        line, run_rows = _line_of(key, run_folder), _rows_of(key, run_folder)
        if key in old_lines:
            if not (_is_same(line, old_lines[key]) and run_rows == old_rows.get(key)):
                raise ExperimentError(
                    f"{folder} has other results of {study.case}, {key}: nothing is overwritten"
                )
            continue
        lines[key], rows[key] = line, run_rows
        worlds[run.variant] = run.world
    new = len(lines) - len(old_lines)
    if new:
        folder.mkdir(parents=True, exist_ok=True)
        about = json.dumps(study.about, indent=2, ensure_ascii=False) + "\n"
        write_atomically(folder / "study.json", about.encode())
        for variant, world in worlds.items():
            write_atomically(folder / f"{variant}.yaml", world.encode())
        keys = sorted(lines, key=lambda key: key.order)
        columns = list(dict.fromkeys(name for key in keys for row in rows[key] for name in row))
        # runs.csv comes last: what it does not list does not exist
        _write(folder / _ROWS, columns, (row for key in keys for row in rows[key]))
        _write(folder / _RUNS, _RUN_COLUMNS, (lines[key] for key in keys))
    return new, len(lines)


def _line_of(key: _Key, folder: RunFolder) -> dict[str, str]:
    """The line of runs.csv of a finished run."""
    run, status, metrics = folder.run, folder.status(), folder.metrics()
    first = folder.sessions()[0]
    versions = {name: first["versions"][name] for name in ("jbw", "machine", "system")}
    line = {
        "variant": key.variant,
        "agent": key.agent,
        "seed": str(key.seed),
        # an agent of one's own is named by its class: paths differ between machines
        "name": run.agent if ".py:" not in run.agent else Path(run.agent).name,
        "options": json.dumps(run.options, sort_keys=True),
        "steps": str(status["steps"]),
        "world_hashes": " ".join(status["world_hashes"]),
        "agent_facts": json.dumps(status.get("agent_facts", {}), sort_keys=True),
        "versions": json.dumps(versions, sort_keys=True),
        "begun": first["begun"],
    }
    for name in CLOCK_COLUMNS:
        line[name] = f"{metrics[name].sum():.1f}"
    return line


def _rows_of(key: _Key, folder: RunFolder) -> list[dict[str, str]]:
    """The lines of rows.csv of a finished run."""
    metrics = {
        name: column for name, column in folder.metrics().items() if name not in CLOCK_COLUMNS
    }
    return [
        {
            "variant": key.variant,
            "agent": key.agent,
            "seed": str(key.seed),
            **{name: _number(value) for name, value in zip(metrics, values, strict=True)},
        }
        for values in zip(*metrics.values(), strict=True)
    ]


def _number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _is_same(one: Mapping[str, str], two: Mapping[str, str]) -> bool:
    ignored = {*_CLOCK, "versions"}
    return all(one[name] == two[name] for name in _RUN_COLUMNS if name not in ignored)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _read_rows(path: Path) -> dict[_Key, dict[str, NDArray[np.float64]]]:
    lines: dict[_Key, list[dict[str, str]]] = {}
    for line in _read(path):
        lines.setdefault(_Key.of(line), []).append(line)
    return {
        key: {
            name: np.array([float(row[name]) for row in rows])
            for name in rows[0]
            if name not in _KEY and rows[0][name] != ""
        }
        for key, rows in lines.items()
    }


def _write(path: Path, columns: Sequence[str], lines: Iterable[Mapping[str, str]]) -> None:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    write_atomically(path, out.getvalue().encode())
