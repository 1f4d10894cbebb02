# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The library's policies as agents of experiments."""

from __future__ import annotations

from typing import Any

from jbw import _core
from jbw.errors import ArgumentError
from jbw.experiments.agents import Agent
from jbw.experiments.errors import ExperimentError
from jbw.experiments.life import Life


class BuiltIn(Agent):
    """One of the library's policies. It reads vision itself, whatever the observations are."""

    observes = False
    name = ""

    def __init__(self, life: Life, seed: int, **options: Any) -> None:
        super().__init__(life, seed)
        self._policy = self.make_policy(life, seed, options)

    def make_policy(self, life: Life, seed: int, options: dict[str, Any]) -> _core.Policy:
        """The policy of a new agent."""
        self.refuse(options)
        return _core.Policy(self.name, life.model, life.reward, seed)

    def live(self, life: Life, steps: int) -> None:
        life.follow(self._policy, steps)

    def __getstate__(self) -> dict[str, Any]:
        # model and reward belong to the life, which is saved separately
        return {**self.__dict__, "_policy": self._policy.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._saved = state.pop("_policy")
        self.__dict__.update(state)

    def resume(self, life: Life) -> None:
        self._policy = _core.Policy.from_bytes(self.__dict__.pop("_saved"), life.model, life.reward)


class Greedy(BuiltIn):
    """The paper's greedy visual agent."""

    name = "greedy"


class Oracle(BuiltIn):
    """Knows the map around it and plans its route. Options are its settings."""

    name = "oracle"

    def make_policy(self, life: Life, seed: int, options: dict[str, Any]) -> _core.Policy:
        try:
            return _core.Policy(self.name, life.model, life.reward, seed, options)
        except ArgumentError as error:
            raise ExperimentError(f"{self.name}: {error}") from error


class Random(BuiltIn):
    """Chooses actions uniformly at random."""

    name = "random"


class Forward(BuiltIn):
    """Always moves forward."""

    name = "forward"
