# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A connection to a server, as plain calls with numbers and arrays; jbw/remote.py is made of it.

Calls let other Python threads run. Threads that share a client wait for each other.
"""

from typing import Any, Self, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Cell: TypeAlias = tuple[int, int]

# time, action, outcome, moved, item outcome, collected, dropped, position before, position
RawResult: TypeAlias = tuple[int, int, int, bool, int, int, int, Cell, Cell]

# time, position, direction, active, resumed, result, vision, scent, items, inventory
RawObservation: TypeAlias = tuple[
    int,
    Cell,
    int,
    bool,
    bool,
    RawResult,
    NDArray[np.float32] | None,
    NDArray[np.float32] | None,
    NDArray[np.uint8] | None,
    NDArray[np.uint64] | None,
]

# agent, position, direction, active, action, collected
RawMark: TypeAlias = tuple[int, Cell, int, bool, int, int]

# patch, state, items
RawPatch: TypeAlias = tuple[Cell, int, NDArray[np.uint8] | None]

# subscription, time, paused, rate, steps per second, agent count, missed, agents, patches,
# one agent
RawFrame: TypeAlias = tuple[
    int,
    int,
    bool,
    float,
    float,
    int,
    int,
    tuple[RawMark, ...],
    tuple[RawPatch, ...],
    tuple[int, RawObservation] | None,
]

@final
class Client:
    """Connects. Times are in seconds, and zero means the default of the C library."""

    def __new__(
        cls,
        url: str,
        token: str | None = None,
        name: str | None = "jbw-python",
        ca_file: str | None = None,
        check: bool = True,
        connect_timeout: float = 0.0,
        answer_timeout: float = 0.0,
        turn_timeout: float = 0.0,
        reconnect_time: float = 0.0,
    ) -> Self: ...
    def close(self) -> None: ...
    def set_shape(self, side: int, colors: int, scents: int, items: int, /) -> None: ...
    def world_file(self) -> str: ...
    def info(self) -> dict[str, Any]: ...
    def add_agent(self, position: Cell | None, direction: int, force: bool, /) -> int: ...
    def remove_agent(self, agent: int, /) -> None: ...
    def set_active(self, agent: int, active: bool, /) -> None: ...
    def own_agents(self) -> tuple[int, ...]: ...
    def left_agents(self) -> tuple[int, ...]: ...
    def all_agents(self) -> tuple[int, ...]: ...
    def observe(self, agent: int, wants: int, /) -> RawObservation: ...
    def act(self, agent: int, action: int, /) -> bool: ...
    def act_and_observe(self, agent: int, action: int, wants: int, /) -> RawObservation: ...
    def act_together(
        self, agents: tuple[int, ...], actions: tuple[int, ...], wants: int, /
    ) -> tuple[RawObservation, ...]: ...
    def state(self, agent: int, /) -> tuple[Cell, Cell, int, bool, int | None]: ...
    def time(self) -> int: ...
    def hash(self) -> int: ...
    def save(self) -> int: ...
    def region(
        self, x: int, y: int, width: int, height: int, /
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
    def smell(self, x: int, y: int, width: int, height: int, /) -> NDArray[np.float32]: ...
    def place(self, item: int, x: int, y: int, /) -> None: ...
    def remove(self, x: int, y: int, /) -> None: ...
    def explore(self, x: int, y: int, /) -> None: ...
    def pause(self, paused: bool, /) -> None: ...
    def step(self, count: int, /) -> None: ...
    def set_rate(self, rate: float, /) -> None: ...
    def stats(self) -> dict[str, Any]: ...
    def subscribe(
        self, topic: int, region: tuple[int, int, int, int], detail: int, agent: int, rate: float, /
    ) -> int: ...
    def unsubscribe(self, subscription: int, /) -> None: ...
    def next_frame(self, seconds: float, /) -> RawFrame | None: ...
