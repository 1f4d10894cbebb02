# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The C extension: worlds, agents, rewards, environments and batches, over the C library.

Cells are (x, y): x grows to the right, y grows up. Times count the steps of a world. Calls that
step, generate, save or load release the interpreter lock. Several threads may use an object; they
wait for each other. Different worlds run in parallel.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jbw.config import Config

Direction: TypeAlias = Literal["up", "right", "down", "left"]
Outcome: TypeAlias = Literal[
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
]
WorldLike: TypeAlias = Model | Config | Mapping[str, Any] | str | PathLike[str]
AtlasLike: TypeAlias = Atlas | str | PathLike[str]
Observation: TypeAlias = Any

version: str
"""The version of the C library, such as "0.1.0"."""

learner_version: int
"""Changes with the bits of what policies learn from the same seed and settings."""

def shipped_worlds() -> tuple[str, ...]:
    """The names of the shipped worlds."""

def shipped_text(name: str, /) -> str:
    """The YAML text of a shipped world; LookupError if there is no such world."""

def policy_names() -> tuple[str, ...]:
    """The names of the built-in policies."""

def outcomes() -> tuple[Outcome, ...]:
    """The names of outcomes, by their numbers."""

def xla_handler() -> Any:
    """A capsule for XLA: steps batches within compiled programs, see Batch.ticket. None if this
    build has none."""

def paint(
    vision: NDArray[np.float32],
    scale: int = 1,
    channels_first: bool = False,
    out: NDArray[np.uint8] | None = None,
) -> NDArray[np.uint8]:
    """Vision as pictures, (..., side, side, colors) with ``scale`` pixels per cell, or with colors
    first.

    Colors from 0 to 1 become 0 to 255; others are cut off. ``vision`` has three or four axes.
    """

@final
class Model:
    """A world file, checked and compiled: read-only, shared by any number of worlds and threads.

    ``text`` is YAML or JSON; ``source`` is its name in messages; ``overrides`` are pairs of a key,
    such as "agent.field_of_view", and a value as YAML text. Raises ConfigError with all problems.
    """

    def __new__(
        cls, text: str, source: str = "<text>", overrides: Iterable[tuple[str, str]] = ()
    ) -> Self: ...
    @classmethod
    def read(
        cls, name_or_path: str | PathLike[str], overrides: Iterable[tuple[str, str]] = ()
    ) -> Self:
        """The same from a file, or from a shipped world by its name."""

    def with_atlas(self, atlas: AtlasLike | Literal[False], /) -> Model:
        """The same model, whose worlds look into an atlas: an Atlas, a path, or False for none,
        whatever JBW_ATLAS says. Pickling forgets it."""

    @property
    def atlas(self) -> Atlas | None:
        """The atlas that its worlds look into, or None; see `with_atlas`."""

    def to_yaml(self) -> str:
        """The complete world file in canonical form, which reads back to an equal model."""

    def to_json(self) -> str:
        """The same as JSON."""

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names by item type."""

    @property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The kinds of items: from names to the names of their items, kinds within included."""

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names by action number, such as "MoveForward" or "Drop[Onion]"."""

    @property
    def voice(self) -> tuple[int, int] | None:
        """The number of symbols that agents can say, and how far they are heard; None without a
        voice."""

    @property
    def text_items(self) -> tuple[str, ...]:
        """The names of the items that may carry a text."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the bodies that agents may have, besides that of ``agent``."""

    def action_mask(self, body: str | None, /) -> NDArray[np.int8]:
        """What agents with a body can do: a new array (actions) of 1 and 0. None is the body of
        ``agent``."""

    @property
    def vision_range(self) -> int:
        """The distance that agents see, in cells: the largest of all bodies and tools."""

    @property
    def vision_shape(self) -> tuple[int, int, int]:
        """(2 R + 1, 2 R + 1, color_dimensions)."""

    @property
    def color_dimensions(self) -> int: ...
    @property
    def scent_dimensions(self) -> int: ...
    @property
    def patch_size(self) -> int:
        """The side of a patch, in cells."""

    @property
    def item_colors(self) -> NDArray[np.float64]:
        """(item types, color_dimensions), read-only."""

    @property
    def item_blocks(self) -> NDArray[np.bool_]:
        """(item types): true where agents cannot enter; read-only."""

    @property
    def field_of_view(self) -> NDArray[np.float64]:
        """(2 R + 1, 2 R + 1): the fraction of each cell of an agent's frame that is in its field of
        view; read-only."""

    @property
    def parts(self) -> dict[str, Part]:
        """The parts that observations can have, by name."""

    def item_type(self, name: str, /) -> int:
        """The number of an item type; LookupError if there is no such item."""

    def action(self, action: str | int, /) -> int:
        """The number of an action, by name or number; raises ValueError if there is none."""

    def __eq__(self, other: object, /) -> bool:
        """True if both describe the same world: equal canonical forms."""

    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Part(NamedTuple):
    """A part of an observation."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """Of one agent's part."""
    about: str
    """What it is."""

