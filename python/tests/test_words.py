# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Messages and representations say what a person who uses Python wants to know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_worlds import SMALL

import jbw
from jbw.config import table
from jbw.envs import JellyBeanWorldEnv

NAN = float("nan")


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"agent.vision_range": -5}, 'overrides["agent.vision_range"]: found -5, expected 0'),
        ({"agent.vison_range": 5}, "overrides[\"agent.vison_range\"]: unknown key 'vison_range'"),
        ({"agent.vision_range": NAN}, 'overrides["agent.vision_range"]: found nan, expected'),
        ({"agent.color": [0, NAN, 0]}, 'overrides["agent.color"]: 1: found nan, expected'),
    ],
)
def test_overrides_are_named_as_they_were_given(overrides: dict[str, Any], words: str) -> None:
    with pytest.raises(jbw.ConfigError) as caught:
        jbw.World("paper-code", overrides=overrides)
    assert words in str(caught.value) and "--set" not in str(caught.value)


def test_overrides_are_a_mapping() -> None:
    for make in (jbw.World, jbw.Config, JellyBeanWorldEnv):
        with pytest.raises(TypeError, match="overrides is 'far', expected a mapping"):
            make("paper-code", overrides="far")  # type: ignore[call-arg]


def test_numbers_that_are_none() -> None:
    values = np.zeros((3, 3))
    values[1, 2] = np.inf
    place = "found inf in row 1, column 2, expected a number"
    config = jbw.Config("paper-code")
    uses: dict[str, Any] = {
        "values": lambda: table(values),
        'config["items.Onion.interactions.Wall"]': lambda: config.__setitem__(
            "items.Onion.interactions.Wall", values
        ),
        "interaction": lambda: config.set_interaction("Onion", "Wall", values),
        'interactions["Wall"]': lambda: config.add_item("Leek", interactions={"Wall": values}),
    }
    for argument, use in uses.items():
        with pytest.raises(jbw.ConfigError) as caught:
            use()
        assert str(caught.value) == f"{argument}: {place}"
    with pytest.raises(jbw.ConfigError, match=r"^intensity: found nan, expected a number$"):
        config.add_item("Leek", intensity=NAN)
    with pytest.raises(
        jbw.ConfigError, match=r"^values: expected a table of shape .*found \(2, 2\)$"
    ):
        table(np.zeros((2, 2)))
    assert config == jbw.Config("paper-code")
    config["items.Onion.color"] = [0.0, NAN, 0.0]
    with pytest.raises(jbw.ConfigError, match=r"items\.Onion\.color\.1: found nan"):
        config.model()


def test_policies_take_rewards_as_texts() -> None:
    model = jbw.World(SMALL).model
    policy = jbw.Policy("greedy", model, "Collect[JellyBean]")
    same = jbw.Policy("greedy", model, jbw.Reward(model, "Collect[JellyBean]"))
    actions = []
    for one in (policy, same):
        world = jbw.World(model, 3)
        agent = world.add_agent()
        actions.append([agent.follow(one, 50).sum(), agent.position])
    assert actions[0] == actions[1]
    with pytest.raises(jbw.RewardError, match="Bean"):
        jbw.Policy("greedy", model, "Collect[Bean]")
    with pytest.raises(TypeError, match="expected a Reward, its text, or None, found 3"):
        jbw.Policy("greedy", model, 3)  # type: ignore[arg-type]


def test_saving_does_not_replace(tmp_path: Path) -> None:
    path = tmp_path / "world.jbw"
    world = jbw.World(SMALL, 1)
    world.save(path)
    before = path.read_bytes()
    world.add_agent()
    with pytest.raises(jbw.FileError, match="already exists; replace=True replaces it"):
        world.save(path)
    assert path.read_bytes() == before
    world.save(path, replace=True)
    assert len(jbw.World.load(path).agents) == 1


def test_representations(tmp_path: Path) -> None:
    rare = {"intensity": "Constant[-100]"}
    world = jbw.World({"agent": {"vision_range": 2}, "items": {"Bean": rare, "Pea": rare}}, 7)
    agent = world.add_agent((3, 4), "left")
    assert repr(agent) == "<jbw.Agent at (3, 4) facing left, in <jbw.World: seed 7, time 0>>"
    for item, x in (("Bean", 2), ("Pea", 1), ("Bean", 0)):
        world.place(item, x, 4)
    path = tmp_path / "life.rec"
    recorder = world.record(path)
    for _ in range(3):
        agent.act("MoveForward")
    assert "facing left with 2 Bean, 1 Pea, in" in repr(agent)
    assert repr(recorder) == f"<jbw.Recorder {path}, of {world!r}>"
    recorder.close()
    assert repr(recorder) == f"<jbw.Recorder {path}, closed, of {world!r}>"
    recording = jbw.Recording(path)
    assert repr(recording) == f"<jbw.Recording {path}: times 0 to 3, 3 operations>"
    recording.close()
    assert repr(recording) == f"<jbw.Recording {path}, closed>"
    agent.remove()
    assert "gone or busy" in repr(agent)
