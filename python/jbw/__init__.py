# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Jelly Bean World: a testbed for never-ending reinforcement learning.

>>> import jbw
>>> world = jbw.World("paper-code", seed=7)
>>> agent = world.add_agent()
>>> agent.act("MoveForward")
True
>>> agent.vision.shape
(17, 17, 3)

`gymnasium.make("jbw/JellyBeanWorld-v0", world=..., reward=...)` creates an environment.
"""

from typing import TYPE_CHECKING, Any

from jbw import errors, rewards
from jbw._core import (
    Agent,
    Atlas,
    Batch,
    Cell,
    Model,
    Operation,
    Planes,
    Policy,
    Recorder,
    Recording,
    Result,
    Reward,
    Stats,
    Viewer,
    World,
    policy_names,
    shipped_text,
    shipped_worlds,
)
from jbw._core import version as __version__
from jbw.config import Config, table
from jbw.envs.registration import register_envs
from jbw.errors import (
    ArgumentError,
    BusyError,
    CellBlockedError,
    ConfigError,
    DataError,
    Error,
    FileError,
    NoConnectionError,
    NoSuchAgentError,
    NoSuchFileError,
    NotFoundError,
    NotPermittedError,
    OutOfRangeError,
    Problem,
    RewardError,
    TimedOutError,
    UnsupportedError,
)
from jbw.frames import Frame, Frames
from jbw.remote import RemoteWorld, connect
from jbw.remote_agent import RemoteAgent

if TYPE_CHECKING:
    from jbw.envs.parallel import parallel_env
    from jbw.envs.vector_parallel import vector_parallel_env

__all__ = [
    "Agent",
    "ArgumentError",
    "Atlas",
    "Batch",
    "BusyError",
    "Cell",
    "CellBlockedError",
    "Config",
    "ConfigError",
    "DataError",
    "Error",
    "FileError",
    "Frame",
    "Frames",
    "Model",
    "NoConnectionError",
    "NoSuchAgentError",
    "NoSuchFileError",
    "NotFoundError",
    "NotPermittedError",
    "Operation",
    "OutOfRangeError",
    "Planes",
    "Policy",
    "Problem",
    "Recorder",
    "Recording",
    "RemoteAgent",
    "RemoteWorld",
    "Result",
    "Reward",
    "RewardError",
    "Stats",
    "TimedOutError",
    "UnsupportedError",
    "Viewer",
    "World",
    "__version__",
    "connect",
    "errors",
    "parallel_env",
    "policy_names",
    "rewards",
    "shipped_text",
    "shipped_worlds",
    "table",
    "vector_parallel_env",
]

register_envs()


def __getattr__(name: str) -> Any:
    # PettingZoo is loaded only when it is needed
    if name == "parallel_env":
        try:
            from jbw.envs.parallel import parallel_env
        except ModuleNotFoundError as error:
            if error.name != "pettingzoo":
                raise
            raise ImportError(
                "jbw.parallel_env needs PettingZoo: pip install 'jbw[agents]'"
            ) from error
        return parallel_env
    if name == "vector_parallel_env":
        from jbw.envs.vector_parallel import vector_parallel_env

        return vector_parallel_env
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
