# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""One HTML page about all results: plots, metrics with intervals, and the versions used."""

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
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
h2 { margin-top: 3rem; border-top: 1px solid #ddd; padding-top: 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid #8883; font-size: 13px }
th { vertical-align: bottom } tr:hover td { background: #f4f6f8 }
th:first-child, td:first-child, .text { text-align: left }
td, small { white-space: nowrap } td small { display: block; font-size: 11px }
small, .quiet, summary { color: #666 } code { font-size: 13px } dt { font-weight: 600 }
figure { margin: 0 } svg { width: 100%; max-width: 56rem; height: auto } .wide { overflow-x: auto }
"""

_MEANINGS = {
    "end": f"reward per step over the last {END:.0%} of a run",
    "worst": "reward per step in the worst full window",
    "area": "the area under the moving reward rate",
    "regret": "how much more the greedy agent earned per step in the same worlds",
    "stuck": "runs that entered no new cell in their last window, and, after the slash, runs that "
    "only turned in it",
    "recovery": "steps from a change until the rate is half of the run's best: the Kaplan-Meier "
    "median. Censored ones did not get there before the next change or the end",
    "transfer": "reward per step on the last task, minus that of agents that started with it",
    "environment": "the share of time spent in the environment; the rest is the agent",
    "brackets": "95 % bootstrap intervals over seeds, the independent unit; a single seed has none",
}


def write_report(results: Results, cases: Sequence[str], out: Path) -> None:
    """Writes the page."""
    studies = [s for s in results.studies() if not cases or s.case in cases]
    if not studies:
        wanted = ", ".join(cases) or "anything"
        raise ExperimentError(f"{results.path} has no results of {wanted}")
    studies.sort(key=lambda s: (not s.about["title"].startswith("Case"), s.about["title"]))
    links = [
        f"<li><a href='#{_anchor(study)}'>{escape(study.about['title'])}</a> "
        f"<span class=quiet>{study.about['steps']:,} steps, {_count(study)}</span>"
        for study in studies
    ]
    meanings = [f"<dt>{name}<dd>{escape(text)}" for name, text in _MEANINGS.items()]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'>",
        f"<title>Jelly Bean World experiments</title><style>{_STYLE}</style>",
        "<h1>Jelly Bean World experiments</h1>",
        f"<ul>{''.join(links)}</ul>",
        f"<details><summary>what the columns mean</summary><dl>{''.join(meanings)}</dl></details>",
    ]
    for study in studies:
        parts += _section(study)
    parts.append("</html>\n")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, "\n".join(parts).encode())


def _anchor(study: StudyFolder) -> str:
    return f"{study.case}-{study.path.name}"


def _count(study: StudyFolder) -> str:
    done = [bool(folder.status()["done"]) for folder in study.all_runs()]
    return f"{len(done)} runs" if all(done) else f"{sum(done)} of {len(done)} runs done"


def _section(study: StudyFolder) -> list[str]:
    about = study.about
    groups = read_groups(study)
    parts = [
        f"<h2 id='{_anchor(study)}'>{escape(about['title'])}</h2>",
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
    parts += [_rewards(about["variants"]), _origin(groups)]
    return parts


def _rewards(variants: dict[str, dict[str, Any]]) -> str:
    """The reward: one line if it is the same for all variants, else a table."""
    texts = {about["reward"] for about in variants.values()}
    if len(texts) == 1:
        return f"<p>Reward: <code>{escape(texts.pop())}</code></p>"
    rows = "".join(
        f"<tr><td>{escape(about['label'])}<td class=text><code>{escape(about['reward'])}</code>"
        for about in variants.values()
    )
    heads = "<tr><th>variant<th class=text>reward"
    return f"<div class=wide><table>{heads}{rows}</table></div>"


def _svg(study: StudyFolder, groups: list[Group]) -> str:
    svg = as_svg(draw(study, groups), study)
    return svg[svg.index("<svg") :]


def _table(rows: list[dict[str, Any]]) -> str:
    columns = [_cells(row) for row in rows]
    # leave out empty columns
    heads = [head for head in columns[0] if any(cells[head] for cells in columns)]
    lines = ["<div class=wide><table><tr>" + "".join(f"<th>{head}" for head in heads)]
    lines += ["<tr>" + "".join(f"<td>{cells[head]}" for head in heads) for cells in columns]
    return "\n".join(lines) + "</table></div>"


def _cells(row: dict[str, Any]) -> dict[str, str]:
    """The cells of one row, by column."""
    seeds = str(row["seeds"])
    if row["complete"] < row["seeds"]:
        seeds += f"<small>{row['complete']} done</small>"
    several = row["seeds"] > 1
    speed, share = row["steps_per_second"], row["environment_share"]
    return {
        "agent": escape(row["group"].label),
        "seeds": seeds,
        "steps": f"{row['steps']:,}",
        "end": _interval(row["end_rate"], several),
        "worst": _interval(row.get("worst"), several),
        "area": _interval(row["area"], several, 1),
        "regret": _interval(row["regret"], several),
        "stuck": f"{row['no_new_cell']} / {row['only_turning']}",
        "recovery": _recovery_text(row["recovery"]),
        "transfer": _interval(row["transfer"], several),
        "steps/s": "" if speed is None else f"{speed:,.0f}",
        "environment": "" if share is None else f"{share:.1%}",
    }


def _recovery_text(recovery: dict[str, Any] | None) -> str:
    if recovery is None:
        return ""
    median = "unknown" if recovery["median"] is None else f"{recovery['median']:,.0f}"
    return f"{median}<small>{recovery['censored']} of {recovery['count']} censored</small>"


def _interval(interval: evaluate.Interval | None, several: bool, digits: int = 4) -> str:
    if interval is None:
        return ""
    text = f"{interval.estimate:.{digits}f}"
    if several:
        text += f"<small>[{interval.low:.{digits}f}, {interval.high:.{digits}f}]</small>"
    return text


def _origin(groups: list[Group]) -> str:
    """The machines and versions with which the runs were made."""
    seen: dict[str, None] = {}
    for group in groups:
        for folder in group.folders:
            for session in folder.sessions():
                found = ", ".join(f"{name} {value}" for name, value in session["versions"].items())
                seen[f"{found}; on {session['host']}"] = None
    lines = "".join(f"<li>{escape(text)}" for text in seen)
    return f"<details><summary class=quiet>versions</summary><ul>{lines}</ul></details>"
