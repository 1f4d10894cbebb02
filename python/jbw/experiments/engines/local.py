# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Executes runs in processes on this machine: one process per run, `jobs` at a time.

    command -- server (has imported the libraries, does nothing) -- fork -- one worker per run

This way a worker starts in milliseconds instead of a second. Workers notice when the command is
gone; the server ends when it is no longer needed.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from jbw.experiments.engines import RETRIES, Progress, Task
from jbw.experiments.runner import Keeping, work

#: Seconds between two updates of the progress bar.
LOOK_SECONDS = 0.5


#: Processes use the processors, not threads, and sums are computed in one order.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def _process(run_json: str, path: str, keeping: Keeping, pipe: Connection) -> None:
    """The main function of a worker process."""
    command = multiprocessing.parent_process()  # not the server, which lives as long as a worker
    assert command is not None
    try:
        pipe.send(work(run_json, path, keeping, lambda: not command.is_alive()))
    except KeyboardInterrupt:
        sys.exit(130)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Sets variables for processes started meanwhile; those that the user has set stay."""
    added = [name for name in values if name not in os.environ]
    os.environ.update({name: values[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


class LocalEngine:
    """Runs `jobs` processes at a time, by default one per processor."""

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs or os.cpu_count() or 1

    def __call__(
        self, tasks: Sequence[Task], keeping: Keeping, progress: Progress
    ) -> dict[str, str]:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["jbw.experiments.runner", "pyarrow.parquet"])
        with _environment(ONE_THREAD):
            forkserver.ensure_running()
        waiting = deque((task, RETRIES) for task in tasks)
        running: dict[BaseProcess, tuple[Task, int, Connection]] = {}
        failed: dict[str, str] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self.jobs:
                    task, retries = waiting.popleft()
                    ours, theirs = context.Pipe(duplex=False)
                    process: BaseProcess = context.Process(
                        target=_process,
                        args=(task.run.to_json(), str(task.folder), keeping, theirs),
                    )
                    process.start()
                    theirs.close()  # so that the pipe ends with the worker
                    running[process] = (task, retries, ours)
                wait([process.sentinel for process in running], timeout=LOOK_SECONDS)
                progress.look()
                for process in [one for one in running if one.exitcode is not None]:
                    task, retries, pipe = running.pop(process)
                    process.join()
                    lost = False
                    try:
                        message = pipe.recv() if pipe.poll() else None
                        lost = process.exitcode != 0
                    except EOFError:
                        message, lost = None, True
                    pipe.close()
                    if lost and retries > 0:
                        print(f"{task.name}: lost its process, resumes in another", file=sys.stderr)
                        waiting.append((task, retries - 1))
                    elif lost:
                        failed[task.name] = f"lost its process {RETRIES + 1} times"
                    elif message is not None:
                        failed[task.name] = message
        finally:
            for process, (_, _, pipe) in running.items():
                process.terminate()
                process.join()
                pipe.close()
        return failed
