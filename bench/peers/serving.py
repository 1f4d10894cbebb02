# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What every measure_<name>.py does: it answers requests, one JSON object per line, until they end.

    {"prepare": 64}   makes 64 worlds, compiles and warms up: {"numbers": 870, "observation": "..."}
    {"measure": 0.5}  steps them for so many seconds: {"steps_per_second": 123456.7}

Seconds are processor time: a process that is bound to one core and does nothing but step takes as
much of it as it takes time, unless others use the core meanwhile, which should not count.

Worlds are prepared once and measured often, so that peers can take turns. This module runs in the
virtual environments of all peers, and needs nothing that is not in all of them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Way:
    """How to step some worlds."""

    call: Callable[[], object]
    """Steps all worlds, and returns when that is done."""
    steps: int
    """Of one world, in one call."""
    numbers: int
    """In the observation of one world."""
    observation: str
    begin: Callable[[], None] = lambda: None
    """Called before each measurement, outside of what is timed."""


def measure(way: Way, worlds: int, seconds: float) -> float:
    """Steps of all worlds per second of processor time."""
    way.begin()
    begin = time.process_time()
    calls = 0
    while True:
        way.call()
        calls += 1
        elapsed = time.process_time() - begin
        if elapsed >= seconds and elapsed > 0:
            return calls * way.steps * worlds / elapsed


def serve(make: Callable[[int], Way]) -> None:
    """Answers requests. What libraries print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    way, worlds = None, 0
    for line in sys.stdin:
        request = json.loads(line)
        if "prepare" in request:
            way = None  # the worlds before go first
            worlds = request["prepare"]
            way = make(worlds)
            measure(way, worlds, 0.0)  # compiles
            answer = {"numbers": way.numbers, "observation": way.observation}
        else:
            assert way is not None, "measure before prepare"
            answer = {"steps_per_second": measure(way, worlds, request["measure"])}
        print(json.dumps(answer), file=answers, flush=True)
