# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds on a server, beside the same worlds here. Needs `jbw`, the tool, built with the network:
the environment variable JBW_TOOL names it, otherwise build/jbw is taken."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import subprocess
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import jbw
import jbw.envs
from jbw import errors

pytest.importorskip("jbw._client", reason="this build has no network")

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("JBW_TOOL", ROOT / "build" / "jbw"))
SEED = 7
TOKENS = """\
all everything-is-permitted all 100
act only-acting-is-permitted act 2
"""
ALL, ACT = "everything-is-permitted", "only-acting-is-permitted"


def tool_can_serve() -> bool:
    if not TOOL.exists():
        return False
    return subprocess.run([TOOL, "serve", "--help"], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(
    not tool_can_serve(), reason=f"{TOOL} is not there, or cannot serve"
)


class Server:
    """`jbw serve` on a free port of this machine."""

    def __init__(
        self, folder: pathlib.Path, *arguments: str, port: int = 0, world: str = "scent"
    ) -> None:
        tokens = folder / "tokens"
        tokens.write_text(TOKENS)
        tokens.chmod(0o600)
        command = [TOOL, "serve", world, "--listen", f"127.0.0.1:{port}", "--tokens", tokens]
        if world == "scent":
            command += ["--seed", str(SEED)]
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        assert found, line
        self.port = int(found[1])
        self.url = f"ws://127.0.0.1:{self.port}"

    def stop(self, kill: bool = False) -> None:
        (self.process.kill if kill else self.process.terminate)()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    server.stop()


def test_a_life_there_is_as_a_life_here(server: Server) -> None:
    here = jbw.World("scent", SEED)
    with jbw.connect(server.url, token=ALL) as there:
        assert there.model == here.model
        assert there.seed == SEED
        assert there.item_names == here.item_names
        agents = [world.add_agent() for world in (there, here)]
        rng = np.random.default_rng(1)
        reward = jbw.Reward(there.model, "Collect[JellyBean] & Action[-0.1] & Explore[0.5]")
        for step in range(200):
            action = int(rng.choice([0, 0, 0, 1, 2]))
            assert [agent.act(action) for agent in agents] == [True, True]
            remote, local = agents
            np.testing.assert_array_equal(remote.vision, local.vision)
            np.testing.assert_array_equal(remote.scent, local.scent)
            np.testing.assert_array_equal(remote.item_vision, local.item_vision)
            assert remote.position == local.position
            assert remote.direction == local.direction
            assert remote.items == local.items
            assert remote.result == local.result
            assert remote.start == local.start
            assert remote.reward(reward) == reward.of(local)
            assert remote.time == here.time == step + 1
        assert there.time == here.time
        assert there.hash() == here.hash()
        np.testing.assert_array_equal(there.items(-40, -40, 100, 80), here.items(-40, -40, 100, 80))
        np.testing.assert_array_equal(
            there.patch_states(-40, -40, 300, 80), here.patch_states(-40, -40, 300, 80)
        )
        np.testing.assert_array_equal(there.smell(3, 4), here.smell(3, 4))


def test_edits_are_seen_at_once(server: Server) -> None:
    here = jbw.World("scent", SEED)
    with jbw.connect(server.url, token=ALL) as there:
        agents = [world.add_agent((0, 0)) for world in (there, here)]
        before = agents[0].vision.copy()
        y = 1 + int(np.argmin(here.items(0, 1, 1, 5)))  # straight ahead, and empty
        for world in (there, here):
            world.place("JellyBean", 0, y)
        assert not np.array_equal(before, agents[0].vision)
        np.testing.assert_array_equal(agents[0].vision, agents[1].vision)
        with pytest.raises(errors.CellBlockedError):
            there.place("JellyBean", 0, y)
        there.remove(0, y)
        np.testing.assert_array_equal(before, agents[0].vision)


def test_seasons_there_are_seasons_here(tmp_path: pathlib.Path) -> None:
    """What is hidden, and a recording of the server, replayed here."""
    path = tmp_path / "world.yaml"
    config = jbw.Config("scent")
    config["items.Onion.regrows"] = "Uniform[10, 60]"
    config["items.JellyBean.season"] = {"period": 100, "from": 90, "to": 40}
    path.write_text(config.to_yaml())
    server = Server(tmp_path, "--record", str(tmp_path / "life.jbwr"), world=str(path))
    here = jbw.World(path)
    region = (-40, -40, 300, 90)
    try:
        with jbw.connect(server.url, token=ALL) as there:
            for world in (there, here):
                world.add_agent()
            hidden = set()
            for step in range(100):
                there.agents[0].act(step % 2)
                here.agents[0].act(step % 2)
                if step % 15 != 0:
                    continue
                planes = there.planes(*region)
                assert isinstance(planes, jbw.Planes)
                for told, known in zip(planes, here.planes(*region), strict=True):
                    np.testing.assert_array_equal(told, known)
                hidden.add(bool(planes.hidden.any()))
                rows, columns = np.nonzero(planes.items + planes.hidden + planes.growing)
                for row, column in list(zip(rows, columns, strict=True))[:5]:
                    cell = (int(column) - 40, int(row) - 40)
                    assert there.inspect(*cell) == here.inspect(*cell)
            assert hidden == {True, False}
            assert there.hash() == here.hash()
    finally:
        server.stop()
    recording = jbw.Recording(tmp_path / "life.jbwr")
    recording.seek(here.time)
    assert recording.world.items(*region).tolist() == here.items(*region).tolist()


def test_several_agents_act_as_here(server: Server) -> None:
    here = jbw.World("scent", SEED)
    with jbw.connect(server.url, token=ALL) as there:
        pairs = [(there.add_agent(), here.add_agent()) for _ in range(3)]
        for turn in range(20):
            for pair in pairs:
                assert pair[0].act(turn % 3) == pair[1].act(turn % 3)
        assert there.act([a for a, _ in pairs], [0, 1, 2])
        assert here.act([b for _, b in pairs], [0, 1, 2])
        assert there.act({pairs[0][0]: "TurnLeft", pairs[1][0]: 0, pairs[2][0]: 0})
        assert here.act({pairs[0][1]: "TurnLeft", pairs[1][1]: 0, pairs[2][1]: 0})
        assert there.hash() == here.hash()
        assert [a.position for a in there.agents] == [b.position for b in here.agents]
        pairs[0][0].active = False
        assert not pairs[0][0].active
        pairs[1][0].remove()
        assert len(there.agents) == 2
        with pytest.raises(errors.NoSuchAgentError):
            _ = pairs[1][0].position


def test_refusals(server: Server) -> None:
    with pytest.raises(errors.NotPermittedError, match="token"):
        jbw.connect(server.url, token="nobody-has-this-one")
    with pytest.raises(errors.NoConnectionError):
        jbw.connect("ws://127.0.0.1:1")
    with pytest.raises(errors.ArgumentError):
        jbw.connect("http://127.0.0.1:80")
    with jbw.connect(server.url) as watcher:
        assert watcher.permissions == ("watch",)
        with pytest.raises(errors.NotPermittedError):
            watcher.add_agent()
        with pytest.raises(PermissionError):
            watcher.place("JellyBean", 0, 0)
        assert watcher.time == 0
    with pytest.raises(errors.NoConnectionError):
        _ = watcher.time
    with jbw.connect(server.url, token=ACT) as actor:
        agent = actor.add_agent()
        with pytest.raises(errors.ArgumentError):
            agent.act("Fly")


def test_threads_wait_for_each_other(server: Server) -> None:
    failures: list[Exception] = []

    def live(world: jbw.RemoteWorld, agent: jbw.RemoteAgent) -> None:
        try:
            for _ in range(50):
                agent.act("MoveForward")
        except Exception as error:
            failures.append(error)

    worlds = [jbw.connect(server.url, token=ALL) for _ in range(4)]
    lives = [(world, world.add_agent()) for world in worlds]
    threads = [threading.Thread(target=live, args=pair) for pair in lives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert worlds[0].time == 50
    for world in worlds:
        world.close()


def test_actions_sent_ahead_do_what_they_do_one_by_one(server: Server) -> None:
    here = jbw.World("scent", SEED)
    with jbw.connect(server.url, token=ALL) as there:
        remote, local = there.add_agent(), here.add_agent()
        assert [remote.vision.shape, remote.scent.shape, remote.items] == [(11, 11, 3), (3,), {}]
        rng = np.random.default_rng(2)
        for count in (1, 64, 17, 30):
            actions = [int(action) for action in rng.choice([0, 0, 0, 1, 2], count)]
            half = count // 2
            remote.post(actions[:half])
            remote.post(actions[half:])
            for k, action in enumerate(actions):
                assert remote.posted == count - k
                local.act(action)
                assert remote.collect() == local.result == remote.result
                assert (remote.time, remote.position) == (here.time, local.position)
                assert remote.items == local.items
                np.testing.assert_array_equal(remote.vision, local.vision)
                np.testing.assert_array_equal(remote.scent, local.scent)
            assert remote.posted == 0
        assert there.time == here.time == 112
        assert there.hash() == here.hash()
        assert remote.act(0) and local.act(0)
        assert remote.position == local.position


def test_agents_post_side_by_side(server: Server) -> None:
    here = jbw.World("scent", SEED)
    with jbw.connect(server.url, token=ALL) as there:
        pairs = [(there.add_agent(), here.add_agent()) for _ in range(3)]
        for number, (remote, _) in enumerate(pairs):
            remote.post([0, number, 0])
        for action in range(3):
            here.act([local for _, local in pairs], [[0, n, 0][action] for n in range(3)])
            for remote, local in reversed(pairs):
                assert remote.collect() == local.result
        assert there.hash() == here.hash()


def test_too_many_actions_ahead(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world:
        agent = world.add_agent()
        with pytest.raises(errors.NotFoundError, match="under way"):
            agent.collect()
        world.pause()
        with pytest.raises(errors.ArgumentError, match="at most 64"):
            agent.post(["TurnLeft"] * 65)
        assert agent.posted == 0
        agent.post(["TurnLeft"] * 64)
        with pytest.raises(errors.ArgumentError, match="at most 64"):
            agent.post(["TurnLeft"])
        assert agent.posted == 64
        # nothing was looked at before, and asking now would tell of another step
        with pytest.raises(errors.ArgumentError, match="before posting"):
            _ = agent.vision
        world.resume()
        assert [agent.collect().time for _ in range(64)] == list(range(1, 65))
        assert world.time == 64
        assert agent.vision.shape == (11, 11, 3)


def test_actions_ahead_that_are_refused(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world:
        agent = world.add_agent()
        for actions in (["TurnLeft", "Fly"], ["TurnLeft", 99]):
            with pytest.raises(errors.ArgumentError):
                agent.post(actions)
        agent.post([])
        assert (agent.posted, world.time) == (0, 0)

        # by the server: each of them
        agent.active = False
        agent.post(["TurnLeft", "TurnLeft"])
        for _ in range(2):
            with pytest.raises(errors.ArgumentError, match="inactive"):
                agent.collect()
        assert (agent.posted, world.time) == (0, 0)

        # an action that is asked for takes the place of those ahead
        agent.active = True
        world.pause()
        agent.post(["TurnLeft", "TurnLeft"])
        with jbw.connect(server.url, token=ALL) as other:
            timer = threading.Timer(0.2, other.resume)
            timer.start()
            assert agent.act("TurnRight")
            timer.join()
        for _ in range(2):
            with pytest.raises(errors.ArgumentError, match="replaced by"):
                agent.collect()
        assert (agent.direction, world.time) == ("right", 1)


def test_other_threads_run_while_collecting(server: Server) -> None:
    with (
        jbw.connect(server.url, token=ALL, turn_timeout=60.0) as world,
        jbw.connect(server.url, token=ALL) as other,
    ):
        agent = world.add_agent()
        world.pause()
        agent.post(["TurnLeft"])
        timer = threading.Timer(0.2, other.resume)
        timer.start()
        assert agent.collect().time == 1
        timer.join()


def test_actions_ahead_of_a_lost_connection(tmp_path: pathlib.Path) -> None:
    server = Server(tmp_path)
    patient = jbw.connect(server.url, token=ALL, turn_timeout=0.1)
    hasty = jbw.connect(server.url, token=ALL, reconnect_time=0)
    agents = [world.add_agent() for world in (patient, hasty)]
    # it waits for the other one in vain, and can be collected later
    agents[0].post(["TurnLeft"])
    with pytest.raises(errors.TimedOutError):
        agents[0].collect()
    agents[1].post(["TurnLeft", "TurnLeft"])
    assert agents[1].collect().time == 1
    while agents[0].posted:
        with contextlib.suppress(errors.TimedOutError):
            assert agents[0].collect().time == 1
    # closed by us: what was under way is given up
    agents[0].post(["TurnLeft", "TurnLeft"])
    patient.close()
    assert agents[0].posted == 0
    with pytest.raises(errors.NoConnectionError):
        agents[0].collect()
    with pytest.raises(errors.NoConnectionError):
        agents[0].post(["TurnLeft"])
    assert agents[1].collect().time == 2
    # lost: each of them says so
    hasty.pause()
    agents[1].post(["TurnLeft", "TurnLeft"])
    server.stop(kill=True)
    for left in (1, 0):
        with pytest.raises(errors.NoConnectionError):
            agents[1].collect()
        assert agents[1].posted == left
    hasty.close()


def test_example_of_actions_ahead(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "clients.md").read_text()
    (example,) = re.findall(r"```python\n([^`]*agent\.post.*?)```", page, re.DOTALL)
    with jbw.connect(server.url, token=ALL) as world:
        agent = world.add_agent()
        exec(example, {"agent": agent})
        assert agent.posted == 0
        assert len(capsys.readouterr().out.splitlines()) == world.time > 64


def test_control(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world:
        world.add_agent()
        world.step(5)
        assert world.time == 5
        world.pause()
        assert world.stats["paused"]
        world.resume()
        world.set_rate(100)
        assert world.stats["rate"] == 100


def test_it_comes_back_by_itself(tmp_path: pathlib.Path) -> None:
    save = tmp_path / "saved.jbw"
    server = Server(tmp_path, "--autosave", str(save), "--every", "1000")
    world = jbw.connect(server.url, token=ALL)
    agent = world.add_agent()
    for _ in range(10):
        agent.act("MoveForward")
    assert world.save() == 10
    for _ in range(5):
        agent.act("MoveForward")
    place = agent.position

    # killed, so what came after the saving is lost
    server.stop(kill=True)
    again = Server(tmp_path, "--autosave", str(save), port=server.port, world=str(save))
    assert world.time == 10
    assert world.info["resume_count"] == 1
    assert world.info["resume_time"] == 10
    assert agent.active
    assert agent.position != place
    assert agent.act("TurnLeft")
    assert agent.time == 11
    world.close()
    with jbw.connect(again.url, token=ALL) as heir:
        assert [left.id for left in heir.left_agents] == [agent.id]
    again.stop()


def test_environment(server: Server) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    reward = "Collect[JellyBean] & Avoid[Onion] & Action[-0.01]"
    there = jbw.envs.RemoteEnv(server.url, token=ALL, reward=reward)
    here = gymnasium.make("jbw/JellyBeanWorld-v0", world="scent", reward=reward)
    first, info = there.reset()
    expected, expected_info = here.reset(seed=SEED)
    assert there.observation_space.contains(first)
    for name, part in expected.items():
        np.testing.assert_array_equal(first[name], part)
    for step in range(100):
        action = step % 4 % 3
        observation, paid, terminated, truncated, info = there.step(action)
        expected, expected_paid, *_, expected_info = here.step(action)
        for name, part in expected.items():
            np.testing.assert_array_equal(observation[name], part)
        assert paid == expected_paid
        assert not terminated and not truncated
        assert info.pop("resumed") is False
        assert info == expected_info
    there.reset()
    there.close()
    here.close()


@pytest.mark.parametrize("form", ["dict", "vision", "scent", "flat"])
@pytest.mark.parametrize("vision", ["color", "items"])
def test_environment_forms(server: Server, form: str, vision: str) -> None:
    pytest.importorskip("gymnasium")
    env = jbw.envs.RemoteEnv(
        server.url,
        token=ALL,
        reward=lambda step: float(step.moved),
        observation=form,
        vision=vision,
    )
    env.reset()
    observation, paid, *_ = env.step(0)
    assert env.observation_space.contains(observation)
    assert paid in (0.0, 1.0)
    env.close()


def frame_at(frames: jbw.Frames, time: int) -> jbw.Frame:
    """The first frame that tells of that time."""
    for _ in range(1000):
        frame = frames.next(30.0)
        assert frame is not None
        if frame.time == time:
            return frame
    raise AssertionError(f"no frame of time {time}")


def test_frames_of_everything(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world, jbw.connect(server.url) as viewer:
        agent = world.add_agent()
        with viewer.subscribe(rate=1000.0) as frames:
            for step in range(3):
                agent.act("TurnLeft")
                frame = frame_at(frames, step + 1)
                assert [mark.id for mark in frame.agents] == [agent.id]
                assert frame.agents[0].position == agent.position
                assert frame.agents[0].direction == agent.direction
                assert frame.agents[0].active
                assert frame.agents[0].action == "TurnLeft"
                assert frame.agents[0].collected is None
                assert frame.agent_count == 1
                assert not frame.paused
                assert frame.patches == ()
                assert frame.agent is None
            assert frames.next(0.0) is None
        # it is over
        assert frames.next() is None
        assert list(frames) == []
        frames.close()


def test_frames_of_a_region_and_of_an_agent(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world:
        agent = world.add_agent()
        agent.act("TurnLeft")
        watched = world.subscribe(agent=agent)
        region = world.subscribe(region=(-64, -64, 128, 128))
        coarse = world.subscribe(region=(-64, -64, 128, 128), detail=2)
        # in whatever order they are read, each gets its own
        frame = frame_at(coarse, 1)
        rough = {patch.patch: patch for patch in frame.patches}
        frame = frame_at(region, 1)
        assert frame.patches and [mark.id for mark in frame.agents] == [agent.id]
        for patch in frame.patches:
            assert patch.state in ("sampled", "final")
            assert patch.items is not None
            side = len(patch.items)
            x, y = patch.patch
            here = world.items(x * side, y * side, side, side)
            if patch.state == "final":
                np.testing.assert_array_equal(patch.items, here)
            squares = rough[patch.patch].items
            assert squares is not None and squares.shape == (side // 4, side // 4, 4)
            share = (patch.items > 0).reshape(side // 4, 4, side // 4, 4).mean(axis=(1, 3))
            np.testing.assert_allclose(squares[:, :, 3], 255 * share, atol=1.0)
        seen = frame_at(watched, 1).agent
        assert seen is not None
        assert (seen.id, seen.position) == (agent.id, agent.position)
        assert seen.direction == agent.direction
        np.testing.assert_array_equal(seen.vision, agent.vision)
        np.testing.assert_array_equal(seen.scent, agent.scent)
        watched.close()
        agent.act("TurnLeft")
        frame_at(region, 2)
        assert watched.next() is None


def test_frames_are_refused(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world:
        with pytest.raises(errors.ArgumentError, match="not both"):
            world.subscribe(region=(0, 0, 1, 1), agent=1)
        with pytest.raises(errors.Error):
            world.subscribe(region=(0, 0, 1 << 20, 1 << 20))
        for frame in world.subscribe(rate=1000.0):
            assert frame.time == 0
            break


def test_unread_frames_are_given_up(server: Server) -> None:
    with jbw.connect(server.url, token=ALL) as world:
        slow, fast = world.subscribe(rate=1000.0), world.subscribe(rate=1000.0)
        for time in range(1, 80):
            world.step()
            frame_at(fast, time)
        first = slow.next(30.0)
        assert first is not None and first.missed > 0 and first.time > 1
        assert frame_at(slow, 79).missed == 0
