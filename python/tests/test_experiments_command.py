# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The commands of experiments: every case study end to end, plots, report, documents."""

from __future__ import annotations

import errno
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[experiments]'")

from experiments_tools import a_run, command

from jbw import evaluate
from jbw.experiments import Results, case_names, read_case
from jbw.experiments.__main__ import main
from jbw.experiments.errors import ExperimentError
from jbw.experiments.freeze import compare_frozen
from jbw.experiments.plots import COLORS, colors
from jbw.experiments.results import RunFolder
from jbw.experiments.runner import Keeping, begin, work
from jbw.experiments.summary import Group


def test_the_command_s_mistakes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments, message in (
        (["run", "cyclicl"], "did you mean cyclical"),
        (["run", "cyclical", "--seeds", "x"], "expected how many"),
        (["run", "cyclical", "--seeds", "0"], "expected at least one"),
        (["run", "cyclical", "--seeds", "3,-1"], "must not be negative"),
        (["run", "cyclical", "--set", "a"], "not KEY=VALUE"),
        (["run", "cyclical", "--with", "period=abc"], "'abc' is not a whole number"),
        (["run", "cyclical", "--with", "period=1.5"], "'1.5' is not a whole number"),
        (["run", "all", "--with", "perod=5"], "did you mean 'period'"),
        (["run", "nowhere.yaml"], "there is no file nowhere.yaml"),
        (["run", "cyclical", "--agent", "gredy"], "did you mean greedy"),
        (["plot", "cyclical", "--results", str(tmp_path)], "no results of cyclical"),
        (["report", "--results", str(tmp_path)], "no results of anything"),
    ):
        assert main([*arguments]) == 2
        assert message in capsys.readouterr().err

    with pytest.raises(SystemExit, match="2"):
        main(["run", "cyclical", "--steps", "many"])
    assert "'many' is not a whole number above zero" in capsys.readouterr().err
    # a place where nothing can be written
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "results")
    assert main(["run", "cyclical", "--agent", "random", "--quiet", "--results", place]) == 1
    assert "Not a directory" in capsys.readouterr().err


def test_a_full_disk_is_told_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run("random", steps=300)
    path = tmp_path / "run"
    space = [10]

    def fsync(descriptor: int) -> None:
        space[0] -= 1
        if space[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    message = work(run.to_json(), str(path), Keeping(checkpoint_every=30))
    assert message is not None and "No space left" in message
    folder = RunFolder(path)
    assert folder.checkpoints() and not folder.status()["done"]
    assert not list(path.rglob(".*"))  # no halves of files
    # there is room again: it goes on
    monkeypatch.undo()
    assert work(run.to_json(), str(path), Keeping()) is None
    assert folder.status()["done"] and [s["step"] > 0 for s in folder.sessions()] == [False, True]


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every case study, by the command, with the library's policies."""
    results = tmp_path_factory.mktemp("experiments")
    subprocess.run(
        command("run", "all", "--steps", 3000, "--with", "period=1000", "--agent", "greedy,random",
                "--seeds", 2, "--checkpoint-every", 3000, "--results", results),
        check=True,
    )  # fmt: skip
    return results


def test_every_case_study_runs(studies: Path) -> None:
    found = {study.case: study for study in Results(studies).studies()}
    assert sorted(found) == case_names()
    assert all(folder.status()["done"] for s in found.values() for folder in s.all_runs())
    lives = {name: len(study.all_runs()) for name, study in found.items()}
    assert lives == {
        "non-episodic": 4, "cyclical": 4, "curricula": 12, "field-of-view": 16, "occlusion": 8,
        "modalities": 4, "scent-world": 4,
    }  # fmt: skip


def test_plots_of_all_case_studies(studies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "all", "--results", str(studies)]) == 0
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert len(paths) == 3 * len(case_names())
    for path in paths:
        if path.suffix == ".png":
            assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        elif path.suffix == ".pdf":
            assert path.read_bytes()[:5] == b"%PDF-"
        else:
            ElementTree.fromstring(path.read_bytes())
    # the same results, the same files
    before = [path.read_bytes() for path in paths[-3:]]
    for path in paths[-3:]:
        path.unlink()
    assert main(["plot", paths[-1].parent.parent.name, "--results", str(studies)]) == 0
    assert [path.read_bytes() for path in paths[-3:]] == before
    text = paths[-2].read_text()
    assert paths[-2].suffix == ".svg" and any(color in text for color in COLORS)


