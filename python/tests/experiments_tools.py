# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What the tests of experiments share."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from jbw.experiments import read_case
from jbw.experiments.case import Run, make_study
from jbw.experiments.life import CLOCK_COLUMNS
from jbw.experiments.results import RunFolder


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "jbw.experiments", *map(str, arguments)]


def a_run(agent: str = "greedy", steps: int = 3000, case: str = "scent-world", **more: Any) -> Run:
    study = make_study(read_case(case), steps=steps, window=steps // 10)
    run = next(iter(study.runs_by_variant.values()))
    return dataclasses.replace(run, **{"agent": agent, **more})


def without_clock(metrics: dict[str, Any]) -> dict[str, list[float]]:
    return {name: list(column) for name, column in metrics.items() if name not in CLOCK_COLUMNS}


def same_results(one: RunFolder, two: RunFolder) -> None:
    """To the last bit, but for the clock."""
    assert without_clock(one.metrics()) == without_clock(two.metrics())
    assert one.status() == two.status() and one.status()["done"]
    assert one.status()["world_hashes"]
