# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds whose agents have bodies, talk and leave notes: their colors, what they say, and what is written."""

import pytest
from stage import ADA, near

NOOP_LIKE = 1  # TurnLeft
BODIES = [(0, 0, 255), (0, 255, 255), (102, 51, 255)]  # of villagers, scouts and gatherers


def join(viewer, x, y, body):
    fields = {"has_position": True, "position": {"x": x, "y": y}, "is_forced": True, "body": body}
    return viewer.js("fields => jbw.connection.ask('join', fields).then(({agents}) => agents[0].agent)", fields)


def act(viewer, agents, say):
    wishes = [{"agent": agent, "action": NOOP_LIKE, "say": symbol} for agent, symbol in zip(agents, say, strict=True)]
    viewer.js("wishes => jbw.connection.ask('act_words', {waits: true, wants: 64, wishes}).then(() => null)", wishes)


@pytest.fixture
def village(serve, viewer):
    viewer.open(serve("--seed", "7", world="village").url + ADA)
    return viewer


def test_agents_have_the_colors_of_their_bodies(village):
    cells = [(-4, 0), (0, 0), (4, 0)]
    agents = [join(village, *cell, body) for body, cell in enumerate(cells)]
    village.js("() => { jbw.select(null); }")
    village.look_at(0, 0, 64)
    village.wait("() => jbw.marks.length === 3 && jbw.bodies?.length === 3")
    village.settle()
    picture = village.picture()
    for cell, color in zip(cells, BODIES, strict=True):
        assert near(picture.getpixel(village.pixel_of(*cell)), color)
    # the panel names the body
    village.js("agent => { jbw.select(agent); }", agents[1])
    village.wait("document.getElementById('agent-body').textContent === 'Scout'")
    assert not village.problems


def test_what_is_said_appears_and_fades(village):
    agents = [join(village, 0, 0, 0), join(village, 3, 0, 1)]
    village.look_at(0, 0, 48)
    village.js("agent => { jbw.select(agent); }", agents[0])
    village.wait("() => jbw.agentPanel.words !== undefined && jbw.agentPanel.words !== null")
    act(village, agents, [2, 4])
    village.wait("document.querySelectorAll('.bubble').length === 2")
    shown = village.js(
        "() => [...document.querySelectorAll('.bubble')].map(b => [b.textContent, b.getBoundingClientRect().x])"
    )
    assert sorted(text for text, _ in shown) == ["2", "4"]
    left, right = (x for _, x in sorted(shown))
    assert abs(right - left - 3 * 48) < 8
    village.wait("document.getElementById('agent-heard').textContent === '4'")
    assert village.js("document.getElementById('agent-said').textContent") == "2"
    village.wait("document.querySelectorAll('.bubble').length === 0")  # they fade by themselves
    act(village, agents, [0, 1])
    village.wait("document.querySelectorAll('.bubble').length === 1")
    assert not village.problems


def test_the_text_of_a_cell(village):
    text = "north: <b>beans</b>\nand \u20ac"
    fields = {"item_type": 0, "position": {"x": 5, "y": 3}, "text": list(text.encode())}
    village.js("() => jbw.connection.ask('explore', {places: [{position: {x: 0, y: 0}}]}).then(() => null)")
    village.js("() => jbw.connection.ask('remove_item', {position: {x: 5, y: 3}}).then(() => null, () => null)")
    village.js("fields => jbw.connection.ask('place_text', fields).then(() => null)", fields)
    agent = join(village, 5, 3, 0)
    village.js("() => { jbw.cellPanel.select({x: 5, y: 3}); }")
    village.wait("document.getElementById('cell-text').textContent !== ''")
    assert village.js("document.getElementById('cell-text').textContent") == text
    assert village.page.locator("#cell-text").is_visible()
    # whoever stands there reads it
    village.js("agent => { jbw.select(agent); }", agent)
    village.wait("text => document.getElementById('agent-note').textContent === text", text)
    village.js("() => { jbw.cellPanel.select({x: 5, y: 4}); }")
    village.wait("document.getElementById('cell-text').hidden")
    assert not village.problems


def test_worlds_without_words_have_the_shorter_frames(serve, viewer):
    viewer.open(serve("--seed", "7", "--agent", "greedy", world="scent").url)
    viewer.wait("jbw.time > 10")
    assert viewer.js("jbw.features.wants") == 0
    assert viewer.js("jbw.bodies === undefined && document.getElementById('agent-heard').hidden")
    assert not viewer.problems
