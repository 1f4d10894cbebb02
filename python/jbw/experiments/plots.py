# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Plots of reward rates like the paper's: the mean over seeds, and a band of one standard error."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from jbw import evaluate
from jbw.experiments.errors import ExperimentError, need
from jbw.experiments.results import StudyFolder
from jbw.experiments.summary import Group, rates, read_groups

#: Okabe and Ito's palette, which colour-blind readers can tell apart, from dark to light.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")

#: An agent has the same colour in every plot of one variant, and the same line in every plot.
AGENT_COLORS = {
    "ppo": 0,
    "ppo-fast": 5,
    "dqn": 6,
    "oracle": 2,
    "greedy": 1,
    "random": 4,
    "forward": 3,
    "ppo-sb3": 3,
    "ppo-vector": 3,
    "ppo-sb3-vector": 3,
}
STYLES: dict[str, Any] = {
    "oracle": (0, (8, 1.5, 1, 1.5)),
    "greedy": (0, (5, 2)),
    "random": (0, (1, 1.5)),
    "forward": (0, (3, 1, 1, 1)),
    "ppo-vector": (0, (8, 1.5)),
    "ppo-sb3-vector": (0, (8, 1.5)),
}

#: What is written, and what of it must not depend on the day.
KINDS: dict[str, dict[str, Any]] = {
    "png": {"dpi": 150},
    "svg": {"metadata": {"Date": None}},
    "pdf": {"metadata": {"CreationDate": None}},
}

#: No lines are drawn for more changes than this.
MAX_LINES = 40


def plot_study(study: StudyFolder, folder: Path, window: int | None = None) -> list[Path]:
    """Writes reward-rate.png, .svg and .pdf of a study to a folder."""
    groups = read_groups(study)
    if not groups:
        raise ExperimentError(f"{study.path} has no rows yet")
    figure = draw(study, groups, window)
    folder.mkdir(parents=True, exist_ok=True)
    name = "reward-rate"
    if folder != study.path:
        name = f"{study.case}-{study.path.name}-{name}"
    if window is not None:
        name += f"-window-{window}"
    paths = [folder / f"{name}.{kind}" for kind in KINDS]
    for path in paths:
        path.write_bytes(_as_bytes(figure, study, path.suffix[1:]))
    return paths


def draw_picture(study: StudyFolder, path: Path) -> None:
    """Writes the figure of a study to one PNG file, with finished runs only."""
    groups = [group for group in read_groups(study) if group.complete == len(group.seeds)]
    if not groups:
        raise ExperimentError(f"{study.path} has no finished runs")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_as_bytes(draw(study, groups), study, "png"))


def as_svg(figure: Any, study: StudyFolder) -> str:
    """A figure as SVG text; equal results give equal text."""
    return _as_bytes(figure, study, "svg").decode()


def _as_bytes(figure: Any, study: StudyFolder, kind: str) -> bytes:
    matplotlib = need("matplotlib", "plot", "plotting")
    out = io.BytesIO()
    settings = {"svg.hashsalt": study.path.name, "svg.fonttype": "path", "pdf.fonttype": 42}
    with matplotlib.rc_context(settings):
        figure.savefig(out, format=kind, **KINDS[kind])
    return out.getvalue()


def colors(groups: list[Group], variants: list[str]) -> list[str]:
    """A colour for each group: by variant if there are several, else by agent."""
    if len({group.variant for group in groups}) > 1:
        return [COLORS[variants.index(group.variant) % len(COLORS)] for group in groups]
    agents = list(dict.fromkeys(group.agent for group in groups))
    chosen = {agent: AGENT_COLORS[agent] for agent in agents if agent in AGENT_COLORS}
    free = [i for i in range(len(COLORS)) if i not in chosen.values()]
    for i, agent in enumerate(agent for agent in agents if agent not in chosen):
        chosen[agent] = free[i] if i < len(free) else i % len(COLORS)
    return [COLORS[chosen[group.agent]] for group in groups]


def draw(study: StudyFolder, groups: list[Group], window: int | None = None) -> Any:
    """The figure of a study."""
    figures = need("matplotlib.figure", "plot", "plotting")
    window = window or study.about["window"]
    every = study.about["every"]
    figure = figures.Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    has_band = False
    for group, color in zip(groups, colors(groups, list(study.variants)), strict=True):
        shown = rates(study, group, window)
        band = evaluate.standard_error_band(shown)
        x = np.arange(1, shown.shape[1] + 1) * every
        axes.plot(
            x,
            band.mean,
            color=color,
            linestyle=STYLES.get(group.agent, "-"),
            linewidth=2.0 if group.learns else 1.5,
            label=f"{group.label} ({band.seeds} {'seed' if band.seeds == 1 else 'seeds'})",
        )
        if band.seeds > 1:
            has_band = True
            axes.fill_between(x, band.low, band.high, color=color, alpha=0.18, linewidth=0)
    changes = sorted({time for about in study.variants.values() for time in about["changes"]})
    if len(changes) <= MAX_LINES:
        for time in changes:
            axes.axvline(time, color="#999999", linewidth=0.8, linestyle="--", zorder=0)
    axes.axhline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes.set_xlim(0, study.about["steps"])
    axes.set_xlabel("step")
    axes.set_ylabel(f"reward rate, {window:,}-step window")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    # the title, and below it the task
    world = [study.about["world"], *(f"{key}: {value}" for key, value in study.overrides.items())]
    title = f"{study.about['title']} (world: {', '.join(world)})"
    rewards = list(dict.fromkeys(about["reward"] for about in study.variants.values()))
    task = f"reward: {rewards[0]}" if len(rewards) == 1 else "reward: another one in each variant"
    task = task if len(task) < 110 else task[:107] + "..."
    axes.set_title(title, fontsize=12, fontweight="bold", loc="left", pad=22)
    axes.annotate(
        task,
        (0, 1),
        (0, 7),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=8.5,
        color="#444444",
    )
    # below the plot, where many variants do not cover the lines
    widest = max(len(group.label) for group in groups)
    columns = 3 if widest < 28 else 2
    meaning = "line: mean over seeds"
    if has_band:
        meaning += "; band: one standard error of the mean on either side"
    if 0 < len(changes) <= MAX_LINES:
        meaning += "; vertical: the reward changes"
    legend = figure.legend(
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=8.5,
        title=meaning,
        title_fontsize=8,
    )
    legend.get_title().set_color("#444444")
    return figure
