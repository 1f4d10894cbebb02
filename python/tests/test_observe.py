# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The parts of observations: what `Model.parts` says, batches, environments and observers make."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import jbw
from jbw import _core
from jbw.envs.layout import Layout
from jbw.envs.spaces import layout_space

MODEL = _core.World("paper-code", overrides={"agent.visual_occlusion": True}).model
ITEMS = len(MODEL.item_names)
EVERYTHING = {f"my_{name}": name for name in MODEL.parts}


def expected(agent: jbw.Agent, items: Any, seen: Any) -> dict[str, Any]:
    """Every part, by what else is known about the agent."""
    return {
        "vision": agent.vision,
        "scent": agent.scent,
        "items": items,
        "item_vision": agent.item_vision,
        "entity_vision": np.pad(agent.item_vision, ((0, 0), (0, 0), (0, 1))),  # it is alone
        "seen": seen,
        "inventory": agent.inventory,
        "position": np.array(agent.position),
        "start": np.array(agent.start),
        "direction": ["up", "right", "down", "left"].index(agent.direction),
        "time": agent.world.time,
        "moved": int(agent.result.moved),
        "collected": -1
        if agent.result.collected is None
        else MODEL.item_names.index(agent.result.collected),
        "outcome": _core.outcomes().index(agent.result.outcome),
        "body": 0,
        "heard": agent.heard,
        "text": np.zeros(256, np.uint8),
    }


def test_descriptions() -> None:
    parts = MODEL.parts
    side = MODEL.vision_shape[0]
    assert parts["vision"].shape == MODEL.vision_shape
    assert parts["vision"].dtype == np.float32
    assert parts["item_vision"].shape == (side, side, ITEMS)
    assert parts["inventory"].dtype == np.uint64
    assert parts["moved"].shape == ()
    assert all(part.about for part in parts.values())
    assert _core.Model.read("walk").parts["scent"].shape == (0,)


def test_every_part_of_a_batch_and_an_environment() -> None:
    arrays = {name: np.full((1, *part.shape), 7, part.dtype) for name, part in MODEL.parts.items()}
    batch = _core.Batch(MODEL, [3], **arrays)  # type: ignore[arg-type]
    env = _core.Env(MODEL, None, 3, parts=EVERYTHING)
    flat = _core.Env(MODEL, None, 3, parts=EVERYTHING, form="flat")
    rng = np.random.default_rng(1)
    for action in np.where(rng.random(300) < 0.7, 0, rng.integers(0, 3, 300)).tolist():
        batch.step([action])
        observation = env.step(action)[0]
        vector = flat.step(action)[0]
        known = expected(env.agent, arrays["items"][0], arrays["seen"][0])
        assert list(observation) == list(EVERYTHING)
        assert known.keys() == MODEL.parts.keys()
        for key, name in EVERYTHING.items():
            np.testing.assert_array_equal(arrays[name][0], known[name], err_msg=name)
            np.testing.assert_array_equal(observation[key], known[name], err_msg=name)
            if MODEL.parts[name].shape == ():
                assert type(observation[key]) is np.int64
        parts = [np.ravel(value).astype(np.float32) for value in known.values()]
        np.testing.assert_array_equal(vector, np.concatenate(parts))
        assert vector.dtype == np.float32
    one_hot = np.eye(ITEMS + 1, dtype=np.float32)[:, 1:]
    np.testing.assert_array_equal(one_hot[arrays["items"][0]], arrays["item_vision"][0])
    assert ((arrays["seen"] == 0) <= (arrays["items"] == 0)).all()
    assert 0 < (arrays["seen"] == 1).sum() < arrays["seen"].size


