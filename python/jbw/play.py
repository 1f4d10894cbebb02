# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Play in a world: `jbw play WORLD`.

`Game` has the rules and knows nothing about terminals; `draw` lays a game out as pieces of text for
a screen of any size; `Terminal` is the only part that uses curses.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from jbw import _core
from jbw.envs.common import DEFAULT_REWARD, check_seed
from jbw.envs.render import ARROWS, item_rgb, item_symbols, surroundings
from jbw.errors import Error

if TYPE_CHECKING:
    import curses

HELP: Mapping[str, Any] = {
    "description": "Play in a world, in the terminal.",
    "epilog": "Arrow keys or WASD move and turn, digits are the other actions, q quits.",
}

#: Keys and their actions; the first one that the world has counts.
KEYS: Mapping[str, tuple[str, ...]] = {
    "up": ("MoveForward",),
    "w": ("MoveForward",),
    "left": ("TurnLeft", "MoveLeft"),
    "a": ("TurnLeft", "MoveLeft"),
    "right": ("TurnRight", "MoveRight"),
    "d": ("TurnRight", "MoveRight"),
    "down": ("MoveBackward", "TurnAround"),
    "s": ("MoveBackward", "TurnAround"),
    "z": ("MoveLeft",),
    "c": ("MoveRight",),
    "x": ("TurnAround",),
    " ": ("Collect", "NoOp"),
    "n": ("NoOp",),
}

RATE_WINDOW = 100  # steps


class Game:
    """A player's life in a world, with an optional log: one JSON object per line."""

    def __init__(
        self,
        world: Any = "paper-code",
        seed: int = 0,
        reward: str = DEFAULT_REWARD,
        overrides: Mapping[str, Any] | None = None,
        log: IO[str] | None = None,
    ) -> None:
        self.world = _core.World(world, check_seed(seed), overrides=overrides)
        self.agent = self.world.add_agent()
        self.model = self.world.model
        self.reward = _core.Reward(self.model, reward)
        self.total = 0.0
        self.latest = 0.0
        self.message = ""
        self.recent: deque[float] = deque(maxlen=RATE_WINDOW)
        self.keys = {
            key: next((action for action in actions if action in self.world.action_names), None)
            for key, actions in KEYS.items()
        }
        for number, action in enumerate(self.world.action_names[:9], 1):
            self.keys[str(number)] = action
        self._log = log
        self._note(
            {
                "world": str(world),
                "seed": seed,
                "reward": self.reward.text,
                "overrides": dict(overrides or {}),
                "position": self.agent.position,
                "direction": self.agent.direction,
            }
        )

    def press(self, key: str) -> bool:
        """Takes the action of a key. False if it has none here."""
        action = self.keys.get(key)
        if action is None:
            self.message = f"no action for this key ({key!r})"
            return False
        self.act(action)
        return True

    def act(self, action: str) -> float:
        """Takes a step and returns its reward."""
        self.agent.act(action)
        result = self.agent.result
        self.latest = self.reward.of(self.agent)
        self.total += self.latest
        self.recent.append(self.latest)
        if result.collected is not None:
            self.message = f"collected {result.collected}"
        elif result.outcome == "done":
            self.message = ""
        else:
            self.message = f"{action}: {result.outcome.replace('_', ' ')}"
        self._note(
            {
                "time": self.world.time,
                "action": action,
                "outcome": result.outcome,
                "position": self.agent.position,
                "direction": self.agent.direction,
                "collected": result.collected,
                "reward": self.latest,
            }
        )
        return self.latest

    @property
    def rate(self) -> float:
        """Reward per step, over the latest steps."""
        return sum(self.recent) / len(self.recent) if self.recent else 0.0

    def _note(self, entry: Mapping[str, Any]) -> None:
        if self._log is not None:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()


class Piece(NamedTuple):
    """Text on the screen. `style` is "plain", "bold", "dim", or the number of an item type."""

    row: int
    column: int
    text: str
    style: str | int = "plain"


