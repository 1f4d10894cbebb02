# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""World.view: browsers watch a world that Python goes on with."""

import copy
import gc
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser

import gymnasium
import numpy as np
import pytest
from small_worlds import SMALL

import jbw


def wait_until(is_true):
    """A busy machine may take its time."""
    end = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def watch(viewer):
    """What a page does first: connects, without a token."""
    return jbw.connect(viewer.url.replace("http", "ws"), reconnect_time=-1)


def is_seen(page, world):
    """Whether a page has got to see the world as it is."""
    region = (-24, -24, 48, 48)
    return (
        np.array_equal(page.items(*region), world.items(*region))
        and len(page.agents) == len(world.agents)
        and page.time == world.time
    )


def is_listening(port):
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def world():
    return jbw.World(SMALL, seed=7)


def test_says_where_and_serves_the_page(world, capsys):
    with world.view() as viewer:
        assert viewer.url == f"http://127.0.0.1:{viewer.port}/"
        assert viewer.url in capsys.readouterr().out
        assert viewer.url in repr(viewer)
        assert viewer.world is world
        with urllib.request.urlopen(viewer.url, timeout=60) as page:
            assert page.status == 200
            assert b"<canvas" in page.read()
    assert viewer.closed
    assert viewer.world is None
    assert repr(viewer) == "<jbw.Viewer, closed>"
    assert not is_listening(viewer.port)


