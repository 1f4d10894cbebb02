# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Runs a tutorial, shows what its code prints and draws, and makes a notebook of it.

Tutorials are Markdown, which is easy to read, review and link; their Python blocks share one
namespace, as the cells of a notebook do, and their shell blocks one folder. The notebook has the
same cells with the same outputs.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blocks import MARK, Block, blocks_of


@dataclass
class Output:
    """What a block printed, and the pictures that it drew."""

    text: str = ""
    pictures: list[bytes] = field(default_factory=list)


class Session:
    """The namespace and the folder of a tutorial."""

    def __init__(self, folder: Path, path: str) -> None:
        import matplotlib

        matplotlib.use("Agg")
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}

    def run(self, block: Block, source: str) -> Output:
        """Runs a block of Python or shell."""
        if block.language == "sh":
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", block.text],
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if done.returncode:
                raise RuntimeError(f"{source}:{block.line}: {done.stdout}")
            return Output(done.stdout)
        printed = io.StringIO()
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                self.execute(block, source)
        finally:
            os.chdir(before)
        return Output(printed.getvalue(), self.pictures())

    def execute(self, block: Block, source: str) -> None:
        """Runs Python as a notebook does: the value of a last expression is shown."""
        tree = ast.parse("\n" * (block.line - 1) + block.text, source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, source, "exec"), self.names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), source, "eval"), self.names)
            if value is not None and not is_drawing(value):
                print(repr(value))

    def pictures(self) -> list[bytes]:
        """The open figures as PNG; closes them."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return []
        found = []
        for number in pyplot.get_fignums():
            buffer = io.BytesIO()
            pyplot.figure(number).savefig(buffer, format="png", dpi=100, bbox_inches="tight")
            found.append(buffer.getvalue())
        pyplot.close("all")
        return found


def is_drawing(value: Any) -> bool:
    """Whether a value is a part of a figure, which is shown anyway, or a list of them."""
    if isinstance(value, list) and value:
        return all(map(is_drawing, value))
    return type(value).__module__.startswith("matplotlib")


def cell(kind: str, text: str, output: Output | None = None) -> dict[str, Any]:
    """A cell of a notebook."""
    made: dict[str, Any] = {
        "cell_type": kind,
        "metadata": {},
        "source": text.strip("\n").splitlines(keepends=True),
    }
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    if output and output.text:
        lines = output.text.splitlines(keepends=True)
        made["outputs"].append({"output_type": "stream", "name": "stdout", "text": lines})
    for picture in output.pictures if output else ():
        data = {"image/png": base64.b64encode(picture).decode()}
        made["outputs"].append({"output_type": "display_data", "metadata": {}, "data": data})
    return made


def notebook(cells: list[dict[str, Any]]) -> str:
    """The file of a notebook."""
    for number, one in enumerate(cells):
        one["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    file = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(file, indent=1) + "\n"


def run_tutorial(
    page: Path, text: str, folder: Path, path: str
) -> tuple[str, str, dict[str, bytes]]:
    """Runs a page in a folder. Returns the page with outputs, the notebook, and pictures by name.

    `text` is the page as the site shows it; `path` is where the command `jbw` is.
    """
    session = Session(folder, path)
    lines = text.split("\n")
    out: list[str] = []
    cells: list[dict[str, Any]] = []
    pictures: dict[str, bytes] = {}
    at = 0
    for block in blocks_of(text):
        prose = [line for line in lines[at : block.line - 2] if not MARK.match(line)]
        shown = lines[block.line - 2 : block.end]
        at = block.end
        out += [*prose, *shown]
        if any(line.strip() for line in prose):
            cells.append(cell("markdown", "\n".join(prose)))
        if block.language not in ("python", "sh") or block.not_run:
            cells.append(cell("markdown", "\n".join(shown)))
            continue
        output = session.run(block, page.name)
        code = block.text
        if block.language == "sh":
            code = "%%bash\n" + code
        cells.append(cell("code", code, output))
        if output.text:
            out += ["", "```{ .text .output }", output.text.rstrip("\n"), "```"]
        for picture in output.pictures:
            name = f"{page.stem}-{len(pictures) + 1}.png"
            pictures[name] = picture
            out += ["", f"![what the code above draws]({name})"]
    out += lines[at:]
    if any(line.strip() for line in lines[at:]):
        cells.append(cell("markdown", "\n".join(lines[at:])))
    return "\n".join(out), notebook(cells), pictures
