# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Environments: one agent (Gymnasium), many worlds at once (Gymnasium's vector API), many agents
in one world (PettingZoo). Modules are loaded on demand, so that each needs only its own
libraries."""

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

__all__ = [
    "REGISTRATIONS",
    "JellyBeanWorldEnv",
    "JellyBeanWorldParallelEnv",
    "JellyBeanWorldVectorEnv",
    "Registration",
    "RemoteEnv",
    "Step",
    "parallel_env",
    "register_envs",
]

_HOMES = {
    "JellyBeanWorldEnv": "env",
    "JellyBeanWorldVectorEnv": "vector",
    "JellyBeanWorldParallelEnv": "parallel",
    "parallel_env": "parallel",
    "RemoteEnv": "remote",
    "Step": "common",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"jbw.envs.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
