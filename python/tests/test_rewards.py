# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Rewards: objects, texts, and what they pay."""

import copy
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jbw
from jbw.rewards import (
    Action,
    Avoid,
    Collect,
    Combined,
    Curriculum,
    Cyclical,
    Drift,
    Explore,
    Fixed,
    Gradual,
    Random,
    Reward,
    Scaled,
    Square,
    Steps,
    Team,
    Wave,
    Zero,
    parse,
)

MODEL = jbw.Model.read("paper")

plain = st.floats(-1e9, 1e9, allow_nan=False)
periods = st.integers(1, 10**6)
stages = st.lists(st.tuples(periods, plain), max_size=3, unique_by=lambda stage: stage[0])
numbers = st.one_of(
    plain,
    st.builds(Wave, periods, plain, plain),
    st.builds(Square, periods, plain, plain),
    st.builds(lambda first, others: Steps((0, first), *sorted(others)), plain, stages),
    st.builds(Drift, st.integers(0, 99), periods, plain, plain),
)
items = st.sampled_from(MODEL.item_names)
steps = st.integers(1, 10**6)
leaves = st.one_of(
    st.just(Zero()),
    st.builds(Action, numbers),
    st.builds(Explore, numbers),
    st.builds(Collect, items, numbers),
    st.builds(Avoid, items, numbers),
)


def nested(rewards: st.SearchStrategy[Reward]) -> st.SearchStrategy[Reward]:
    lists = st.lists(rewards, min_size=1, max_size=3)
    parts = st.lists(st.tuples(rewards, steps), min_size=1, max_size=3)
    return st.one_of(
        st.lists(rewards, min_size=2, max_size=3).map(lambda some: Combined(*some)),
        st.builds(Scaled, rewards, numbers),
        st.builds(Fixed, rewards),
        st.builds(Curriculum, parts),
        st.builds(Cyclical, parts),
        st.builds(Gradual, rewards, rewards, steps),
        st.builds(lambda n, seed, some: Random(n, seed, *some), steps, st.integers(0, 99), lists),
    )


rewards = st.recursive(leaves, nested, max_leaves=8)


def test_texts() -> None:
    both = Collect("JellyBean") & Avoid("Onion")
    assert str(both) == "Collect[JellyBean] & Avoid[Onion]"
    assert both == Combined(Collect("JellyBean"), Avoid("Onion"))
    assert str(both & "Action[-0.01]" & Explore(0.1)).endswith("& Action[-0.01] & Explore[0.1]")
    assert str("Zero" & Zero()) == "Zero & Zero"
    assert str(Cyclical([(both, 1e5), ("Zero", 2)])) == (
        "Cyclical[(Collect[JellyBean] & Avoid[Onion], 100000), (Zero, 2)]"
    )
    assert str(2 * Collect("Onion", 0.1)) == "Scaled[Collect[Onion, 0.1], 2]"
    assert str(Team(Collect("Onion")) & Zero()) == "Team[Collect[Onion]] & Zero"
    assert parse("Team[Collect[Onion] & Zero]") == Team(Collect("Onion") & Zero())
    assert str(-Zero()) == "Scaled[Zero, -1]"
    assert str(Gradual("Zero", Zero(), 10)) == "Gradual[Zero, Zero, 10]"
    assert str(Random(5, 7, "Zero", Action())) == "Random[5, 7, Zero, Action[1]]"
    assert str(Avoid("Onion", Wave(1e3, -1, 0.5))) == "Avoid[Onion, Wave[1000, -1, 0.5]]"
    assert str(Action(Square(10, 0, 1)) * Steps((0, 1), (5, -2))) == (
        "Scaled[Action[Square[10, 0, 1]], Steps[(0, 1), (5, -2)]]"
    )
    assert str(Explore(Drift(7, 100, -1, 1))) == "Explore[Drift[7, 100, -1, 1]]"
    assert str(Curriculum([(Fixed(Zero()), 1)])) == "Curriculum[(Fixed[Zero], 1)]"


def test_values() -> None:
    assert Collect("A", 2) == Collect("A", 2.0)
    assert Collect("A") != Avoid("A")
    assert Curriculum([("Zero", 1)]) != Cyclical([("Zero", 1)])
    assert len({Collect("A"), Collect("A"), Avoid("A")}) == 2
    assert repr(Collect("A", 2)) == "Collect(item='A', value=2)"
    reward = Cyclical([(Collect("A") & Avoid("B"), 3)])
    assert eval(repr(reward).replace("Combined(rewards=(", "Combined(*(")) == reward
    for other in (copy.deepcopy(reward), pickle.loads(pickle.dumps(reward))):
        assert other == reward
        assert hash(other) == hash(reward)
    with pytest.raises(AttributeError):
        reward.parts = ()  # type: ignore[misc]


