# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents: selecting, following, what they perceive, and overlays."""

import itertools

import pytest
from stage import difference


@pytest.fixture
def busy(serve, crowd, viewer):
    """Twelve wandering agents, ten steps per second."""
    server = serve("--rate", "10")
    crowd(server)
    viewer.open(server.url)
    viewer.wait("jbw.all.length >= 12")
    return viewer


def choose_by_click(viewer):
    """Clicks an agent. They move, so it may take several attempts."""
    page = viewer.page
    for _ in range(10):
        place = viewer.js(
            """() => { const mark = jbw.marks.list.find(mark => mark.is_active);
                const p = jbw.camera.toPixel(mark.position.x + 0.5, mark.position.y + 0.5); return [p.x, p.y]; }"""
        )
        if not (320 < place[0] < 830 and 20 < place[1] < 520):
            viewer.js(
                "() => { const mark = jbw.marks.list.find(mark => mark.is_active); "
                "jbw.camera.moveTo(mark.position.x, mark.position.y); jbw.navigation.moved('jump'); }"
            )
            continue
        page.mouse.click(*place)
        if viewer.js("jbw.selected") is not None:
            return
    raise AssertionError("no agent could be clicked")


def test_follow(busy):
    choose_by_click(busy)
    assert busy.page.is_visible("#agent")
    busy.page.click("#follow")
    for _ in range(3):
        time = busy.js("jbw.time")
        busy.wait("time => jbw.time > time + 5", time)
        far = busy.js(
            """() => { const mark = jbw.marks.list.find(mark => mark.agent === jbw.selected);
                return Math.hypot(mark.position.x + 0.5 - jbw.camera.x, mark.position.y + 0.5 - jbw.camera.y); }"""
        )
        assert far < 0.01
    # dragging ends following
    busy.page.mouse.move(600, 300)
    busy.page.mouse.down()
    busy.page.mouse.move(500, 300, steps=3)
    busy.page.mouse.up()
    assert busy.js("jbw.navigation.isFollowing") is False


def test_panel_tells_what_the_agent_perceives(busy):
    busy.js("() => jbw.select(jbw.all.findLast(mark => mark.is_active).agent)")
    busy.wait("Boolean(jbw.agentPanel.observation)")
    busy.wait("document.getElementById('agent-owner').textContent !== ''")
    busy.wait("document.getElementById('agent-position').textContent !== ''")
    agent = busy.js("jbw.selected")
    # the observation of the panel, requested directly
    seen = busy.js(
        """async agent => { const {observations: [seen]} = await jbw.connection.ask('perceive', {agents: [agent], wants: 27});
            return {vision: [...seen.vision], scent: [...seen.scent], inventory: seen.inventory, seen: [...seen.seen]}; }""",
        agent,
    )
    assert len(seen["vision"]) == 17 * 17 * 3 and len(seen["scent"]) == 3 and len(seen["inventory"]) == 6
    assert seen["seen"] == [1] * (17 * 17)  # this world's agents see all around
    assert busy.text("#agent-owner").startswith("ada")
    assert busy.text("#agent-action").split(":")[0].split(",")[0] in ("MoveForward", "TurnLeft", "TurnRight")
    drawn = busy.js(
        """() => { const {observation} = jbw.agentPanel; const canvas = document.getElementById('vision');
            jbw.agentPanel.isFresh = true; jbw.agentPanel.draw(0);
            const data = canvas.getContext('2d').getImageData(0, 0, 17, 17).data;
            return [...observation.vision].map((v, i) => Math.abs(255 * v - data[4 * Math.floor(i / 3) + i % 3])); }"""
    )
    assert max(drawn) <= 1.0
    bars = busy.js("document.querySelectorAll('#scent-bars .bar i').length")
    assert bars == 3


def test_reward_plot_grows(busy):
    busy.page.focus("#map")
    busy.page.keyboard.press("n")
    busy.wait("jbw.agentPanel.plot.points.length > 10")
    points = busy.js("jbw.agentPanel.plot.points")
    assert all(a["time"] < b["time"] for a, b in itertools.pairwise(points))
    # another reward restarts the plot
    busy.js("document.getElementById('reward-box').open = true")
    busy.page.fill("#reward-text", "Action")
    first = busy.js("jbw.agentPanel.plot.points[0]?.time ?? jbw.time")
    assert first > points[0]["time"]


def test_sight_is_shown_as_the_agent_has_it(serve, crowd, viewer):
    """A field of view of 90 degrees, and walls that hide what is behind them."""
    server = serve(
        "--rate", "5", "--set", "agent.field_of_view=90", "--set", "agent.visual_occlusion=true", world="paper-code"
    )
    crowd(server, count=3, spread=20)
    viewer.open(server.url)
    viewer.wait("jbw.all.length === 3")
    viewer.page.focus("#map")
    viewer.page.keyboard.press("n")
    viewer.wait("jbw.renderer.sight.area && jbw.agentPanel.observation?.seen.length === 289")
    seen = viewer.js("[...jbw.agentPanel.observation.seen]")
    assert seen[8 * 17 + 8] == 1  # its own cell
    assert max(seen[9 * 17 :]) < 1e-6 and seen[0 * 17 + 8] > 0.0  # nothing behind, something far ahead
    area = viewer.js("jbw.renderer.sight.area")
    assert area["width"] == 17 and area["height"] == 17


def test_overlays_change_the_picture(busy):
    page = busy.page
    page.click("#layers-open")
    busy.js("() => { jbw.layers.shown.trails = false; }")
    busy.wait("jbw.trails.total > 50")
    # pause the world, to compare pictures
    busy.js("() => { jbw.connection.reopen('secret-of-ada'); }")
    busy.wait("jbw.connection.may('CONTROL')")
    busy.js("() => jbw.request('CONTROL', 'pause')")
    busy.wait("jbw.controls.isPaused")
    busy.wait("Boolean(jbw.view.subscription)")
    busy.look_at(0, 0, 8)

    plain = busy.picture()
    page.uncheck("[data-layer=trails]")
    without = busy.picture()
    for layer, least in (("trails", 200), ("heat", 200), ("scent", 20000)):
        page.check(f"[data-layer={layer}]")
        if layer == "scent":
            busy.wait("Boolean(jbw.renderer.scent.area)")
        page.wait_for_timeout(500)
        busy.settle()
        assert difference(without, busy.picture()) > least, layer
        page.uncheck(f"[data-layer={layer}]")
    page.wait_for_timeout(300)
    assert difference(without, busy.picture()) == 0
    assert plain.size == without.size


def test_scent_is_what_the_world_smells(busy):
    page = busy.page
    page.click("#layers-open")
    page.check("[data-layer=scent]")
    page.select_option("#scent-mode", "color")
    busy.wait("Boolean(jbw.renderer.scent.area)")
    dimensions = busy.js(
        """() => import('./senses.js').then(({scentPixels}) => [
            [...scentPixels(new Float32Array([1, 0, 0, 0, 0, 0, 0.25, 0.25, 0]), 3, 'color', 1)],
            [...scentPixels(new Float32Array([0, 0, 0]), 3, 'strength', 1)]])"""
    )
    assert dimensions[0][:4] == [255, 0, 0, 255]
    assert dimensions[0][4:8] == [0, 0, 0, 0]
    assert dimensions[0][8] == dimensions[0][9] and dimensions[0][11] == 127
    assert dimensions[1] == [0, 0, 0, 0]
