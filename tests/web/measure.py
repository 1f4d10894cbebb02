# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""measure.py [SECONDS]: how hard the page works with 1,000 agents and 500 x 500 cells in view.

Prints one line of JSON: milliseconds of script for each frame by the page's own counters, frames per second as they
were, and how the memory of scripts grew. A figure, not a test: the frame rate is that of a machine without a graphics card.
"""

import json
import sys
import tempfile
from pathlib import Path

import stage
from playwright.sync_api import sync_playwright


def heap(session):
    """Bytes in use after what is not needed any more is gone."""
    session.send("HeapProfiler.collectGarbage")
    return session.send("Runtime.getHeapUsage")["usedSize"]


def main(seconds):
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        tokens = Path(folder) / "tokens"
        tokens.write_text(stage.TOKENS)
        server = stage.Program("serve", "paper-code", "--tokens", str(tokens), "--rate", "30")
        people = stage.Crowd(server, 1000, 480)
        browser = playwright.chromium.launch(executable_path=stage.CHROMIUM, args=stage.FLAGS)
        try:
            page = browser.new_page(viewport={"width": 500, "height": 500})
            viewer = stage.Viewer(page)
            viewer.open(server.url)
            viewer.look_at(0, 0, 1)
            viewer.wait("jbw.marks.length > 900")
            session = page.context.new_cdp_session(page)
            page.wait_for_timeout(5000)
            samples = [heap(session)]
            viewer.js("jbwStats.reset()")
            for _ in range(4):
                page.wait_for_timeout(250 * seconds)
                figures = viewer.js("({...jbwStats.summary(), ...jbwStats.counters, time: jbw.time, speed: jbw.speed})")
                samples.append(heap(session))
            cells = viewer.js("jbw.camera.cells")
            print(json.dumps({
                "agents": figures["agents"], "cells": cells["width"] * cells["height"], "frames": figures["frames"],
                "median_script_ms": round(figures["medianScriptMs"], 2), "p99_script_ms": round(figures["p99ScriptMs"], 2),
                "largest_script_ms": round(figures["largestScriptMs"], 2),
                "frames_per_second": round(figures["framesPerSecond"], 1), "steps_per_second": round(figures["speed"], 1),
                "heap_mb": [round(sample / 1e6, 2) for sample in samples], "seconds": seconds,
                "problems": viewer.problems,
            }))  # fmt: skip
        finally:
            browser.close()
            people.stop()
            server.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
