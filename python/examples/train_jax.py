# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""PPO in JAX, in the style of PureJaxRL: worlds, policy and learning are one compiled program.

    python train_jax.py --steps 800000

A scan over updates contains a scan over steps, in which the worlds of the C library are stepped.
Prints the reward per step while it learns, and that of an agent that acts at random.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import jax
import jax.numpy as jnp

import jbw.jax

TASK = "Collect[JellyBean] & Avoid[Onion]"
LENGTH, EPOCHS, MINIBATCHES = 128, 4, 4
GAMMA, TRACE, CLIP, ENTROPY, RATE = 0.98, 0.95, 0.2, 0.01, 1e-3


def make_env(count: int) -> jbw.jax.Env:
    return jbw.jax.Env(
        count, "paper-code", TASK, observation="flat", vision="items",
        overrides={"agent.vision_range": 4},
    )  # fmt: skip


def make_network(key: Any, inputs: int, actions: int) -> Any:
    """Two hidden layers, and a last one with the logits of the policy and the value."""
    sizes = [inputs, 64, 64, actions + 1]
    scales = [1.0, 1.0, 0.01]
    return [
        (jax.random.normal(k, (a, b)) * scale / a**0.5, jnp.zeros(b))
        for k, a, b, scale in zip(jax.random.split(key, 3), sizes, sizes[1:], scales, strict=False)
    ]


def think(network: Any, seen: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The logits of the policy, and the value."""
    for weights, bias in network[:-1]:
        seen = jnp.tanh(seen @ weights + bias)
    out = seen @ network[-1][0] + network[-1][1]
    return jax.nn.log_softmax(out[..., :-1]), out[..., -1]


def loss_of(network: Any, batch: Any) -> jax.Array:
    seen, actions, chances, advantages, returns = batch
    logits, values = think(network, seen)
    ratio = jnp.exp(jnp.take_along_axis(logits, actions[:, None], 1)[:, 0] - chances)
    gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    policy = -jnp.minimum(gain * ratio, gain * jnp.clip(ratio, 1 - CLIP, 1 + CLIP)).mean()
    entropy = -(jnp.exp(logits) * logits).sum(axis=1).mean()
    return policy + 0.25 * ((values - returns) ** 2).mean() - ENTROPY * entropy


def descend(network: Any, moments: Any, batch: Any) -> tuple[Any, Any]:
    """A step of Adam, with gradients of length 0.5 at most."""
    count, first, second = moments
    slope = jax.grad(loss_of)(network, batch)
    length = jnp.sqrt(sum((part**2).sum() for part in jax.tree.leaves(slope)))
    slope = jax.tree.map(lambda g: g * jnp.minimum(1.0, 0.5 / (length + 1e-8)), slope)
    count += 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, second, slope)

    def move(w: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return w - RATE * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-5)

    return jax.tree.map(move, network, first, second), (count, first, second)


def make_update(env: jbw.jax.Env) -> Any:
    """A function from what the learner carries to the same after a rollout, and its reward rate."""
    size = LENGTH * env.num_envs

    def step(carried: Any, key: Any) -> Any:
        network, state, seen = carried
        logits, values = think(network, seen)
        actions = jax.random.categorical(key, logits)
        chances = jnp.take_along_axis(logits, actions[:, None], 1)[:, 0]
        state, after, rewards = env.step(state, actions)
        return (network, state, after), (seen, actions, chances, values, rewards)

    def back(carried: Any, row: Any) -> Any:
        advantage, following = carried
        values, rewards = row
        advantage = rewards + GAMMA * following - values + GAMMA * TRACE * advantage
        return (advantage, values), advantage

    def learn(carried: Any, places: jax.Array, data: Any) -> Any:
        batch = jax.tree.map(lambda part: part[places], data)
        return descend(*carried, batch), None

    def update(carried: Any, key: Any) -> Any:
        network, moments, state, seen = carried
        walk_key, mix_key = jax.random.split(key)
        (_, state, seen), rows = jax.lax.scan(
            step, (network, state, seen), jax.random.split(walk_key, LENGTH)
        )
        observations, actions, chances, values, rewards = rows
        last = think(network, seen)[1]
        start = (jnp.zeros_like(last), last)
        _, advantages = jax.lax.scan(back, start, (values, rewards), reverse=True)
        data = jax.tree.map(
            lambda part: part.reshape(size, *part.shape[2:]),
            (observations, actions, chances, advantages, advantages + values),
        )
        orders = jax.vmap(lambda k: jax.random.permutation(k, size))(
            jax.random.split(mix_key, EPOCHS)
        ).reshape(EPOCHS * MINIBATCHES, -1)
        (network, moments), _ = jax.lax.scan(
            lambda carried, places: learn(carried, places, data), (network, moments), orders
        )
        return (network, moments, state, seen), rewards.mean()

    return update


def random_rate(count: int, steps: int) -> float:
    """The reward per step of agents that act at random."""
    env = make_env(count)
    state, _ = env.reset(10**6)

    def step(state: Any, key: Any) -> Any:
        state, _, rewards = env.step(state, jax.random.randint(key, (count,), 0, 3))
        return state, rewards

    run = jax.jit(lambda state, keys: jax.lax.scan(step, state, keys))
    return float(run(state, jax.random.split(jax.random.key(0), steps))[1].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800_000, help="of all worlds together")
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    env = make_env(options.envs)
    state, seen = env.reset(options.seed)
    key = jax.random.key(options.seed)
    network = make_network(key, seen.shape[1], int(env.action_space.n))
    zeros = jax.tree.map(jnp.zeros_like, network)
    carried = (network, (jnp.zeros(()), zeros, zeros), state, seen)
    update = make_update(env)
    rollouts = jax.jit(lambda carried, keys: jax.lax.scan(update, carried, keys))

    begin = time.perf_counter()
    updates = max(options.steps // (LENGTH * options.envs), 1)
    some = min(updates, 10)  # between two lines of the log
    rate = 0.0
    for done in range(some, updates + 1, some):
        key, now = jax.random.split(key)
        carried, rates = rollouts(carried, jax.random.split(now, some))
        rate = float(rates.mean())
        steps = done * LENGTH * options.envs
        speed = steps / (time.perf_counter() - begin)
        print(f"steps {steps}: reward rate {rate:.4f}, {speed:.0f} per second", flush=True)
    print(f"learned {rate:.4f}, random {random_rate(options.envs, 200):.4f}")


if __name__ == "__main__":
    main()
