# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Rewards as objects. They combine with ``&`` and print in the reward language:

>>> str(Collect("JellyBean") & Avoid("Onion", 0.5))
'Collect[JellyBean] & Avoid[Onion, 0.5]'

Wherever a reward is expected, its text works, too; `parse` turns a text into objects.
docs/rewards.md describes all rewards. Objects are immutable; equal ones have equal texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jbw.errors import RewardError

__all__ = [
    "Action",
    "Avoid",
    "Collect",
    "Combined",
    "Curriculum",
    "Cyclical",
    "Drift",
    "Explore",
    "Fixed",
    "Gradual",
    "Random",
    "Reward",
    "Scaled",
    "Square",
    "Steps",
    "Team",
    "Wave",
    "Zero",
    "parse",
]


class Changing:
    """A number that depends on the world's time; it may stand for an amount or a factor:

    >>> str(Collect("JellyBean", Wave(100_000, -1, 1)))
    'Collect[JellyBean, Wave[100000, -1, 1]]'
    """


def _number(value: float | Changing) -> str:
    """The shortest exact text of a number."""
    if isinstance(value, Changing):
        return str(value)
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _steps(value: float) -> int:
    if int(value) != value:
        raise RewardError(f"expected a whole number of steps, found {value!r}")
    return int(value)


@dataclass(frozen=True)
class _Range(Changing):
    period: int
    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", _steps(self.period))

    def __str__(self) -> str:
        name = type(self).__name__
        return f"{name}[{self.period}, {_number(self.low)}, {_number(self.high)}]"


class Wave(_Range):
    """A sine that swings between ``low`` and ``high``, rising from the middle at time 0."""


class Square(_Range):
    """``low`` in the first half of every period, ``high`` in the second."""


@dataclass(frozen=True, init=False)
class Steps(Changing):
    """Each value from its time on: ``Steps((0, 1), (50_000, -1))``. The first time is 0."""

    values: tuple[tuple[int, float], ...]

    def __init__(self, *values: tuple[float, float]) -> None:
        made = tuple((_steps(time), float(value)) for time, value in values)
        if not made:
            raise RewardError("Steps needs at least one value")
        object.__setattr__(self, "values", made)

    def __str__(self) -> str:
        values = ", ".join(f"({time}, {_number(value)})" for time, value in self.values)
        return f"Steps[{values}]"


@dataclass(frozen=True)
class Drift(Changing):
    """Wanders smoothly between ``low`` and ``high``: every ``steps`` steps it arrives at a value
    drawn uniformly, from a stream of its own ``seed``."""

    seed: int
    steps: int
    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _steps(self.steps))

    def __str__(self) -> str:
        return f"Drift[{self.seed}, {self.steps}, {_number(self.low)}, {_number(self.high)}]"


class Reward:
    """The base class of all rewards."""

    def __and__(self, other: Reward | str) -> Combined:
        """The sum of both."""
        if isinstance(other, str):
            other = parse(other)
        if not isinstance(other, Reward):
            return NotImplemented
        return Combined(self, other)

    def __rand__(self, other: str) -> Combined:
        return Combined(parse(other), self)

    def __mul__(self, factor: float | Changing) -> Scaled:
        """The reward times a number."""
        return Scaled(self, factor)

    __rmul__ = __mul__

    def __neg__(self) -> Scaled:
        return Scaled(self, -1.0)


def _reward(value: Reward | str) -> Reward:
    if isinstance(value, Reward):
        return value
    if isinstance(value, str):
        return parse(value)
    raise TypeError(f"expected a reward or its text, found {value!r}")


@dataclass(frozen=True)
class Zero(Reward):
    """Always zero."""

    def __str__(self) -> str:
        return "Zero"


@dataclass(frozen=True)
class Action(Reward):
    """``value`` for every action except NoOp, blocked or not."""

    value: float | Changing = 1.0

    def __str__(self) -> str:
        return f"Action[{_number(self.value)}]"


@dataclass(frozen=True)
class Collect(Reward):
    """``value`` for collecting an item of that type."""

    item: str
    value: float | Changing = 1.0

    def __str__(self) -> str:
        value = "" if self.value == 1 else f", {_number(self.value)}"
        return f"{type(self).__name__}[{self.item}{value}]"


@dataclass(frozen=True)
class Avoid(Reward):
    """Minus ``value`` for collecting an item of that type."""

    item: str
    value: float | Changing = 1.0

    __str__ = Collect.__str__


@dataclass(frozen=True)
class Explore(Reward):
    """``value`` if the step increased the distance from the cell where the agent was added."""

    value: float | Changing = 1.0

    def __str__(self) -> str:
        return f"Explore[{_number(self.value)}]"


