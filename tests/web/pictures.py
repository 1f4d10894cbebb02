# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""pictures.py FOLDER: makes the pictures of docs/visualizer.md from real servers."""

import sys
import tempfile
from pathlib import Path

import stage
from playwright.sync_api import sync_playwright


def shoot(browser, folder, name, url, prepare, theme="light", size=(1280, 800)):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=theme)
    viewer = stage.Viewer(context.new_page())
    viewer.open(url)
    prepare(viewer)
    viewer.page.wait_for_timeout(1500)
    viewer.settle()
    viewer.js("() => document.getElementById('toasts').replaceChildren()")
    viewer.page.screenshot(path=folder / f"visualizer-{name}.png")
    assert viewer.problems == [], viewer.problems
    context.close()


def show_agent(viewer):
    viewer.wait("jbw.all.length === 1")
    viewer.js("() => { jbw.timeline.seek(2000); }")
    viewer.wait("jbw.time === 2000")
    viewer.js("() => { jbw.select(jbw.all[0].agent, true); jbw.camera.setZoom(24); jbw.invalidate(); }")
    viewer.js("() => jbw.connection.ask('set_rate', {rate: 40}).then(() => jbw.connection.ask('resume'))")
    viewer.wait("jbw.time > 2600")
    viewer.js("() => jbw.connection.ask('pause')")


def show_recording(viewer):
    viewer.wait("jbw.all.length === 1")
    viewer.js("() => { jbw.timeline.seek(1000); }")
    viewer.wait("jbw.time === 1000")
    viewer.js("() => jbw.connection.ask('set_rate', {rate: 60}).then(() => jbw.connection.ask('resume'))")
    viewer.js("() => { jbw.select(jbw.all[0].agent, true); jbw.camera.setZoom(7); jbw.invalidate(); }")
    viewer.wait("jbw.time > 2200")
    viewer.js("() => jbw.connection.ask('pause')")


def show_layers(viewer):
    viewer.wait("jbw.all.length > 30 && jbw.trails.total > 1500")
    viewer.page.click("#layers-open")
    viewer.page.check("[data-layer=scent]")
    viewer.page.check("[data-layer=grid]")
    viewer.js("() => { jbw.camera.setZoom(9); jbw.camera.moveTo(10, 0); jbw.navigation.moved('jump'); }")
    viewer.wait("jbw.renderer.scent.area")
    viewer.page.wait_for_timeout(1500)


def show_far(viewer):
    viewer.wait("jbw.timeline.isRecording")
    viewer.js("() => jbw.connection.ask('set_rate', {rate: 0}).then(() => jbw.connection.ask('seek', {time: 40000}))")
    viewer.wait("jbw.time === 40000")
    viewer.js("() => { jbw.select(null); jbw.camera.setZoom(0.75); jbw.navigation.moved('jump'); }")
    viewer.page.wait_for_timeout(2500)


def show_seasons(viewer):
    viewer.wait("jbw.all.length === 1")
    # the sprout nearest to the agent, with its panel
    cell = viewer.js(
        """() => {
            const {x, y} = jbw.all[0].position;
            const region = {x: x - 120, y: y - 120, width: 240, height: 240};
            const away = i => Math.hypot(i % 240 - 120, Math.floor(i / 240) - 120);
            return jbw.connection.ask('read_planes', {region, planes: 4}).then(({growing}) => {
                const found = Array.from(growing.keys()).filter(i => growing[i] > 0).sort((a, b) => away(a) - away(b));
                return [region.x + found[0] % 240, region.y + Math.floor(found[0] / 240)];
            });
        }"""
    )
    viewer.js("() => { jbw.select(null); }")
    viewer.look_at(*cell, 30)
    viewer.page.mouse.click(*viewer.pixel_of(*cell))


def show_phone(viewer):
    viewer.wait("jbw.time > 400 && Boolean(jbw.agentPanel.observation)")


def main(folder):
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        files = Path(temporary)
        (files / "tokens").write_text(stage.TOKENS)
        stage.run(
            "run", "paper-code", "--seed", "3", "--steps", "40000", "--reward", "Collect[JellyBean] & Avoid[Onion]",
            "--record", files / "greedy.rec",
        )  # fmt: skip
        programs = []
        browser = playwright.chromium.launch(executable_path=stage.CHROMIUM, args=stage.FLAGS)
        try:
            recording = stage.Program("view", str(files / "greedy.rec"))
            programs.append(recording)
            shoot(browser, folder, "agent", recording.url, show_agent)
            shoot(browser, folder, "recording", recording.url, show_recording, "dark")
            shoot(browser, folder, "far", recording.url, show_far)
            server = stage.Program("serve", "paper-code", "--tokens", str(files / "tokens"), "--rate", "15")
            programs.append(server)
            programs.append(stage.Crowd(server, 40, 160))
            shoot(browser, folder, "layers", server.url, show_layers)
            stage.run(
                "run", "seasons", "--seed", "4", "--steps", "9500", "--agent", "greedy",
                "--reward", "Collect[JellyBean] & Collect[Banana]", "--set", "items.Banana.regrows=Uniform[500, 2000]",
                "--save", files / "harvest.jbw",
            )  # fmt: skip
            harvest = stage.Program("serve", str(files / "harvest.jbw"), "--paused")
            programs.append(harvest)
            shoot(browser, folder, "seasons", harvest.url, show_seasons)
            alone = stage.Program("serve", "paper-code", "--seed", "3", "--agent", "greedy", "--rate", "60")
            programs.append(alone)
            shoot(browser, folder, "phone", alone.url, show_phone, size=(390, 844))
        finally:
            browser.close()
            for program in reversed(programs):
                program.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
