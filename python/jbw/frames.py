# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Frames: what a server sends to its subscribers.

>>> with world.subscribe(rate=10) as frames:
...     for frame in frames:
...         print(frame.time, [(agent.id, agent.position) for agent in frame.agents])
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.errors import ArgumentError

if TYPE_CHECKING:
    from jbw._client import Client, RawFrame, RawObservation

DIRECTIONS: tuple[_core.Direction, ...] = ("up", "right", "down", "left")
PatchState: TypeAlias = Literal["missing", "sampled", "final"]
STATES: tuple[PatchState, ...] = ("missing", "sampled", "final")
EVERYTHING, REGION, ONE_AGENT = 0, 1, 2
KEPT = 64  # unread frames of a subscription; then the oldest are dropped
PATIENCE = 0.1  # seconds that other threads that use the world may have to wait


@dataclass(frozen=True)
class AgentMark:
    """An agent as drawn on a map, with what it did and collected in the latest step."""

    id: int
    position: tuple[int, int]
    direction: _core.Direction
    active: bool
    action: str | None
    collected: str | None
    body: str | None = None
    said: int = 0
    """A symbol from 1, or 0."""


@dataclass(frozen=True)
class PatchView:
    """The items of a patch.

    ``patch`` is its position in units of patches. ``items`` has the lowest row first: (side, side)
    item types plus one, or 0; with detail (side, side, 4): red, green, blue and the fraction of
    cells with an item, from 0 to 255; None if the patch is missing.
    """

    patch: tuple[int, int]
    state: PatchState
    items: NDArray[np.uint8] | None


@dataclass(frozen=True)
class WatchedAgent:
    """The agent of a subscription, and what it perceives."""

    id: int
    position: tuple[int, int]
    direction: _core.Direction
    active: bool
    vision: NDArray[np.float32]
    scent: NDArray[np.float32]
    body: str | None = None
    heard: NDArray[np.float32] | None = None
    """What it heard, as `jbw.Agent.heard`; None in worlds without bodies, voices and texts."""
    note: str = ""


@dataclass(frozen=True)
class Frame:
    """A message of a subscription: the world at one moment."""

    time: int
    paused: bool
    rate: float
    steps_per_second: float
    agent_count: int
    missed: int
    """Frames dropped since the previous one, because they were not read."""
    agents: tuple[AgentMark, ...]
    patches: tuple[PatchView, ...]
    agent: WatchedAgent | None


class Frames:
    """The frames of a subscription, in order. `RemoteWorld.subscribe` creates it.

    Iterating waits for each frame; `next` has a timeout. Close it, or use ``with``.
    """

    def __init__(self, mailbox: Mailbox, number: int) -> None:
        self._mailbox = mailbox
        self._number = number

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Frame:
        frame = self.next()
        if frame is None:
            raise StopIteration
        return frame

    def next(self, timeout: float = math.inf) -> Frame | None:
        """The next frame; None if none arrives within ``timeout`` seconds, or after `close`."""
        return self._mailbox.next(self._number, timeout)

    def close(self) -> None:
        """Ends the subscription. Closing twice is fine."""
        self._mailbox.unsubscribe(self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Mailbox:
    """Sorts the frames of a connection by subscription."""

    def __init__(self, client: Client, model: _core.Model) -> None:
        self._client = client
        self._items = model.item_names
        self._actions = model.action_names
        self._bodies = (None, *model.bodies)
        self._frames: dict[int, deque[RawFrame]] = {}
        self._missed: dict[int, int] = {}

    def subscribe(
        self,
        region: tuple[int, int, int, int] | None,
        detail: int,
        agent: int | None,
        rate: float,
    ) -> Frames:
        if region is not None and agent is not None:
            raise ArgumentError("expected a region or an agent, not both")
        topic = EVERYTHING if region is None else REGION
        if agent is not None:
            topic = ONE_AGENT
        number = self._client.subscribe(topic, region or (0, 0, 0, 0), detail, agent or 0, rate)
        self._frames[number] = deque()
        self._missed[number] = 0
        return Frames(self, number)

    def unsubscribe(self, number: int) -> None:
        if self._frames.pop(number, None) is not None:
            del self._missed[number]
            self._client.unsubscribe(number)

    def next(self, number: int, timeout: float) -> Frame | None:
        end = time.monotonic() + timeout
        while number in self._frames:
            if self._frames[number]:
                return self._make(self._frames[number].popleft())
            left = end - time.monotonic()
            self._sort(self._client.next_frame(max(0.0, min(left, PATIENCE))))
            if left <= 0.0 and not self._frames.get(number):
                return None
        return None

    def _sort(self, raw: RawFrame | None) -> None:
        if raw is None or raw[0] not in self._frames:
            return
        frames = self._frames[raw[0]]
        if len(frames) == KEPT:
            self._missed[raw[0]] += 1 + frames.popleft()[6]
        frames.append(raw)

    def _make(self, raw: RawFrame) -> Frame:
        number, when, paused, rate, speed, agent_count, missed, marks, patches, one = raw
        missed += self._missed[number]
        self._missed[number] = 0
        return Frame(
            time=when,
            paused=paused,
            rate=rate,
            steps_per_second=speed,
            agent_count=agent_count,
            missed=missed,
            agents=tuple(
                AgentMark(
                    id,
                    position,
                    DIRECTIONS[direction],
                    active,
                    self._actions[action] if action >= 0 else None,
                    self._items[collected] if collected >= 0 else None,
                    self._bodies[body],
                    said,
                )
                for id, position, direction, active, action, collected, body, said in marks
            ),
            patches=tuple(
                PatchView(place, STATES[state], items) for place, state, items in patches
            ),
            agent=None if one is None else self._watched(*one),
        )

    def _watched(self, id: int, raw: RawObservation) -> WatchedAgent:
        _, position, direction, active, _, _, parts = raw
        has_words = "heard" in parts
        return WatchedAgent(
            id,
            position,
            DIRECTIONS[direction],
            active,
            parts["vision"],
            parts["scent"],
            self._bodies[int(parts["body"])] if has_words else None,
            parts["heard"] if has_words else None,
            bytes(parts["text"]).rstrip(b"\0").decode() if has_words else "",
        )
