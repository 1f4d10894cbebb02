# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What scripts/check_site finds in a site, and how pages of the repository become pages of one."""

from __future__ import annotations

import io
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path, PurePosixPath

import pytest
from doc_runner import ROOT

CHECKER = ROOT / "scripts" / "check_site"

pytestmark = pytest.mark.skipif(not CHECKER.exists(), reason="the documentation is not here")

GOOD = """<html><head><link rel="stylesheet" href="s.css"><link rel="canonical" href="https://a.org">
</head><body><h1 id="top">x</h1><a href="sub/">a</a><a href="sub/index.html#in">b</a>
<a href="#top">c</a><a href="https://b.org/x">d</a><img src="data:image/png;base64,AA">
</body></html>"""


def check(folder: Path) -> tuple[int, list[str]]:
    printed = io.StringIO()
    with redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["check_site", str(folder)])
        code: int = runpy.run_path(str(CHECKER))["main"]()
    return code, printed.getvalue().splitlines()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(GOOD)
    (tmp_path / "s.css").write_text("a { background: url(data:x) }")
    (tmp_path / "sub" / "index.html").write_text('<p id="in"><a href="../#top">up</a></p>')
    return tmp_path


def test_a_good_site(site: Path) -> None:
    assert check(site) == (0, ["2 pages, 7 links: none is broken, nothing comes from elsewhere"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<a href="gone/">x</a>', "the link gone/ leads nowhere"),
        ('<a href="sub/#out">x</a>', "the link sub/#out leads to no anchor"),
        ('<a href="#bottom">x</a>', "the link #bottom leads to no anchor"),
        ('<a href="../other/">x</a>', "the link ../other/ leads nowhere"),
        ('<img src="no.png">', "loads no.png, which is not there"),
        ('<script src="https://c.org/x.js"></script>', "loads https://c.org/x.js from elsewhere"),
        ('<img src="//c.org/x.png">', "loads //c.org/x.png from elsewhere"),
        ('<img srcset="https://c.org/x.png 2x">', "loads https://c.org/x.png from elsewhere"),
        (
            "<style>@import 'https://c.org/f'</style>",
            "loads https://c.org/f from elsewhere",
        ),
        ('<p style="background: url(http://c.org/p)">', "loads http://c.org/p from elsewhere"),
        ('<link rel="preload" href="https://c.org/f">', "loads https://c.org/f from elsewhere"),
        ('<p id="top">x</p>', "two things have the anchor top"),
    ],
)
def test_a_bad_page(site: Path, text: str, problem: str) -> None:
    page = site / "index.html"
    page.write_text(GOOD.replace("</body>", text + "</body>"))
    assert check(site) == (1, [f"index.html: {problem}"])


def test_a_link_may_say_what_the_playground_shows(site: Path) -> None:
    (site / "playground").mkdir()
    (site / "playground" / "index.html").write_text("<p>a world</p>")
    for link, code in (("playground/index.html#world=scent", 0), ("playground/#scent", 1)):
        (site / "index.html").write_text(GOOD.replace("sub/", link, 1))
        assert check(site)[0] == code


def test_a_bad_style_sheet(site: Path) -> None:
    (site / "s.css").write_text("@font-face { src: url('https://c.org/font.woff') }")
    assert check(site) == (1, ["s.css: loads https://c.org/font.woff from elsewhere"])


def test_lists_get_room() -> None:
    from pages import fit_lists

    given = (
        "Text:\n- one\n  more\n- two\n  - deep\n\n  ```sh\n  - code\n  ```\n\n1. a\n   b\n\nEnd\n"
    )
    wanted = (
        "Text:\n\n- one\n    more\n- two\n    - deep\n\n    ```sh\n    - code\n    ```\n\n"
        "1. a\n    b\n\nEnd\n"
    )
    assert fit_lists(given) == wanted
    fenced = "```\nx\n- no list\n```\n"
    assert fit_lists(fenced) == fenced


def test_links_lead_to_pages_of_the_site() -> None:
    from pages import rewrite_links

    text = (
        "[a](b.md#c) `[no](link.md)` [`x`](../src/x.c) [b.md](b.md) ![p](pictures/p.png)\n"
        "[away](https://d.org/e.md) [here](#h)\n```\n[code](b.md)\n```\n"
    )
    shown = rewrite_links(
        text, PurePosixPath("notes/a.md"), lambda path: f"site/{path}", lambda path: "B", "t/a.md"
    )
    assert shown == (
        "[a](../site/notes/b.md#c) `[no](link.md)` [`x`](../site/src/x.c) [B](../site/notes/b.md)"
        " ![p](../site/notes/pictures/p.png)\n"
        "[away](https://d.org/e.md) [here](#h)\n```\n[code](b.md)\n```\n"
    )
