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
from jbw.remote_agent import RemoteAgent, check_text, make_request

if TYPE_CHECKING:
    from jbw._client import Client
    from jbw.config import Config

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
        body: str | None = None,
    ) -> RemoteAgent:
        """Adds an agent; ``force`` also needs the permission to edit. ``body`` is one of
        ``model.bodies``, or None for that of ``agent``."""
        self._model.action_mask(body)  # which checks the name
        shape = 0 if body is None else 1 + self._model.bodies.index(body)
        number = DIRECTIONS.index(direction) if isinstance(direction, str) else int(direction)
        cell = None if position is None else (int(position[0]), int(position[1]))
        self._epoch += 1
        return self._agent(self._client.add_agent(cell, number, bool(force), shape))

    def act(
        self,
        agents: Mapping[RemoteAgent, str | int] | Sequence[RemoteAgent],
        actions: Sequence[str | int] | NDArray[Any] | None = None,
        texts: Sequence[str | None] | None = None,
    ) -> bool:
        """Requests actions for several agents and waits for the step, in one round trip.

        If agents have a voice, an action may be a pair: the action, and a symbol, where 0 is
        silence. ``texts`` are what dropped items carry.
        """
        if isinstance(agents, Mapping):
            actions = list(agents.values())
            agents = list(agents.keys())
        if actions is None or len(actions) != len(agents):
            raise ArgumentError("expected as many actions as agents")
        if texts is None:
            texts = [None] * len(agents)
        if len(texts) != len(agents):
            raise ArgumentError("expected as many texts as agents")
        ids = tuple(agent.id for agent in agents)
        requests = tuple(
            make_request(self._model, action, 0, text)
            for action, text in zip(actions, texts, strict=True)
        )
        wants = tuple({name: None for agent in agents for name in agent._wants})
        self._epoch += 1
        seen = self._client.act_together(ids, requests, wants)
        for agent, raw in zip(agents, seen, strict=True):
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
        found = self._client.inspect(x, y)
        item, hidden, generated, since, known, growing, due, state, text = found
        names = (*self.item_names, None)  # -1 is the last
        grows = (names[growing], None if growing < 0 else due)
        changed = None if generated else since
        cell: _core.Cell = _make_cell(
            (names[item], hidden, generated, changed, known, *grows, state, text)
        )
        return cell

    def smell(self, x: int, y: int) -> NDArray[np.float32]:
        scent: NDArray[np.float32] = self._client.smell(x, y, 1, 1)[0, 0]
        return scent

    def smell_region(self, x: int, y: int, width: int, height: int) -> NDArray[np.float32]:
        """The scents of a region: (height, width, scent_dimensions)."""
        return self._client.smell(x, y, width, height)

    def place(self, item: str | int, x: int, y: int, text: str | None = None) -> None:
        self._epoch += 1
        number = self._model.item_type(item) if isinstance(item, str) else int(item)
        self._client.place(number, x, y, check_text(text))

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
