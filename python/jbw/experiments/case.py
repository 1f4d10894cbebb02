# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Cases, which are YAML files, and the runs that they describe.

Case    the contents of a file
Study   a case with all settings resolved: worlds checked, rewards compiled, windows chosen
Run     one variant, one agent, one seed: plain data that can be sent to another machine
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from jbw import _core
from jbw.envs.common import make_model
from jbw.errors import Error
from jbw.experiments.agents import agent_class
from jbw.experiments.errors import ExperimentError, need

#: The case studies of the paper.
CASES = Path(__file__).parent / "cases"

#: The most rows per run; more would be slow to handle, and no plot could show them.
MAX_ROWS = 1_000_000

_VARIANT_KEYS = {
    "label", "world", "overrides", "reward", "observation", "change_every", "change_at", "fresh",
}  # fmt: skip
_CASE_KEYS = _VARIANT_KEYS - {"label", "fresh"} | {
    "title", "about", "figure", "parameters", "steps", "window", "seeds", "agents", "variants",
}  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """One of the conditions that a case compares. Its texts may contain {parameters}."""

    name: str
    label: str
    world: str
    reward: str
    overrides: dict[str, Any] = field(default_factory=dict)
    observation: str = "dict"
    change_every: str | None = None
    change_at: tuple[str, ...] = ()
    fresh: str | None = None
    """The variant whose agents start with the task that these reach after their first change."""


@dataclass(frozen=True)
class Case:
    """The contents of a case file."""

    name: str
    title: str
    about: str
    figure: str
    steps: int
    window: int
    seeds: int
    agents: tuple[str, ...]
    variants: tuple[Variant, ...]
    parameters: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """Everything that determines one agent's life. Equal runs give equal rewards."""

    case: str
    variant: str
    agent: str
    seed: int
    world: str
    """The complete world file, so that another machine needs no other file."""
    reward: str
    observation: str
    steps: int
    window: int
    every: int
    """Steps per row of the results."""
    changes: tuple[int, ...] = ()
    """The times at which the task changes."""
    options: dict[str, Any] = field(default_factory=dict)
    """The options of the agent."""

    def to_json(self) -> str:
        """One line of JSON in canonical form."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The run that `to_json` wrote."""
        values = json.loads(text)
        values["changes"] = tuple(values["changes"])
        return cls(**values)

    def is_same_life(self, other: Run) -> bool:
        """Whether two runs are equal as long as both last, whatever cases they belong to."""
        nothing: dict[str, Any] = {
            "case": "",
            "variant": "",
            "steps": 0,
            "window": 0,
            "changes": (),
        }
        return dataclasses.replace(self, **nothing) == dataclasses.replace(other, **nothing)

    @property
    def agent_folder(self) -> str:
        """The name of the folder for this agent and its options."""
        name = Path(self.agent.partition(":")[0]).stem + self.agent.partition(":")[2]
        safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)
        if not self.options and name == self.agent:
            return safe
        return f"{safe}-{digest([self.agent, self.options])}"