@given(rewards)
def test_parse_and_print(reward: Reward) -> None:
    assert parse(str(reward)) == reward
    compiled = jbw.Reward(MODEL, reward)
    assert jbw.Reward(MODEL, compiled.text).text == compiled.text
    assert jbw.Reward(MODEL, str(parse(compiled.text))) == compiled


def test_parse_examples() -> None:
    path = Path(__file__).parents[2] / "docs" / "rewards.md"
    if not path.exists():
        pytest.skip("the documentation is not here")
    texts = re.findall(r"```reward\n(.*?)```", path.read_text(), re.DOTALL)
    assert len(texts) > 5
    for text in texts:
        assert jbw.Reward(MODEL, parse(text)) == jbw.Reward(MODEL, text)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("Collect", 1, 8),
        ("Collect[JellyBean] &", 1, 21),
        ("Zero &\n  Colect[Onion]", 2, 3),
        ("Cyclical[(Zero, 1.5)]", 1, 17),
        ("Zero Zero", 1, 6),
        ("Scaled[Zero]", 1, 12),
        ("Zero ?", 1, 6),
    ],
)
def test_parse_errors(text: str, line: int, column: int) -> None:
    with pytest.raises(jbw.RewardError) as failure:
        parse(text)
    assert (failure.value.line, failure.value.column) == (line, column)
    with pytest.raises(jbw.RewardError) as compiled:
        jbw.Reward(MODEL, text)
    assert compiled.value.line == line
    assert 1 <= compiled.value.column <= column


def test_wrong_objects() -> None:
    with pytest.raises(jbw.RewardError):
        Combined("Zero")
    with pytest.raises(jbw.RewardError):
        Cyclical([])
    with pytest.raises(jbw.RewardError):
        Gradual("Zero", "Zero", 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Scaled(5, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Zero() & 5  # type: ignore[operator]


def test_unknown_item() -> None:
    with pytest.raises(jbw.RewardError) as failure:
        jbw.Reward(MODEL, "Zero &\nCollect[JelyBean]")
    assert failure.value.line == 2
    assert "JellyBean" in failure.value.text
    with pytest.raises(ValueError, match="zero byte"):
        jbw.Reward(MODEL, "Zero\0")


def test_compiled() -> None:
    reward = jbw.Reward(MODEL, "Cyclical[(Collect[JellyBean], 10), (Avoid[JellyBean, 2], 5)]")
    assert reward.is_scheduled
    assert reward.model is MODEL
    assert reward.at(3) == "Collect[JellyBean]"
    assert parse(reward.at(12)) in (Avoid("JellyBean", 2), Collect("JellyBean", -2))
    assert reward.of_collecting("JellyBean") == 1
    assert reward.of_collecting("JellyBean", 11) == -2
    assert reward.of_collecting("Onion") == 0
    assert reward.evaluate(3, collected="JellyBean") == 1
    assert reward.evaluate(10, collected=MODEL.item_type("JellyBean")) == -2
    assert reward.evaluate(0) == 0
    assert str(reward) == reward.text
    assert pickle.loads(pickle.dumps(reward)) == reward
    assert reward != jbw.Reward(MODEL, "Zero")
    assert not jbw.Reward(MODEL, "Zero").is_scheduled
    explore = jbw.Reward(MODEL, Action(-0.5) & Explore(2))
    assert explore.evaluate(0, position=(0, 1)) == 1.5
    assert explore.evaluate(0, has_acted=False, position_before=(3, 4), position=(5, 0)) == 0
    assert explore.evaluate(0, has_acted=False, start=(9, 9), position=(-1, 0)) == 2
    with pytest.raises(jbw.ArgumentError):
        reward.evaluate(0, collected="Nothing")
    with pytest.raises(ValueError):
        reward.at(-1)


def test_of_agent() -> None:
    world = jbw.World("paper-code", seed=1)
    agent = world.add_agent()
    reward = jbw.Reward(world.model, "Action[-0.25] & Collect[Onion, 4]")
    assert reward.of(agent) == 0
    x, y = agent.position
    if world.items(x, y + 1, 1, 1)[0, 0]:
        world.remove(x, y + 1)
    world.place("Onion", x, y + 1)
    agent.act("MoveForward")
    assert reward.of(agent) == 3.75
