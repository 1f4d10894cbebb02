# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What docs/python.md, docs/pictures.md and the package's own docstring show does run."""

import doctest
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jbw

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not here")
@pytest.mark.parametrize(("page", "count"), [("python.md", 3), ("pictures.md", 1)])
def test_page(page: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"np": np}
    examples = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert len(examples) >= count
    for example in examples:
        exec(example, names)


def test_docstring() -> None:
    assert doctest.testmod(jbw).failed == 0
    assert doctest.testmod(jbw.rewards).failed == 0


def test_everything_public_is_explained() -> None:
    for name in jbw.__all__:
        thing = getattr(jbw, name)
        if not isinstance(thing, type) or thing.__module__ not in ("jbw._core", "jbw.config"):
            continue
        assert thing.__doc__
        for part, value in vars(thing).items():
            if not part.startswith(("_", "n_")) and not isinstance(value, tuple | int):
                assert value.__doc__, f"{name}.{part}"
