# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Executes one run, from the start or from its latest checkpoint to the end.

A checkpoint holds the worlds, the agent with its random generators, and the rows so far. So a run
that was killed at any moment resumes as if nothing had happened: it repeats the steps since its
latest checkpoint bit by bit.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jbw.experiments.agents import Agent, agent_class
from jbw.experiments.case import Run
from jbw.experiments.errors import ExperimentError, need
from jbw.experiments.life import Life
from jbw.experiments.results import Results, RunFolder

#: Seconds between two updates of the status.
STATUS_SECONDS = 0.5
#: Steps between two checks of the clock.
STRIDE = 1000


@dataclass(frozen=True)
class Keeping:
    """How a run is stored and computed. None of this affects what happens in the run."""

    checkpoint_every: int | None = None
    """Steps between checkpoints; None means a tenth of the run, at most 100,000."""
    keep: int = 2
    """Number of checkpoints to keep."""
    other_versions: bool = False
    """Resume even if the versions of libraries have changed."""
    results: Path | None = None
    """The folder of results in which a new run looks for the beginning of its life."""
    archive: Path | None = None
    """A folder of finished runs: what is there is not lived again."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of agents, of which they take those that affect no result (`Agent.idle_options`)."""


class Orphaned(Exception):
    """The process that started this one is gone, so there is no reason to continue."""


def live(
    run: Run,
    path: str | Path,
    keeping: Keeping | None = None,
    is_orphaned: Callable[[], bool] = lambda: False,
) -> None:
    """Executes a run in its folder, or the rest of it. A finished run is left as it is.

    Gives up when `is_orphaned`, which is called from time to time, returns True.
    """
    need("pyarrow", "experiments", "writing results")  # fail now, not after hours
    keeping = keeping or Keeping()
    folder = RunFolder(Path(path))
    folder.prepare(run)
    with folder.lock():
        if folder.status().get("done"):
            return
        if keeping.archive is not None and not folder.checkpoints():
            finished = Results(keeping.archive).finished(run)
            if finished is not None:
                folder.adopt(finished)
                return
        if keeping.results is not None and not folder.checkpoints():
            folder.inherit(keeping.results)
        state = folder.load_checkpoint()
        if state is None:
            life, agent = begin(run)
        else:
            life, agent = revive(run, state)
        idle = {k: v for k, v in keeping.options.items() if k in agent.idle_options}
        if idle:
            agent.arrange(**idle)
        folder.begin_session(life.steps, keeping.other_versions)
        (folder.path / "error.txt").unlink(missing_ok=True)
        _live_on(run, folder, life, agent, keeping, is_orphaned)


def begin(run: Run) -> tuple[Life, Agent]:
    """A life and its agent, before the first step."""
    cls = agent_class(run.agent)
    life = Life(run, cls.world_count(run.options))
    return life, cls(life, run.seed, **run.options)


def revive(run: Run, state: dict[str, Any]) -> tuple[Life, Agent]:
    """The life and the agent of a checkpoint, which may be that of a shorter run."""
    agent_class(run.agent)  # a class from a file must be imported before unpickling
    life: Life = pickle.loads(state["life"])
    life.meter.row_count = run.steps // run.every
    agent: Agent = pickle.loads(state["agent"])
    agent.resume(life)
    return life, agent


def freeze_state(life: Life, agent: Agent) -> dict[str, Any]:
    """The state to store in a checkpoint."""
    return {"life": pickle.dumps(life, protocol=5), "agent": pickle.dumps(agent, protocol=5)}


def _live_on(
    run: Run,
    folder: RunFolder,
    life: Life,
    agent: Agent,
    keeping: Keeping,
    is_orphaned: Callable[[], bool],
) -> None:
    between = keeping.checkpoint_every or max(1, min(100_000, run.steps // 10))
    next_checkpoint = (life.steps // between + 1) * between
    told = 0.0
    life.meter.start_clock()
    while life.steps < run.steps:
        goal = min(life.steps + STRIDE, next_checkpoint, run.steps)
        agent.live(life, goal - life.steps)
        now = time.monotonic()
        if now - told > STATUS_SECONDS:
            told = now
            folder.set_status(steps=min(life.steps, run.steps), done=False)
            if is_orphaned():
                raise Orphaned
        if life.steps >= next_checkpoint and life.steps < run.steps:
            folder.save_checkpoint(life.steps, freeze_state(life, agent), keeping.keep)
            folder.write_metrics(life.meter.rows)
            next_checkpoint = (life.steps // between + 1) * between

    state = freeze_state(life, agent)
    folder.save_checkpoint(life.steps, state, keeping.keep)
    folder.write_metrics(life.meter.rows)
    folder.set_status(
        steps=run.steps,
        done=True,
        world_hashes=[f"{value:016x}" for value in life.hashes()],
        agent_hash=hashlib.sha256(state["agent"]).hexdigest()[:16],
        agent_facts=agent.facts(),
    )


def work(
    run_json: str, path: str, keeping: Keeping, is_orphaned: Callable[[], bool] = lambda: False
) -> str | None:
    """`live` for engines. Returns None, or an error message; a traceback goes to error.txt."""
    try:
        live(Run.from_json(run_json), path, keeping, is_orphaned)
    except Orphaned:
        return "the process that started it is gone"
    except ExperimentError as error:
        return str(error)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        # the disk may be full
        with contextlib.suppress(OSError):
            (Path(path) / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
            message += f" (see {path}/error.txt)"
        return message
    return None
