# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The gallery of worlds: what each file says, a picture from near, and one from far."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

FIRST = ("paper-code", "scent")  # the others follow by name


def about(world: Path) -> str:
    """What the comment at the top of a world file says, as Markdown: indented lines are a table."""
    lines: list[str] = []
    for line in world.read_text("utf-8").splitlines():
        if line.startswith("# SPDX"):
            continue
        if line.startswith("#"):
            text = line.removeprefix("#").removeprefix(" ")
            lines.append("    " + text if text.startswith("  ") else text)
        elif lines:
            break
    return re.sub(r"docs/((\w+)\.md)", r"[\2](\1)", "\n".join(lines))


def size_of(png: Path) -> str:
    """Attributes that let a browser make room for a picture before it is loaded."""
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    return f"{{ width={width} height={height} loading=lazy }}"


def draw(jbw: Path, world: str, out: Path) -> None:
    """A picture with icons, and one of a wide area."""
    common = [jbw, "render", world, "--seed", "7"]
    near = ["--region", "-24,-16,48,32", "--scale", "18", "--legend"]
    far = ["--region", "-200,-130,400,260", "--scale", "3"]
    for name, options in (("near", near), ("far", far)):
        file = out / f"{world}-{name}.png"
        if not file.exists():
            subprocess.run([*common, *options, "--out", file], check=True, capture_output=True)


def write(jbw: Path, worlds: Path, out: Path, pictures: Path, seeded: str) -> None:
    """Writes the page, and its pictures into a folder. `seeded` links to a world that runs."""
    pictures.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Worlds",
        "",
        "The shipped worlds, each with seed 7: some cells around the origin, and a wide area.",
        "Their names work wherever a world is wanted, in Python, on the command line and in C;",
        "their files are examples for [your own](world_files.md).",
        "",
    ]
    files = sorted(worlds.glob("*.yaml"), key=lambda path: (path.stem not in FIRST, path.stem))
    for file in files:
        name = file.stem
        draw(jbw, name, pictures)
        lines += [f"## {name}", "", about(file), "", '<div class="pictures" markdown>']
        for view in ("near", "far"):
            size = size_of(pictures / f"{name}-{view}.png")
            lines.append(f"![{name}, from {view}](gallery/{name}-{view}.png){size}")
        lines += [
            "</div>",
            "",
            f"[World file](source/worlds/{name}.yaml.md)" + seeded.format(name=name),
            "",
        ]
    out.write_text("\n".join(lines))
