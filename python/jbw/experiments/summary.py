# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The metrics of a study, computed with `jbw.evaluate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jbw import evaluate
from jbw.experiments.agents import LABELS
from jbw.experiments.results import RunFolder, StudyFolder

#: The part of a run that counts as its end.
END = 0.2


@dataclass
class Group:
    """All runs of one agent in one variant, with columns of shape (seeds, rows)."""

    variant: str
    agent: str
    label: str
    seeds: list[int]
    columns: dict[str, NDArray[np.float64]]
    complete: int
    """The number of finished runs."""
    folders: list[RunFolder] = field(default_factory=list)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """(seeds, rows)"""
        return self.columns["reward"]

    @property
    def learns(self) -> bool:
        """False for the library's own policies."""
        return self.agent not in ("oracle", "greedy", "random", "forward")


def read_groups(study: StudyFolder) -> list[Group]:
    """The runs of a study, grouped. A group is cut to the length of its shortest run."""
    groups = []
    for variant, about in study.variants.items():
        for agent in study.agents(variant):
            tables = [(f, f.metrics()) for f in study.runs(variant, agent)]
            tables = [(folder, table) for folder, table in tables if table]
            if not tables:
                continue
            rows = min(len(table["step"]) for _, table in tables)
            columns = {
                name: np.stack([table[name][:rows] for _, table in tables]) for name in tables[0][1]
            }
            label = LABELS.get(agent, agent)
            if len(study.variants) > 1:
                label = f"{label}, {about['label']}"
            groups.append(
                Group(
                    variant,
                    agent,
                    label,
                    [folder.run.seed for folder, _ in tables],
                    columns,
                    sum(bool(folder.status()["done"]) for folder, _ in tables),
                    [folder for folder, _ in tables],
                )
            )
    return groups


def rates(study: StudyFolder, group: Group, window: int | None = None) -> NDArray[np.float64]:
    """(seeds, rows): the moving reward rate at the end of each row."""
    return evaluate.reward_rate(
        group.rewards, window or study.about["window"], every=study.about["every"]
    )


def summarize(study: StudyFolder, groups: list[Group]) -> list[dict[str, Any]]:
    """A dict of metrics for each group."""
    every, window = study.about["every"], study.about["window"]
    out = []
    for group in groups:
        rows = group.rewards.shape[1]
        last = max(1, round(END * rows))
        seconds = group.columns["seconds"].sum()
        # agents that act without Python do not tell what the environment takes
        timed = group.columns["environment_seconds"].sum()
        row: dict[str, Any] = {
            "group": group,
            "seeds": len(group.seeds),
            "complete": group.complete,
            "steps": rows * every,
            "end_rate": evaluate.bootstrap(group.rewards[:, -last:].sum(axis=1) / (last * every)),
            "area": evaluate.bootstrap(
                evaluate.area_under_rate(group.rewards, window, every=every)
            ),
            "steps_per_second": rows * every * len(group.seeds) / seconds if seconds > 0 else None,
            "environment_share": (
                group.columns["environment_seconds"].sum() / seconds if timed > 0 else None
            ),
            "no_new_cell": int((group.columns["since_new_cell"][:, -1] >= window).sum()),
            "only_turning": int((group.columns["turning"][:, -1] >= window).sum()),
        }
        if rows * every >= window:
            worst = [evaluate.worst_window(log, window, every=every).rate for log in group.rewards]
            row["worst"] = evaluate.bootstrap(worst)
        row["regret"] = _regret(groups, group, every)
        row["recovery"] = _recovery(study, group)
        row["transfer"] = _transfer(study, groups, group)
        out.append(row)
    return out


def _find(groups: list[Group], variant: str, agent: str) -> Group | None:
    return next((g for g in groups if g.variant == variant and g.agent == agent), None)


def _pairs(one: Group, two: Group) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The rewards of both groups, for the seeds and rows that both have."""
    common = [seed for seed in one.seeds if seed in two.seeds]
    if not common:
        return None
    rows = min(one.rewards.shape[1], two.rewards.shape[1])
    return (
        one.rewards[[one.seeds.index(seed) for seed in common], :rows],
        two.rewards[[two.seeds.index(seed) for seed in common], :rows],
    )


def _regret(groups: list[Group], group: Group, every: int) -> evaluate.Interval | None:
    """Regret per step, relative to the greedy agent in the same worlds."""
    greedy = _find(groups, group.variant, "greedy")
    if greedy is None:
        # it runs once for all variants that differ only in observations
        others = [g for g in groups if g.agent == "greedy"]
        worlds = {g.folders[0].run.world: g for g in others}
        rewards = {g.folders[0].run.reward for g in others}
        run = group.folders[0].run
        greedy = worlds.get(run.world) if run.reward in rewards else None
    if greedy is None or greedy is group:
        return None
    pairs = _pairs(group, greedy)
    if pairs is None:
        return None
    total = evaluate.regret(pairs[0], pairs[1], every=every)[:, -1]
    return evaluate.bootstrap(total / (pairs[0].shape[1] * every))


def _recovery(study: StudyFolder, group: Group) -> dict[str, Any] | None:
    """Recovery after each change, to half of the agent's own best rate over a window.

    The rate before a change says nothing about the task after it, so it cannot be the level.
    """
    every, window = study.about["every"], study.about["window"]
    length = group.rewards.shape[1] * every
    changes = [
        time
        for time in study.variants[group.variant]["changes"]
        if time % every == 0 and time < length
    ]
    if not changes or length < window:
        return None
    found: list[evaluate.Recovery] = []
    for log in group.rewards:
        level = 0.5 * float(
            evaluate.reward_rate(log, window, every=every)[window // every - 1 :].max()
        )
        if level > 0:
            found += evaluate.recovery_times(log, changes, window=window, level=level, every=every)
    if not found:
        return None
    return {
        "count": len(found),
        "censored": sum(one.censored for one in found),
        "median": evaluate.median_recovery(found),
    }


def _transfer(study: StudyFolder, groups: list[Group], group: Group) -> evaluate.Interval | None:
    """Forward transfer: the first steps of the last task, compared with fresh agents."""
    about = study.variants[group.variant]
    fresh = _find(groups, about["fresh"], group.agent) if about["fresh"] else None
    if fresh is None or not about["changes"]:
        return None
    every = study.about["every"]
    change = about["changes"][0]
    pairs = _pairs(group, fresh)
    if pairs is None or change % every:
        return None
    old, new = pairs
    count = old.shape[1] - change // every
    if count < 1:
        return None
    return evaluate.bootstrap(
        evaluate.forward_transfer(old[:, -count:], new[:, :count], every=every)
    )
