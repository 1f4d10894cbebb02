# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Environments: one agent (Gymnasium), many worlds at once (Gymnasium's vector API), many agents
in one world (PettingZoo), many worlds with many agents. Modules are loaded on demand, so that each
needs only its own libraries."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jbw.envs.registration import REGISTRATIONS, Registration, register_envs

if TYPE_CHECKING:
    from jbw.envs.common import Step
    from jbw.envs.env import JellyBeanWorldEnv
    from jbw.envs.parallel import JellyBeanWorldParallelEnv, parallel_env
    from jbw.envs.remote import RemoteEnv
    from jbw.envs.vector import JellyBeanWorldVectorEnv
    from jbw.envs.vector_parallel import JellyBeanWorldVectorParallelEnv, vector_parallel_env

__all__ = [
    "REGISTRATIONS",
    "JellyBeanWorldEnv",
    "JellyBeanWorldParallelEnv",
    "JellyBeanWorldVectorEnv",
    "JellyBeanWorldVectorParallelEnv",
    "Registration",
    "RemoteEnv",
    "Step",
    "parallel_env",
    "register_envs",
    "vector_parallel_env",
]

_HOMES = {
    "JellyBeanWorldEnv": "env",
    "JellyBeanWorldVectorEnv": "vector",
    "JellyBeanWorldVectorParallelEnv": "vector_parallel",
    "JellyBeanWorldParallelEnv": "parallel",
    "parallel_env": "parallel",
    "vector_parallel_env": "vector_parallel",
    "RemoteEnv": "remote",
    "Step": "common",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"jbw.envs.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
