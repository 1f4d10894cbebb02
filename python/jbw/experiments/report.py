# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One HTML page about all results: plots, figures with their intervals, and what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from jbw import evaluate
from jbw.experiments.errors import ExperimentError
from jbw.experiments.freeze import describe, read_comparisons
from jbw.experiments.plots import as_svg, draw
from jbw.experiments.results import Results, StudyFolder, write_atomically
from jbw.experiments.summary import END, Group, read_groups, summarize

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8883; font-size: 13px }
th:first-child, td:first-child, .text { text-align: left }
small, td:first-child { white-space: nowrap }
small, .quiet { color: #777 } code { font-size: 13px } svg { max-width: 100%; height: auto }
.wide { overflow-x: auto } figure { margin: 0; background: #fff }
"""

_NOTES = f"""
<p>Rates are rewards per step. <b>End</b> is over the last {END:.0%} of a run, <b>worst</b> the
worst whole window, <b>area</b> that under the moving rate, <b>regret</b> what the greedy agent
earned more per step in the same worlds. Brackets are 95 % bootstrap intervals over seeds, the only
independent unit; with one seed they mean nothing. <b>Stuck</b> counts runs that at their end had
entered no new cell, or had only turned, for a window. <b>Recovery</b> is the Kaplan-Meier median of
steps after a change until the rate is half of the run's best; censored ones had not got there when
the next change, or the end, came. <b>Transfer</b> is the reward per step on the last task minus
that of agents that began with it. <b>Environment</b> is the share of the time that the environment
took; the rest is the agent.</p>
"""


def write_report(results: Results, cases: Sequence[str], out: Path) -> None:
    """Writes the page."""
    studies = [s for s in results.studies() if not cases or s.case in cases]
    if not studies:
        wanted = ", ".join(cases) or "anything"
        raise ExperimentError(f"{results.path} has no results of {wanted}")
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'>",
        f"<title>Jelly Bean World experiments</title><style>{_STYLE}</style>",
        "<h1>Jelly Bean World experiments</h1>",
        _NOTES,
    ]
    for study in sorted(studies, key=lambda s: (s.case, str(s.path))):
        parts += _section(study)
    parts.append("</html>\n")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, "\n".join(parts).encode())


def _section(study: StudyFolder) -> list[str]:
    about = study.about
    groups = read_groups(study)
    parts = [
        f"<h2>{escape(about['title'])}</h2>",
        f"<p>{escape(about['about'])}</p>",
        f"<p class=quiet>World <code>{escape(about['world'])}</code>, {about['steps']:,} steps, "
        f"window {about['window']:,}, folder <code>{escape(study.path.name)}</code></p>",
    ]
    if not groups:
        return [*parts, "<p>No rows yet.</p>"]
    parts += [f"<figure>{_svg(study, groups)}</figure>", _table(summarize(study, groups))]
    for group in groups:
        for compared in read_comparisons(group.folders).values():
            text = f"Learning against frozen, {group.label}: {describe(compared)}."
            parts.append(f"<p>{escape(text)}</p>")
    rewards = "".join(
        f"<tr><td>{escape(v['label'])}<td class=text><code>{escape(v['reward'])}</code>"
        for v in about["variants"].values()
    )
    parts.append(f"<div class=wide><table><tr><th>variant<th>reward{rewards}</table></div>")
    parts.append(_origin(groups))
    return parts


def _svg(study: StudyFolder, groups: list[Group]) -> str:
    svg = as_svg(draw(study, groups), study)
    return svg[svg.index("<svg") :]


def _table(rows: list[dict[str, Any]]) -> str:
    heads = (
        "agent", "seeds", "steps", "end", "worst", "area", "regret", "stuck: no new cell",
        "stuck: turning", "recovery", "censored", "transfer", "steps/s", "environment",
    )  # fmt: skip
    lines = ["<div class=wide><table><tr>" + "".join(f"<th>{head}" for head in heads)]
    for row in rows:
        recovery = row["recovery"]
        seeds = str(row["seeds"])
        if row["complete"] < row["seeds"]:
            seeds += f" ({row['complete']} done)"
        cells = [
            escape(row["group"].label),
            seeds,
            f"{row['steps']:,}",
            _interval(row["end_rate"]),
            _interval(row.get("worst")),
            _interval(row["area"], 1),
            _interval(row["regret"]),
            f"{row['no_new_cell']} of {row['seeds']}",
            f"{row['only_turning']} of {row['seeds']}",
            _recovery_text(recovery),
            "" if recovery is None else f"{recovery['censored']} of {recovery['count']}",
            _interval(row["transfer"]),
            "" if row["steps_per_second"] is None else f"{row['steps_per_second']:,.0f}",
            "" if row["environment_share"] is None else f"{row['environment_share']:.1%}",
        ]
        lines.append("<tr>" + "".join(f"<td>{cell}" for cell in cells))
    return "\n".join(lines) + "</table></div>"


def _recovery_text(recovery: dict[str, Any] | None) -> str:
    if recovery is None:
        return ""
    return "too many censored" if recovery["median"] is None else f"{recovery['median']:,.0f}"


def _interval(interval: evaluate.Interval | None, digits: int = 4) -> str:
    if interval is None:
        return ""
    return (
        f"{interval.estimate:.{digits}f} "
        f"<small>[{interval.low:.{digits}f}, {interval.high:.{digits}f}]</small>"
    )


def _origin(groups: list[Group]) -> str:
    """Where and with what the runs were made."""
    seen: dict[str, None] = {}
    for group in groups:
        for folder in group.folders:
            for session in folder.sessions():
                found = ", ".join(f"{name} {value}" for name, value in session["versions"].items())
                seen[f"{found}; on {session['host']}"] = None
    lines = "".join(f"<li>{escape(text)}" for text in seen)
    return f"<details><summary class=quiet>versions</summary><ul>{lines}</ul></details>"
