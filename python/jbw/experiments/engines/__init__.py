# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Engines execute runs: in processes on this machine, or on a Ray cluster.

An engine takes tasks and returns the error messages of those that failed. Lost workers are
replaced, and their runs resume from the latest checkpoint.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from jbw.experiments.case import Run
from jbw.experiments.results import RunFolder
from jbw.experiments.runner import Keeping

#: How many times a run may lose its worker.
RETRIES = 5


@dataclass(frozen=True)
class Task:
    """A run and its folder."""

    run: Run
    folder: Path

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"{self.run.case}/{self.run.variant} {self.run.agent} seed {self.run.seed}"


class Engine(Protocol):
    """Executes runs."""

    def __call__(
        self, tasks: Sequence[Task], keeping: Keeping, progress: Progress
    ) -> dict[str, str]:
        """Executes tasks. Returns the error messages of those that failed, by name."""


class Progress:
    """A progress bar, on terminals only: the steps of all runs together."""

    def __init__(self, tasks: Sequence[Task], quiet: bool = False) -> None:
        self._tasks = tasks
        self._at = dict.fromkeys((task.folder for task in tasks), 0)
        self._bar: Any = None
        if not quiet and sys.stderr.isatty():
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(
                total=sum(task.run.steps for task in tasks),
                unit="step",
                unit_scale=True,
                smoothing=0.05,
            )

    def look(self) -> None:
        """Updates the bar."""
        if self._bar is None:
            return
        done = 0
        for task in self._tasks:
            if self._at[task.folder] < task.run.steps:
                status = RunFolder(task.folder).status()
                self._bar.update(status["steps"] - self._at[task.folder])
                self._at[task.folder] = status["steps"]
            done += self._at[task.folder] >= task.run.steps
        self._bar.set_postfix_str(f"{done}/{len(self._tasks)} runs", refresh=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self.look()
            self._bar.close()
