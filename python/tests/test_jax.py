# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds within compiled programs of JAX do what the same worlds do outside."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from small_worlds import SMALL

from jbw.envs import JellyBeanWorldVectorEnv

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import jbw.jax  # noqa: E402

REWARD = "Collect[JellyBean] & Avoid[Onion]"
COUNT = 5
STEPS = 40
WAYS = [True, False] if jbw.jax.has_xla() else [False]

OBSERVATIONS: list[dict[str, Any]] = [
    {},
    {"observation": "vision"},
    {"observation": "scent"},
    {"observation": "flat", "inventory": True},
    {"vision": "items", "agents_channel": True, "inventory": True},
    {"observation": "vision", "vision": "image", "channels": "first"},
]


def plan() -> np.ndarray:
    return np.random.default_rng(2).integers(3, size=(STEPS, COUNT)).astype(np.int32)


def make(use_xla: bool, **options: Any) -> jbw.jax.Env:
    return jbw.jax.Env(COUNT, SMALL, REWARD, use_xla=use_xla, threads=2, **options)


def run(env: jbw.jax.Env, state: Any, table: np.ndarray) -> Any:
    def step(state: Any, actions: Any) -> Any:
        state, observations, rewards = env.step(state, actions)
        return state, (observations, rewards)

    return jax.jit(lambda state, table: jax.lax.scan(step, state, table))(state, table)


def test_this_build_has_the_handler() -> None:
    assert jbw.jax.has_xla()  # the tests are built where jaxlib is


def test_a_jaxlib_that_refuses_the_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("INVALID_ARGUMENT: the handler's API version is incompatible")

    jbw.jax.has_xla.cache_clear()
    monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
    try:
        assert not jbw.jax.has_xla()
        env = jbw.jax.Env(COUNT, SMALL, REWARD)
        assert not env.use_xla
        assert env.step(env.reset(1)[0], jnp.zeros(COUNT, jnp.int32))[2].shape == (COUNT,)
        with pytest.raises(ValueError, match="with a newer one than this"):
            jbw.jax.Env(COUNT, SMALL, use_xla=True)
    finally:
        monkeypatch.undo()
        jbw.jax.has_xla.cache_clear()
    assert jbw.jax.has_xla()


@pytest.mark.parametrize("use_xla", WAYS)
@pytest.mark.parametrize("options", OBSERVATIONS, ids=str)
def test_a_scan_is_the_same_as_steps(use_xla: bool, options: dict[str, Any]) -> None:
    env = make(use_xla, **options)
    twin = JellyBeanWorldVectorEnv(COUNT, SMALL, REWARD, **options)
    state, first = env.reset(seed=11)
    expected, _ = twin.reset(seed=11)
    compare(first, expected)
    table = plan()
    state, (observations, rewards) = run(env, state, table)
    paid = 0.0
    for t, actions in enumerate(table):
        expected, due, *_ = twin.step(actions)
        compare(jax.tree.map(lambda part, t=t: part[t], observations), expected)
        np.testing.assert_array_equal(rewards[t], due.astype(np.float32))
        paid += abs(due).sum()
    assert paid > 0
    assert state.tolist()[2] == STEPS
    assert [env.world(i).hash() for i in range(COUNT)] == [
        twin.world(i).hash() for i in range(COUNT)
    ]


def compare(found: Any, expected: Any) -> None:
    parts = expected.items() if isinstance(expected, dict) else [(None, expected)]
    for key, value in parts:
        part = np.asarray(found if key is None else found[key])
        assert part.dtype == (np.int32 if value.dtype == np.int64 else value.dtype)
        np.testing.assert_array_equal(part, value)


