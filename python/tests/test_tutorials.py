# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The tutorials run, in a cheap form, and become notebooks with what they print and draw."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import matplotlib
from doc_runner import ROOT, PageRunner, blocks_of, pages

TUTORIALS = [page for page in pages() if page.parent.name == "tutorials" and page.stem != "index"]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorial(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    runner = PageRunner(tmp_path, lives=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        for block in blocks_of(page.read_text()):
            assert block.language in ("python", "sh"), f"{page.name}:{block.line}"
            if not block.not_run:
                runner.run(page, block)
    finally:
        runner.close()
        plt.close("all")


def test_all_are_listed() -> None:
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text()
    assert len(TUTORIALS) >= 7
    for page in TUTORIALS:
        assert f"({page.name})" in index


def test_a_page_becomes_a_notebook(tmp_path: Path) -> None:
    from notebooks import run_tutorial

    page = tmp_path / "small.md"
    text = (
        "# Small\n\nWords.\n\n<!-- cheap: 2 => 1 -->\n```python\nx = 2\nprint(x)\nx + 1\n```\n\n"
        "```sh\necho shell\n```\n\n<!-- not run: why -->\n```sh\nfalse\n```\n\n"
        "```python\nimport matplotlib.pyplot as plt\nplt.plot([x, 3])\n```\n\nEnd.\n"
    )
    shown, notebook, pictures = run_tutorial(page, text, tmp_path, "/usr/bin")
    assert "```{ .text .output }\n2\n3\n```" in shown and "\nshell\n" in shown
    assert "cheap" not in shown and shown.endswith("End.\n")
    assert list(pictures) == ["small-1.png"] and pictures["small-1.png"].startswith(b"\x89PNG")
    cells = json.loads(notebook)["cells"]
    kinds = [cell["cell_type"] for cell in cells]
    assert kinds == ["markdown", "code", "code", "markdown", "code", "markdown"]
    assert cells[1]["source"] == ["x = 2\n", "print(x)\n", "x + 1"]
    assert cells[1]["outputs"][0]["text"] == ["2\n", "3\n"]
    assert cells[2]["source"] == ["%%bash\n", "echo shell"]
    drawn = cells[4]["outputs"][0]["data"]["image/png"]
    assert base64.b64decode(drawn) == pictures["small-1.png"]


def test_a_failing_cell_is_named(tmp_path: Path) -> None:
    from notebooks import run_tutorial

    with pytest.raises(RuntimeError, match=r"small\.md:5: no such luck"):
        text = "a\n\nb\n```sh\necho no such luck; false\n```\n"
        run_tutorial(tmp_path / "small.md", text, tmp_path, "/usr/bin")
