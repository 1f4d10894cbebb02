# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""measure.py frames [SECONDS]: script time and frame rate with 1,000 agents and 500 x 500 cells in view.
measure.py memory [SECONDS]: memory growth while it watches a world at full speed.
measure.py start [COUNT]: milliseconds from opening the playground to its first whole picture, each time in a new
context that is at rest: until the picture was asked for, and until WebGL has drawn it; the page itself has loaded
after `median_loaded_ms`. The first time is left out, since it also starts processes of the browser. `floor_ms` is what a
page takes that fills a canvas by WebGL and starts a Worker.

Each prints one line of JSON. These are measurements, not tests: the frame rate is that of a machine without a graphics
card. Script times and counters are the page's own; memory is measured after garbage collection, and its growth is the
slope of a fitted line.
"""

import contextlib
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import stage
from playground_site import Site
from playwright.sync_api import sync_playwright

HOUR = 3600


@contextlib.contextmanager
def watched(agents, spread, size, *options):
    """A page that shows a world with wandering agents."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        tokens = Path(folder) / "tokens"
        tokens.write_text(stage.TOKENS)
        server = stage.Program("serve", "paper-code", "--tokens", str(tokens), *options)
        people = stage.Crowd(server, agents, spread)
        browser = playwright.chromium.launch(executable_path=stage.CHROMIUM, args=stage.FLAGS)
        try:
            page = browser.new_page(viewport=size)
            viewer = stage.Viewer(page)
            viewer.open(server.url)
            yield viewer, browser
        finally:
            browser.close()
            people.stop()
            server.stop()


def heap(session):
    """Bytes in use after garbage collection: objects and their array buffers."""
    session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    return usage["usedSize"] + usage.get("backingStorageSize", 0)


