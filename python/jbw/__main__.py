# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The command `jbw`, also `python -m jbw`.

Two verbs are written in Python. The others are those of the tool, a program inside this package;
its help lists them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from jbw import _core


def tool_path() -> Path:
    """The tool inside this package."""
    tool = Path(_core.__file__).with_name("jbw-tool")
    return tool.with_suffix(".exe") if os.name == "nt" else tool


def run_tool(arguments: Sequence[str]) -> int:
    """Lets the tool take the place of this process, where the system can do that."""
    command = [str(tool_path()), *arguments]
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    sys.stdout.flush()
    try:
        os.execv(command[0], command)
    except OSError as error:
        print(f"jbw: {error.strerror}: {command[0]}", file=sys.stderr)
        return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes: 0 success, 1 the work failed, 2 bad usage or bad input."""
    verb, *rest = list(sys.argv[1:] if arguments is None else arguments) or [""]
    if verb == "play":
        from jbw import play

        return play.main(rest)
    if verb == "experiments":
        from jbw.experiments.__main__ import main as experiments

        return experiments(rest)
    return run_tool([verb, *rest] if verb else [])


if __name__ == "__main__":
    sys.exit(main())
