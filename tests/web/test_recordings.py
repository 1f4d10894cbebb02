# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""jbw view: recordings and snapshots."""

import stage


def test_scrub(view, files, viewer):
    viewer.open(view(files / "life.rec").url)
    viewer.wait("jbw.timeline.isRecording")
    assert viewer.page.is_visible("#timeline")
    assert viewer.js("[jbw.timeline.first, jbw.timeline.last, jbw.time]") == [0, 3000, 0]
    for time in (1500, 20, 3000):
        viewer.js(
            """time => { const scrub = document.getElementById('scrub'); scrub.value = time;
                scrub.dispatchEvent(new Event('input')); scrub.dispatchEvent(new Event('change')); }""",
            time,
        )
        viewer.wait("time => jbw.time === time && !jbw.timeline.isSeeking", time)
    # the recording ends at the time of the saved world
    hash_there = viewer.js("() => jbw.connection.ask('get_hash').then(answer => answer.time)")
    assert hash_there == 3000


def test_play_to_the_end(view, files, viewer):
    viewer.open(view(files / "life.rec", "--rate", "0").url)
    viewer.wait("jbw.timeline.isRecording")
    viewer.js("() => jbw.timeline.seek(2900)")
    viewer.wait("jbw.time === 2900")
    viewer.page.click("#play")
    viewer.wait("jbw.time === 3000 && jbw.controls.isPaused")
    # a step beyond the end is refused
    viewer.page.click("#step")
    assert "server says" in viewer.toast()


def test_jump_to_events(view, files, viewer):
    viewer.open(view(files / "life.rec").url)
    viewer.wait("jbw.timeline.isRecording")
    viewer.wait(
        "() => jbw.connection.ask('find_events', {from: 0, to: 3000, kinds: 1, most: 1}).then(a => a.known_to === 3000)"
    )
    events = viewer.js(
        "() => jbw.connection.ask('find_events', {from: 0, to: 3000, kinds: 1, most: 1000}).then(a => a.events)"
    )
    assert len(events) > 3
    viewer.page.click("#event-on")
    viewer.wait("time => jbw.time === time", events[0]["time"])
    assert "collected" in viewer.toast()
    viewer.page.click("#event-on")
    viewer.wait("time => jbw.time === time", events[1]["time"])
    viewer.page.click("#event-back")
    viewer.wait("time => jbw.time === time", events[0]["time"])
    # the collected item is in the inventory of the agent
    viewer.wait("jbw.agentPanel.observation?.inventory.some(count => count > 0)")


def test_going_back_unmakes_patches(view, files, viewer):
    viewer.open(view(files / "life.rec").url)
    viewer.wait("jbw.timeline.isRecording")
    viewer.js("() => { jbw.timeline.seek(3000); }")
    viewer.wait("jbw.time === 3000")
    viewer.look_at(0, 0, 1)
    viewer.wait("jbw.view.subscription && !jbw.view.isLoading")
    viewer.page.wait_for_timeout(500)
    late = viewer.js("jbw.renderer.level(0).tiles.size")
    viewer.js("() => { jbw.timeline.seek(0); }")
    viewer.wait("jbw.time === 0")
    viewer.wait("late => jbw.renderer.level(0).tiles.size < late", late)


def test_only_time_can_be_changed(view, files, viewer):
    viewer.open(view(files / "life.rec").url)
    code = viewer.js("() => jbw.connection.ask('add_agent').catch(error => error.code)")
    assert code == "NOT_PERMITTED"
    viewer.js("() => jbw.connection.ask('set_rate', {rate: 50})")
    viewer.wait("jbw.controls.rate === 50")


def test_snapshot(view, files, viewer):
    viewer.open(view(files / "life.snap").url)
    viewer.wait("jbw.time === 3000 && jbw.all.length === 1")
    assert viewer.page.is_hidden("#timeline")
    viewer.page.click("#play", force=True)
    assert "watch" in viewer.toast()


def test_movies_or_a_clear_word(files):
    import shutil
    import subprocess

    film = files / "life.gif"
    if shutil.which("ffmpeg"):
        stage.run(
            "movie", files / "life.rec", "--out", film, "--to", "30", "--width", "20", "--height", "12", "--scale", "4"
        )
        assert film.read_bytes()[:6] == b"GIF89a"
    without = subprocess.run(
        [stage.JBW, "movie", files / "life.rec", "--out", film],
        capture_output=True,
        text=True,
        env={"PATH": "/nowhere"},
    )
    assert without.returncode == 1 and "ffmpeg not found" in without.stderr
    wrong = subprocess.run([stage.JBW, "movie", files / "life.snap", "--out", film], capture_output=True, text=True)
    assert wrong.returncode == 2 and "is no recording" in wrong.stderr
