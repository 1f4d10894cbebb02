# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Cases, lives, and the folders of runs."""

from __future__ import annotations

import dataclasses
import json
import pickle
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[experiments]'")

from experiments_tools import a_run

from jbw import _core
from jbw.experiments import Life, case_names, live, read_case
from jbw.experiments.agents import agent_class
from jbw.experiments.case import Case, Run, make_study, parse_case, study_order
from jbw.experiments.errors import ExperimentError
from jbw.experiments.life import CLOCK_COLUMNS
from jbw.experiments.results import RunFolder
from jbw.experiments.runner import Keeping, begin, revive

#: An agent of one's own, from its file.
COUNTER = f"{Path(__file__).resolve().with_name('counting_agent.py')}:Counter"

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


def test_what_is_tested_is_what_the_extra_installs() -> None:
    """Exact results need exact versions: both lists of them must say the same."""
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = {line for line in project["optional-dependencies"]["test-train"] if "==" in line}
    # those of the documentation site are its own
    files = [root / f"python/requirements-{name}.txt" for name in ("test", "torch")]
    listed = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert {line.replace(" ", "") for line in listed if "==" in line} == extra


# cases


def test_the_cases_are_the_paper_s() -> None:
    assert case_names() == [
        "curricula", "cyclical", "field-of-view", "modalities", "non-episodic", "occlusion",
        "scent-world",
    ]  # fmt: skip
    steps = {"non-episodic": 10_000_000, "field-of-view": 500_000, "occlusion": 500_000}
    for name in case_names():
        case = read_case(name)
        assert (case.steps, case.window, case.seeds) == (steps.get(name, 1_000_000), 100_000, 20)
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
    name = COUNTER
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


