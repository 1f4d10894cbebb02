# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What a token permits, and what happens without one."""

from stage import ADA, BOB, find, near


def test_watching_needs_no_token_and_is_told_kindly(serve, viewer):
    server = serve("--paused")
    viewer.open(server.url)
    viewer.page.click("#play", force=True)  # looks disabled, but explains why
    assert "You are watching" in viewer.toast()
    assert viewer.js("jbw.controls.isPaused") is True
    assert viewer.page.is_hidden("#mine")
    assert disabled(viewer) == ("Pausing and stepping need a token.", "You are watching: you need a token to pause")
    assert viewer.js("document.querySelectorAll('.can-place').length") == 0
    # the server refuses, too, and nothing changes
    code = viewer.js("() => jbw.connection.ask('step', {count: 1}).catch(error => error.code)")
    assert code == "NOT_PERMITTED"
    time = viewer.js("jbw.time")
    viewer.page.wait_for_timeout(300)
    assert viewer.js("jbw.time") == time


def disabled(viewer):
    """The hint below the controls of time, and the beginning of their titles; all of them refer to it."""
    assert viewer.page.is_visible("#control-hint")
    titles = set()
    for id in ("play", "step", "rate"):
        control = viewer.page.locator(f"#{id}")
        assert control.get_attribute("aria-disabled") == "true"
        assert control.get_attribute("aria-describedby") == "control-hint"
        titles.add(control.get_attribute("title"))
    (title,) = titles
    return viewer.text("#control-hint"), title.partition(",")[0]


def test_disabled_controls_say_why(serve, viewer):
    viewer.open(serve("--paused", tokens=False).url)
    assert disabled(viewer) == ("Pausing and stepping need a server with --tokens.", "You are watching: to pause")
    viewer.page.click("#step", force=True)
    assert "has to be started with --tokens" in viewer.toast()
    assert viewer.page.query_selector(".toast button") is None  # no token would help

    server = serve("--paused")
    viewer.page.goto("about:blank")
    viewer.open(server.url + BOB)
    hint = "Your token does not permit pausing or stepping."
    assert disabled(viewer) == (hint, "You are watching: your token does not permit you to pause")
    viewer.page.goto("about:blank")
    viewer.open(server.url + ADA)
    assert viewer.page.is_hidden("#control-hint")
    assert viewer.page.get_attribute("#play", "title") == "Pause or resume (space)"


def test_a_wrong_token_still_watches(serve, viewer):
    server = serve("--paused")
    viewer.page.goto(server.url + "#token=not-a-token-of-anybody")
    assert "Unknown token" in viewer.toast()
    viewer.wait("Boolean(jbw.connection.welcome)")
    assert viewer.js("jbw.connection.may('CONTROL')") is False
    # another one can be entered
    viewer.page.click(".toast button")
    viewer.page.fill("#token-text", "secret-of-ada")
    viewer.page.click("#token-form .main")
    viewer.wait("jbw.connection.may('CONTROL')")
    assert viewer.page.query_selector(".toast[data-key=token]") is None


def test_pause_step_rate(serve, crowd, viewer):
    server = serve("--rate", "20")
    crowd(server, count=3)
    viewer.open(server.url + ADA)
    viewer.wait("jbw.time > 0 && jbw.clock.speed > 0")
    viewer.page.click("#play")
    viewer.wait("jbw.controls.isPaused")
    viewer.page.wait_for_timeout(500)
    time = viewer.js("jbw.time")
    viewer.page.wait_for_timeout(700)
    assert viewer.js("jbw.time") == time
    viewer.page.click("#step")
    viewer.wait("time => jbw.time === time + 1", time)
    viewer.page.focus("#map")
    viewer.page.keyboard.press(".")
    viewer.wait("time => jbw.time === time + 2", time)
    viewer.js(
        "() => { const rate = document.getElementById('rate'); rate.value = 40; "
        "rate.dispatchEvent(new Event('input')); rate.dispatchEvent(new Event('change')); }"
    )
    viewer.wait("Math.abs(jbw.controls.rate - 100) < 10")
    assert "steps / s" in viewer.text("#rate-text")
    viewer.page.keyboard.press("Space")
    viewer.wait("!jbw.controls.isPaused")
    viewer.wait("time => jbw.time > time + 5", time)


