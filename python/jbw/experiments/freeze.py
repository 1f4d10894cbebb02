# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Does continued learning help? Two copies of an agent continue in two clones of its world, one of
them without learning. All else is equal, so the difference is the value of continued learning."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jbw import evaluate
from jbw.experiments.errors import ExperimentError
from jbw.experiments.results import RunFolder, StudyFolder, write_atomically
from jbw.experiments.runner import revive


def compare_frozen(folder: RunFolder, steps: int, at: int | None = None) -> dict[str, Any]:
    """Continues twice from a checkpoint, by default the latest, for a number of steps.

    Returns the reward per step of both and stores it in the run's folder. A stored result is not
    computed again.
    """
    known = [step for step, _ in folder.checkpoints()]
    if at is None and known:
        at = known[-1]
    if at not in known:
        raise ExperimentError(f"{folder.path} has checkpoints of steps {known}, not of {at}")
    file = folder.path / "frozen" / f"at-{at}-steps-{steps}.json"
    if file.exists():
        found: dict[str, Any] = json.loads(file.read_bytes())
        return found

    run = folder.run
    every = min(run.every, steps)
    rewards: dict[str, NDArray[np.float64]] = {}
    hashes: dict[str, list[str]] = {}
    for name, learning in (("learning", True), ("frozen", False)):
        state = folder.load_checkpoint(at)
        assert state is not None
        life, agent = revive(dataclasses.replace(run, steps=run.steps + steps), state)
        life.count_anew(every, steps // every)
        agent.learning = learning
        agent.live(life, steps)
        rewards[name] = np.array([row["reward"] for row in life.meter.rows])
        hashes[name] = [f"{value:016x}" for value in life.hashes()]
    lived = steps // every * every
    result = {
        "at": at,
        "steps": lived,
        "every": every,
        "seed": run.seed,
        "learning": float(rewards["learning"].sum() / lived),
        "frozen": float(rewards["frozen"].sum() / lived),
        "rows": {name: log.tolist() for name, log in rewards.items()},
        "world_hashes": hashes,
    }
    file.parent.mkdir(exist_ok=True)
    write_atomically(file, json.dumps(result).encode())
    return result


def freeze_study(study: StudyFolder, agent: str, steps: int) -> list[str]:
    """Runs `compare_frozen` for all finished runs of an agent. Returns lines to print."""
    lines = []
    for variant in study.variants:
        folders = [f for f in study.runs(variant, agent) if f.status()["done"]]
        if not folders:
            continue
        results = [compare_frozen(folder, steps) for folder in folders]
        lines.append(f"{study.case}/{variant} {agent}: {describe(results)}")
    if not lines:
        raise ExperimentError(f"{study.path} has no finished runs of {agent}")
    return lines


def read_comparisons(folders: list[RunFolder]) -> dict[tuple[int, int], list[dict[str, Any]]]:
    """The stored comparisons, by (step, steps)."""
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for folder in folders:
        for file in sorted(Path(folder.path / "frozen").glob("at-*.json")):
            result = json.loads(file.read_bytes())
            found.setdefault((result["at"], result["steps"]), []).append(result)
    return found


def describe(results: list[dict[str, Any]]) -> str:
    """A summary of comparisons in one line."""
    learning = [one["learning"] for one in results]
    frozen = [one["frozen"] for one in results]
    gain = evaluate.bootstrap_difference(learning, frozen, paired=True)
    return (
        f"from step {results[0]['at']:,}, {results[0]['steps']:,} steps: "
        f"learning {np.mean(learning):.4f} per step, frozen {np.mean(frozen):.4f}, "
        f"difference {gain.estimate:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] "
        f"over {len(results)} seeds"
    )