@pytest.mark.parametrize("agent", ["greedy", "own", "ppo-vector"])
def test_a_life_that_cases_have_in_common_is_lived_once(agent: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {}
    if agent == "own":
        agent = COUNTER
    if agent == "ppo-vector":
        options = {"preset": "fast", "lstm": 16, "rows": 96, "bptt": 8, "epochs": 1, "worlds": 3}
    short = a_run(agent, steps=1000, seed=4, options=options)
    long = dataclasses.replace(short, case="another", variant="longer", steps=1500)
    keeping = Keeping(checkpoint_every=600, results=tmp_path)

    def folder(run: Run) -> RunFolder:
        where = tmp_path / run.case / "study" / run.variant / run.agent_folder
        return RunFolder(where / f"seed-{run.seed}")

    live(short, folder(short).path, keeping)
    begun = [step for step, _ in folder(short).checkpoints() if step <= 1000]
    live(long, folder(long).path, keeping)
    assert folder(long).sessions()[-1]["step"] == begun[-1]
    assert json.loads((folder(long).path / "inherited.json").read_text())["step"] == begun[-1]
    # a run of the same length has nothing left to do
    same = dataclasses.replace(long, case="third")
    live(same, folder(same).path, keeping)
    alone = tmp_path / "alone"
    live(long, alone, Keeping(checkpoint_every=600))
    for one in (folder(long), folder(same)):
        facts = ("steps", "world_hashes", "agent_facts")
        assert all(one.status()[name] == RunFolder(alone).status()[name] for name in facts)
        found, expected = one.metrics(), RunFolder(alone).metrics()
        for name in expected.keys() - set(CLOCK_COLUMNS):
            assert (found[name] == expected[name]).all()

    # other lives have nothing to hand on
    for changes in ({"reward": "Collect[Onion]"}, {"every": 2 * short.every}):
        other = dataclasses.replace(short, case="other", **changes)  # type: ignore[arg-type]
        live(other, tmp_path / "other" / next(iter(changes)), keeping)
        assert len(RunFolder(tmp_path / "other" / next(iter(changes))).sessions()) == 1


def test_the_whole_study() -> None:
    assert sorted(study_order()) == case_names()
    assert study_order()[0] == "curricula" and study_order()[-1] == "non-episodic"
    run = a_run("ppo", steps=1000)
    assert begin(run)[1].facts()["settings"]["preset"] == "authors"
    assert all("ppo" in read_case(name).agents for name in case_names())


def test_threads_are_no_part_of_a_run(tmp_path: Path) -> None:
    study = make_study(read_case("scent-world"), steps=400)
    options = {"rows": 64, "epochs": 1, "preset": "tiny"}
    one, other = study.runs([0], ["ppo", COUNTER], ["both"], {**options, "threads": 2})
    assert one == study.runs([0], ["ppo"], ["both"], options)[0] and "threads" not in one.options
    assert other.options["threads"] == 2  # which may affect the results of others

    # stopped, and resumed on other threads, it leaves what a run on one thread leaves
    shorter = dataclasses.replace(one, steps=200)
    folders = [RunFolder(tmp_path / name) for name in ("alone", "shared")]
    live(one, folders[0].path, Keeping(checkpoint_every=100))
    live(shorter, tmp_path / "begun", Keeping(checkpoint_every=100, options={"threads": 2}))
    keeping = Keeping(checkpoint_every=100, results=tmp_path, options={"threads": 3, "rows": 7})
    live(one, folders[1].path, keeping)
    facts = ("steps", "world_hashes", "agent_facts", "agent_hash")
    alone, shared = (folder.status() for folder in folders)
    assert all(alone[name] == shared[name] for name in facts)
    with pytest.raises(ExperimentError, match="threads: found '0'"):
        live(one, tmp_path / "bad", Keeping(options={"threads": 0}))


@pytest.mark.parametrize("agent", ["greedy", "oracle"])
def test_following_counts_as_stepping_does(agent: str) -> None:
    run = a_run(agent, steps=2000, case="curricula", seed=1)
    life, somebody = begin(run)
    for steps in (1, 730, 69, 1300):  # beyond the end
        somebody.live(life, steps)
    other, twin = begin(run)
    for _ in range(2100):
        other.step(twin._policy.choose(other.agent))
    assert life.steps == other.steps == 2100 and life.hashes() == other.hashes()
    assert len(life.meter.rows) == 2000 // run.every
    for one, two in zip(life.meter.rows, other.meter.rows, strict=True):
        assert all(one[name] == two[name] for name in one if name not in CLOCK_COLUMNS)


def test_a_learner_with_the_library_s_own_settings() -> None:
    fast, authors = (
        agent_class(name)(Life(a_run(name, 10)), 3).facts()["settings"]
        for name in ("ppo-fast", "ppo")
    )
    assert (fast["preset"], fast["lstm"]) == ("fast", "256")
    assert (authors["preset"], authors["lstm"]) == ("authors", "512")
    assert fast["senses"] == authors["senses"] == "vision"


@pytest.mark.parametrize("agent", ["greedy", "random", "oracle", "own", "ppo", "ppo-vector"])
def test_a_checkpoint_goes_on_exactly(agent: str, tmp_path: Path) -> None:
    if agent == "own":
        agent = COUNTER
    small = {"preset": "fast", "lstm": 16, "rows": 96, "bptt": 8, "epochs": 1}
    options = {"ppo": small, "ppo-vector": {**small, "worlds": 3}}.get(agent, {})
    run = a_run(agent, steps=1500, case="cyclical", seed=5, options=options)
    life, somebody = begin(run)
    somebody.live(life, 700)  # not at the end of a row
    copies = pickle.dumps(life), pickle.dumps(somebody)
    somebody.live(life, 800)
    other, twin = revive(run, {"life": copies[0], "agent": copies[1]})
    assert other.steps == 700
    twin.live(other, 800)
    assert other.hashes() == life.hashes() and len(life.hashes()) == options.get("worlds", 1)
    assert twin.facts() == somebody.facts()
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
