# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Who makes the runs: processes of this machine, or a Ray cluster.

An engine takes tasks and returns the messages of those that failed. Workers that are lost are
replaced, and their runs go on from the latest checkpoint.
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

#: How often a run may lose its worker.
RETRIES = 5


@dataclass(frozen=True)
class Task:
    """A run and its folder."""

    run: Run
    folder: Path

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.run.case}/{self.run.variant} {self.run.agent} seed {self.run.seed}"


class Engine(Protocol):
    """Makes runs."""

    def __call__(
        self, tasks: Sequence[Task], keeping: Keeping, progress: Progress
    ) -> dict[str, str]:
        """Messages of the tasks that failed, by name."""


class Progress:
    """A bar on terminals only: steps of all runs together."""

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
        """Reads how far the runs are."""
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
