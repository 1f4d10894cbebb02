# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Runs the code of a page of the documentation, block by block, as a reader would, but cheaply.

Python blocks share a namespace, shell blocks a folder. `jbw run` takes few steps; `jbw serve` and
`jbw view` start, say that they are ready, and go on beside the rest of the page, on a free port in
place of the one on the page; `jbw experiments` checks its arguments and prepares its runs, but does
not live them.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import jbw
from jbw import _core

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs_site"))

if (ROOT / "scripts" / "docs_site").is_dir():
    from blocks import Block, blocks_of
else:
    pytest.skip("the documentation is not here", allow_module_level=True)

__all__ = ["ROOT", "Block", "PageRunner", "blocks_of", "pages"]

STEPS_MOST = 300
PORT = "8765"  # of the servers on all pages

# what pages name by a path from the root of the repository
NEEDED = ("worlds", "examples", "python")


def pages() -> list[Path]:
    """All pages that are here."""
    found = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorials/*.md"), ROOT / "docs/site/home.md"]
    others = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md"]
    return sorted(path for path in (*found, *others) if path.exists())


class PageRunner:
    """The namespace, the folder and the servers of a page."""

    def __init__(self, folder: Path, lives: bool) -> None:
        self.folder = folder
        self.lives = lives  # whether `jbw experiments` does what it says
        self.names: dict[str, Any] = {"__name__": "__main__", "jbw": jbw}
        self.servers: list[subprocess.Popen[str]] = []
        self.port = PORT
        for name in NEEDED:
            if (ROOT / name).exists():
                (folder / name).symlink_to(ROOT / name)
        (folder / "build").mkdir()
        (folder / "bin").mkdir()
        tool = Path(_core.__file__).with_name("jbw-tool")
        (folder / "bin" / "jbw").write_text(
            "#!/bin/bash\ncase ${1:-} in\n"
            f'experiments | play) exec {shlex.quote(sys.executable)} -P -m jbw "$@" ;;\n'
            f'*) exec {shlex.quote(str(tool))} "$@" ;;\nesac\n'
        )
        (folder / "bin" / "jbw").chmod(0o755)
        (folder / "build" / "jbw").symlink_to(folder / "bin" / "jbw")
        self.environment = {
            **os.environ,
            "PATH": f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "MPLCONFIGDIR": str(folder / "matplotlib"),
        }

    def close(self) -> None:
        """Ends the servers of the page."""
        for server in self.servers:
            server.terminate()
            server.communicate(timeout=60)

    def run(self, page: Path, block: Block) -> None:
        """Runs a block of Python or shell; an exception says what failed."""
        text = block.cheap_text.replace(PORT, self.port)
        if block.language == "python":
            exec(block.given.replace(PORT, self.port), self.names)
            code = "\n" * (block.line - 1) + text
            exec(compile(code, str(page), "exec"), self.names)
        else:
            for command in commands(text):
                self.run_command(command, f"{page.name}:{block.line}: {command}")

    def run_command(self, command: str, place: str) -> None:
        words = shlex.split(command)
        verb = words[1] if Path(words[0]).name == "jbw" else ""
        if verb == "experiments" and not self.lives:
            check_experiments(words[2:], place)
            return
        if verb == "experiments" and "|" not in words:
            from jbw.experiments.__main__ import main

            assert main(words[2:]) == 0, place  # in this process, which has loaded all it needs
            return
        if verb in ("serve", "view"):
            self.provide(command)
            self.serve(command, place)
            return
        if verb == "run":
            command = few_steps(command)
        self.provide(command)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command.replace(PORT, self.port)],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{place}\n{done.stdout}{done.stderr}"

    def provide(self, command: str) -> None:
        """Makes files that a reader has by then: tokens, a recording, a saved run."""
        if "tokens.txt" in command:
            tokens = self.folder / "tokens.txt"
            tokens.write_text("ada  a-secret-of-ada  act  2\n")
            tokens.chmod(0o600)
        made = re.search(r"\brun\.jbwr?\b", command)
        if made and " run " not in command and not (self.folder / made[0]).exists():
            how = "--record" if made[0].endswith("r") else "--save"
            self.run_command(f"jbw run scent {how} {made[0]}", f"{made[0]} could not be made")

    def serve(self, command: str, place: str) -> None:
        """Starts a server, which goes on; its port is used from here on."""
        assert "--listen" not in command, place
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command} --listen 127.0.0.1:0"],
            cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.servers.append(server)
        assert server.stdout
        killer = threading.Timer(60, server.kill)
        killer.start()
        said = ""
        for line in server.stdout:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = found[1]
                break
        killer.cancel()
        assert found, f"{place}\n{said}"


def commands(text: str) -> list[str]:
    """The commands of a shell block, one per line, without comments."""
    lines = [re.sub(r"(^|\s+)#.*$", "", line) for line in text.splitlines()]
    return [line for line in lines if line.strip()]


def few_steps(command: str) -> str:
    """The same `jbw run`, with few steps."""
    found = re.search(r"--steps (\d+)", command)
    if not found:
        return f"{command} --steps {STEPS_MOST}"
    return command.replace(found[0], f"--steps {min(int(found[1]), STEPS_MOST)}")


def check_experiments(arguments: list[str], place: str) -> None:
    """Checks the arguments of `jbw experiments`. Runs are made up to the point where they start."""
    from jbw.experiments import __main__ as experiments

    options = experiments._parser().parse_args(arguments)
    if arguments[0] == "run":
        # a file of one's own is there in real life
        cases = experiments._case_names(options.case)
        agents = [name for name in (experiments._names(options.agent) or []) if ".py:" not in name]
        for case in map(experiments.read_case, cases):
            study = experiments.make_study(
                case,
                steps=options.steps,
                parameters=experiments._parameters(options.parameters, [case]),
            )
            variants = experiments._names(options.variant)
            seeds = experiments._seeds(options.seeds)
            assert study.runs(seeds, agents or None, variants, {}), place
