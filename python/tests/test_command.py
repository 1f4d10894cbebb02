# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The command `jbw`, which runs the tool inside the package, and two verbs of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jbw
from jbw.__main__ import tool_path

VERBS = {
    "atlas", "bench", "check", "experiments", "inspect", "movie", "play", "render", "replay", "run",
    "serve", "view", "worlds",
}  # fmt: skip


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jbw", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_one_help_lists_all_verbs() -> None:
    shown = run("--help")
    assert shown.returncode == 0 and shown.stderr == ""
    assert set(re.findall(r"^  ([a-z]+) ", shown.stdout, re.MULTILINE)) - {"jbw"} == VERBS
    assert run("help").stdout == shown.stdout
    assert run().stderr == shown.stdout


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_help(verb: str) -> None:
    shown = run(verb, "--help")
    assert shown.returncode == 0, shown.stderr
    assert f"usage: jbw {verb}" in shown.stdout


def test_exit_codes_and_output_are_those_of_the_tool(tmp_path: Path) -> None:
    assert run("--version").stdout.split()[:2] == ["jbw", jbw.__version__]
    wrong = run("rendr")
    assert wrong.returncode == 2
    assert "did you mean 'render'?" in wrong.stderr
    assert run("ply").stderr == "jbw: unknown verb 'ply', did you mean 'play'?\n"
    assert run("run", "scent", "--load", str(tmp_path / "none")).returncode == 2
    saved = tmp_path / "a file with spaces"
    done = run("run", "scent", "--steps", "50", "--save", str(saved))
    assert done.returncode == 0, done.stderr
    assert jbw.World.load(saved).time == 50


@pytest.mark.skipif(os.name == "nt", reason="Windows has no exec")
def test_the_tool_takes_the_place_of_python() -> None:
    """Signals reach it, and nobody waits for it."""
    with subprocess.Popen(
        [sys.executable, "-m", "jbw", "serve", "scent", "--listen", "127.0.0.1:0", "--json"],
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None and server.stdout.readline().startswith(b"{")
        assert Path(f"/proc/{server.pid}/exe").resolve() == tool_path().resolve()
        server.terminate()
        assert server.wait(timeout=30) == 0
