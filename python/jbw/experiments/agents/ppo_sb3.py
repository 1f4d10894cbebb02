# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The paper's learner: PPO with a recurrent network, through sb3-contrib's RecurrentPPO.

    vision (2R+1, 2R+1, c) -- conv 3x3, stride 2, 16 -- conv 2x2, 16 -- dense 512 --+
                                                                                    +-- LSTM
    scent (s) ------------------------------- dense 32 ---------------- dense 512 --+     |
                                                                              value, policy

The paper gives these sizes and nothing else: activations (ReLU), the size of the LSTM and all
parameters of PPO are our choice, see `DEFAULTS`. Value and policy share the LSTM, and both train
it.
"""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import RecurrentPPO
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from jbw.experiments.agents import Agent
from jbw.experiments.errors import ExperimentError
from jbw.experiments.life import Life

#: The options, which --option changes. Rewards are rare, so strides are long and form one batch:
#: most short ones would contain no reward, and normalised advantages of zeros are noise.
DEFAULTS: dict[str, Any] = {
    "lstm": 256,
    "n_steps": 512,
    "batch_size": 512,
    "n_epochs": 8,
    "learning_rate": 1e-3,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.01,
    "vf_coef": 0.5,
    "max_grad_norm": 0.5,
    "normalize_advantage": True,
    "worlds": 1,
    "threads": 1,
}

SENSES: tuple[str, ...] = ("vision", "scent")


class PaperNetwork(BaseFeaturesExtractor):
    """The layers before the LSTM: one part per sense, concatenated."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        super().__init__(observation_space, 512 * len(observation_space.spaces))
        parts = {}
        if "vision" in observation_space.spaces:
            shape = observation_space["vision"].shape
            assert shape is not None
            if shape[0] < 5:
                raise ExperimentError("the paper's network needs a vision_range of 2 or more")
            side = (shape[0] - 3) // 2 + 1 - 1
            parts["vision"] = nn.Sequential(
                nn.Conv2d(shape[2], 16, 3, stride=2),
                nn.ReLU(),
                nn.Conv2d(16, 16, 2),
                nn.ReLU(),
                nn.Flatten(),
                nn.Linear(16 * side * side, 512),
                nn.ReLU(),
            )
        if "scent" in observation_space.spaces:
            shape = observation_space["scent"].shape
            assert shape is not None
            parts["scent"] = nn.Sequential(
                nn.Linear(shape[0], 32), nn.ReLU(), nn.Linear(32, 512), nn.ReLU()
            )
        self.parts = nn.ModuleDict(parts)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """(n, 512 for each sense)."""
        hidden = []
        for name, part in self.parts.items():
            seen = observations[name]
            if name == "vision":
                seen = seen.permute(0, 3, 1, 2)  # torch wants colours first
            hidden.append(part(seen))
        return torch.cat(hidden, dim=1)