@dataclass(frozen=True, init=False)
class Combined(Reward):
    """The sum of all rewards, from left to right; nested combinations are flattened."""

    rewards: tuple[Reward, ...]

    def __init__(self, *rewards: Reward | str) -> None:
        if len(rewards) < 2:
            raise RewardError("Combined needs at least two rewards")
        flat: list[Reward] = []
        for reward in map(_reward, rewards):
            flat += reward.rewards if isinstance(reward, Combined) else (reward,)
        object.__setattr__(self, "rewards", tuple(flat))

    def __str__(self) -> str:
        return " & ".join(map(str, self.rewards))


@dataclass(frozen=True, init=False)
class Scaled(Reward):
    """``reward`` times ``factor``."""

    reward: Reward
    factor: float | Changing

    def __init__(self, reward: Reward | str, factor: float | Changing) -> None:
        object.__setattr__(self, "reward", _reward(reward))
        object.__setattr__(
            self, "factor", factor if isinstance(factor, Changing) else float(factor)
        )

    def __str__(self) -> str:
        return f"Scaled[{self.reward}, {_number(self.factor)}]"


@dataclass(frozen=True, init=False)
class Team(Reward):
    """The sum of what ``reward`` pays to all agents of the team."""

    reward: Reward

    def __init__(self, reward: Reward | str) -> None:
        object.__setattr__(self, "reward", _reward(reward))

    def __str__(self) -> str:
        return f"Team[{self.reward}]"


@dataclass(frozen=True, init=False)
class Fixed(Reward):
    """``reward``, always."""

    reward: Reward

    def __init__(self, reward: Reward | str) -> None:
        object.__setattr__(self, "reward", _reward(reward))

    def __str__(self) -> str:
        return f"Fixed[{self.reward}]"


@dataclass(frozen=True, init=False)
class _Parts(Reward):
    """Rewards, each with its number of steps."""

    parts: tuple[tuple[Reward, int], ...]

    def __init__(self, parts: Iterable[tuple[Reward | str, float]]) -> None:
        made = tuple((_reward(reward), _steps(steps)) for reward, steps in parts)
        if not made:
            raise RewardError(f"{type(self).__name__} needs at least one part")
        object.__setattr__(self, "parts", made)

    def __str__(self) -> str:
        parts = ", ".join(f"({reward}, {steps})" for reward, steps in self.parts)
        return f"{type(self).__name__}[{parts}]"


class Curriculum(_Parts):
    """The first reward for its number of steps, then the second, ...; the last one forever."""


class Cyclical(_Parts):
    """Like Curriculum, but starts over at the end."""


@dataclass(frozen=True, init=False)
class Gradual(Reward):
    """From ``first`` to ``second`` in that many steps: the second has weight t / steps, the first
    the rest."""

    first: Reward
    second: Reward
    steps: int

    def __init__(self, first: Reward | str, second: Reward | str, steps: float) -> None:
        object.__setattr__(self, "first", _reward(first))
        object.__setattr__(self, "second", _reward(second))
        object.__setattr__(self, "steps", _steps(steps))

    def __str__(self) -> str:
        return f"Gradual[{self.first}, {self.second}, {self.steps}]"


@dataclass(frozen=True, init=False)
class Random(Reward):
    """One of ``rewards``, drawn uniformly every ``steps`` steps."""

    steps: int
    seed: int
    rewards: tuple[Reward, ...]

    def __init__(self, steps: float, seed: int, *rewards: Reward | str) -> None:
        if not rewards:
            raise RewardError("Random needs at least one reward")
        object.__setattr__(self, "steps", _steps(steps))
        object.__setattr__(self, "seed", int(seed))
        object.__setattr__(self, "rewards", tuple(map(_reward, rewards)))

    def __str__(self) -> str:
        rewards = ", ".join(map(str, self.rewards))
        return f"Random[{self.steps}, {self.seed}, {rewards}]"


# --- reading texts ------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<mark>[][(),&∧])|(?P<end>$)|(?P<other>.))",
    re.DOTALL,
)


