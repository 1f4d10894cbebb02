# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Archives: finished runs in a compact form, which the other verbs read like results."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[experiments]'")

from jbw.experiments.__main__ import main
from jbw.experiments.archive import ArchivedStudy
from jbw.experiments.life import CLOCK_COLUMNS
from jbw.experiments.results import Results, StudyFolder
from jbw.experiments.summary import read_groups, summarize


def run(folder: Path, seeds: str, agents: str = "greedy,random") -> None:
    arguments = ["run", "cyclical", "--steps", "2000", "--window", "200", "--with", "period=500"]
    arguments += ["--seeds", seeds, "--agent", agents, "--jobs", "1", "--quiet"]
    assert main([*arguments, "--results", str(folder)]) == 0


def archive(folder: Path, into: Path) -> int:
    return main(["archive", "all", "--results", str(folder), "--into", str(into)])


def only_study(folder: Path) -> StudyFolder:
    (study,) = Results(folder).studies()
    return study


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive") / "results"
    run(folder, "2")
    return folder


def test_an_archive_says_what_the_results_say(results: Path, tmp_path: Path) -> None:
    assert archive(results, tmp_path) == 0
    one, two = only_study(results), only_study(tmp_path)
    assert isinstance(two, ArchivedStudy) and two.about == one.about
    assert len(two.all_runs()) == len(one.all_runs()) == 4
    for old, new in zip(one.all_runs(), two.all_runs(), strict=True):
        assert new.run == old.run
        assert new.status()["world_hashes"] == old.status()["world_hashes"]
        before, after = old.metrics(), new.metrics()
        assert before.keys() == after.keys()
        for name, column in before.items():
            if name in CLOCK_COLUMNS:
                assert after[name].sum() == pytest.approx(column.sum(), abs=0.06)
            else:
                assert np.array_equal(after[name], column)
    assert _figures(one) == _figures(two)


def _figures(study: StudyFolder) -> list[Any]:
    clock = ("steps_per_second", "environment_share", "group")
    rows = summarize(study, read_groups(study))
    return [{name: row[name] for name in row if name not in clock} for row in rows]


def test_seeds_are_added_and_order_does_not_matter(results: Path, tmp_path: Path) -> None:
    more = tmp_path / "more"
    run(more, "7,3", "greedy")
    assert archive(results, tmp_path / "a") == archive(more, tmp_path / "a") == 0
    assert archive(more, tmp_path / "b") == archive(results, tmp_path / "b") == 0
    assert len(only_study(tmp_path / "a").all_runs()) == 6
    assert _texts(tmp_path / "a") == _texts(tmp_path / "b")
    # nothing changes if it is done again
    assert archive(more, tmp_path / "a") == 0
    assert _texts(tmp_path / "a") == _texts(tmp_path / "b")


def _texts(folder: Path) -> dict[str, str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in files}


def test_other_results_of_the_same_run_are_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert archive(results, tmp_path) == 0
    file = only_study(tmp_path).path / "rows.csv"
    with file.open(newline="", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    rows[3]["reward"] = "12345"
    with file.open("w", newline="", encoding="utf-8") as text:
        writer = csv.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    changed = _texts(tmp_path)
    assert archive(results, tmp_path) == 2
    assert "main, greedy, seed 0: nothing is overwritten" in capsys.readouterr().err
    assert _texts(tmp_path) == changed


def test_unfinished_runs_stay_outside(tmp_path: Path) -> None:
    run(tmp_path / "results", "1")
    study = only_study(tmp_path / "results")
    study.runs("main", "greedy")[0].set_status(steps=1000, done=False)
    assert archive(tmp_path / "results", tmp_path / "archive") == 0
    assert only_study(tmp_path / "archive").agents("main") == ["random"]


def test_plots_and_reports_read_archives(results: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'jbw[plot]'")
    into = tmp_path / "archive"
    assert archive(results, into) == 0
    plot = ["plot", "cyclical", "--results", str(into), "--out", str(tmp_path / "plots")]
    assert main(plot) == 0
    assert len(list((tmp_path / "plots").iterdir())) == 3
    page = tmp_path / "report.html"
    assert main(["report", "--results", str(into), "--out", str(page)]) == 0
    assert "cyclical" in page.read_text(encoding="utf-8")


def test_what_an_archive_has_is_not_lived_again(tmp_path: Path) -> None:
    def live(case: str, variant: str, results: str, *more: str) -> StudyFolder:
        settings = ["--steps", "2000", "--window", "200", "--agent", "greedy", "--quiet"]
        where = ["--variant", variant, "--jobs", "1", "--results", str(tmp_path / results)]
        assert main(["run", case, *settings, *where, *more]) == 0
        return only_study(tmp_path / results)

    live("field-of-view", "fov-360", "first", "--seeds", "1")
    into = tmp_path / "archive"
    assert archive(tmp_path / "first", into) == 0

    # the same life under another name
    taken = live("occlusion", "clear", "second", "--seeds", "2", "--archive", str(into))
    lived = live("occlusion", "clear", "third", "--seeds", "2")
    adopted, own = taken.all_runs()
    assert "field-of-view, fov-360" in (adopted.path / "inherited.json").read_text()
    assert adopted.checkpoints() == [] and own.checkpoints() != []
    assert not (own.path / "inherited.json").exists()
    for one, two in zip(taken.all_runs(), lived.all_runs(), strict=True):
        assert one.status()["done"] and one.status()["world_hashes"] == two.status()["world_hashes"]
        assert one.run == two.run
        for name in two.metrics().keys() - set(CLOCK_COLUMNS):
            assert (one.metrics()[name] == two.metrics()[name]).all()
    # and what was taken over can be archived like what was lived
    assert archive(tmp_path / "second", into) == archive(tmp_path / "third", into) == 0

    # other lengths and rewards are other lives
    for change in (["--steps", "3000"], ["--reward", "Explore[1]"]):
        settings = [*change, "--seeds", "1", "--archive", str(into)]
        (alone,) = live("occlusion", "clear", f"with{change[0]}", *settings).all_runs()
        assert not (alone.path / "inherited.json").exists()


def test_an_archive_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "cyclical", "--steps", "10", "--results", str(tmp_path / "results")]
    assert main([*arguments, "--archive", str(tmp_path / "none")]) != 0
    assert "there is no folder" in capsys.readouterr().err