class PaperPolicy(RecurrentActorCriticPolicy):
    """One LSTM with two heads. In sb3-contrib only the policy trains a shared LSTM; here the value
    trains it, too, since nothing in the paper says otherwise."""

    @staticmethod
    def _process_sequence(
        features: torch.Tensor,
        lstm_states: tuple[torch.Tensor, torch.Tensor],
        episode_starts: torch.Tensor,
        lstm: nn.LSTM,
    ) -> tuple[torch.Tensor, Any]:
        """The outputs of the LSTM and its new state."""
        if len(features) != lstm_states[0].shape[1]:
            general = RecurrentActorCriticPolicy._process_sequence
            outputs, state = general(features, lstm_states, episode_starts, lstm)
            return outputs, state
        # one step per world: a plain cell takes a fifth of the time of the general LSTM, which on a
        # CPU packs its weights each time
        kept = (1.0 - episode_starts)[:, None]
        state = torch.lstm_cell(
            features,
            [lstm_states[0][0] * kept, lstm_states[1][0] * kept],
            lstm.weight_ih_l0,
            lstm.weight_hh_l0,
            lstm.bias_ih_l0,
            lstm.bias_hh_l0,
        )
        return state[0], (state[0][None], state[1][None])

    def evaluate_actions(
        self,
        obs: Any,
        actions: torch.Tensor,
        lstm_states: RNNStates,
        episode_starts: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values, log-probabilities of the actions, and entropies."""
        remembered, _ = self._process_sequence(
            self.extract_features(obs), lstm_states.pi, episode_starts, self.lstm_actor
        )
        choice = self._get_action_dist_from_latent(remembered)
        entropy = choice.entropy()
        assert entropy is not None
        return self.value_net(remembered), choice.log_prob(actions), entropy


class LifeVecEnv(VecEnv):
    """A `Life` as a Stable-Baselines3 environment: its world, or its worlds in the native batch.

    Observations are dicts of the senses, without `moved`, for which the paper's network has no
    input. Nothing is ever reset: `reset` returns the current observation.
    """

    def __init__(self, life: Life) -> None:
        self.life = life
        env = life.env
        if life.worlds == 1:
            whole, actions = env.observation_space, env.action_space
        else:
            whole, actions = env.single_observation_space, env.single_action_space  # type: ignore[union-attr]
        if isinstance(whole, spaces.Dict):
            senses = {name: whole[name] for name in SENSES if name in whole.spaces}
            self._single = None
        else:
            self._single = "vision" if len(whole.shape or ()) == 3 else "scent"
            senses = {self._single: whole}
        self._senses = tuple(senses)
        self.render_mode = None
        super().__init__(life.worlds, spaces.Dict(senses), actions)
        self._never = np.zeros(life.worlds, np.bool_)
        self._nothing: list[dict[str, Any]] = [{} for _ in range(life.worlds)]
        self._asked: NDArray[Any] = np.zeros(life.worlds, np.int64)

    def _perceived(self) -> dict[str, NDArray[np.float32]]:
        latest = self.life.observation
        parts = {self._single: latest} if self._single is not None else latest
        if self.life.worlds == 1:
            return {name: parts[name][None] for name in self._senses}
        return {name: parts[name] for name in self._senses}

    def reset(self) -> Any:
        """The current observation. A life cannot be restarted."""
        return self._perceived()

    def step_async(self, actions: NDArray[Any]) -> None:
        self._asked = actions

    def step_wait(self) -> Any:
        if self.life.worlds == 1:
            rewards = np.array([self.life.step(int(self._asked[0]))], np.float32)
        else:
            rewards = self.life.step(self._asked).astype(np.float32)
        return self._perceived(), rewards, self._never.copy(), self._nothing

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.life.env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("a life cannot be changed from outside")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError("a life cannot be changed from outside")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class PPO(Agent):
    """The paper's learner in one world that never ends. For its options see `DEFAULTS`.

    It lives in strides of `n_steps` steps, and learns after each stride.
    """

    def __init__(self, life: Life, seed: int, **options: Any) -> None:
        super().__init__(life, seed)
        _check_options(options)
        self._options = {**DEFAULTS, "worlds": life.worlds, **options}
        self._build(life)

    @classmethod
    def world_count(cls, options: dict[str, Any]) -> int:
        _check_options(options)
        return int(options.get("worlds", cls.worlds))

    def _build(self, life: Life) -> None:
        """Creates the learner and the network in their initial state."""
        chosen = dict(self._options)
        del chosen["worlds"]
        torch.set_num_threads(int(chosen.pop("threads")))
        lstm = chosen.pop("lstm")
        self._learner = RecurrentPPO(
            PaperPolicy,
            LifeVecEnv(life),
            policy_kwargs={
                "features_extractor_class": PaperNetwork,
                "net_arch": [],
                "lstm_hidden_size": lstm,
                "shared_lstm": True,
                "enable_critic_lstm": False,
                "normalize_images": False,
            },
            seed=self.seed % 2**32,
            device="cpu",
            **chosen,
        )
        self._learner.set_logger(Logger(folder=None, output_formats=[]))
        # a constant learning rate: a never-ending life has no remaining time to anneal over
        _, self._callback = self._learner._setup_learn(total_timesteps=2**62)
        # a life begins with a zero LSTM state, so its first step needs no episode start; with one,
        # the first stride would go through the LSTM step by step, which takes twenty times as long
        self._learner._last_episode_starts = np.zeros(life.worlds, np.bool_)

    def live(self, life: Life, steps: int) -> None:
        learner = self._learner
        goal = life.steps + steps
        while life.steps < goal:
            assert learner.env is not None
            learner.collect_rollouts(
                learner.env, self._callback, learner.rollout_buffer, learner.n_steps
            )
            if self.learning:
                learner.train()

    def __getstate__(self) -> dict[str, Any]:
        learner = self._learner
        return {
            "seed": self.seed,
            "learning": self.learning,
            "options": self._options,
            "network": {name: t.numpy() for name, t in learner.policy.state_dict().items()},
            "optimizer": _as_arrays(learner.policy.optimizer.state_dict()),
            "memory": [[part.numpy() for part in pair] for pair in learner._last_lstm_states],
            "starts": learner._last_episode_starts,
            "steps": learner.num_timesteps,
            "updates": learner._n_updates,
            # torch and SB3 draw from global generators
            "chance": (
                torch.get_rng_state().numpy(),
                np.random.get_state(),
                random.getstate(),
                learner.action_space.np_random.bit_generator.state,
            ),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.seed, self.learning = state["seed"], state["learning"]
        self._options, self._saved = state["options"], state

    def resume(self, life: Life) -> None:
        saved = self.__dict__.pop("_saved")
        self._build(life)
        learner = self._learner
        learner.policy.load_state_dict({n: torch.tensor(a) for n, a in saved["network"].items()})
        learner.policy.optimizer.load_state_dict(_as_tensors(saved["optimizer"]))
        pairs = [tuple(torch.tensor(part) for part in pair) for pair in saved["memory"]]
        learner._last_lstm_states = RNNStates(*pairs)
        learner._last_episode_starts = saved["starts"]
        learner.num_timesteps, learner._n_updates = saved["steps"], saved["updates"]
        of_torch, of_numpy, of_python, of_actions = saved["chance"]
        learner.action_space.np_random.bit_generator.state = of_actions
        torch.set_rng_state(torch.tensor(of_torch))
        np.random.set_state(of_numpy)
        random.setstate(of_python)


class VectorPPO(PPO):
    """The same network learning from many worlds at once, which the paper does not allow: a faster,
    different experiment. Steps are those of each world, rewards the mean over all worlds."""

    worlds = 16


def _check_options(options: dict[str, Any]) -> None:
    unknown = [repr(name) for name in options if name not in DEFAULTS]
    if unknown:
        raise ExperimentError(
            f"PPO has no option {', '.join(unknown)}: it has {', '.join(DEFAULTS)}"
        )
    kinds = {int: "a whole number above zero", float: "a number", bool: "true or false"}
    for name, value in options.items():
        kind = type(DEFAULTS[name])
        fits = type(value) is kind or (kind is float and type(value) is int)
        if not fits or (kind is int and value < 1):
            raise ExperimentError(
                f"PPO's option {name} is {value!r}, expected {kinds[kind]}, such as "
                f"{json.dumps(DEFAULTS[name])}"
            )


def _as_arrays(value: Any) -> Any:
    """Converts tensors to arrays, whose pickles are reproducible."""
    if isinstance(value, torch.Tensor):
        return value.numpy()
    if isinstance(value, dict):
        return {key: _as_arrays(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_arrays(part) for part in value]
    return value


def _as_tensors(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return torch.tensor(value)
    if isinstance(value, dict):
        return {key: _as_tensors(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_tensors(part) for part in value]
    return value
