#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""compare_dqn_with_jax.py BUILD [--all]: holds DQN against JAX, in double precision.

The C learner lives on random observations and rewards, then draws a batch. The values of its actions, its
loss and its gradients (layer by layer) are compared with what JAX says of the same life, written here from
the description. Optimizer steps are those of compare_with_jax.py. Needs NumPy and JAX.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from compare_with_jax import Probe, compare_all, features_of, heads_of, relative, remember, unpack
from compare_with_jax import Options as NetworkOptions

LIFE, GAMMA = 60, 0.97


@dataclass(frozen=True)
class Options(NetworkOptions):
    """The options of the network and of DQN."""

    lstm: int = 0
    gelu: bool = False
    moved: bool = False
    moved_is_activated: bool = False
    heads_see_features: bool = True
    heads_see_cell: bool = False
    outputs: int = 3
    batch: int = 12
    length: int = 1
    ahead: int = 1
    is_double: bool = True
    huber: float = 0.7


PLAIN = Options()
MEMORY = replace(PLAIN, lstm=16, length=6, batch=5, heads_see_features=False)
CASES = {
    "plain": PLAIN,
    "plain, not double": replace(PLAIN, is_double=False),
    "plain, five steps ahead": replace(PLAIN, ahead=5),
    "plain, vision, gelu and moved": replace(PLAIN, scents=0, gelu=True, moved=True, moved_is_activated=True),
    "plain, scent": replace(PLAIN, side=0),
    "plain, layer normalisation": replace(PLAIN, layer_norm=True),
    "LSTM": MEMORY,
    "LSTM, not double, three steps ahead": replace(MEMORY, is_double=False, ahead=3),
    "LSTM, cell, features and moved": replace(MEMORY, heads_see_cell=True, heads_see_features=True,
                                              moved=True),
    "odd sizes": replace(MEMORY, side=9, colors=5, scents=2, actions=4, outputs=4, lstm=48, batch=3,
                         length=7),
}


class DqnProbe(Probe):
    """The C learner (dqn_probe.c)."""

    prefix = "dqn"

    def arguments(self, o: Any) -> tuple[list[int], list[float]]:
        ints = [o.side, o.colors, o.scents, o.actions, o.lstm, o.gelu, o.moved, o.moved_is_activated,
                o.heads_see_features, o.heads_see_cell, o.batch, o.length, o.ahead, o.is_double, o.layer_norm,
                0, 0, 0]
        return ints, [GAMMA, o.huber, 0, 0, 0, 0, 0]


def values_of(o: Options, p: dict[str, Any], x: Any, hidden: Any, cell: Any) -> tuple[Any, Any, Any]:
    """Values of actions for features (sequences, features), and the state after them."""
    if not o.lstm:
        return x @ p["heads"] + p["heads bias"], hidden, cell
    hidden, cell = remember(o, p, x, hidden, cell)
    return heads_of(o, p, x, hidden, cell), hidden, cell


def unrolled(o: Options, p: dict[str, Any], x: Any, hidden: Any, cell: Any) -> Any:
    """(sequences, steps, actions)"""
    found = []
    for step in range(x.shape[1]):
        values, hidden, cell = values_of(o, p, x[:, step], hidden, cell)
        found.append(values)
    return jnp.stack(found, 1)


def compare(library: ctypes.CDLL, o: Options, path: str, seed: int = 1) -> dict[str, float] | None:
    """The relative errors of all that is compared, or None if the processor lacks the path."""
    probe = DqnProbe(library, o, path, seed)
    if not probe.is_supported:
        return None
    count = probe.call("count", ctypes.c_size_t)
    weights, gradients = probe.array("weights", (count,)), probe.array("gradients", (count,))
    rng = np.random.default_rng(seed)
    weights += rng.normal(0, 0.02, count).astype(np.float32)

    # live on random observations and rewards; some of them are large, so that errors are, too
    vision = rng.random((LIFE, o.side, o.side, o.colors), np.float32)
    vision *= rng.random((LIFE, o.side, o.side, 1), np.float32) < 0.2
    scent = rng.random((LIFE, o.scents), np.float32)
    moved = rng.integers(0, 2, LIFE)
    rewards = rng.normal(0, 1, LIFE)
    actions = np.zeros(LIFE, np.int64)
    said = np.zeros((LIFE, o.actions))
    for t in range(LIFE):
        if o.side:
            probe.array("vision", vision[t].shape)[...] = vision[t]
        if o.scents:
            probe.array("scent", (o.scents,))[...] = scent[t]
        actions[t] = probe.call("act", ctypes.c_int, int(moved[t]))
        said[t] = probe.array("values", (o.actions,))
        probe.call("reward", None, ctypes.c_double(rewards[t]))

    # the same life in JAX
    inputs = vision.astype(float), scent.astype(float), np.where(moved > 0, 1.0, -1.0)
    p = unpack(o, jnp.array(weights.astype(float)))
    x = features_of(o, p, *inputs)
    hidden = cell = jnp.zeros((1, o.lstm))
    before, values = [], []
    for t in range(LIFE):
        before.append((hidden[0], cell[0]))
        value, hidden, cell = values_of(o, p, x[t:t + 1], hidden, cell)
        values.append(value[0])
    errors = {"values": relative(said, jnp.stack(values))}

    # both networks move on, and a batch is drawn
    weights += rng.normal(0, 0.02, count).astype(np.float32)
    target_weights = probe.array("target_weights", (count,))
    target_weights += rng.normal(0, 0.03, count).astype(np.float32)
    assert probe.call("sample", ctypes.c_int)
    starts = probe.array("starts", (o.batch,), ctypes.c_uint64).astype(np.int64)
    assert (starts % o.length == 0).all() and starts.max() + o.length + o.ahead <= LIFE
    assert len(set(starts.tolist())) > 2
    steps = starts[:, None] + np.arange(o.length + o.ahead)
    states = tuple(jnp.stack([before[t][part] for t in starts]) for part in (0, 1))

    def all_values(flat: Any) -> Any:
        p = unpack(o, flat)
        x = features_of(o, p, *(part[steps.ravel()] for part in inputs))
        return unrolled(o, p, x.reshape(*steps.shape, -1), *states)

    def loss_of(flat: Any) -> Any:
        mine = all_values(flat)
        theirs = all_values(jnp.array(target_weights.astype(float)))
        judge = mine if o.is_double else theirs
        rows = np.arange(o.batch)[:, None]
        columns = np.arange(o.length)
        later = columns + o.ahead
        best = judge[:, o.ahead:].argmax(-1)
        returns = sum(GAMMA**k * rewards[steps[:, k:o.length + k]] for k in range(o.ahead))
        target = returns + GAMMA**o.ahead * theirs[rows, later, best]
        error = mine[rows, columns, actions[steps[:, :o.length]]] - jax.lax.stop_gradient(target)
        size = jnp.abs(error)
        return jnp.where(size <= o.huber, error**2 / 2, o.huber * (size - o.huber / 2)).mean()

    loss = probe.call("differentiate", ctypes.c_double)
    wanted_loss, wanted = jax.value_and_grad(loss_of)(jnp.array(weights.astype(float)))
    errors["loss"] = relative(loss, float(wanted_loss))
    found = unpack(o, gradients.astype(float))
    for name, part in unpack(o, np.array(wanted)).items():
        if np.linalg.norm(part) > 1e-12:
            errors[f"gradient of {name}"] = relative(found[name], part)
    probe.call("free", None)
    return errors


if __name__ == "__main__":
    sys.exit(compare_all(CASES, compare))
