# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The bench runs and says what it should; how fast anything is, is no test's business."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest

from jbw import bench


def test_circles_come_back() -> None:
    actions = bench.circle(["MoveForward", "TurnLeft", "TurnRight"], 56, side=6)
    assert actions.dtype == np.int32 and actions.tolist() == ([0] * 6 + [1]) * 8


def test_json_has_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--json", "--world", "walk", "--worlds", "3", "--threads", "2", "--steps", "30"]
    assert bench.main([*arguments, "--repeats", "2", "--young-steps", "20"]) == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = ["env", "env_bare", "env_made", "vector", "vector", "vector_copy"]
    kinds += ["vector_young", "parallel", "vector_parallel"]
    kinds += ["jax", "jax_observing"] if find_spec("jax") is not None else []
    assert [result["bench"] for result in results] == kinds
    assert all(result["world"] == "walk" for result in results)
    assert all(result["ns_per_step"] > 0 for result in results[:3])
    assert isinstance(results[2]["wrappers_ns_per_step"], int)
    assert all(result["steps_per_second"] > 0 for result in results[3:6])
    assert [result["threads"] for result in results[3:7]] == [1, 2, 2, 1]
    assert results[6]["steps"] == 20 and results[6]["later_steps_per_second"] > 0
    assert results[7]["agents"] == 8 and results[7]["agent_steps_per_second"] > 0
    assert all(result["ratio"] > 0 and result["threads"] == 1 for result in results[8:])


def test_many_worlds_with_many_agents(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        bench.main(["--agents", "--json", "--worlds", "2", "--steps", "8", "--repeats", "1"]) == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert (result["bench"], result["world"]) == ("vector_parallel", "village")
    assert (result["worlds"], result["agents"], result["threads"]) == (2, 8, 1)
    assert result["agent_steps_per_second"] > 0 and result["ratio"] > 0


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--world", "walk", "--worlds", "2", "--threads", "1", "--steps", "30"]
    assert bench.main([*arguments, "--repeats", "1", "--young-steps", "0"]) == 0
    assert "ns_per_step" in capsys.readouterr().out


def test_learners_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--learn", "--json", "--world", "scent", "--repeats", "1"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["bench"], result["world"]) == ("learn", "scent")
    assert result["steps_per_second"] > 0
    assert ("torch_ratio" in result) == (find_spec("sb3_contrib") is not None)


def test_mistakes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--steps", "0"]) == 2
    assert bench.main(["--young-steps", "-1"]) == 2
    assert bench.main(["--world", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
