# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds with one agent each, stepped together by threads of the C library.

    actions (n) --> Batch.step --> vision, scent, reward, moved, ... of all worlds, in place
                                       |
                    copy=True: new arrays each step        copy=False: the same arrays again

The arrays belong to the environment and are handed to the batch once. Nothing is gathered, pickled
or sent anywhere.
"""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    MAX_SEED,
    ObservationForm,
    RenderMode,
    RewardLike,
    Step,
    VisionKind,
    check_choice,
    check_seed,
    draw_seed,
    make_model,
    make_payment,
)
from jbw.envs.render import Renderer
from jbw.envs.spaces import action_space, observation_space

Results = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]

_ALL = slice(None)


class JellyBeanWorldVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """`num_envs` independent lives, each in a world of its own.

    The worlds never end, so nothing is ever reset by itself: `metadata["autoreset_mode"]` is
    DISABLED. World i does exactly what a `JellyBeanWorldEnv` with the same seed does. Arguments
    are those of `JellyBeanWorldEnv`, but for `generation_threads`, since here the processors have
    other worlds to step; and:

    Args:
        num_envs: how many worlds, at least one.
        threads: that step them; 0 is one per processor. Results do not depend on it.
        copy: returns new arrays from each step; otherwise all calls return the same ones, which the
            next call overwrites.

    `infos` has, for all worlds: `position` and `start` int64 (n, 2), `direction` uint8 (n) as 0
    up, 1 right, 2 down, 3 left, `time` int64 (n), `collected` int32 (n) as item types or -1,
    `inventory` int64 (n, item types) and `reward_function` (n) texts; and beside each `key` a mask
    `_key` (n), all True.
    """

    def __init__(
        self,
        num_envs: int = 1,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        overrides: Mapping[str, Any] | None = None,
        observation: ObservationForm = "dict",
        vision: VisionKind = "color",
        field_of_view: float | None = None,
        visual_occlusion: bool | None = None,
        strict: bool = False,
        copy: bool = True,
        threads: int = 0,
        render_mode: RenderMode | None = None,
        render_size: tuple[int, int] = (41, 41),
        render_scale: int = 12,
    ) -> None:
        check_choice("observation", observation, ObservationForm)
        check_choice("vision", vision, VisionKind)
        if render_mode is not None:
            check_choice("render_mode", render_mode, RenderMode)
        if int(num_envs) < 1:
            raise ValueError(f"num_envs is {num_envs}, expected at least 1")
        if int(threads) < 0:
            raise ValueError(f"threads is {threads}, expected 0 or more")
        self.num_envs = int(num_envs)
        self.metadata = {
            "render_modes": ["rgb_array", "ansi"],
            "render_fps": 10,
            "autoreset_mode": AutoresetMode.DISABLED,
        }
        self.render_mode = render_mode
        self.strict = bool(strict)
        self.copy = bool(copy)
        self.threads = int(threads)
        self._observation = observation
        self._vision_kind = vision
        self._model = make_model(world, overrides, field_of_view, visual_occlusion)
        self._payment = make_payment(self._model, reward)
        self._renderer = Renderer(self._model, render_size, render_scale)
        self.single_observation_space = observation_space(self._model, observation, vision)
        self.single_action_space = action_space(self._model)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._batch: _core.Batch | None = None  # the first reset makes it, as it needs seeds
        self._seeds = [0] * self.num_envs
        self._under_way = np.zeros(self.num_envs, np.bool_)
        self._sent = np.zeros(self.num_envs, np.int32)  # the actions of those
        self._make_arrays()

    def _make_arrays(self) -> None:
        """All that the batch writes to, and what is made from it, once and for all."""
        count, model = self.num_envs, self._model
        items = len(model.item_names)
        side = model.vision_shape[0]
        self._arrays: dict[str, NDArray[Any]] = {
            "reward": np.zeros(count, np.float64),
            "moved": np.zeros(count, np.uint8),
            "collected": np.full(count, -1, np.int32),
            "position": np.zeros((count, 2), np.int64),
            "direction": np.zeros(count, np.uint8),
            "time": np.zeros(count, np.uint64),
            "inventory": np.zeros((count, items), np.uint64),
        }
        sees = self._observation != "scent"
        smells = self._observation != "vision" and model.scent_dimensions > 0
        if sees and self._vision_kind == "color":
            self._arrays["vision"] = np.zeros((count, *model.vision_shape), np.float32)
        elif sees:
            self._arrays["items"] = np.zeros((count, side, side), np.uint8)
        if smells:
            self._arrays["scent"] = np.zeros((count, model.scent_dimensions), np.float32)

        # what observations are made of, in their order
        self._parts: dict[str, NDArray[Any]] = {}
        if "vision" in self._arrays:
            self._parts["vision"] = self._arrays["vision"]
        elif sees:
            self._parts["vision"] = np.zeros((count, side, side, items), np.float32)
            # row k is what item type k - 1 looks like; row 0 is nothing
            self._one_hot = np.eye(items + 1, dtype=np.float32)[:, 1:].copy()
        if smells:
            self._parts["scent"] = self._arrays["scent"]
        if self._observation in ("dict", "flat"):
            self._parts["moved"] = np.zeros(count, np.int64)
        self._moved = self._parts.get("moved")
        length = sum(part[0].size for part in self._parts.values())
        self._flat = np.zeros((count if self._observation == "flat" else 0, length), np.float32)

        self._never = _constant(np.zeros(count, np.bool_))  # terminated, truncated
        self._start = np.zeros((count, 2), np.int64)
        self._before = np.zeros((count, 2), np.int64)  # positions, for rewards in Python
        self._infos: dict[str, NDArray[Any]] = {
            "position": self._arrays["position"],
            "start": self._start,
            "direction": self._arrays["direction"],
            # signed numbers are easier to reckon with; both are the same up to 2**63
            "time": self._arrays["time"].view(np.int64),
            "collected": self._arrays["collected"],
            "inventory": self._arrays["inventory"].view(np.int64),
            "reward_function": np.full(count, self._payment.at(0), object),
        }
        always = _constant(np.ones(count, np.bool_))
        self._masks = {f"_{key}": always for key in self._infos}
        self._masks["_seed"] = always
        self._all_infos: dict[str, Any] = {**self._infos, **self._masks}
        del self._all_infos["_seed"]
        compiled = self._payment.compiled
        self._is_scheduled = compiled is not None and compiled.is_scheduled
        # nothing to be done after a step but to tell who moved
        special = self._is_scheduled or self._observation == "flat" or "items" in self._arrays
        self._is_plain = not special

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new lives: (observations, infos). `infos["seed"]` uint64 (n) are their seeds.

        A seed s gives world i the seed s + i (modulo 2**64), as Gymnasium's own vector
        environments do; so two runs share no world if their seeds are at least `num_envs` apart. A
        sequence gives each world its own; None draws from `np_random`. `options={"reset_mask":
        mask}`, bool (n), leaves the other worlds as they are. With `strict` a second life raises
        RuntimeError.
        """
        mask = self._reset_mask(options)
        if self.strict and self._batch is not None:
            raise RuntimeError(
                "this environment is strict: its lives cannot be reset. "
                "Make another environment, or leave out strict=True"
            )
        if self._under_way.any():
            raise RuntimeError("worlds are under way: call recv before reset")
        seeds = self._new_seeds(seed)
        for i in np.flatnonzero(mask):
            chosen = seeds[i]
            self._seeds[i] = draw_seed(self.np_random) if chosen is None else chosen

        if self._batch is None or mask.all():
            self._begin(self._seeds)
        else:
            for i in np.flatnonzero(mask):
                self._batch.reset(int(i), self._seeds[i])
        self._start[mask] = self._arrays["position"][mask]
        self._before[mask] = self._arrays["position"][mask]
        self._refresh()
        infos = self._latest_infos()
        return self._latest_observations(), {
            **infos,
            "seed": np.array(self._seeds, np.uint64),
            "_seed": self._masks["_seed"],
        }

    def _new_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """One per world, None for those to be drawn; seeds the environment's own generator."""
        if seed is None:
            super().reset(seed=None)
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            first = check_seed(int(seed))
            super().reset(seed=first)
            return [(first + i) & MAX_SEED for i in range(self.num_envs)]
        seeds = [None if one is None else check_seed(one) for one in seed]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} worlds")
        super().reset(seed=seeds[0])
        return seeds

    def _begin(self, seeds: Sequence[int]) -> None:
        if self._batch is not None:
            self._batch.close()
        self._batch = _core.Batch(
            self._model, seeds, self._payment.compiled, 1, self.threads, **self._arrays
        )

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        given = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_:
            raise ValueError(f"reset_mask must be bool ({self.num_envs},), not {mask!r}")
        if self._batch is None and not given.all():
            raise ResetNeeded("the first reset must be of all worlds")
        return given

    def step(self, actions: ArrayLike) -> Results:
        """(observations, rewards, terminations, truncations, infos) after a step of every world."""
        if self._batch is None:
            raise ResetNeeded("call reset before step")
        self._batch.step(actions)
        if self._payment.function is not None:
            self._ask(range(self.num_envs), np.asarray(actions))
        self._refresh()
        rewards, never = self._arrays["reward"], self._never
        if self.copy:
            rewards = rewards.copy()
            return (
                self._latest_observations(),
                rewards,
                never.copy(),
                never.copy(),
                self._latest_infos(),
            )
        return self._latest_observations(), rewards, never, never, self._all_infos

    def send(self, actions: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Hands (k) actions to (k) worlds, by default all, and returns at once."""
        batch = self._live()
        chosen = np.arange(self.num_envs) if worlds is None else np.asarray(worlds)
        numbers = np.asarray(actions)
        if chosen.ndim != 1 or numbers.shape != chosen.shape:
            raise ValueError(f"actions of shape {numbers.shape} for worlds of shape {chosen.shape}")
        batch.send(chosen.astype(np.int64), numbers.astype(np.int32))
        self._under_way[chosen] = True
        self._sent[chosen] = numbers

    def recv(self, wanted: int | None = None) -> Results:
        """The results of worlds that were sent and are done, as of `step`, in new arrays.

        Waits for at least `wanted` of them, by default all. There is one row for each world
        received; `infos["world"]` int64 (k) says which, in rising order.
        """
        batch = self._live()
        count = int(self._under_way.sum())
        if count == 0:
            raise RuntimeError("no world is under way: call send first")
        done = np.sort(batch.receive(count if wanted is None else min(int(wanted), count)))
        self._under_way[done] = False
        if self._payment.function is not None:
            self._ask(done.tolist(), self._sent)
        self._refresh(done)
        infos: dict[str, Any] = {key: values[done] for key, values in self._infos.items()}
        infos["world"] = done
        infos.update((f"_{key}", np.ones(len(done), np.bool_)) for key in list(infos))
        never = np.zeros(len(done), np.bool_)
        if self._observation == "flat":
            observations: Any = self._flat[done]
        elif self._observation == "dict":
            observations = {key: part[done] for key, part in self._parts.items()}
        else:
            observations = self._parts[self._observation][done]
        return observations, self._arrays["reward"][done], never, never.copy(), infos

    def _ask(self, rows: Sequence[int], actions: NDArray[Any]) -> None:
        """Pays by the reward function in Python: one call for each world."""
        assert self._payment.function is not None
        batch, arrays = self._live(), self._arrays
        for row in rows:
            collected = int(arrays["collected"][row])
            step = Step(
                time=int(arrays["time"][row]) - 1,
                action=self._model.action_names[int(actions[row])],
                moved=bool(arrays["moved"][row]),
                collected=None if collected < 0 else self._model.item_names[collected],
                start=_cell(self._start[row]),
                position_before=_cell(self._before[row]),
                position=_cell(arrays["position"][row]),
                agent=batch.agent(row),
            )
            arrays["reward"][row] = self._payment.function(step)
            self._before[row] = arrays["position"][row]

    def _refresh(self, rows: Any = _ALL) -> None:
        """Brings up to date what the batch does not write by itself."""
        if self._moved is not None:
            if rows is _ALL:
                np.copyto(self._moved, self._arrays["moved"])  # half the time of the line below
            else:
                self._moved[rows] = self._arrays["moved"][rows]
        if self._is_plain:
            return
        if "items" in self._arrays:
            self._parts["vision"][rows] = self._one_hot[self._arrays["items"][rows]]
        if self._observation == "flat":
            at = 0
            for part in self._parts.values():
                length = part[0].size
                self._flat[rows, at : at + length] = part[rows].reshape(-1, length)
                at += length
        if self._is_scheduled:
            # what paid for the latest step; before the first one, what will pay for it
            times = np.maximum(self._infos["time"][rows] - 1, 0)
            texts = {int(time): self._payment.at(int(time)) for time in np.unique(times)}
            self._infos["reward_function"][rows] = [texts[int(time)] for time in times]

    def _latest_observations(self) -> Any:
        if self._observation == "flat":
            return self._flat.copy() if self.copy else self._flat
        if self._observation == "dict":
            if self.copy:
                return {key: part.copy() for key, part in self._parts.items()}
            return self._parts
        part = self._parts[self._observation]
        return part.copy() if self.copy else part

    def _latest_infos(self) -> dict[str, Any]:
        if self.copy:
            infos: dict[str, Any] = {key: values.copy() for key, values in self._infos.items()}
            infos.update((f"_{key}", self._masks[f"_{key}"].copy()) for key in self._infos)
            return infos
        return self._all_infos

    def render(self) -> tuple[Any, ...] | None:
        """A picture, or a text, of each world: see `JellyBeanWorldEnv.render`."""
        if self.render_mode is None:
            return None
        batch = self._live()
        if self.render_mode == "ansi":
            return tuple(
                self._renderer.text(batch.world(i), batch.agent(i)) for i in range(self.num_envs)
            )
        return tuple(
            self._renderer.picture(batch.world(i), batch.agent(i).position)
            for i in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads, and the worlds."""
        if self._batch is not None:
            self._batch.close()

    @property
    def model(self) -> _core.Model:
        """The world file, checked and prepared."""
        return self._model

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names by item type."""
        return self._model.item_names

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names by action number."""
        return self._model.action_names

    def world(self, index: int) -> _core.World:
        """The world of that index, to look at and edit between steps. A reset replaces it."""
        return self._live().world(index)

    def _live(self) -> _core.Batch:
        if self._batch is None:
            raise ResetNeeded("call reset first")
        return self._batch

    def clone(self) -> Self:
        """A copy that goes on by itself, bit by bit as this one would, its generator included."""
        return copying.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        if self._under_way.any():
            raise RuntimeError("worlds are under way: call recv before saving or copying")
        state = self.__dict__.copy()
        rebuilt = (
            "_arrays",
            "_parts",
            "_moved",
            "_flat",
            "_never",
            "_infos",
            "_masks",
            "_all_infos",
        )
        for name in (*rebuilt, "_start", "_before", "_renderer", "_batch"):
            del state[name]
        batch = self._batch
        if batch is not None:
            state["worlds"] = [batch.world(i).clone() for i in range(self.num_envs)]
            state["rows"] = {**self._arrays, "start": self._start, "before": self._before}
        state["render"] = (self._renderer.size, self._renderer.scale)
        state["_payment"] = self._payment.function or self._payment.name
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        size, scale = state.pop("render")
        worlds, rows = state.pop("worlds", None), state.pop("rows", None)
        self.__dict__.update(state)
        self._payment = make_payment(self._model, state["_payment"])
        self._renderer = Renderer(self._model, size, scale)
        self._batch = None
        self._make_arrays()
        if worlds is None:
            return
        self._begin(self._seeds)
        for i, world in enumerate(worlds):
            self._live().set_world(i, world)
        # the latest step's rewards and results are not part of a world
        for name, values in rows.items():
            mine = {"start": self._start, "before": self._before}.get(name)
            np.copyto(self._arrays[name] if mine is None else mine, values)
        self._refresh()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        state = self.__getstate__()
        model = state.pop("_model")  # read-only: shared
        state = copying.deepcopy(state, memo)
        new.__setstate__({**state, "_model": model})
        return new


def _constant(array: NDArray[np.bool_]) -> NDArray[np.bool_]:
    array.flags.writeable = False
    return array


def _cell(pair: NDArray[np.int64]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])
