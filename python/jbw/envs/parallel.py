# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many agents in one world, as a PettingZoo environment in which all act at once."""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping, Sequence
from typing import Any, Self, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    Payment,
    RewardLike,
    check_generation_threads,
    check_seed,
    draw_seed,
    make_payment,
)
from jbw.envs.options import EnvOptions, LocalEnv
from jbw.envs.registration import many_arguments
from jbw.envs.spaces import action_space, layout_space
from jbw.envs.team_state import state_space, team_state

Place = tuple[int, int]


class JellyBeanWorldParallelEnv(LocalEnv, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """Agents that share an endless world, and may join and leave it at any time.

    The arguments are those of `JellyBeanWorldEnv`, and:

    Args:
        agents: the number of agents after a reset, named agent_0, agent_1, ...; or their names.
        reward: one for all, or a mapping from names to rewards; agents that are not in it get none.
        teams: the names of teams and of their agents, for rewards such as
            ``Team[Collect[JellyBean]]``. Agents that are in none are alone; without `teams`, all
            agents are one team.
        bodies: the bodies of some agents, by name: one of `model.bodies`, or None for that of
            `agent`. The others have `body`. Or a sequence of bodies, which all agents take in turn.
        max_agents: the largest number of agents at a time; None for no limit. If agents may share
            cells and have a color or a scent, observations are bounded only with this argument.

    An agent that leaves is gone at once; the next `step` reports it as terminated, once. Agents are
    never terminated or truncated otherwise.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base class
        "name": "jelly_bean_world_v0",
        "render_modes": ["rgb_array", "ansi"],
        "render_fps": 10,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        world: Any = "paper-code",
        agents: int | Sequence[str] = 2,
        reward: RewardLike | Mapping[str, RewardLike] = DEFAULT_REWARD,
        *,
        teams: Mapping[str, Sequence[str]] | None = None,
        generation_threads: int = 0,
        max_agents: int | None = None,
        bodies: Mapping[str, str | None] | Sequence[str | None] | None = None,
        **options: Unpack[EnvOptions],
    ) -> None:
        self._first = _names(agents)
        self._team_names = _teams(teams, self._first)
        self._team_of: dict[str, str | None] = {}  # of agents that have joined
        if max_agents is not None and max_agents < len(self._first):
            raise ValueError(f"max_agents is {max_agents}, but there are {len(self._first)} agents")
        self.max_agents = max_agents
        options.setdefault("render_size", (61, 61))
        options.setdefault("render_scale", 12)
        options.setdefault("render_panel", False)
        self._set_options(world, **options)
        self._bodies = _bodies(bodies, self._first)
        for name, body in self._bodies.items():
            if name not in self._first:
                raise ValueError(f"bodies names {name}, which is no agent's name")
            self._model.action_mask(body)  # which checks the name
        self._generation_threads = check_generation_threads(generation_threads)
        self._rewards = reward
        self._payments: dict[str, Payment] = {}
        self._make_default_payment()
        self._check_task(self._default_payment)
        if isinstance(reward, Mapping):
            self._payments = {name: make_payment(self._model, one) for name, one in reward.items()}
            unknown = sorted(set(self._payments) - set(self._first))
            if unknown:
                raise ValueError(f"reward names {', '.join(unknown)}, which is no agent's name")
            for payment in self._payments.values():
                self._check_task(payment)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {}
        self.action_spaces: dict[str, spaces.Space[Any]] = {}
        self.possible_agents: list[str] = list(self._first)
        self.agents: list[str] = []
        self._members: dict[str, _core.Agent] = {}
        self._seats: dict[str, int] = {}  # rows of `state`
        self._state_space: spaces.Box | None = None
        self._team: _core.Team | None = None
        self._left: dict[str, tuple[Any, dict[str, Any]]] = {}
        self._joined = len(self._first)  # the number of the next agent that joins
        self._world: _core.World | None = None
        self._np_random: np.random.Generator | None = None

    def _make_default_payment(self) -> None:
        """The reward of agents without one of their own."""
        one = None if isinstance(self._rewards, Mapping) else self._rewards
        self._default_payment = make_payment(self._model, one)

    # ------------------------------------------------------------------------------------ lives

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts a new life for all: (observations, infos), by agent."""
        self._check_reset(self._world is not None)
        if seed is not None:
            seed = check_seed(seed)
            self._np_random, _ = seeding.np_random(seed)
        if seed is None:
            seed = draw_seed(self.np_random)
        viewers = self._world.viewers if self._world is not None else ()
        self._world = _core.World(self._model, seed, generation_threads=self._generation_threads)
        self._world.reward = self._shared_reward()
        for viewer in viewers:
            viewer.show(self._world)
        self._members, self._team = {}, self._make_team(self._world)
        self._left, self._seats = {}, {}
        self._team_of = {}
        self.agents = list(self._first)
        self.possible_agents = list(self._first)
        for name in self._first:
            self._admit(name, self._world.add_agent(body=self._bodies.get(name, self.body)))
        self._joined = len(self._first)
        observations = {name: self.observe(name) for name in self.agents}
        infos = {name: self._info(name) for name in self.agents}
        if self.info_kind != "none":
            for info in infos.values():
                info["seed"] = seed
        return observations, infos

    def _make_team(self, world: _core.World) -> _core.Team:
        return _core.Team(
            world, **self._layout.core_arguments(), copy=self.copy, info=self.info_kind
        )

    def _admit(self, name: str, member: _core.Agent) -> None:
        payment = self._payment(name).compiled
        self._live_team().add(name, member, payment, self._team_number(name))
        self._members[name] = member
        if name not in self._seats:
            taken = set(self._seats.values())
            free = (seat for seat in range(self._seat_count) if seat not in taken)
            if (seat := next(free, None)) is not None:
                self._seats[name] = seat

    def team(self, name: str) -> str | None:
        """The name of an agent's team; None if it is in none."""
        if self._team_names is None:
            return None
        if name in self._team_of:
            return self._team_of[name]
        return next((team for team, names in self._team_names.items() if name in names), None)

    def _team_number(self, name: str) -> int:
        """Equal for agents that are paid together."""
        if self._team_names is None:
            return 0
        team = self.team(name)
        if team is not None:
            return list(self._team_names).index(team)
        return len(self._team_names) + self.possible_agents.index(name)

    def _shared_reward(self) -> str | None:
        """The reward of all agents, for pages; None if they have different ones, or a function."""
        payments = [self._payment(name).compiled for name in self._first]
        texts = {None if compiled is None else compiled.text for compiled in payments}
        return texts.pop() if len(texts) == 1 else None

    def _payment(self, name: str) -> Payment:
        return self._payments.get(name, self._default_payment)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Steps the world with an action for every agent: five dicts by agent.

        If actions compete, they count as requested in the order in which the agents were added.
        Without agents nothing happens.
        """
        results = self._live_team().step(actions)
        observations, rewards, terminations, truncations, infos = results
        if self._pays_in_python:
            for name in self.agents:
                payment = self._payment(name)
                if payment.function is not None:
                    rewards[name] = payment.ask(self._members[name])
                    self._name_reward(name, infos[name])
        if self._layout.is_made_here:
            for name, observation in observations.items():
                observations[name] = self._assemble(name, observation)
        for name, (observation, info) in self._left.items():
            observations[name], rewards[name], infos[name] = observation, 0.0, info
            terminations[name], truncations[name] = True, False
        self._left = {}
        return results

    def join(
        self,
        name: str | None = None,
        *,
        position: Place | None = None,
        direction: str | int = "up",
        reward: RewardLike = None,
        team: str | None = None,
        body: str | None = None,
    ) -> str:
        """Adds an agent now, and returns its name; `observe(name)` is its first observation.

        Names are not used twice in a life. `reward` is the agent's own; None means the common one.
        `team` is one of `teams`; None means none of them.
        `body` is one of `model.bodies`; None means the common one.
        """
        world = self._live()
        if team is not None and team not in (self._team_names or ()):
            known = ", ".join(self._team_names or ()) or "none"
            raise ValueError(f"there is no team {team!r}; teams: {known}")
        if self.max_agents is not None and len(self.agents) >= self.max_agents:
            raise ValueError(f"there are {len(self.agents)} agents already, which is max_agents")
        if name is None:
            name = f"agent_{self._joined}"
            while name in self.possible_agents:
                self._joined += 1
                name = f"agent_{self._joined}"
        elif name in self.possible_agents:
            raise ValueError(f"the name {name} is taken, or was earlier in this life")
        payment = None if reward is None else make_payment(self._model, reward)
        if payment is not None:
            self._check_task(payment)
        chosen = self.body if body is None else body
        member = world.add_agent(position, direction, body=chosen)  # type: ignore[arg-type]
        if payment is not None:
            self._payments[name] = payment
        self._team_of[name] = team
        self._joined += 1
        self.agents = [*self.agents, name]
        self.possible_agents = [*self.possible_agents, name]
        self._admit(name, member)
        return name

    def leave(self, name: str) -> None:
        """Removes an agent from the world now. The next `step` reports it as terminated."""
        self._live()
        self._member(name)
        self._left[name] = (self.observe(name), self._info(name))
        self._members.pop(name).remove()
        self._seats.pop(name, None)
        self._live_team().remove(name)
        self.agents = [other for other in self.agents if other != name]

    def write(self, agent: str, text: str | None) -> None:
        """What an agent writes: see `JellyBeanWorldEnv.write`."""
        self._member(agent)
        self._live_team().write(agent, text)

    # ------------------------------------------------------------------------- what one perceives

    def observe(self, agent: str) -> Any:
        """The current observation of an agent."""
        self._member(agent)
        observation = self._live_team().observe(agent)
        return self._assemble(agent, observation) if self._layout.is_made_here else observation

    @property
    def _seat_count(self) -> int:
        return len(self._first) if self.max_agents is None else self.max_agents

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state`."""
        if self._state_space is None:
            self._state_space = state_space(
                self._model, self._layout, self._seat_count, self.max_agents
            )
        return self._state_space

    def state(self) -> NDArray[np.float32]:
        """What all agents know together, for critics: float32 (seats * features).

        There are `max_agents` seats, or as many as there are agents after a reset. An agent keeps
        its seat; one that joins takes the first that is free, if there is one. Of each, there are
        1, the observation, x and y from the middle of all agents with a seat, the direction and the
        body, one-hot, and the inventory; zeros if nobody is there.
        """
        self._live()
        seated = {
            seat: (self._members[name], self.observe(name)) for name, seat in self._seats.items()
        }
        return team_state(self.state_space, self._seat_count, seated, self._model.bodies)

    def _assemble(self, name: str, observation: Any) -> Any:
        return self._layout.assemble(observation, self._payment(name).weights(self._live().time))

    def _info(self, name: str) -> dict[str, Any]:
        info = self._live_team().info(name)
        self._name_reward(name, info)
        return info

    def _name_reward(self, name: str, info: dict[str, Any]) -> None:
        payment = self._payment(name)
        if payment.function is not None and self.info_kind == "full":
            info["reward_function"] = payment.name

    @property
    def _pays_in_python(self) -> bool:
        return self._default_payment.function is not None or any(
            payment.function is not None for payment in self._payments.values()
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for the same agent, so that it can be seeded."""
        if agent not in self.observation_spaces:
            self.observation_spaces[agent] = layout_space(
                self._model, self._layout, self.max_agents
            )
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for the same agent, so that it can be seeded."""
        if agent not in self.action_spaces:
            self.action_spaces[agent] = action_space(self._model)
        return self.action_spaces[agent]

    def action_mask(self, agent: str) -> NDArray[np.int8]:
        """(actions) 1 for what an agent's body can do, and 0: `infos[agent]["action_mask"]`, which
        worlds without bodies do not have."""
        return self._model.action_mask(self._member(agent).body)

    def render(self) -> Any:
        """The surroundings of the first agent, or of the origin without agents."""
        if self.render_mode is None:
            return None
        world = self._live()
        first = self._members[self.agents[0]] if self.agents else None
        if self.render_mode == "rgb_array":
            return self._renderer.picture(world, first)
        center = first.position if first is not None else (0, 0)
        return "\n".join(self._renderer.rows(world, center)) + "\n"

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    # -------------------------------------------------------------------------------- the rest

    @property
    def np_random(self) -> np.random.Generator:
        """Where a reset without a seed draws its seed."""
        if self._np_random is None:
            self._np_random, _ = seeding.np_random()
        return self._np_random

    @property
    def world(self) -> _core.World:
        """The world of this life, to look at, edit, clone or save."""
        return self._live()

    def member(self, name: str) -> _core.Agent:
        """The `jbw.Agent` with that name."""
        return self._member(name)

    def _member(self, name: str) -> _core.Agent:
        self._live()
        if name not in self._members:
            here = ", ".join(self.agents) or "none"
            gone = ", which has left" if name in self.possible_agents else ""
            raise ValueError(f"there is no agent {name!r}{gone}; agents: {here}")
        return self._members[name]

    def _live_team(self) -> _core.Team:
        if self._team is None:
            raise RuntimeError("call reset first")
        return self._team

    def _live(self) -> _core.World:
        if self._world is None:
            raise RuntimeError("call reset first")
        return self._world

    def __getstate__(self) -> dict[str, Any]:
        state = self._state_without("_default_payment", "_team")
        state["_members"] = {name: member.id for name, member in self._members.items()}
        state["_payments"] = {name: payment.source for name, payment in self._payments.items()}
        if self._team is not None:
            state["texts"] = {name: self._team.written(name) for name in self._members}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["_world"] is not None:
            state["_model"] = state["_world"].model  # one model for both
        state.setdefault("_bodies", {})  # older pickles have none
        state.setdefault("_seats", {})
        state.setdefault("_state_space", None)
        texts = state.pop("texts", {})
        self._restore(state)
        self._make_default_payment()
        self._payments = {
            name: make_payment(self._model, reward) for name, reward in state["_payments"].items()
        }
        self._members, self._team = {}, None
        if self._world is not None:
            self._world.generation_threads = self._generation_threads
            self._team = self._make_team(self._world)
            for name, number in state["_members"].items():
                self._admit(name, self._world.agent(number))
            for name, text in texts.items():
                if text:
                    self._team.write(name, text)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        state = self.__getstate__()
        model = state.pop("_model")  # read-only: shared
        world = state.pop("_world")
        state = copying.deepcopy(state, memo)
        new.__setstate__({**state, "_model": model, "_world": world and world.clone()})
        return new


def parallel_env(
    world: Any = "paper-code",
    agents: int | Sequence[str] | None = None,
    reward: RewardLike | Mapping[str, RewardLike] = ...,
    **kwargs: Any,
) -> JellyBeanWorldParallelEnv:
    """A PettingZoo environment: see `JellyBeanWorldParallelEnv` for all arguments.

    Instead of a world, an id such as ``"jbw/Village-v0"`` stands for a world and other arguments,
    which may be replaced. Unless it says otherwise, there are two agents, paid for jelly beans.
    """
    if agents is not None:
        kwargs["agents"] = agents
    if reward is not ...:
        kwargs["reward"] = reward
    return JellyBeanWorldParallelEnv(**many_arguments(world, kwargs))


def _teams(
    teams: Mapping[str, Sequence[str]] | None, agents: Sequence[str]
) -> dict[str, tuple[str, ...]] | None:
    """The names of teams and of their agents, checked."""
    if teams is None:
        return None
    found: dict[str, tuple[str, ...]] = {}
    for team, names in teams.items():
        if isinstance(names, str):
            raise TypeError(f"team {team} has {names!r}, expected a sequence of names")
        found[team] = tuple(names)
    everybody = [name for names in found.values() for name in names]
    unknown = sorted(set(everybody) - set(agents))
    if unknown:
        raise ValueError(f"teams name {', '.join(unknown)}, which is no agent's name")
    twice = sorted({name for name in everybody if everybody.count(name) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is named twice in teams")
    return found


def _bodies(
    bodies: Mapping[str, str | None] | Sequence[str | None] | None, agents: Sequence[str]
) -> dict[str, str | None]:
    """The bodies of agents by their names."""
    if isinstance(bodies, str):
        raise TypeError(f"bodies is {bodies!r}, expected a mapping or a sequence of bodies")
    if isinstance(bodies, Mapping):
        return dict(bodies)
    return {name: bodies[i % len(bodies)] for i, name in enumerate(agents)} if bodies else {}


def _names(agents: int | Sequence[str]) -> list[str]:
    if isinstance(agents, (int, np.integer)):
        if agents < 0:
            raise ValueError(f"agents is {agents}, expected 0 or more")
        return [f"agent_{i}" for i in range(int(agents))]
    if isinstance(agents, str) or not all(isinstance(name, str) for name in agents):
        raise TypeError(f"agents is {agents!r}, expected a number or a sequence of names")
    names = list(agents)
    if len(set(names)) != len(names):
        raise ValueError("two agents have the same name")
    return names
