# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The policies that are part of the library, as agents of experiments."""

from __future__ import annotations

from typing import Any

from jbw import _core
from jbw.experiments.agents import Agent
from jbw.experiments.life import Life


class BuiltIn(Agent):
    """One of the library's policies. It sees in its own way, whatever observations there are."""

    observes = False
    name = ""

    def __init__(self, life: Life, seed: int, **options: Any) -> None:
        super().__init__(life, seed, **options)
        self._policy = _core.Policy(self.name, life.model, life.reward, seed)

    def live(self, life: Life, steps: int) -> None:
        agent, act, step = life.agent, self._policy.act, life.step
        time = life.steps
        for i in range(steps):
            step(act(time + i, agent.vision))

    def __getstate__(self) -> dict[str, Any]:
        # model and reward are the life's, which is kept beside
        return {**self.__dict__, "_policy": self._policy.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._saved = state.pop("_policy")
        self.__dict__.update(state)

    def resume(self, life: Life) -> None:
        self._policy = _core.Policy.from_bytes(self.__dict__.pop("_saved"), life.model, life.reward)


class Greedy(BuiltIn):
    """The paper's greedy visual agent."""

    name = "greedy"


class Random(BuiltIn):
    """Any action, each as likely."""

    name = "random"


class Forward(BuiltIn):
    """Straight on, always."""

    name = "forward"
