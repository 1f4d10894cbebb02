#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""compare_with_jax.py BUILD [--all]: holds the learner against JAX, in double precision.

The C learner lives on random observations and rewards. Its values, probabilities, advantages, losses,
gradients (layer by layer) and optimizer steps are then compared with what JAX's automatic differentiation
says of the same network, written here from its description. With --all on every kind of vector that the
processor has, otherwise on the widest: all of them have the same bits. Needs NumPy and JAX; scripts/test
runs it where they are installed.
"""

from __future__ import annotations

import ctypes
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

SENSE, SCENT_HIDDEN, CHANNELS, GAMMA = 512, 32, 16, 0.99
LARGEST_ERROR = 1e-5  # relative


@dataclass(frozen=True)
class Options:
    """The options of the network and of PPO; the defaults are those of the preset `authors`, smaller."""

    side: int = 7
    colors: int = 3
    scents: int = 3
    actions: int = 3
    lstm: int = 16
    gelu: bool = True
    moved: bool = True
    moved_is_activated: bool = True
    heads_see_features: bool = True
    heads_see_cell: bool = True
    rows: int = 32
    length: int = 1
    amsgrad: bool = True
    normal_advantages: bool = False
    rate: float = 1e-2
    norm: float = 0.5
    lam: float = 0.9
    clip: float = 0.1
    value_clip: float = 0.1
    value_weight: float = 0.5
    half_value_loss: bool = True
    entropy_weight: float = 0.01
    divergence_weight: float = 1.0
    divergence_target: float = 0.01
    divergence_cutoff: float = 0.5
    divergence_cutoff_weight: float = 1000.0
    shared_gate_init: bool = True
    outputs: int = 4  # logits and value
    layer_norm: bool = False

    @property
    def features(self) -> int:
        """The number of features."""
        return SENSE * (self.side > 0) + SENSE * (self.scents > 0) + self.moved


AUTHORS = Options()
FAST = Options(
    gelu=False, moved=False, moved_is_activated=False, heads_see_features=False, heads_see_cell=False,
    length=8, amsgrad=False, normal_advantages=True, lam=0.95, clip=0.2, value_clip=0.0,
    half_value_loss=False, divergence_weight=0.0, divergence_cutoff=0.0,
)
CASES = {
    "authors": AUTHORS,
    "authors, vision alone": replace(AUTHORS, scents=0, moved_is_activated=False),
    "authors, scent alone": replace(AUTHORS, side=0, moved_is_activated=False),
    "authors, output instead of cell": replace(AUTHORS, heads_see_cell=False),
    "authors, heads without features": replace(AUTHORS, heads_see_features=False),
    "authors, layer normalisation": replace(AUTHORS, layer_norm=True),
    "fast": FAST,
    "fast, one sequence": replace(FAST, length=32),
    "fast, features and moved": replace(FAST, heads_see_features=True, moved=True),
    "odd sizes": replace(AUTHORS, side=9, colors=5, scents=2, actions=4, outputs=5, lstm=48, rows=20, length=5,
                         heads_see_cell=False),
}


class Probe:
    """The C learner (learner_probe.c)."""

    prefix = "probe"

    def __init__(self, library: ctypes.CDLL, o: Options, path: str, seed: int) -> None:
        self._library = library
        ints, numbers = self.arguments(o)
        self._mind = self.call(
            "new", ctypes.c_void_p, (ctypes.c_int * len(ints))(*ints),
            (ctypes.c_double * len(numbers))(*numbers), path.encode(), ctypes.c_uint64(seed), bare=True)

    def arguments(self, o: Any) -> tuple[list[int], list[float]]:
        """What `new` of the probe expects."""
        ints = [o.side, o.colors, o.scents, o.actions, o.lstm, o.gelu, o.moved, o.moved_is_activated,
                o.heads_see_features, o.heads_see_cell, o.rows, 4, o.length, o.amsgrad, o.normal_advantages,
                o.shared_gate_init, o.half_value_loss, o.layer_norm]
        numbers = [o.rate, o.norm, GAMMA, o.lam, o.clip, o.value_clip, o.value_weight, o.entropy_weight,
                   o.divergence_weight, o.divergence_target, o.divergence_cutoff, o.divergence_cutoff_weight]
        return ints, numbers

    @property
    def is_supported(self) -> bool:
        """Whether the processor has this path."""
        return self._mind is not None

    def call(self, name: str, result: Any, *arguments: Any, bare: bool = False) -> Any:
        """Calls a function of the probe."""
        function = getattr(self._library, f"{self.prefix}_{name}")
        function.restype = result
        return function(*arguments) if bare else function(ctypes.c_void_p(self._mind), *arguments)

    def array(self, name: str, shape: tuple[int, ...], kind: Any = ctypes.c_float) -> Any:
        """A view of an array of the learner."""
        return np.ctypeslib.as_array(self.call(name, ctypes.POINTER(kind)), shape=shape)


def unpack(o: Options, weights: Any) -> dict[str, Any]:
    """The arrays of each layer, in the order in which the network takes its parameters."""
    parts: dict[str, Any] = {}
    at = 0

    def take(name: str, *shape: int) -> None:
        nonlocal at
        count = int(np.prod(shape))
        parts[name] = weights[at:at + count].reshape(shape)
        at += count

    if o.side:
        place = (o.side - 3) // 2 + 1 - 1
        for name, shape in (("conv1", (3, 3, o.colors, CHANNELS)), ("conv2", (2, 2, CHANNELS, CHANNELS)),
                            ("vision", (place * place * CHANNELS, SENSE))):
            take(name, *shape)
            take(f"{name} bias", shape[-1])
    if o.scents:
        for name, shape in (("scent1", (o.scents, SCENT_HIDDEN)), ("scent2", (SCENT_HIDDEN, SENSE))):
            take(name, *shape)
            take(f"{name} bias", shape[-1])
    if o.lstm:
        take("lstm", o.features + o.lstm, 4 * o.lstm)
        take("lstm bias", 4 * o.lstm)
    take("heads", (o.features if o.heads_see_features else 0) + o.lstm, o.outputs)
    take("heads bias", o.outputs)
    sizes = {"conv1": CHANNELS, "conv2": CHANNELS, "vision": SENSE, "scent1": SCENT_HIDDEN, "scent2": SENSE}
    for name, size in sizes.items():
        if o.layer_norm and name in parts:
            take(f"{name} gain", size)
            take(f"{name} offset", size)
    assert at == weights.size
    return parts


def features_of(o: Options, p: dict[str, Any], vision: Any, scent: Any, moved: Any) -> Any:
    """(rows, features)"""
    activate = (lambda x: jax.nn.gelu(x, approximate=True)) if o.gelu else jax.nn.relu

    def finish(x: Any, name: str) -> Any:
        x = x + p[f"{name} bias"]
        if o.layer_norm:
            x = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
            x = p[f"{name} gain"] * x + p[f"{name} offset"]
        return activate(x)

    found = []
    if o.side:
        x = vision
        for name, stride in (("conv1", 2), ("conv2", 1)):
            x = jax.lax.conv_general_dilated(x, p[name], (stride, stride), "VALID",
                                             dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = finish(x, name)
        found.append(finish(x.reshape(x.shape[0], -1) @ p["vision"], "vision"))
    if o.scents:
        hidden = finish(scent @ p["scent1"], "scent1")
        found.append(finish(hidden @ p["scent2"], "scent2"))
    if o.moved:
        found.append((activate(moved) if o.moved_is_activated else moved)[:, None])
    return jnp.concatenate(found, 1)


def remember(o: Options, p: dict[str, Any], x: Any, hidden: Any, cell: Any) -> tuple[Any, Any]:
    """One step of the LSTM."""
    sums = jnp.concatenate([x, hidden], -1) @ p["lstm"] + p["lstm bias"]
    entry, candidate, forget, output = jnp.split(sums, 4, -1)
    cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(entry) * jnp.tanh(candidate)
    return jax.nn.sigmoid(output) * jnp.tanh(cell), cell


def heads_of(o: Options, p: dict[str, Any], x: Any, hidden: Any, cell: Any) -> Any:
    """(rows, outputs)"""
    memory = cell if o.heads_see_cell else hidden
    seen = jnp.concatenate([x, memory], -1) if o.heads_see_features else memory
    return seen @ p["heads"] + p["heads bias"]


def relative(found: Any, wanted: Any) -> float:
    """The error of an array, relative to its size."""
    size = float(np.linalg.norm(np.asarray(wanted)))
    return float(np.linalg.norm(np.asarray(found) - np.asarray(wanted))) / max(size, 1e-12)


def compare(library: ctypes.CDLL, o: Options, path: str, seed: int = 1) -> dict[str, float] | None:
    """The relative errors of all that is compared, or None if the processor lacks the path."""
    probe = Probe(library, o, path, seed)
    if not probe.is_supported:
        return None
    count = probe.call("count", ctypes.c_size_t)
    weights, gradients = probe.array("weights", (count,)), probe.array("gradients", (count,))
    rng = np.random.default_rng(seed)
    weights += rng.normal(0, 0.02, count).astype(np.float32)
    first = weights.astype(np.float64)

    # live on random observations and rewards
    vision = rng.random((o.rows + 1, o.side, o.side, o.colors), np.float32)
    vision *= rng.random((o.rows + 1, o.side, o.side, 1), np.float32) < 0.2
    scent = rng.random((o.rows + 1, o.scents), np.float32)
    moved = rng.integers(0, 2, o.rows + 1)
    rewards = rng.normal(0, 1, o.rows)
    actions = np.zeros(o.rows, np.int64)
    for t in range(o.rows + 1):
        if o.side:
            probe.array("vision", vision[t].shape)[...] = vision[t]
        if o.scents:
            probe.array("scent", (o.scents,))[...] = scent[t]
        if t == o.rows:
            probe.call("observe_last", None, int(moved[t]))
        else:
            actions[t] = probe.call("act", ctypes.c_int, int(moved[t]))
            probe.call("reward", None, ctypes.c_double(rewards[t]))
    probe.call("estimate", None)

    # the same life in JAX
    inputs = vision.astype(float), scent.astype(float), np.where(moved > 0, 1.0, -1.0)
    p = unpack(o, jnp.array(first))
    x = features_of(o, p, *inputs)
    hidden = cell = jnp.zeros(o.lstm)
    before, heads = [], []
    for t in range(o.rows + 1):
        before.append((hidden, cell))
        hidden, cell = remember(o, p, x[t], hidden, cell)
        heads.append(heads_of(o, p, x[t], hidden, cell))
    outputs = jnp.stack(heads)
    starts = tuple(jnp.stack(part)[:o.rows:o.length] for part in zip(*before))
    logs = jax.nn.log_softmax(outputs[:o.rows, :o.actions])
    values = np.array(outputs[:, o.actions])
    advantages = np.zeros(o.rows)
    advantage = 0.0
    for t in reversed(range(o.rows)):
        advantage = rewards[t] + GAMMA * values[t + 1] - values[t] + GAMMA * o.lam * advantage
        advantages[t] = advantage
    targets = advantages + values[:-1]
    if o.normal_advantages:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    rows = (o.rows,)
    errors = {
        "values": relative(probe.array("values", rows, ctypes.c_double), values[:-1]),
        "advantages": relative(probe.array("advantages", rows, ctypes.c_double), advantages),
        "targets": relative(probe.array("targets", rows, ctypes.c_double), targets),
        "probabilities": relative(
            probe.array("probabilities", (o.rows, o.actions), ctypes.c_double), np.exp(logs)),
    }

    def loss_of(flat: Any) -> Any:
        p = unpack(o, flat)
        x = features_of(o, p, *(part[:o.rows] for part in inputs))
        x = x.reshape(o.rows // o.length, o.length, -1)
        hidden, cell = starts
        found = []
        for step in range(o.length):
            hidden, cell = remember(o, p, x[:, step], hidden, cell)
            found.append(heads_of(o, p, x[:, step], hidden, cell))
        outputs = jnp.stack(found, 1).reshape(o.rows, -1)
        now, value = jax.nn.log_softmax(outputs[:, :o.actions]), outputs[:, o.actions]
        ratio = jnp.exp((now - logs)[jnp.arange(o.rows), actions])
        clipped = jnp.clip(ratio, 1 - o.clip, 1 + o.clip)
        value_loss = (value - targets) ** 2
        if o.value_clip:
            limited = values[:-1] + jnp.clip(value - values[:-1], -o.value_clip, o.value_clip)
            value_loss = jnp.maximum(value_loss, (limited - targets) ** 2)
        entropy = -(jnp.exp(now) * now).sum(1).mean()
        divergence = (jnp.exp(logs) * (logs - now)).sum(1).mean()
        if o.half_value_loss:
            value_loss = value_loss / 2
        loss = (-jnp.minimum(ratio * advantages, clipped * advantages).mean()
                + o.value_weight * value_loss.mean() - o.entropy_weight * entropy
                + o.divergence_weight * divergence)
        if o.divergence_cutoff:
            beyond = jnp.maximum(divergence - o.divergence_cutoff * o.divergence_target, 0)
            loss += o.divergence_cutoff_weight * beyond**2
        return loss

    # some updates: the first one sees ratios of 1, later ones clip
    differentiate = jax.jit(jax.value_and_grad(loss_of))
    mean, square, largest = np.zeros(count), np.zeros(count), np.zeros(count)
    for update in range(3):
        gradients[...] = 0
        loss = probe.call("differentiate", ctypes.c_double, int(update == 0))
        found, at = gradients.astype(float), weights.astype(float)
        wanted_loss, wanted = differentiate(jnp.array(at))
        errors[f"loss {update}"] = relative(loss, float(wanted_loss))
        for name, part in unpack(o, np.array(wanted)).items():
            if np.linalg.norm(part) > 1e-12:
                errors[f"gradient of {name} {update}"] = relative(unpack(o, found)[name], part)
        norm = probe.call("step", ctypes.c_double)
        errors[f"norm {update}"] = relative(norm, np.linalg.norm(found))
        found *= min(1.0, o.norm / np.linalg.norm(found))
        mean = 0.9 * mean + 0.1 * found
        square = 0.999 * square + 0.001 * found**2
        largest = np.maximum(largest, square)
        root = np.sqrt(largest if o.amsgrad else square) / np.sqrt(1 - 0.999 ** (update + 1)) + 1e-8
        step = -o.rate / (1 - 0.9 ** (update + 1)) * mean / root
        errors[f"step {update}"] = relative(weights - at, step)
    probe.call("free", None)
    return errors


def compare_all(cases: dict[str, Any], compare_one: Callable[..., dict[str, float] | None]) -> int:
    """Compares all cases on all kinds of vectors and prints the errors. Returns an exit code."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--all"]
    build = pathlib.Path(arguments[0] if arguments else "build/release")
    library = ctypes.CDLL(str(build.resolve() / "liblearner_probe.so"))
    is_good = True
    for name, options in cases.items():
        for path in ("avx512", "avx2", "neon", "plain"):
            errors = compare_one(library, options, path)
            if errors is None:
                continue
            bad = {what: error for what, error in errors.items()
                   if not error <= LARGEST_ERROR}
            worst = max(errors, key=lambda what: errors[what])
            print(f"{name}, {path}: {len(errors)} compared, worst {errors[worst]:.1e} ({worst})", *bad)
            is_good = is_good and not bad
            if "--all" not in sys.argv:
                break
    print("all agree" if is_good else "some do not agree")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(compare_all(CASES, compare))
