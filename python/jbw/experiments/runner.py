# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One run, from its beginning or from its latest checkpoint to its end.

A checkpoint holds the worlds, the agent with its generators, and the rows so far. So a run that was
killed at any moment goes on as if nothing had happened: what it did since its latest checkpoint it
does again, bit by bit.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jbw.experiments.agents import Agent, agent_class
from jbw.experiments.case import Run
from jbw.experiments.errors import ExperimentError, need
from jbw.experiments.life import Life
from jbw.experiments.results import RunFolder

#: Seconds between two notes of how far a run is.
STATUS_SECONDS = 0.5
#: Steps that an agent lives between two looks at the clock.
STRIDE = 1000


@dataclass(frozen=True)
class Keeping:
    """How a run is kept. None of it changes what happens in the run."""

    checkpoint_every: int | None = None
    """Steps; None is a tenth of the run, at most 100,000."""
    keep: int = 2
    """Checkpoints that stay."""
    other_versions: bool = False
    """Goes on with other versions of the libraries, too."""


class Orphaned(Exception):
    """The process that started this one is gone, and with it the reason to go on."""


def live(
    run: Run,
    path: str | Path,
    keeping: Keeping | None = None,
    is_orphaned: Callable[[], bool] = lambda: False,
) -> None:
    """Makes a run in its folder, or what is left of it. A run that is done stays as it is.

    Gives up when it `is_orphaned`, which is asked now and then.
    """
    need("pyarrow", "experiments", "writing results")  # now, rather than after hours
    keeping = keeping or Keeping()
    folder = RunFolder(Path(path))
    folder.prepare(run)
    with folder.lock():
        if folder.status().get("done"):
            return
        state = folder.load_checkpoint()
        if state is None:
            life, agent = begin(run)
        else:
            life, agent = revive(run, state)
        folder.begin_session(life.steps, keeping.other_versions)
        (folder.path / "error.txt").unlink(missing_ok=True)
        _live_on(run, folder, life, agent, keeping, is_orphaned)


def begin(run: Run) -> tuple[Life, Agent]:
    """A life and its agent, before the first step."""
    cls = agent_class(run.agent)
    life = Life(run, cls.world_count(run.options))
    return life, cls(life, run.seed, **run.options)


def revive(run: Run, state: dict[str, Any]) -> tuple[Life, Agent]:
    """The same from what a checkpoint holds."""
    agent_class(run.agent)  # a file's class must be known before it can be read
    life: Life = pickle.loads(state["life"])
    agent: Agent = pickle.loads(state["agent"])
    agent.resume(life)
    return life, agent


def freeze_state(life: Life, agent: Agent) -> dict[str, Any]:
    """What a checkpoint holds."""
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
    )


def work(
    run_json: str, path: str, keeping: Keeping, is_orphaned: Callable[[], bool] = lambda: False
) -> str | None:
    """`live` for engines: None if all is well, else what went wrong, which is also written down."""
    try:
        live(Run.from_json(run_json), path, keeping, is_orphaned)
    except Orphaned:
        return "the process that started it is gone"
    except ExperimentError as error:
        return str(error)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        # a full disk may be what went wrong
        with contextlib.suppress(OSError):
            (Path(path) / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
            message += f" (see {path}/error.txt)"
        return message
    return None