@pytest.mark.parametrize("use_xla", WAYS)
def test_numbers_with_64_bits(use_xla: bool) -> None:
    env = make(use_xla)
    env._sources = ["position", "time"]  # not in observations: look at the parts themselves
    env._arrays = {
        "position": np.zeros((COUNT, 2), np.int64),
        "time": np.zeros(COUNT, np.uint64),
    }
    order = list(env.model.parts)
    env._mask = np.uint64(sum(1 << order.index(name) for name in env._sources))
    env._layout = None
    env._results = (
        *env._results[:2],
        jax.ShapeDtypeStruct((COUNT, 2), jnp.int32),
        jax.ShapeDtypeStruct((COUNT,), jnp.int32),
    )
    state, _ = env.reset(seed=1)
    call = env._call_xla if use_xla else env._call_python
    _, _, position, time = call(state, jnp.zeros(COUNT, jnp.int32))
    assert time.tolist() == [1] * COUNT
    assert position.tolist() == [list(env.world(i).agents[0].position) for i in range(COUNT)]


@pytest.mark.parametrize("use_xla", WAYS)
def test_a_program_may_be_used_again(use_xla: bool) -> None:
    env = make(use_xla, observation=None)
    program = jax.jit(lambda state: env.step(state, jnp.zeros(COUNT, jnp.int32)))
    totals = []
    for _ in range(2):
        state, nothing = env.reset(seed=3)
        assert nothing == {}
        total = 0.0
        for _ in range(50):
            state, _, rewards = program(state)
            total += float(rewards.sum())
        totals.append(total)
    assert totals[0] == totals[1]


@pytest.mark.parametrize("use_xla", WAYS)
def test_old_states_are_errors(use_xla: bool) -> None:
    env = make(use_xla, observation=None)
    program = jax.jit(lambda state: env.step(state, jnp.zeros(COUNT, jnp.int32)))
    state, _ = env.reset(seed=1)
    later, _, _ = program(state)
    with pytest.raises(Exception, match="not the latest"):
        jax.block_until_ready(program(state))
    program(later)
    env.reset(seed=1)
    with pytest.raises(Exception, match="closed or reset"):
        jax.block_until_ready(program(later))


@pytest.mark.skipif(not jbw.jax.has_xla(), reason="this build has no handler")
def test_programs_that_outlive_their_worlds() -> None:
    env = make(True, observation=None)
    state, _ = env.reset(seed=1)
    results = env._results
    call = jax.ffi.ffi_call(jbw.jax.TARGET, results, has_side_effect=True)
    program = jax.jit(lambda state, actions: call(state, actions, parts=np.uint64(0)))
    zeros = jnp.zeros(COUNT, jnp.int32)
    later = program(state, zeros)[0]
    del env
    gc.collect()
    with pytest.raises(Exception, match="closed or reset"):
        jax.block_until_ready(program(later, zeros))
    for wrong in ([5000, 1, 0], [1023, 1, 0]):
        with pytest.raises(Exception, match="no state"):
            jax.block_until_ready(program(jnp.array(wrong, jnp.uint32), zeros))
    # a state of other worlds is not mistaken for one of these
    other = jbw.jax.Env(COUNT + 1, SMALL, REWARD, use_xla=True)
    strange, _ = other.reset(seed=1)
    with pytest.raises(Exception, match="actions"):
        jax.block_until_ready(program(strange, zeros))
    other.close()


@pytest.mark.parametrize("use_xla", WAYS)
def test_wrong_actions_are_told(use_xla: bool) -> None:
    env = make(use_xla, observation=None)
    state, _ = env.reset(seed=1)
    with pytest.raises(ValueError, match="expected 5 actions"):
        env.step(state, jnp.zeros(3, jnp.int32))
    with pytest.raises(Exception, match="no such action"):
        jax.block_until_ready(env.step(state, jnp.full(COUNT, 9)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0"),
        ({"reward": lambda step: 1.0}, "cannot be compiled"),
        ({"task": True}, "task"),
        ({"observation": "x"}, "observation is 'x'"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        jbw.jax.Env(**{"num_envs": 2, "world": SMALL, **arguments})
    with pytest.raises(ValueError, match="2 seeds for 5 worlds"):
        make(WAYS[0]).reset(seed=[1, 2])
