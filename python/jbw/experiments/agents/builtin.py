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
        self._policy = self._make(life)

    def _make(self, life: Life) -> _core.Policy:
        return _core.Policy(self.name, life.model, life.reward, self.seed)

    def live(self, life: Life, steps: int) -> None:
        agent, act, step = life.agent, self._policy.act, life.step
        time = life.steps
        for i in range(steps):
            step(act(time + i, agent.vision))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_policy"]
        return state

    def resume(self, life: Life) -> None:
        # a policy keeps its plans and its chance to itself: let it live up to here once more, which
        # takes seconds for millions of steps
        self._policy = self._make(life)
        again = _core.World(life.model, life.seed).add_agent()
        again.follow(self._policy, life.steps, life.reward)
        if again.world.hash() != life.agent.world.hash():
            raise RuntimeError(f"{self.name} does not live the same life twice")


class Greedy(BuiltIn):
    """The paper's greedy visual agent."""

    name = "greedy"


class Random(BuiltIn):
    """Any action, each as likely."""

    name = "random"


class Forward(BuiltIn):
    """Straight on, always."""

    name = "forward"
