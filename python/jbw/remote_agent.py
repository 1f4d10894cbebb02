# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents of worlds on a server, and what they ask for: see `jbw.remote`."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.errors import ArgumentError
from jbw.frames import DIRECTIONS

if TYPE_CHECKING:
    from jbw._client import RawObservation, RawRequest, RawResult
    from jbw.remote import RemoteWorld

OUTCOMES: tuple[_core.Outcome, ...] = (
    "none",
    "done",
    "blocked_by_item",
    "blocked_by_agent",
    "lost",
    "nothing_there",
    "uncollectable",
    "lacks_items",
    "cell_occupied",
    "end_of_world",
    "not_able",
)
MAX_TEXT = 255  # bytes of a text that an item carries


def check_text(text: str | None) -> str | None:
    """Checks a text as local worlds do; what an item may carry is up to the server."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"expected a text or None, found {text!r}")
    length = len(text.encode())
    if length > MAX_TEXT:
        raise ArgumentError(f"the text has {length} bytes, expected at most {MAX_TEXT}")
    if "\0" in text:
        raise ArgumentError("the text has a zero character")
    return text


def _symbol(model: _core.Model, say: Any) -> int:
    symbol = operator.index(say)
    symbols = 0 if model.voice is None else model.voice[0]
    if 0 <= symbol <= symbols:
        return symbol
    if symbols == 0:
        raise ArgumentError("agents of this world have no voice")
    raise ArgumentError(f"there is no symbol {say!r}, expected 1 to {symbols}, or 0 for silence")


def make_request(
    model: _core.Model, action: Any, say: Any = 0, text: str | None = None
) -> RawRequest:
    """An action by name or number; with a voice it may be a pair, the action and a symbol."""
    is_one = isinstance(action, str) or np.ndim(action) == 0
    if not is_one and model.voice is not None:
        if len(action) != 2:
            raise ArgumentError(f"expected an action and a symbol, found {action!r}")
        action, say = action
    return model.action(action), _symbol(model, say), check_text(text)


class RemoteAgent:
    """An agent of a world on a server.

    After an action, an active agent of this client shows what it perceived then, as the world waits
    for it. The parts that you have looked at before come along with the next action, so a step
    costs one round trip. Everything else is requested when you look at it. If the server has a turn
    timeout, the world may have moved on: `refresh` requests everything again.
    """

    def __init__(self, world: RemoteWorld, id: int) -> None:
        self._world = world
        self._id = id
        self._wants: tuple[str, ...] = ()  # the parts that were looked at
        self._start: tuple[int, int] | None = None
        self._body: int | None = None
        self._raw: RawObservation | None = None  # as of ...
        self._state = (-1, 0)  # ... this state of the world
        self.resumed = False
        """The client had to reconnect during the latest action, and the action may be lost."""

    @property
    def world(self) -> RemoteWorld:
        return self._world

    @property
    def id(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RemoteAgent):
            return NotImplemented
        return self._world is other._world and self._id == other._id

    def __hash__(self) -> int:
        return hash((id(self._world), self._id))

    def __repr__(self) -> str:
        return f"<jbw.RemoteAgent {self._id} of {self._world!r}>"

    # --- acting ---

    def act(self, action: str | int, *, say: int = 0, text: str | None = None) -> bool:
        """Requests an action by name or number. True if the world has stepped.

        ``say`` is a symbol, from 1, in worlds with a voice; ``text`` is what the item that is
        dropped carries. Returns False at once while another active agent of this client has not
        acted yet; otherwise waits for the step.
        """
        world = self._world
        request = make_request(world._model, action, say, text)
        world._epoch += 1
        if len(world._client.own_agents()) > 1:
            return world._client.act(self._id, request)
        self._note(world._client.act_and_observe(self._id, request, self._wants))
        return True

    def post(self, actions: Sequence[str | int], texts: Sequence[str | None] | None = None) -> None:
        """Sends actions ahead without waiting: they are taken in consecutive steps.

        With a voice an action may be a pair, as in `RemoteWorld.act`; ``texts`` are as there.
        At most 64 actions of an agent may be in progress. If one of them is not an action, none is
        sent. `collect` waits for them one by one. `act` replaces those that the world has not taken
        yet.
        """
        world = self._world
        if texts is None:
            texts = [None] * len(actions)
        if len(texts) != len(actions):
            raise ArgumentError("expected as many texts as actions")
        requests = tuple(
            make_request(world._model, action, 0, text)
            for action, text in zip(actions, texts, strict=True)
        )
        world._epoch += 1
        world._client.post(self._id, requests, self._wants)

    @property
    def posted(self) -> int:
        """The number of actions that were posted and not collected yet."""
        return self._world._client.posted(self._id)

    def collect(self) -> _core.Result:
        """Waits for the step of the oldest posted action, and returns its result.

        The agent then shows what it perceived after that step, even if the world has moved on. It
        has the parts that you had looked at before posting. `NotFoundError` if nothing was posted;
        `NoConnectionError` for each action that was in progress when the connection was lost; after
        `TimedOutError` it can be collected again.
        """
        raw = self._world._client.collect(self._id)
        self._note(raw)
        return self._result(raw[5])

    def remove(self) -> None:
        """Removes the agent from the world, with all it has collected."""
        self._world._epoch += 1
        self._world._client.remove_agent(self._id)
        self._world._agents.pop(self._id, None)

    def refresh(self) -> None:
        """Forgets what it perceived, so that it is requested again."""
        self._raw = None

    # --- perceiving ---

    def _note(self, raw: RawObservation) -> None:
        self._raw, self._state = raw, self._world._state()
        self.resumed = raw[4]

    def _observe(self, *parts: str) -> RawObservation:
        """An observation that has these parts, among others."""
        self._wants = tuple(dict.fromkeys(self._wants + parts))
        raw = self._raw
        has_parts = raw is not None and all(name in raw[6] for name in parts)
        if self.posted:  # the world moves on, so an observation now would be that of another step
            if raw is None or not has_parts:
                raise ArgumentError(
                    "the actions in progress do not bring this along: look at it before posting"
                )
            return raw
        is_known = raw is not None and raw[3] and self._state == self._world._state()
        if raw is None or not is_known or not has_parts:
            resumed = self.resumed
            raw = self._world._client.observe(self._id, self._wants)
            self._note(raw)
            self.resumed = resumed
        return raw

    def observe(self, *parts: str) -> Mapping[str, NDArray[Any]]:
        """Parts of its observation by their names in `jbw.Model.parts`, all but "start".

        There may be more than you asked for.
        """
        return self._observe(*parts)[6]

    def _part(self, name: str) -> NDArray[Any]:
        return self.observe(name)[name]

    @property
    def vision(self) -> NDArray[np.float32]:
        """What it sees: (2 R + 1, 2 R + 1, color_dimensions), row 0 farthest, column 0 left."""
        return self._part("vision")

    @property
    def scent(self) -> NDArray[np.float32]:
        """What it smells: (scent_dimensions)."""
        return self._part("scent")

    @property
    def seen_items(self) -> NDArray[np.uint8]:
        """The items that it sees: (2 R + 1, 2 R + 1), item type plus one, or 0."""
        return self._part("items")

    @property
    def item_vision(self) -> NDArray[np.float32]:
        """The same, one-hot: (2 R + 1, 2 R + 1, item types) of 0 and 1."""
        return self._part("item_vision")

    @property
    def heard(self) -> NDArray[np.float32]:
        """How many others said each symbol in the latest step: (symbols); index 0 is symbol 1."""
        return self._part("heard")

    @property
    def note(self) -> str:
        """The text that it reads: that of the item in its cell, or else of the item that it
        collected in the latest step; empty if there is none."""
        return bytes(self._part("text")).rstrip(b"\0").decode()

    @property
    def body(self) -> str | None:
        """The name of its body, or None if it has that of ``agent``."""
        bodies = self._world.model.bodies
        if not bodies:
            return None
        if self._body is None:
            self._body = int(self._world._client.state(self._id)[5])
        return None if self._body == 0 else bodies[self._body - 1]

    @property
    def inventory(self) -> NDArray[np.uint64]:
        """The number of items that it carries, by item type."""
        return self._part("inventory")

    @property
    def items(self) -> dict[str, int]:
        """The items that it carries: names and counts, without zeros."""
        names = self._world.item_names
        return {name: int(n) for name, n in zip(names, self.inventory, strict=True) if n}

    @property
    def position(self) -> tuple[int, int]:
        return self._observe()[1]

    @property
    def direction(self) -> _core.Direction:
        return DIRECTIONS[self._observe()[2]]

    @property
    def time(self) -> int:
        """The time of the world at which the agent perceived what it shows."""
        return self._observe()[0]

    @property
    def start(self) -> tuple[int, int]:
        """The cell where it was added."""
        if self._start is None:
            self._start = self._world._client.state(self._id)[1]
        return self._start

    @property
    def request(self) -> str | None:
        """The action that it has requested and not taken yet."""
        number = self._world._client.state(self._id)[4]
        return None if number is None else self._world.action_names[number]

    @property
    def active(self) -> bool:
        """The world waits for active agents. Activating an agent of the token takes it over."""
        return self._world._client.state(self._id)[3]

    @active.setter
    def active(self, value: bool) -> None:
        self._world._epoch += 1
        self._world._client.set_active(self._id, bool(value))

    @property
    def result(self) -> _core.Result:
        """What it did in the latest step."""
        return self._result(self._observe()[5])

    def _result(self, raw: RawResult) -> _core.Result:
        time, action, outcome, moved, item, collected, dropped, before, position, said = raw
        items, actions = self._world.item_names, self._world.action_names
        return _core.Result(
            (  # type: ignore[call-arg, arg-type]
                time,
                actions[action] if action >= 0 else None,
                OUTCOMES[outcome],
                moved,
                OUTCOMES[item],
                items[collected] if collected >= 0 else None,
                items[dropped] if dropped >= 0 else None,
                before,
                position,
                said,
            )
        )

    def reward(self, reward: _core.Reward) -> float:
        """The reward for its latest step, like `Reward.of`; zero if there was none yet."""
        result = self.result
        if result.time == 0:
            return 0.0
        return reward.evaluate(
            result.time - 1,
            has_acted=result.action not in (None, "NoOp"),
            collected=result.collected,
            start=self.start,
            position_before=result.position_before,
            position=result.position,
        )
