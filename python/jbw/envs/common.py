# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What all environments share: worlds, rewards and seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.config import check_overrides

if TYPE_CHECKING:
    from jbw.remote_agent import RemoteAgent

ObservationForm: TypeAlias = Literal["dict", "vision", "scent", "flat"]
VisionKind: TypeAlias = Literal["color", "items", "image"]
InfoKind: TypeAlias = Literal["full", "numbers", "none"]
Channels: TypeAlias = Literal["last", "first"]
RenderMode: TypeAlias = Literal["rgb_array", "ansi", "human"]

#: The default reward; every shipped world has jelly beans.
DEFAULT_REWARD = "Collect[JellyBean]"

MAX_SEED = 2**64 - 1
MAX_GENERATION_THREADS = 64


@dataclass(frozen=True, slots=True)
class Step:
    """One agent's part in one step: the argument of a reward function written in Python.

    Cells are (x, y); x grows to the right, y up. Times count steps of the world.
    """

    time: int
    """Of the world before the step."""
    action: str
    """The requested action, such as "MoveForward"."""
    moved: bool
    """The agent is in another cell than before."""
    collected: str | None
    """The name of the item that it collected, or None."""
    start: tuple[int, int]
    """The cell where the agent was added."""
    position_before: tuple[int, int]
    position: tuple[int, int]
    agent: _core.Agent
    """To look at more: `agent.items`, `agent.vision`, `agent.world.items(...)`. Do not act."""


def step_of(agent: _core.Agent | RemoteAgent) -> Step:
    """An agent's part in the latest step."""
    result = agent.result
    return Step(
        time=result.time - 1,
        action=result.action or "NoOp",
        moved=result.moved,
        collected=result.collected,
        start=agent.start,
        position_before=result.position_before,
        position=result.position,
        agent=cast(_core.Agent, agent),  # a remote agent has the same properties
    )


RewardFunction: TypeAlias = Callable[[Step], float]

#: A text in the reward language, an object of `jbw.rewards`, or a function of a `Step`.
RewardLike: TypeAlias = Any


def make_model(
    world: Any,
    overrides: Mapping[str, Any] | None,
    field_of_view: float | None,
    visual_occlusion: bool | None,
) -> _core.Model:
    """The model of a world, in whatever way it is given, with some of its keys replaced."""
    keys = dict(check_overrides(overrides))
    if field_of_view is not None:
        keys["agent.field_of_view"] = field_of_view
    if visual_occlusion is not None:
        keys["agent.visual_occlusion"] = visual_occlusion
    if isinstance(world, _core.Model) and not keys:
        return world
    # an empty world costs nothing, and accepts all the ways in which a world may be given
    return _core.World(world, overrides=keys or None).model


@dataclass(frozen=True, slots=True)
class Payment:
    """A reward that is ready for use: compiled, or a Python function and its name."""

    compiled: _core.Reward | None
    function: RewardFunction | None
    name: str
    """The text of the reward, or the name of the function."""
    item_count: int
    """Number of item types."""

    def at(self, time: int) -> str:
        """The text of the reward in force at a time."""
        return self.name if self.compiled is None else self.compiled.at(time)

    def ask(self, agent: _core.Agent | RemoteAgent) -> float:
        """The reward of the Python function for an agent's latest step; zero without a function."""
        if self.function is None:
            return 0.0
        paid = self.function(step_of(agent))
        try:
            return float(paid)
        except (TypeError, ValueError):
            raise TypeError(
                f"the reward function {self.name} returned {paid!r}, expected a number"
            ) from None

    def weights(self, time: int) -> NDArray[np.float32]:
        """(item types) what collecting an item of each type pays in the step from that time on.

        The other terms of a reward do not show; there are no weights of a Python function.
        """
        if self.compiled is None:
            return np.zeros(self.item_count, np.float32)
        pays = self.compiled.of_collecting
        return np.array([pays(item, time) for item in range(self.item_count)], np.float32)

    @property
    def changes(self) -> bool:
        """True if the weights may depend on time."""
        return self.compiled is not None and self.compiled.is_scheduled

    @property
    def source(self) -> RewardLike:
        """What `make_payment` makes the same from, for pickles."""
        return self.function or self.name


def make_payment(model: _core.Model, reward: RewardLike) -> Payment:
    """Compiles a reward for a model; None means no reward."""
    count = len(model.item_names)
    if reward is None:
        return Payment(None, None, "Zero", count)
    if isinstance(reward, Payment):
        return reward
    if isinstance(reward, _core.Reward):
        reward = reward.text
    if callable(reward) and not isinstance(reward, str):
        name = getattr(reward, "__name__", None) or type(reward).__name__
        return Payment(None, reward, str(name), count)
    compiled = _core.Reward(model, reward)
    return Payment(compiled, None, compiled.text, count)


def check_choice(name: str, value: object, choices: Any) -> None:
    """Raises ValueError unless the value is one of a Literal's."""
    known = get_args(choices)
    if value not in known:
        expected = ", ".join(repr(choice) for choice in known)
        raise ValueError(f"{name} is {value!r}, expected one of {expected}")


def check_seed(seed: int) -> int:
    """The seed of a world as an int; ValueError if it is out of range."""
    number = int(seed)
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"seed is {seed}, expected a whole number from 0 to 2**64 - 1")
    return number


def check_generation_threads(count: int) -> int:
    """The number of threads that generate a world, as an int; ValueError if it is out of range."""
    number = int(count)
    if not 0 <= number <= MAX_GENERATION_THREADS:
        raise ValueError(f"generation_threads is {count}, expected 0 to {MAX_GENERATION_THREADS}")
    return number


def draw_seed(generator: Any) -> int:
    """The seed of a world, drawn from an environment's own generator."""
    return int(generator.integers(0, 2**63, dtype="int64"))
