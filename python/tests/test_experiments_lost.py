# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Runs that lose their process, their command, their machine: they go on, to the last bit."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'jbw[experiments]'")

from experiments_tools import command, same_results

from jbw.experiments.__main__ import main
from jbw.experiments.results import RunFolder


def wait_for_checkpoint(results: Path, process: subprocess.Popen[bytes]) -> None:
    """Until some new checkpoint is there; the process must not be done by then."""
    before = set(results.rglob("step-*.pickle"))
    while set(results.rglob("step-*.pickle")) <= before:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


#: Runs that are interrupted in one way or another.
SETTINGS = ("run", "cyclical", "--steps", "40000", "--with", "period=5000", "--quiet")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same runs, never interrupted."""
    results = tmp_path_factory.mktemp("whole")
    agents = ("--agent", "greedy,random", "--seeds", "2")
    subprocess.run(command(*SETTINGS, *agents, "--results", results), check=True)
    return results


def compare(results: Path, whole: Path) -> int:
    """Checks that all runs ended as those that were never interrupted: how many went on."""
    ran = [file.parent for file in results.rglob("run.json")]
    for path in ran:
        same_results(RunFolder(path), RunFolder(whole / path.relative_to(results)))
    return sum(any(s["step"] > 0 for s in RunFolder(path).sessions()) for path in ran)


def test_killed_and_resumed_is_as_never_killed(whole: Path, tmp_path: Path) -> None:
    settings = (
        *SETTINGS, "--agent", "greedy,random", "--seeds", 2, "--jobs", 2,
        "--checkpoint-every", 2000, "--results", tmp_path,
    )  # fmt: skip
    interrupted = 0
    for _ in range(2):
        process = subprocess.Popen(command(*settings), start_new_session=True)
        wait_for_checkpoint(tmp_path, process)
        # all of them at once: the command and its workers are a group of their own
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        folders = [RunFolder(file.parent) for file in tmp_path.rglob("run.json")]
        interrupted += sum(bool(f.checkpoints()) and not f.status()["done"] for f in folders)
    assert interrupted > 0
    subprocess.run(command(*settings), check=True)
    assert len(list(tmp_path.rglob("run.json"))) == 4
    assert compare(tmp_path, whole) > 0


def test_workers_end_when_their_command_is_gone(tmp_path: Path) -> None:
    """Only the command is killed: what it started must not live on."""
    process = subprocess.Popen(
        command("run", "non-episodic", "--steps", 10_000_000, "--agent", "greedy", "--seeds", 1,
                "--checkpoint-every", 1000, "--quiet", "--results", tmp_path),
        start_new_session=True,
    )  # fmt: skip
    wait_for_checkpoint(tmp_path, process)
    worker = RunFolder(next(tmp_path.rglob("run.json")).parent).sessions()[0]["pid"]
    process.kill()
    process.wait()
    give_up = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < give_up:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


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
    assert process.returncode == 0 and b"resumes in another" in errors
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


# many machines


def processes_that_name(text: str) -> list[str]:
    """The command lines with a text in them."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if text in line:
                found.append(line)
    return found


def test_a_ray_cluster_loses_a_node(whole: Path, tmp_path: Path) -> None:
    """Two nodes with a processor each; the one that is killed has done part of its run."""
    pytest.importorskip("ray", reason="ray is not installed: pip install 'jbw[cluster]'")
    script = Path(__file__).with_name("ray_cluster.py")
    # a folder of its own with a short name: Ray's sockets are in it
    place = tempfile.mkdtemp(prefix="jbw", dir="/tmp")
    settings = {"RAY_TMPDIR": place, "RAY_USAGE_STATS_ENABLED": "0"}
    settings["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # on loopback only
    try:
        done = subprocess.run(
            [sys.executable, str(script), *SETTINGS, "--results", str(tmp_path)],
            capture_output=True, text=True, timeout=900,
            env={**os.environ, **settings},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "killed a node" in done.stdout
        give_up = time.monotonic() + 60
        while (left := processes_that_name(place)) and time.monotonic() < give_up:
            time.sleep(0.1)
        assert not left
    finally:
        shutil.rmtree(place, ignore_errors=True)
    assert len(list(tmp_path.rglob("run.json"))) == 2
    assert compare(tmp_path, whole) > 0  # the node's run went on elsewhere
