# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Experiments from the command to the page: cases, folders, resuming, engines, plots, report."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[experiments]'")

from jbw import _core, evaluate
from jbw.experiments import Agent, Life, Results, case_names, live, read_case
from jbw.experiments.__main__ import main
from jbw.experiments.agents import agent_class
from jbw.experiments.case import Case, Run, make_study, parse_case
from jbw.experiments.errors import ExperimentError
from jbw.experiments.freeze import compare_frozen
from jbw.experiments.life import CLOCK_COLUMNS
from jbw.experiments.results import RunFolder
from jbw.experiments.runner import Keeping, begin, revive

#: What is registered with Gymnasium for the same case studies: must say the same.
REGISTERED = {
    ("non-episodic", "main"): "jbw/NonEpisodic-v0",
    ("cyclical", "main"): "jbw/Cyclical-v0",
    ("curricula", "collect-first"): "jbw/CurriculumCollect-v0",
    ("curricula", "avoid-first"): "jbw/CurriculumAvoid-v0",
    ("field-of-view", "fov-60"): "jbw/FieldOfView60-v0",
    ("field-of-view", "fov-90"): "jbw/FieldOfView90-v0",
    ("field-of-view", "fov-180"): "jbw/FieldOfView180-v0",
    ("field-of-view", "fov-360"): "jbw/FieldOfView360-v0",
    ("occlusion", "occluded"): "jbw/VisualOcclusion-v0",
    ("modalities", "vision"): "jbw/VisionOnly-v0",
    ("modalities", "scent"): "jbw/ScentOnly-v0",
    ("modalities", "both"): "jbw/VisionAndScent-v0",
    ("scent-world", "vision"): "jbw/AppendixVisionOnly-v0",
    ("scent-world", "scent"): "jbw/AppendixScentOnly-v0",
    ("scent-world", "both"): "jbw/AppendixVisionAndScent-v0",
}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "jbw.experiments", *map(str, arguments)]


