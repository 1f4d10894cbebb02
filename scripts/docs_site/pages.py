# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pages as people write them for a reader of the repository, made fit for the site.

The pages in docs/ follow GitHub's Markdown, and their links lead to files of the repository. The
site's Markdown wants an empty line before a list and four columns per level of one, and its links
lead to other pages of the site.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

FENCE = re.compile(r"^( *)```")
ITEM = re.compile(r"^( *)([-*]|\d+\.) +(?=\S)")
LINK = re.compile(r"(!?\[(?:[^][]|\[[^][]*\])*\])\(([^()\s]+)\)")
INLINE_CODE = re.compile(r"`[^`]*`")


def lines_with_code(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a page, and whether each is part of a code block."""
    is_code = False
    for line in text.split("\n"):
        fence = FENCE.match(line) is not None
        yield line, is_code or fence
        is_code ^= fence


def fit_lists(text: str) -> str:
    """The same page with an empty line before each list, and four columns per level."""
    out: list[str] = []
    levels: list[int] = []  # the columns where the text of each open item begins
    for line, is_code in lines_with_code(text):
        if not line.strip():
            out.append(line)
            continue
        indent = len(line) - len(line.lstrip())
        item = None if is_code and not FENCE.match(line) else ITEM.match(line)
        inside = [level for level in levels if indent >= level]
        was_paragraph = bool(out and out[-1].strip() and not levels)
        if item:
            levels = [*inside, len(item[0])]
            if was_paragraph and not out[-1].startswith("|"):
                out.append("")
            out.append(" " * 4 * len(inside) + line.strip())
        elif inside:
            levels = inside
            # what is deeper than the item stays so much deeper
            out.append(" " * (4 * len(inside) + indent - inside[-1]) + line.lstrip())
        else:
            is_lazy = levels and out[-1].strip() and not is_code and not line.startswith(("#", "|"))
            if not is_lazy:
                levels = []
            out.append(line)
    return "\n".join(out)


def resolve(page: PurePosixPath, target: str) -> str:
    """The path of a relative link, from the root of the repository."""
    return posixpath.normpath((page.parent / target).as_posix())


def rewrite_links(
    text: str,
    page: PurePosixPath,
    lead: Callable[[str], str],
    title: Callable[[str], str],
    base: str,
) -> str:
    """The same page, to be read at `base` in the site.

    `lead` says where in the site a path of the repository is, and `title` what its page is called:
    a link with the name of a file gets that title.
    """

    def replace(match: re.Match[str]) -> str:
        label, target = match.groups()
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return match[0]
        name, hash_sign, anchor = target.partition("#")
        path = resolve(page, name)
        place = posixpath.relpath(lead(path), posixpath.dirname(base) or ".")
        if label[1:-1] == posixpath.basename(path) and title(path):
            label = f"[{title(path)}]"
        return f"{label}({place}{hash_sign}{anchor})"

    out = []
    for line, is_code in lines_with_code(text):
        if is_code:
            out.append(line)
            continue
        # code in backticks is kept out of reach; labels of links may hold some
        kept: list[str] = []

        def hide(match: re.Match[str], kept: list[str] = kept) -> str:
            kept.append(match[0])
            return f"\0{len(kept) - 1}\0"

        line = LINK.sub(replace, INLINE_CODE.sub(hide, line))
        out.append(re.sub("\0(\\d+)\0", lambda match, kept=kept: kept[int(match[1])], line))
    return "\n".join(out)


def title_of(text: str) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.*)$", text, re.MULTILINE)
    return found[1] if found else ""