@final
class Result(NamedTuple):
    """What an agent did in the latest step."""

    time: int
    """Of the world after the step; zero if there was no step yet."""
    action: str | None
    """The requested action, or None."""
    outcome: Outcome
    """The outcome of that action."""
    moved: bool
    """The agent is in another cell than before."""
    item: Outcome
    """The outcome of collecting, after a move or by Collect."""
    collected: str | None
    """The name of the collected item, or None."""
    dropped: str | None
    """The name of the dropped item, or None."""
    position_before: tuple[int, int]
    position: tuple[int, int]
    said: int = 0
    """The symbol that it said, or 0."""

@final
class Stats(NamedTuple):
    """Statistics of a world."""

    patch_count: int
    final_patch_count: int
    sampling_count: int
    """Calls that sampled something."""
    proposal_count: int
    """Metropolis-Hastings proposals made."""
    accepted_count: int
    """Of those, accepted."""
    map_bytes: int
    scratch_bytes: int

@final
class Planes(NamedTuple):
    """A region, one (height, width) array for each kind of thing; row 0 has the lowest y."""

    items: NDArray[np.uint8]
    """As agents could see them: the item type plus one, 0 for none."""
    hidden: NDArray[np.uint8]
    """Items that are out of season, in the same way."""
    growing: NDArray[np.uint8]
    """Items that grow back, in the same way, also below others."""
    states: NDArray[np.uint8]
    """Of the patches: 0 missing, 1 sampled, 2 final."""

@final
class Cell(NamedTuple):
    """What is in a cell, and since when."""

    item: str | None
    """The name of its item, in season or not, or None."""
    hidden: bool
    """The item is out of season."""
    generated: bool
    """The cell is as it was generated, or its patch is not final."""
    since: int | None
    """The time of its latest change, or None if it is as it was generated."""
    since_known: bool
    """If false, the change may have been earlier. It is known while it can be smelled."""
    growing: str | None
    """The name of the item that grows back there, or None."""
    due: int | None
    """When that item is there, or as soon as the cell is empty after that time; None if nothing
    grows."""
    state: int
    """Of its patch: 0 missing, 1 sampled, 2 final."""
    text: str = ""
    """That its item carries, or an empty one."""

