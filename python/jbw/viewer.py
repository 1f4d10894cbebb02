# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The Python part of `World.view`: printing the address, opening a browser, closing at exit."""

from __future__ import annotations

import atexit
import webbrowser

from jbw._core import Reward, Viewer, World

_viewers: list[Viewer] = []


def _close_all() -> None:
    # a server thread should not outlive the interpreter
    while _viewers:
        _viewers.pop().close()


def view_world(
    world: World,
    port: int = 0,
    *,
    open: bool = False,
    quiet: bool = False,
    reward: object = None,
    host: str = "127.0.0.1",
    frame_rate: float = 30.0,
) -> Viewer:
    """`World.view`."""
    text = world.reward if reward is None else Reward(world.model, reward).text
    viewer = Viewer(world, port, host, frame_rate, text)
    if not _viewers:
        atexit.register(_close_all)
    _viewers[:] = [other for other in _viewers if not other.closed] + [viewer]
    if not quiet:
        print(f"the world can be watched at {viewer.url}", flush=True)
    if open:
        webbrowser.open(viewer.url)
    return viewer