def draw(game: Game, width: int, height: int) -> list[Piece]:
    """Everything to show, cut to a screen of that many columns and rows.

    world, time, place
    reward
    map (north is up)      what the agent sees (ahead is up)
    scent
    inventory
    keys, message
    """
    agent, world, model = game.agent, game.world, game.model
    head = [
        f"time {world.time}   seed {world.seed}   at ({agent.position[0]}, {agent.position[1]})   "
        f"facing {agent.direction}",
        f"reward {game.total:g}   latest {game.latest:+g}   "
        f"rate {game.rate:.3f} over {RATE_WINDOW} steps   {game.reward.at(world.time)}",
    ]
    scent = "  ".join(f"{value:.3f}" for value in agent.scent)
    carried = ", ".join(f"{count} {name}" for name, count in agent.items.items())
    foot = [
        f"scent {scent}" if scent else "no scent",
        f"carrying {carried or 'nothing'}   {game.message}",
        _help(game),
    ]
    pieces = [Piece(row, 0, text, "bold") for row, text in enumerate(head)]
    middle = max(height - len(head) - len(foot), 0)
    side = model.vision_shape[0]
    map_width = width - side - 2 if width >= 2 * side + 2 else width
    if middle > 0 and map_width > 0:
        pieces += _map(game, len(head), map_width, middle)
        if map_width < width:
            pieces += _vision(game, len(head), map_width + 2, middle)
    pieces += [
        Piece(height - len(foot) + i, 0, text, "dim" if i == len(foot) - 1 else "plain")
        for i, text in enumerate(foot)
    ]
    return _cut(pieces, width, height)


def _help(game: Game) -> str:
    arrows = {"up": "↑/w", "left": "←/a", "right": "→/d", "down": "↓/s", " ": "space"}
    shown = {key: game.keys[key] for key in ("up", "left", "right", "down", " ", "z", "c", "n")}
    keys = [f"{arrows.get(key, key)} {action}" for key, action in shown.items() if action]
    named = set(shown.values())
    keys += [
        f"{number} {action}"
        for number, action in enumerate(game.world.action_names[:9], 1)
        if action not in named
    ]
    return "   ".join(["q quit", *keys])


def _map(game: Game, top: int, width: int, height: int) -> list[Piece]:
    seen = surroundings(game.world, game.agent.position, (width, height))
    symbols = item_symbols(game.model.item_names)
    pieces = []
    for row in range(height):
        for column in range(width):
            item, state = int(seen.items[row, column]), int(seen.states[row, column])
            if item:
                pieces.append(Piece(top + row, column, symbols[item - 1], item - 1))
            elif state:
                pieces.append(Piece(top + row, column, "·", "dim"))
    for row, column, direction in seen.agents:
        pieces.append(Piece(top + row, column, ARROWS[direction], "bold"))
    return pieces


def _vision(game: Game, top: int, left: int, height: int) -> list[Piece]:
    """What the agent sees, in its own frame; invisible cells are blank."""
    symbols = item_symbols(game.model.item_names)
    items, part = game.agent.item_vision, game.model.field_of_view
    side = len(part)
    pieces = []
    for row in range(min(side, height)):
        for column in range(side):
            place = (top + row, left + column)
            if row == column == side // 2:
                pieces.append(Piece(*place, "^", "bold"))
            elif items[row, column].any():
                item = int(items[row, column].argmax())
                pieces.append(Piece(*place, symbols[item], item))
            elif part[row, column] > 0:
                pieces.append(Piece(*place, "·", "dim"))
    return pieces


def _cut(pieces: Sequence[Piece], width: int, height: int) -> list[Piece]:
    return [
        piece._replace(text=piece.text[: width - piece.column])
        for piece in pieces
        if 0 <= piece.row < height and 0 <= piece.column < width
    ]


