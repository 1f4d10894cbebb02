# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The library's policies that learn, as agents of experiments."""

from __future__ import annotations

from typing import Any

from jbw import _core
from jbw.envs.vector import JellyBeanWorldVectorEnv
from jbw.errors import ArgumentError
from jbw.experiments.agents.builtin import BuiltIn
from jbw.experiments.errors import ExperimentError
from jbw.experiments.life import Life

#: What a network perceives, by the form of a case's observations.
_SENSES = {"dict": "both", "flat": "both", "vision": "vision", "scent": "scent"}


class Learner(BuiltIn):
    """One of the library's policies that learn. Options are its settings, see
    `jbw.agents.Learner.describe_settings`; it perceives what the case offers."""

    observes = True
    idle_options = frozenset({"threads"})

    def arrange(self, **options: Any) -> None:
        try:
            self._policy.threads = options["threads"]
        except ArgumentError as error:
            raise ExperimentError(f"{self.name}: {error}") from error

    def make_policy(self, life: Life, seed: int, options: dict[str, Any]) -> _core.Policy:
        settings = {"senses": _SENSES[life.form], **options}
        try:
            return _core.Policy(self.name, life.model, life.reward, seed, settings)
        except ArgumentError as error:
            raise ExperimentError(f"{self.name}: {error}") from error

    def live(self, life: Life, steps: int) -> None:
        policy, agent, step = self._policy, life.agent, life.step
        policy.learning = self.learning
        for _ in range(steps):
            policy.reward(step(policy.choose(agent)))

    def facts(self) -> dict[str, Any]:
        return {
            "learner": _core.learner_version,
            "weights": f"{self._policy.hash():016x}",
            "settings": self._policy.settings,
        }


class PPO(Learner):
    """The paper's learner, by default with the settings of its authors."""

    name = "ppo"


class FastPPO(PPO):
    """The same algorithm with the library's own settings instead of the authors'."""

    def make_policy(self, life: Life, seed: int, options: dict[str, Any]) -> _core.Policy:
        return super().make_policy(life, seed, {"preset": "fast", **options})


class VectorPPO(PPO):
    """One mind that learns from many worlds at once, which the paper does not allow: a different
    experiment. Steps are those of each world, rewards the mean over all worlds; an update comes
    after `rows` steps of all worlds together. The option `worlds` is the number of worlds."""

    worlds = 16

    @classmethod
    def world_count(cls, options: dict[str, Any]) -> int:
        worlds = options.get("worlds", cls.worlds)
        if type(worlds) is not int or worlds < 2:
            raise ExperimentError(f"worlds is {worlds!r}, expected a whole number above one")
        return worlds

    def make_policy(self, life: Life, seed: int, options: dict[str, Any]) -> _core.Policy:
        return super().make_policy(life, seed, {"worlds": life.worlds, **options})

    def live(self, life: Life, steps: int) -> None:
        if not isinstance(life.env, JellyBeanWorldVectorEnv):
            raise TypeError("this life has one world")
        policy, batch, step = self._policy, life.env.batch, life.step
        policy.learning = self.learning
        for _ in range(steps):
            policy.reward_all(step(batch.choose(policy)))


class DQN(Learner):
    """Deep Q-learning with the paper's network."""

    name = "dqn"