@dataclass(frozen=True)
class Study:
    """A case with all settings resolved."""

    case: Case
    world_name: str
    steps: int
    window: int
    every: int
    parameters: dict[str, int]
    runs_by_variant: dict[str, Run]
    """A run of each variant, without agent, seed and options."""
    overrides: dict[str, Any] = field(default_factory=dict)
    """The keys of the world that differ from the case's."""

    @property
    def folder(self) -> str:
        """The name of the folder for these settings; independent of agents, seeds and machines."""
        parts = [json.loads(run.to_json()) for run in self.runs_by_variant.values()]
        world = "".join(c if c.isalnum() or c in "-_" else "-" for c in Path(self.world_name).stem)
        return f"{world}-{self.steps}-{digest(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """The contents of study.json."""
        return {
            "case": self.case.name,
            "title": self.case.title,
            "about": self.case.about,
            "world": self.world_name,
            "steps": self.steps,
            "window": self.window,
            "every": self.every,
            "parameters": self.parameters,
            "overrides": self.overrides,
            "variants": {
                variant.name: {
                    "label": variant.label,
                    "reward": self.runs_by_variant[variant.name].reward,
                    "observation": variant.observation,
                    "changes": list(self.runs_by_variant[variant.name].changes),
                    "fresh": variant.fresh,
                }
                for variant in self.case.variants
            },
        }

    def runs(
        self,
        seeds: Sequence[int] | None = None,
        agents: Sequence[str] | None = None,
        variants: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> list[Run]:
        """All runs, ordered by seed first, so that early results cover all agents and variants.

        Options that affect no result (`Agent.idle_options`) are left out: see `Keeping.options`.
        An agent that does not use observations runs only once for all variants that differ in
        nothing else.
        """
        for name in variants or ():
            if name not in self.runs_by_variant:
                raise ExperimentError(
                    f"case {self.case.name} has no variant {name!r}: it has "
                    f"{', '.join(self.runs_by_variant)}"
                )
        chosen = list(dict.fromkeys(agents or self.case.agents))
        observes = {agent: agent_class(agent).observes for agent in chosen}
        kept = {
            agent: {
                name: value
                for name, value in (options or {}).items()
                if name not in agent_class(agent).idle_options
            }
            for agent in chosen
        }
        out: list[Run] = []
        for seed in range(self.case.seeds) if seeds is None else seeds:
            for agent in chosen:
                lived: set[tuple[str, str]] = set()
                for name, run in self.runs_by_variant.items():
                    if variants and name not in variants:
                        continue
                    if not observes[agent]:
                        if (run.world, run.reward) in lived:
                            continue
                        lived.add((run.world, run.reward))
                    out.append(
                        dataclasses.replace(run, agent=agent, seed=seed, options=dict(kept[agent]))
                    )
        return out


def digest(value: Any) -> str:
    """A short hash of a value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def case_names() -> list[str]:
    """The names of the cases that come with the package."""
    return sorted(path.stem for path in CASES.glob("*.yaml"))


def study_order() -> list[str]:
    """The same names in the order in which the whole study runs: what tells most per hour first."""
    first = ["curricula", "modalities", "scent-world", "field-of-view", "occlusion", "cyclical"]
    last = ["non-episodic"]
    others = [name for name in case_names() if name not in first + last]
    return first + others + last


