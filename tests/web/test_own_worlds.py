# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pages that watch a world stepped by a Python program: world.view()."""

import pytest

jbw = pytest.importorskip("jbw", reason="the Python package is not there")


def test_the_reward_of_an_environment_is_plotted(viewer):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world="paper-code", reward="Collect[Banana] & Explore[0.5]")
    env.reset(seed=3)
    with env.unwrapped.world.view(quiet=True) as shown:
        viewer.open(shown.url)
        viewer.wait("document.getElementById('reward-text').value === 'Collect[Banana] & Explore[0.5]'")
        viewer.wait("Boolean(jbw.agentPanel.observation)")
        paid = [env.step(0)[1] for _ in range(1)]  # one step at a time, so that the page sees each of them
        for _ in range(19):
            time = env.unwrapped.world.time
            viewer.wait("time => jbw.agentPanel.time === time", time)
            paid.append(env.step(0)[1])
        viewer.wait("jbw.agentPanel.time === 20 && jbw.agentPanel.plot.rate !== undefined")
        assert viewer.js("jbw.agentPanel.plot.rate") == pytest.approx(sum(paid) / len(paid), abs=1e-6)
    env.close()
    viewer.problems.clear()  # the server is gone


def test_without_agents_the_page_says_so(viewer):
    world = jbw.World("paper-code", seed=5)
    with world.view(quiet=True) as shown:
        viewer.open(shown.url)
        viewer.wait("!document.getElementById('waiting').hidden")
        assert "world.add_agent()" in viewer.text("#waiting")
        agent = world.add_agent()
        agent.act("MoveForward")
        viewer.wait("document.getElementById('waiting').hidden")
    viewer.problems.clear()  # the server is gone


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
    assert viewer.text("#control-hint") == "Only its program can pause or step this world."
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