def resident(browser):
    """Resident bytes of the renderer and GPU processes."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    total = 0
    for process in processes:
        if process["type"] not in ("renderer", "GPU"):
            continue
        for line in Path(f"/proc/{process['id']}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total += 1024 * int(line.split()[1])
    return total


def slope(points):
    """The slope of the line fitted to (x, y) points, and its standard error."""
    count = len(points)
    middle = statistics.fmean(x for x, _ in points)
    height = statistics.fmean(y for _, y in points)
    spread = sum((x - middle) ** 2 for x, _ in points)
    steepness = sum((x - middle) * (y - height) for x, y in points) / spread
    rest = sum((y - height - steepness * (x - middle)) ** 2 for x, y in points)
    return steepness, (rest / max(1, count - 2) / spread) ** 0.5


def measure_frames(seconds):
    with watched(1000, 480, {"width": 500, "height": 500}, "--rate", "30") as (viewer, _):
        viewer.look_at(0, 0, 1)
        viewer.wait("jbw.marks.length > 900")
        session = viewer.page.context.new_cdp_session(viewer.page)
        viewer.page.wait_for_timeout(5000)
        heap(session)
        parts = []
        for _ in range(4):
            # forced garbage collection takes long, so it happens between the measurements
            viewer.js("jbwStats.reset()")
            viewer.page.wait_for_timeout(250 * seconds)
            parts.append(viewer.js("jbwStats.summary()"))
            heap(session)
        cells = viewer.js("jbw.camera.cells")
        largest = max((part["largestFrame"] for part in parts), key=lambda frame: frame["ms"])
        return {
            "agents": viewer.js("jbw.marks.length"),
            "cells": cells["width"] * cells["height"],
            "frames": sum(part["frames"] for part in parts),
            "median_script_ms": round(statistics.median(part["medianScriptMs"] for part in parts), 2),
            "p99_script_ms": round(max(part["p99ScriptMs"] for part in parts), 2),
            "largest_script_ms": round(max(part["largestScriptMs"] for part in parts), 2),
            "largest_frame": {name: round(ms, 2) for name, ms in largest.items()},
            "frames_per_second": round(statistics.mean(part["framesPerSecond"] for part in parts), 1),
            "steps_per_second": round(viewer.js("jbw.clock.speed"), 1),
            "seconds": seconds,
            "problems": viewer.problems,
        }


COUNTS = """() => ({textures: jbwStats.counters.textures, tiles: jbwStats.counters.tiles, trail_steps: jbw.trails.count,
    heat_tiles: jbw.trails.heat.size, plot_points: jbw.agentPanel.plot.points.length,
    waiting: jbw.view.queue.size + jbw.connection.inbox.length, elements: document.querySelectorAll('*').length})"""


def measure_memory(seconds):
    with watched(200, 400, {"width": 700, "height": 500}) as (viewer, browser):
        viewer.wait("jbw.all.length >= 200")
        # everything that stores data: a followed agent, its plot, trails, visits, scent
        viewer.js("() => { jbw.camera.setZoom(1); jbw.select(jbw.all[7].agent, true); }")
        for key in "hs":
            viewer.page.keyboard.press(key)
        session = viewer.page.context.new_cdp_session(viewer.page)
        # let trails, visits and the plot fill up to their limits first
        viewer.page.wait_for_timeout(250 * seconds)
        before, start = viewer.js(COUNTS), time.monotonic()
        first_time, bytes_before = viewer.js("jbw.time"), viewer.js("jbw.connection.bytes")
        heaps, residents = [], []
        while time.monotonic() - start < seconds:
            viewer.page.wait_for_timeout(max(500, 1000 * seconds / 60))
            now = time.monotonic() - start
            heaps.append((now, heap(session)))
            residents.append((now, resident(browser)))
        growth, error = slope(heaps)
        whole, whole_error = slope(residents)
        return {
            "seconds": seconds,
            "samples": len(heaps),
            "steps_watched": viewer.js("jbw.time") - first_time,
            "mb_received": round((viewer.js("jbw.connection.bytes") - bytes_before) / 1e6, 1),
            "heap_mb": round(statistics.fmean(y for _, y in heaps) / 1e6, 2),
            "heap_mb_per_hour": round(HOUR * growth / 1e6, 2),
            "heap_mb_per_hour_error": round(HOUR * error / 1e6, 2),
            "processes_mb": round(statistics.fmean(y for _, y in residents) / 1e6, 1),
            "processes_mb_per_hour": round(HOUR * whole / 1e6, 1),
            "processes_mb_per_hour_error": round(HOUR * whole_error / 1e6, 1),
            "counts_before": before,
            "counts_after": viewer.js(COUNTS),
            "problems": viewer.problems,
        }


# notes when the first whole picture of the map was asked for, and when it was drawn: reading a pixel waits for that
FIRST_PICTURE = """
const look = () => {
    const app = window.jbw;
    if (app?.renderer.items && app.view.subscription && !app.view.isLoading) {
        const {gl} = app.renderer;
        const asked = performance.now();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        window.firstPicture = [asked, performance.now(), performance.getEntriesByType('navigation')[0].loadEventEnd];
    } else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""

FLOOR = """<!DOCTYPE html><canvas id="map" width="1200" height="800"></canvas><script type="module">
window.worker = new Worker('worker.js');
const running = new Promise(resolve => worker.addEventListener('message', resolve));
const gl = document.getElementById('map').getContext('webgl2', {alpha: false, antialias: false});
gl.clearColor(1, 0, 0, 1);
gl.clear(gl.COLOR_BUFFER_BIT);
gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
running.then(() => requestAnimationFrame(now => window.firstPicture = [now, performance.now(), 0]));
</script>"""


def measure_start(count):
    with tempfile.TemporaryDirectory() as empty, sync_playwright() as playwright:
        (Path(empty) / "index.html").write_text(FLOOR)
        (Path(empty) / "worker.js").write_text("postMessage('running');")
        sites = {"page": Site(), "floor": Site(empty)}
        times = {"page": [], "floor": []}
        browser = playwright.chromium.launch(executable_path=stage.CHROMIUM, args=stage.FLAGS)
        for _ in range(count + 1):
            for name, site in sites.items():
                page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
                if name == "page":
                    page.add_init_script(FIRST_PICTURE)
                page.wait_for_timeout(1000)  # until the processes of the new context have started
                page.goto(site.url)
                page.wait_for_function("window.firstPicture")
                times[name].append([round(ms) for ms in page.evaluate("firstPicture")])
                page.context.close()
        browser.close()
        for site in sites.values():
            site.stop()
    asked, drawn, loaded = zip(*times["page"][1:], strict=True)
    return {
        "asked_ms": asked,
        "median_asked_ms": statistics.median(asked),
        "drawn_ms": drawn,
        "median_drawn_ms": statistics.median(drawn),
        "median_loaded_ms": statistics.median(loaded),
        "floor_ms": statistics.median(drawn for _, drawn, _ in times["floor"][1:]),
    }


def main(what="frames", amount="60"):
    measures = {"frames": measure_frames, "memory": measure_memory, "start": measure_start}
    print(json.dumps(measures[what](int(amount))))


if __name__ == "__main__":
    main(*sys.argv[1:])
