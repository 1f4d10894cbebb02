# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The infos of many worlds, which are made only if somebody looks at them.

Facts    the arrays that a batch writes, all in one block of memory: one copy keeps them
Telling  makes the dict of a step from such a copy
Infos    the dict that a step returns: it is empty inside until it is first used
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import InfoKind, Payment

#: The parts that infos are made of, in the order of their keys.
INFO_PARTS = ("position", "start", "direction", "time", "collected", "inventory", "outcome")

DIRECTIONS = np.array(["up", "right", "down", "left"], object)


class Facts:
    """The parts of all rows, in one block of memory."""

    def __init__(self, model: _core.Model, count: int, block: NDArray[np.uint8] | None = None):
        self._model, self._count = model, count
        parts = {name: model.parts[name] for name in INFO_PARTS}
        # the largest elements first, so that all are aligned
        order = sorted(INFO_PARTS, key=lambda name: -parts[name].dtype.itemsize)
        shapes = {name: (count, *parts[name].shape) for name in INFO_PARTS}
        sizes = {
            name: int(np.prod(shapes[name])) * parts[name].dtype.itemsize for name in INFO_PARTS
        }
        self.block = np.zeros(sum(sizes.values()), np.uint8) if block is None else block
        self.arrays: dict[str, NDArray[Any]] = {}
        at = 0
        for name in order:
            buffer = self.block[at : at + sizes[name]]
            self.arrays[name] = buffer.view(parts[name].dtype).reshape(shapes[name])
            at += sizes[name]

    def of(self, block: NDArray[np.uint8]) -> Facts:
        """The same arrays over a copy of the block."""
        return Facts(self._model, self._count, block)


class Telling:
    """Makes infos as Gymnasium's own vector environments do.

    Every key has a mask `_key` of the rows that have it. "full" has texts and tuples, "numbers"
    has int64 arrays. Rows take `payments` in turn; `masks` are the action masks of all rows.
    """

    def __init__(
        self,
        model: _core.Model,
        payments: Sequence[Payment],
        kind: InfoKind,
        masks: NDArray[np.int8] | None = None,
    ) -> None:
        self._items = model.item_names
        self._names = np.array([*model.item_names, None], object)  # -1 is the last
        self._outcomes = np.array(_core.outcomes(), object)
        self._payments = payments
        self._kind = kind
        self._masks = masks

    def tell(
        self,
        facts: Facts,
        rows: NDArray[np.bool_],
        seeds: NDArray[np.uint64] | None = None,
        fresh: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        """The infos of some rows; of the `fresh` ones of them, with `seeds`."""
        if self._kind == "none":
            return {}
        told = self._words(facts.arrays) if self._kind == "full" else self._numbers(facts.arrays)
        if self._masks is not None:
            told["action_mask"] = np.resize(self._masks, (len(rows), self._masks.shape[1]))
        infos: dict[str, Any] = {}
        for key, value in told.items():
            if isinstance(value, dict):
                inner: dict[str, Any] = {}
                for name, counts in value.items():
                    inner[name], inner[f"_{name}"] = _only(counts, rows), rows.copy()
                infos[key] = inner
            else:
                infos[key] = _only(value, rows)
            infos[f"_{key}"] = rows.copy()
        if seeds is not None and fresh is not None and fresh.any():
            infos["seed"], infos["_seed"] = np.where(fresh, seeds, 0), fresh.copy()
        return infos

    def _numbers(self, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        # signed numbers are easier to calculate with; both are the same up to 2**63
        return {name: arrays[name].astype(np.int64) for name in INFO_PARTS}

    def _words(self, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        counts = arrays["inventory"].astype(np.int64)
        return {
            "position": _cells(arrays["position"]),
            "start": _cells(arrays["start"]),
            "direction": DIRECTIONS[arrays["direction"]],
            "time": arrays["time"].astype(np.int64),
            "collected": self._names[arrays["collected"]],
            "inventory": {name: counts[:, i].copy() for i, name in enumerate(self._items)},
            "outcome": self._outcomes[arrays["outcome"]],
            "reward_function": self._rewards(arrays["time"]),
        }

    def _rewards(self, times: NDArray[Any]) -> NDArray[Any]:
        # the reward for the latest step; before the first step, the reward for that one
        paid = np.maximum(times.astype(np.int64) - 1, 0)
        found = np.empty(len(paid), object)
        for k, payment in enumerate(self._payments):
            mine = slice(k, None, len(self._payments))
            times_of_mine = paid[mine] if payment.changes else np.zeros_like(paid[mine])
            unique, places = np.unique(times_of_mine, return_inverse=True)
            texts = np.array([payment.at(int(time)) for time in unique], object)
            found[mine] = texts[places]
        return found


def _cells(cells: NDArray[Any]) -> NDArray[Any]:
    out = np.empty(len(cells), object)
    for i, (x, y) in enumerate(cells.tolist()):
        out[i] = (x, y)
    return out


def _only(values: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """The values of some rows; the others are 0 or None."""
    if not rows.all():
        values[~rows] = None if values.dtype == object else 0
    return values


class Infos(dict[str, Any]):
    """A dict that can be filled when it is first used. Copies and pickles of it are plain dicts."""

    __slots__ = ("_make",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As of dict: some wrappers make a new one of the same type."""
        self._make: Callable[[], dict[str, Any]] | None = None
        dict.__init__(self, *args, **kwargs)

    @classmethod
    def later(cls, make: Callable[[], dict[str, Any]]) -> Infos:
        """A dict that is filled by a function."""
        infos = cls()
        infos._make = make
        return infos

    def refill(self, make: Callable[[], dict[str, Any]]) -> None:
        """Forgets everything, to be filled again when it is next used."""
        dict.clear(self)
        self._make = make

    def _fill(self) -> None:
        make, self._make = self._make, None
        if make is not None:
            dict.update(self, make())

    def __iter__(self) -> Iterator[str]:
        self._fill()
        return dict.__iter__(self)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def copy(self) -> dict[str, Any]:
        return dict(self)


def _filled(name: str) -> Callable[..., Any]:
    method = getattr(dict, name)

    def call(self: Infos, *args: Any, **kwargs: Any) -> Any:
        self._fill()
        return method(self, *args, **kwargs)

    call.__name__ = name
    call.__doc__ = method.__doc__
    return call


for _name in (
    *("__contains__", "__delitem__", "__eq__", "__getitem__", "__ior__", "__len__", "__ne__"),
    *("__or__", "__repr__", "__reversed__", "__ror__", "__setitem__", "clear", "get", "items"),
    *("keys", "pop", "popitem", "setdefault", "update", "values"),
):
    setattr(Infos, _name, _filled(_name))
