# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""`ray_vector.py`: lives in worlds that are spread over two nodes of a Ray cluster on this machine,
one of which is killed on the way, and compares them with the same lives in local worlds. Runs an
example before."""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from ray_cluster import two_nodes
from small_worlds import SMALL

import jbw.ray
from jbw.envs import JellyBeanWorldVectorEnv

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "many_machines.py"
WORLDS, STEPS, REWARD = 8, 60, "Collect[JellyBean]"


def check_same(a: Any, b: Any) -> None:
    """The same observations, rewards and infos."""
    np.testing.assert_equal((*a[:-1], dict(a[-1])), (*b[:-1], dict(b[-1])))


def main() -> None:
    with two_nodes() as (cluster, second):
        run_example()
        live_with_a_death(cluster, second)


def run_example() -> None:
    sys.argv = [str(EXAMPLE), "--worlds", "6", "--steps", "20"]
    runpy.run_path(str(EXAMPLE), run_name="__main__")


def live_with_a_death(cluster: Any, second: object) -> None:
    twin = JellyBeanWorldVectorEnv(WORLDS, SMALL, REWARD)
    generator = np.random.default_rng(0)
    with jbw.ray.RemoteVectorEnv(WORLDS, SMALL, REWARD, snapshot_every=10) as envs:
        assert envs.actors == 2
        check_same(envs.reset(seed=3), twin.reset(seed=3))
        give_up, left = time.monotonic() + 120, STEPS
        while left > 0:  # so many steps before the node is lost, and as many after
            actions = generator.integers(3, size=WORLDS)
            envs.send(actions)
            twin.send(actions)
            if left == STEPS // 2 + 1:
                cluster.remove_node(second, allow_graceful=False)  # with worlds under way
                print("killed a node", flush=True)
            check_same(envs.recv(), twin.recv())
            # the actor outlives its node for a moment
            left -= envs.losses > 0 or left > STEPS // 2
            assert time.monotonic() < give_up
        assert [envs.world(i).hash() for i in range(WORLDS)] == [
            twin.world(i).hash() for i in range(WORLDS)
        ]
        print(f"actors lost: {envs.losses}, same bits")


if __name__ == "__main__":
    main()
