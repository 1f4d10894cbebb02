# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Many worlds with many agents: rows are what agents of single worlds are, whatever happens."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import jbw
from jbw.envs import JellyBeanWorldParallelEnv, JellyBeanWorldVectorParallelEnv

WORLDS, AGENTS = 3, 4
ROWS = WORLDS * AGENTS
BODIES = (None, "Scout", "Gatherer")
REWARDS = [
    "Team[Collect[JellyBean]] & Collect[Note]",
    "Collect[Onion, 2] & Action[-0.25]",
    "Team[Collect[JellyBean, 3] & Action[-0.5]]",
    "Cyclical[(Collect[JellyBean], 7), (Collect[Onion], 5)]",
]
TEAMS = ["red", "blue", "blue", "red"]
# so many items that something happens in every step
CROWDED = {f"items.{item}.intensity": "Constant[-1.5]" for item in ("Note", "Onion")} | {
    "patch_size": 32,
    "mh_iterations": 2000,
}
DROP = 4

OPTIONS: list[dict[str, Any]] = [
    {"note": True},
    {"note": True, "vision": "items", "agents_channel": True, "inventory": True, "task": True},
    {"observation": "flat", "inventory": True, "task": True},
    {"observation": "vision", "vision": "image"},
    {"copy": False, "note": True, "inventory": True},
]


