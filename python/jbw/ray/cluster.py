# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Ray itself: joined or started when the first environment needs it, ended with the last."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# A cluster that is started here is for this program alone, so it listens on loopback only, which is
# Ray's default on other systems. Ray reads this when it is imported; joining others still works.
os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")

try:
    import ray
except ModuleNotFoundError as error:
    raise ImportError("jbw.ray needs Ray: pip install 'jbw[cluster]'") from error

_users = 0  # environments that are open in a Ray that was started here


def join(address: str | None) -> bool:
    """Connects to a cluster unless the program has done so already: whether `leave` must be called.

    Without an address, RAY_ADDRESS counts; without that, a cluster of this machine is started.
    """
    global _users
    if not ray.is_initialized():
        address = address or os.environ.get("RAY_ADDRESS")
        about: dict[str, Any] = {"include_dashboard": False} if address is None else {}
        ray.init(address=address, log_to_driver=False, logging_level="warning", **about)
    elif _users == 0:
        return False  # the program's own
    _users += 1
    return True


def leave() -> None:
    """Disconnects when nobody is left; a cluster that was started here ends."""
    global _users
    _users -= 1
    if _users == 0:
        with contextlib.suppress(Exception):  # the program may have ended it
            ray.shutdown()


def node_count() -> int:
    """Machines that can run actors."""
    return sum(node["Alive"] and node["Resources"].get("CPU", 0) > 0 for node in ray.nodes())


def processor_count() -> int:
    """Processors of all machines."""
    return int(ray.cluster_resources().get("CPU", 0))


def other_node(avoided: Collection[str | None], number: int) -> str | None:
    """The id of a machine that is not one of these; the number says which, if there are several."""
    found = [
        node["NodeID"]
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) > 0 and node["NodeID"] not in avoided
    ]
    return found[number % len(found)] if found else None


def affinity(node: str) -> Any:
    """How to tell Ray to start an actor on a machine, if it is still there."""
    return ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=True)


def this_node() -> str:
    """The id of the machine of an actor."""
    return str(ray.get_runtime_context().get_node_id())


__all__ = ["affinity", "join", "leave", "node_count", "other_node", "processor_count", "ray"]
