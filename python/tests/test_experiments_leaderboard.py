# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The leaderboard: what it says, and that docs/leaderboard.md and the figures follow from
docs/results."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[experiments]'")

from jbw.experiments.__main__ import main
from jbw.experiments.errors import ExperimentError
from jbw.experiments.leaderboard import BEGIN, END, leaderboard, write_leaderboard
from jbw.experiments.results import Results

DOCS = Path(__file__).parents[2] / "docs"


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board") / "results"
    arguments = ["run", "curricula", "--steps", "2000", "--window", "200", "--with", "period=500"]
    arguments += ["--seeds", "2", "--jobs", "1", "--quiet", "--agent", "greedy,random"]
    arguments += ["--variant", "direct,avoid-first", "--results", str(folder)]
    assert main(arguments) == 0
    return folder


def test_the_best_come_first(results: Path) -> None:
    heads, rule, *rows = cells(leaderboard(Results(results)))
    assert heads[:4] == ["case", "variant", "agent", "reward per step"]
    assert set(rule) == {"---"}
    assert [row[:3] for row in rows] == [
        ["`curricula`", "full task from the start", "greedy"],
        ["", "", "random"],
        ["", "avoid first", "greedy"],
        ["", "", "random"],
    ]
    for good, bad in (rows[:2], rows[2:]):
        rates = [float(row[3].split()[0]) for row in (good, bad)]
        assert rates[0] > rates[1]
        low, high = good[3].split("[")[1].rstrip("]").split(", ")
        assert float(low) <= rates[0] <= float(high)
    assert all(row[4:7] == ["2", "2,000", row[6]] and row[6].endswith("of 2") for row in rows)


def test_it_is_put_into_a_page(results: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{BEGIN}\nold\n{END}\n\nThe rest.\n")
    arguments = ["leaderboard", "curricula", "--results", str(results), "--into", str(page)]
    for _ in range(2):  # the second time nothing changes
        assert main(arguments) == 0
        table = leaderboard(Results(results))
        assert page.read_text() == f"# A page\n\n{BEGIN}\n\n{table}\n{END}\n\nThe rest.\n"
    bare = tmp_path / "bare.md"
    bare.write_text("nothing\n")
    with pytest.raises(ExperimentError, match="no place for the table"):
        write_leaderboard("", bare)
    assert bare.read_text() == "nothing\n"


def test_mistakes_are_told(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leaderboard", "occlusion", "--results", str(results)]) == 2
    assert "no results of these cases" in capsys.readouterr().err
    assert main(["leaderboard", "--results", str(results / "nowhere")]) == 2
    assert "has no results" in capsys.readouterr().err


@pytest.mark.skipif(not (DOCS / "results").is_dir(), reason="only the repository has results")
def test_the_page_follows_from_the_committed_results() -> None:
    page = (DOCS / "leaderboard.md").read_text(encoding="utf-8")
    table = leaderboard(Results(DOCS / "results"))
    assert page.split(BEGIN)[1].split(END)[0].strip() == table.strip(), (
        "jbw experiments leaderboard --results docs/results --into docs/leaderboard.md"
    )


@pytest.mark.skipif(not (DOCS / "results").is_dir(), reason="only the repository has results")
def test_figures_are_drawn_from_the_committed_results(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    arguments = ["plot", "all", "--results", str(DOCS / "results"), "--out", str(tmp_path)]
    assert main(arguments) == 0
    cases = {study.case for study in Results(DOCS / "results").studies()}
    drawn = {path.suffix: path for path in tmp_path.iterdir()}
    assert cases and {".png", ".svg"} <= drawn.keys()
    assert all(path.stat().st_size > 5000 for path in tmp_path.iterdir())
