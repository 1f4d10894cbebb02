# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Config: build, edit and print worlds; round trips."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jbw

ITEMS = ["Bean", "Wall", "Axe"]


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, object]:
    colors = draw(st.integers(1, 4))
    scents = draw(st.integers(0, 3))
    expressions = st.one_of(
        st.just("Zero"),
        st.builds(
            "PiecewiseBox[{}, {},{} , {}]".format,
            st.integers(1, 3),
            st.integers(4, 6),
            numbers(-9, 9),
            numbers(-9, 9),
        ),
        st.builds(
            lambda seed: jbw.table(np.random.default_rng(seed).normal(size=(3, 3))),
            st.integers(0, 100),
        ),
    )
    item = st.fixed_dictionaries(
        {},
        optional={
            "color": st.lists(numbers(-5, 5), min_size=colors, max_size=colors),
            "scent": st.lists(numbers(-1, 1), min_size=scents, max_size=scents),
            "occlusion": numbers(0, 1),
            "blocks_movement": st.booleans(),
            "collectable": st.booleans(),
            "intensity": st.builds("Constant[{}]".format, numbers(-9, 9)),
            "interactions": st.dictionaries(st.sampled_from(ITEMS), expressions),
            "requires": st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 9)),
            "costs": st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 2**32 - 1)),
            "season": st.builds(
                lambda start, lasts, pauses: {
                    "period": lasts + pauses,
                    "from": start % (lasts + pauses),
                    "to": (start + lasts) % (lasts + pauses),
                },
                st.integers(0, 10**6),
                st.integers(10**4, 10**6),
                st.integers(10**4, 10**6),
            ),
            "regrows": st.one_of(
                st.integers(1, 10**9).map("Constant[{}]".format),
                st.integers(1, 10**9).map("Geometric[{}]".format),
                st.tuples(st.integers(1, 10**5), st.integers(0, 10**5)).map(
                    lambda pair: f"Uniform[{pair[0]}, {pair[0] + pair[1]}]"
                ),
            ),
        },
    ).map(
        # what cannot be collected does not grow back
        lambda item: {
            key: value
            for key, value in item.items()
            if key != "regrows" or item.get("collectable", True)
        }
    )
    return {
        "color_dimensions": colors,
        "scent_dimensions": scents,
        "patch_size": draw(st.integers(40, 64)),
        "mh_iterations": draw(st.integers(1, 10**6)),
        "scent_decay": draw(numbers(0, 0.3)),
        "scent_diffusion": draw(numbers(0, 0.1)),
        "collision": draw(st.sampled_from(["first", "random", "allow"])),
        "collection": draw(st.sampled_from(["automatic", "manual"])),
        "agent": {
            "vision_range": draw(st.integers(0, 5)),
            "field_of_view": draw(numbers(1, 360)),
            "actions": draw(
                st.lists(
                    st.sampled_from(["NoOp", "MoveForward", "Collect", "Drop[Axe]"]),
                    min_size=1,
                    unique=True,
                )
            ),
        },
        "items": {name: draw(item) for name in ITEMS},
    }


@given(worlds())
def test_round_trips(world: dict[str, object]) -> None:
    config = jbw.Config(world)
    yaml = config.to_yaml()
    again = jbw.Config.from_yaml(yaml)
    assert again.to_yaml() == yaml
    assert again == config
    assert jbw.Config(config.to_dict()).to_yaml() == yaml
    model = config.model()
    assert jbw.Model(model.to_json()).to_yaml() == yaml
    # numbers are exact
    assert again["scent_decay"] == world["scent_decay"]
    assert again["agent.field_of_view"] == config["agent.field_of_view"]


