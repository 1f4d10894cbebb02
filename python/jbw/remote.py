# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds on a server, used like local ones.

>>> world = jbw.connect("ws://127.0.0.1:8765", token="...")
>>> agent = world.add_agent()
>>> agent.act("MoveForward")
True
>>> agent.vision.shape
(17, 17, 3)

Functions do what those of the same name in `jbw.World` and `jbw.Agent` do, with three differences:
`act` returns at once only while another active agent of this client has not acted yet; otherwise it
waits for the step, and with it for the agents of others. Arrays are new and yours. A call that the
token does not permit raises `NotPermittedError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.errors import ArgumentError, UnsupportedError
from jbw.frames import DIRECTIONS, Frames, Mailbox

if TYPE_CHECKING:
    from jbw._client import Client, RawObservation, RawResult
    from jbw.config import Config

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
# named tuples of C are made from one sequence, unlike those that the stub describes
_make_planes: Any = _core.Planes
_make_cell: Any = _core.Cell

PERMISSIONS = {"watch": 1, "act": 2, "edit": 4, "control": 8, "save": 16}


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

    Without a ``token`` you may only watch. With wss, ``ca_file`` names the trusted certificates,
    and ``check=False`` accepts any certificate. Times are in seconds: for one attempt to connect,
    for an answer, for a step, which needs the actions of others, and for reconnecting automatically
    when the connection was lost (zero or less: never).
    """
    try:
        from jbw._client import Client
    except ImportError as error:
        raise UnsupportedError("this jbw was built without the network (JBW_NET=OFF)") from error
    client = Client(
        url,
        token,
        "jbw-python",
        ca_file,
        check,
        connect_timeout,
        answer_timeout,
        turn_timeout,
        reconnect_time if reconnect_time > 0.0 else -1.0,  # in C, zero is the default
    )
    return RemoteWorld(client, url)


class RemoteWorld:
    """A world on a server. `connect` creates it; use it in a ``with`` statement, or close it."""

    def __init__(self, client: Client, url: str) -> None:
        self._client = client
        self._url = url
        self._model = _core.Model(client.world_file(), url)
        self._agents: dict[int, RemoteAgent] = {}
        self._mailbox = Mailbox(client, self._model)
        self._epoch = 0  # grows with every call that may change what agents perceive

    def close(self) -> None:
        """Disconnects. The client's agents become inactive and still belong to their token."""
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

    # --- properties ---

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
        """Steps taken so far. Asks the server."""
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
        """What the client knows without asking: server, name, seed, time, resume_count, ...

        ``resume_count`` is how often it has reconnected, ``resume_time`` the time of the world when
        that last happened, which is earlier than before if the server was restarted from a saved
        world.
        """
        return self._client.info()

    @property
    def stats(self) -> dict[str, Any]:
        """Statistics of the server."""
        return self._client.stats()

    def _state(self) -> tuple[int, int]:
        """Changes whenever what agents perceive may have changed, as far as this client knows."""
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
        """The agents that this client has added or activated."""
        return tuple(map(self._agent, self._client.own_agents()))

    @property
    def left_agents(self) -> tuple[RemoteAgent, ...]:
        """The agents that the token already had when this client connected: those that earlier
        clients left behind.

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
        """Adds an agent; ``force`` also needs the permission to edit."""
        number = DIRECTIONS.index(direction) if isinstance(direction, str) else int(direction)
        cell = None if position is None else (int(position[0]), int(position[1]))
        self._epoch += 1
        return self._agent(self._client.add_agent(cell, number, bool(force)))

    def act(
        self,
        agents: Mapping[RemoteAgent, str | int] | Sequence[RemoteAgent],
        actions: Sequence[str | int] | NDArray[Any] | None = None,
    ) -> bool:
        """Requests actions for several agents and waits for the step, in one round trip."""
        if isinstance(agents, Mapping):
            actions = list(agents.values())
            agents = list(agents.keys())
        if actions is None or len(actions) != len(agents):
            raise ArgumentError("expected as many actions as agents")
        ids = tuple(agent.id for agent in agents)
        numbers = tuple(self._model.action(action) for action in actions)
        wants = tuple({name: None for agent in agents for name in agent._wants})
        self._epoch += 1
        for agent, raw in zip(agents, self._client.act_together(ids, numbers, wants), strict=True):
            agent._note(raw)
        return True

    # --- the map ---

    def items(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        """Like `jbw.World.items`.

        A large region is read in bands; the world may step in between.
        """
        return self._client.region(x, y, width, height)[0]

    def patch_states(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        return self._client.region(x, y, width, height)[1]

    def planes(self, x: int, y: int, width: int, height: int) -> _core.Planes:
        """Like `jbw.World.planes`, in bands like `items`; UnsupportedError with an older server."""
        planes: _core.Planes = _make_planes(self._client.planes(x, y, width, height))
        return planes

    def inspect(self, x: int, y: int) -> _core.Cell:
        """Like `jbw.World.inspect`; UnsupportedError with an older server."""
        item, hidden, generated, since, known, growing, due, state = self._client.inspect(x, y)
        names = (*self.item_names, None)  # -1 is the last
        grows = (names[growing], None if growing < 0 else due)
        changed = None if generated else since
        cell: _core.Cell = _make_cell(
            (names[item], hidden, generated, changed, known, *grows, state, "")
        )
        return cell

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
        """Like `jbw.World.hash`; needs the permission to control."""
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
        """Subscribes to frames of the world: iterate over the result.

        Without arguments, frames have the clock and all agents; with a ``region`` (x, y, width,
        height), the patches there that have changed and the agents there; with an ``agent``, that
        agent and what it perceives. ``rate`` limits the frames per second; zero means no limit.
        With a ``detail`` of n, squares of 2**n by 2**n cells are sent as their mean color. If you
        read slowly, old frames are dropped.
        """
        id = agent.id if isinstance(agent, RemoteAgent) else agent
        return self._mailbox.subscribe(region, detail, id, rate)

    # --- control ---

    def step(self, count: int = 1) -> None:
        """Steps the world now; agents that have not requested an action do nothing."""
        self._epoch += 1
        self._client.step(count)

    def pause(self) -> None:
        """Stops stepping until `resume`; requested actions are kept."""
        self._client.pause(True)

    def resume(self) -> None:
        self._client.pause(False)

    def set_rate(self, steps_per_second: float) -> None:
        """Limits the number of steps per second; zero means no limit."""
        self._client.set_rate(steps_per_second)

    def save(self) -> int:
        """Saves the world to the server's own file; returns the time of the saved world."""
        return self._client.save()


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

    def act(self, action: str | int) -> bool:
        """Requests an action by name or number. True if the world has stepped.

        Returns False at once while another active agent of this client has not acted yet; otherwise
        waits for the step.
        """
        world = self._world
        number = world._model.action(action)
        world._epoch += 1
        if len(world._client.own_agents()) > 1:
            return world._client.act(self._id, number)
        self._note(world._client.act_and_observe(self._id, number, self._wants))
        return True

    def post(self, actions: Sequence[str | int]) -> None:
        """Sends actions ahead without waiting: they are taken in consecutive steps.

        At most 64 actions of an agent may be in progress. If one of them is not an action, none is
        sent. `collect` waits for them one by one. `act` replaces those that the world has not taken
        yet.
        """
        world = self._world
        numbers = tuple(world._model.action(action) for action in actions)
        world._epoch += 1
        world._client.post(self._id, numbers, self._wants)

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
                0,  # servers do not tell what was said
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
