# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents that learn, written in C: the same seed gives the same weights on every machine.

>>> import jbw
>>> from jbw.agents import PPO
>>> world = jbw.World("scent", seed=7)
>>> mind = PPO(world, "Collect[JellyBean]", preset="fast", lstm=64)
>>> rewards = mind.run(1024)
>>> rewards.shape, sorted(mind.weights)[:2]
((1024,), ['conv1', 'conv1.bias'])
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.errors import ArgumentError, DataError

# The notes of a snapshot that `jbw run --save` writes, and reads again.
_AGENT, _REWARD, _SEED, _POLICY = "run.agent", "run.reward", "run.seed", "run.policy"


class Learner:
    """A policy that learns while it lives, in one world that goes on for ever.

    Args:
        world: a `jbw.World`, or a Gymnasium environment of this package after `reset`, whose world,
            agent and reward are used.
        reward: a text such as "Collect[JellyBean]", or a `jbw.Reward`; for an environment, only if
            it is not to be the environment's.
        agent: the agent of the world to use; a world without agents gets one.
        seed: of the first weights and of the choice of actions.
        settings: such as `preset="fast"` or `learning_rate=1e-4`; `describe_settings()` lists them.

    `run` is much faster than a loop in Python. A saved life holds world and mind, and continues as
    if it had never stopped; `jbw run --load` and `Learner.load` read the same files.
    """

    #: The name of the policy.
    name: ClassVar[str]

    world: _core.World
    agent: _core.Agent
    reward: _core.Reward
    policy: _core.Policy

    def __init__(
        self,
        world: Any,
        reward: str | _core.Reward | None = None,
        *,
        agent: _core.Agent | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        self.world, self.agent, text = _place(world, agent)
        self.reward = _reward(self.world.model, text if reward is None else reward)
        self.seed = seed
        self.policy = _core.Policy(self.name, self.world.model, self.reward, seed, settings)

    @classmethod
    def describe_settings(cls) -> Mapping[str, tuple[str, str]]:
        """All settings: what each means, and which values are allowed."""
        return _core.Policy.describe_settings(cls.name)

    def run(self, steps: int) -> NDArray[np.float64]:
        """Lives for a number of steps, learning all the while, and returns the reward of each."""
        return self.agent.follow(self.policy, steps, self.reward)

    @property
    def learning(self) -> bool:
        """Whether it learns. Set it to False to let it act with the weights it has."""
        return self.policy.learning

    @learning.setter
    def learning(self, value: bool) -> None:
        self.policy.learning = value

    @property
    def threads(self) -> int:
        """How many threads compute it together. Any number gives the same life, to the last bit; it
        is not saved, so it is 1 after loading."""
        return self.policy.threads

    @threads.setter
    def threads(self, value: int) -> None:
        self.policy.threads = value

    @property
    def settings(self) -> dict[str, str]:
        """All settings by name, except `threads`, which affects no result."""
        return self.policy.settings

    @property
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Read-only views of the weights by layer. They change when it learns."""
        return self.policy.weights

    @property
    def metrics(self) -> dict[str, float]:
        """Figures of the latest update, such as the entropy."""
        return self.policy.metrics

    def hash(self) -> int:
        """A hash of all weights, the same on every machine."""
        return self.policy.hash()

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Saves world and mind to one file, completely or not at all. An existing file is an error
        unless `replace`."""
        notes: dict[str, str | bytes | _core.Policy] = {**self._notes(), _POLICY: self.policy}
        self.world.save(path, notes=notes, replace=replace)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Continues a life that `save` or `jbw run --save` wrote."""
        return cls._revive(_core.World.load(path), os.fspath(path))

    def _notes(self) -> dict[str, str]:
        """All but the mind."""
        return {_AGENT: self.name, _REWARD: self.reward.text, _SEED: str(self.seed)}

    @classmethod
    def _revive(cls, world: _core.World, source: str) -> Self:
        notes = world.notes
        found = notes.get(_AGENT, b"").decode(errors="replace")
        if found != cls.name:
            what = f"a life of {found!r}" if found else "a world without a mind"
            raise DataError(f"{source} is {what}, not a life of {cls.name!r}")
        if len(world.agents) != 1 or not notes.keys() >= {_REWARD, _POLICY}:
            raise DataError(f"{source} is not complete: it has no single agent, reward and policy")
        new = cls.__new__(cls)
        new.world, new.agent = world, world.agents[0]
        new.seed = int(notes.get(_SEED, b"0"))
        new.reward = _core.Reward(world.model, notes[_REWARD].decode())
        # the mind lives in the policy from now on: as a note it would be there a second time
        del notes
        new.policy = _core.Policy.from_bytes(world.pop_note(_POLICY), world.model, new.reward)
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        notes: dict[str, str | bytes] = {**self._notes(), _POLICY: self.policy.to_bytes()}
        return _unpickle, (type(self), self.world.to_bytes(notes=notes))

    def __repr__(self) -> str:
        return (
            f"<jbw.agents.{type(self).__name__} at {self.agent.position}, step {self.world.time}, "
            f"{int(self.metrics.get('updates', 0))} updates>"
        )


class PPO(Learner):
    """Proximal Policy Optimization with the network of the paper.

    `preset="authors"`, the default, has the settings of the paper's authors; `preset="fast"` is
    about twice as fast, `preset="tiny"` has a network small enough for anything. `senses` is
    "both", "vision" or "scent".
    """

    name = "ppo"


class DQN(Learner):
    """Deep Q-learning with the network of the paper, without LSTM or, with `lstm=128`, with one.

    `senses` is "both", "vision" or "scent".
    """

    name = "dqn"


def _unpickle(cls: type[Learner], saved: bytes) -> Learner:
    return cls._revive(_core.World.from_bytes(saved), "the pickle")


def _place(
    world: Any, agent: _core.Agent | None
) -> tuple[_core.World, _core.Agent, str | _core.Reward | None]:
    """The world and the agent to use, and the reward of an environment."""
    reward = None
    if not isinstance(world, _core.World):
        env = getattr(world, "unwrapped", world)
        inner, own = getattr(env, "world", None), getattr(env, "agent", None)
        if not isinstance(inner, _core.World) or not isinstance(own, _core.Agent):
            raise ArgumentError(
                f"expected a jbw.World, or an environment of one local world, found {world!r}"
            )
        payment = getattr(env, "_payment", None)
        if payment is not None and payment.function is not None:
            raise ArgumentError(
                "the reward of this environment is a Python function, which cannot be used from C: "
                "pass a text as reward="
            )
        reward = payment.compiled if payment is not None else None
        world, agent = inner, agent or own
    if agent is None:
        agents = world.agents
        if len(agents) > 1:
            raise ArgumentError(f"the world has {len(agents)} agents: say which with agent=")
        agent = agents[0] if agents else world.add_agent()
    return world, agent, reward


def _reward(model: _core.Model, reward: str | _core.Reward | None) -> _core.Reward:
    if reward is None:
        raise ArgumentError('no reward is given: pass a text such as "Collect[JellyBean]"')
    return _core.Reward(model, reward) if isinstance(reward, str) else reward


__all__ = ["DQN", "PPO", "Learner"]
