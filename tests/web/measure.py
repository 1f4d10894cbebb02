# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""measure.py [SECONDS]: how hard the page works with 1,000 agents and 500 x 500 cells in view.

Prints one line of JSON: milliseconds of script for each frame by the page's own counters, frames per second as they
were, and how the memory of scripts grew. A figure, not a test: the frame rate is that of a machine without a graphics card.
"""

import json
import statistics
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
            parts = []
            for _ in range(4):
                # collecting garbage on demand stops everything for long, so it happens in between
                viewer.js("jbwStats.reset()")
                page.wait_for_timeout(250 * seconds)
                parts.append(viewer.js("jbwStats.summary()"))
                samples.append(heap(session))
            cells = viewer.js("jbw.camera.cells")
            figures = {
                "agents": viewer.js("jbw.marks.length"),
                "cells": cells["width"] * cells["height"],
                "frames": sum(part["frames"] for part in parts),
                "median_script_ms": round(statistics.median(part["medianScriptMs"] for part in parts), 2),
                "p99_script_ms": round(max(part["p99ScriptMs"] for part in parts), 2),
                "largest_script_ms": round(max(part["largestScriptMs"] for part in parts), 2),
                "largest_frame": max((part["largestFrame"] for part in parts), key=lambda frame: frame["ms"]),
                "frames_per_second": round(statistics.mean(part["framesPerSecond"] for part in parts), 1),
                "steps_per_second": round(viewer.js("jbw.speed"), 1),
                "heap_mb": [round(sample / 1e6, 2) for sample in samples],
                "seconds": seconds,
                "problems": viewer.problems,
            }
            print(json.dumps(figures))
        finally:
            browser.close()
            people.stop()
            server.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
