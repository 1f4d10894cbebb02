# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""bench/peers: the docs say what the results say, and our own side can be measured."""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import jbw

FOLDER = Path(__file__).resolve().parents[2] / "bench" / "peers"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the benchmarks are not here")


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    about = importlib.util.spec_from_file_location("table", FOLDER / "table.py")
    assert about is not None and about.loader is not None
    module = importlib.util.module_from_spec(about)
    monkeypatch.setitem(sys.modules, "table", module)  # dataclasses look there
    about.loader.exec_module(module)
    monkeypatch.delitem(sys.modules, "catalog")
    return module


@pytest.fixture
def run(table: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The command, which has no suffix."""
    loader = importlib.machinery.SourceFileLoader("peers_run", str(FOLDER / "run"))
    about = importlib.util.spec_from_loader("peers_run", loader)
    assert about is not None
    module = importlib.util.module_from_spec(about)
    loader.exec_module(module)
    monkeypatch.delitem(sys.modules, "catalog")
    return module


def test_the_docs_have_the_results(table: ModuleType) -> None:
    page = table.PAGE.read_text()
    rows = table.read()
    assert {row.title for row in rows if row.name == "jbw"} and len(rows) > 10
    assert table.put_into(page, rows) == page, "run bench/peers/run --table"
    rows[0].observation = "something else"
    assert table.put_into(page, rows) != page


def test_results_are_complete(table: ModuleType) -> None:
    for row in table.read():
        assert bool(row.steps_per_second) != bool(row.absent), row
        if row.steps_per_second:
            assert int(row.least) <= int(row.steps_per_second) <= int(row.most)
            assert row.rounds > 0 and int(row.numbers) > 0 and row.observation


def some_row(table: ModuleType, **other: str | int) -> Any:
    about: dict[str, str | int] = {
        "name": "peer",
        "title": "Peer, `Grid-v0`",
        "worlds": 64,
        "steps_per_second": "1234567",
        "least": "1000000",
        "most": "1300000",
        "rounds": 5,
        "numbers": "147",
        "observation": "7 x 7 cells x 3",
        "endless": "no",
        "persists": "yes",
        "absent": "",
    }
    return table.Row(**{**about, **other})


def test_results_become_a_table(table: ModuleType, tmp_path: Path) -> None:
    rows = [
        some_row(table),
        some_row(table, worlds=1, steps_per_second="99"),
        some_row(table, title="Other", steps_per_second="", absent='it says "no", and ends'),
    ]
    table.write(rows, tmp_path / "rows.csv")
    assert table.read(tmp_path / "rows.csv") == rows
    text = table.table(rows)
    assert text.splitlines()[2:] == [
        "| Peer, `Grid-v0` | 7 x 7 cells x 3 | 147 | no | yes | 99 | 1,234,567 | - | - |",
        "| Other | 7 x 7 cells x 3 | 147 | no | yes | - | - | - | - |",
        "",
        "Not measured:",
        "",
        '- Other: it says "no", and ends',
    ]
    page = "before\n" + table.BEGIN + "old\n" + table.END + "after\n"
    new = table.put_into(page, rows)
    assert text in new and "old" not in new and table.put_into(new, rows) == new
    assert new.startswith("before\n") and new.endswith("after\n")


class Steady:
    """Something that is measured, always with the same result."""

    title = "Peer, `Grid-v0`"

    def ask(self, request: dict[str, float], timeout: float) -> dict[str, object]:
        time.sleep(0.2)  # a command that ends at once has ended by then
        return {"steps_per_second": 5.0}


@pytest.mark.parametrize(("command", "rounds"), [(None, 2), ("env", 2), ("true", 0)])
def test_rounds_that_lose_their_quiet_do_not_count(
    run: ModuleType, command: str | None, rounds: int
) -> None:
    options = argparse.Namespace(rounds=2, seconds=0.0, timeout=1.0, within=command)
    speeds = run.take_turns([Steady()], options, {})
    assert speeds.get(Steady.title, []) == rounds * [5.0]


def test_rows_are_replaced(run: ModuleType, table: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    known = next(peer.title for peer in run.PEERS)
    old = [some_row(table, title=known), some_row(table, title=known, worlds=1), some_row(table)]
    table.write(old, path)
    new = some_row(table, title=known, steps_per_second="1200000")
    run.merge([new], path)
    assert table.read(path) == [old[1], new], "and what is no longer compared is gone"


def test_random_agents_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    measured = importlib.import_module("measure_jbw")
    monkeypatch.delitem(sys.modules, "serving")
    monkeypatch.delitem(sys.modules, "measure_jbw")
    world = jbw.World("walk", seed=3)  # nothing blocks the way there
    names = world.model.action_names
    assert names[:3] == ("MoveForward", "TurnLeft", "TurnRight")
    columns = measured.returning_actions(names, 64, 32).T
    assert len({tuple(column) for column in columns}) == 32
    agent = world.add_agent()
    for column in columns:
        begin, farthest = agent.position, 0
        for action in [*column, *column]:
            agent.act(int(action))
            farthest = max(farthest, abs(agent.position[0] - begin[0]))
        assert agent.position == begin and farthest > 0


@pytest.mark.parametrize("state", ["settled", "young"])
def test_our_side_is_measured(state: str) -> None:
    requests = [{"prepare": 2}, {"measure": 0.01}, {"measure": 0.0}, {"prepare": 1}, {"measure": 0}]
    done = subprocess.run(
        [sys.executable, str(FOLDER / "measure_jbw.py"), "walk", state],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    ready, first, second, single, last = map(json.loads, done.stdout.splitlines())
    assert ready == single and ready["numbers"] == 11 * 11 * 3
    assert all(one["steps_per_second"] > 0 for one in (first, second, last))
