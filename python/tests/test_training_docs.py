# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The code in docs/training.md runs, as far as the libraries that it needs are installed."""

from __future__ import annotations

import re
import runpy
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "training.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")


def blocks() -> list[tuple[str, str]]:
    """The sections with code, and their code."""
    if not PAGE.exists():
        return []
    sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]
    found = []
    for section in sections:
        code = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
        if code:
            found.append((section.splitlines()[0], "\n".join(code)))
    return found


@pytest.mark.parametrize(("title", "code"), blocks(), ids=lambda value: value[:20])
def test_the_code_of_a_section_runs(title: str, code: str) -> None:
    needed = re.findall(r"^# needs: (\w+)$", code, re.MULTILINE)
    for module in needed:
        if find_spec(module) is None:
            pytest.skip(f"{title} needs {module}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other libraries have some of their own
        exec(compile("import jbw\n" + code, str(PAGE), "exec"), {"__name__": "__main__"})


def test_the_table_is_that_of_the_results() -> None:
    script = ROOT / "scripts" / "learning_curves"
    curves = runpy.run_path(str(script))
    rows = curves["read"]()
    assert curves["table"](rows) in PAGE.read_text()
    examples = {path.stem[6:] for path in (ROOT / "python" / "examples").glob("train_*.py")}
    assert {row[0] for row in rows} == set(curves["CURVES"]) == examples


def test_every_trainer_has_a_section_and_an_example() -> None:
    text = PAGE.read_text()
    for example in (ROOT / "python" / "examples").glob("train_*.py"):
        assert f"`python/examples/{example.name}`" in text, example.name
    assert len(blocks()) == 7
