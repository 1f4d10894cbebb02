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

#: By variant, or by learner: Okabe and Ito's palette, which is safe for colour-blind readers.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLES = {"greedy": (0, (5, 2)), "random": (0, (1, 1.5)), "forward": (0, (3, 1, 1, 1))}

#: No lines are drawn for more changes than this.
MAX_LINES = 40


def plot_study(study: StudyFolder, folder: Path, window: int | None = None) -> list[Path]:
    """Writes reward-rate.png and reward-rate.svg of a study to a folder."""
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
    paths = [folder / f"{name}.{kind}" for kind in ("png", "svg")]
    figure.savefig(paths[0], dpi=150)
    paths[1].write_text(as_svg(figure, study), encoding="utf-8")
    return paths


def as_svg(figure: Any, study: StudyFolder) -> str:
    """A figure as SVG text; equal results give equal text."""
    matplotlib = need("matplotlib", "plot", "plotting")
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": study.path.name, "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def draw(study: StudyFolder, groups: list[Group], window: int | None = None) -> Any:
    """The figure of a study."""
    figures = need("matplotlib.figure", "plot", "plotting")
    window = window or study.about["window"]
    every = study.about["every"]
    figure = figures.Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    variants = list(study.variants)
    several = len({group.variant for group in groups}) > 1
    learners = sorted({group.agent for group in groups if group.learns})
    for group in groups:
        shown = rates(study, group, window)
        band = evaluate.standard_error_band(shown)
        x = np.arange(1, shown.shape[1] + 1) * every
        index = variants.index(group.variant) if several else 0
        if not several and group.learns:
            index = learners.index(group.agent)
        color = COLORS[index % len(COLORS)]
        if not group.learns and not several:
            color = {"greedy": "#444444", "random": "#888888"}.get(group.agent, "#666666")
        axes.plot(
            x,
            band.mean,
            color=color,
            linestyle=STYLES.get(group.agent, "-"),
            linewidth=1.8 if group.learns else 1.2,
            label=f"{group.label} (n = {band.seeds})",
        )
        if band.seeds > 1:
            axes.fill_between(x, band.low, band.high, color=color, alpha=0.2, linewidth=0)
    changes = sorted({time for about in study.variants.values() for time in about["changes"]})
    if len(changes) <= MAX_LINES:
        for time in changes:
            axes.axvline(time, color="#bbbbbb", linewidth=0.8, linestyle="--", zorder=0)
    axes.axhline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes.set_xlim(0, study.about["steps"])
    axes.set_xlabel("step")
    axes.set_ylabel(f"reward rate, {window:,}-step window")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"{study.about['title']} ({study.about['world']})", fontsize=11)
    # the reward is shown above the plot, as in the paper
    rewards = list(dict.fromkeys(about["reward"] for about in study.variants.values()))
    if len(rewards) == 1:
        text = rewards[0] if len(rewards[0]) < 110 else rewards[0][:107] + "..."
        figure.suptitle(text, fontsize=8, family="monospace")
    # below the plot, where many variants do not cover the lines
    widest = max(len(group.label) for group in groups)
    columns = 3 if widest < 28 else 2
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
    return figure
