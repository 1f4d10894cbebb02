# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Exceptions: what they are, and what they know."""

import errno
import pickle
from pathlib import Path

import pytest

import jbw
from jbw import _core

FAULTY = Path(__file__).parents[2] / "tests" / "faulty"


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (jbw.ArgumentError, ValueError),
        (jbw.ConfigError, ValueError),
        (jbw.RewardError, ValueError),
        (jbw.NotFoundError, LookupError),
        (jbw.NoSuchAgentError, LookupError),
        (jbw.CellBlockedError, ValueError),
        (jbw.OutOfRangeError, ValueError),
        (jbw.FileError, OSError),
        (jbw.NoSuchFileError, FileNotFoundError),
        (jbw.DataError, ValueError),
        (jbw.UnsupportedError, NotImplementedError),
        (jbw.BusyError, RuntimeError),
    ],
)
def test_kinds(kind: type[Exception], also: type[Exception]) -> None:
    assert issubclass(kind, jbw.Error)
    assert issubclass(kind, also)


def test_files(tmp_path: Path) -> None:
    with pytest.raises(jbw.NoSuchFileError) as missing:
        jbw.World("papr")
    assert missing.value.errno == errno.ENOENT
    assert missing.value.filename == "papr"
    assert "paper" in str(missing.value)
    with pytest.raises(jbw.FileError) as folder:
        jbw.World(tmp_path)
    assert folder.value.filename == str(tmp_path)
    for error in (missing.value, folder.value):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
    with pytest.raises(ValueError):
        jbw.World("a\0b")


def test_errors_can_be_sent() -> None:
    problems = [jbw.Problem("file", 1, 2, "bad"), jbw.Problem("--set x", 0, 0, "worse")]
    error = pickle.loads(pickle.dumps(jbw.ConfigError(problems)))
    assert error.problems == problems
    assert str(error) == "file:1:2: bad\n--set x: worse"
    reward = pickle.loads(pickle.dumps(jbw.RewardError("bad", 3, 4)))
    assert (reward.line, reward.column, str(reward)) == (3, 4, "3:4: bad")


@pytest.mark.skipif(not FAULTY.exists(), reason="the faulty worlds are not here")
def test_every_faulty_world() -> None:
    count = 0
    for path in sorted(FAULTY.glob("*.yaml")):
        expected = path.with_suffix(".txt").read_text().splitlines()
        with pytest.raises(jbw.ConfigError) as failure:
            jbw.World(path)
        assert len(failure.value.problems) == len(expected), path
        for problem, line in zip(failure.value.problems, expected, strict=True):
            assert line.endswith(problem.text)
            assert f":{problem.line}:{problem.column}: " in line or problem.line == 0
        count += 1
    assert count > 10


def test_wrong_types() -> None:
    model = _core.Model.read("walk")
    calls = [
        lambda: _core.Model(5),  # type: ignore[arg-type]
        lambda: _core.Model("{}", overrides=[("a", 1)]),  # type: ignore[list-item]
        lambda: _core.Model("{}", overrides=5),  # type: ignore[arg-type]
        lambda: _core.Reward("paper", "Zero"),  # type: ignore[arg-type]
        lambda: _core.Policy("greedy", model, 5),  # type: ignore[arg-type]
        lambda: _core.Env(model, "Zero"),  # type: ignore[arg-type]
        lambda: _core.Env("walk"),  # type: ignore[arg-type]
        lambda: _core.Batch("walk", [1]),  # type: ignore[arg-type]
        lambda: _core.Batch(model, 5),  # type: ignore[arg-type]
        lambda: _core.Batch(model, [1], "Zero"),  # type: ignore[arg-type]
        lambda: _core.World(model).on_step(5),  # type: ignore[arg-type]
        lambda: _core.World(model).items("a", 0, 1, 1),  # type: ignore[arg-type]
        lambda: _core.World.from_bytes("text"),  # type: ignore[arg-type]
        lambda: _core.Recording(5),  # type: ignore[arg-type]
        lambda: _core.World(),  # type: ignore[call-arg]
        lambda: _core.World(model, 1, 2),  # type: ignore[misc]
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(LookupError):
        _core.shipped_text("nothing")


def test_types_are_closed() -> None:
    for kind in (_core.World, _core.Agent, _core.Model, _core.Reward, _core.Env, _core.Batch):
        with pytest.raises(TypeError):
            type("Mine", (kind,), {})
        with pytest.raises(TypeError):
            kind.extra = 1  # type: ignore[union-attr]
