# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Executes runs on a Ray cluster: on this machine, or on several that share the results."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from jbw.experiments.engines import RETRIES, Progress, Task
from jbw.experiments.errors import need
from jbw.experiments.runner import Keeping, work


class RayEngine:
    """One task per run, on one processor each.

    `address` is that of a running cluster ("auto" finds one on this machine); None starts one here
    that ends with the program. If a worker or a machine is lost, Ray restarts its task elsewhere,
    and the run resumes from its latest checkpoint.
    """

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self.address = address
        self.jobs = jobs

    def __call__(
        self, tasks: Sequence[Task], keeping: Keeping, progress: Progress
    ) -> dict[str, str]:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if self.address is None:
            # a cluster for this command alone listens on loopback only, which is Ray's default on
            # other systems; read when Ray is imported
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        ray = need("ray", "cluster", "--engine ray")
        mine = not ray.is_initialized()
        if mine:
            ray.init(
                address=self.address,
                num_cpus=self.jobs if self.address is None else None,
                log_to_driver=False,
                logging_level="warning",
                include_dashboard=False if self.address is None else None,
            )
        try:
            remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_work_on_a_node)
            names = {
                remote.remote(task.run.to_json(), str(task.folder), keeping): task.name
                for task in tasks
            }
            return _collect(ray, names, progress)
        finally:
            if mine:
                ray.shutdown()


def _collect(ray: Any, names: dict[Any, str], progress: Progress) -> dict[str, str]:
    failed: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        done, waiting = ray.wait(waiting, timeout=0.5)
        progress.look()
        for reference in done:
            try:
                message = ray.get(reference)
            except ray.exceptions.RayError as error:
                message = f"lost its worker too often: {type(error).__name__}"
                print(error, file=sys.stderr)
            if message is not None:
                failed[names[reference]] = message
    return failed


def _work_on_a_node(run_json: str, path: str, keeping: Keeping) -> str | None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    return work(run_json, path, keeping)