class _Reader:
    """Reads the syntax only: the C parser checks items and the ranges of numbers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.next()

    def next(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        assert match
        self.kind = match.lastgroup
        self.token = match[match.lastgroup or 0]
        self.begin = match.start(match.lastgroup or 0)
        self.at = match.end()

    def fail(self, expected: str) -> RewardError:
        line = self.text.count("\n", 0, self.begin) + 1
        column = self.begin - (self.text.rfind("\n", 0, self.begin) + 1) + 1
        found = f"'{self.token}'" if self.token else "the end"
        return RewardError(f"found {found}, expected {expected}", line, column)

    def take(self, mark: str) -> None:
        if self.kind != "mark" or self.token != mark:
            raise self.fail(f"'{mark}'")
        self.next()

    def is_mark(self, marks: str) -> bool:
        return self.kind == "mark" and self.token in marks

    def number(self) -> float | Changing:
        """A number, or one that changes."""
        if self.kind == "name" and self.token in _CHANGING:
            name = self.name()
            self.take("[")
            number = self.changing(name)
            self.take("]")
            return number
        return self.plain()

    def plain(self) -> float:
        if self.kind != "number":
            raise self.fail("a number")
        value = float(self.token)
        self.next()
        return value

    def whole(self) -> int:
        if self.kind != "number":
            raise self.fail("a whole number")
        # exact where it is written out
        token = self.token
        if not re.fullmatch(r"[-+]?\d+", token) and not float(token).is_integer():
            raise self.fail("a whole number")
        value = int(token) if re.fullmatch(r"[-+]?\d+", token) else int(float(token))
        self.next()
        return value

    def name(self) -> str:
        if self.kind != "name":
            raise self.fail("a name")
        name = self.token
        self.next()
        return name

    def changing(self, name: str) -> Changing:
        if name == "Steps":
            values = [self.value()]
            while self.is_mark(","):
                self.next()
                values.append(self.value())
            return Steps(*values)
        first = self.whole()
        self.take(",")
        if name == "Drift":
            steps = self.whole()
            self.take(",")
            return Drift(first, steps, *self.pair())
        return (Wave if name == "Wave" else Square)(first, *self.pair())

    def pair(self) -> tuple[float, float]:
        first = self.plain()
        self.take(",")
        return first, self.plain()

    def value(self) -> tuple[int, float]:
        self.take("(")
        time = self.whole()
        self.take(",")
        value = self.plain()
        self.take(")")
        return time, value

    def option(self) -> float | Changing:
        if not self.is_mark(","):
            return 1.0
        self.next()
        return self.number()

    def rewards(self) -> list[Reward]:
        rewards = [self.reward()]
        while self.is_mark(","):
            self.next()
            rewards.append(self.reward())
        return rewards

    def part(self) -> tuple[Reward, int]:
        self.take("(")
        reward = self.reward()
        self.take(",")
        steps = self.whole()
        self.take(")")
        return reward, steps

    def parts(self) -> list[tuple[Reward, int]]:
        parts = [self.part()]
        while self.is_mark(","):
            self.next()
            parts.append(self.part())
        return parts

    def reward(self) -> Reward:
        terms = [self.term()]
        while self.is_mark("&∧"):
            self.next()
            terms.append(self.term())
        return terms[0] if len(terms) == 1 else Combined(*terms)

    def term(self) -> Reward:
        if self.is_mark("("):
            self.next()
            reward = self.reward()
            self.take(")")
            return reward
        if self.kind == "name" and self.token not in _NAMES:
            raise self.fail("one of " + ", ".join(_NAMES))
        name = self.name()
        if name == "Zero" and not self.is_mark("["):
            return Zero()
        if name in ("Action", "Explore") and not self.is_mark("["):
            return Action() if name == "Action" else Explore()
        self.take("[")
        reward = self.call(name)
        self.take("]")
        return reward

    def call(self, name: str) -> Reward:
        if name == "Zero":
            return Zero()
        if name in ("Action", "Explore"):
            value: float | Changing = 1.0 if self.is_mark("]") else self.number()
            return Action(value) if name == "Action" else Explore(value)
        if name in ("Collect", "Avoid"):
            item = self.name()
            value = self.option()
            return Collect(item, value) if name == "Collect" else Avoid(item, value)
        if name in ("Curriculum", "Cyclical"):
            parts = self.parts()
            return Curriculum(parts) if name == "Curriculum" else Cyclical(parts)
        if name == "Combined":
            return Combined(*self.rewards())
        if name == "Random":
            steps = self.whole()
            self.take(",")
            seed = self.whole()
            self.take(",")
            return Random(steps, seed, *self.rewards())
        first = self.reward()
        if name == "Fixed":
            return Fixed(first)
        if name == "Team":
            return Team(first)
        self.take(",")
        if name == "Scaled":
            return Scaled(first, self.number())
        second = self.reward()
        self.take(",")
        return Gradual(first, second, self.whole())


_NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        Action,
        Avoid,
        Collect,
        Combined,
        Curriculum,
        Cyclical,
        Explore,
        Fixed,
        Gradual,
        Random,
        Scaled,
        Team,
        Zero,
    )
}


_CHANGING = ("Drift", "Square", "Steps", "Wave")


def parse(text: str) -> Reward:
    """The objects of a reward text. RewardError, with line and column, on a syntax error.

    Names of items are not checked, and custom functions are not known here.
    """
    reader = _Reader(text)
    reward = reader.reward()
    if reader.kind != "end":
        raise reader.fail("'&' or the end")
    return reward