def test_quiet_says_nothing_and_open_opens(world, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with world.view(quiet=True, open=True) as viewer:
        assert opened == [viewer.url]
    assert capsys.readouterr().out == ""


def test_shows_the_world_as_it_is(world):
    agent = world.add_agent()
    with world.view(quiet=True) as viewer:
        for _ in range(300):
            agent.act("MoveForward")
        with watch(viewer) as page:
            # at rest, though it took no step since somebody is there
            wait_until(lambda: is_seen(page, world))
            # nor does a change need one
            empty = np.argwhere(world.items(-24, -24, 48, 48) == 0)[0]
            world.place(world.item_names[0], int(empty[1]) - 24, int(empty[0]) - 24)
            wait_until(lambda: is_seen(page, world))
            agent.act("TurnLeft")
            wait_until(lambda: is_seen(page, world))
            assert page.item_names == world.item_names
            assert [other.position for other in page.agents] == [agent.position]


def test_watched_or_not_a_world_is_the_same():
    worlds = [jbw.World(SMALL, seed=11) for _ in range(2)]
    agents = [world.add_agent() for world in worlds]
    with worlds[0].view(quiet=True, frame_rate=1000) as viewer, watch(viewer) as page:
        seen = set()
        for step in range(4000):
            for agent in agents:
                agent.act("TurnLeft" if step % 40 == 39 else "MoveForward")
            if step % 40 == 0:
                page.items(0, 0, 8, 8)
                seen.add(page.time)
        wait_until(lambda: viewer.copies > 1)
    assert len(seen) > 1
    assert worlds[0].hash() == worlds[1].hash()
    assert worlds[0].to_bytes() == worlds[1].to_bytes()


def test_nobody_watches_nothing_is_copied(world):
    agent = world.add_agent()
    with world.view(quiet=True) as viewer:
        for _ in range(2000):
            agent.act("MoveForward")
        assert (viewer.watchers, viewer.copies) == (0, 0)
        with watch(viewer):
            wait_until(lambda: viewer.copies > 0)
            assert viewer.watchers == 1
        wait_until(lambda: viewer.watchers == 0)
        agent.act("MoveForward")  # may still be on its way
        before = viewer.copies
        for _ in range(2000):
            agent.act("MoveForward")
        assert viewer.copies <= before + 1


def test_a_callback_and_viewers_do_not_get_in_each_others_way(world):
    agent = world.add_agent()
    seen = []
    world.on_step(lambda w: seen.append(w.time))
    with world.view(quiet=True) as viewer, watch(viewer):
        end = time.monotonic() + 60
        while viewer.copies < 3:
            agent.act("MoveForward")
            assert time.monotonic() < end
    agent.act("MoveForward")
    assert seen == list(range(1, world.time + 1))


def test_a_long_call_is_seen_while_it_lasts(world):
    agent = world.add_agent()
    policy = jbw.Policy("forward", world.model)
    with world.view(quiet=True) as viewer, watch(viewer):
        steps, seen = 10000, 0
        while seen < 2:
            before = viewer.copies
            agent.follow(policy, steps)  # during which nobody else gets into the world
            seen = viewer.copies - before
            steps *= 2
            assert steps < 1e9


def test_who_watches_changes_nothing(world):
    with world.view(quiet=True) as viewer, watch(viewer) as page:
        assert page.permissions == ("watch",)
        before = world.hash()
        for change in (
            page.add_agent,
            page.step,
            page.pause,
            page.hash,
            lambda: page.place(world.item_names[0], 3, 3),
            lambda: page.remove(3, 3),
        ):
            with pytest.raises(jbw.NotPermittedError, match="read-only"):
                change()
        assert world.hash() == before


def test_again_and_again(world):
    ports = set()
    for _ in range(5):
        viewer = world.view(quiet=True)
        with watch(viewer) as page:
            assert is_seen(page, world)
        viewer.close()
        viewer.close()
        assert not is_listening(viewer.port)
        ports.add(viewer.port)
    assert world.viewers == ()
    # the same port, so that an open page finds it again
    port = ports.pop()
    for _ in range(2):
        with world.view(port, quiet=True) as viewer:
            assert viewer.port == port


def test_two_views_of_one_world(world):
    agent = world.add_agent()
    with world.view(quiet=True) as one, world.view(quiet=True) as other:
        assert world.viewers == (one, other)
        assert one.port != other.port
        with watch(one) as first, watch(other) as second:
            agent.act("MoveForward")
            wait_until(lambda: is_seen(first, world) and is_seen(second, world))
            one.close()
            agent.act("MoveForward")
            wait_until(lambda: is_seen(second, world))
            with pytest.raises(jbw.NoConnectionError):
                first.items(0, 0, 1, 1)
        assert world.viewers == (other,)


def test_the_world_keeps_its_viewers_and_ends_them():
    world = jbw.World(SMALL, seed=7)
    agent = world.add_agent()
    port = world.view(quiet=True).port
    gc.collect()
    assert is_listening(port)
    viewer = world.viewers[0]
    with watch(viewer) as page:
        assert is_seen(page, world)
        del world, agent
        gc.collect()
        assert viewer.closed
        assert (viewer.watchers, viewer.copies) == (0, 0)
        assert not is_listening(port)
        with pytest.raises(jbw.NoConnectionError):
            page.items(0, 0, 1, 1)
    viewer.close()


def test_a_world_in_a_circle_is_freed_with_its_viewer():
    world = jbw.World(SMALL, seed=7)

    class Holder:
        pass

    holder = Holder()
    holder.world, holder.self = world, holder
    world.on_step(lambda w, kept=holder: kept)
    viewer = world.view(quiet=True)
    del world, holder
    gc.collect()
    assert viewer.closed


def test_copies_of_a_world_have_no_viewers(world):
    with world.view(quiet=True):
        assert world.clone().viewers == ()
        assert jbw.World.from_bytes(world.to_bytes()).viewers == ()


def test_shows_another_world(world):
    other = jbw.World(world.model, seed=8)
    with world.view(quiet=True) as viewer, watch(viewer) as page:
        viewer.show(other)
        assert (world.viewers, other.viewers) == ((), (viewer,))
        other.add_agent().act("MoveForward")
        wait_until(lambda: is_seen(page, other))
        with pytest.raises(jbw.ArgumentError, match="same model"):
            viewer.show(jbw.World("scent"))
        with pytest.raises(TypeError, match="expected a World"):
            viewer.show(7)
        assert viewer.world is other
    with pytest.raises(jbw.BusyError, match="closed"):
        viewer.show(world)


def test_the_world_of_an_environment_is_seen_through_its_lives():
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL)
    env.reset(seed=1)
    with env.unwrapped.world.view(quiet=True) as viewer, watch(viewer) as page:
        for seed in (1, 2, 3):
            env.reset(seed=seed)
            env.step(0)
            assert viewer.world is env.unwrapped.world
            wait_until(lambda: is_seen(page, env.unwrapped.world))
    env.close()


def test_the_world_of_a_crowd_is_seen_through_its_lives():
    crowd = jbw.parallel_env(world=SMALL, agents=2)
    crowd.reset(seed=1)
    with crowd.world.view(quiet=True) as viewer, watch(viewer) as page:
        crowd.reset(seed=2)
        crowd.step(dict.fromkeys(crowd.agents, 0))
        assert viewer.world is crowd.world
        wait_until(lambda: is_seen(page, crowd.world))


@pytest.mark.parametrize("reward", [None, "Collect[{}] & Zero"])
def test_the_page_knows_the_reward(world, reward):
    text = reward and reward.format(world.item_names[0])
    viewer = world.view(quiet=True, reward=text)
    with urllib.request.urlopen(viewer.url + "reward", timeout=60) as answer:
        assert answer.read().decode().strip() == (text or "")
    viewer.close()
    with pytest.raises(jbw.RewardError, match="nothing_of_the_kind"):
        world.view(reward="Collect[nothing_of_the_kind]")


def plotted(viewer):
    with urllib.request.urlopen(viewer.url + "reward", timeout=60) as answer:
        return answer.read().decode().strip()


