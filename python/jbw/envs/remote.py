# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One agent in a world on a server, as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    ObservationForm,
    RewardLike,
    VisionKind,
    check_choice,
    make_payment,
)
from jbw.envs.layout import make_layout
from jbw.envs.spaces import action_space, layout_space
from jbw.remote import RemoteWorld, connect
from jbw.remote_agent import RemoteAgent, check_text


class RemoteEnv(gymnasium.Env[Any, Any]):
    """An agent's life in a world that it shares with others.

    `terminated` and `truncated` are always False. The world keeps running whatever this environment
    does. The first `reset` adds an agent; later ones remove it and add a new one, unless `strict`
    makes that an error. Seeds have no effect, since the world has its own. Each step waits for the
    agents of others. Rewards are computed here, from the result of the agent's action.

    Args:
        url: of the server, such as "ws://127.0.0.1:8765"; or a `jbw.RemoteWorld`, which then stays
            open.
        token: a token that permits acting.
        reward: as in `JellyBeanWorldEnv`.
        observation, vision, note, body: as in `JellyBeanWorldEnv`.
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
        note: bool = False,
        body: str | None = None,
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
        self._layout = make_layout(self._world.model, observation, vision, note=note)
        self._mask = self._world.model.action_mask(body)  # which checks the name
        self._text: str | None = None
        self.body = body
        self.strict = bool(strict)
        # others may add any number of agents
        self.observation_space = layout_space(self._world.model, self._layout, None)
        self.action_space = action_space(self._world.model)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Adds the agent, replacing the old one: (observation, info)."""
        super().reset(seed=seed)
        if self._agent is not None:
            if self.strict:
                raise RuntimeError("this environment is strict: it cannot be reset a second time")
            self._agent.remove()
            self._agent = None
        self._text = None
        self._agent = agent = self._world.add_agent(body=self.body)
        return self._observation(agent), self._info(agent, agent.time)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """(observation, reward, False, False, info), after one step of the world.

        `info` is that of `JellyBeanWorldEnv`, and `resumed`: True if the client had to reconnect;
        then the action may be lost, and the time of the world may be earlier than before.
        """
        agent = self.agent
        has_voice = self.model.voice is not None
        numbers = [int(number) for number in action] if has_voice else [int(action)]
        agent.act(numbers[0], say=numbers[1] if has_voice else 0, text=self._written(numbers[0]))
        observation = self._observation(agent)
        info = self._info(agent, max(agent.result.time - 1, 0))
        return observation, self._reward(agent), False, False, info

    def write(self, text: str | None) -> None:
        """The next item that the agent drops and that may carry a text carries this one.

        It waits for such an action, whatever becomes of that. None takes it back, as does a reset.
        """
        self._text = check_text(text)

    def _written(self, action: int) -> str | None:
        """The text that goes with an action."""
        if self.model.action_names[action] not in {
            f"Drop[{name}]" for name in self.model.text_items
        }:
            return None
        text, self._text = self._text, None
        return text

    def action_masks(self) -> NDArray[np.bool_]:
        """(actions) True for what the agent's body can do: for learners that mask actions."""
        return self._mask.astype(np.bool_)

    def close(self) -> None:
        """Removes the agent from the world and disconnects."""
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

    def _reward(self, agent: RemoteAgent) -> float:
        if agent.resumed:
            return 0.0  # its latest step may be long ago
        if self._payment.compiled is not None:
            return agent.reward(self._payment.compiled)
        return self._payment.ask(agent)

    def _observation(self, agent: RemoteAgent) -> Any:
        return self._layout.assemble(agent.observe(*self._layout.parts.values()))

    def _info(self, agent: RemoteAgent, paid_time: int) -> dict[str, Any]:
        names = self._world.item_names
        result = agent.result
        info: dict[str, Any] = {
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
        if self.model.bodies:
            info["action_mask"] = self._mask.copy()
        return info


__all__ = ["RemoteEnv"]
