# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Runs a case on a Ray cluster of two nodes on this machine, and kills one of them on the way."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

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


if __name__ == "__main__":
    results = Path(sys.argv[1])
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 100_000_000},
    )
    second = cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
    killer = threading.Thread(target=kill_one, args=(cluster, second, results), daemon=True)
    killer.start()
    code = main(
        [
            *[
                "run",
                "cyclical",
                "--steps",
                "40000",
                "--with",
                "period=5000",
                "--agent",
                "greedy",
                "--seeds",
                "2",
            ],
            *["--checkpoint-every", "500", "--engine", "ray", "--quiet", "--results"],
            str(results),
        ]
    )
    killer.join(timeout=1)
    ray.shutdown()
    cluster.shutdown()
    sys.exit(code)