def test_layouts_survive_copies() -> None:
    env = _core.Env(MODEL, None, 3, parts=EVERYTHING, copy=False)
    env.step(0)
    for again in (env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        here, there = env.observe(), again.observe()
        assert list(there) == list(EVERYTHING)
        for key in EVERYTHING:
            np.testing.assert_array_equal(here[key], there[key])
    first = env.step(1)[0]
    assert env.step(1)[0]["my_vision"] is first["my_vision"]


@pytest.mark.parametrize(
    ("numbers", "arguments"),
    [
        ((0, 1, 1, 1, 1), {}),
        ((0, 2, 0, 1, 0), {"vision": "items", "scent": False, "copy": False}),
        ((1, 1, 1, 0, 1), {"form": "flat", "moved": False}),
        ((2, 0, 1, 1, 1), {"form": "plain", "vision": None}),
    ],
)
def test_older_pickles(numbers: tuple[int, ...], arguments: dict[str, Any]) -> None:
    env = _core.Env(MODEL, None, 3, **arguments)
    place = (0, 0, 0, 0, 0)
    again = _core.Env._rebuild(  # type: ignore[attr-defined]
        MODEL, None, env.world.clone(), env.agent.id, numbers, place, 0
    )
    here, there = env.step(0)[0], again.step(0)[0]
    assert again.observation_shapes == env.observation_shapes
    np.testing.assert_equal(there, here)
    with pytest.raises(jbw.DataError):
        _core.Env._rebuild(  # type: ignore[attr-defined]
            MODEL, None, env.world.clone(), env.agent.id, (7, *numbers[1:]), place, 0
        )


def test_teams_observe() -> None:
    world = jbw.World(MODEL, 5)
    agent = world.add_agent()
    new = _core.Team(world, {"vision": "vision", "moved": "moved"})
    same = _core.Team(world, {"scent": "scent"}, "plain", copy=False)
    vector = _core.Team(world, {"scent": "scent", "time": "time"}, form="flat")
    for team in (new, same, vector):
        team.add("a", agent)
    first = new.observe("a")
    assert first["moved"] == 0
    kept = same.observe("a")
    agent.act("MoveForward")
    assert new.observe("a")["vision"] is not first["vision"]
    np.testing.assert_array_equal(new.observe("a")["vision"], agent.vision)
    assert same.observe("a") is kept
    np.testing.assert_array_equal(kept, agent.scent)
    np.testing.assert_array_equal(vector.observe("a"), [*agent.scent, 1])
    with pytest.raises(jbw.ArgumentError, match="no agent 'b'"):
        new.observe("b")
    agent.remove()
    with pytest.raises(jbw.NoSuchAgentError):
        new.observe("a")
    with pytest.raises(jbw.NoSuchAgentError):
        new.step({"a": 0})
    new.remove("a")
    assert new.step({}) == ({}, {}, {}, {}, {})


def test_teams_need_agents_of_their_world() -> None:
    team = _core.Team(jbw.World(MODEL), {"scent": "scent"})
    with pytest.raises(jbw.ArgumentError, match="another world"):
        team.add("a", jbw.World(MODEL).add_agent())
    with pytest.raises(TypeError, match="Reward"):
        team.add("a", jbw.World(MODEL).add_agent(), "Zero")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "form", "message"),
    [
        ({"vision": "taste"}, "dict", "taste"),
        ({"a": "scent", "b": "scent"}, "dict", "twice"),
        ({"a": "scent", "b": "vision"}, "plain", "exactly one"),
        ({}, "plain", "exactly one"),
        ({}, "flat", "nothing"),
        ({"a": "scent"}, "round", "form"),
    ],
)
def test_wrong_layouts_are_told(parts: dict[str, str], form: Any, message: str) -> None:
    world = jbw.World(MODEL)
    agent = world.add_agent()
    with pytest.raises(jbw.ArgumentError, match=message):
        _core.Env(MODEL, parts=parts, form=form)
    with pytest.raises(jbw.ArgumentError, match=message):
        _core.Team(world, parts, form).add("a", agent)
    with pytest.raises(TypeError):
        _core.Team(world, {"vision": 3}).add("a", agent)  # type: ignore[dict-item]


@pytest.mark.parametrize("form", ["dict", "flat"])
def test_spaces_of_any_part(form: Any) -> None:
    layout = Layout(form, EVERYTHING)
    space = layout_space(MODEL, layout)
    env = _core.Env(MODEL, None, 3, **layout.core_arguments())
    for action in range(100):
        assert space.contains(layout.assemble(env.step(action % 3)[0]))
