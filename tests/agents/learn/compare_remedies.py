#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""compare_remedies.py BUILD: holds the remedies against loss of plasticity against slow twins in NumPy.

The C learner lives on random observations and takes some updates, one part at a time. Gradients of the
pull towards first weights, shrunk weights, utilities, ages and replaced units of continual backpropagation,
dormant units, ranks and norms are compared with what the papers' equations say of the same weights and
observations, computed here in double precision. Layer normalisation is part of compare_with_jax.py. Needs
NumPy.
"""

from __future__ import annotations

import ctypes
import pathlib
import sys
from typing import Any

import numpy as np

SIDE, COLORS, SCENTS, ACTIONS, CHANNELS, SENSE, HIDDEN = 7, 3, 3, 3, 16, 512, 32
LIFE, BATCH, LSTM, LENGTH = 40, 8, 16, 3
L2, SHRINK, PERTURB, RATE, DECAY, MATURITY = 0.03, 0.9, 0.05, 0.02, 0.9, 2


class Probe:
    """The C learner (dqn_probe.c). The settings of the remedies are those above, where they are on."""

    def __init__(self, library: ctypes.CDLL, lstm: int, layer_norm: bool, on: str) -> None:
        self._library = library
        self.span = LENGTH + 1 if lstm else 1
        ints = [SIDE, COLORS, SCENTS, ACTIONS, lstm, 0, 0, 0, 0, 0, BATCH, LENGTH if lstm else 1, 1, 1,
                layer_norm, int(on == "shrink"), MATURITY, int(on == "plasticity")]
        numbers = [0.9, 1.0, L2 * (on == "l2"), SHRINK, PERTURB, RATE * (on == "replacement"), DECAY]
        new = library.dqn_new
        new.restype = ctypes.c_void_p
        self._mind = new((ctypes.c_int * len(ints))(*ints), (ctypes.c_double * len(numbers))(*numbers),
                         b"plain", ctypes.c_uint64(3))
        self.count = self.call("count", ctypes.c_size_t)
        self.weights = self.array("weights", (self.count,))
        self.layers = self.layout(lstm, layer_norm)

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """Calls a function of the probe."""
        function = getattr(self._library, f"dqn_{name}")
        function.restype = result
        return function(ctypes.c_void_p(self._mind), *arguments)

    def array(self, name: str, shape: tuple[int, ...], kind: Any = ctypes.c_float, *arguments: Any) -> Any:
        """A view of an array of the learner."""
        return np.ctypeslib.as_array(self.call(name, ctypes.POINTER(kind), *arguments), shape=shape)

    def layout(self, lstm: int, layer_norm: bool) -> dict[str, slice]:
        """Where the arrays of each layer are."""
        place = ((SIDE - 3) // 2) ** 2
        shapes = [("conv1", 9 * COLORS * CHANNELS), ("conv1 bias", CHANNELS), ("conv2", 4 * CHANNELS**2),
                  ("conv2 bias", CHANNELS), ("vision", place * CHANNELS * SENSE), ("vision bias", SENSE),
                  ("scent1", SCENTS * HIDDEN), ("scent1 bias", HIDDEN), ("scent2", HIDDEN * SENSE),
                  ("scent2 bias", SENSE)]
        if lstm:
            shapes += [("lstm", (2 * SENSE + lstm) * 4 * lstm), ("lstm bias", 4 * lstm)]
        shapes += [("heads", (lstm or 2 * SENSE) * ACTIONS), ("heads bias", ACTIONS)]
        if layer_norm:
            for name, size in (("conv1", CHANNELS), ("conv2", CHANNELS), ("vision", SENSE),
                               ("scent1", HIDDEN), ("scent2", SENSE)):
                shapes += [(f"{name} gain", size), (f"{name} offset", size)]
        found, at = {}, 0
        for name, size in shapes:
            found[name] = slice(at, at + size)
            at += size
        assert at == self.count
        return found

    def live(self) -> None:
        """Lives on random observations and rewards, which `vision`, `scent` and so on remember."""
        rng = np.random.default_rng(1)
        self.weights += rng.normal(0, 0.02, self.count).astype(np.float32)
        self.vision = rng.random((LIFE, SIDE, SIDE, COLORS), np.float32)
        self.vision *= rng.random((LIFE, SIDE, SIDE, 1), np.float32) < 0.3
        self.scent = rng.random((LIFE, SCENTS), np.float32)
        for t in range(LIFE):
            self.array("vision", self.vision[t].shape)[...] = self.vision[t]
            self.array("scent", (SCENTS,))[...] = self.scent[t]
            self.call("act", ctypes.c_int, 1)
            self.call("reward", None, ctypes.c_double(rng.normal()))

    def differentiate(self) -> Any:
        """Draws a batch, computes its gradients, and returns the steps of its rows."""
        assert self.call("sample", ctypes.c_int)
        self.call("differentiate", ctypes.c_double)
        starts = self.array("starts", (BATCH,), ctypes.c_uint64).astype(np.int64)
        return (starts[:, None] + np.arange(self.span)).ravel()


def activations_of(probe: Probe, w: Any, steps: Any) -> dict[str, Any]:
    """(rows, places, units) of each layer, for these weights."""

    def part(name: str, *shape: int) -> Any:
        return w[probe.layers[name]].reshape(shape)

    def finish(x: Any, name: str) -> Any:
        x = x + part(f"{name} bias", -1)
        if f"{name} gain" in probe.layers:
            x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
            x = x * part(f"{name} gain", -1) + part(f"{name} offset", -1)
        return np.maximum(x, 0)

    def convolve(x: Any, name: str, size: int, stride: int) -> Any:
        side = (x.shape[1] - size) // stride + 1
        filters = part(name, size, size, x.shape[3], CHANNELS)
        y = np.zeros((len(x), side, side, CHANNELS))
        for i in range(side):
            for j in range(side):
                window = x[:, i * stride:i * stride + size, j * stride:j * stride + size]
                y[:, i, j] = np.einsum("bijc,ijco->bo", window, filters)
        return finish(y, name)

    conv1 = convolve(probe.vision[steps].astype(float), "conv1", 3, 2)
    conv2 = convolve(conv1, "conv2", 2, 1)
    flat = conv2.reshape(len(steps), -1)
    vision = finish(flat @ part("vision", -1, SENSE), "vision")
    scent1 = finish(probe.scent[steps].astype(float) @ part("scent1", SCENTS, HIDDEN), "scent1")
    scent2 = finish(scent1 @ part("scent2", HIDDEN, SENSE), "scent2")
    return {
        "conv1": conv1.reshape(len(steps), -1, CHANNELS), "conv2": conv2.reshape(len(steps), -1, CHANNELS),
        "vision": vision[:, None], "scent1": scent1[:, None], "scent2": scent2[:, None],
    }


def indices_out(probe: Probe, name: str, unit: int) -> Any:
    """Indices of all weights out of a unit."""
    at = {key: np.arange(self.start, self.stop) for key, self in probe.layers.items()}
    if name == "conv1":
        return at["conv2"].reshape(4, CHANNELS, CHANNELS)[:, unit].ravel()
    if name == "conv2":
        return at["vision"].reshape(-1, CHANNELS, SENSE)[:, unit].ravel()
    if name == "scent1":
        return at["scent2"].reshape(HIDDEN, SENSE)[unit]
    after = "lstm" if "lstm" in at else "heads"
    row = unit + (SENSE if name == "scent2" else 0)
    width = 4 * LSTM if after == "lstm" else ACTIONS
    return at[after].reshape(-1, width)[row]


def indices_in(probe: Probe, name: str, unit: int, units: int) -> Any:
    """Indices of all weights into a unit."""
    return np.arange(probe.layers[name].start, probe.layers[name].stop).reshape(-1, units)[:, unit]


def close(what: str, found: Any, wanted: Any, tolerance: float = 1e-5) -> None:
    """Fails unless two arrays are the same but for rounding."""
    size = float(np.linalg.norm(np.asarray(wanted))) or 1.0
    error = float(np.linalg.norm(np.asarray(found, float) - wanted)) / size
    if not error <= tolerance:
        raise AssertionError(f"{what}: relative error {error:.1e}")


def compare_l2(library: ctypes.CDLL, lstm: int, layer_norm: bool) -> None:
    """The gradient of L2 |w - w_0|^2."""
    probe = Probe(library, lstm, layer_norm, "l2")
    first = probe.weights.astype(float)
    probe.live()
    probe.differentiate()
    gradients = probe.array("gradients", (probe.count,))
    before = gradients.astype(float)
    probe.call("before_step", None)
    close("l2_init", gradients - before, 2 * L2 * (probe.weights.astype(float) - first))
    probe.call("free", None)


def compare_shrink(library: ctypes.CDLL, lstm: int, layer_norm: bool) -> None:
    """Shrunk weights plus a part of new ones, which are drawn as the first ones were."""
    probe = Probe(library, lstm, layer_norm, "shrink")
    first = probe.weights.astype(float)
    probe.live()
    drawn = []
    for update in range(3):
        before = probe.weights.astype(float)
        probe.call("after_update", None, ctypes.c_uint64(update))
        fresh = probe.array("fresh", (probe.count,)).astype(float)
        close("shrink and perturb", probe.weights, SHRINK * before + PERTURB * fresh)
        drawn.append(fresh)
        for name, where in probe.layers.items():
            if name.endswith(("bias", "gain", "offset")):
                assert (fresh[where] == first[where]).all(), name
            else:
                assert abs(fresh[where].std() / first[where].std() - 1) < 0.2, name
                assert (fresh[where] != first[where]).mean() > 0.99, name
    assert (drawn[0] != drawn[1]).mean() > 0.5
    probe.call("free", None)


def compare_replacement(library: ctypes.CDLL, lstm: int, layer_norm: bool) -> None:
    """Utilities, ages, which units are replaced, and what becomes of their weights."""
    probe = Probe(library, lstm, layer_norm, "replacement")
    first = probe.weights.astype(float)
    probe.live()
    units = {"conv1": CHANNELS, "conv2": CHANNELS, "vision": SENSE, "scent1": HIDDEN, "scent2": SENSE}
    utilities = {name: np.zeros(count) for name, count in units.items()}
    ages = {name: np.zeros(count, int) for name, count in units.items()}
    owed = dict.fromkeys(units, 0.0)
    total = dict.fromkeys(units, 0)
    moments = [probe.array("moments", (probe.count,), ctypes.c_float, i) for i in range(3)]
    for _ in range(12):
        weights_before = probe.weights.astype(float)
        steps = probe.differentiate()
        activations = activations_of(probe, weights_before, steps)
        probe.call("step", ctypes.c_double)
        stepped = probe.weights.copy()
        moments_before = [moment.copy() for moment in moments]
        probe.call("after_step", None)
        wanted, is_new = stepped.astype(float), np.zeros(probe.count, bool)
        for name, count in units.items():
            activity = np.abs(activations[name]).mean((0, 1))
            # layers are replaced one after the other: what a layer before reset counts as reset
            out = np.array([np.abs(wanted[indices_out(probe, name, unit)]).sum() for unit in range(count)])
            utilities[name] = DECAY * utilities[name] + (1 - DECAY) * activity * out
            ages[name] += 1
            owed[name] += RATE * (ages[name] > MATURITY).sum()
            while owed[name] > 1 and (ages[name] > MATURITY).any():
                unit = int(np.where(ages[name] > MATURITY, utilities[name], np.inf).argmin())
                incoming, outgoing = indices_in(probe, name, unit, count), indices_out(probe, name, unit)
                drawn = probe.weights[incoming]
                limit = np.abs(first[probe.layers[name]]).max() * 1.02
                assert (drawn != stepped[incoming]).all() and (np.abs(drawn) <= limit).all(), name
                wanted[incoming], wanted[outgoing] = drawn, 0
                single = [probe.layers[f"{name} bias"].start + unit]
                wanted[single] = 0
                if layer_norm:
                    for part, value in (("gain", 1), ("offset", 0)):
                        index = probe.layers[f"{name} {part}"].start + unit
                        wanted[index] = value
                        single.append(index)
                is_new[np.concatenate([incoming, outgoing, single])] = True
                utilities[name][unit], ages[name][unit] = 0, 0
                owed[name] -= 1
                total[name] += 1
        assert (probe.weights == wanted.astype(np.float32)).all(), "other weights changed"
        changed = is_new & (probe.weights != stepped)
        assert changed.sum() > 0.2 * is_new.sum() or not is_new.any()
        for moment, before in zip(moments, moments_before, strict=True):
            assert (moment[is_new] == 0).all() and (moment[~is_new] == before[~is_new]).all()
        close("utilities", probe.array("utilities", (sum(units.values()),), ctypes.c_double),
              np.concatenate(list(utilities.values())))
        assert (probe.array("ages", (sum(units.values()),), ctypes.c_uint64)
                == np.concatenate(list(ages.values()))).all()
    assert min(total.values()) >= 1 and total["vision"] > 50, total
    probe.call("free", None)


def compare_plasticity(library: ctypes.CDLL, lstm: int, layer_norm: bool) -> None:
    """Dormant units, ranks of features, norms of weights and updates."""
    probe = Probe(library, lstm, layer_norm, "plasticity")
    probe.live()
    # some units that never say anything, and some that hardly do
    for name, count in (("conv1 bias", 3), ("vision bias", 100)):
        at = probe.layers[name].start
        probe.weights[at:at + count] = -1e3
        if layer_norm:
            offset = probe.layers[name.replace("bias", "offset")].start
            probe.weights[offset:offset + count] = -1e3
    before = probe.weights.astype(float)
    probe.call("before_update", None, ctypes.c_uint64(0))
    steps = probe.differentiate()
    probe.call("step", ctypes.c_double)
    probe.call("after_update", None, ctypes.c_uint64(0))
    found = [probe.call("figure", ctypes.c_double, i) for i in range(5)]
    activations = activations_of(probe, before, steps)
    dormant = count = 0
    for part in activations.values():
        activity = np.abs(part).mean((0, 1))
        dormant += (activity <= 0.025 * activity.mean()).sum()
        count += activity.size
    features = np.concatenate([activations["vision"][:, 0], activations["scent2"][:, 0]], 1)
    share = np.linalg.svd(features, compute_uv=False)
    share = share / share.sum()
    entropy = -(share[share > 0] * np.log(share[share > 0])).sum()
    after = probe.weights.astype(float)
    wanted = [dormant / count, np.exp(entropy), 1 + np.searchsorted(np.cumsum(share), 0.99),
              np.linalg.norm(after), np.linalg.norm(after - before)]
    names = ("dormant", "effective rank", "stable rank", "weight norm", "update norm")
    for name, a, b in zip(names, found, wanted, strict=True):
        close(name, a, b)
    assert dormant >= 103 and 1 < found[1] < len(steps)
    probe.call("free", None)


def main() -> int:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    library = ctypes.CDLL(str(build.resolve() / "liblearner_probe.so"))
    for lstm in (0, LSTM):
        for layer_norm in (False, True):
            for compare in (compare_l2, compare_shrink, compare_replacement, compare_plasticity):
                compare(library, lstm, layer_norm)
                print(f"{compare.__name__}: agrees, lstm {lstm}, layer norm {layer_norm}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