def test_place_and_remove_items(serve, viewer):
    server = serve("--paused")
    viewer.open(server.url + ADA)
    viewer.js("() => { jbw.select(null); jbw.layers.shown.sight = jbw.layers.shown.trails = false; }")
    viewer.look_at(0, 0, 30)
    rows = viewer.cells(-3, -3, 7, 7)
    cell = find(rows, -3, -3, 0)[0]
    color = viewer.colors()[4]  # a wall
    place = viewer.pixel_of(*cell)
    viewer.page.click(".can-place >> nth=3")
    viewer.page.mouse.click(*place)
    viewer.wait(
        "([x, y]) => jbw.connection.ask('read_region', {region: {x, y, width: 1, height: 1}}).then(a => a.items[0] === 4)",
        list(cell),
    )
    viewer.page.wait_for_timeout(500)
    viewer.settle()
    assert near(viewer.picture().getpixel(place), color)

    # it knows since when the item is there
    viewer.page.keyboard.press("Escape")
    viewer.page.mouse.click(*place)
    viewer.wait("document.getElementById('cell-item').textContent === 'Wall'")
    assert "step 3" in viewer.text("#cell-since")
    viewer.page.keyboard.press("Escape")

    viewer.page.click(".can-place >> nth=0")
    viewer.page.mouse.click(*place)
    viewer.wait(
        "([x, y]) => jbw.connection.ask('read_region', {region: {x, y, width: 1, height: 1}}).then(a => a.items[0] === 0)",
        list(cell),
    )


def test_inspect(serve, viewer):
    server = serve("--paused")
    viewer.open(server.url)
    viewer.js("() => jbw.select(null)")
    viewer.look_at(0, 0, 30)
    rows = viewer.cells(-3, -6, 7, 13)
    names = [item["name"] for item in viewer.js("jbw.connection.welcome.items")]
    cell = next(cell for item in range(1, 7) for cell in find(rows, -3, -6, item))
    name = names[rows[cell[1] + 6][cell[0] + 3] - 1]
    viewer.page.mouse.click(*viewer.pixel_of(*cell))
    viewer.wait("name => document.getElementById('cell-item').textContent === name", name)
    assert viewer.text("#cell-since") == "always"
    assert "final" in viewer.text("#cell-patch")
    scent = viewer.js(
        "([x, y]) => jbw.connection.ask('smell', {region: {x, y, width: 1, height: 1}}).then(a => [...a.scent])",
        list(cell),
    )
    assert viewer.text("#cell-scent").split() == [f"{value:.2f}" for value in scent]
    assert name in viewer.text("#spoken")
    # Enter inspects the cell in the middle
    viewer.page.focus("#map")
    viewer.page.keyboard.press("Enter")
    viewer.wait("jbw.cellPanel.cell.x === 0 && jbw.cellPanel.cell.y === 0")
    # far from all agents
    viewer.look_at(1000000, 1000000, 30)
    viewer.page.keyboard.press("Enter")
    viewer.wait("document.getElementById('cell-patch').textContent.includes('not generated')")


def test_drive_with_the_keyboard(serve, viewer):
    server = serve()
    viewer.open(server.url + BOB)
    viewer.page.click("#add-agent")
    viewer.wait("Boolean(jbw.drive.isOn && jbw.agentPanel.observation)")
    at = "() => { const {position, direction} = jbw.agentPanel.observation; return [position.x, position.y, direction]; }"
    x, y, direction = viewer.js(at)

    # the world steps only when this agent acts, so a later observation is one after the action
    def press(key):
        time = viewer.js("jbw.agentPanel.time")
        viewer.page.keyboard.press(key)
        viewer.wait("time => jbw.agentPanel.time > time", time)

    press("ArrowLeft")
    assert viewer.js(at)[2] == (direction + 3) % 4
    for _ in range(4):  # one direction is free
        press("ArrowUp")
        if viewer.js(at)[:2] != [x, y]:
            break
        press("ArrowLeft")
    assert viewer.js(at)[:2] != [x, y]
    viewer.page.keyboard.press("Escape")
    assert viewer.js("jbw.drive.isOn") is False


def test_comes_back_after_a_restart(serve, viewer, files):
    save = files / "restart.snap"
    server = serve("--paused", "--autosave", str(save), "--resume")
    viewer.open(server.url)
    viewer.look_at(5, 5, 20)
    problems = list(viewer.problems)
    server.stop()
    viewer.wait("document.getElementById('link').dataset.state === 'lost'")
    assert "Reconnecting" in viewer.toast()
    server.start()
    viewer.wait("Boolean(jbw.connection.welcome && jbw.view.subscription)")
    viewer.wait("document.getElementById('link').dataset.state === 'paused'")
    assert viewer.page.query_selector(".toast[data-key=lost]") is None
    assert viewer.js("[Math.floor(jbw.camera.x), Math.floor(jbw.camera.y)]") == [5, 5]
    viewer.settle()
    # the browser logs each failed attempt to connect; nothing else may be logged
    fresh = [text for text in viewer.problems if text not in problems]
    assert all("WebSocket connection to" in text for text in fresh)
    viewer.problems[:] = problems
