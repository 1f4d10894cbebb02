# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds within compiled programs of JAX: `jax.jit`, `lax.scan` and `lax.while_loop`.

    env = jbw.jax.Env(64, "paper-code", "Collect[JellyBean]")
    state, observations = env.reset(seed=7)

    @jax.jit
    def run(state):
        def step(state, _):
            actions = jnp.zeros(64, jnp.int32)
            state, observations, rewards = env.step(state, actions)
            return state, rewards

        return jax.lax.scan(step, state, length=1000)

The worlds are those of the C library, on the CPU. A compiled program steps them through XLA's
foreign function interface, in C and straight into its own arrays; a build without that interface
calls back into Python, which gives the same results.

JAX programs are pure functions, and worlds are not: they change. The state ties the two together.
It is an array of three numbers, each step takes one and returns the next one, and a state that was
used before is an error.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

try:
    import jax
    import jax.numpy as jnp
    from jax.experimental import io_callback
except ModuleNotFoundError as error:
    raise ImportError("jbw.jax needs JAX: pip install 'jbw[jax]'") from error

from jbw import _core
from jbw.envs.common import DEFAULT_REWARD, RewardLike, make_model, make_payment
from jbw.envs.layout import make_layout
from jbw.envs.spaces import action_space, layout_space

TARGET = "jbw_step"

State: TypeAlias = jax.Array


@functools.cache
def has_xla() -> bool:
    """Whether compiled programs step worlds in C; else they call back into Python.

    They do if jbw was built with jaxlib's header, and if the interface of this jaxlib is not older
    than that. Starts XLA, which then says at once if it accepts the function; told earlier, it
    would refuse to start.
    """
    handler = _core.xla_handler()
    if handler is None or not hasattr(jax, "ffi"):
        return False
    try:
        jax.devices("cpu")
        jax.ffi.register_ffi_target(TARGET, handler, platform="cpu")
    except RuntimeError:
        return False
    return True


