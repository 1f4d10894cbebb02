# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Every example runs, and does what it says."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

ARGUMENTS = {
    "hello_world.py": ["--steps", "50"],
    "custom_world.py": ["--steps", "500"],
    "custom_reward.py": ["--steps", "100"],
    "curriculum.py": ["--steps", "600", "--seeds", "2", "--parts", "5", "--csv", "wood.csv"],
    "voices.py": ["--steps", "300", "--seeds", "2", "--parts", "4", "--csv", "beans.csv"],
    "learning_agent.py": ["--steps", "3000"],
    "many_agents.py": ["--steps", "80"],
    "own_agent.py": ["--steps", "400"],
    "reward_rate.py": ["--steps", "2000", "--seeds", "2"],
    "train_cleanrl.py": ["--steps", "1024", "--envs", "8"],
    "train_jax.py": ["--steps", "1024", "--envs", "8"],
    "train_pettingzoo.py": ["--steps", "1024", "--worlds", "2", "--agents", "4"],
    "train_rllib.py": ["--steps", "1000", "--batch", "1000"],
    "train_sb3.py": ["--steps", "1024", "--envs", "8"],
    "train_torchrl.py": ["--steps", "1024", "--envs", "8"],
}

# ray_vector.py runs these in its cluster: starting another one would take long
ELSEWHERE = {"many_machines.py"}

# what the trainers need; docs/training.md has their learning curves
NEEDS = {
    "train_cleanrl.py": ["torch"],
    "train_jax.py": ["jax"],
    "train_pettingzoo.py": ["pettingzoo", "stable_baselines3", "supersuit"],
    "train_rllib.py": ["ray", "torch", "tree", "lz4", "ormsgpack", "pandas", "scipy", "pydantic"],
    "train_sb3.py": ["stable_baselines3"],
    "train_torchrl.py": ["tensordict", "torchrl"],
}


def run(name: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *ARGUMENTS[name]],
        capture_output=True, text=True, timeout=600, cwd=folder,
        env={**os.environ, "MPLCONFIGDIR": str(folder), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_examples_are_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(ARGUMENTS) | ELSEWHERE


@pytest.mark.parametrize("name", [name for name in ARGUMENTS if name != "learning_agent.py"])
def test_it_runs(name: str, tmp_path: Path) -> None:
    missing = [module for module in NEEDS.get(name, []) if find_spec(module) is None]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    out = run(name, tmp_path)
    assert out
    if name in NEEDS:
        assert re.search(r"learned -?[\d.]+, random -?[\d.]+", out), out
    if name in ("curriculum.py", "voices.py"):
        assert re.search(
            r"minus .*: [+-][\d.]+, 95 % interval from [+-][\d.]+ to [+-][\d.]+", out
        ), out
        lines = next(tmp_path.glob("*.csv")).read_text().splitlines()
        parts = 5 if name == "curriculum.py" else 4
        assert lines[0].startswith("arm,seed,step,") and len(lines) == 1 + 2 * 2 * parts
    if name == "reward_rate.py":
        header = (tmp_path / "reward-rate.png").read_bytes()[:24]
        width, height = struct.unpack(">II", header[16:24])
        assert header[:8] == b"\x89PNG\r\n\x1a\n" and width > 1000 and height > 500


def test_the_learning_agent_learns(tmp_path: Path) -> None:
    out = run("learning_agent.py", tmp_path)
    match = re.search(r"learned ([-\d.]+), random ([-\d.]+)", out)
    assert match, out
    learned, luck = float(match[1]), float(match[2])
    assert learned > 0.04, out
    assert abs(luck) < 0.01, out