@final
class World:
    """An endless world: the map of one seed, and the agents in it.

    ``world`` is the name of a shipped world, a path, YAML as a mapping, a Config or a Model;
    ``overrides`` replaces keys such as {"agent.field_of_view": 90}; ``seed`` is 0 to 2**64 - 1.
    ``generation_threads`` is the number of background threads that generate an invariant world;
    ``atlas`` is a folder that keeps its patches: an Atlas, a path, or False for none, whatever the
    variable JBW_ATLAS says. Results depend on neither.
    """

    def __new__(
        cls,
        world: WorldLike,
        seed: int = 0,
        *,
        overrides: Mapping[str, Any] | None = None,
        generation_threads: int = 0,
        atlas: AtlasLike | Literal[False] | None = None,
    ) -> Self: ...
    @property
    def model(self) -> Model: ...
    @property
    def config(self) -> Config:
        """A new Config that describes this world."""

    @property
    def seed(self) -> int: ...
    @property
    def time(self) -> int:
        """Steps taken so far."""

    @property
    def item_names(self) -> tuple[str, ...]: ...
    @property
    def action_names(self) -> tuple[str, ...]: ...
    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents in the world, in the order in which they were added."""

    @property
    def generation_threads(self) -> int:
        """The number of background threads that generate the world, if it is invariant.

        Results do not depend on it, only waiting times do. Copies start with none, and so do loaded
        worlds unless `load` gets the number; a "frontier" world, or one without room for them in
        its memory_budget, has none.
        """

    @generation_threads.setter
    def generation_threads(self, count: int, /) -> None: ...
    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """The viewers that show this world, in the order of World.view."""

    @property
    def reward(self) -> str | None:
        """The reward that `view` lets pages plot unless it is told another: that of the environment
        whose world this is, or None. It has no effect on the world. A text or an object of
        `jbw.rewards` can be assigned."""

    @reward.setter
    def reward(self, reward: object, /) -> None: ...
    @property
    def stats(self) -> Stats: ...
    def agent(self, id: int, /) -> Agent:
        """The agent with that id; NoSuchAgentError if there is none."""

    def add_agent(
        self,
        position: tuple[int, int] | None = None,
        direction: Direction | int = "up",
        force: bool = False,
        body: str | None = None,
    ) -> Agent:
        """Adds an agent: by default on the first free cell of a spiral around the origin.

        CellBlockedError if the cell is blocked or taken, unless ``force``. ``body`` is one of
        Model.bodies, or None for that of ``agent``.
        """

    def act(
        self,
        agents: Mapping[Agent, str | int] | Sequence[Agent],
        actions: Sequence[str | int] | NDArray[Any] | None = None,
        texts: Sequence[str | None] | None = None,
    ) -> bool:
        """Requests actions for several agents: a mapping, or agents and their actions.

        If agents have a voice, an action may be a pair: the action, and a symbol, where 0 is
        silence. ``texts`` are what dropped items carry.

        Either all requests are made or none. True if the world has stepped, since all active agents
        have acted.
        """

    def step(self) -> None:
        """Steps the world now; agents that have not requested an action do nothing."""

    def items(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        """The items in cells [x, x + width) times [y, y + height): a new (height, width) array.

        Row 0 has the lowest y. 0 is an empty or unknown cell, otherwise the item type plus one.
        Nothing is generated: see `explore`.
        """

    def patch_states(self, x: int, y: int, width: int, height: int) -> NDArray[np.uint8]:
        """(height, width), row 0 with the lowest y: 0 where nothing is known, 1 where items may
        still be sampled again, 2 where generated items are final."""

    def planes(self, x: int, y: int, width: int, height: int) -> Planes:
        """A region as `items` and `patch_states` show it, and what agents cannot see there now."""

    def inspect(self, x: int, y: int) -> Cell:
        """What is in a cell, and since when; nothing is generated or changed."""

    def place(self, item: str | int, x: int, y: int, text: str | None = None) -> None:
        """Places an item in an empty cell; CellBlockedError if it is not empty. ``text`` is what
        the item carries, if it may carry one."""

    def remove(self, x: int, y: int) -> None:
        """Removes the item of a cell; NotFoundError if there is none."""

    def smell(self, x: int, y: int) -> NDArray[np.float32]:
        """The current scent of a cell: a new (scent_dimensions) array."""

    def explore(self, positions: tuple[int, int] | ArrayLike, /) -> None:
        """Makes the patches final that agents at these cells would need: (n, 2) or (2,)."""

    def explore_region(self, x: int, y: int, width: int, height: int) -> None:
        """Makes every patch that touches the region final, one by one, row by row."""

    def hash(self) -> int:
        """Equal for equal worlds, on every platform, and almost never otherwise."""

    def on_step(self, function: Callable[[World], object] | None, /) -> None:
        """Calls ``function(world)`` after each step, before the call that caused it returns.

        It may read the world but not change it. That call raises its exceptions. None removes it.
        Copies and loaded worlds have none.
        """

    def view(
        self,
        port: int = 0,
        *,
        open: bool = False,
        quiet: bool = False,
        reward: object = None,
        host: str = "127.0.0.1",
        frame_rate: float = 30.0,
    ) -> Viewer:
        """Lets browsers watch the world while Python continues to use it, and prints the address.

        Port 0 is any free one; ``open`` also opens a browser; ``reward`` is the reward whose rate
        the page plots at first, `World.reward` by default. Watchers cannot change anything, and
        without watchers it costs next to nothing. It lasts until the viewer is closed or the world
        is destroyed.
        """

    def clone(self) -> World:
        """An independent copy; cheap, since both share what neither changes."""

    def save(
        self,
        path: str | PathLike[str],
        notes: Mapping[str, str | bytes | Policy] | None = None,
        replace: bool = False,
    ) -> None:
        """Writes a snapshot. An existing file is an error unless ``replace``; on failure it stays
        as it was. One of the notes may be a policy, which is written as its ``to_bytes()`` without
        being in memory a second time."""

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        /,
        *,
        memory_budget: int | None = None,
        generation_threads: int = 0,
        memory_limit: int | None = None,
        atlas: AtlasLike | Literal[False] | None = None,
    ) -> World:
        """Reads a snapshot. The world continues bit by bit as the saved one.

        ``memory_budget`` is that of an invariant world, in megabytes; None means that of the saved
        one. ``generation_threads`` and ``atlas`` are those of World. ``memory_limit`` is how many
        megabytes loading may take; None means 1,000 times the size of the file, at least 256 MB.
        More is a MemoryError.
        """

    def to_bytes(self, notes: Mapping[str, str | bytes] | None = None) -> bytes:
        """A snapshot in memory."""

    @classmethod
    def from_bytes(
        cls,
        snapshot: bytes,
        /,
        *,
        memory_budget: int | None = None,
        generation_threads: int = 0,
        memory_limit: int | None = None,
        atlas: AtlasLike | Literal[False] | None = None,
    ) -> World:
        """The world of a snapshot in memory; see `load`."""

    @property
    def notes(self) -> dict[str, bytes]:
        """The notes of the snapshot that the world was loaded from; otherwise empty."""

    def pop_note(self, name: str, /) -> bytes:
        """Removes one of the notes and returns it, so that a large one does not stay in memory."""

    def record(
        self,
        path: str | PathLike[str],
        replace: bool = False,
        *,
        append: bool = False,
        notes: Mapping[str, str | bytes] | None = None,
        hash_every: int = 0,
        snapshot_every: int = 0,
        flush_every: int = 0,
    ) -> Recorder:
        """Starts a recording of everything that happens until the recorder is closed.

        ``append`` continues a recording that ends with this world. Zero means 10,000 steps between
        hashes, 1,000,000 between snapshots and 1,000 between flushes.
        """

    def draw(
        self,
        path: str | PathLike[str],
        x: int,
        y: int,
        width: int,
        height: int,
        *,
        scale: int = 4,
        grid: bool = False,
        legend: bool = False,
        agent: Agent | None = None,
        panel: bool | None = None,
        trail: ArrayLike | None = None,
        fade: int = 0,
        rewards: ArrayLike | None = None,
    ) -> None:
        """Draws a region into a PNG file, ``scale`` pixels per cell; see `picture`."""

    def picture(
        self,
        region: tuple[int, int, int, int] | None = None,
        *,
        scale: int = 0,
        grid: bool = False,
        legend: bool = False,
        agent: Agent | None = None,
        panel: bool | None = None,
        trail: ArrayLike | None = None,
        fade: int = 0,
        rewards: ArrayLike | None = None,
    ) -> NDArray[np.uint8]:
        """A picture of the world: (height, width, 3).

        ``region`` is (x, y, width, height), or else cells around the agent; ``scale`` is pixels per
        cell, 0 chooses it. The ``agent`` is highlighted, and its ``panel`` beside the map shows
        what it sees, smells and carries, and the ``rewards`` of its latest steps. ``trail`` is
        (n, 2) cells, and fades over ``fade`` steps if that is not 0. Nothing changes, and nothing
        is generated.
        """

    def __copy__(self) -> World: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> World: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Agent:
    """An agent of a world. Equal to every other object of the same agent of the same World object.

    After it was removed, everything except `id`, `world` and comparison raises NoSuchAgentError.
    """

    @property
    def world(self) -> World: ...
    @property
    def id(self) -> int:
        """Never used again in this world, and kept by copies and snapshots of it."""

    def act(self, action: str | int, /, *, say: int = 0, text: str | None = None) -> bool:
        """Requests an action by name or number. True if the world has stepped.

        ``say`` is a symbol, from 1, in worlds with a voice; ``text`` is what the item that is
        dropped carries. A second request replaces the first.
        """

    def follow(
        self, policy: Policy, steps: int, reward: Reward | None = None
    ) -> NDArray[np.float64]:
        """Lets a policy act for that many steps, without Python, and returns the rewards: (steps).

        No other agent may be active.
        """

    def follow_log(
        self, policy: Policy, steps: int, reward: Reward | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Does the same, and returns what happened in each step: rewards (steps), action numbers
        (steps), positions after it (steps, 2), and the types of collected items (steps), or -1.
        """

    def remove(self) -> None:
        """Removes the agent from the world, with all it has collected."""

    @property
    def vision(self) -> NDArray[np.float32]:
        """What it sees: (2 R + 1, 2 R + 1, color_dimensions), row 0 farthest ahead, column 0 left.

        A read-only view of a buffer that belongs to the agent: reading ``vision`` again after the
        world has changed overwrites it. Use ``.copy()`` to keep it.
        """

    @property
    def scent(self) -> NDArray[np.float32]:
        """What it smells: (scent_dimensions), a read-only view like `vision`."""

    @property
    def item_vision(self) -> NDArray[np.float32]:
        """The items that it sees, one-hot: a new (2 R + 1, 2 R + 1, item types) array of 0 and 1.

        1 where an item of that type lies in a cell that is at least partly visible.
        """

    @property
    def heard(self) -> NDArray[np.float32]:
        """How many others said each symbol in the latest step: a new (symbols) array; index 0 is
        symbol 1."""

    @property
    def note(self) -> str:
        """The text that it reads: that of the item in its cell, or else of the item that it
        collected in the latest step; empty if there is none."""

    @property
    def position(self) -> tuple[int, int]: ...
    @property
    def start(self) -> tuple[int, int]:
        """The cell where it was added."""

    @property
    def body(self) -> str | None:
        """The name of its body, or None if it has that of ``agent``."""

    @property
    def direction(self) -> Direction: ...
    @property
    def items(self) -> dict[str, int]:
        """The items that it carries: names and counts, without zeros."""

    @property
    def inventory(self) -> NDArray[np.uint64]:
        """The number of items that it carries, by type: a new (item types) array."""

    @property
    def ever_collected(self) -> dict[str, int] | None:
        """The items that it has ever collected: names and counts, without zeros.

        None if no item of the world requires that.
        """

    @property
    def active(self) -> bool:
        """The world waits for active agents; inactive ones stay in their cells and do nothing."""

    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def request(self) -> str | None:
        """The action that it has requested and not taken yet, or None."""

    @property
    def result(self) -> Result:
        """What it did in the latest step."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Reward:
    """A reward such as "Collect[JellyBean] & Avoid[Onion]", compiled for the items of a model.

    Read-only, shared by threads. Raises RewardError with line and column.
    """

    def __new__(cls, model: Model, text: object) -> Self: ...
    @property
    def model(self) -> Model: ...
    @property
    def text(self) -> str:
        """The reward in canonical form, which compiles to the same program."""

    @property
    def is_scheduled(self) -> bool:
        """True if the reward in force depends on the time."""

    def at(self, time: int, /) -> str:
        """The text of the reward in force at a time, with schedules resolved."""

    def of(self, agent: Agent, /) -> float:
        """The reward of an agent for its latest step; zero if there was none yet."""

    def of_collecting(self, item: str | int, time: int = 0) -> float:
        """The reward for collecting an item at a time, all else being equal."""

    def evaluate(
        self,
        time: int,
        *,
        has_acted: bool = True,
        collected: str | int | None = None,
        start: tuple[int, int] = (0, 0),
        position_before: tuple[int, int] = (0, 0),
        position: tuple[int, int] = (0, 0),
    ) -> float:
        """The reward for any step; ``time`` is that of the world before the step."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Policy:
    """A built-in policy for one agent: "greedy" (the paper's), "random", "forward", "oracle"
    (which knows the map), or one that learns, such as "ppo". ``settings`` maps names to values,
    see describe_settings."""

    def __new__(
        cls,
        name: str,
        model: Model,
        reward: Reward | str | None = None,
        seed: int = 0,
        settings: Mapping[str, object] | None = None,
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    @classmethod
    def describe_settings(cls, name: str, /) -> dict[str, tuple[str, str]]:
        """The settings of the policies with this name: what each means, and which values are
        allowed."""

    @property
    def settings(self) -> dict[str, str]:
        """All settings by name, as texts, except ``threads``, which affects no result."""

    def act(self, time: int, vision: NDArray[np.float32] | None) -> int:
        """The number of the next action, given what the agent sees (vision_shape, or None)."""

    def choose(self, agent: Agent, /) -> int:
        """Looks at what the agent perceives and returns the number of its next action. A policy
        that learns may do so first."""

    def reward(self, reward: float, /) -> None:
        """Tells the policy what its latest action was rewarded with, once for each action."""

    def reward_all(self, rewards: NDArray[np.float64], /) -> None:
        """Does that for a policy of several agents, after `Batch.choose`: an array."""

    @property
    def learning(self) -> bool:
        """Whether it learns. Set it to False to let it act with the weights it has."""

    @learning.setter
    def learning(self, value: bool) -> None: ...
    @property
    def threads(self) -> int:
        """How many threads compute it together. Any number gives the same results; it is not saved,
        so it is 1 after loading."""

    @threads.setter
    def threads(self, value: int) -> None: ...
    @property
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Read-only views of its weights by layer, which change when it learns."""

    @property
    def metrics(self) -> dict[str, float]:
        """Figures of its latest update by name, such as the entropy."""

    def hash(self) -> int:
        """A hash of all weights, the same on every machine; 0 if it has none."""

    def to_bytes(self) -> bytes:
        """Its state: its random numbers, the actions that it has planned, and all that it has
        learnt."""

    @classmethod
    def from_bytes(cls, saved: bytes, model: Model, reward: Reward | str | None = None) -> Self:
        """A policy from its state, which continues as the original would have.

        Model and reward must be equal to those of the original.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Env:
    """One world with one agent, stepped and observed in one call: the core of environments.

    ``step`` returns the five-tuple of Gymnasium. Observations consist of

    * ``vision``: "color", float32 (2 R + 1, 2 R + 1, color_dimensions); "items", float32
      (2 R + 1, 2 R + 1, item types) of 0 and 1, see Agent.item_vision; None for none;
    * ``scent``: float32 (scent_dimensions), if true and the world has scent;
    * ``moved``: numpy.int64, 1 if the latest step moved the agent to another cell, if true;

    or of the ``parts`` that a mapping lists, from keys of your choice to names in Model.parts. The
    ``form`` is "dict" by these keys; "flat", one float32 vector of everything in this order; or
    "plain", the only part.

    With ``copy`` every step returns new arrays, otherwise it writes into the same ones again and
    returns the same dict. ``info`` "full" has

    * ``position`` (x, y) and ``start`` as tuples, ``direction`` as a Direction, ``time``, an int;
    * ``collected``: the name of the item collected in this step, or None;
    * ``inventory``: a dict of names and counts of all item types;
    * ``outcome``: the outcome of the action;
    * ``reward_function``: the text of the reward in force in this step (after a reset: in the
      next); "Zero" without a reward.

    As "numbers" these are int64 arrays and ints, without ``reward_function``: directions, items
    and outcomes by their numbers, -1 for no item. "none" is an empty dict. If the world has bodies,
    the others have ``action_mask``: int8 (actions), 1 for what the agent's ``body`` can do.

    ``generation_threads`` generate its worlds, and those of its copies, ahead of the agent: see
    World.generation_threads. A world that you set with ``env.world = ...`` keeps its own.
    """

    def __new__(
        cls,
        model: Model,
        reward: Reward | None = None,
        seed: int = 0,
        *,
        vision: Literal["color", "items"] | None = "color",
        scent: bool = True,
        moved: bool = True,
        form: Literal["dict", "flat", "plain"] = "dict",
        copy: bool = True,
        parts: Mapping[str, str] | None = None,
        position: tuple[int, int] | None = None,
        direction: Direction | int = "up",
        force: bool = False,
        generation_threads: int = 0,
        info: Literal["full", "numbers", "none"] = "full",
        body: str | None = None,
    ) -> Self: ...
    def reset(self, seed: int, /) -> tuple[Observation, dict[str, Any]]:
        """Starts a new life: a new World with a new agent. The old World object stays valid."""

    def step(
        self, action: int | Sequence[int] | NDArray[Any], /
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """(observation, reward, False, False, info). ``action`` is an int or a NumPy integer; if
        the agent has a voice, it may be an action and a symbol."""

    def write(self, text: str | None, /) -> None:
        """The next item that the agent drops and that may carry a text carries this one."""

    def observe(self) -> Observation:
        """The current observation, always in new arrays."""

    def info(self) -> dict[str, Any]:
        """The current info."""

    @property
    def observation_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the float32 parts of an observation, by name, in their order."""

    @property
    def model(self) -> Model: ...
    @property
    def reward(self) -> Reward | None: ...
    @property
    def world(self) -> World:
        """The world of this life. You can look at it, edit, clone and save it; if you step it or
        add agents, that is up to you."""

    @world.setter
    def world(self, world: World) -> None:
        """Continues with another world of an equal model, and its first agent."""

    @property
    def agent(self) -> Agent: ...
    def clone(self) -> Env:
        """An independent copy."""

    def __copy__(self) -> Env: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Env: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Team:
    """Agents of a world that act together, by name: the core of environments with many agents.

    ``parts``, ``form``, ``copy`` and ``info`` are those of Env.
    """

    def __new__(
        cls,
        world: World,
        parts: Mapping[str, str],
        form: Literal["dict", "flat", "plain"] = "dict",
        copy: bool = True,
        info: Literal["full", "numbers", "none"] = "full",
    ) -> Self: ...
    def add(self, name: str, agent: Agent, reward: Reward | None = None, team: int = 0) -> None:
        """Adds an agent of the world under a name, with its own reward. Agents with the same team
        share what Team[r] pays."""

    def remove(self, name: str, /) -> None:
        """Forgets an agent. It stays in the world."""

    def step(
        self, actions: Mapping[str, int | str], /
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Steps the world with an action for every agent: (observations, rewards, terminations,
        truncations, infos), dicts by name. Actions that compete count in the order in which agents
        were added. Without agents nothing happens."""

    def write(self, name: str, text: str | None, /) -> None:
        """The next item that the agent drops and that may carry a text carries this one."""

    def written(self, name: str, /) -> str:
        """The text that waits for an item that the agent drops; empty if there is none."""

    def observe(self, name: str, /) -> Observation:
        """An agent's current observation."""

    def info(self, name: str, /) -> dict[str, Any]:
        """An agent's current info."""

@final
class Batch:
    """Many worlds, stepped together by a pool of threads, straight into your arrays.

    There is one row per agent: first the agents of world 0 in the order in which they were added,
    then those of world 1, and so on. All models must have the same shapes, actions and items.
    ``threads`` 0 means one per processor. Rewards may be one for all or one per world; so may
    models and agent counts. ``bodies`` are those of the agents of every world, in their order;
    so are ``teams``, numbers that are equal for those who share what ``Team[r]`` pays (all, by
    default), and ``agent_rewards``, which replace ``rewards``.

    The arrays must be C-contiguous, writeable and of the exact type and shape. The batch keeps them
    alive and writes to them in `step`, `receive` and `reset`. There is one for each part of
    Model.parts, and one for rewards:

    * ``vision`` float32 (agents, 2 R + 1, 2 R + 1, color_dimensions)
    * ``scent`` float32 (agents, scent_dimensions)
    * ``items`` uint8 (agents, 2 R + 1, 2 R + 1): visible items, item type plus one, or 0
    * ``item_vision`` float32 (agents, 2 R + 1, 2 R + 1, item types): the same, one-hot
    * ``entity_vision`` float32 (agents, 2 R + 1, 2 R + 1, item types + bodies): that, and the
      number of other agents in each visible cell, for each body; that of ``agent`` comes first
    * ``seen`` float32 (agents, 2 R + 1, 2 R + 1): the visible fraction of each cell
    * ``inventory`` uint64 (agents, item types)
    * ``position`` int64 (agents, 2): x and y
    * ``start`` int64 (agents, 2): where the agent was added
    * ``direction`` uint8 (agents,): 0 up, 1 right, 2 down, 3 left
    * ``time`` uint64 (agents,): of its world
    * ``moved`` uint8 (agents,): 1 if the latest step moved the agent to another cell
    * ``collected`` int32 (agents,): the item type, or -1
    * ``outcome`` uint8 (agents,): what became of the action, see Result
    * ``body`` uint8 (agents,): 0, or the place of its body in Model.bodies, counted from 1
    * ``heard`` float32 (agents, symbols): how many others said each symbol in the latest step
    * ``text`` uint8 (agents, 256): the text that the agent reads, UTF-8 and then zeros
    * ``reward`` float64 (agents,)
    """

    def __new__(
        cls,
        models: Model | Sequence[Model],
        seeds: Sequence[int] | NDArray[Any],
        rewards: Reward | Sequence[Reward | None] | None = None,
        agent_counts: int | Sequence[int] = 1,
        threads: int = 0,
        *,
        bodies: Sequence[str | None] | None = None,
        teams: Sequence[int] | None = None,
        agent_rewards: Sequence[Reward | None] | None = None,
        vision: NDArray[np.float32] | None = None,
        scent: NDArray[np.float32] | None = None,
        items: NDArray[np.uint8] | None = None,
        item_vision: NDArray[np.float32] | None = None,
        entity_vision: NDArray[np.float32] | None = None,
        seen: NDArray[np.float32] | None = None,
        inventory: NDArray[np.uint64] | None = None,
        position: NDArray[np.int64] | None = None,
        start: NDArray[np.int64] | None = None,
        direction: NDArray[np.uint8] | None = None,
        time: NDArray[np.uint64] | None = None,
        moved: NDArray[np.uint8] | None = None,
        collected: NDArray[np.int32] | None = None,
        outcome: NDArray[np.uint8] | None = None,
        body: NDArray[np.uint8] | None = None,
        heard: NDArray[np.float32] | None = None,
        text: NDArray[np.uint8] | None = None,
        reward: NDArray[np.float64] | None = None,
    ) -> Self: ...
    @property
    def world_count(self) -> int: ...
    @property
    def agent_count(self) -> int: ...
    @property
    def model(self) -> Model:
        """Of world 0."""

    def step(self, actions: NDArray[np.int32] | ArrayLike, /) -> None:
        """Steps all worlds: (agents) action numbers, by row. An int32 array is not copied. If
        agents have a voice, rows may have a second column, (agents, 2), with symbols; 0 is
        silence."""

    def write(self, row: int, text: str | None) -> None:
        """The next item that the agent of a row drops and that may carry a text carries this
        one."""

    def choose(self, policy: Policy, /) -> NDArray[np.int32]:
        """Lets one policy look at what all agents perceive, and returns their next actions, int32
        (agents). The policy must be for as many agents."""

    def run(self, actions: NDArray[np.int32], /) -> None:
        """Steps all worlds once for each row of ``actions``, int32 (steps, agents), in one call.
        The arrays hold the results of the last step. If agents have a voice, the array may be
        (steps, agents, 2), with symbols."""

    def send(
        self, worlds: NDArray[np.int64] | ArrayLike, actions: NDArray[np.int32] | ArrayLike
    ) -> None:
        """Starts a step of some worlds, (n) indexes, and returns at once. ``actions`` are those of
        their agents, in that order, and are copied."""

    def receive(self, wanted: int = 1) -> NDArray[np.int64]:
        """Waits for at least ``wanted`` of the worlds that were sent, and returns the indexes of
        all that are done, in the order in which they finished."""

    def reset(self, index: int, seed: int) -> None:
        """Replaces one world by a new one with another seed."""

    def leave(self, row: int, /) -> None:
        """Removes the agent of a row from its world. The row stays, empty: zeros, and its action is
        ignored."""

    def join(
        self,
        row: int,
        position: tuple[int, int] | None = None,
        direction: Direction | int = "up",
        body: str | None = None,
    ) -> None:
        """Adds an agent to the world of an empty row."""

    def agent_ids(self) -> list[int | None]:
        """The number of each row's agent, as Agent.id; None for empty rows."""

    def written(self, row: int, /) -> str:
        """The text that waits for an item that the agent of a row drops; empty if there is none."""

    def set_world(
        self, index: int, world: World, agents: Sequence[int | None] | None = None
    ) -> None:
        """Replaces one world by a copy of another one with an equal model and as many agents. Its
        rows become what they were after its latest step. ``agents`` are the numbers of the agents
        of its rows, None for empty rows."""

    def world(self, index: int, /) -> World:
        """A World to look at and edit between steps; it cannot be stepped, and agents cannot be
        added. It raises after a reset, and while its world is in progress."""

    def agent(self, row: int, /) -> Agent:
        """The agent of a row."""

    def hash(self, index: int, /) -> int:
        """World.hash of one world."""

    def item_vision(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Agent.item_vision of all agents: (agents, 2 R + 1, 2 R + 1, item types), written to
        ``out``."""

    def states(self) -> dict[str, NDArray[Any]]:
        """New arrays, one row per agent: ``position`` int64 (agents, 2), ``direction`` int8
        (agents,) as 0 up, 1 right, 2 down, 3 left, ``time`` int64 (agents,) and ``inventory``
        int64 (agents, item types)."""

    def reward_function(self, index: int, /) -> str:
        """The text of the reward in force in the next step of one world."""

    def ticket(self) -> NDArray[np.uint32]:
        """What a compiled program needs for the next step: (3). A step returns the next ticket.
        Earlier tickets are void."""

    def close(self) -> None:
        """Waits for steps in progress and destroys the worlds; later calls raise. Closing twice is
        fine."""

@final
class Atlas:
    """A folder that keeps patches of invariant worlds, so that nobody makes them twice.

    Results do not depend on it. It is created if it is missing, and may be shared by any number of
    processes. ``limit`` is how many megabytes it may hold (4096); beyond that, what was not used
    for longest is dropped.
    """

    def __new__(
        cls, path: str | PathLike[str], *, read_only: bool = False, limit: int | None = None
    ) -> Self: ...
    @property
    def path(self) -> str:
        """The folder."""

    @property
    def read_only(self) -> bool:
        """True if nothing is added: it was opened so, or cannot be written to."""

    @property
    def counts(self) -> dict[str, int]:
        """What has happened through it in this process: patches "found", "missing", "damaged",
        "added" and "failed" to be added, and "bytes" added."""

    def prune(self, megabytes: int, /) -> int:
        """Drops what was not used for longest until so many megabytes are left; returns how many
        bytes that freed."""

@final
class Recorder:
    """A recording in progress; see World.record. Keeps its world alive. Use it with ``with``."""

    @property
    def world(self) -> World: ...
    def flush(self) -> None:
        """Writes everything recorded so far, and flushes it to disk."""

    def close(self) -> None:
        """Flushes and ends the recording. Closing twice is fine."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

@final
class Viewer:
    """Shows a world in browsers; World.view creates one.

    It lasts until it is closed or its world is destroyed, which it does not keep alive. Use it with
    ``with``.
    """

    def __new__(
        cls,
        world: World,
        port: int = 0,
        host: str = "127.0.0.1",
        frame_rate: float = 30.0,
        reward: str | None = None,
    ) -> Self: ...
    @property
    def url(self) -> str:
        """The address to open in a browser."""

    @property
    def port(self) -> int: ...
    @property
    def closed(self) -> bool:
        """True after it was closed."""

    @property
    def world(self) -> World | None:
        """The world that is shown; None after it was closed."""

    @property
    def watchers(self) -> int:
        """The number of connected pages."""

    @property
    def copies(self) -> int:
        """How often the world was copied for watchers."""

    def show(self, world: World, /) -> None:
        """Switches to another world of the same model, for all watchers."""

    def close(self) -> None:
        """Stops the server. Closing twice is fine."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

@final
class Operation(NamedTuple):
    """An operation that changed a world; fields of other kinds are None, or empty."""

    kind: Literal[
        "act",
        "act_together",
        "step",
        "add_agent",
        "remove_agent",
        "set_active",
        "place_item",
        "remove_item",
        "explore",
        "finalize_patch",
    ]
    time: int
    """Of the world after it."""
    agents: tuple[int, ...]
    """The ids of the agents concerned."""
    actions: tuple[str, ...]
    """Their actions."""
    item: str | None
    active: bool | None
    positions: tuple[tuple[int, int], ...]
    """Cells; for "finalize_patch" the patch, in units of patches."""
    say: tuple[int, ...] = ()
    """The symbols that they said with their actions, or 0."""
    texts: tuple[str | None, ...] = ()
    """What they wrote, or what the placed item carries; None where there is nothing."""

@final
class Recording:
    """A recording, to replay from any step. Iterating replays it operation by operation, and checks
    the hashes on the way. ``memory_limit`` is that of `World.load`."""

    def __new__(cls, path: str | PathLike[str], *, memory_limit: int | None = None) -> Self: ...
    @property
    def first_time(self) -> int: ...
    @property
    def last_time(self) -> int: ...
    @property
    def operation_count(self) -> int: ...
    @property
    def snapshot_count(self) -> int: ...
    @property
    def hash_count(self) -> int: ...
    @property
    def size(self) -> int:
        """The number of valid bytes of the file."""

    @property
    def torn_size(self) -> int:
        """The number of invalid bytes after those."""

    @property
    def time(self) -> int:
        """The time of the world at the current place."""

    @property
    def world(self) -> World:
        """The world at the current place: an independent copy."""

    def note(self, name: str, /) -> bytes | None:
        """The note with that name, or None."""

    def seek(self, time: int | None = None) -> None:
        """Goes to the moment right after the step that led to ``time``, forward or backward; None
        is the end. NotFoundError if the recording does not reach it."""

    def frames(
        self,
        *,
        start: int = 0,
        end: int | None = None,
        every: int = 0,
        agent: int = 1,
        region: tuple[int, int, int, int] | None = None,
        size: tuple[int, int] = (41, 31),
        scale: int = 20,
        trail: int = 400,
        reward: object | None = None,
        panel: bool = True,
        grid: bool = False,
    ) -> Film:
        """The frames of a movie, one by one, from time ``start`` to ``end``, ``every`` so many
        steps (0 chooses it, for at most 600 frames).

        ``agent`` is the one to follow, counted from 1, with a ``trail`` that fades over so many
        steps, and a ``panel`` with what it sees, smells, carries and gains. The ``reward`` is that
        of the run, if ``jbw run`` made the recording. ``region`` shows fixed cells; otherwise the
        camera shows ``size`` cells around the agent. The recording is replayed, so do not move it
        in the meantime.
        """

    def movie(self, path: str | PathLike[str], *, fps: int = 30, **options: Any) -> None:
        """Writes a movie, .mp4, .gif or what else ffmpeg can write. The options are those of
        `frames`."""

    def close(self) -> None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Operation: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

@final
class Film:
    """The frames of a recording, an iterator of uint8 arrays; see `Recording.frames`. Its length is
    their number."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of a frame: (height, width, 3)."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> NDArray[np.uint8]: ...