def read_case(name: str) -> Case:
    """Reads a case, given its name or the path of a YAML file."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else CASES / f"{name}.yaml"
    if not path.is_file() and path.parent != CASES:
        raise ExperimentError(f"there is no file {name}")
    if not path.is_file():
        near = get_close_matches(name, case_names(), 1)
        hint = f", did you mean {near[0]}?" if near else f": there are {', '.join(case_names())}"
        raise ExperimentError(f"there is no case {name!r}{hint}")
    yaml = need("yaml", "experiments", "reading cases")
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ExperimentError(f"{path}: {error}") from error
    return parse_case(path.stem, values)


def parse_case(name: str, values: Any) -> Case:
    """Makes a case from the contents of its file."""
    if not isinstance(values, dict):
        raise ExperimentError(f"case {name}: expected keys and values")
    _check_keys(f"case {name}", values, _CASE_KEYS)
    common = {key: values[key] for key in _VARIANT_KEYS if key in values}
    given = values.get("variants") or {"main": {"label": str(values.get("title", name))}}
    variants = []
    for variant, own in given.items():
        _check_keys(f"case {name}, variant {variant}", own, _VARIANT_KEYS)
        merged = {"label": str(variant), **common, **own}
        merged["overrides"] = {**common.get("overrides", {}), **own.get("overrides", {})}
        for key in ("world", "reward"):
            if key not in merged:
                raise ExperimentError(f"case {name}, variant {variant}: {key} is missing")
        merged["change_at"] = tuple(str(time) for time in merged.get("change_at", ()))
        if merged.get("change_every") is not None:
            merged["change_every"] = str(merged["change_every"])
        variants.append(Variant(name=str(variant), **merged))
    for variant in variants:
        if variant.fresh is not None and variant.fresh not in given:
            raise ExperimentError(f"case {name}: there is no variant {variant.fresh!r}")
    try:
        return Case(
            name=name,
            title=str(values.get("title", name)),
            about=str(values.get("about", "")),
            figure=str(values.get("figure", "")),
            steps=int(values["steps"]),
            window=int(values["window"]),
            seeds=int(values["seeds"]),
            agents=tuple(values["agents"]),
            variants=tuple(variants),
            parameters={key: int(value) for key, value in values.get("parameters", {}).items()},
        )
    except KeyError as error:
        raise ExperimentError(f"case {name}: {error.args[0]} is missing") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise ExperimentError(f"case {name}: {error}") from error


def _check_keys(where: str, values: Mapping[str, Any], known: Iterable[str]) -> None:
    for key in values:
        if key not in known:
            near = get_close_matches(str(key), known, 1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise ExperimentError(f"{where}: unknown key {key!r}{hint}")


def make_study(
    case: Case,
    *,
    steps: int | None = None,
    window: int | None = None,
    world: str | None = None,
    reward: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    parameters: Mapping[str, int] | None = None,
) -> Study:
    """Resolves all settings; the defaults are the case's.

    With other steps than the case's, the window is at most a tenth of them by default.
    """
    steps = case.steps if steps is None else steps
    if steps < 1:
        raise ExperimentError(f"steps is {steps}, expected at least 1")
    if window is None:
        window = case.window if steps == case.steps else max(1, min(case.window, steps // 10))
    if not 1 <= window <= steps:
        raise ExperimentError(f"window is {window}, expected 1 to {steps}, the steps of a run")
    values = {**case.parameters, **(parameters or {})}
    _check_keys(f"case {case.name}, parameters", values, case.parameters)
    changes = {
        variant.name: () if reward else _changes(variant, values, steps)
        for variant in case.variants
    }
    every = _row_length(steps, window, {time for times in changes.values() for time in times})

    runs = {}
    for variant in case.variants:
        try:
            model = make_model(
                world or variant.world, {**variant.overrides, **(overrides or {})}, None, None
            )
            text = _core.Reward(model, _fill(reward or variant.reward, values)).text
        except (Error, LookupError, OSError, ValueError) as error:
            raise ExperimentError(f"case {case.name}, variant {variant.name}: {error}") from error
        runs[variant.name] = Run(
            case=case.name,
            variant=variant.name,
            agent="",
            seed=0,
            world=model.to_yaml(),
            reward=text,
            observation=variant.observation,
            steps=steps,
            window=window,
            every=every,
            changes=changes[variant.name],
        )
    name = world or case.variants[0].world
    return Study(case, name, steps, window, every, values, runs, dict(overrides or {}))


def _fill(text: str, parameters: Mapping[str, int]) -> str:
    for name, value in parameters.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def _changes(variant: Variant, parameters: Mapping[str, int], steps: int) -> tuple[int, ...]:
    """The times at which the task of a run changes."""
    times = [int(_fill(time, parameters)) for time in variant.change_at]
    if variant.change_every is not None:
        period = int(_fill(variant.change_every, parameters))
        if period < 1:
            raise ExperimentError(
                f"variant {variant.name}: change_every is {period}, expected at least 1"
            )
        times += range(period, steps, period)
    return tuple(sorted({time for time in times if 0 < time < steps}))


def _row_length(steps: int, window: int, changes: Iterable[int]) -> int:
    """Steps per row: at least ten rows per window where possible. Rows end where the run, the
    window and each task end."""
    most = max(1, window // 10)
    # ignore the changes of task if they would make too many rows
    for common in (math.gcd(steps, window, *changes), math.gcd(steps, window)):
        every = max(d for d in range(1, min(most, common) + 1) if common % d == 0)
        if steps // every <= MAX_ROWS:
            return every
    raise ExperimentError(
        f"{steps} steps and a window of {window} have too little in common for at most "
        f"{MAX_ROWS} rows: choose a window that divides the steps"
    )
