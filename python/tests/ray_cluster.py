# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""`ray_cluster.py run CASE --results FOLDER...`: runs a case on a Ray cluster of two nodes on this
machine, and kills one of them on the way."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from jbw.experiments.__main__ import main
from jbw.experiments.results import RunFolder


def checkpointed(results: Path) -> list[RunFolder]:
    """Runs that are under way and have something to go on from."""
    folders = [RunFolder(file.parent) for file in results.rglob("run.json")]
    return [f for f in folders if f.checkpoints() and not f.status()["done"]]


def kill_one(cluster: Cluster, node: object, results: Path) -> None:
    while len(checkpointed(results)) < 2:
        time.sleep(0.01)
    cluster.remove_node(node, allow_graceful=False)
    print("killed a node", flush=True)


@contextmanager
def two_nodes() -> Iterator[tuple[Cluster, object]]:
    """A cluster of this machine that the program has joined, and the node that may be killed."""
    node: dict[str, Any] = {
        "num_cpus": 1,
        "object_store_memory": 100_000_000,
        "node_ip_address": "127.0.0.1",  # nobody else should see it
    }
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        second = cluster.add_node(**node)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
        yield cluster, second
    finally:
        ray.shutdown()
        cluster.shutdown()


def live_with_a_death(settings: list[str]) -> int:
    """The command's exit code."""
    results = Path(settings[settings.index("--results") + 1])
    how = ["--agent", "greedy", "--seeds", "2", "--checkpoint-every", "500", "--engine", "ray"]
    with two_nodes() as (cluster, second):
        killer = threading.Thread(target=kill_one, args=(cluster, second, results), daemon=True)
        killer.start()
        code = main([*settings, *how])
        killer.join(timeout=1)
    return code


if __name__ == "__main__":
    sys.exit(live_with_a_death(sys.argv[1:]))