def test_the_page_plots_the_reward_of_the_environment():
    bean, *_, other = jbw.World(SMALL).item_names
    reward = f"Collect[{other}] & Avoid[{bean}]"
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL, reward=reward)
    for seed in (1, 2):
        env.reset(seed=seed)
        assert env.unwrapped.world.reward == reward
    again = copy.deepcopy(env)
    assert again.unwrapped.world.reward == reward
    with env.unwrapped.world.view(quiet=True) as viewer:
        assert plotted(viewer) == reward
    with env.unwrapped.world.view(quiet=True, reward="Zero") as viewer:
        assert plotted(viewer) == "Zero"
    crowd = jbw.parallel_env(world=SMALL, agents=2, reward=reward)
    crowd.reset(seed=1)
    with crowd.world.view(quiet=True) as viewer:
        assert plotted(viewer) == reward
    # nothing that a page could compute
    mixed = jbw.parallel_env(world=SMALL, agents=2, reward={"agent_0": reward})
    own = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL, reward=lambda step: 1.0)
    for silent in (mixed, own):
        silent.reset(seed=1)
        assert silent.unwrapped.world.reward is None


def test_a_world_can_have_a_reward(world):
    assert world.reward is None
    world.reward = jbw.rewards.Collect(world.item_names[0])
    assert world.reward == f"Collect[{world.item_names[0]}]"
    with pytest.raises(jbw.RewardError, match="nothing_of_the_kind"):
        world.reward = "Collect[nothing_of_the_kind]"
    assert world.reward == f"Collect[{world.item_names[0]}]"
    with world.view(quiet=True) as viewer:
        assert plotted(viewer) == world.reward
    world.reward = None
    assert world.reward is None
    assert world.clone().reward is None


def test_mistakes_are_told(world):
    with pytest.raises(jbw.ArgumentError, match="port"):
        world.view(70000)
    with pytest.raises(jbw.ArgumentError, match="frame rate"):
        world.view(frame_rate=0)
    with pytest.raises(jbw.ArgumentError, match="cannot resolve host"):
        world.view(host="no such host")
    with pytest.raises(TypeError):
        world.view(colour="red")
    viewer = world.view(quiet=True)
    with pytest.raises(jbw.NoConnectionError, match=f"port {viewer.port}"):
        world.view(viewer.port)
    viewer.close()
    assert world.viewers == ()


def test_not_in_the_middle_of_a_step(world):
    agent = world.add_agent()
    viewer = world.view(quiet=True)
    for attempt in (viewer.close, lambda: world.view(quiet=True)):
        world.on_step(lambda _, attempt=attempt: attempt())
        with pytest.raises(jbw.BusyError, match="a step is under way"):
            agent.act("MoveForward")
        world.on_step(None)
    assert world.viewers == (viewer,)
    viewer.close()


def test_worlds_of_a_batch_are_refused():
    envs = gymnasium.make_vec("jbw/JellyBeanWorld-v0", num_envs=2, world=SMALL)
    envs.reset(seed=1)
    with pytest.raises(jbw.UnsupportedError, match="batch"):
        envs.unwrapped.world(0).view()
    envs.close()


def test_viewers_come_and_go_while_threads_act(world):
    agents = [world.add_agent() for _ in range(2)]
    is_over = threading.Event()

    def live(agent):
        while not is_over.is_set():
            agent.act("MoveForward")

    threads = [threading.Thread(target=live, args=(agent,)) for agent in agents]
    for thread in threads:
        thread.start()
    for _ in range(5):
        with world.view(quiet=True, frame_rate=500) as viewer, watch(viewer) as page:
            page.items(0, 0, 8, 8)
    is_over.set()
    for thread in threads:
        while thread.is_alive():
            world.step()  # for who waits for the other
            thread.join(0.01)


def run(program):
    """In an interpreter of its own; what it wrote."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_interpreter_ends_while_somebody_watches():
    said = run("""
import jbw
world = jbw.World("paper-code", seed=1)
viewer = world.view()
page = jbw.connect(viewer.url.replace("http", "ws"))
page.items(0, 0, 8, 8)
keep = []
keep.append((keep, world))  # nobody frees it
""")
    assert said.startswith("the world can be watched at http://127.0.0.1:")


def test_a_fork_leaves_the_viewer_to_its_parent():
    said = run("""
import os, jbw
world = jbw.World("paper-code", seed=1)
viewer = world.view(quiet=True)
child = os.fork()
if child == 0:
    agent = world.add_agent()
    agent.act("MoveForward")
    assert viewer.watchers == 0
    viewer.close()
    print("child", viewer.closed, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
page = jbw.connect(viewer.url.replace("http", "ws"))
print("parent", page.seed == world.seed, flush=True)
page.close()
""")
    assert said == "child True\nparent True\n"
