# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds that are served elsewhere, used like those that are here.

>>> world = jbw.connect("ws://127.0.0.1:8765", token="...")
>>> agent = world.add_agent()
>>> agent.act("MoveForward")
True
>>> agent.vision.shape
(17, 17, 3)

What the functions of `jbw.World` and `jbw.Agent` do, those of the same name do here, with three
differences: `act` returns at once only while another active agent of this client has not asked
yet, otherwise it waits for the step, and with it for the agents of others; arrays are new, and
the caller's own; and what takes a permission that the token does not have raises
`NotPermittedError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.errors import ArgumentError, NoSuchAgentError, UnsupportedError
from jbw.frames import DIRECTIONS, Frames, Mailbox

if TYPE_CHECKING:
    from jbw._client import Client, RawObservation, RawResult
    from jbw.config import Config

Part = TypeVar("Part")

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
)
PERMISSIONS = {"watch": 1, "act": 2, "edit": 4, "control": 8, "save": 16}

# what an observation can bring along, as in python/src/client.c
VISION, SCENT, ITEMS, INVENTORY = 1, 2, 4, 8


def connect(
    url: str,
    token: str | None = None,
    *,
    ca_file: str | None = None,
    check: bool = True,
    connect_timeout: float = 10.0,
    answer_timeout: float = 30.0,
    turn_timeout: float = 600.0,
    reconnect_time: float = 60.0,
) -> RemoteWorld:
    """Connects to a world that `jbw serve` serves, such as "ws://127.0.0.1:8765" or "wss://...".

    Without a ``token`` one may only watch. ``ca_file`` and ``check`` are about whom to trust with
    wss. Times are
    in seconds: for connecting; for an answer; for a step that others must agree to; and for
    making a lost connection again, which happens by itself (negative: never).
    """
    try:
        from jbw._client import Client
    except ImportError as error:
        raise UnsupportedError(
            "this build of jbw has no network: libwebsockets was not there"
        ) from error
    client = Client(
        url,
        token,
        "jbw-python",
        ca_file,
        check,
        connect_timeout,
        answer_timeout,
        turn_timeout,
        reconnect_time,
    )
    return RemoteWorld(client, url)


class RemoteWorld:
    """A world on a server. Made by `connect`; use it with ``with``, or close it."""

    def __init__(self, client: Client, url: str) -> None:
        self._client = client
        self._url = url
        self._model = _core.Model(client.world_file(), url)
        side, _, colors = self._model.vision_shape
        client.set_shape(side, colors, self._model.scent_dimensions, len(self._model.item_names))
        self._agents: dict[int, RemoteAgent] = {}
        self._mailbox = Mailbox(client, self._model)
        self._epoch = 0  # grows with whatever may change what agents perceive

    def close(self) -> None:
        """Says goodbye. The client's agents become inactive, and wait for their token."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<jbw.RemoteWorld: {self._url}>"

    # --- what it is ---

    @property
    def model(self) -> _core.Model:
        return self._model

    @property
    def config(self) -> Config:
        """A new Config that describes this world."""
        from jbw.config import config_of_model

        return config_of_model(self._model)

    @property
    def seed(self) -> int:
        return int(self._client.info()["seed"])

    @property
    def time(self) -> int:
        """Steps taken so far: asks the server."""
        return self._client.time()

    @property
    def item_names(self) -> tuple[str, ...]:
        return self._model.item_names

    @property
    def action_names(self) -> tuple[str, ...]:
        return self._model.action_names

    @property
    def permissions(self) -> tuple[str, ...]:
        """What the token permits: some of "watch", "act", "edit", "control" and "save"."""
        bits = self._client.info()["permissions"]
        return tuple(name for name, bit in PERMISSIONS.items() if bits & bit)

    @property
    def info(self) -> dict[str, Any]:
        """What is known without asking: server, name, seed, time, resume_count, resume_time, ...

        ``resume_count`` tells how often a lost connection was made again, ``resume_time`` the
        world's time
        when that happened last: earlier than before if the server had to go back to a saved world.
        """
        return self._client.info()

    @property
    def stats(self) -> dict[str, Any]:
        """How the server is doing."""
        return self._client.stats()

    def _state(self) -> tuple[int, int]:
        """Differs whenever what agents perceive may differ, as far as this client knows."""
        return self._epoch, self._client.info()["resume_count"]

    # --- agents ---

    def _agent(self, id: int) -> RemoteAgent:
        return self._agents.setdefault(id, RemoteAgent(self, id))

    @property
    def agents(self) -> tuple[RemoteAgent, ...]:
        """All agents of the world, in the order in which they were added; also those of others."""
        return tuple(map(self._agent, self._client.all_agents()))

    @property
    def own_agents(self) -> tuple[RemoteAgent, ...]:
        """Those that this client has added or activated."""
        return tuple(map(self._agent, self._client.own_agents()))

    @property
    def left_agents(self) -> tuple[RemoteAgent, ...]:
        """Those that belonged to the token when this client connected: what an earlier one has
        left.

        ``agent.active = True`` takes one over.
        """
        return tuple(map(self._agent, self._client.left_agents()))

    def agent(self, id: int) -> RemoteAgent:
        """The agent with that id; NoSuchAgentError if there is none."""
        self._client.state(id)
        return self._agent(id)

    def add_agent(
        self,
        position: tuple[int, int] | None = None,
        direction: _core.Direction | int = "up",
        force: bool = False,
    ) -> RemoteAgent:
        """Adds an agent; ``force`` needs the permission to edit, too."""
        number = DIRECTIONS.index(direction) if isinstance(direction, str) else int(direction)
        cell = None if position is None else (int(position[0]), int(position[1]))
        self._epoch += 1
        return self._agent(self._client.add_agent(cell, number, bool(force)))

    def act(
        self,
        agents: Mapping[RemoteAgent, str | int] | Sequence[RemoteAgent],
        actions: Sequence[str | int] | NDArray[Any] | None = None,
    ) -> bool:
        """Asks for the actions of several agents, and waits for the step: one round trip."""
        if isinstance(agents, Mapping):
            actions = list(agents.values())
            agents = list(agents.keys())
        if actions is None or len(actions) != len(agents):
            raise ArgumentError("expected as many actions as agents")
        ids = tuple(agent.id for agent in agents)
        numbers = tuple(self._model.action(action) for action in actions)
        wants = 0
        for agent in agents:
            wants |= agent._wants
        self._epoch += 1
        for agent, raw in zip(agents, self._client.act_together(ids, numbers, wants), strict=True):
            agent._note(raw, wants)
        return True

    # --- the map ---

    def items(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        """As `jbw.World.items`.

        A large region is read in bands, between which the world may step.
        """
        return self._client.region(x, y, width, height)[0]

    def patch_states(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        return self._client.region(x, y, width, height)[1]

    def smell(self, x: int, y: int) -> NDArray[np.float32]:
        scent: NDArray[np.float32] = self._client.smell(x, y, 1, 1)[0, 0]
        return scent

    def smell_region(self, x: int, y: int, width: int, height: int) -> NDArray[np.float32]:
        """The scents of a region: (height, width, scent_dimensions)."""
        return self._client.smell(x, y, width, height)

    def place(self, item: str | int, x: int, y: int) -> None:
        self._epoch += 1
        number = self._model.item_type(item) if isinstance(item, str) else int(item)
        self._client.place(number, x, y)

    def remove(self, x: int, y: int) -> None:
        self._epoch += 1
        self._client.remove(x, y)

    def explore(self, positions: tuple[int, int] | ArrayLike) -> None:
        for x, y in np.asarray(positions).reshape(-1, 2):
            self._client.explore(int(x), int(y))

    def hash(self) -> int:
        """As `jbw.World.hash`; needs the permission to control."""
        return self._client.hash()

    # --- watching ---

    def subscribe(
        self,
        *,
        region: tuple[int, int, int, int] | None = None,
        detail: int = 0,
        agent: RemoteAgent | int | None = None,
        rate: float = 0.0,
    ) -> Frames:
        """Asks to be told of the world now and then: iterate over what is returned.

        Without arguments it is told of the clock and all agents; with a ``region`` (x, y, width,
        height) of the patches there that have changed, and the agents there; with an ``agent`` of
        that one and what it perceives. At most ``rate`` frames a second come, zero: as many as the
        server makes. A ``detail`` of n tells squares of 2 to the n cells by their mean colour.
        Who reads slowly misses frames, and gets the newest.
        """
        id = agent.id if isinstance(agent, RemoteAgent) else agent
        return self._mailbox.subscribe(region, detail, id, rate)

    # --- control ---

    def step(self, count: int = 1) -> None:
        """Takes steps now; agents that have not asked for anything do nothing."""
        self._epoch += 1
        self._client.step(count)

    def pause(self) -> None:
        """No more steps, until `resume`; requests of agents are kept."""
        self._client.pause(True)

    def resume(self) -> None:
        self._client.pause(False)

    def set_rate(self, steps_per_second: float) -> None:
        """So many steps per second at most; zero: as fast as agents ask."""
        self._client.set_rate(steps_per_second)

    def save(self) -> int:
        """Lets the server save the world to its own file; returns the time of what was saved."""
        return self._client.save()


class RemoteAgent:
    """An agent of a world on a server.

    An active agent of this client that has acted shows what it perceived then: the world waits
    for it. What was looked at after one action comes along with the next one, so a life costs one
    round trip a step. Everything else is asked for when it is looked at. With a turn timeout the
    server may have gone on: `refresh` asks anew.
    """

    def __init__(self, world: RemoteWorld, id: int) -> None:
        self._world = world
        self._id = id
        self._wants = 0
        self._start: tuple[int, int] | None = None
        self._raw: RawObservation | None = None  # as of ...
        self._state = (-1, 0)  # ... this state of the world
        self._has = 0  # with these parts
        self.resumed = False
        """The connection was lost during the latest action, which may be lost with it."""

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

    def act(self, action: str | int) -> bool:
        """Asks for an action by name or number. True if the world took its step.

        As long as another active agent of this client has not asked yet, it returns False at
        once; otherwise it waits for the step.
        """
        world = self._world
        number = world._model.action(action)
        world._epoch += 1
        if len(world._client.own_agents()) > 1:
            return world._client.act(self._id, number)
        self._note(world._client.act_and_observe(self._id, number, self._wants), self._wants)
        return True

    def post(self, actions: Sequence[str | int]) -> None:
        """Sends actions ahead, and does not wait: they are done in as many steps.

        At most 64 of an agent may be under way. If one of them is not an action, none is sent.
        `collect` waits for them one after another. `act` takes the place of those that the world
        has not done yet.
        """
        world = self._world
        numbers = tuple(world._model.action(action) for action in actions)
        world._epoch += 1
        world._client.post(self._id, numbers, self._wants)

    @property
    def posted(self) -> int:
        """How many actions were posted and have not been collected yet."""
        return self._world._client.posted(self._id)

    def collect(self) -> _core.Result:
        """Waits for the step of the oldest action that was posted, and tells what was done in it.

        The agent then shows what it perceived after that step, even if the world has gone on.
        What had been looked at before posting has come along. `NotFoundError` if nothing was
        posted; `NoConnectionError` for each action that was under way when the connection broke;
        after `TimedOutError` it can be collected again.
        """
        raw = self._world._client.collect(self._id)
        parts = zip((VISION, SCENT, ITEMS, INVENTORY), raw[6:], strict=True)
        self._note(raw, sum(bit for bit, part in parts if part is not None))
        return self._result(raw[5])

    def remove(self) -> None:
        """Takes the agent out of the world, with all it has collected."""
        self._world._epoch += 1
        self._world._client.remove_agent(self._id)
        self._world._agents.pop(self._id, None)

    def refresh(self) -> None:
        """Forgets what it perceived, so that it is asked for again."""
        self._raw = None

    # --- perceiving ---

    def _note(self, raw: RawObservation, has: int) -> None:
        self._raw, self._has, self._state = raw, has, self._world._state()
        self.resumed = raw[4]

    def _observe(self, wants: int = 0) -> RawObservation:
        self._wants |= wants
        raw = self._raw
        if self.posted:  # the world goes on meanwhile, so asking now would tell of another step
            if raw is None or wants & ~self._has:
                raise ArgumentError(
                    "this does not come along with the actions under way: "
                    "look at it once before posting"
                )
            return raw
        is_known = raw is not None and raw[3] and self._state == self._world._state()
        if raw is None or not is_known or (wants & ~self._has):
            resumed = self.resumed
            raw = self._world._client.observe(self._id, self._wants)
            self._note(raw, self._wants)
            self.resumed = resumed
        return raw

    @staticmethod
    def _part(part: Part | None) -> Part:
        if part is None:
            raise NoSuchAgentError("the server has not told what the agent perceives")
        return part

    @property
    def vision(self) -> NDArray[np.float32]:
        """What it sees: (2 R + 1, 2 R + 1, color_dimensions), row 0 farthest, column 0 left."""
        return self._part(self._observe(VISION)[6])

    @property
    def scent(self) -> NDArray[np.float32]:
        """What it smells: (scent_dimensions)."""
        return self._part(self._observe(SCENT)[7])

    @property
    def seen_items(self) -> NDArray[np.uint8]:
        """Which items it sees: (2 R + 1, 2 R + 1), the item type plus one, 0 for none."""
        return self._part(self._observe(ITEMS)[8])

    @property
    def item_vision(self) -> NDArray[np.float32]:
        """The same, one-hot: (2 R + 1, 2 R + 1, item types) of 0 and 1."""
        types = np.arange(1, len(self._world.item_names) + 1, dtype=np.uint8)
        one_hot: NDArray[np.float32] = (self.seen_items[:, :, None] == types).astype(np.float32)
        return one_hot

    @property
    def inventory(self) -> NDArray[np.uint64]:
        """What it carries, by item type."""
        return self._part(self._observe(INVENTORY)[9])

    @property
    def items(self) -> dict[str, int]:
        """What it carries: names and counts, without what it has none of."""
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
        """Of the world, when the agent perceived what it shows."""
        return self._observe()[0]

    @property
    def start(self) -> tuple[int, int]:
        """The cell where it was added."""
        if self._start is None:
            self._start = self._world._client.state(self._id)[1]
        return self._start

    @property
    def request(self) -> str | None:
        """The action that it has asked for and that has not been taken yet."""
        number = self._world._client.state(self._id)[4]
        return None if number is None else self._world.action_names[number]

    @property
    def active(self) -> bool:
        """Active agents are waited for; activating one that belongs to the token takes it over."""
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
        time, action, outcome, moved, item, collected, dropped, before, position = raw
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
            )
        )

    def reward(self, reward: _core.Reward) -> float:
        """What a reward pays for its latest step, as `Reward.of`; zero if it has not seen one."""
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
