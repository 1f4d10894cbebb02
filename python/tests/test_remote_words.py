# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Bodies, voices and texts of a world on a server, beside the same world here."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Iterator

import numpy as np
import pytest

import jbw
import jbw.envs
from jbw import errors

pytest.importorskip("jbw._client", reason="this build has no network")

from test_remote import ACT, ALL, TOOL, Server, tool_can_serve

pytestmark = pytest.mark.skipif(
    not tool_can_serve(), reason=f"{TOOL} is not there, or cannot serve"
)

WORLD = """\
patch_size: 16
mh_iterations: 500
collection: manual
agent:
  vision_range: 3
  actions: [MoveForward, TurnLeft, Collect, "Drop[Note]", NoOp]
  voice: {symbols: 3, range: 6}
bodies:
  Scout: {color: [0, 1, 1], actions: [MoveForward, TurnLeft, NoOp]}
items:
  Note: {text: true, intensity: "Constant[-1]"}
  Bean: {intensity: "Constant[-3]"}
"""


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[Server]:
    path = tmp_path / "words.yaml"
    path.write_text(WORLD)
    server = Server(tmp_path, world=str(path))
    yield server
    server.stop()


def expect_same(remote: jbw.RemoteAgent, local: jbw.Agent) -> None:
    assert remote.note == local.note
    assert remote.body == local.body
    assert remote.result == local.result
    np.testing.assert_array_equal(remote.heard, local.heard)


def test_agents_talk_and_write_as_in_a_local_world(server: Server) -> None:
    choose = random.Random(1)
    heard = read = 0
    with jbw.connect(server.url, ALL) as world:
        here = jbw.World(world.config, seed=world.seed)
        bodies = (None, "Scout", None)
        pairs = [(world.add_agent(body=body), here.add_agent(body=body)) for body in bodies]
        for step in range(120):
            actions = [choose.choice(world.action_names) for _ in pairs]
            symbols = [choose.randrange(4) for _ in pairs]
            texts = [f"{step} \u20ac\n" if name == "Drop[Note]" else None for name in actions]
            for side, it in ((0, world), (1, here)):
                agents = [pair[side] for pair in pairs]
                if step % 2:
                    it.act(agents, list(zip(actions, symbols, strict=True)), texts)
                else:
                    for agent, name, say, text in zip(agents, actions, symbols, texts, strict=True):
                        agent.act(name, say=say, text=text)
            for remote, local in pairs:
                expect_same(remote, local)
                heard += int(local.heard.sum())
                read += bool(local.note)
        assert heard > 100 and read > 20
        assert world.hash() == here.hash()
        x, y = pairs[0][0].position
        for cell in ((x, y), (40, 7)):
            assert world.inspect(*cell) == here.inspect(*cell)


def test_words_ahead(server: Server) -> None:
    with jbw.connect(server.url, ALL) as world:
        here = jbw.World(world.config, seed=world.seed)
        remote, local = world.add_agent(), here.add_agent()
        plan = [("MoveForward", 1), ("Collect", 0), ("Drop[Note]", 2), "NoOp"] * 8
        texts = [f"number {i}" if i % 4 == 2 else None for i in range(len(plan))]
        expect_same(remote, local)
        remote.post(plan, texts)
        for action, text in zip(plan, texts, strict=True):
            assert remote.collect().said == (0 if action == "NoOp" else action[1])
            name, say = ("NoOp", 0) if action == "NoOp" else action
            local.act(name, say=say, text=text)
            expect_same(remote, local)


def test_what_is_not_possible(server: Server) -> None:
    with jbw.connect(server.url, ALL) as world:
        agent = world.add_agent()
        with pytest.raises(errors.ArgumentError, match="there is no symbol 4"):
            agent.act("NoOp", say=4)
        with pytest.raises(errors.ArgumentError, match="256 bytes"):
            agent.act("Drop[Note]", text="x" * 256)
        with pytest.raises(errors.ArgumentError, match="zero"):
            agent.act("Drop[Note]", text="a\0b")
        with pytest.raises(errors.ArgumentError, match="NoOp has no text"):
            agent.act("NoOp", text="a")
        with pytest.raises(TypeError):
            agent.act("Drop[Note]", text=b"a")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="Porter"):
            world.add_agent(body="Porter")
        with pytest.raises(errors.ArgumentError, match="Bean carries no text"):
            world.place("Bean", 30, 30, text="a")
        with pytest.raises(errors.ArgumentError, match="texts"):
            world.act([agent], ["NoOp"], [None, None])
        assert world.time == 0


def test_frames_have_bodies_and_what_was_said(server: Server) -> None:
    with jbw.connect(server.url, ALL) as world, jbw.connect(server.url) as watching:
        one, two = world.add_agent(body="Scout"), world.add_agent()
        with watching.subscribe() as frames, watching.subscribe(agent=two.id) as views:
            world.act([one, two], [("NoOp", 3), ("NoOp", 0)])
            frame = next(frame for frame in frames if frame.time == 1)
            assert [(mark.body, mark.said) for mark in frame.agents] == [("Scout", 3), (None, 0)]
            view = next(frame.agent for frame in views if frame.time == 1)
            assert view is not None and view.heard is not None
            assert view.heard.tolist() == [0, 0, 1]
            assert view.body is None and view.note == two.note


def test_environment(server: Server) -> None:
    env = jbw.envs.RemoteEnv(server.url, ACT, "Collect[Note]", note=True, body="Scout")
    observation, info = env.reset()
    assert observation in env.observation_space
    assert info["action_mask"].tolist() == [1, 1, 0, 0, 1]
    assert env.action_masks().tolist() == [True, True, False, False, True]
    env.write("kept until something is dropped")
    for _ in range(5):
        observation, *_ = env.step(env.action_space.sample())
        assert observation in env.observation_space
    assert env.agent.body == "Scout"
    env.close()
    with jbw.envs.RemoteEnv(server.url, ALL, "Collect[Note]", note=True) as env:
        env.reset()
        x, y = env.agent.position
        if env.world.inspect(x, y).item is not None:
            env.world.remove(x, y)
        env.world.place("Note", x, y, text="take me")
        observation, reward, *_ = env.step((2, 0))
        assert reward == 1.0
        assert bytes(observation["note"]).rstrip(b"\0") == b"take me"
        env.write("left here")
        env.step((4, 3))
        assert env.agent.result.said == 3
        env.step((3, 0))
        assert env.agent.note == env.world.inspect(x, y).text == "left here"