@pytest.mark.parametrize("name", jbw.shipped_worlds())
def test_shipped_worlds(name: str, tmp_path: Path) -> None:
    config = jbw.Config(name)
    path = tmp_path / "world.yaml"
    text = config.to_yaml(path)
    assert path.read_text() == text
    assert jbw.Config.from_yaml(path) == config
    hashes = []
    for source in (name, path, config, config.to_dict()):
        world = jbw.World(source, seed=11)
        world.explore((0, 0))
        hashes.append(world.hash())
    assert len(set(hashes)) == 1
    assert jbw.World(name).config == config


def test_build() -> None:
    config = jbw.Config()
    config["patch_size"] = 32
    config["agent.vision_range"] = 2
    config.actions = ["MoveForward", "TurnLeft"]
    config.add_item("Bean", color=np.array([1, 0, 0]), intensity=-2, scent=(0, 1, 0))
    config.add_item("Wall", color=[0, 0, 1], blocks_movement=True).set_interaction(
        "Wall", "Bean", np.array([[0, 1, 0], [2, 0, 3], [0, -4, 0]])
    )
    assert config.items == ("Bean", "Wall")
    assert config["items.Wall.interactions.Bean"].startswith("Table[(0.0, 1.0, 0.0)")
    assert config["items.Bean.color.0"] == 1
    assert "agent.vision_range" in config
    assert "agent.nothing" not in config
    config["items.Bean.color.1"] = 0.5
    world = jbw.World(config)
    np.testing.assert_array_equal(world.model.item_colors, [[1, 0.5, 0], [0, 0, 1]])
    assert "Bean: Table[(0, 1, 0), (2, 0, 3), (0, -4, 0)]" in config.to_yaml()
    complete = config.to_dict()
    assert complete["agent"]["actions"] == ["MoveForward", "TurnLeft"]
    assert complete["items"]["Bean"]["intensity"] == "Constant[-2]"
    config["items.Wall.interactions.Wall"] = np.zeros((1, 1))
    assert config["items.Wall.interactions.Wall"] == "Table[(0.0)]"
    config.remove_item("Bean")
    assert config.items == ("Wall",)
    assert "items.Wall.interactions.Bean" not in config
    config.check()
    assert len(list(config)) == len(config)
    assert jbw.Config().actions == ("MoveForward", "TurnLeft", "TurnRight")


def test_defaults_and_items_removed_from_actions() -> None:
    assert jbw.Config() == jbw.Config({})
    config = jbw.Config({"agent": {"actions": ["NoOp", "Drop[A]"]}, "items": {"A": {}, "B": {}}})
    config.remove_item("A")
    config.check()
    assert config.actions == ("NoOp",)


def test_edit_copies() -> None:
    config = jbw.Config("paper")
    other = config.copy()
    assert other == config
    assert copy.copy(config) == copy.deepcopy(config) == config
    other["items.Wall.color"] = [1, 2, 3]
    assert config["items.Wall.color"] != [1, 2, 3]
    assert other != config
    assert config != "paper"
    # however it is written
    assert jbw.Config({"patch_size": 64}) == jbw.Config()
    assert jbw.Config("paper", {"agent.field_of_view": 90})["agent.field_of_view"] == 90
    del other["items.Wall"]
    assert "items.Wall" not in other
    with pytest.raises(KeyError):
        del other["items.Wall"]
    with pytest.raises(KeyError):
        other["patch_size.x"] = 1
    with pytest.raises(TypeError):
        hash(config)
    with pytest.raises(TypeError, match="cannot hold"):
        config["patch_size"] = object()


def test_problems() -> None:
    config = jbw.Config("paper")
    config["items.Wall.occlusion"] = 7
    config["agent.vision_rnge"] = 1
    with pytest.raises(jbw.ConfigError) as failure:
        jbw.World(config)
    problems = failure.value.problems
    assert problems == config.problems()
    assert len(problems) == 2
    assert any("did you mean 'vision_range'" in problem.text for problem in problems)
    assert all(problem.source == "<config>" and problem.line > 0 for problem in problems)
    assert failure.value.line == problems[0].line
    assert failure.value.column == problems[0].column
    assert str(problems[1]) in str(failure.value)
    assert not jbw.Config("paper").problems()
    assert str(config).startswith("{")
    assert config != jbw.Config("paper")


