# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Agents: acting, perceiving, and what their arrays promise."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import jbw

WORLD = {
    "scent_dimensions": 1,
    "color_dimensions": 2,
    "patch_size": 32,
    "mh_iterations": 1,
    "agent": {
        "vision_range": 3,
        "actions": ["MoveForward", "TurnLeft", "TurnRight", "Collect", "Drop[Bean]", "NoOp"],
    },
    "items": {
        "Bean": {"color": [1, 0], "scent": [1], "intensity": "Constant[-1000]"},
        "Wall": {
            "color": [0, 1],
            "blocks_movement": True,
            "occlusion": 1,
            "intensity": "Constant[-1000]",
        },
    },
}


@pytest.fixture
def world() -> jbw.World:
    return jbw.World(WORLD)


def test_large_crowd() -> None:
    """Adding an agent takes as long as the first one did, and so does letting go of it."""
    world = jbw.World("walk", seed=7)
    placed = [world.add_agent((x % 317, x // 317), force=True) for x in range(100_000)]
    assert [agent.position for agent in placed[::9973]] == [
        (x % 317, x // 317) for x in range(0, 100_000, 9973)
    ]
    assert world.agents == tuple(placed)
    assert all(one is other for one, other in zip(world.agents, placed, strict=True))
    places = [jbw.World("walk", seed=7).add_agent().position for _ in range(2)]
    assert places == [(0, 0), (0, 0)]
    del placed[::2], placed[1::2]
    assert len(world.agents) == 100_000


def test_handles_of_one_slot(world: jbw.World) -> None:
    """Agents that were removed keep their objects apart from those who took their slots."""
    handles = []
    for _ in range(5):
        handles.append(world.add_agent())
        if len(handles) < 5:
            handles[-1].remove()
    assert len({agent.id & 0xFFFFFFFF for agent in handles}) == 1
    assert world.agents == (handles[4],)
    del handles[2]
    gc.collect()
    assert world.agent(handles[3].id) is handles[3]
    for stale in handles[:3]:
        with pytest.raises(jbw.NoSuchAgentError):
            _ = stale.position
    del handles[0], handles[-1]
    gc.collect()
    assert len(world.agents) == 1


def test_places(world: jbw.World) -> None:
    agents = [world.add_agent() for _ in range(3)]
    assert [agent.position for agent in agents] == [(0, 0), (1, 0), (1, 1)]
    other = world.add_agent((5, -7), "left")
    assert (other.position, other.start, other.direction) == ((5, -7), (5, -7), "left")
    assert world.add_agent([9, 9], 2).direction == "down"  # type: ignore[arg-type]
    with pytest.raises(jbw.CellBlockedError):
        world.add_agent((5, -7))
    assert world.add_agent((5, -7), force=True).position == (5, -7)
    with pytest.raises(ValueError, match="direction"):
        world.add_agent(direction="north")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        world.add_agent((1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        world.add_agent(5)  # type: ignore[arg-type]
    with pytest.raises(jbw.OutOfRangeError):
        world.add_agent((2**61, 0))
    with pytest.raises(ValueError):
        world.add_agent((2**63, 0))


def test_results(world: jbw.World) -> None:
    agent = world.add_agent()
    assert agent.result == (0, None, "none", False, "none", None, None, (0, 0), (0, 0), 0)
    world.place("Bean", 0, 1)
    world.place("Wall", 0, 2)
    assert agent.act("MoveForward") is True
    result = agent.result
    assert result.time == world.time == 1
    assert (result.action, result.outcome, result.moved) == ("MoveForward", "done", True)
    assert (result.item, result.collected, result.dropped) == ("done", "Bean", None)
    assert (result.position_before, result.position) == ((0, 0), (0, 1))
    assert agent.items == {"Bean": 1}
    np.testing.assert_array_equal(agent.inventory, np.array([1, 0], np.uint64))
    agent.act(0)
    assert (agent.result.outcome, agent.result.moved) == ("blocked_by_item", False)
    agent.act("Drop[Bean]")
    assert agent.result.dropped == "Bean"
    assert agent.items == {}
    agent.act("Collect")
    assert agent.items == {"Bean": 1}


def test_actions(world: jbw.World) -> None:
    agent = world.add_agent()
    for action in ("MoveForward", 0, np.int64(0), np.array(0), np.uint8(0)):
        assert agent.act(action) is True  # type: ignore[arg-type]
    assert agent.position == (0, 5)
    for bad in ("Jump", 6, -1, 2**40, 2**70):
        with pytest.raises(jbw.ArgumentError):
            agent.act(bad)
    for bad in (1.0, None, [0]):
        with pytest.raises(TypeError):
            agent.act(bad)
    assert world.time == 5


def test_active(world: jbw.World) -> None:
    first, second = world.add_agent(), world.add_agent()
    assert first.act(5) is False
    second.active = False
    assert world.time == 1
    assert second.active is False
    with pytest.raises(jbw.ArgumentError, match="not active"):
        second.act(0)
    assert first.act(5) is True
    second.active = True
    assert first.act(5) is False
    second.remove()
    assert world.time == 3


def test_vision_and_scent(world: jbw.World) -> None:
    agent = world.add_agent()
    world.place("Bean", 1, 2)
    world.place("Wall", -3, 0)
    vision = agent.vision
    assert vision.shape == (7, 7, 2)
    assert vision.dtype == np.float32
    expected = np.zeros((7, 7, 2), np.float32)
    expected[1, 4] = [1, 0]
    expected[3, 0] = [0, 1]
    np.testing.assert_array_equal(vision, expected)
    agent.act("TurnRight")  # what was at the right is now ahead
    np.testing.assert_array_equal(agent.vision, np.rot90(expected))
    assert agent.scent.shape == (1,)
    assert agent.scent[0] > 0
    np.testing.assert_array_equal(agent.scent, world.smell(*agent.position))
    np.testing.assert_array_equal(agent.item_vision, agent.vision)


def test_occluded_item_vision() -> None:
    world = jbw.World(WORLD, overrides={"agent.visual_occlusion": True, "agent.field_of_view": 180})
    agent = world.add_agent()
    world.place("Wall", 0, 1)
    world.place("Bean", 0, 2)
    world.place("Bean", 0, -2)
    world.place("Bean", 2, 1)
    seen = agent.item_vision
    assert seen[2, 3, 1] == 1
    assert seen[1, 3].sum() == 0  # behind the wall
    assert seen[5, 3].sum() == 0  # behind the agent
    assert seen[2, 5, 0] == 1
    assert seen.sum() == 2


def test_views_are_refreshed_when_asked_for(world: jbw.World) -> None:
    agent = world.add_agent()
    vision = agent.vision
    assert agent.vision is vision
    kept = vision.copy()
    world.place("Bean", 1, 1)
    np.testing.assert_array_equal(vision, kept)
    assert agent.vision is vision
    assert vision[2, 4, 0] == 1
    world.remove(1, 1)
    assert agent.vision[2, 4, 0] == 0
    world.add_agent((1, 1))
    scent = agent.scent
    assert agent.scent is scent


def test_views_refuse_writing(world: jbw.World) -> None:
    agent = world.add_agent()
    for view in (agent.vision, agent.scent, agent.vision[1:], agent.vision.reshape(-1)):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1
        with pytest.raises(ValueError):
            view.flags.writeable = True


def test_views_outlive_their_owners() -> None:
    world = jbw.World(WORLD)
    agent = world.add_agent()
    world.place("Bean", 0, 1)
    view = agent.vision[2, 3]
    scent = agent.scent
    del agent, world
    gc.collect()
    _ = [jbw.World(WORLD).add_agent().vision for _ in range(50)]
    assert view.tolist() == [1, 0]
    assert scent[0] > 0


def test_agents_keep_their_world() -> None:
    agent = jbw.World(WORLD, seed=9).add_agent()
    gc.collect()
    agent.act(0)
    assert agent.position == (0, 1)
    assert agent.world.seed == 9


def test_identity(world: jbw.World) -> None:
    agent = world.add_agent()
    assert world.agents[0] is agent
    assert world.agent(agent.id) is agent
    number = agent.id
    del agent
    gc.collect()
    again = world.agents[0]
    assert again.id == number
    assert {again: 1}[world.agents[0]] == 1
    assert again != world.add_agent()
    assert again != 5
    with pytest.raises(TypeError):
        jbw.Agent()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        weakref.ref(again)


def test_gone(world: jbw.World) -> None:
    agent = world.add_agent()
    other = world.add_agent()
    agent.remove()
    assert world.agents == (other,)
    for name in ("vision", "scent", "item_vision", "position", "start", "direction", "items"):
        with pytest.raises(jbw.NoSuchAgentError):
            getattr(agent, name)
    for name in ("inventory", "active", "request", "result"):
        with pytest.raises(jbw.NoSuchAgentError):
            getattr(agent, name)
    with pytest.raises(jbw.NoSuchAgentError):
        agent.act(0)
    with pytest.raises(LookupError):
        agent.remove()
    with pytest.raises(jbw.NoSuchAgentError):
        agent.active = True
    with pytest.raises(jbw.NoSuchAgentError):
        world.agent(agent.id)
    with pytest.raises(jbw.NoSuchAgentError):
        jbw.Reward(world.model, "Zero").of(agent)
    newcomer = world.add_agent()
    assert newcomer.id != agent.id
    assert newcomer != agent


def test_policies() -> None:
    assert set(jbw.policy_names()) == {"greedy", "random", "forward", "oracle", "ppo", "dqn"}
    model = jbw.Model.read("scent")
    reward = jbw.Reward(model, "Collect[JellyBean]")
    by_hand = jbw.World(model, 5)
    agent = by_hand.add_agent()
    policy = jbw.Policy("greedy", model, reward, seed=1)
    assert policy.name == "greedy"
    paid = []
    for _ in range(300):
        agent.act(policy.act(by_hand.time, agent.vision))
        paid.append(reward.of(agent))
    world = jbw.World(model, 5)
    other = world.add_agent()
    rewards = other.follow(jbw.Policy("greedy", model, reward, seed=1), 300, reward)
    np.testing.assert_array_equal(rewards, paid)
    assert rewards.sum() > 0
    assert world.hash() == by_hand.hash()
    logged = jbw.World(model, 5).add_agent()
    log = logged.follow_log(jbw.Policy("greedy", model, reward, seed=1), 300, reward)
    np.testing.assert_array_equal(log[0], paid)
    assert not other.follow(policy, 10).any()
    assert 0 <= policy.act(0, None) < 3
    with pytest.raises(jbw.ArgumentError, match="shape"):
        policy.act(0, np.zeros((3, 3, 3), np.float32))
    with pytest.raises(jbw.NotFoundError):
        jbw.Policy("clever", model)
    with pytest.raises(jbw.ArgumentError, match="another model"):
        jbw.World("walk").add_agent().follow(policy, 1)
    world.add_agent()
    with pytest.raises(jbw.ArgumentError, match="other active agents"):
        other.follow(policy, 1)


@pytest.mark.parametrize("name", ["greedy", "random", "forward"])
def test_pickled_policies_go_on_as_the_original(name: str) -> None:
    model = jbw.Model.read("paper-code")
    reward = jbw.Reward(model, "Collect[JellyBean]")
    world = jbw.World(model, 2)
    policy = jbw.Policy(name, model, reward, seed=1)
    world.add_agent().follow(policy, 3003)  # the greedy one is on its way to something
    copies = [
        (jbw.Policy.from_bytes(policy.to_bytes(), model, reward), world.clone()),
        (copy.deepcopy(policy), world.clone()),
        (pickle.loads(pickle.dumps(policy)), world.clone()),
    ]
    fresh = world.clone()
    world.agents[0].follow(policy, 1500)
    for twin, other in copies:
        assert twin.name == name
        agent = other.agents[0]
        for _ in range(1500):
            agent.act(twin.act(other.time, agent.vision))
        assert other.hash() == world.hash()
        assert twin.to_bytes() == policy.to_bytes()
    # one that begins anew does something else, unless it leaves nothing to chance
    fresh.agents[0].follow(jbw.Policy(name, model, reward, seed=1), 1500)
    assert (fresh.hash() == world.hash()) == (name == "forward")


def test_bytes_that_are_no_policy() -> None:
    model = jbw.Model.read("scent")
    saved = jbw.Policy("greedy", model, jbw.Reward(model, "Collect[JellyBean]")).to_bytes()
    for bad in (b"", saved[:-1], saved + b"x", b"\xff" + saved[1:]):
        with pytest.raises(jbw.DataError, match="the saved policy"):
            jbw.Policy.from_bytes(bad, model)
    with pytest.raises(jbw.DataError, match="unknown policy 'rgeedy'"):
        jbw.Policy.from_bytes(saved.replace(b"gr", b"rg"), model)
    with pytest.raises(TypeError, match="a Reward, its text, or None"):
        jbw.Policy.from_bytes(saved, model, 5)  # type: ignore[arg-type]
    # and one without a reward
    assert pickle.loads(pickle.dumps(jbw.Policy("random", model, seed=3))).act(0, None) == (
        jbw.Policy("random", model, seed=3).act(0, None)
    )
