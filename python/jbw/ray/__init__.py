# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds on many machines: a vector environment whose worlds are spread over a Ray cluster.

    envs = jbw.ray.RemoteVectorEnv(256, "paper-code", "Collect[JellyBean]", actors=8)
    observations, infos = envs.reset(seed=7)

Results are those of the local vector environment, bit by bit, even if machines are lost meanwhile.

    env.py      RemoteVectorEnv: what you use
    batch.py    RemoteBatch: which actor has which worlds; what restores them
    shard.py    Shard: the worlds of one actor
    cluster.py  starts and ends Ray
"""

from __future__ import annotations

from jbw.ray.env import RemoteVectorEnv

__all__ = ["RemoteVectorEnv"]
