# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What all environments share: the arguments that choose a world, a reward and an observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from jbw import _core

ObservationForm: TypeAlias = Literal["dict", "vision", "scent", "flat"]
VisionKind: TypeAlias = Literal["color", "items"]
RenderMode: TypeAlias = Literal["rgb_array", "ansi"]

#: What is paid when nothing else is said; every shipped world has jelly beans.
DEFAULT_REWARD = "Collect[JellyBean]"

MAX_SEED = 2**64 - 1
MAX_GENERATION_THREADS = 64


@dataclass(frozen=True, slots=True)
class Step:
    """One agent's part in one step: what a reward function written in Python is given.

    Cells are (x, y); x grows to the right, y up. Times count steps of the world.
    """

    time: int
    """Of the world before the step."""
    action: str
    """What the agent asked for, such as "MoveForward"."""
    moved: bool
    """It is in another cell than before."""
    collected: str | None
    """The name of the item that it collected, or None."""
    start: tuple[int, int]
    """The cell where it was added."""
    position_before: tuple[int, int]
    position: tuple[int, int]
    agent: _core.Agent
    """To look at more: `agent.items`, `agent.vision`, `agent.world.items(...)`. Not to act."""


RewardFunction: TypeAlias = Callable[[Step], float]

#: A text in the reward language, an object of `jbw.rewards`, or a function of a `Step`.
RewardLike: TypeAlias = Any


def make_model(
    world: Any,
    overrides: Mapping[str, Any] | None,
    field_of_view: float | None,
    visual_occlusion: bool | None,
) -> _core.Model:
    """The model of a world, however that is given, with some of its keys replaced."""
    keys = dict(overrides or {})
    if field_of_view is not None:
        keys["agent.field_of_view"] = field_of_view
    if visual_occlusion is not None:
        keys["agent.visual_occlusion"] = visual_occlusion
    if isinstance(world, _core.Model) and not keys:
        return world
    # an empty world costs nothing, and knows all the ways in which a world may be given
    return _core.World(world, overrides=keys or None).model


@dataclass(frozen=True, slots=True)
class Payment:
    """A reward, ready for use: compiled, or a function in Python with its name."""

    compiled: _core.Reward | None
    function: RewardFunction | None
    name: str
    """The text of the reward, or the function's name."""

    def at(self, time: int) -> str:
        """What is in force at a time."""
        return self.name if self.compiled is None else self.compiled.at(time)


def make_payment(model: _core.Model, reward: RewardLike) -> Payment:
    """Compiles a reward for a model; None pays nothing."""
    if reward is None:
        return Payment(None, None, "Zero")
    if isinstance(reward, Payment):
        return reward
    if isinstance(reward, _core.Reward):
        reward = reward.text
    if callable(reward) and not isinstance(reward, str):
        name = getattr(reward, "__name__", None) or type(reward).__name__
        return Payment(None, reward, str(name))
    compiled = _core.Reward(model, reward)
    return Payment(compiled, None, compiled.text)


def check_choice(name: str, value: object, choices: Any) -> None:
    """Raises ValueError unless the value is one of a Literal's."""
    known = get_args(choices)
    if value not in known:
        expected = ", ".join(repr(choice) for choice in known)
        raise ValueError(f"{name} is {value!r}, expected one of {expected}")


def check_seed(seed: int) -> int:
    """A world's seed as an int; ValueError if it cannot be one."""
    number = int(seed)
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"seed is {seed}, expected a whole number from 0 to 2**64 - 1")
    return number


def check_generation_threads(count: int) -> int:
    """How many threads make a world ahead, as an int; ValueError if there cannot be so many."""
    number = int(count)
    if not 0 <= number <= MAX_GENERATION_THREADS:
        raise ValueError(f"generation_threads is {count}, expected 0 to {MAX_GENERATION_THREADS}")
    return number


def draw_seed(generator: Any) -> int:
    """A world's seed, drawn from an environment's own generator."""
    return int(generator.integers(0, 2**63, dtype="int64"))
