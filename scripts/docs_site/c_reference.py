# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The reference of the C API: the `///` sentences of the public headers, and the declarations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SKIPPED = re.compile(r"^(#include|#ifndef JBW_\w*_H$|#define JBW_\w*_H$|JBW_(BEGIN|END)_DECLS)")
FUNCTION = re.compile(r"\b(jbw_\w+)\(")
CALLBACK = re.compile(r"typedef\b[^;{]*?\b(jbw_\w+)\(")
TYPE = re.compile(r"typedef (?:struct|enum|union) (jbw_\w+)")
CLOSING = re.compile(r"^} (\w+);", re.MULTILINE)
MACRO = re.compile(r"^#define (JBW_\w+)", re.MULTILINE)
CONSTANT = re.compile(r"^\s+(JBW_\w+)", re.MULTILINE)


@dataclass
class Entry:
    """Declarations that belong together, and what is said about them."""

    about: str
    code: str

    @property
    def names(self) -> list[str]:
        """What the entry declares: functions, types or macros."""
        code = re.sub(r"//.*", "", self.code)
        if code.startswith("typedef"):
            found = TYPE.findall(code) or CALLBACK.findall(code)
            return found or re.findall(r"(\w+);$", code)
        if code.startswith("#define"):
            return [name for name in MACRO.findall(code) if name not in ("JBW_API", "JBW_PRINTF")]
        if code.startswith("enum"):
            return []
        return [line[1] for line in (FUNCTION.search(part) for part in code.split(";")) if line]

    @property
    def constants(self) -> list[str]:
        """The constants of an enumeration."""
        return CONSTANT.findall(self.code) if "enum" in self.code.split("{")[0] else []


@dataclass
class Header:
    """A public header."""

    name: str
    about: str
    entries: list[Entry]


def text_of(comment: list[str]) -> str:
    """The Markdown of `///` lines; what is indented is code."""
    lines = [re.sub(r"^\s*/// ?", "", line) for line in comment]
    return "\n".join(lines).strip("\n")


def read_header(path: Path) -> Header:
    """Splits a header into entries: a comment, and declarations up to the next empty line."""
    text = path.read_text("utf-8")
    text = re.sub(r"(?s)^#ifdef __cplusplus.*?^#endif\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?s)^#if defined\(__GNUC__\).*?^#endif\n", "", text, flags=re.MULTILINE)
    about = ""
    entries: list[Entry] = []
    comment: list[str] = []
    code: list[str] = []
    depth = 0

    def finish() -> None:
        nonlocal comment, code
        if code and all(line.startswith("//") for line in code):  # said of what follows
            entries.append(Entry("\n".join(line[2:].strip() for line in code), ""))
        elif code:
            entries.append(Entry(text_of(comment), "\n".join(code).strip("\n")))
        comment, code = [], []

    for line in text.splitlines():
        if line.startswith("// SPDX") or (not depth and SKIPPED.match(line)):
            if comment and not about and not code:
                about, comment = text_of(comment), []
            continue
        if not depth and line.startswith("///"):
            if code:
                finish()
            comment.append(line)
        elif line.strip() or depth:
            if line == "#endif":
                continue
            code.append(line)
            depth += line.count("{") - line.count("}")
        else:
            finish()
    finish()
    return Header(path.name, about, entries)


def read_headers(folder: Path) -> list[Header]:
    """All public headers but the one that includes the others."""
    return [read_header(path) for path in sorted(folder.glob("*.h")) if path.name != "jbw.h"]


def anchors(headers: list[Header]) -> dict[str, str]:
    """Where each name is explained: a page and an anchor."""
    places = {}
    for header in headers:
        for entry in header.entries:
            first = (entry.names or entry.constants or [""])[0]
            for name in (*entry.constants, *entry.names):
                places[name] = f"{header.name.removesuffix('.h')}.md#{first}"
    return places


def link_names(text: str, places: dict[str, str], own: list[str]) -> str:
    """The text with links from names to where they are explained."""

    def replace(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        shown = f"`{name}`"
        return f"[{shown}]({places[name]})" if name in places and name not in own else shown

    lines = []
    for line in text.split("\n"):
        if not line.startswith("    "):
            line = re.sub(r"`(jbw_\w+|JBW_\w+)`|\b(JBW_[A-Z0-9_]+[A-Z0-9])\b(?!`)", replace, line)
        lines.append(line)
    return "\n".join(lines)


def page_of(header: Header, places: dict[str, str]) -> str:
    """The page about one header."""
    out = [f"# `jbw/{header.name}`", "", link_names(header.about, places, []), ""]
    for entry in header.entries:
        if not entry.code:
            out += [link_names(entry.about, places, []), ""]
            continue
        names = entry.names
        first = (names or entry.constants or [""])[0]
        if not first:
            raise ValueError(f"{header.name}: what does this declare? {entry.code}")
        title = ", ".join(f"`{name}`" for name in names) or "Constants"
        out += [f"## {title} {{: #{first} }}", ""]
        if entry.about:
            out += [link_names(entry.about, places, names), ""]
        code = re.sub(r"^JBW_API ", "", entry.code, flags=re.MULTILINE)
        out += ["```c", code, "```", ""]
    return "\n".join(out)


def index_of(headers: list[Header], places: dict[str, str]) -> str:
    """The page that lists headers and names."""
    out = [
        "# C API",
        "",
        "`#include <jbw/jbw.h>` includes all of these except `jbw/picture.h`. Functions that can",
        "fail return a [`jbw_status`](base.md#jbw_status); what they create, you destroy.",
        "",
        "| header | what |",
        "| --- | --- |",
    ]
    for header in headers:
        first = re.split(r"(?<=[.:]) ", header.about.replace("\n", " "))[0].rstrip(":")
        page = header.name.removesuffix(".h")
        out.append(f"| [`jbw/{header.name}`]({page}.md) | {first} |")
    out += ["", "## All names", ""]
    names = sorted(name for name in places if not name.isupper())
    out.append(" · ".join(f"[`{name}`]({places[name]})" for name in names))
    return "\n".join(out) + "\n"


def write(include: Path, out: Path) -> None:
    """Writes the pages of all headers."""
    headers = read_headers(include)
    places = anchors(headers)
    text = "".join(path.read_text("utf-8") for path in include.glob("*.h"))
    declared = set(re.findall(r"^JBW_API [^;(]*?\b(jbw_\w+)\(", text, re.MULTILINE))
    if missing := declared - places.keys():
        raise ValueError(f"functions that the reference would not have: {sorted(missing)}")
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.md").write_text(index_of(headers, places))
    for header in headers:
        (out / header.name).with_suffix(".md").write_text(page_of(header, places))
