# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents that the server brings, worlds that wait for some, and agents that the address names."""

from stage import ADA, BOB


def test_an_empty_world_says_how_to_bring_an_agent(serve, viewer):
    viewer.open(serve(world="scent", tokens=False).url)
    viewer.wait("!document.getElementById('waiting').hidden")
    assert viewer.text("#link-text") == "waiting"
    said = viewer.text("#waiting")
    assert "This world waits for agents" in said
    assert "jbw serve WORLD --agent greedy" in said
    assert "--tokens FILE" in said
    assert viewer.page.is_hidden("#waiting-play")


def test_someone_who_may_act_can_play_at_once(serve, viewer):
    server = serve(world="scent")
    viewer.open(server.url + BOB)
    viewer.wait("!document.getElementById('waiting').hidden")
    assert f'url = "ws://127.0.0.1:{server.port}"' in viewer.text("#waiting-program")
    assert "--tokens" not in viewer.text("#waiting")
    viewer.page.click("#waiting-play button")
    viewer.wait("document.getElementById('waiting').hidden && jbw.drive.isOn")
    viewer.wait("document.getElementById('link-text').textContent === 'live'")


def test_inactive_agents_are_told(serve, viewer):
    viewer.open(serve().url)  # the agent of a run that has ended
    viewer.wait("!document.getElementById('standing').hidden")
    assert "inactive" in viewer.text("#standing")
    assert viewer.page.is_hidden("#waiting")
    assert viewer.text("#link-text") == "waiting"


def test_an_agent_of_the_server_is_seen_at_once(serve, viewer):
    viewer.open(serve("--agent", "greedy", world="scent", tokens=False).url)
    viewer.wait("jbw.time > 5 && jbw.navigation.isFollowing && Boolean(jbw.agentPanel.observation)")
    assert viewer.page.is_hidden("#waiting")
    assert viewer.page.is_hidden("#standing")
    assert viewer.text("#link-text") == "live"
    viewer.wait("document.getElementById('agent-owner').textContent === 'the server, policy greedy'")
    assert viewer.js("document.getElementById('reward-text').value") == "Collect[JellyBean]"
    assert viewer.text("#rate-text") == "20 steps / s"
    assert viewer.page.is_hidden("#own-agent")  # it cannot be driven


NUMBER = "jbw.selected % 4294967296"


def test_the_address_names_an_agent_to_follow(serve, viewer):
    server = serve("--agent", "greedy", "--agent", "random", world="scent")
    viewer.open(server.url + "#agent=2")
    viewer.wait(f"{NUMBER} === 2 && jbw.navigation.isFollowing")
    # also with a zoom, and after a change of the address
    viewer.page.goto(server.url + "#agent=1&zoom=20")
    viewer.wait(f"{NUMBER} === 1 && jbw.navigation.isFollowing && jbw.camera.zoom === 20")
    viewer.wait("Boolean(jbw.agentPanel.observation)")
    time = viewer.js("jbw.time")
    viewer.wait("time => jbw.time > time + 5", time)
    # the camera stays with it
    x, y = viewer.js(
        """() => { const at = jbw.marks.indexOf(jbw.selected);
            const {x, y} = jbw.camera.toPixel(jbw.marks.x(at) + 0.5, jbw.marks.y(at) + 0.5);
            return [x - jbw.canvas.width / 2, y - jbw.canvas.height / 2]; }"""
    )
    assert abs(x) <= 21 and abs(y) <= 21


def test_an_agent_that_comes_later_is_followed(serve, viewer):
    server = serve("--agent", "greedy", world="scent")
    viewer.open(server.url + ADA + "&agent=2")
    viewer.wait("jbw.all.length === 1")
    assert viewer.js("jbw.selected") is None
    viewer.js("() => jbw.connection.ask('add_agent')")
    viewer.wait(f"{NUMBER} === 2 && jbw.navigation.isFollowing")
