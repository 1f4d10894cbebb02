# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Every code block of the documentation runs, in a cheap form, or says why not.

scripts/docs_site/blocks.py describes the comments that say so. C blocks are compiled by
scripts/check_c_blocks, training.md, fidelity.md and the tutorials have tests of their own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from doc_runner import ROOT, Block, PageRunner, blocks_of, commands, few_steps, pages

import jbw

# what is done about a block, by its language; all others are mistakes
RUN = {"python", "sh"}
CHECKED = {"reward", "yaml", "c"}
# drawings, output, formats, pages; `example` is read by tests in C
NO_CODE = {"", "text", "bibtex", "html", "example"}

# run by tests of their own
OTHERS = {"training.md", "fidelity.md"}

COMMAND = re.compile(r"^\s*(build/jbw|jbw|scripts/\w+|python3?|node) ")


def names() -> list[str]:
    return [str(page.relative_to(ROOT)) for page in pages()]


def all_blocks() -> list[tuple[str, Block]]:
    return [(name, block) for name in names() for block in blocks_of((ROOT / name).read_text())]


@pytest.mark.parametrize("name", [name for name in names() if "tutorials" not in name])
def test_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / name
    blocks = [block for block in blocks_of(page.read_text()) if block.language in RUN]
    blocks = [block for block in blocks if not block.not_run and page.name not in OTHERS]
    if not blocks:
        return
    runner = PageRunner(tmp_path, lives=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    try:
        for block in blocks:
            runner.run(page, block)
    finally:
        runner.close()


@pytest.mark.parametrize("name", names())
def test_every_block_has_a_language_that_somebody_looks_after(name: str) -> None:
    for block in blocks_of((ROOT / name).read_text()):
        place = f"{name}:{block.line}"
        assert block.language in RUN | CHECKED | NO_CODE, f"{place}: who runs {block.language}?"
        if block.language in ("", "text"):
            assert not COMMAND.match(block.text), f"{place}: say sh, so that it is run"
        if block.language in NO_CODE:
            assert not (block.not_run or block.cheap), f"{place}: nobody would run it anyway"
        assert block.cheap_text
        assert not (block.not_run and block.cheap), f"{place}: not run, or cheap?"


def test_rewards_compile() -> None:
    """Those with a world after the language in that world, others in any shipped one."""
    shipped = [jbw.Model.read(name) for name in jbw.shipped_worlds()]
    count = 0
    for name, block in all_blocks():
        if block.language != "reward" or name == "docs/rewards.md":  # its examples have a test in C
            continue
        models = [jbw.Model.read(ROOT / block.rest)] if block.rest else shipped
        problems = []
        for model in models:
            try:
                jbw.Reward(model, block.text)
            except jbw.RewardError as error:
                problems.append(str(error))
        assert len(problems) < len(models), f"{name}:{block.line}: {problems}"
        count += 1
    assert count >= 5


def mentioned(values: dict[str, Any]) -> set[str]:
    """The items that items, kinds and tools of a world file speak of."""
    parts = ("interactions", "requires", "requires_ever", "costs", "drops")
    items = values.get("items", {}).values()
    by_items = {name for item in items for part in parts for name in item.get(part, {})}
    kinds = values.get("kinds", {})
    by_items |= (values.get("agent", {}).get("tools") or {}).keys()
    return (by_items | {name for names in kinds.values() for name in names}) - kinds.keys()


def test_world_files_are_valid() -> None:
    """With the items that they mention but do not show."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    count = 0
    for name, block in all_blocks():
        if block.language != "yaml" or block.not_run:
            continue
        values = yaml.safe_load(block.text)
        items = values.setdefault("items", {})
        for other in mentioned(values) - items.keys():
            items[other] = {}
        assert not jbw.Config(values).problems(), f"{name}:{block.line}"
        count += 1
    assert count >= 2


def test_what_the_runner_makes_of_commands() -> None:
    text = "# all\njbw run a --steps 1000000 # long\n\njbw run b --steps 7   # short\njbw run 'c'\n"
    assert [few_steps(command) for command in commands(text)] == [
        "jbw run a --steps 300",
        "jbw run b --steps 7",
        "jbw run 'c' --steps 300",
    ]


def test_blocks_are_read_with_their_marks() -> None:
    page = (
        "text\n\n<!-- not run: no time -->\n```sh\nmake\n```\n\n"
        "<!-- cheap: 9 => 1 -->\n<!-- cheap: 8 => 2 -->\n```python\nf(9, 8)\n```\n"
        "<!-- not run: of another -->\nprose\n  ```c x y\n  int i;\n    int j;\n  ```\n"
    )
    first, second, third = blocks_of(page)
    assert (first.language, first.not_run, first.text, first.line) == ("sh", "no time", "make\n", 5)
    assert second.cheap_text == "f(1, 2)\n" and not second.not_run
    assert (third.text, third.rest, third.not_run) == ("int i;\n  int j;\n", "x y", "")
    second.cheap.append(("7", "1"))
    with pytest.raises(ValueError, match="nothing to replace: 7"):
        _ = second.cheap_text
