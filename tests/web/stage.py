# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Shared by the tests of the page: servers on loopback, and a browser."""

import io
import json
import os
import subprocess
import time

from PIL import Image, ImageChops

JBW = os.environ.get("JBW", "build/jbw")
CROWD = os.environ.get("JBW_CROWD", "build/release/crowd")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WAIT = 60_000  # milliseconds, enough for a busy machine

# software rendering, without a graphics card
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]

TOKENS = """\
ada secret-of-ada all 2000
bob secret-of-bob act 3
"""
ADA = "#token=secret-of-ada"
BOB = "#token=secret-of-bob"


def run(*arguments, **options):
    return subprocess.run([JBW, *arguments], check=True, capture_output=True, timeout=300, **options)


class Program:
    """A `jbw` process that reports where it listens."""

    def __init__(self, *arguments, port=0):
        self.arguments = arguments
        self.port = port
        self.process = None
        self.start()

    def start(self):
        listen = ["--listen", f"127.0.0.1:{self.port}", "--json"]
        self.process = subprocess.Popen(
            [JBW, *self.arguments, *listen], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        said = json.loads(self.process.stdout.readline())
        self.port = said["port"]
        self.url = said["url"]

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process = None


class Crowd:
    """Agents that wander in a served world."""

    def __init__(self, server, count, spread):
        url = f"ws://127.0.0.1:{server.port}"
        self.process = subprocess.Popen(
            [CROWD, url, "secret-of-ada", str(count), str(spread)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "ready\n"

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()


class Viewer:
    """A page, and helpers to drive it."""

    def __init__(self, page):
        self.page = page
        self.problems = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.problems.append(f"{error}"))

    def _note(self, message):
        if message.type in ("error", "warning") and "GPU stall" not in message.text:
            self.problems.append(message.text)

    def open(self, url):
        self.page.goto(url, timeout=WAIT)
        self.wait("Boolean(window.jbw?.connection.welcome && jbw.view.subscription && jbw.session.shows)")
        self.settle()

    def js(self, code, argument=None):
        return self.page.evaluate(code, argument)

    def wait(self, code, argument=None):
        """Waits until an expression is true. Playwright's own waiting uses eval, which the page's policy forbids."""
        end = time.monotonic() + WAIT / 1000
        while not self.page.evaluate(code, argument):
            assert time.monotonic() < end, f"timed out waiting for {code}"
            self.page.wait_for_timeout(50)

    def settle(self):
        """Waits until all visible patches have been drawn."""
        for _ in range(2):
            self.wait("!jbw.view.isLoading")
            self.js("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def look_at(self, x, y, zoom):
        self.js(
            "([x, y, zoom]) => { jbw.camera.setZoom(zoom); jbw.camera.moveTo(x + 0.5, y + 0.5); jbw.navigation.moved('jump'); }",
            [x, y, zoom],
        )
        # the page limits how often it changes its subscription
        self.page.wait_for_timeout(200)
        self.js("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.settle()

    def picture(self):
        """A screenshot of the map without panels."""
        show = "shown => { for (const part of document.body.children) if (part.tagName !== 'MAIN') part.style.visibility = shown; }"
        self.js(show, "hidden")
        try:
            return Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        finally:
            self.js(show, "")

    def pixel_of(self, x, y):
        """The pixel in the middle of a cell."""
        place = self.js("([x, y]) => jbw.camera.toPixel(x + 0.5, y + 0.5)", [x, y])
        return round(place["x"]), round(place["y"])

    def cells(self, x, y, width, height):
        """The items of a region according to the server, lowest row first."""
        region = {"x": x, "y": y, "width": width, "height": height}
        flat = self.js(
            "region => jbw.connection.ask('read_region', {region}).then(answer => [...answer.items])", region
        )
        return [flat[i * width : (i + 1) * width] for i in range(height)]

    def colors(self):
        """Colors by item type plus one; the first is that of an empty cell."""
        return self.js(
            """() => [jbw.theme.paper.map(v => Math.round(255 * v)),
                ...jbw.connection.welcome.items.map(item => [...item.color].map(v => Math.round(255 * v)))]"""
        )

    def toast(self):
        self.page.wait_for_selector(".toast", timeout=WAIT)
        return self.page.inner_text("#toasts")

    def text(self, selector):
        return self.page.inner_text(selector)


def near(a, b, tolerance=12):
    return all(abs(x - y) <= tolerance for x, y in zip(a, b, strict=True))


def difference(a, b):
    """The number of pixels that differ."""
    grey = ImageChops.difference(a, b).convert("L")
    return sum(grey.histogram()[4:])


def find(rows, x, y, wanted, margin=0):
    """The cells with a given item, as (x, y)."""
    height, width = len(rows), len(rows[0])
    return [
        (x + i, y + j)
        for j in range(margin, height - margin)
        for i in range(margin, width - margin)
        if rows[j][i] == wanted
    ]