def a_run(agent: str = "greedy", steps: int = 3000, case: str = "scent-world", **more: Any) -> Run:
    study = make_study(read_case(case), steps=steps, window=steps // 10)
    run = next(iter(study.runs_by_variant.values()))
    return dataclasses.replace(run, **{"agent": agent, **more})


def without_clock(metrics: dict[str, Any]) -> dict[str, list[float]]:
    return {name: list(column) for name, column in metrics.items() if name not in CLOCK_COLUMNS}


def same_results(one: RunFolder, two: RunFolder) -> None:
    """To the last bit, but for the clock."""
    assert without_clock(one.metrics()) == without_clock(two.metrics())
    assert one.status() == two.status() and one.status()["done"]
    assert one.status()["world_hashes"]


class Counter(Agent):
    """Remembers all it was told."""

    def __init__(self, life: Life, seed: int, **options: Any) -> None:
        super().__init__(life, seed, **options)
        self.generator = np.random.default_rng(seed)
        self.told: list[tuple[int, float]] = []

    def act(self, observation: Any) -> int:
        return int(self.generator.integers(3))

    def learn(self, observation: Any, action: int, reward: float, after: Any) -> None:
        self.told.append((action, reward))


# cases


def test_the_cases_are_the_paper_s() -> None:
    assert case_names() == [
        "curricula", "cyclical", "field-of-view", "modalities", "non-episodic", "occlusion",
        "scent-world",
    ]  # fmt: skip
    for name in case_names():
        case = read_case(name)
        assert (case.steps, case.window, case.seeds) == (10_000_000, 100_000, 20)
        study = make_study(case)
        assert study.every == 10_000
        assert case.title and case.about and case.figure


@pytest.mark.parametrize(("case", "variant"), REGISTERED)
def test_cases_say_what_the_registered_environments_say(case: str, variant: str) -> None:
    import gymnasium

    run = make_study(read_case(case)).runs_by_variant[variant]
    env: Any = gymnasium.make(REGISTERED[case, variant]).unwrapped
    assert _core.Model(run.world) == env.model
    _, info = env.reset(seed=1)
    assert _core.Reward(env.model, run.reward).at(0) == info["reward_function"]
    life = Life(dataclasses.replace(run, steps=10, window=1, every=1))
    assert life.env.observation_space == env.observation_space


def test_overrides() -> None:
    study = make_study(
        read_case("cyclical"), steps=4000, window=400, world="scent",
        overrides={"agent.field_of_view": 90}, parameters={"period": 1000},
    )  # fmt: skip
    run = study.runs_by_variant["main"]
    assert run.changes == (1000, 2000, 3000) and run.every == 40
    assert json.loads(_core.Model(run.world).to_json())["agent"]["field_of_view"] == 90
    assert "1000" in run.reward and "100000" not in run.reward
    # the settings name the folder: other ones go elsewhere, agents and seeds do not matter
    again = make_study(
        read_case("cyclical"), steps=4000, window=400, world="scent",
        overrides={"agent.field_of_view": 90}, parameters={"period": 1000},
    )  # fmt: skip
    assert again.folder == study.folder
    assert make_study(read_case("cyclical"), steps=4000).folder != study.folder


def test_rows_end_where_windows_runs_and_tasks_end() -> None:
    def every(steps: int, window: int, period: int) -> int:
        case = read_case("cyclical")
        return make_study(case, steps=steps, window=window, parameters={"period": period}).every

    assert every(3000, 300, 3000) == 30
    assert every(3000, 300, 1000) == 25
    assert every(12345, 1234, 12345) == 1
    assert every(10_000_000, 100_000, 100_001) == 10_000  # as if there were no changes
    with pytest.raises(ExperimentError, match="too little in common"):
        every(10_000_001, 1000, 10_000_001)


def test_runs_of_a_study() -> None:
    study = make_study(read_case("modalities"), steps=1000)
    runs = study.runs(seeds=[0, 4], agents=["greedy", "random"])
    # the policies see in their own way: one life serves all three variants
    assert [(r.seed, r.agent, r.variant) for r in runs] == [
        (seed, agent, "vision") for seed in (0, 4) for agent in ("greedy", "random")
    ]
    field = make_study(read_case("field-of-view"), steps=1000).runs(seeds=[0], agents=["greedy"])
    assert len(field) == 4
    assert Run.from_json(runs[0].to_json()) == runs[0]
    with pytest.raises(ExperimentError, match="no variant 'smell'"):
        study.runs(variants=["smell"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stepz": 3}, "unknown key 'stepz', did you mean 'steps'"),
        ({"variants": {"a": {"wrold": "scent"}}}, "did you mean 'world'"),
        ({"steps": None}, "steps is missing"),
        ({"reward": None}, "reward is missing"),
        ({"variants": {"a": {"fresh": "b"}}}, "no variant 'b'"),
    ],
)
def test_mistakes_in_cases_are_told(change: dict[str, Any], message: str) -> None:
    values = {
        "world": "scent", "reward": "Zero", "steps": 10, "window": 1, "seeds": 1,
        "agents": ["random"], **change,
    }  # fmt: skip
    values = {key: value for key, value in values.items() if value is not None}
    with pytest.raises(ExperimentError, match=message):
        parse_case("mine", values)


def test_mistakes_in_settings_are_told() -> None:
    case: Case = read_case("cyclical")
    mistakes: tuple[tuple[dict[str, Any], str], ...] = (
        ({"steps": 0}, "steps is 0"),
        ({"steps": 10, "window": 11}, "window is 11"),
        ({"world": "sent"}, "sent"),
        ({"reward": "Colect[JellyBean]"}, "Colect"),
        ({"overrides": {"agent.vison_range": 3}}, "vison_range"),
        ({"parameters": {"perod": 3}}, "did you mean 'period'"),
    )
    for settings, message in mistakes:
        with pytest.raises(ExperimentError, match=message):
            make_study(case, **settings)
    with pytest.raises(ExperimentError, match="did you mean cyclical"):
        read_case("cyclicl")
    with pytest.raises(ExperimentError, match="did you mean greedy"):
        agent_class("gredy")
    with pytest.raises(ExperimentError, match="not a class derived from Agent"):
        agent_class("json:JSONDecoder")
    with pytest.raises(ExperimentError, match="no file"):
        agent_class("nowhere.py:Mine")


# lives


def test_the_meter_counts_what_a_plain_loop_counts() -> None:
    run = a_run("random", steps=400, case="non-episodic", seed=3)
    life, agent = begin(run)
    world = _core.World(_core.Model(run.world), 3)
    twin = world.add_agent()
    reward = _core.Reward(world.model, run.reward)
    policy = _core.Policy("random", world.model, reward, 3)
    agent.live(life, 400)

    visited, since_new, turning = {twin.position}, 0, 0
    rows: list[dict[str, float]] = []
    for t in range(400):
        if t % run.every == 0:
            rows.append(
                {"reward": 0.0, "moves": 0, "turns": 0, "new_cells": 0, "collected.Onion": 0}
            )
        action = policy.act(t, twin.vision)
        twin.act(action)
        row, result = rows[-1], twin.result
        turned = world.action_names[action].startswith("Turn")
        turning = turning + 1 if turned else 0
        row["reward"] += reward.of(twin)
        row["moves"] += result.moved
        row["turns"] += turned
        fresh = twin.position not in visited
        since_new = 0 if fresh else since_new + 1
        row["new_cells"] += fresh
        visited.add(twin.position)
        row["collected.Onion"] += result.collected == "Onion"
        row["since_new_cell"], row["turning"] = since_new, turning
    assert len(life.meter.rows) == len(rows) == 100
    for got, want in zip(life.meter.rows, rows, strict=True):
        assert {name: got[name] for name in want} == want
    assert life.hashes() == [world.hash()]


def test_a_life_of_many_worlds_is_the_mean_of_lives() -> None:
    from jbw.experiments.life import Meter

    run = a_run(steps=40, case="non-episodic", seed=2)
    many = Life(run, worlds=3)
    singles = [Life(dataclasses.replace(run, seed=seed)) for seed in (6, 7, 8)]
    generator = np.random.default_rng(0)
    for _ in range(40):
        actions = generator.integers(0, 3, 3)
        rewards = many.step(actions)
        assert [one.step(int(a)) for one, a in zip(singles, actions, strict=True)] == list(rewards)
    assert isinstance(many.meter, Meter)
    for row, *rows in zip(many.meter.rows, *(one.meter.rows for one in singles), strict=True):
        for name in row:
            if name not in CLOCK_COLUMNS:
                assert row[name] == pytest.approx(np.mean([r[name] for r in rows]))
    assert many.hashes() == [one.hashes()[0] for one in singles]


def test_an_agent_of_one_s_own(tmp_path: Path) -> None:
    name = f"{Path(__file__).resolve()}:Counter"
    run = a_run(name, steps=200)
    life, agent = begin(run)
    agent.live(life, 200)
    told = agent.told  # type: ignore[attr-defined]
    assert len(told) == 200
    assert sum(reward for _, reward in told) == sum(row["reward"] for row in life.meter.rows)
    live(run, tmp_path / "run")
    assert RunFolder(tmp_path / "run").status()["done"]
    with pytest.raises(ExperimentError, match="no option 'speed'"):
        begin(dataclasses.replace(run, options={"speed": 3}))


# folders, and going on


def test_a_run_s_folder(tmp_path: Path) -> None:
    run = a_run("greedy", steps=2000)
    live(run, tmp_path / "run", Keeping(checkpoint_every=500, keep=2))
    folder = RunFolder(tmp_path / "run")
    assert folder.run == run
    assert [step for step, _ in folder.checkpoints()] == [1500, 2000]
    metrics = folder.metrics()
    assert len(metrics["step"]) == 2000 // run.every and metrics["step"][-1] == 2000
    assert (folder.path / "world.yaml").read_text() == run.world
    assert folder.sessions()[0]["versions"]["jbw"] == _core.version
    # the same as without folders, checkpoints and all
    life, agent = begin(run)
    agent.live(life, 2000)
    assert [row["reward"] for row in life.meter.rows] == list(metrics["reward"])

    # nothing is made twice, and nothing overwritten
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    live(run, tmp_path / "run")
    assert {p: p.read_bytes() for p in folder.path.rglob("*") if p.is_file()} == before
    with pytest.raises(ExperimentError, match="holds another run"):
        live(dataclasses.replace(run, seed=1), tmp_path / "run")


@pytest.mark.parametrize("agent", ["greedy", "random", "own"])
def test_a_checkpoint_goes_on_exactly(agent: str, tmp_path: Path) -> None:
    if agent == "own":
        agent = f"{Path(__file__).resolve()}:Counter"
    run = a_run(agent, steps=1500, case="cyclical", seed=5)
    life, somebody = begin(run)
    somebody.live(life, 700)  # not at the end of a row
    copies = pickle.dumps(life), pickle.dumps(somebody)
    somebody.live(life, 800)
    other, twin = revive(run, {"life": copies[0], "agent": copies[1]})
    assert other.steps == 700
    twin.live(other, 800)
    assert other.hashes() == life.hashes()
    for one, two in zip(life.meter.rows, other.meter.rows, strict=True):
        assert all(one[name] == two[name] for name in one if name not in CLOCK_COLUMNS)


def test_other_versions_are_not_gone_on_with(tmp_path: Path) -> None:
    run = a_run("random", steps=400)
    folder = RunFolder(tmp_path / "run")
    folder.prepare(run)
    life, agent = begin(run)
    agent.live(life, 200)
    state = {"life": pickle.dumps(life), "agent": pickle.dumps(agent)}
    folder.save_checkpoint(200, state, keep=2)
    folder.begin_session(0, False)
    file = folder.path / "sessions.jsonl"
    session = json.loads(file.read_text())
    session["versions"]["numpy"] = "1.0"
    file.write_text(json.dumps(session) + "\n" + '{"begun": "20')  # the last line was cut off
    with pytest.raises(ExperimentError, match=r"numpy 1\.0 -> .*--other-versions"):
        live(run, folder.path)
    live(run, folder.path, Keeping(other_versions=True))
    assert folder.status()["done"]


def wait_for_checkpoint(results: Path, process: subprocess.Popen[bytes]) -> None:
    """Until some new checkpoint is there; the process must not be done by then."""
    before = set(results.rglob("step-*.pickle"))
    while set(results.rglob("step-*.pickle")) <= before:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_killed_and_resumed_is_as_never_killed(tmp_path: Path) -> None:
    settings = (
        "run", "cyclical", "--steps", 30000, "--with", "period=5000", "--agent", "greedy,random",
        "--seeds", "0,1", "--jobs", 2, "--checkpoint-every", 1000, "--quiet",
    )  # fmt: skip
    interrupted = 0
    for _ in range(3):
        process = subprocess.Popen(
            command(*settings, "--results", tmp_path / "killed"), start_new_session=True
        )
        wait_for_checkpoint(tmp_path / "killed", process)
        # all of them at once: the command and its workers are a group of their own
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        folders = [RunFolder(f.parent) for f in (tmp_path / "killed").rglob("run.json")]
        interrupted += sum(bool(f.checkpoints()) and not f.status()["done"] for f in folders)
    assert interrupted > 0
    subprocess.run(command(*settings, "--results", tmp_path / "killed"), check=True)
    subprocess.run(command(*settings, "--results", tmp_path / "whole"), check=True)
    ran = sorted(path.parent for path in (tmp_path / "whole").rglob("run.json"))
    assert len(ran) == 4
    resumed = 0
    for path in ran:
        other = RunFolder(tmp_path / "killed" / path.relative_to(tmp_path / "whole"))
        same_results(RunFolder(path), other)
        resumed += any(session["step"] > 0 for session in other.sessions())
    assert resumed > 0


def test_a_lost_worker_is_replaced(tmp_path: Path) -> None:
    """Only the worker is killed; the command goes on with another."""
    process = subprocess.Popen(
        command("run", "non-episodic", "--steps", 30000, "--agent", "greedy", "--seeds", 1,
                "--checkpoint-every", 1000, "--results", tmp_path),
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for_checkpoint(tmp_path, process)
    folder = RunFolder(next(tmp_path.rglob("run.json")).parent)
    os.kill(folder.sessions()[0]["pid"], signal.SIGKILL)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0 and b"goes on in another" in errors
    assert folder.status()["done"] and len(folder.sessions()) == 2
    assert folder.sessions()[1]["step"] > 0


def test_an_agent_that_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from jbw.experiments import Agent\n"
        "class Bad(Agent):\n"
        "    def act(self, observation):\n"
        "        raise ArithmeticError('no idea')\n"
    )
    code = main(
        ["run", "scent-world", "--variant", "both", "--steps", "100", "--seeds", "1",
         "--agent", f"{bad}:Bad", "--results", str(tmp_path / "results")]
    )  # fmt: skip
    assert code == 1
    assert "no idea" in capsys.readouterr().err
    assert "ArithmeticError" in next((tmp_path / "results").rglob("error.txt")).read_text()


# the command


def test_the_command_s_mistakes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments, message in (
        (["run", "cyclicl"], "did you mean cyclical"),
        (["run", "cyclical", "--seeds", "x"], "expected how many"),
        (["run", "cyclical", "--set", "a"], "not KEY=VALUE"),
        (["run", "cyclical", "--agent", "gredy"], "did you mean greedy"),
        (["plot", "cyclical", "--results", str(tmp_path)], "no results of cyclical"),
        (["report", "--results", str(tmp_path)], "no results of anything"),
    ):
        assert main([*arguments]) == 2
        assert message in capsys.readouterr().err


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every case study, by the command, with the library's policies."""
    results = tmp_path_factory.mktemp("experiments")
    subprocess.run(
        command("run", "all", "--steps", 3000, "--with", "period=1000", "--agent", "greedy,random",
                "--seeds", 2, "--results", results),
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
    assert len(paths) == 2 * len(case_names())
    for path in paths:
        if path.suffix == ".png":
            assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        else:
            before = path.read_bytes()
            ElementTree.fromstring(before)
            assert main(["plot", path.parent.parent.name, "--results", str(studies)]) == 0
            assert path.read_bytes() == before  # the same results, the same file


def test_the_report(studies: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert main(["report", "--results", str(studies), "--out", str(out)]) == 0
    page = out.read_text()
    for name in case_names():
        assert read_case(name).title.replace("&", "&amp;") in page
    assert page.count("<svg") == len(case_names()) and "environment" in page
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
    assert 0 < got["environment_share"] < 1


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


# many machines


def test_a_ray_cluster_loses_a_node(tmp_path: Path) -> None:
    """Two nodes with a processor each; the one that is killed has done part of its runs."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    pytest.importorskip("ray", reason="ray is not installed: pip install 'jbw[cluster]'")
    script = Path(__file__).with_name("ray_cluster.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "ray")],
        capture_output=True, text=True, timeout=900,
        env={**os.environ, "RAY_TMPDIR": "/tmp"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed a node" in done.stdout
    # as processes of this machine do it
    subprocess.run(
        command("run", "cyclical", "--steps", 40000, "--with", "period=5000", "--agent", "greedy",
                "--seeds", 2, "--quiet", "--results", tmp_path / "local"),
        check=True,
    )  # fmt: skip
    ran = sorted(path.parent for path in (tmp_path / "local").rglob("run.json"))
    assert len(ran) == 2
    sessions = []
    for path in ran:
        other = RunFolder(tmp_path / "ray" / path.relative_to(tmp_path / "local"))
        same_results(RunFolder(path), other)
        sessions.append(len(other.sessions()))
    assert max(sessions) > 1  # the node's run went on elsewhere


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
