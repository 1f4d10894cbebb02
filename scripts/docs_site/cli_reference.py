# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The reference of the command line: what each verb prints for `--help`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

# what takes a verb of its own; their help lists them
NESTED = {"atlas": r"^  jbw atlas (\w+)", "experiments": r"^    (\w+)(?:\s{2,}|$)"}


def help_of(jbw: Path, *verb: str) -> str:
    """What a verb prints for `--help`, at 86 columns."""
    environment = {**os.environ, "COLUMNS": "86", "NO_COLOR": "1"}
    done = subprocess.run(
        [jbw, *verb, "--help"], check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout.rstrip()


def verbs_of(text: str) -> list[tuple[str, str]]:
    """The verbs that the tool lists, each with its purpose."""
    return re.findall(r"^  ([a-z]+) {2,}(\S.*)$", text, re.MULTILINE)


def write(jbw: Path, out: Path) -> None:
    """Writes one page with the help of every verb."""
    top = help_of(jbw)
    verbs = verbs_of(top)
    if len(verbs) < 10:
        raise ValueError(f"the tool lists few verbs:\n{top}")
    pages = ["# Command line", "", "Every text here is what `jbw VERB --help` prints.", ""]
    pages += ["| verb | what it does |", "| --- | --- |"]
    pages += [f"| [`jbw {name}`](#{name}) | {purpose} |" for name, purpose in verbs]
    pages += ["", "```text", top, "```", ""]
    for name, purpose in verbs:
        text = help_of(jbw, name)
        pages += [
            f"## `jbw {name}` {{: #{name} }}",
            "",
            f"*{purpose}*",
            "",
            "```text",
            text,
            "```",
            "",
        ]
        if name in NESTED:
            for part in dict.fromkeys(re.findall(NESTED[name], text, re.MULTILINE)):
                part_text = help_of(jbw, name, part)
                pages += [f"### `jbw {name} {part}` {{: #{name}-{part} }}", ""]
                pages += ["```text", part_text, "```", ""]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(pages))