def test_override_problems() -> None:
    with pytest.raises(jbw.ConfigError) as failure:
        jbw.World("paper", overrides={"agent.vision_range": -1})
    assert "agent.vision_range" in failure.value.problems[0].source
    with pytest.raises(jbw.ConfigError):
        jbw.World("paper", overrides={"scent_decay": float("nan")})
    with pytest.raises(jbw.ConfigError):
        jbw.Config({"scent_decay": float("inf")}).check()


def test_yaml_text() -> None:
    config = jbw.Config.from_yaml("patch_size: 32\nitems:\n  A: {intensity: 'Constant[1]'}\n")
    assert config["patch_size"] == 32
    assert config.items == ("A",)
    assert json.loads(config.model().to_json())["items"]["A"]["intensity"] == "Constant[1]"
    with pytest.raises(jbw.ConfigError) as failure:
        jbw.Config.from_yaml("patch_size: 32\nitems: [\n")
    assert failure.value.line >= 2
    with pytest.raises(jbw.NoSuchFileError, match="no-such-world"):
        jbw.Config.from_yaml("no-such-world")


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (3,), (0, 0)])
def test_bad_tables(shape: tuple[int, ...]) -> None:
    with pytest.raises(jbw.ConfigError, match="table of shape"):
        jbw.table(np.zeros(shape))


def test_kinds() -> None:
    config = jbw.Config({"items": {"Bean": {}, "Banana": {}, "Wall": {"costs": {"Food": 1}}}})
    config.add_kind("Fruit", ["Banana", "Bean"]).add_kind("Food", ["Wall", "Fruit"])
    assert config.kinds == {"Fruit": ("Banana", "Bean"), "Food": ("Wall", "Fruit")}
    assert config.model().kinds == {
        "Fruit": ("Banana", "Bean"),
        "Food": ("Wall", "Banana", "Bean"),
    }
    assert jbw.Config.from_yaml(config.to_yaml()) == config

    world = jbw.World(config)
    assert str(jbw.Reward(world.model, "Collect[Food] & Avoid[Fruit]"))
    config.add_kind("Fruit", ["Food"])
    assert [problem.text for problem in config.problems()] == [
        "the kind 'Fruit' contains itself",
        "the kind 'Food' contains itself",
    ]
    config.remove_kind("Food").add_kind("Fruit", ["Bean", "Banana"]).remove_item("Banana")
    assert config.kinds == {"Fruit": ("Bean",)}
    assert "costs" not in config.to_dict()["items"]["Wall"]
    assert jbw.Config("paper").model().kinds == {}


def test_ever_and_drops() -> None:
    config = jbw.Config({"patch_size": 16, "mh_iterations": 0, "agent": {"vision_range": 2}})
    config.add_item("Bean").add_item("Axe", drops={"Bean": 2})
    config.add_item("Wood", requires_ever={"Axe": 1})
    world = jbw.World(config)
    agent = world.add_agent()
    for y, item in enumerate(["Wood", "Bean", "Bean", "Axe", "Wood"], start=1):
        world.place(item, 0, y)
    for _ in range(5):
        agent.act("MoveForward")
    assert agent.items == {"Axe": 1, "Wood": 1}
    assert agent.ever_collected == {"Bean": 2, "Axe": 1, "Wood": 1}
    assert world.items(0, 0, 2, 6).tolist() == [[0, 0], [3, 0], [0, 0], [0, 0], [1, 1], [0, 0]]
    assert world.clone().agents[0].ever_collected == agent.ever_collected
    assert jbw.World("scent").add_agent().ever_collected is None
    assert config.remove_item("Axe").model().item_names == ("Bean", "Wood")
