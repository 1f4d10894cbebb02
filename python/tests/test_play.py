# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Playing: the game itself, how it is laid out, and a session in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from small_worlds import SMALL, small

import jbw
from jbw.play import Game, draw, parse_overrides, terminal_color


def test_keys_become_actions() -> None:
    game = Game(SMALL, seed=3)
    for key, direction in (("right", "right"), ("a", "up"), ("3", "right")):  # 3: the third action
        assert game.press(key)
        assert game.agent.direction == direction
    assert not game.press("down") and "no action" in game.message
    assert not game.press("é")
    assert game.world.time == 3


def test_keys_follow_the_world() -> None:
    moves = [
        "MoveForward",
        "MoveBackward",
        "MoveLeft",
        "MoveRight",
        "NoOp",
        "Collect",
        "Drop[Onion]",
    ]
    game = Game(small(actions=moves), seed=3)
    expected = {
        "left": "MoveLeft",
        "right": "MoveRight",
        "down": "MoveBackward",
        " ": "Collect",
        "n": "NoOp",
    }
    assert {key: game.keys[key] for key in expected} == expected
    assert game.keys["7"] == "Drop[Onion]"
    assert game.press("7") and "lacks items" in game.message


def test_rewards_add_up() -> None:
    game = Game(SMALL, seed=3, reward="Collect[JellyBean] & Action[-0.25]")
    env = jbw.envs.JellyBeanWorldEnv(SMALL, "Collect[JellyBean] & Action[-0.25]")
    env.reset(seed=3)
    total = 0.0
    for i in range(60):
        key = "right" if i % 7 == 0 else "w"
        game.press(key)
        total += float(env.step(env.action_names.index(game.keys[key]))[1])
    assert game.total == total and game.world.hash() == env.world.hash()
    assert -0.25 <= game.rate <= 1


def test_the_log_can_be_replayed() -> None:
    log = io.StringIO()
    game = Game(SMALL, seed=3, log=log)
    for key in "wwdwwwawwwwdwwwww":
        game.press(key)
    head, *steps = [json.loads(line) for line in log.getvalue().splitlines()]
    assert head["seed"] == 3 and head["reward"] == "Collect[JellyBean]"
    agent = jbw.World(SMALL, seed=head["seed"]).add_agent()
    for step in steps:
        agent.act(step["action"])
        assert agent.world.time == step["time"]
        assert list(agent.position) == step["position"] and agent.direction == step["direction"]
        assert agent.result.collected == step["collected"]
    assert sum(step["reward"] for step in steps) == game.total
    assert agent.world.hash() == game.world.hash()


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 10), (7, 5), (3, 2), (1, 1), (30, 4)])
def test_drawings_fit_the_screen(size: tuple[int, int]) -> None:
    game = Game(SMALL, seed=3)
    for _ in range(3):
        pieces = draw(game, *size)
        assert pieces
        for piece in pieces:
            assert 0 <= piece.row < size[1] and piece.column + len(piece.text) <= size[0]
        game.press("w")


def test_drawings_show_everything() -> None:
    game = Game(SMALL, seed=3)
    game.press("w")
    pieces = draw(game, 100, 30)
    text = " ".join(piece.text for piece in pieces)
    for expected in (
        "time 1",
        "seed 3",
        "facing up",
        "reward",
        "scent",
        "carrying",
        "q quit",
        "MoveForward",
    ):
        assert expected in text
    arrows = [piece for piece in pieces if piece.text == "^"]
    assert len(arrows) == 2  # on the map, and in the middle of what it sees
    items = {piece.text for piece in pieces if isinstance(piece.style, int)}
    assert items == {"J", "O", "W"}


def test_colors_of_terminals() -> None:
    assert terminal_color([255, 0, 0], 256) == 16 + 36 * 5 + 6 + 1
    assert terminal_color([250, 10, 10], 8) == 1
    assert terminal_color([0, 0, 0], 8) == 7
    assert all(16 <= terminal_color([r, r, 0], 256) < 232 for r in range(256))


def test_settings() -> None:
    assert parse_overrides(["a.b=3", "c=true", "d=Constant[1]"]) == {
        "a.b": 3,
        "c": True,
        "d": "Constant[1]",
    }
    with pytest.raises(ValueError, match="KEY=VALUE"):
        parse_overrides(["a"])


# -------------------------------------------------------------------------------- as people use it


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jbw", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )


def test_help() -> None:
    assert "play" in run("--help").stdout
    assert "--log" in run("play", "--help").stdout
    assert run().returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["walk"], "needs a terminal"),
        (["no-such-world"], "no-such-world"),
        (["walk", "--reward", "Collect[Bean]"], "Bean"),
        (["walk", "--set", "agent.vision_rnage=3"], "vision_range"),
        (["walk", "--set", "nonsense"], "KEY=VALUE"),
        (["walk", "--seed", "-1"], "seed"),
    ],
)
def test_mistakes_are_told(arguments: list[str], message: str) -> None:
    done = run("play", *arguments)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


class Session:
    """A program in a terminal of its own."""

    def __init__(self, *arguments: str, rows: int = 24, columns: int = 80) -> None:
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jbw", *arguments],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        os.close(slave)
        self.output = ""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, text: str) -> None:
        while text not in self.output:
            ready, _, _ = select.select([self.master], [], [], 60)
            assert ready, f"{text!r} did not come; there was {self.output!r}"
            try:
                self.output += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:  # the program ended
                assert text in self.output, self.output
                return

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self) -> int:
        code = self.process.wait(60)
        os.close(self.master)
        return code


def test_a_session_in_a_terminal(tmp_path: Path) -> None:
    log = tmp_path / "life.jsonl"
    arguments: list[Any] = [
        "play",
        "walk",
        "--seed",
        "5",
        "--log",
        str(log),
        "--set",
        "agent.vision_range=3",
    ]
    session = Session(*arguments)
    session.read_until("q quit")
    session.type("wd\x1bOAw")  # forward, right, arrow up, forward
    session.resize(10, 30)
    os.kill(session.process.pid, signal.SIGWINCH)
    session.type("a2k")  # left, the second action, and a key that means nothing
    session.type("q")
    session.read_until("steps, reward")
    assert "6 steps" in session.output
    assert session.end() == 0
    head, *steps = [json.loads(line) for line in log.read_text().splitlines()]
    forward, left, right = "MoveForward", "TurnLeft", "TurnRight"
    assert [step["action"] for step in steps] == [forward, right, forward, forward, left, left]
    assert head["seed"] == 5 and head["overrides"] == {"agent.vision_range": 3}
