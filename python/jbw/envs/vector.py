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
from typing import Any, Literal, Self, TypeAlias, Unpack

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from jbw import _core
from jbw.envs.common import (
    DEFAULT_REWARD,
    MAX_SEED,
    Payment,
    RewardLike,
    check_choice,
    check_seed,
    draw_seed,
    make_payment,
)
from jbw.envs.infos import INFO_PARTS, Facts, Infos, Telling
from jbw.envs.options import EnvOptions, LocalEnv
from jbw.envs.spaces import action_space, layout_space

Results = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]
Autoreset: TypeAlias = Literal["next_step", "same_step", "disabled"]

_ALL = slice(None)
_MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class JellyBeanWorldVectorEnv(LocalEnv, VectorEnv[Any, Any, NDArray[Any]]):
    """`num_envs` independent lives, each in a world of its own.

    World i does exactly what a `JellyBeanWorldEnv` with the same seed does. Arguments are those of
    `JellyBeanWorldEnv`, except `generation_threads`, since the processors are busy with other
    worlds; and:

    Args:
        num_envs: number of worlds, at least one.
        threads: number of threads that step them; 0 is one per processor. Results do not depend on
            it.
        max_episode_steps: truncates lives after so many steps. Without it, the worlds never end.
        autoreset_mode: what happens then: "next_step", "same_step" or "disabled", as
            `gymnasium.vector.AutoresetMode` explains. Nothing is reset in worlds that never end;
            but some libraries insist on a mode.
        copy: return new arrays from each step; otherwise all calls return the same ones, which the
            next call overwrites.

    `infos` is made only when it is first used. With `info="full"` it is what Gymnasium's own
    vector environments make of the infos of `JellyBeanWorldEnv`. With "numbers" it has int64
    arrays of n rows: `position` and `start` (n, 2), `direction` as 0 up, 1 right, 2 down, 3 left,
    `time`, `collected` as item types or -1, `inventory` (n, item types) and `outcome`. Both have
    `action_mask` (n, actions) if the world has bodies. Each `key` has a mask `_key` (n) of the rows
    that have it.
    """

    def __init__(
        self,
        num_envs: int = 1,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        threads: int = 0,
        max_episode_steps: int | None = None,
        autoreset_mode: Autoreset | AutoresetMode = "next_step",
        **options: Unpack[EnvOptions],
    ) -> None:
        if int(num_envs) < 1:
            raise ValueError(f"num_envs is {num_envs}, expected at least 1")
        if int(threads) < 0:
            raise ValueError(f"threads is {threads}, expected 0 or more")
        options.setdefault("render_panel", False)
        if max_episode_steps is not None and int(max_episode_steps) < 1:
            raise ValueError(f"max_episode_steps is {max_episode_steps}, expected 1 or more")
        self._set_options(world, **options)
        self.num_envs = int(num_envs)
        self.threads = int(threads)
        self.max_episode_steps = None if max_episode_steps is None else int(max_episode_steps)
        self.autoreset_mode = self._choose_mode(autoreset_mode)
        self.metadata = {
            "render_modes": ["rgb_array", "ansi"],
            "render_fps": 10,
            "autoreset_mode": self.autoreset_mode,
        }
        self._payments = self._choose_rewards(reward)  # rows take them in turn
        self._world_count = self.num_envs // len(self._payments)
        for payment in self._payments:
            self._check_task(payment)
        agents = len(self._payments)
        self.single_observation_space = layout_space(self._model, self._layout, agents)
        self.single_action_space = action_space(self._model)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._batch: _core.Batch | None = None  # the first reset creates it, as it needs seeds
        self._seeds = [0] * self._world_count
        self._generators: dict[int, np.random.Generator] = {}  # of the worlds, as far as needed
        self._under_way = np.zeros(self._world_count, np.bool_)
        self._ages = np.zeros(self._world_count, np.int64)  # steps since the latest reset
        self._ended = np.zeros(self._world_count, np.bool_)  # to be reset by the next step
        self._make_arrays()

    def _choose_rewards(self, reward: RewardLike) -> list[Payment]:
        """The rewards of the agents of a world, compiled."""
        return [make_payment(self._model, reward)]

    @property
    def _payment(self) -> Payment:
        return self._payments[0]

    def _make_telling(self) -> Telling:
        masks = self._model.action_mask(self.body)[np.newaxis] if self._model.bodies else None
        return Telling(self._model, self._payments, self.info_kind, masks)

    def _choose_mode(self, mode: Autoreset | AutoresetMode) -> AutoresetMode:
        if not isinstance(mode, AutoresetMode):
            check_choice("autoreset_mode", mode, Autoreset)
            mode = _MODES[mode]
        if self.strict and self.max_episode_steps and mode is not AutoresetMode.DISABLED:
            raise ValueError('strict=True has one life only: use autoreset_mode="disabled"')
        return mode

    def _make_arrays(self) -> None:
        """Allocates everything that the batch writes to, and what is made from it."""
        count, parts, layout = self.num_envs, self._model.parts, self._layout
        self._facts = Facts(self._model, count)
        self._telling = self._make_telling()
        self._arrays: dict[str, NDArray[Any]] = {
            name: self._zeros((count, *parts[name].shape), parts[name].dtype)
            for name in layout.sources
            if name not in INFO_PARTS
        }
        self._arrays.update(self._facts.arrays)
        self._arrays["reward"] = self._zeros((count,), np.float64)
        # the observation by its keys, and what is converted for it from what the batch writes
        self._parts: dict[str, NDArray[Any]] = {}
        self._converted: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._painted: tuple[NDArray[Any], NDArray[Any]] | None = None
        self._task: NDArray[np.float32] | None = None
        for key, name in layout.parts.items():
            self._parts[key] = self._make_entry(name)
        length = sum(part[0].size for part in self._parts.values())
        self._flat = self._zeros((count if layout.form == "flat" else 0, length), np.float32)

        self._never = _constant(np.zeros(count, np.bool_))  # terminated, truncated
        self._all_rows = _constant(np.ones(count, np.bool_))
        self._all_infos = Infos()

    def _zeros(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Memory for what a step returns."""
        return np.zeros(shape, dtype)

    def _make_entry(self, name: str) -> NDArray[Any]:
        """The array of an entry of observations."""
        count = self.num_envs
        if name == "task":
            weights = np.stack([payment.weights(0) for payment in self._payments])
            self._task = np.tile(weights, (count // len(weights), 1))
            return self._task
        if name == "image":
            assert self._layout.image is not None
            seen = self._arrays["vision"]
            pixels = self._zeros((count, *self._layout.image.shape(seen.shape[1:])), np.uint8)
            self._painted = pixels, seen
            return pixels
        source = self._arrays[name]
        # single numbers are int64, as in Gymnasium's Discrete spaces
        wanted: Any = np.int64 if source.ndim == 1 and source.dtype.kind in "iu" else source.dtype
        if name == "inventory":
            wanted = np.float32
        if source.dtype == wanted or self._layout.form == "flat":
            return source
        self._converted.append((self._zeros(source.shape, wanted), source))
        return self._converted[-1][0]

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
        chosen = np.flatnonzero(mask).tolist()
        for i in chosen:
            given = seeds[i]
            self._seeds[i] = draw_seed(self.np_random) if given is None else given
            self._generators.pop(i, None)

        if self._batch is None or mask.all():
            self._begin(self._seeds)
        else:
            self._renew(chosen)
        self._ages[mask] = 0
        self._ended[mask] = False
        self._refresh()
        every = np.repeat(np.array(self._seeds, np.uint64), self.num_envs // self._world_count)
        return self._latest_observations(), self._latest_infos(every, self._all_rows)

    def _new_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """One per world, None for those to draw; also seeds the environment's own generator."""
        if seed is None:
            super().reset(seed=None)
            return [None] * self._world_count
        if isinstance(seed, (int, np.integer)):
            first = check_seed(int(seed))
            super().reset(seed=first)
            return [(first + i) & MAX_SEED for i in range(self._world_count)]
        seeds = [None if one is None else check_seed(one) for one in seed]
        if len(seeds) != self._world_count:
            raise ValueError(f"{len(seeds)} seeds for {self._world_count} worlds")
        super().reset(seed=seeds[0])
        return seeds

    def _begin(self, seeds: Sequence[int]) -> None:
        if self._batch is not None:
            self._batch.close()
        self._batch = _core.Batch(
            self._model,
            seeds,
            self._payment.compiled,
            1,
            self.threads,
            bodies=[self.body],
            teams=None,
            agent_rewards=None,
            **self._arrays,
        )

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self._world_count, np.bool_)
        given = np.asarray(mask)
        if given.shape != (self._world_count,) or given.dtype != np.bool_:
            raise ValueError(f"reset_mask must be bool ({self._world_count},), not {mask!r}")
        if self._batch is None and not given.all():
            raise ResetNeeded("the first reset must reset all worlds")
        return given

    def step(self, actions: ArrayLike) -> Results:
        """(observations, rewards, terminations, truncations, infos) after a step of every world."""
        if self._batch is None:
            raise ResetNeeded("call reset before step")
        if self.max_episode_steps is not None:
            return self._step_limited(self._batch, actions)
        self._batch.step(actions)
        if self._payment.function is not None:
            self._ask(range(self.num_envs))
        self._refresh()
        rewards, never = self._arrays["reward"], self._never
        if self.copy:
            observations = self._latest_observations()
            return observations, rewards.copy(), never.copy(), never.copy(), self._latest_infos()
        return self._latest_observations(), rewards, never, never, self._latest_infos()

    def _step_limited(self, batch: _core.Batch, actions: ArrayLike) -> Results:
        """A step of lives that end after a number of steps, and are then reset."""
        fresh = self._ended.copy()
        if fresh.any():
            self._step_others(batch, actions, fresh)
        else:
            batch.step(actions)
        self._ages += ~fresh
        if self._payment.function is not None:
            self._ask(np.flatnonzero(~fresh).tolist())
        self._refresh()
        limit = self.max_episode_steps
        assert limit is not None
        truncations = self._ages >= limit
        rewards = self._arrays["reward"].copy() if self.copy else self._arrays["reward"]
        seeds = np.array(self._seeds, np.uint64) if fresh.any() else None
        terminations = self._never.copy()
        if self.autoreset_mode is AutoresetMode.SAME_STEP and truncations.any():
            infos = self._end_now(truncations)
            return self._latest_observations(), rewards, terminations, truncations, infos
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._ended = truncations.copy()
        infos = self._latest_infos(seeds, fresh)
        return self._latest_observations(), rewards, terminations, truncations, infos

    def _step_others(
        self, batch: _core.Batch, actions: ArrayLike, fresh: NDArray[np.bool_]
    ) -> None:
        """Resets the fresh worlds, and steps the others."""
        numbers = np.asarray(actions)
        if len(numbers) != self.num_envs or not self._are_actions(numbers):
            raise ValueError(f"expected {self.num_envs} actions, whole numbers, found {actions!r}")
        others = np.flatnonzero(~fresh)
        if len(others):
            batch.send(others, numbers[others])
            batch.receive(len(others))
        self._reset_rows(fresh)

    def _are_actions(self, numbers: NDArray[Any]) -> bool:
        """Whether these are rows of whole numbers: actions, or pairs with a symbol."""
        has_symbols = self._model.voice is not None and numbers.shape[1:] == (2,)
        return numbers.dtype.kind in "iu" and (numbers.ndim == 1 or has_symbols)

    def write(self, index: int, text: str | None) -> None:
        """What the agent of a world writes: see `JellyBeanWorldEnv.write`."""
        self._live().write(index, text)

    def _reset_rows(self, rows: NDArray[np.bool_]) -> None:
        """New lives, with the seeds that `JellyBeanWorldEnv.reset` would draw."""
        for i in np.flatnonzero(rows).tolist():
            if i not in self._generators:
                self._generators[i] = seeding.np_random(self._seeds[i])[0]
            self._seeds[i] = draw_seed(self._generators[i])
        self._renew(np.flatnonzero(rows).tolist())
        self._ages[rows] = 0

    def _renew(self, indexes: Sequence[int]) -> None:
        """Replaces some worlds by new ones, with the seeds that they have now."""
        batch = self._live()
        for i in indexes:
            batch.reset(i, self._seeds[i])

    def _end_now(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """Resets worlds after a step that has returned the last rewards of their lives."""
        last = self._facts.of(self._facts.block.copy())
        paid = self._arrays["reward"].copy()
        final = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended).tolist():
            final[i] = self._observations(lambda array, row=i: array[row].copy())  # type: ignore[misc]
        self._reset_rows(ended)
        self._arrays["reward"][:] = paid
        self._refresh()
        now = self._facts.of(self._facts.block.copy())
        seeds = np.array(self._seeds, np.uint64)

        def make() -> dict[str, Any]:
            if self.info_kind == "none":
                return {"final_obs": final, "_final_obs": ended.copy()}
            return {
                "final_obs": final,
                "_final_obs": ended.copy(),
                "final_info": self._telling.tell(last, ended),
                "_final_info": ended.copy(),
                **self._telling.tell(now, self._all_rows, seeds, ended),
            }

        return Infos.later(make)

    def send(self, actions: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Starts a step of (k) worlds, by default all, with (k) actions, and returns at once."""
        batch = self._live()
        if self.max_episode_steps and self.autoreset_mode is not AutoresetMode.DISABLED:
            raise RuntimeError('send and recv reset nothing: use autoreset_mode="disabled"')
        chosen = np.arange(self.num_envs) if worlds is None else np.asarray(worlds)
        numbers = np.asarray(actions)
        fits = numbers.shape[:1] == chosen.shape and self._are_actions(numbers)
        if chosen.ndim != 1 or not fits:
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
        self._ages[done] += 1
        limit = self.max_episode_steps
        facts = Facts(self._model, len(done))
        for name, array in facts.arrays.items():
            array[...] = self._facts.arrays[name][done]

        def make() -> dict[str, Any]:
            rows = np.ones(len(done), np.bool_)
            return {**self._telling.tell(facts, rows), "world": done, "_world": rows}

        never = np.zeros(len(done), np.bool_)
        truncations = never.copy() if limit is None else self._ages[done] >= limit
        observations = self._observations(lambda array: array[done])
        return observations, self._arrays["reward"][done], never, truncations, Infos.later(make)

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
        if self._painted is not None:
            assert self._layout.image is not None
            self._layout.image.paint(self._painted[1], self._painted[0])
        if self._task is not None and any(payment.changes for payment in self._payments):
            self._show_tasks(self._task)
        if self._layout.form == "flat":
            at = 0
            for part in self._parts.values():
                length = part[0].size
                self._flat[rows, at : at + length] = part[rows].reshape(-1, length)
                at += length

    def _show_tasks(self, task: NDArray[np.float32]) -> None:
        """Updates what collecting pays."""
        count = len(self._payments)
        for k, payment in enumerate(self._payments):
            times = self._arrays["time"][k::count].tolist()
            weights = {time: payment.weights(time) for time in set(times)}
            task[k::count] = [weights[time] for time in times]

    def _observations(self, take: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
        """Observations made of what is taken from each array."""
        if self._layout.form == "flat":
            return take(self._flat)
        taken = {key: take(part) for key, part in self._parts.items()}
        return taken if self._layout.form == "dict" else next(iter(taken.values()))

    def _latest_observations(self) -> Any:
        if self.copy:
            return self._observations(np.copy)
        return self._parts if self._layout.form == "dict" else self._observations(_same)

    def _latest_infos(
        self,
        seeds: NDArray[np.uint64] | None = None,
        fresh: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """The infos of all rows; of the fresh ones, with their seeds."""
        if self.info_kind == "none":
            return {} if self.copy else self._all_infos
        telling, rows = self._telling, self._all_rows
        if self.copy:
            facts, block = self._facts, self._facts.block.copy()
            return Infos.later(lambda: telling.tell(facts.of(block), rows, seeds, fresh))
        self._all_infos.refill(lambda: telling.tell(self._facts, rows, seeds, fresh))
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

    def action_masks(self) -> NDArray[np.bool_]:
        """(n, actions) True for what the agents' body can do."""
        return np.tile(self._model.action_mask(self.body).astype(np.bool_), (self.num_envs, 1))

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads and destroys the worlds."""
        if self._batch is not None:
            self._batch.close()

    def world(self, index: int) -> _core.World:
        """The world with that index, to look at and edit between steps. A reset replaces it."""
        return self._live().world(index)

    @property
    def batch(self) -> _core.Batch:
        """The batch of the library that holds the worlds. Those who step it by themselves leave the
        environment behind."""
        return self._live()

    def _live(self) -> _core.Batch:
        if self._batch is None:
            raise ResetNeeded("call reset first")
        return self._batch

    def __getstate__(self) -> dict[str, Any]:
        if self._under_way.any():
            raise RuntimeError("worlds are under way: call recv before saving or copying")
        state = self._state_without(*_MADE_AGAIN)
        if self._batch is not None:
            state["worlds"] = self._copies()
            state["rows"] = self._arrays
            state["texts"] = self._waiting()
        return {**state, "_payments": [payment.source for payment in self._payments]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        worlds, rows = state.pop("worlds", None), state.pop("rows", None)
        texts = state.pop("texts", {})
        if "_payments" not in state:  # older pickles
            state["_payments"] = [state.pop("_payment")]
        state.setdefault("_world_count", state["num_envs"])
        self._restore(state)
        self._payments = [make_payment(self._model, one) for one in state["_payments"]]
        self._batch = None
        self._make_arrays()
        if worlds is None:
            return
        self._begin_with(worlds)
        for row, text in texts.items():
            self._live().write(row, text)
        # rows are as of the latest step: a world may have been edited since, and does not know the
        # rewards of a Python function
        for name, values in rows.items():
            if name in self._arrays:
                np.copyto(self._arrays[name], values)
        self._refresh()

    def _copies(self) -> list[_core.World]:
        """Copies of all worlds."""
        batch = self._live()
        return [batch.world(i).clone() for i in range(self._world_count)]

    def _waiting(self) -> dict[int, str]:
        """The texts that wait for an action that drops something, by row."""
        if not self._model.text_items:
            return {}
        texts = {row: self._live().written(row) for row in range(self.num_envs)}
        return {row: text for row, text in texts.items() if text}

    def _begin_with(self, worlds: Sequence[_core.World]) -> None:
        """A batch of copies of these worlds."""
        self._begin(self._seeds)
        for i, world in enumerate(worlds):
            self._live().set_world(i, world)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        state = self.__getstate__()
        model = state.pop("_model")  # read-only: shared
        state = copying.deepcopy(state, memo)
        new.__setstate__({**state, "_model": model})
        return new


#: What `_make_arrays` makes, and the batch: copies have their own.
_MADE_AGAIN = (
    *("_facts", "_telling", "_arrays", "_parts", "_converted", "_painted", "_task", "_flat"),
    *("_never", "_all_rows", "_all_infos", "_batch"),
)


def _constant(array: NDArray[np.bool_]) -> NDArray[np.bool_]:
    array.flags.writeable = False
    return array


def _same(array: NDArray[Any]) -> NDArray[Any]:
    return array