def test_all_agents_have_safe_colours_of_their_own() -> None:
    agents = ["greedy", "random", "forward", "ppo", "mine", "yours"]
    empty = np.zeros((1, 1))
    groups = [Group("only", agent, agent, [0], {"reward": empty}, 1) for agent in agents]
    chosen = colors(groups, ["only"])
    assert len(set(chosen)) == len(agents) and set(chosen) <= set(COLORS)
    assert colors(groups[:2], ["only"]) == chosen[:2]  # the same in every plot
    both = [Group(name, "greedy", name, [0], {"reward": empty}, 1) for name in ("a", "b")]
    assert colors(both, ["a", "b"]) == list(COLORS[:2])


def test_the_report(studies: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert main(["report", "--results", str(studies), "--out", str(out)]) == 0
    page = out.read_text()
    for name in case_names():
        assert read_case(name).title.replace("&", "&amp;") in page
    assert page.count("<svg") == len(case_names())
    # what nobody has is no column; built-in policies live in C, where no share is measured
    assert "<th>environment" not in page
    assert page.count("<th>transfer") == 1 and page.count("<th>recovery") == 2
    for study in Results(studies).studies():
        link = f"{study.case}-{study.path.name}"
        assert f"href='#{link}'" in page and f"id='{link}'" in page
    assert "numpy" in page and "censored" in page and "http://" not in page.split("<svg")[0]


def test_figures_of_a_study_by_hand(studies: Path) -> None:
    from jbw.experiments.summary import read_groups, summarize

    study = Results(studies).studies("curricula")[0]
    groups = read_groups(study)
    rows = {(r["group"].variant, r["group"].agent): r for r in summarize(study, groups)}
    greedy = {g.variant: g for g in groups if g.agent == "greedy"}
    random = next(g for g in groups if g.agent == "random" and g.variant == "direct")
    got = rows["direct", "random"]
    count = round(0.2 * random.rewards.shape[1])
    assert got["end_rate"].estimate == pytest.approx(
        random.rewards[:, -count:].sum(axis=1).mean() / (count * study.about["every"])
    )
    assert got["regret"].estimate == pytest.approx(
        (greedy["direct"].rewards - random.rewards).sum(axis=1).mean() / 3000
    )
    # collect-first: the last 2,000 steps against the first 2,000 of those who began with the task
    rows_after = 2000 // study.about["every"]
    assert rows["collect-first", "greedy"]["transfer"].estimate == pytest.approx(
        (
            greedy["collect-first"].rewards[:, -rows_after:].sum(axis=1)
            - greedy["direct"].rewards[:, :rows_after].sum(axis=1)
        ).mean()
        / 2000
    )
    assert rows["direct", "greedy"]["transfer"] is None
    assert rows["direct", "greedy"]["recovery"] is None
    assert rows["collect-first", "greedy"]["recovery"]["count"] == 2
    assert got["environment_share"] is None


def test_frozen_policies_do_as_well(studies: Path) -> None:
    folder = Results(studies).studies("non-episodic")[0].runs("main", "greedy")[0]
    got = compare_frozen(folder, 500)
    assert got["learning"] == got["frozen"] and got["world_hashes"]["learning"]
    assert got["world_hashes"]["learning"] == got["world_hashes"]["frozen"]
    assert compare_frozen(folder, 500) == got
    with pytest.raises(ExperimentError, match="not of 7"):
        compare_frozen(folder, 500, at=7)


def test_results_are_anyone_s_logs(studies: Path) -> None:
    """The Parquet files are enough to compute everything again with other tools."""
    import pyarrow.parquet

    file = next(Results(studies).path.glob("cyclical/*/main/greedy/seed-0/metrics.parquet"))
    table = pyarrow.parquet.read_table(file)
    rewards = table.column("reward").to_numpy()
    every = int(table.column("step")[0].as_py())
    rates = evaluate.reward_rate(rewards, 10 * every, every=every)
    assert rates[-1] == pytest.approx(rewards[-10:].sum() / (10 * every))


def test_the_programs_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    programs = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(programs) == 2
    found: dict[str, Any] = {}
    for program in programs:
        exec(program, found)
    run = a_run("random", steps=100)
    life, _ = begin(run)
    walker = found["Sleepwalker"](life, 0, restless=0.5)
    walker.live(life, 100)
    assert life.steps == 100 and life.meter.rows[-1]["step"] == 100
