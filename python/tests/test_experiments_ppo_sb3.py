# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The learner: the paper's network, one life without resets, checkpoints that go on exactly.

Exact means: same machine, same versions, same number of torch's threads (one, by default).
"""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[train]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[train]'")
pytest.importorskip("torch", reason="torch is not installed: pip install 'jbw[train]'")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: pip install 'jbw[train]'")

import torch
from experiments_tools import same_results

from jbw.experiments import Life, Results, case_names, live, read_case
from jbw.experiments.agents.ppo_sb3 import PPO, LifeVecEnv
from jbw.experiments.case import Run, make_study
from jbw.experiments.errors import ExperimentError
from jbw.experiments.freeze import compare_frozen, describe
from jbw.experiments.life import CLOCK_COLUMNS
from jbw.experiments.results import RunFolder
from jbw.experiments.runner import begin, revive

#: Small and quick; nothing here is about learning well.
SMALL = {"n_steps": 32, "batch_size": 32, "n_epochs": 2, "lstm": 32}


def a_run(variant: str = "both", steps: int = 128, agent: str = "ppo-sb3", **options: Any) -> Run:
    study = make_study(read_case("scent-world"), steps=steps)
    run = study.runs_by_variant[variant]
    return dataclasses.replace(run, agent=agent, seed=3, options={**SMALL, **options})


def optimizer(agent: Any) -> bytes:
    return pickle.dumps(agent.__getstate__()["optimizer"])


def weights(agent: Any) -> dict[str, Any]:
    found: dict[str, Any] = agent.__getstate__()["network"]
    return {name: array.copy() for name, array in found.items()}


def equal(one: dict[str, Any], two: dict[str, Any]) -> bool:
    return all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(("variant", "inputs"), [("vision", 512), ("scent", 512), ("both", 1024)])
def test_the_network_is_the_paper_s(variant: str, inputs: int) -> None:
    run = dataclasses.replace(a_run(variant), options={})
    _, agent = begin(run)
    assert isinstance(agent, PPO)
    shapes = {name: tuple(array.shape) for name, array in weights(agent).items()}
    network = "features_extractor.parts"
    if variant != "scent":
        # 11 cells -> 5 by stride 2 -> 4
        assert shapes[f"{network}.vision.0.weight"] == (16, 3, 3, 3)
        assert shapes[f"{network}.vision.2.weight"] == (16, 16, 2, 2)
        assert shapes[f"{network}.vision.5.weight"] == (512, 16 * 4 * 4)
    if variant != "vision":
        assert shapes[f"{network}.scent.0.weight"] == (32, 3)
        assert shapes[f"{network}.scent.2.weight"] == (512, 32)
    assert (f"{network}.vision.0.weight" in shapes) == (variant != "scent")
    assert (f"{network}.scent.0.weight" in shapes) == (variant != "vision")
    # one LSTM, and both heads right behind it
    assert shapes["lstm_actor.weight_ih_l0"] == (4 * 256, inputs)
    assert not any(name.startswith("lstm_critic") for name in shapes)
    assert shapes["value_net.weight"] == (1, 256)
    assert shapes["action_net.weight"] == (3, 256)


def test_a_single_step_is_what_the_general_lstm_does() -> None:
    _, agent = begin(a_run())
    policy = agent._learner.policy  # type: ignore[attr-defined]
    torch.manual_seed(1)
    features = torch.randn(3, 1024)
    state = (torch.randn(1, 3, 32), torch.randn(1, 3, 32))
    starts = torch.tensor([0.0, 1.0, 0.0])
    got, (hidden, cell) = policy._process_sequence(features, state, starts, policy.lstm_actor)
    general = super(type(policy), policy)._process_sequence
    want, (hidden2, cell2) = general(features, state, starts, policy.lstm_actor)
    for one, two in ((got, want), (hidden, hidden2), (cell, cell2)):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)


def test_the_value_trains_the_shared_network() -> None:
    life, agent = begin(a_run())
    policy = agent._learner.policy  # type: ignore[attr-defined]
    observed = {name: torch.tensor(a) for name, a in LifeVecEnv(life).reset().items()}
    states = agent._learner._last_lstm_states  # type: ignore[attr-defined]
    values, _, _ = policy.evaluate_actions(observed, torch.tensor([0]), states, torch.zeros(1))
    values.sum().backward()
    assert policy.lstm_actor.weight_ih_l0.grad.abs().sum() > 0


def test_it_lives_one_life_in_one_strict_world() -> None:
    life, agent = begin(a_run())
    agent.live(life, 100)
    assert life.worlds == 1 and life.env.strict
    assert life.steps == life.env.world.time == 128  # type: ignore[union-attr]
    with pytest.raises(RuntimeError, match="strict"):
        life.env.reset()


def test_it_learns_unless_it_is_told_not_to() -> None:
    life, agent = begin(a_run())
    before = weights(agent)
    agent.learning = False
    agent.live(life, 32)
    assert equal(before, weights(agent))
    agent.learning = True
    agent.live(life, 32)
    assert not equal(before, weights(agent))


@pytest.mark.parametrize("worlds", [1, 3])
def test_a_checkpoint_goes_on_exactly(worlds: int) -> None:
    run = a_run(steps=192, worlds=worlds)
    life, agent = begin(run)
    agent.live(life, 96)
    copies = pickle.dumps(life), pickle.dumps(agent)
    agent.live(life, 96)
    after = weights(agent), optimizer(agent), torch.get_rng_state()
    torch.manual_seed(77)  # somebody else used the shared generators
    np.random.seed(77)
    other, twin = revive(run, {"life": copies[0], "agent": copies[1]})
    twin.live(other, 96)
    assert other.hashes() == life.hashes()
    assert equal(after[0], weights(twin))
    assert after[1] == optimizer(twin)
    assert torch.equal(after[2], torch.get_rng_state())
    for one, two in zip(life.meter.rows, other.meter.rows, strict=True):
        assert all(one[name] == two[name] for name in one if name not in CLOCK_COLUMNS)


def test_many_worlds_are_a_labelled_variant(tmp_path: Path) -> None:
    run = a_run("vision", agent="ppo-sb3-vector", worlds=4, steps=64)
    assert PPO.world_count({}) == 1 and run.agent_folder.startswith("ppo-sb3-vector")
    live(run, tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    assert len(folder.status()["world_hashes"]) == 4
    env = LifeVecEnv(Life(run, 4))
    observed = env.reset()
    assert observed["vision"].shape == (4, 11, 11, 3)
    observed, rewards, dones, infos = env.step(np.zeros(4, np.int64))
    assert rewards.shape == (4,) and not dones.any() and len(infos) == 4
    assert env.observation_space["vision"].contains(observed["vision"][0])


def test_bad_options_are_told() -> None:
    with pytest.raises(ExperimentError, match="no option 'learning_rat'"):
        begin(a_run(learning_rat=1.0))
    for option, message in (
        ({"lstm": "wide"}, "lstm is 'wide', expected a whole number above zero, such as 256"),
        ({"worlds": 0}, "worlds is 0"),
        ({"n_steps": 8.5}, "n_steps is 8.5"),
        ({"gamma": "high"}, "gamma is 'high', expected a number, such as 0.99"),
        ({"normalize_advantage": 1}, "expected true or false, such as true"),
    ):
        with pytest.raises(ExperimentError, match=message):
            begin(a_run(**option))


def test_every_case_study_can_be_learned_and_compared(tmp_path: Path) -> None:
    """One variant of each, for some strides; and the report about them."""
    from jbw.experiments.report import write_report
    from jbw.experiments.summary import read_groups, summarize

    results = Results(tmp_path)
    options = {**SMALL, "n_steps": 128, "batch_size": 128}
    for name in case_names():
        study = make_study(read_case(name), steps=256, window=64)
        variant = list(study.runs_by_variant)[-1]
        results.prepare(study)
        for run in study.runs(seeds=[0], agents=["ppo-sb3"], variants=[variant], options=options):
            live(run, results.folder(study, run).path)
    folder = results.studies("non-episodic")[0].all_runs()[0]
    got = compare_frozen(folder, 128)
    # one of them has other weights, so sooner or later it does something else
    assert got["steps"] > 0 and len(got["rows"]["learning"]) == len(got["rows"]["frozen"])
    assert "over 1 seeds" in describe([got])
    write_report(results, [], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Learning against frozen" in page and page.count("<svg") == len(case_names())
    assert page.count("<th>environment") == len(case_names())
    study = results.studies("curricula")[0]
    (row,) = summarize(study, read_groups(study))
    assert 0 < row["environment_share"] < 1


def test_killed_and_resumed_is_as_never_killed(tmp_path: Path) -> None:
    """One process begins the run and is killed, another goes on with it, a third never stopped. The
    last two are this one, in which other agents have used torch before."""
    run = a_run(steps=1024, n_steps=64, batch_size=64)
    begin_it = (
        "import sys; from jbw.experiments import Run, live; "
        "from jbw.experiments.runner import Keeping; "
        "live(Run.from_json(sys.argv[1]), sys.argv[2], Keeping(checkpoint_every=128))"
    )
    one, two = RunFolder(tmp_path / "killed"), RunFolder(tmp_path / "whole")
    process = subprocess.Popen([sys.executable, "-c", begin_it, run.to_json(), str(one.path)])
    while len(one.checkpoints()) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not one.status()["done"]
    live(run, one.path)
    live(run, two.path)
    assert [session["step"] > 0 for session in one.sessions()] == [False, True]
    same_results(one, two)  # worlds, and the agent with its generators
