# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The code blocks of a page, with what comments before them say to those who run them.

A comment of HTML, which no reader sees, may stand right before a block:

    <!-- not run: it takes days -->           why no test runs it
    <!-- cheap: 1_000_000 => 1_000 -->        what tests replace; may be repeated
    <!-- given: jbw_world *world; -->         what a piece of C or Python relies on
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

OPENING = re.compile(r"^( *)```([\w-]*) *(.*)$")
MARK = re.compile(r"^ *<!-- (not run|cheap|given): (.*?) -->$")


@dataclass
class Block:
    """A block of code or text."""

    language: str
    rest: str  # what else stands on its first line
    text: str
    line: int  # of its first line of text, counted from one
    end: int  # of its last fence
    not_run: str = ""
    cheap: list[tuple[str, str]] = field(default_factory=list)
    given: str = ""

    @property
    def cheap_text(self) -> str:
        """The text in a form that costs little. Every replacement must be of use."""
        text = self.text
        for old, new in self.cheap:
            if old not in text:
                raise ValueError(f"line {self.line}: nothing to replace: {old}")
            text = text.replace(old, new)
        return text


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    found: list[Block] = []
    lines = page.split("\n")
    marks: list[tuple[str, str]] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if mark := MARK.match(line):
            marks.append((mark[1], mark[2]))
        elif opening := OPENING.match(line):
            indent = len(opening[1])
            first = number
            while lines[number].strip() != "```":
                number += 1
            text = "\n".join(row[indent:] for row in lines[first:number]) + "\n"
            block = Block(opening[2], opening[3], text, first + 1, number + 1)
            for kind, value in marks:
                if kind == "cheap":
                    old, _, new = value.partition(" => ")
                    block.cheap.append((old, new))
                elif kind == "given":
                    block.given += value + "\n"
                else:
                    block.not_run = value
            found.append(block)
            marks = []
            number += 1
        elif line.strip():
            marks = []
    return found
