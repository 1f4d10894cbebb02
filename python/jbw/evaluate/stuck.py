# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Finds agents that are stuck in one of the two ways the paper describes: they stay where they have
been before, or they do nothing but turn."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Kind = Literal["no_new_cell", "only_turning"]


class Spell(NamedTuple):
    """Steps [begin, end) of one life during which an agent was stuck."""

    kind: Kind
    begin: int
    end: int


class CellSet:
    """A growing set of cells, kept as tiles of bits: millions of cells are cheap."""

    #: Cells along the side of a tile.
    SIDE = 64

    def __init__(self) -> None:
        self._tiles: dict[tuple[int, int], NDArray[np.bool_]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, cell: tuple[int, int]) -> bool:
        x, y = int(cell[0]), int(cell[1])
        tile = self._tiles.get((x // self.SIDE, y // self.SIDE))
        return tile is not None and bool(tile[(y % self.SIDE) * self.SIDE + x % self.SIDE])

    def add(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Adds (n, 2) cells in order. Returns (n): true where a cell was not in the set before."""
        way = _cells(cells)
        is_new = np.zeros(len(way), np.bool_)
        if len(way) == 0:
            return is_new
        tiles, inside = way // self.SIDE, way % self.SIDE
        bits = inside[:, 1] * self.SIDE + inside[:, 0]
        # a path stays within a tile for long, so look each one up once per visit
        borders = np.flatnonzero((tiles[1:] != tiles[:-1]).any(axis=1)) + 1
        for begin, end in zip([0, *borders], [*borders, len(way)], strict=True):
            name = (int(tiles[begin, 0]), int(tiles[begin, 1]))
            tile = self._tiles.setdefault(name, np.zeros(self.SIDE * self.SIDE, np.bool_))
            visited, first = np.unique(bits[begin:end], return_index=True)
            fresh = first[~tile[visited]]
            is_new[begin + fresh] = True
            tile[visited] = True
        self._count += int(is_new.sum())
        return is_new

    def __getstate__(self) -> dict[str, Any]:
        names = np.array(sorted(self._tiles), np.int64).reshape(-1, 2)
        bits = [np.packbits(self._tiles[int(x), int(y)]) for x, y in names]
        return {"names": names, "bits": np.array(bits, np.uint8), "count": self._count}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._count = state["count"]
        self._tiles = {
            (int(x), int(y)): np.unpackbits(bits).astype(np.bool_)
            for (x, y), bits in zip(state["names"], state["bits"], strict=True)
        }


def _cells(cells: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(cells)
    if array.size == 0:
        return np.zeros((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"expected whole cells of shape (n, 2), found {array.dtype} {array.shape}")
    return array.astype(np.int64)


def entered_new_cell(positions: ArrayLike) -> NDArray[np.bool_]:
    """For each step, whether it led to a cell that the agent had never visited.

    ``positions`` is (steps + 1, 2): the first cell, then the cell after each step.
    """
    way = _cells(positions)
    if len(way) == 0:
        raise ValueError("positions must include the cell where the agent began")
    return CellSet().add(way)[1:]


def stuck_spells(positions: ArrayLike, n: int, *, turned: ArrayLike | None = None) -> list[Spell]:
    """All maximal stretches of at least n steps without a new cell, or with nothing but turns.

    ``positions`` is (steps + 1, 2), see `entered_new_cell`. ``turned`` is (steps), true where the
    action was a turn; without it, a step that leaves the agent in its cell counts as a turn. An
    agent that only turns enters no new cell either, so both kinds are listed. Sorted by `begin`.
    """
    if n < 1:
        raise ValueError(f"n is {n}, expected at least 1 step")
    way = _cells(positions)
    fresh = entered_new_cell(way)
    if turned is None:
        turns = (way[1:] == way[:-1]).all(axis=1)
    else:
        turns = np.asarray(turned, np.bool_)
        if turns.shape != fresh.shape:
            raise ValueError(f"{len(fresh)} steps, but turned has the shape {turns.shape}")
    spells = [Spell("no_new_cell", begin, end) for begin, end in _runs(~fresh, n)]
    spells += [Spell("only_turning", begin, end) for begin, end in _runs(turns, n)]
    return sorted(spells, key=lambda spell: (spell.begin, spell.kind))


def longest_spell(flags: ArrayLike) -> int:
    """The length of the longest stretch of true flags."""
    return max((end - begin for begin, end in _runs(np.asarray(flags, np.bool_), 1)), default=0)


def _runs(flags: NDArray[np.bool_], n: int) -> list[tuple[int, int]]:
    """The maximal stretches [begin, end) of at least n true flags."""
    padded = np.concatenate([[False], flags, [False]]).astype(np.int8)
    edges = np.diff(padded)
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return [
        (int(begin), int(end)) for begin, end in zip(begins, ends, strict=True) if end - begin >= n
    ]