class Twins:
    """One vector environment, and the same worlds one by one."""

    def __init__(self, rewards: Any = REWARDS, teams: Any = TEAMS, **options: Any) -> None:
        self.many: JellyBeanWorldVectorParallelEnv = jbw.vector_parallel_env(
            "village",
            WORLDS,
            AGENTS,
            rewards,
            bodies=BODIES,
            teams=teams,
            overrides=CROWDED,
            info="numbers",
            threads=2,
            **options,
        )
        names = [f"agent_{i}" for i in range(AGENTS)]
        self.rewards = [rewards] * AGENTS if isinstance(rewards, str) else list(rewards)
        self.teams = teams
        groups: Any = None
        if teams is not None:
            groups = {
                team: [name for name, one in zip(names, teams, strict=True) if one == team]
                for team in set(teams)
            }
        self.single: list[JellyBeanWorldParallelEnv] = [
            jbw.parallel_env(
                "village",
                AGENTS,
                dict(zip(names, self.rewards, strict=True)),
                bodies=BODIES,
                teams=groups,
                max_agents=AGENTS,
                overrides=CROWDED,
                info="numbers",
                **options,
            )
            for _ in range(WORLDS)
        ]
        self.names: list[str | None] = names * WORLDS  # of the agents of rows
        self.random = np.random.default_rng(5)
        seen, infos = self.many.reset(seed=70)
        found = [env.reset(seed=70 + i) for i, env in enumerate(self.single)]
        assert infos["seed"].tolist() == [70 + row // AGENTS for row in range(ROWS)]
        self.check(seen, infos, [one[0] for one in found], [one[1] for one in found])

    def row(self, values: Any, row: int) -> Any:
        if isinstance(values, dict):
            return {key: value[row] for key, value in values.items()}
        return values[row]

    def check(self, seen: Any, infos: Any, expected: list[Any], expected_infos: list[Any]) -> None:
        for row, name in enumerate(self.names):
            mine = self.row(seen, row)
            if name is None:
                every = mine.values() if isinstance(mine, dict) else [mine]
                assert not any(np.any(value) for value in every)
                assert not infos["_position"][row]
                continue
            other = expected[row // AGENTS][name]
            if isinstance(other, dict):
                assert list(mine) == list(other)
                for key in other:
                    assert np.array_equal(mine[key], other[key]), (row, key)
            else:
                assert np.array_equal(mine, other)
            told = expected_infos[row // AGENTS][name]
            for key in ("position", "inventory", "outcome", "collected", "action_mask", "time"):
                assert np.array_equal(infos[key][row], told[key]), (row, key)

    def step(self) -> None:
        chosen = self.random.choice([0, 0, 0, 1, 2, 3, 3, 4], ROWS)
        actions = np.stack([chosen, self.random.integers(5, size=ROWS)], axis=1)
        for row, name in enumerate(self.names):
            if name is not None and self.random.random() < 0.2:
                text = f"row {row}, {self.random.integers(100)}"
                self.many.write(row, text)
                self.single[row // AGENTS].write(name, text)
        gone = [(row, name) for row, name in self.departed]
        self.departed = []
        seen, rewards, terminations, truncations, infos = self.many.step(actions)
        found = []
        for world, env in enumerate(self.single):
            rows = range(world * AGENTS, (world + 1) * AGENTS)
            mine = {n: tuple(actions[r]) for r in rows if (n := self.names[r]) is not None}
            if not mine:
                env.world.step()  # time passes here, where nobody is, but not there
            found.append(env.step(mine))
        for row, name in enumerate(self.names):
            paid = 0.0 if name is None else found[row // AGENTS][1][name]
            assert rewards[row] == paid, row
        assert np.flatnonzero(terminations).tolist() == sorted({row for row, _ in gone})
        for row, name in gone:
            assert found[row // AGENTS][2][name]
        assert not truncations.any()
        self.check(seen, infos, [one[0] for one in found], [one[4] for one in found])
        self.paid = getattr(self, "paid", 0.0) + np.abs(rewards).sum()

    departed: list[tuple[int, str]] = []  # noqa: RUF012 - replaced, never changed

    def leave(self, rows: list[int]) -> None:
        self.many.leave(rows)
        for row in rows:
            name = self.names[row]
            assert name is not None
            self.single[row // AGENTS].leave(name)
            self.departed = [*self.departed, (row, name)]
            self.names[row] = None

    def join(self, rows: list[int], body: str | None = None) -> None:
        self.many.join(rows, body)
        for row in rows:
            number = row % AGENTS
            self.names[row] = self.single[row // AGENTS].join(
                body=BODIES[number % 3] if body is None else body,
                reward=self.rewards[number],
                team=None if self.teams is None else self.teams[number],
            )

    def come_and_go(self) -> None:
        here = [row for row, name in enumerate(self.names) if name is not None]
        empty = [row for row, name in enumerate(self.names) if name is None]
        left = [row for row, _ in self.departed]
        if here and self.random.random() < 0.15:
            self.leave([int(row) for row in self.random.permutation(here)[:3]])
        if empty and self.random.random() < 0.2:
            rows = [row for row in empty if row not in left]
            self.join(rows[:2], [None, "Scout", "Gatherer"][int(self.random.integers(3))])

    def hashes(self) -> bool:
        return all(
            self.many.world(i).hash() == env.world.hash() for i, env in enumerate(self.single)
        )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_rows_are_agents_of_single_worlds(options: dict[str, Any]) -> None:
    twins = Twins(**options)
    for _ in range(120):
        twins.step()
        twins.come_and_go()
    assert twins.hashes() and twins.paid > 10
    present = [name is not None for name in twins.names]
    assert twins.many.present.tolist() == present


@pytest.mark.parametrize("teams", [None, TEAMS])
def test_one_reward_for_all(teams: Any) -> None:
    twins = Twins("Team[Collect[JellyBean] & Action[-0.5]] & Collect[Onion, 0.5]", teams)
    for _ in range(100):
        twins.step()
        twins.come_and_go()
    assert twins.hashes() and twins.paid > 10


@pytest.mark.parametrize("way", ["pickle", "deepcopy", "clone"])
def test_copies_go_on_as_they_would(way: str) -> None:
    twins = Twins(note=True)
    for _ in range(30):
        twins.step()
        twins.come_and_go()
    twins.leave([row for row in (1, 6) if twins.names[row] is not None])
    for row, name in enumerate(twins.names):
        if name is not None:
            twins.many.write(row, f"waits in row {row}")
            twins.single[row // AGENTS].write(name, f"waits in row {row}")
    ways = {
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
        "deepcopy": copy.deepcopy,
        "clone": lambda env: env.clone(),
    }
    old = twins.many
    twins.many = ways[way](old)
    twins.single = [ways[way](env) for env in twins.single]
    assert twins.many.batch.written(0) == old.batch.written(0)
    for _ in range(40):
        twins.step()
        twins.come_and_go()
    assert twins.hashes()
    assert old.world(0).time < twins.many.world(0).time


def test_waiting_texts_are_not_lost() -> None:
    """Nor shared: what a copy writes is its own."""
    vector = jbw.envs.JellyBeanWorldVectorEnv(2, "village", None, overrides=CROWDED, note=True)
    vector.reset(seed=1)
    vector.write(1, "of the second")
    parallel = jbw.parallel_env("jbw/Village-v0")
    parallel.reset(seed=1)
    parallel.write("agent_3", "of the fourth")
    for copied in (copy.deepcopy(vector), pickle.loads(pickle.dumps(vector)), vector.clone()):
        assert [copied.batch.written(row) for row in range(2)] == ["", "of the second"]
        copied.write(0, "another")
    assert vector.batch.written(0) == ""
    for other in (copy.deepcopy(parallel), pickle.loads(pickle.dumps(parallel)), parallel.clone()):
        x, y = other.member("agent_3").position
        other.world.place("Note", x, y)
        still = {name: (1, 0) for name in other.agents}
        other.step({**still, "agent_3": (3, 0)})
        seen, *_ = other.step({**still, "agent_3": (DROP, 0)})
        assert bytes(seen["agent_3"]["note"]).rstrip(b"\0") == b"of the fourth"


def test_a_row_that_is_left_forgets_what_was_to_be_written() -> None:
    env = jbw.vector_parallel_env("jbw/Village-v0", 1)
    env.reset(seed=1)
    env.write(0, "mine")
    env.leave(0)
    env.join(0)
    assert env.batch.written(0) == ""


def test_masks_and_bodies() -> None:
    env = jbw.vector_parallel_env("jbw/Village-v0", 2, info="numbers")
    _, infos = env.reset(seed=3)
    scout = [1, 1, 1, 0, 0]
    assert env.num_envs == 16 and env.worlds == 2 and env.agents == 8
    assert infos["action_mask"][[0, 1, 9, 15]].tolist() == [[1] * 5, scout, scout, scout]
    env.leave([0, 9])
    assert not env.present[[0, 9]].any() and env.present.sum() == 14
    assert env.action_masks()[[0, 9]].all()
    env.join([0], "Scout")
    assert env.bodies[0] == "Scout" and env.agent(0).body == "Scout"
    _, _, terminations, _, infos = env.step(np.zeros((16, 2), np.int64))
    assert np.flatnonzero(terminations).tolist() == [0, 9]
    assert infos["action_mask"][0].tolist() == scout
    assert infos["_action_mask"].tolist() == [row != 9 for row in range(16)]
    assert not env.step(np.zeros((16, 2), np.int64))[2].any()
    env.reset(seed=4, options={"reset_mask": np.array([True, False])})
    assert env.bodies[0] is None and not env.present[9]
    env.reset(seed=4)
    assert env.present.all()


def test_spaces_hold_what_is_seen() -> None:
    env = jbw.vector_parallel_env("jbw/Village-v0", 2, inventory=True, task=True)
    seen, _ = env.reset(seed=1)
    assert seen in env.observation_space
    for _ in range(30):
        seen, *_ = env.step(env.action_space.sample())
        assert seen in env.observation_space
    env.leave([3, 4])
    assert env.observe() in env.observation_space


def test_rendering() -> None:
    env = jbw.vector_parallel_env("village", 2, 2, render_mode="rgb_array")
    env.reset(seed=1)
    env.leave([2, 3])  # nobody is left in the second world
    assert len(env.render()) == 2
    text = jbw.vector_parallel_env("village", 2, 2, render_mode="ansi")
    text.reset(seed=1)
    assert all(isinstance(picture, str) for picture in text.render())


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"worlds": 0}, ValueError, "worlds is 0"),
        ({"agents": 0}, ValueError, "agents is 0"),
        ({"reward": ["Collect[Onion]"]}, ValueError, "there are 1 rewards for 2 agents"),
        ({"reward": lambda step: 1.0}, TypeError, "a reward is a text here"),
        ({"teams": [1]}, ValueError, "there are 1 teams for 2 agents"),
        ({"teams": "ab"}, TypeError, "expected a sequence with the team"),
        ({"bodies": "Scout"}, TypeError, "expected a sequence of bodies"),
        ({"bodies": ["Giant"]}, ValueError, "Giant"),
        ({"world": "jbw/Nowhere-v0"}, ValueError, "there is no id"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        jbw.vector_parallel_env(**{"world": "village", "worlds": 2, "agents": 2, **arguments})


def test_wrong_calls_are_told() -> None:
    env = jbw.vector_parallel_env("village", 2, 2)
    env.reset(seed=1)
    before = env.world(0).hash()
    with pytest.raises(IndexError, match="there is no row 4"):
        env.leave([0, 4])
    with pytest.raises(ValueError, match="named twice"):
        env.leave([1, 1])
    with pytest.raises(ValueError, match="row 0 is not empty"):
        env.join(0)
    with pytest.raises(NotImplementedError):
        env.send(np.zeros((4, 2), np.int64))
    assert env.world(0).hash() == before and env.present.all()
    env.leave(0)
    with pytest.raises(ValueError, match="row 0 is empty"):
        env.leave([1, 0])
    with pytest.raises(ValueError, match="row 0 is empty"):
        env.agent(0)
    with pytest.raises(ValueError, match="Giant"):
        env.join(0, "Giant")
    assert env.present.tolist() == [False, True, True, True]


def test_batches_leave_join_and_pay_by_row() -> None:
    model = jbw.World("village", overrides=CROWDED).model
    rewards = [jbw.Reward(model, "Action[1]"), None]
    paid = np.zeros(4)
    batch = jbw.Batch(model, [1, 2], None, 2, agent_rewards=rewards, teams=[0, 1], reward=paid)
    table = np.zeros((3, 4, 2), np.int32)
    batch.run(table)
    assert paid.tolist() == [1, 0, 1, 0]
    batch.leave(0)
    ids = batch.agent_ids()
    assert ids[0] is None and ids[1] == batch.agent(1).id
    batch.step(np.zeros(4, np.int32))
    assert paid.tolist() == [0, 0, 1, 0]
    with pytest.raises(jbw.ArgumentError, match="row 0 is empty"):
        batch.leave(0)
    batch.join(0, direction="down", body="Scout")
    assert batch.agent(0).direction == "down" and batch.agent(0).body == "Scout"
    with pytest.raises(jbw.ArgumentError, match="has the row already"):
        batch.join(0)
    for wrong in ({"agent_rewards": [None]}, {"teams": [1]}):
        with pytest.raises(jbw.ArgumentError, match="2 agents, but there are 1"):
            jbw.Batch(model, [1], None, 2, **wrong)
    # seats: the world's agents in another order, or one that is not there
    world = batch.world(0).clone()
    first, second = batch.agent_ids()[:2]
    batch.set_world(0, world, [second, first])
    assert batch.agent_ids()[:2] == [second, first]
    for wrong_seats in ([first, first], [first, None], [first, 99]):
        with pytest.raises(jbw.ArgumentError):
            batch.set_world(0, world, wrong_seats)
    assert batch.agent_ids()[:2] == [second, first]
