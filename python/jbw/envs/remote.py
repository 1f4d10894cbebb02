# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One agent in a world that is served elsewhere, as a Gymnasium environment."""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    ObservationForm,
    RewardLike,
    Step,
    VisionKind,
    check_choice,
    make_payment,
)
from jbw.envs.spaces import action_space, observation_space
from jbw.remote import RemoteAgent, RemoteWorld, connect


class RemoteEnv(gymnasium.Env[Any, Any]):
    """An agent's life in a world that others share.

    `terminated` and `truncated` are always False. The world goes on whatever this environment
    does: a `reset` adds an agent the first time, and after that takes the old one out of the
    world and adds a new one, unless `strict` makes that an error. Seeds mean nothing here, since
    the world has its own. Each step waits for the agents of others. Rewards are worked out here,
    from what became of the agent's action.

    Args:
        url: of the server, such as "ws://127.0.0.1:8765"; or a `jbw.RemoteWorld`, which stays
            open then.
        token: that permits to act.
        reward: as in `JellyBeanWorldEnv`.
        observation, vision: as in `JellyBeanWorldEnv`.
        strict: makes a second `reset` an error.
        connection: further arguments of `jbw.connect`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as in the base class

    def __init__(
        self,
        url: str | RemoteWorld,
        token: str | None = None,
        reward: RewardLike = DEFAULT_REWARD,
        *,
        observation: ObservationForm = "dict",
        vision: VisionKind = "color",
        strict: bool = False,
        render_mode: None = None,
        **connection: Any,
    ) -> None:
        check_choice("observation", observation, ObservationForm)
        check_choice("vision", vision, VisionKind)
        self.render_mode = render_mode
        self._is_own = isinstance(url, str)
        self._world = connect(url, token, **connection) if isinstance(url, str) else url
        self._agent: RemoteAgent | None = None
        self._payment = make_payment(self._world.model, reward)
        self._form = observation
        self._vision = vision
        self.strict = bool(strict)
        # nobody knows how many agents others will add
        self.observation_space = observation_space(self._world.model, observation, vision, None)
        self.action_space = action_space(self._world.model)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Adds the agent, anew if there is one: (observation, info)."""
        super().reset(seed=seed)
        if self._agent is not None:
            if self.strict:
                raise RuntimeError("this environment is strict: its one life cannot be reset")
            self._agent.remove()
            self._agent = None
        self._agent = agent = self._world.add_agent()
        return self._observation(agent, moved=False), self._info(agent, agent.time)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """(observation, reward, False, False, info), after one step of the world.

        `info` is as that of `JellyBeanWorldEnv`, with `resumed`: True if the connection was lost
        meanwhile; then the action may be lost too, and the world may be at an earlier time than
        before.
        """
        agent = self.agent
        agent.act(int(action))
        result = agent.result
        observation = self._observation(agent, moved=result.moved)
        info = self._info(agent, max(result.time - 1, 0))
        return observation, self._reward(agent, result), False, False, info

    def close(self) -> None:
        """Takes the agent out of the world and says goodbye."""
        if self._agent is not None:
            self._agent.remove()
            self._agent = None
        if self._is_own:
            self._world.close()

    @property
    def world(self) -> RemoteWorld:
        return self._world

    @property
    def agent(self) -> RemoteAgent:
        if self._agent is None:
            raise ResetNeeded("call reset first")
        return self._agent

    @property
    def model(self) -> _core.Model:
        return self._world.model

    def _reward(self, agent: RemoteAgent, result: _core.Result) -> float:
        if agent.resumed:
            return 0.0  # what it did in the latest step may be long ago
        if self._payment.compiled is not None:
            return agent.reward(self._payment.compiled)
        if self._payment.function is None:
            return 0.0
        step = Step(
            time=result.time - 1,
            action=result.action or "NoOp",
            moved=result.moved,
            collected=result.collected,
            start=agent.start,
            position_before=result.position_before,
            position=result.position,
            agent=cast(_core.Agent, agent),  # it has the same properties
        )
        return float(self._payment.function(step))

    def _seen(self, agent: RemoteAgent) -> NDArray[np.float32]:
        return agent.vision if self._vision == "color" else agent.item_vision

    def _observation(self, agent: RemoteAgent, *, moved: bool) -> Any:
        if self._form == "vision":
            return self._seen(agent)
        if self._form == "scent":
            return agent.scent
        parts: dict[str, Any] = {"vision": self._seen(agent)}
        if self._world.model.scent_dimensions > 0:
            parts["scent"] = agent.scent
        if self._form == "dict":
            return {**parts, "moved": np.int64(moved)}
        flat = [part.ravel() for part in parts.values()]
        return np.concatenate([*flat, np.array([moved], np.float32)])

    def _info(self, agent: RemoteAgent, paid_time: int) -> dict[str, Any]:
        names = self._world.item_names
        result = agent.result
        return {
            "position": agent.position,
            "start": agent.start,
            "direction": agent.direction,
            "time": agent.time,
            "collected": result.collected,
            "inventory": dict(zip(names, map(int, agent.inventory), strict=True)),
            "outcome": result.outcome,
            "reward_function": self._payment.at(paid_time),
            "resumed": agent.resumed,
        }


__all__ = ["RemoteEnv"]
