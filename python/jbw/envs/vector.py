# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds with one agent each, stepped together by threads of the C library.

    actions (n) --> Batch.step --> vision, scent, reward, moved, ... of all worlds, in place
                                       |
                    copy=True: new arrays each step        copy=False: the same arrays again

The arrays belong to the environment, and the batch writes to them directly. Nothing is gathered,
pickled or sent anywhere.
"""

from __future__ import annotations

import copy as copying
from collections.abc import Callable, Sequence
from typing import Any, Self, Unpack

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    MAX_SEED,
    RewardLike,
    check_seed,
    draw_seed,
    make_payment,
)
from jbw.envs.options import EnvOptions, LocalEnv
from jbw.envs.spaces import action_space, layout_space

Results = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]

#: The parts that infos are made of.
INFO_PARTS = ("position", "start", "direction", "time", "collected", "inventory")

_ALL = slice(None)


class JellyBeanWorldVectorEnv(LocalEnv, VectorEnv[Any, Any, NDArray[Any]]):
    """`num_envs` independent lives, each in a world of its own.

    The worlds never end, so nothing is reset automatically: `metadata["autoreset_mode"]` is
    DISABLED. World i does exactly what a `JellyBeanWorldEnv` with the same seed does. Arguments are
    those of `JellyBeanWorldEnv`, except `generation_threads`, since the processors are busy with
    other worlds; and:

    Args:
        num_envs: number of worlds, at least one.
        threads: number of threads that step them; 0 is one per processor. Results do not depend on
            it.
        copy: return new arrays from each step; otherwise all calls return the same ones, which the
            next call overwrites.

    `infos` has, for all worlds: `position` and `start` int64 (n, 2), `direction` uint8 (n) as 0
    up, 1 right, 2 down, 3 left, `time` int64 (n), `collected` int32 (n) as item types or -1,
    `inventory` int64 (n, item types) and `reward_function` (n) texts; and for each `key` a mask
    `_key` (n), all True.
    """

    def __init__(
        self,
        num_envs: int = 1,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        threads: int = 0,
        **options: Unpack[EnvOptions],
    ) -> None:
        if int(num_envs) < 1:
            raise ValueError(f"num_envs is {num_envs}, expected at least 1")
        if int(threads) < 0:
            raise ValueError(f"threads is {threads}, expected 0 or more")
        options.setdefault("render_panel", False)
        self._set_options(world, **options)
        self.num_envs = int(num_envs)
        self.threads = int(threads)
        self.metadata = {
            "render_modes": ["rgb_array", "ansi"],
            "render_fps": 10,
            "autoreset_mode": AutoresetMode.DISABLED,
        }
        self._payment = make_payment(self._model, reward)
        self.single_observation_space = layout_space(self._model, self._layout())
        self.single_action_space = action_space(self._model)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._batch: _core.Batch | None = None  # the first reset creates it, as it needs seeds
        self._seeds = [0] * self.num_envs
        self._under_way = np.zeros(self.num_envs, np.bool_)
        self._make_arrays()

    def _make_arrays(self) -> None:
        """Allocates everything that the batch writes to, and what is made from it."""
        count, parts, layout = self.num_envs, self._model.parts, self._layout()
        self._form = layout.form
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((count, *parts[name].shape), parts[name].dtype)
            for name in dict.fromkeys((*INFO_PARTS, *layout.parts.values()))
        }
        self._arrays["reward"] = np.zeros(count, np.float64)
        # the observation by its keys; single numbers are int64, as in Gymnasium's Discrete spaces
        self._parts = {key: self._arrays[name] for key, name in layout.parts.items()}
        self._converted: list[tuple[NDArray[Any], NDArray[Any]]] = []
        if self._form == "dict":
            for key, array in self._parts.items():
                if array.ndim == 1 and array.dtype.kind in "iu":
                    self._parts[key] = np.zeros(count, np.int64)
                    self._converted.append((self._parts[key], array))
        length = sum(part[0].size for part in self._parts.values())
        self._flat = np.zeros((count if self._form == "flat" else 0, length), np.float32)

        self._never = _constant(np.zeros(count, np.bool_))  # terminated, truncated
        self._infos: dict[str, NDArray[Any]] = {
            # signed numbers are easier to calculate with; both are the same up to 2**63
            name: array.view(np.int64) if array.dtype == np.uint64 else array
            for name, array in ((name, self._arrays[name]) for name in INFO_PARTS)
        }
        self._infos["reward_function"] = np.full(count, self._payment.at(0), object)
        always = _constant(np.ones(count, np.bool_))
        self._masks = {f"_{key}": always for key in self._infos}
        self._masks["_seed"] = always
        self._all_infos: dict[str, Any] = {**self._infos, **self._masks}
        del self._all_infos["_seed"]
        compiled = self._payment.compiled
        self._is_scheduled = compiled is not None and compiled.is_scheduled

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new lives: (observations, infos). `infos["seed"]` uint64 (n) are their seeds.

        A seed s gives world i the seed s + i (modulo 2**64), as in Gymnasium's own vector
        environments; so two runs share no world if their seeds are at least `num_envs` apart. A
        sequence gives each world its own; None draws from `np_random`. `options={"reset_mask":
        mask}`, bool (n), resets only some worlds. With `strict` a second life raises RuntimeError.
        """
        mask = self._reset_mask(options)
        self._check_reset(self._batch is not None)
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
        self._refresh()
        infos = self._latest_infos()
        return self._latest_observations(), {
            **infos,
            "seed": np.array(self._seeds, np.uint64),
            "_seed": self._masks["_seed"],
        }

    def _new_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """One per world, None for those to draw; also seeds the environment's own generator."""
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
            raise ResetNeeded("the first reset must reset all worlds")
        return given

    def step(self, actions: ArrayLike) -> Results:
        """(observations, rewards, terminations, truncations, infos) after a step of every world."""
        if self._batch is None:
            raise ResetNeeded("call reset before step")
        self._batch.step(actions)
        if self._payment.function is not None:
            self._ask(range(self.num_envs))
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
        """Starts a step of (k) worlds, by default all, with (k) actions, and returns at once."""
        batch = self._live()
        chosen = np.arange(self.num_envs) if worlds is None else np.asarray(worlds)
        numbers = np.asarray(actions)
        if chosen.ndim != 1 or numbers.shape != chosen.shape:
            raise ValueError(f"actions of shape {numbers.shape} for worlds of shape {chosen.shape}")
        batch.send(chosen.astype(np.int64), numbers.astype(np.int32))
        self._under_way[chosen] = True

    def recv(self, wanted: int | None = None) -> Results:
        """The results of worlds that were sent and are done, like `step`, in new arrays.

        Waits for at least `wanted` of them, by default all. There is one row for each of these
        worlds; `infos["world"]` int64 (k) says which, in ascending order.
        """
        batch = self._live()
        count = int(self._under_way.sum())
        if count == 0:
            raise RuntimeError("no world is under way: call send first")
        done = np.sort(batch.receive(count if wanted is None else min(int(wanted), count)))
        self._under_way[done] = False
        if self._payment.function is not None:
            self._ask(done.tolist())
        self._refresh(done)
        infos: dict[str, Any] = {key: values[done] for key, values in self._infos.items()}
        infos["world"] = done
        infos.update((f"_{key}", np.ones(len(done), np.bool_)) for key in list(infos))
        never = np.zeros(len(done), np.bool_)
        observations = self._observations(lambda array: array[done])
        return observations, self._arrays["reward"][done], never, never.copy(), infos

    def _ask(self, rows: Sequence[int]) -> None:
        """Gets the rewards of a Python function: one call for each world."""
        batch, rewards = self._live(), self._arrays["reward"]
        for row in rows:
            rewards[row] = self._payment.ask(batch.agent(row))

    def _refresh(self, rows: Any = _ALL) -> None:
        """Updates what the batch does not write itself."""
        for array, source in self._converted:
            if rows is _ALL:
                np.copyto(array, source)  # half the time of the line below
            else:
                array[rows] = source[rows]
        if self._form == "flat":
            at = 0
            for part in self._parts.values():
                length = part[0].size
                self._flat[rows, at : at + length] = part[rows].reshape(-1, length)
                at += length
        if self._is_scheduled:
            # the reward for the latest step; before the first step, the reward for that one
            times = np.maximum(self._infos["time"][rows] - 1, 0)
            texts = {int(time): self._payment.at(int(time)) for time in np.unique(times)}
            self._infos["reward_function"][rows] = [texts[int(time)] for time in times]

    def _observations(self, take: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
        """Observations made of what is taken from each array."""
        if self._form == "flat":
            return take(self._flat)
        taken = {key: take(part) for key, part in self._parts.items()}
        return taken if self._form == "dict" else next(iter(taken.values()))

    def _latest_observations(self) -> Any:
        if self.copy:
            return self._observations(np.copy)
        return self._parts if self._form == "dict" else self._observations(_same)

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
            self._renderer.picture(batch.world(i), batch.agent(i), self._payment, i)
            for i in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads and destroys the worlds."""
        if self._batch is not None:
            self._batch.close()

    def world(self, index: int) -> _core.World:
        """The world with that index, to look at and edit between steps. A reset replaces it."""
        return self._live().world(index)

    def _live(self) -> _core.Batch:
        if self._batch is None:
            raise ResetNeeded("call reset first")
        return self._batch

    def __getstate__(self) -> dict[str, Any]:
        if self._under_way.any():
            raise RuntimeError("worlds are under way: call recv before saving or copying")
        state = self._state_without(
            "_arrays",
            "_parts",
            "_converted",
            "_flat",
            "_never",
            "_infos",
            "_masks",
            "_all_infos",
            "_batch",
        )
        batch = self._batch
        if batch is not None:
            state["worlds"] = [batch.world(i).clone() for i in range(self.num_envs)]
            state["rows"] = self._arrays
        return {**state, "_payment": self._payment.source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        worlds, rows = state.pop("worlds", None), state.pop("rows", None)
        self._restore(state)
        self._payment = make_payment(self._model, state["_payment"])
        self._batch = None
        self._make_arrays()
        if worlds is None:
            return
        self._begin(self._seeds)
        for i, world in enumerate(worlds):
            self._live().set_world(i, world)
        # rows are as of the latest step: a world may have been edited since, and does not know the
        # rewards of a Python function
        for name, values in rows.items():
            if name in self._arrays:
                np.copyto(self._arrays[name], values)
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


def _same(array: NDArray[Any]) -> NDArray[Any]:
    return array
