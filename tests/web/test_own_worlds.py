# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pages that watch a world stepped by a Python program: world.view()."""

import pytest

jbw = pytest.importorskip("jbw", reason="the Python package is not there")


def test_a_page_sees_what_the_program_does_and_changes_nothing(viewer):
    world, twin = (jbw.World("paper-code", seed=5) for _ in range(2))
    agents = [each.add_agent() for each in (world, twin)]
    shown = world.view(quiet=True, reward="Collect[Banana]")
    viewer.open(shown.url)
    viewer.wait("jbw.selected !== null && jbw.agentPanel.observation")
    for step in range(600):
        for agent in agents:
            agent.act("TurnLeft" if step % 30 == 29 else "MoveForward")
    # the program pauses, and the page catches up
    viewer.wait("jbw.time === 600 && jbw.agentPanel.time === 600")
    x, y = agents[0].position
    assert viewer.js("jbw.agentPanel.observation.position") == {"x": x, "y": y}
    assert viewer.js("document.getElementById('reward-text').value") == "Collect[Banana]"
    viewer.wait("document.getElementById('speed').textContent === '0'")
    # only the program can change its world
    viewer.page.focus("#map")
    viewer.page.keyboard.press(" ")
    assert "You are watching" in viewer.toast()
    viewer.page.wait_for_timeout(200)
    assert world.time == 600
    assert world.hash() == twin.hash()
    # another world, from the beginning, in the same page
    other = jbw.World(world.model, seed=6)
    agent = other.add_agent()
    shown.show(other)
    for _ in range(3):
        agent.act("MoveForward")
    viewer.wait("jbw.time === 3 && jbw.agentPanel.time === 3")
    region = (-8, -8, 16, 16)
    viewer.look_at(0, 0, 16)
    assert viewer.cells(*region) == other.items(*region).tolist()
    shown.close()
    viewer.wait("document.getElementById('link').dataset.state === 'lost'")
