# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What docs/fidelity.md says of the world `paper` is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")
def test_the_world_paper_has_no_walls() -> None:
    programs = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(programs) == 1
    exec(compile(programs[0], str(PAGE), "exec"), {})
