# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""`jbw.ray.RemoteVectorEnv` does what the local vector environment does, whatever is lost.

Most tests use a stand-in for Ray, in which an actor can be lost at each of its calls in turn; the
last one uses Ray itself, with two nodes of which one is killed.
"""

from __future__ import annotations

import importlib
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pretend_ray import Cluster
from small_worlds import SMALL

import jbw
from jbw.envs import JellyBeanWorldVectorEnv

REWARD = "Collect[JellyBean] & Avoid[Onion, 0.5]"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """`jbw.ray` with a stand-in for Ray."""
    stand_in = Cluster()
    real = {name: module for name, module in sys.modules.items() if name.startswith("jbw.ray")}
    for name in real:
        monkeypatch.delitem(sys.modules, name)
    had = getattr(jbw, "ray", None)
    monkeypatch.setitem(sys.modules, "ray", stand_in)  # type: ignore[arg-type]
    importlib.import_module("jbw.ray")
    yield stand_in
    for name in [name for name in sys.modules if name.startswith("jbw.ray")]:
        del sys.modules[name]
    if had is None:
        vars(jbw).pop("ray", None)
    else:
        jbw.ray = had  # type: ignore[attr-defined]


def remote(*arguments: Any, **options: Any) -> Any:
    module: ModuleType = importlib.import_module("jbw.ray")
    return module.RemoteVectorEnv(*arguments, **options)


def assert_same(a: Any, b: Any) -> None:
    """The same bits, types and keys."""
    if isinstance(a, dict):
        assert set(a) == set(b)
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, tuple | list):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype == object:
            assert_same(a.tolist(), b.tolist())
        else:
            assert a.tobytes() == b.tobytes()
    else:
        assert a == b


def live(envs: Any, steps: int, seed: int = 5) -> list[Any]:
    """All that a life returns, with infos as plain dicts: steps, partial steps, partial resets."""
    generator = np.random.default_rng(0)
    count, told = envs.num_envs, []
    actions = len(envs.action_names)

    def keep(result: Any) -> None:
        told.append((*result[:-1], dict(result[-1])))

    keep(envs.reset(seed=seed))
    for step in range(steps):
        keep(envs.step(generator.integers(actions, size=count)))
        if step % 5 == 2 and envs.max_episode_steps is None:
            worlds = generator.permutation(count)[: count // 2 + 1]
            envs.send(generator.integers(actions, size=len(worlds)), worlds)
            others = np.setdiff1d(np.arange(count), worlds)
            envs.send(generator.integers(actions, size=len(others)), others)
            keep(envs.recv())
        if step == 3:
            keep(envs.reset(options={"reset_mask": np.arange(count) % 3 == 1}))
        if step == 7:
            keep(envs.reset())
    told.append([hash_of(envs, i) for i in range(count)])
    return told


def hash_of(envs: Any, index: int) -> int:
    return int(envs._live().hash(index))


@pytest.fixture(scope="module")
def local() -> Callable[..., list[Any]]:
    """Lives in the local environment, each lived once."""
    lived: dict[str, list[Any]] = {}

    def told(steps: int = 12, **options: Any) -> list[Any]:
        key = repr((steps, options))
        if key not in lived:
            envs = JellyBeanWorldVectorEnv(5, SMALL, REWARD, threads=1, **options)
            lived[key] = live(envs, steps)
            envs.close()
        return lived[key]

    return told


OPTIONS: list[dict[str, Any]] = [
    {},
    {"observation": "flat", "vision": "items", "inventory": True, "task": True},
    {"copy": False, "info": "numbers"},
    {"vision": "image", "observation": "vision", "info": "none"},
    {"max_episode_steps": 3},
    {"max_episode_steps": 4, "autoreset_mode": "same_step"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("actors", [1, 2, 5])
def test_rows_are_those_of_the_local_environment(
    cluster: Cluster, local: Callable[..., list[Any]], options: dict[str, Any], actors: int
) -> None:
    with remote(5, SMALL, REWARD, actors=actors, **options) as envs:
        twin = JellyBeanWorldVectorEnv(5, SMALL, REWARD, **options)
        assert envs.observation_space == twin.observation_space
        assert envs.single_action_space == twin.single_action_space
        if options.get("copy") is False:
            return  # rows are overwritten: the next test looks at each of them at once
        assert_same(live(envs, 12), local(**options))
        assert envs.losses == 0 and len(cluster.actors) == actors


def test_rows_that_are_overwritten(cluster: Cluster) -> None:
    """Without copies, all steps return the same arrays."""
    twin = JellyBeanWorldVectorEnv(4, SMALL, REWARD, copy=False)
    with remote(4, SMALL, REWARD, actors=2, copy=False) as envs:
        first, _ = envs.reset(seed=1)
        twin.reset(seed=1)
        for action in (0, 1, 0, 2, 0):
            ours, theirs = envs.step([action] * 4), twin.step([action] * 4)
            assert_same(ours[:4], theirs[:4])
            assert_same(dict(ours[4]), dict(theirs[4]))
            assert ours[0]["vision"] is first["vision"]


def how_many_calls(cluster: Cluster, options: dict[str, Any]) -> int:
    before = cluster.calls
    with remote(5, SMALL, REWARD, **options) as envs:
        live(envs, 9)
    return cluster.calls - before


@pytest.mark.parametrize(
    ("takes_answers", "snapshot_every", "stride"), [(True, 3, 2), (False, 1, 3), (False, 100, 3)]
)
def test_an_actor_is_lost_at_each_call_in_turn(
    cluster: Cluster,
    local: Callable[..., list[Any]],
    takes_answers: bool,
    snapshot_every: int,
    stride: int,
) -> None:
    expected = local(9)
    cluster.takes_answers = takes_answers
    options = {"actors": 2, "snapshot_every": snapshot_every}
    lost = 0
    count = how_many_calls(cluster, options)
    for call in range(3, count + 1, stride):  # the first two start the actors
        cluster.losses = {cluster.calls + call}
        with remote(5, SMALL, REWARD, **options) as envs:
            assert_same(live(envs, 9), expected)
            lost += envs.losses
    assert lost >= 0.8 * count / stride


def test_losses_upon_losses(cluster: Cluster, local: Callable[..., list[Any]]) -> None:
    expected = local()
    for distance in (1, 2, 3, 5, 8):
        begin = cluster.calls + 20
        cluster.losses = {begin, begin + distance, begin + 2 * distance, begin + 40}
        with remote(5, SMALL, REWARD, actors=2, snapshot_every=2) as envs:
            assert_same(live(envs, 12), expected)
            assert envs.losses >= 2


def test_other_machines_are_tried_first(cluster: Cluster) -> None:
    with remote(4, SMALL, REWARD, actors=2) as envs:
        envs.reset(seed=1)
        nodes = [actor.node for actor in cluster.actors]
        assert nodes == ["east", "west"]
        cluster.actors[1].lose()
        envs.step([0] * 4)
        assert [actor.node for actor in cluster.actors] == ["east", "west", "east"]
        cluster.actors[0].lose()
        cluster.losses = {cluster.calls + 3}  # after both steps: that of the replacement
        envs.step([0] * 4)
        assert {actor.node for actor in cluster.actors[3:]} == {"east", "west"}
        assert envs.losses == 3


def test_an_actor_that_is_always_lost_is_an_error(cluster: Cluster) -> None:
    with remote(4, SMALL, REWARD, actors=2) as envs:
        envs.reset(seed=1)
        envs.step([0] * 4)
        cluster.losses = set(range(cluster.calls + 1, cluster.calls + 1000))
        with pytest.raises(RuntimeError, match="worlds 0 to 1 lost their actor 6 times in a row"):
            envs.step([0] * 4)


def test_the_log_is_bounded(cluster: Cluster) -> None:
    """Also where a world was sent whose answer takes very long."""
    twin = JellyBeanWorldVectorEnv(6, SMALL, REWARD)
    twin.reset(seed=1)
    with remote(6, SMALL, REWARD, actors=2, snapshot_every=4) as envs:
        envs.reset(seed=1)
        longest = 0
        for step in range(30):
            envs.step([step % 3] * 6)
            twin.step([step % 3] * 6)
            longest = max(longest, *(part.kept_count for part in envs._remote.parts))
        assert 4 <= longest <= 9
        envs.send([0], [0])
        cluster.late = {entry.answer for _, entry, _ in envs._remote._under_way.values()}
        seen: list[int] = []
        for step in range(60):
            envs.send([step % 3], [1])
            seen += envs.recv(1)[4]["world"].tolist()
            assert envs._remote.parts[0].kept_count <= 2 * 4 * 3 + 1
        assert sorted(seen) == [0] + [1] * 60
        twin.send([0], [0])
        twin.recv()
        for step in range(60):
            twin.send([step % 3], [1])
            twin.recv()
        assert [hash_of(envs, i) for i in range(6)] == [hash_of(twin, i) for i in range(6)]


def test_results_come_as_worlds_are_done(cluster: Cluster) -> None:
    with remote(6, SMALL, REWARD, actors=3) as envs:
        envs.reset(seed=2)
        envs.send(np.zeros(6, np.int64))
        with pytest.raises(RuntimeError, match="call recv before reset"):
            envs.reset()
        with pytest.raises(ValueError, match="not received yet"):
            envs.step([0] * 6)
        seen: list[int] = []
        while len(seen) < 6:
            observations, rewards, _, _, infos = envs.recv(1)
            assert len(rewards) == len(infos["world"]) == len(observations["vision"]) >= 1
            seen += infos["world"].tolist()
        assert sorted(seen) == list(range(6))
        with pytest.raises(RuntimeError, match="call send first"):
            envs.recv()


def moved_far(step: Any) -> float:
    """A reward written in Python."""
    return float(step.moved) + 0.25 * abs(step.position[0])


def complains(step: Any) -> float:
    if step.time == 2:
        raise ArithmeticError("no idea")
    return 1.0


@pytest.mark.parametrize("loss", [0, 9, 14])
def test_rewards_in_python(cluster: Cluster, loss: int) -> None:
    cluster.losses = {loss}
    twin = JellyBeanWorldVectorEnv(3, SMALL, moved_far)
    expected = live(twin, 8)
    with remote(3, SMALL, moved_far, actors=2, snapshot_every=3) as envs:
        assert_same(live(envs, 8), expected)
        assert envs.losses == (loss > 0)


def test_rewards_that_fail_are_told(cluster: Cluster) -> None:
    with remote(3, SMALL, complains, actors=2) as envs:
        envs.reset(seed=1)
        for _ in range(2):
            assert envs.step([0, 0, 0])[1].tolist() == [1, 1, 1]
        with pytest.raises(ArithmeticError, match="no idea"):
            envs.step([0, 0, 0])
        assert envs.step([0, 0, 0])[4]["time"].tolist() == [4, 4, 4]
        envs.reset(seed=1)
        for _ in range(2):
            envs.step([0, 0, 0])
        envs.send([0], [2])
        with pytest.raises(ArithmeticError, match="no idea"):
            envs.recv()
        envs.send([0], [2])
        assert envs.recv()[1].tolist() == [1]


def test_copies_and_pickles_go_on_alike(cluster: Cluster) -> None:
    with remote(4, SMALL, REWARD, actors=2) as envs:
        envs.reset(seed=9)
        for action in (0, 0, 1, 0):
            envs.step([action] * 4)
        loaded = pickle.loads(pickle.dumps(envs))
        copy = envs.clone()
        results = [[one.step([0, 1, 2, 0]) for _ in range(5)] for one in (envs, loaded, copy)]
        for one, (first, *others) in zip((loaded, copy), [results, results], strict=False):
            for other in others:
                for a, b in zip(first, other, strict=True):
                    assert_same(a[:4], b[:4])
                    assert_same(dict(a[4]), dict(b[4]))
            one.close()


def test_worlds_can_be_looked_at(cluster: Cluster) -> None:
    twin = JellyBeanWorldVectorEnv(3, SMALL, REWARD, render_mode="ansi")
    with remote(3, SMALL, REWARD, actors=2, render_mode="ansi") as envs:
        for one in (envs, twin):
            one.reset(seed=4)
            one.step([0, 1, 2])
        assert envs.world(2).hash() == twin.world(2).hash()
        assert envs.render() == twin.render()
        with pytest.raises(ValueError, match="no world 3"):
            envs.world(3)
        with pytest.raises(RuntimeError, match="in other processes"):
            _ = envs.batch


def test_bad_input_is_told_and_changes_nothing(cluster: Cluster) -> None:
    for wrong, message in [
        ({"actors": 0}, "actors is 0"),
        ({"actors": 5}, "actors is 5"),
        ({"snapshot_every": 0}, "snapshot_every is 0"),
        ({"start_timeout": 0}, "start_timeout is 0"),
        ({"actors": 4, "threads": 3}, "the cluster has 8 processors"),
        ({"threads": -1}, "threads is -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            remote(4, SMALL, REWARD, **wrong)
    assert not cluster.is_initialized()  # who started it has ended it
    with remote(4, SMALL, REWARD, actors=2) as envs:
        envs.reset(seed=1)
        before = [hash_of(envs, i) for i in range(4)]
        for actions in ([0, 0, 0], [0, 0, 0, 99], [0, 0, 0, -1], [0, 0, 0, 0.5]):
            with pytest.raises(ValueError, match=r"action|expected"):
                envs.step(actions)
        for actions, worlds in (([0], [4]), ([0, 0], [1, 1]), ([7], [1]), ([0], [-1])):
            with pytest.raises(ValueError):
                envs.send(actions, worlds)
        assert [hash_of(envs, i) for i in range(4)] == before
        with pytest.raises(ValueError, match="seeds for 4 worlds"):
            envs.reset(seed=[1, 2])
    with pytest.raises(RuntimeError, match="closed"):
        envs.reset(seed=1)
    cluster.is_full = True
    full = remote(4, SMALL, REWARD, actors=2, start_timeout=0.5)
    with pytest.raises(RuntimeError, match=r"no machine .* 1 free processors within 0.5 seconds"):
        full.reset(seed=1)
    full.close()


def test_other_versions_are_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = importlib.import_module("jbw.ray.shard")
    monkeypatch.setattr(shard.Shard, "about", lambda self: ("9.9.9", "east"))
    envs = remote(2, SMALL, REWARD)
    with pytest.raises(RuntimeError, match=r"version 9\.9\.9 of jbw there"):
        envs.reset(seed=1)
    envs.close()


def test_an_atlas_is_used_by_the_actors(cluster: Cluster, tmp_path: Path) -> None:
    overrides = {"generation": "invariant"}
    with remote(2, SMALL, REWARD, overrides=overrides, atlas=tmp_path / "atlas") as envs:
        envs.reset(seed=1)
        kept = cluster.actors[0].object._model.atlas
        assert kept.path == str(tmp_path / "atlas") and kept.counts["added"] > 0


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("jbw.ray")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)  # type: ignore[arg-type]
    with pytest.raises(ImportError, match=r"pip install 'jbw\[cluster\]'"):
        importlib.import_module("jbw.ray")


def test_a_machine_is_lost() -> None:
    """Ray itself: two nodes with an actor each, and one of them is killed."""
    pytest.importorskip("ray", reason="ray is not installed: pip install 'jbw[cluster]'")
    # a folder of its own with a short name: Ray's sockets are in it
    place = tempfile.mkdtemp(prefix="jbw", dir="/tmp")
    settings = {"RAY_TMPDIR": place, "RAY_USAGE_STATS_ENABLED": "0"}
    settings["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # on loopback only
    script = Path(__file__).with_name("ray_vector.py")
    try:
        done = subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            timeout=600,
            env={**os.environ, **settings},
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "actors: 2, lost: 0" in done.stdout  # of the example
    assert "killed a node" in done.stdout
    # Ray may place the successor on the node that is dying: then that one is lost, too
    lost = re.search(r"actors lost: (\d+), same bits", done.stdout)
    assert lost and int(lost[1]) >= 1, done.stdout