class Env:
    """`num_envs` worlds with one agent each.

    Args:
        num_envs: number of worlds.
        world, reward, overrides: as in `jbw.envs.JellyBeanWorldEnv`; a reward that is a Python
            function cannot be compiled.
        observation: "dict", "vision", "scent" or "flat", or None for none, which is fastest.
        options: `vision`, `inventory`, `agents_channel`, `image_scale` and `channels`, as there.
        threads: number of threads that step the worlds. Results do not depend on it.
        use_xla: False calls back into Python; None does so only if there is no other way.

    Observations and results of `step` are arrays of JAX, float32 or int32 where those of other
    environments have 64 bits.
    """

    def __init__(
        self,
        num_envs: int,
        world: Any = "paper-code",
        reward: RewardLike = DEFAULT_REWARD,
        *,
        observation: Any = "dict",
        overrides: Any = None,
        threads: int = 1,
        use_xla: bool | None = None,
        **options: Any,
    ) -> None:
        if int(num_envs) < 1:
            raise ValueError(f"num_envs is {num_envs}, expected at least 1")
        if use_xla and not has_xla():
            raise ValueError(
                "use_xla is True, but jbw was built without jaxlib, or with a newer one than this"
            )
        if options.get("task"):
            raise ValueError("task is not for jbw.jax: compute it from the time, or pass it along")
        self.num_envs, self.threads = int(num_envs), int(threads)
        self.use_xla = has_xla() if use_xla is None else bool(use_xla)
        self.model = make_model(world, overrides, None, None)
        if self.model.voice is not None:
            raise ValueError("agents of this world have a voice, for which jbw.jax has no actions")
        self._payment = make_payment(self.model, reward)
        if self._payment.function is not None:
            raise ValueError(
                f"the reward is the Python function {self._payment.name}, which cannot be compiled"
            )
        self._layout = (
            None if observation is None else make_layout(self.model, observation, **options)
        )
        sources = self._layout.sources if self._layout is not None else ()
        order = list(self.model.parts)
        self._sources = sorted(sources, key=order.index)
        self._mask = np.uint64(sum(1 << order.index(name) for name in sources))
        self.observation_space = (
            None if self._layout is None else layout_space(self.model, self._layout)
        )
        self.action_space = action_space(self.model)
        parts = self.model.parts
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((self.num_envs, *parts[name].shape), parts[name].dtype)
            for name in self._sources
        }
        self._rewards = np.zeros(self.num_envs, np.float64)
        self._batch: _core.Batch | None = None
        self._ticket: list[int] = []  # the latest one, if steps are taken in Python
        self._results = (
            jax.ShapeDtypeStruct((3,), jnp.uint32),
            jax.ShapeDtypeStruct((self.num_envs,), jnp.float32),
            *(
                jax.ShapeDtypeStruct(array.shape, _narrow(array.dtype))
                for array in self._arrays.values()
            ),
        )

    def reset(self, seed: int | Sequence[int] = 0) -> tuple[State, Any]:
        """Starts new lives: (state, observations). Not for compiled programs.

        World i has the seed `seed` + i, or that of a sequence. Earlier states are void.
        """
        seeds = (
            [(int(seed) + i) % 2**64 for i in range(self.num_envs)]
            if isinstance(seed, (int, np.integer))
            else [int(one) for one in seed]
        )
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} worlds")
        if self._batch is None:
            arrays = cast(Any, self._arrays)
            self._batch = _core.Batch(
                self.model,
                seeds,
                self._payment.compiled,
                1,
                self.threads,
                **arrays,
                reward=self._rewards,
            )
        else:
            for i, one in enumerate(seeds):
                self._batch.reset(i, one)
        ticket = self._batch.ticket()
        self._ticket = ticket.tolist()
        copies = [jnp.array(array.astype(_narrow(array.dtype))) for array in self._arrays.values()]
        return jnp.array(ticket), self._observations(copies)

    def step(self, state: State, actions: jax.Array) -> tuple[State, Any, jax.Array]:
        """(state, observations, rewards) after a step of all worlds with (num_envs) actions."""
        asked = jnp.asarray(actions, jnp.int32)
        if asked.shape != (self.num_envs,):
            raise ValueError(f"expected {self.num_envs} actions, found shape {asked.shape}")
        call = self._call_xla if self.use_xla else self._call_python
        state, rewards, *parts = call(state, asked)
        return state, self._observations(parts), rewards

    def close(self) -> None:
        """Destroys the worlds."""
        if self._batch is not None:
            self._batch.close()

    def world(self, index: int) -> _core.World:
        """The world with that index, to look at between programs."""
        if self._batch is None:
            raise RuntimeError("call reset first")
        return self._batch.world(index)

    # ----------------------------------------------------------------------------- in programs

    def _call_xla(self, state: State, actions: jax.Array) -> Any:
        call = jax.ffi.ffi_call(
            TARGET, self._results, has_side_effect=True, input_output_aliases={0: 0}
        )
        return call(state, actions, parts=self._mask)

    def _call_python(self, state: State, actions: jax.Array) -> Any:
        return io_callback(self._step_in_python, self._results, state, actions, ordered=False)

    def _step_in_python(self, state: Any, actions: Any) -> tuple[NDArray[Any], ...]:
        given = np.asarray(state).tolist()
        if self._batch is None or given[:2] != self._ticket[:2]:
            raise RuntimeError("the environment of this state was closed or reset")
        if given != self._ticket:
            raise RuntimeError("this state is not the latest one: worlds cannot go back")
        self._batch.step(np.asarray(actions, np.int32))
        self._ticket[2] += 1
        return (
            np.array(self._ticket, np.uint32),
            self._rewards.astype(np.float32),
            *(array.astype(_narrow(array.dtype)) for array in self._arrays.values()),
        )

    def _observations(self, parts: Sequence[jax.Array]) -> Any:
        """What the layout makes of the parts, in the order of `_sources`."""
        layout = self._layout
        if layout is None:
            return {}
        values = dict(zip(self._sources, parts, strict=True))
        found: dict[str, jax.Array] = {}
        for key, name in layout.parts.items():
            if name == "image":
                found[key] = self._picture(values["vision"])
            elif name == "inventory":
                found[key] = values[name].astype(jnp.float32)
            elif values[name].ndim == 1:
                found[key] = values[name].astype(jnp.int32)
            else:
                found[key] = values[name]
        if layout.form == "flat":
            rows = [part.reshape(self.num_envs, -1) for part in found.values()]
            return jnp.concatenate([row.astype(jnp.float32) for row in rows], axis=1)
        return found if layout.form == "dict" else next(iter(found.values()))

    def _picture(self, vision: jax.Array) -> jax.Array:
        assert self._layout is not None and self._layout.image is not None
        image = self._layout.image
        bytes_ = jnp.floor(jnp.clip(vision, 0, 1) * 255 + 0.5).astype(jnp.uint8)
        pixels = bytes_.repeat(image.scale, axis=1).repeat(image.scale, axis=2)
        return pixels.transpose(0, 3, 1, 2) if image.channels_first else pixels


def _narrow(dtype: np.dtype[Any]) -> Any:
    """JAX has 32 bits at most, unless the user asks for more."""
    return np.int32 if dtype.itemsize == 8 else dtype


__all__ = ["Env", "State", "has_xla"]
