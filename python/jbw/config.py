# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""World files as data: read, build, edit and print them.

The C library does all parsing and validation: it gets a Config as JSON.
"""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from jbw import _core
from jbw.errors import ConfigError, Problem

__all__ = ["Config", "compile_world", "config_of_model", "table"]


def table(values: ArrayLike) -> str:
    """The text of an interaction, from an array of shape (2 r + 1, 2 r + 1).

    The second item is in the middle; row 0 is the highest dy, column 0 the lowest dx.
    """
    return _table(values, "values")


def _table(values: ArrayLike, argument: str) -> str:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] % 2 == 0:
        raise _wrong(argument, f"expected a table of shape (2 r + 1, 2 r + 1), found {array.shape}")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0].tolist()
        found = f"{array[row, column]} in row {row}, column {column}"
        raise _wrong(argument, f"found {found}, expected a number")
    rows = ("(" + ", ".join(repr(float(value)) for value in row) + ")" for row in array)
    return "Table[" + ", ".join(rows) + "]"


def _wrong(argument: str, text: str) -> ConfigError:
    """An error that names the argument of a Python function."""
    return ConfigError([Problem(argument, 0, 0, text)])


def _plain(value: Any) -> Any:
    """Converts values of Python and NumPy to those of JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, Sequence):
        return [_plain(entry) for entry in value]
    raise TypeError(f"a world file cannot hold {value!r}")


def _find_infinite(value: Any, path: str) -> tuple[str, float] | None:
    """Where a value has a number that no text can hold, and that number."""
    if isinstance(value, float) and not math.isfinite(value):
        return path, value
    pairs: Any = ()
    if isinstance(value, Mapping):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    found = (_find_infinite(entry, f"{path}.{key}" if path else str(key)) for key, entry in pairs)
    return next((place for place in found if place is not None), None)


def _text(value: Any, source: str, **options: Any) -> str:
    """A value as JSON, which is YAML; `source` says in messages where it is from."""
    plain = _plain(value)
    place = _find_infinite(plain, "")
    if place is not None:
        path, number = place
        where = f"{path}: " if path else ""
        raise _wrong(source, f"{where}found {number}, expected a number")
    return json.dumps(plain, allow_nan=False, **options)