class Terminal:
    """Draws a game with curses and turns keys into actions, until the player quits."""

    def __init__(self, window: curses.window, game: Game) -> None:
        import curses

        self.curses = curses
        self.window = window
        self.game = game
        self.styles: dict[str | int, int] = {
            "plain": curses.A_NORMAL,
            "bold": curses.A_BOLD,
            "dim": curses.A_DIM,
        }
        self.names = {
            curses.KEY_UP: "up",
            curses.KEY_DOWN: "down",
            curses.KEY_LEFT: "left",
            curses.KEY_RIGHT: "right",
        }
        with contextlib.suppress(curses.error):
            curses.curs_set(0)
        self._make_colors()

    def _make_colors(self) -> None:
        curses = self.curses
        if not curses.has_colors():
            return
        with contextlib.suppress(curses.error):
            curses.use_default_colors()
        for item, rgb in enumerate(item_rgb(self.game.model)):
            if item + 1 >= curses.COLOR_PAIRS:
                break
            with contextlib.suppress(curses.error):
                curses.init_pair(item + 1, terminal_color(rgb.tolist(), curses.COLORS), -1)
                self.styles[item] = curses.color_pair(item + 1) | curses.A_BOLD

    def show(self) -> None:
        """Redraws everything."""
        height, width = self.window.getmaxyx()
        self.window.erase()
        for piece in draw(self.game, width, height):
            # curses fails in the last cell, and in windows that have just shrunk
            with contextlib.suppress(self.curses.error):
                self.window.addstr(
                    piece.row, piece.column, piece.text, self.styles.get(piece.style, 0)
                )
        self.window.refresh()

    def run(self) -> None:
        """Plays until q or Escape."""
        self.window.keypad(True)
        while True:
            self.show()
            try:
                code = self.window.getch()
            except KeyboardInterrupt:
                return
            if code in (ord("q"), 27, -1):  # -1: the terminal is gone
                return
            if code == self.curses.KEY_RESIZE:
                continue
            if code in self.names:
                self.game.press(self.names[code])
            elif 0 <= code < 128:
                self.game.press(chr(code).lower())


def terminal_color(rgb: Sequence[int], colors: int) -> int:
    """The nearest color of the terminal; dark colors are made lighter to be visible."""
    red, green, blue = rgb
    if colors >= 256:
        levels = [round(5 * max(part, 40) / 255) for part in (red, green, blue)]
        return 16 + 36 * levels[0] + 6 * levels[1] + levels[2]
    brightest = max(rgb)
    if brightest < 40:
        return 7
    bits = [part > brightest / 2 for part in (red, green, blue)]
    return int(bits[0]) + 2 * int(bits[1]) + 4 * int(bits[2])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `play`."""
    parser.add_argument("world", metavar="WORLD", help="a shipped world's name, or a file")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the world (0)")
    parser.add_argument(
        "--reward", default=DEFAULT_REWARD, metavar="EXPR", help=f"({DEFAULT_REWARD})"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="replace a key of the world file; the value is YAML; may be repeated",
    )
    parser.add_argument(
        "--log", metavar="FILE", help="write the trajectory, one JSON object per line"
    )


def parse_overrides(settings: Sequence[str]) -> dict[str, Any]:
    """Parses KEY=VALUE. A value that is not JSON is text."""
    overrides: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise ValueError(f"--set {setting}: expected KEY=VALUE")
        try:
            overrides[key] = json.loads(value)
        except json.JSONDecodeError:
            overrides[key] = value
    return overrides


def main(arguments: Sequence[str]) -> int:
    """`jbw play`."""
    parser = argparse.ArgumentParser(prog="jbw play", **HELP)
    add_arguments(parser)
    return run(parser.parse_args(arguments))


def run(options: argparse.Namespace) -> int:
    """Plays, and returns the exit code."""
    try:
        overrides = parse_overrides(options.set)
        with contextlib.ExitStack() as stack:
            log = None
            game = Game(options.world, options.seed, options.reward, overrides)
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                print("jbw play: needs a terminal: input or output is redirected", file=sys.stderr)
                return 2
            if options.log is not None:
                log = stack.enter_context(Path(options.log).open("w", encoding="utf-8"))
                game = Game(options.world, options.seed, options.reward, overrides, log)
            return _play(game)
    except (Error, ValueError, OSError) as error:
        print(f"jbw play: {error}", file=sys.stderr)
        return 2


def _play(game: Game) -> int:
    import curses
    import locale

    locale.setlocale(locale.LC_ALL, "")  # otherwise curses draws ASCII only
    os.environ.setdefault("ESCDELAY", "25")
    try:
        curses.wrapper(lambda window: Terminal(window, game).run())
    except curses.error as error:
        print(f"jbw play: this terminal cannot be used: {error}", file=sys.stderr)
        return 2
    steps = game.world.time
    print(f"{steps} steps, reward {game.total:g}, {game.total / max(steps, 1):.4f} a step")
    return 0
