# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds that change by themselves: what agents cannot see is pale or a sprout, and the legend knows when it comes."""

import pytest
import stage
from stage import ADA, find, near

# jelly beans until step 100 of every 200, bananas after it
YEAR = (
    *("--set", "items.JellyBean.season={period: 200, from: 0, to: 100}"),
    *("--set", "items.Banana.season={period: 200, from: 100, to: 200}"),
)


def step_to(viewer, time):
    left = time - viewer.js("jbw.time")
    while left > 0:
        viewer.js("count => jbw.connection.ask('step', {count})", min(left, 1000))
        left -= 1000
    viewer.wait("time => jbw.time === time", time)
    viewer.page.wait_for_timeout(100)
    viewer.settle()


def hidden(viewer, x, y, width, height):
    region = {"x": x, "y": y, "width": width, "height": height}
    flat = viewer.js(
        "region => jbw.connection.ask('read_planes', {region, planes: 2}).then(answer => [...answer.hidden])", region
    )
    return [flat[i * width : (i + 1) * width] for i in range(height)]


def legend(viewer):
    return viewer.page.locator("#items .entry").all_inner_texts()


@pytest.fixture
def year(serve, viewer):
    viewer.open(serve("--paused", "--seed", "7", *YEAR, world="paper-code").url + ADA)
    viewer.js("() => jbw.connection.ask('explore', {places: [{position: {x: 0, y: 0}}]})")
    viewer.js("() => { jbw.select(null); }")
    viewer.look_at(0, 0, 24)
    return viewer


def test_items_out_of_season_are_pale_outlines(year):
    paper = year.colors()[0]
    for time, shown, gone in ((0, 1, 2), (100, 2, 1), (200, 1, 2)):
        step_to(year, time)
        picture = year.picture()
        color = year.colors()[shown]
        seen = find(year.cells(-10, -10, 21, 21), -10, -10, shown)
        assert seen and not find(year.cells(-10, -10, 21, 21), -10, -10, gone)
        for cell in seen[:8]:
            assert near(picture.getpixel(year.pixel_of(*cell)), color)
        outlined = find(hidden(year, -10, -10, 21, 21), -10, -10, gone)
        assert outlined
        for cell in outlined[:8]:
            x, y = year.pixel_of(*cell)
            assert near(picture.getpixel((x, y)), paper, 30)  # pale inside
            around = [picture.getpixel((x + dx, y + dy)) for dx in range(-11, 12) for dy in range(-11, 12)]
            assert any(not near(pixel, paper, 40) for pixel in around)  # but there is a line


def test_the_legend_tells_the_seasons(year):
    words = dict(text.split("\n", 1) for text in legend(year) if "\n" in text)
    assert words == {
        "JellyBean": "in season until step 100",
        "Banana": "out of season until step 100",
    }
    assert year.page.locator("#items .is-out").count() == 1
    step_to(year, 1100)
    words = dict(text.split("\n", 1) for text in legend(year) if "\n" in text)
    assert words == {
        "JellyBean": "out of season until step 1\u202f200",
        "Banana": "in season until step 1\u202f200",
    }


def test_a_hidden_item_is_told_and_can_be_removed(year):
    cell = find(hidden(year, -10, -10, 21, 21), -10, -10, 2)[0]
    year.page.mouse.click(*year.pixel_of(*cell))
    year.wait("document.getElementById('cell-item').textContent.includes('Banana')")
    assert year.text("#cell-item") == "Banana, out of season until step 100"
    year.page.locator("#items .can-place").first.click()
    year.page.mouse.click(*year.pixel_of(*cell))
    year.wait("document.getElementById('cell-item').textContent === 'nothing'")


def test_seasons_of_a_recording(tmp_path, view, viewer):
    stage.run(
        "run", "paper-code", "--seed", "7", "--steps", "260", *YEAR, "--record", tmp_path / "year.rec"
    )  # fmt: skip
    viewer.open(view(tmp_path / "year.rec").url)
    for time, word in ((250, "in season"), (150, "out of season"), (20, "in season")):
        viewer.js("time => { jbw.timeline.seek(time); }", time)
        viewer.wait("time => jbw.time === time", time)
        viewer.page.wait_for_timeout(200)
        viewer.settle()
        assert legend(viewer)[0].split("\n")[1].startswith(word)
    viewer.js("() => { jbw.select(null); }")
    viewer.look_at(0, 0, 24)
    assert find(hidden(viewer, -10, -10, 21, 21), -10, -10, 2)


def test_what_grows_back_is_a_sprout(tmp_path, serve, viewer):
    stage.run(
        "run", "paper-code", "--seed", "7", "--steps", "1500", "--agent", "greedy", "--reward", "Collect[JellyBean]",
        "--set", "items.JellyBean.regrows=Constant[5000]", "--save", tmp_path / "harvest.jbw",
    )  # fmt: skip
    viewer.open(serve("--paused", world=str(tmp_path / "harvest.jbw")).url + ADA)
    assert "grows back after 5\u202f000 steps" in legend(viewer)[0]
    region = {"x": -100, "y": -100, "width": 200, "height": 200}
    flat = viewer.js(
        "region => jbw.connection.ask('read_planes', {region, planes: 4}).then(answer => [...answer.growing])", region
    )
    cells = find([flat[i * 200 : (i + 1) * 200] for i in range(200)], -100, -100, 1)
    assert cells
    viewer.js("() => { jbw.select(null); }")
    viewer.look_at(*cells[0], 32)
    picture = viewer.picture()
    x, y = viewer.pixel_of(*cells[0])
    assert near(picture.getpixel((x, y - 4)), viewer.colors()[1], 30)  # the bud
    red, green, blue = picture.getpixel((x, y + 6))  # the stem
    assert green > red and green > blue
    viewer.page.mouse.click(x, y)
    viewer.wait("!document.getElementById('cell-growing').hidden")
    words = viewer.text("#cell-growing").replace("\u2009", "")
    left = int(words.removeprefix("JellyBean is back in ").removesuffix(" steps"))
    assert 3500 <= left <= 5000
    step_to(viewer, viewer.js("jbw.time") + left)
    viewer.wait("document.getElementById('cell-growing').hidden")
    assert viewer.text("#cell-item") == "JellyBean"


def test_worlds_without_seasons_are_as_they_were(serve, viewer):
    viewer.open(serve("--paused").url)
    assert viewer.js("jbw.renderer.hasUnseen") is False
    assert viewer.js("jbw.calendar.items.every(item => item.period === 0)")
    assert not any("\n" in text for text in legend(viewer))