def check_overrides(overrides: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The overrides, or an empty mapping for None."""
    if not isinstance(overrides, Mapping | None):
        raise TypeError(f"overrides is {overrides!r}, expected a mapping from keys to values")
    return overrides or {}


def _pairs(overrides: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    given = check_overrides(overrides)
    return [(key, _text(value, f'overrides["{key}"]')) for key, value in given.items()]


class Config:
    """A world file as data: a mapping whose keys may be paths, such as "agent.vision_range".

    >>> config = Config("paper")
    >>> config["agent.field_of_view"] = 90
    >>> config["items.Wall.intensity"] = "Constant[-5]"
    >>> world = jbw.World(config, seed=7)

    ``source`` is a shipped name, a path, a mapping, another Config, or nothing for the defaults;
    ``overrides`` replaces keys. A Config may be invalid while you edit it: `check`, `model`,
    `to_dict`, `to_yaml` and World raise ConfigError with all problems.
    """

    def __init__(
        self,
        source: Mapping[str, Any] | Config | str | os.PathLike[str] | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        self._data: dict[str, Any]
        if isinstance(source, Config):
            self._data = copy.deepcopy(source._data)
        elif isinstance(source, Mapping):
            self._data = _plain(source)
        elif source is None:
            self._data = {}
        else:
            self._data = json.loads(_core.Model.read(source).to_json())
        for key, value in check_overrides(overrides).items():
            self[key] = value

    # --- reading and writing ---

    @classmethod
    def from_yaml(cls, path_or_text: str | os.PathLike[str]) -> Self:
        """From a file, a shipped name, or YAML text, which has several lines or a colon."""
        text = os.fspath(path_or_text)
        is_text = isinstance(path_or_text, str) and ("\n" in text or ": " in text)
        model = _core.Model(text) if is_text else _core.Model.read(text)
        return cls.from_dict(json.loads(model.to_json()))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """From a mapping, such as the result of `to_dict`."""
        return cls(data)

    def model(self) -> _core.Model:
        """Checks and compiles the config."""
        return _core.Model(self._source(), "<config>")

    def check(self) -> None:
        """Raises ConfigError if the config is not valid."""
        self.model()

    def problems(self) -> list[Problem]:
        """All problems; empty if the config is valid."""
        try:
            self.check()
        except ConfigError as error:
            return error.problems
        return []

    def to_dict(self) -> dict[str, Any]:
        """The complete config, including defaults, as new plain dicts and lists."""
        data: dict[str, Any] = json.loads(self.model().to_json())
        return data

    def to_yaml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The complete world file, which reads back to an equal config; ``path`` gets it, too."""
        text = self.model().to_yaml()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def _source(self) -> str:
        # one key per line, so that the line of a problem identifies it
        return _text(self._data, "<config>", indent=2)

    # --- keys ---

    def _find(self, key: str) -> tuple[Any, str | int]:
        """The container of the last part of a path, and that part."""
        holder: Any = self._data
        *path, last = key.split(".")
        for part in path:
            is_list = isinstance(holder, list)
            holder = holder[int(part)] if is_list else holder.setdefault(part, {})
        return holder, int(last) if isinstance(holder, list) else last

    def __getitem__(self, key: str) -> Any:
        """A value by its path; lists and mappings are not copies. KeyError if it was left out."""
        holder: Any = self._data
        for part in key.split("."):
            try:
                holder = holder[int(part) if isinstance(holder, list) else part]
            except (LookupError, TypeError, ValueError):
                raise KeyError(key) from None
        return holder

    def __setitem__(self, key: str, value: Any) -> None:
        parts = key.split(".")
        if len(parts) == 4 and parts[0] == "items" and parts[2] == "interactions":
            value = _interaction(value, f'config["{key}"]')
        try:
            holder, last = self._find(key)
            holder[last] = _plain(value)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, TypeError) and "cannot hold" in str(error):
                raise
            raise KeyError(key) from None

    def __delitem__(self, key: str) -> None:
        self[key]
        holder, last = self._find(key)
        del holder[last]

    def __contains__(self, key: object) -> bool:
        try:
            self[str(key)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the item types, in their order."""
        return tuple(self._data.get("items") or ())

    @property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The members of each kind of items, as they are listed: items and other kinds."""
        kinds = self._data.get("kinds") or {}
        return {name: tuple(members) for name, members in kinds.items()}

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the bodies that agents may have, in their order."""
        return tuple(self._data.get("bodies") or ())

    @property
    def tools(self) -> tuple[str, ...]:
        """The items that change what agents see, in their order: later ones win."""
        return tuple((self._data.get("agent") or {}).get("tools") or ())

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of agents, by their numbers."""
        data = self if "agent.actions" in self else Config(self.to_dict())
        return tuple(data["agent.actions"])

    @actions.setter
    def actions(self, names: Sequence[str]) -> None:
        self["agent.actions"] = list(names)

    def add_item(
        self,
        name: str,
        *,
        color: ArrayLike | None = None,
        scent: ArrayLike | None = None,
        intensity: str | float | None = None,
        interactions: Mapping[str, Any] | None = None,
        occlusion: float | None = None,
        blocks_movement: bool | None = None,
        collectable: bool | None = None,
        requires: Mapping[str, int] | None = None,
        costs: Mapping[str, int] | None = None,
        requires_ever: Mapping[str, int] | None = None,
        drops: Mapping[str, int] | None = None,
        season: Mapping[str, int] | None = None,
        regrows: str | int | None = None,
        text: bool | None = None,
    ) -> Self:
        """Adds an item type, or replaces the one with that name. A number as ``intensity`` is
        constant; an interaction is text or an array, see `table`; a season is such as
        ``{"period": 1000, "from": 0, "to": 500}``; ``regrows`` is a number of steps, or text such
        as ``"Uniform[100, 900]"``; an item with ``text`` may carry one. Returns the config."""
        if isinstance(regrows, int):
            regrows = f"Constant[{regrows}]"
        if isinstance(intensity, int | float):
            if not math.isfinite(intensity):
                raise _wrong("intensity", f"found {intensity}, expected a number")
            intensity = f"Constant[{float(intensity)!r}]"
        given = {
            "color": None if color is None else np.asarray(color, np.float64),
            "scent": None if scent is None else np.asarray(scent, np.float64),
            "occlusion": occlusion,
            "blocks_movement": blocks_movement,
            "collectable": collectable,
            "intensity": intensity,
            "interactions": interactions
            and {
                key: _interaction(value, f'interactions["{key}"]')
                for key, value in interactions.items()
            },
            "requires": requires,
            "costs": costs,
            "requires_ever": requires_ever,
            "drops": drops,
            "season": season,
            "regrows": regrows,
            "text": text,
        }
        items = self._data.setdefault("items", {})
        items[name] = {key: _plain(value) for key, value in given.items() if value is not None}
        return self

    def remove_item(self, name: str) -> Self:
        """Removes an item type and all references to it. Returns the config."""
        del self._data["items"][name]
        self._forget_mentions(name)
        self._forget_member(name)
        agent = self._data.get("agent") or {}
        for body in (agent, *(self._data.get("bodies") or {}).values()):
            if "actions" in body:
                body["actions"] = [one for one in body["actions"] if one != f"Drop[{name}]"]
        (agent.get("tools") or {}).pop(name, None)
        return self

    def _forget_mentions(self, name: str) -> None:
        for item in (self._data.get("items") or {}).values():
            for key in ("interactions", "requires", "costs", "requires_ever", "drops"):
                if name in (item.get(key) or {}):
                    del item[key][name]

    def _forget_member(self, name: str) -> None:
        kinds = self._data.get("kinds") or {}
        for kind, members in kinds.items():
            kinds[kind] = [member for member in members if member != name]

    def add_kind(self, name: str, members: Sequence[str]) -> Self:
        """Adds a kind of items, or replaces the one with that name. Members are items and other
        kinds. Returns the config."""
        self._data.setdefault("kinds", {})[name] = list(members)
        return self

    def remove_kind(self, name: str) -> Self:
        """Removes a kind and all references to it. Returns the config."""
        del self._data["kinds"][name]
        self._forget_mentions(name)
        self._forget_member(name)
        return self

    def add_body(
        self,
        name: str,
        *,
        color: ArrayLike | None = None,
        scent: ArrayLike | None = None,
        vision_range: int | None = None,
        field_of_view: float | None = None,
        visual_occlusion: bool | None = None,
        actions: Sequence[str] | None = None,
    ) -> Self:
        """Adds a body for agents, or replaces the one with that name. What is left out is as in
        ``agent``; ``actions`` are some of its actions. Returns the config."""
        given = {
            "color": None if color is None else np.asarray(color, np.float64),
            "scent": None if scent is None else np.asarray(scent, np.float64),
            "vision_range": vision_range,
            "field_of_view": field_of_view,
            "visual_occlusion": visual_occlusion,
            "actions": None if actions is None else list(actions),
        }
        bodies = self._data.setdefault("bodies", {})
        bodies[name] = {key: _plain(value) for key, value in given.items() if value is not None}
        return self

    def remove_body(self, name: str) -> Self:
        """Removes a body. Returns the config."""
        del self._data["bodies"][name]
        return self

    def add_tool(
        self,
        item: str,
        *,
        vision_range: int | None = None,
        field_of_view: float | None = None,
        visual_occlusion: bool | None = None,
    ) -> Self:
        """Makes an item a tool, whose keys hold while an agent carries one; or replaces them. Later
        tools win. Returns the config."""
        given = {
            "vision_range": vision_range,
            "field_of_view": field_of_view,
            "visual_occlusion": visual_occlusion,
        }
        tools = self._data.setdefault("agent", {}).setdefault("tools", {})
        tools[item] = {key: value for key, value in given.items() if value is not None}
        return self

    def remove_tool(self, item: str) -> Self:
        """Makes a tool an item like all others. Returns the config."""
        del self._data["agent"]["tools"][item]
        return self

    def set_interaction(self, item: str, other: str, interaction: str | ArrayLike) -> Self:
        """Sets the interaction of ``item`` with ``other``: text or an array, see `table`."""
        text = _interaction(interaction, "interaction")
        self._data["items"][item].setdefault("interactions", {})[other] = text
        return self

    # --- comparing and copying ---

    def copy(self) -> Self:
        """An independent copy."""
        return type(self)(self)

    def __copy__(self) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        """True if both describe the same world, however they are written."""
        if not isinstance(other, Config):
            return NotImplemented
        if self._data == other._data:
            return True
        try:
            return self.to_dict() == other.to_dict()
        except ConfigError:
            return False

    __hash__ = None  # type: ignore[assignment]  # it can be edited

    def __repr__(self) -> str:
        return f"jbw.Config({self._data!r})"

    def __str__(self) -> str:
        return self._source() if self.problems() else self.to_yaml()


def _interaction(value: Any, argument: str) -> Any:
    if isinstance(value, str | Mapping) or value is None:
        return value
    return _table(value, argument)


def compile_world(
    world: _core.Model | Config | Mapping[str, Any] | str | os.PathLike[str],
    overrides: Mapping[str, Any] | None = None,
) -> _core.Model:
    """A model from anything that describes a world; also called by World."""
    pairs = _pairs(overrides)
    if isinstance(world, _core.Model):
        return _core.Model(world.to_yaml(), "<model>", pairs) if pairs else world
    if isinstance(world, Mapping):
        world = Config(world)
    if isinstance(world, Config):
        return _core.Model(world._source(), "<config>", pairs)
    if isinstance(world, str | os.PathLike):
        return _core.Model.read(world, pairs)
    raise TypeError(
        f"expected a world's name, a path, a mapping, a Config or a Model, found {world!r}"
    )


def config_of_model(model: _core.Model) -> Config:
    """A Config that describes the world of a model."""
    return Config.from_dict(json.loads(model.to_json()))
