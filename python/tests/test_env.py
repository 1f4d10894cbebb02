# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The environment for one agent: what the checkers of others check, and what they do not."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from small_worlds import SMALL, small

import jbw
from jbw.envs import REGISTRATIONS, JellyBeanWorldEnv, Step

IDS = [registration.id for registration in REGISTRATIONS]

VARIANTS: list[dict[str, Any]] = [
    {"observation": observation, "vision": vision}
    for observation in ("dict", "vision", "scent", "flat")
    for vision in ("color", "items")
]


def make(**kwargs: Any) -> Any:
    return JellyBeanWorldEnv(
        **{"world": SMALL, "reward": "Collect[JellyBean] & Avoid[Onion]", **kwargs}
    )


def act(env: Any, steps: int, seed: int = 0) -> list[Any]:
    """What some random steps return."""
    actions = np.random.default_rng(seed).integers(env.action_space.n, size=steps)
    return [env.step(int(action)) for action in actions]


def same(a: Any, b: Any) -> bool:
    return bool(data_equivalence(a, b, exact=True))


# --------------------------------------------------------------------------------- the checkers


def test_there_is_an_id_for_every_shipped_world() -> None:
    worlds = {registration.kwargs["world"] for registration in REGISTRATIONS}
    assert worlds == set(jbw.shipped_worlds())
    assert all(id in gymnasium.registry for id in IDS)


@pytest.mark.parametrize("id", IDS)
def test_gymnasium_accepts(id: str) -> None:
    env = gymnasium.make(id, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*shows nothing")  # there may be no screen
        check_env(env.unwrapped)


# it takes vision for an image, and recommends bytes
@pytest.mark.filterwarnings("ignore:It seems that your observation.*is an image")
@pytest.mark.filterwarnings("ignore:Your observation.*has an unconventional shape")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image")
@pytest.mark.parametrize("id", IDS)
def test_stable_baselines_accepts(id: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(id), skip_render_check=True)


@pytest.mark.filterwarnings("ignore:It seems that your observation.*is an image")
@pytest.mark.filterwarnings("ignore:Your observation.*has an unconventional shape")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image")
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()))
def test_checkers_accept_all_observations(variant: dict[str, Any]) -> None:
    check_env(make(**variant), skip_render_check=True)
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(**variant), skip_render_check=True)


def test_make_wraps_and_unwraps() -> None:
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL, reward="Collect[Onion]")
    assert isinstance(env.unwrapped, JellyBeanWorldEnv)
    env.reset(seed=1)
    for _ in range(20):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        assert observation in env.observation_space
        assert terminated is False and truncated is False


def test_a_time_limit_is_a_wrapper() -> None:
    env = gymnasium.make("jbw/JellyBeanWorld-v0", world=SMALL, max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


# --------------------------------------------------------------------------- what one perceives


def test_the_dict_has_vision_scent_and_moved() -> None:
    env = make()
    observation, _ = env.reset(seed=3)
    assert list(observation) == ["vision", "scent", "moved"]
    assert observation["vision"].shape == (7, 7, 3) and observation["vision"].dtype == np.float32
    assert observation["scent"].shape == (2,) and observation["scent"].dtype == np.float32
    assert observation["moved"] == 0
    steps = act(env, 50)
    assert all(step[0] in env.observation_space for step in steps)
    observation, _, _, _, info = steps[-1]
    assert np.array_equal(observation["vision"], env.agent.vision)
    assert np.array_equal(observation["scent"], env.agent.scent)
    assert info["position"] == env.agent.position


def test_moved_tells_of_the_latest_step() -> None:
    env = make()
    _, info = env.reset(seed=3)
    before = info["position"]
    moves = set()
    for observation, _, _, _, info in act(env, 100):
        assert bool(observation["moved"]) == (info["position"] != before)
        moves.add(int(observation["moved"]))
        before = info["position"]
    assert moves == {0, 1}


def test_all_forms_say_the_same() -> None:
    envs = {form: make(observation=form) for form in ("dict", "vision", "scent", "flat")}
    seen = {form: [env.reset(seed=5)[0]] for form, env in envs.items()}
    for form, env in envs.items():
        seen[form] += [step[0] for step in act(env, 60)]
    for i, observation in enumerate(seen["dict"]):
        assert np.array_equal(observation["vision"], seen["vision"][i])
        assert np.array_equal(observation["scent"], seen["scent"][i])
        flat = [observation["vision"].ravel(), observation["scent"], [observation["moved"]]]
        assert np.array_equal(np.concatenate(flat), seen["flat"][i])


def test_item_vision_is_one_hot() -> None:
    env = make(vision="items")
    env.reset(seed=5)
    for action in np.random.default_rng(0).integers(3, size=30):
        vision = env.step(action)[0]["vision"]
        assert vision.shape == (7, 7, 3) and vision.dtype == np.float32
        assert set(np.unique(vision)) <= {0.0, 1.0} and vision.sum(axis=2).max() <= 1
        # the agent sees all around: turn the map into its frame
        x, y = env.agent.position
        cells = env.world.items(x - 3, y - 3, 7, 7)[::-1]
        turns = {"up": 0, "right": 1, "down": 2, "left": 3}[env.agent.direction]
        expected = np.rot90(cells, turns)[..., None] == np.arange(1, 4)
        assert np.array_equal(vision, expected)


def test_a_world_without_scent_has_none_to_observe() -> None:
    env: Any = JellyBeanWorldEnv("walk")
    observation, _ = env.reset(seed=0)
    assert list(observation) == ["vision", "moved"]
    assert set(env.observation_space.spaces) == set(observation)
    with pytest.raises(ValueError, match="no scent"):
        JellyBeanWorldEnv("walk", observation="scent")


@pytest.mark.parametrize("world", ["scent", SMALL])
def test_bounds_hold_and_are_not_too_wide(world: Any) -> None:
    env: Any = JellyBeanWorldEnv(world, "Collect[JellyBean]")
    vision = env.observation_space["vision"]
    assert np.isfinite(vision.low).all() and np.isfinite(vision.high).all()
    assert np.isfinite(env.observation_space["scent"].high).all()
    env.reset(seed=0)
    assert all(step[0] in env.observation_space for step in act(env, 200))
    assert vision.high.max() <= 1.5 and vision.low.min() >= 0


def test_agents_that_share_cells_have_no_bounds_unless_they_are_counted() -> None:
    from jbw.envs.layout import make_layout
    from jbw.envs.spaces import layout_space

    model = jbw.World({**SMALL, "collision": "allow"}).model
    one: Any = layout_space(model, make_layout(model), 1)
    many: Any = layout_space(model, make_layout(model), 10)
    any_number: Any = layout_space(model, make_layout(model), None)
    assert one["vision"].high[0, 0, 2] == np.float32(1.2)
    assert many["vision"].high[0, 0, 2] == np.float32(3.0)
    assert np.isinf(any_number["vision"].high[0, 0, 2])
    assert any_number["vision"].high[0, 0, 1] == np.float32(0.5)  # agents have none of that
    assert np.isinf(any_number["scent"].high[1]) and np.isfinite(any_number["scent"].high[0])


# ------------------------------------------------------------------------------------ promises


def test_observations_never_change_afterwards() -> None:
    env = make()
    kept = [env.reset(seed=9)[0]] + [step[0] for step in act(env, 100)]
    replay = make()
    again = [copy.deepcopy(replay.reset(seed=9)[0])]
    for step in act(replay, 100):
        again.append(copy.deepcopy(step[0]))
    assert len(kept) == 101
    assert all(same(a, b) for a, b in zip(kept, again, strict=True))
    assert len({observation["vision"].tobytes() for observation in kept}) > 50


def test_copy_false_reuses_arrays() -> None:
    env = make(copy=False)
    env.reset(seed=9)
    twin = make()
    twin.reset(seed=9)
    first, *steps = act(env, 20)
    assert all(np.shares_memory(first[0]["vision"], step[0]["vision"]) for step in steps)
    assert np.array_equal(first[0]["vision"], act(twin, 20)[-1][0]["vision"])


def test_the_same_seed_gives_the_same_life() -> None:
    a, b, c = make(), make(), make()
    first = [a.reset(seed=4), *act(a, 100)]
    assert same(first, [b.reset(seed=4), *act(b, 100)])
    assert same(first, [a.reset(seed=4), *act(a, 100)])
    assert not same(first, [c.reset(seed=5), *act(c, 100)])


def test_the_seed_is_that_of_the_world() -> None:
    env = make()
    _, info = env.reset(seed=77)
    assert info["seed"] == 77 == env.world.seed
    twin = jbw.World(SMALL, seed=77)
    twin.add_agent()
    assert twin.hash() == env.world.hash()


def test_a_reset_without_seed_draws_from_the_generator() -> None:
    a, b = make(), make()
    a.reset(seed=1)
    b.reset(seed=1)
    seeds = [(a.reset()[1]["seed"], b.reset()[1]["seed"]) for _ in range(5)]
    assert all(one == other for one, other in seeds)
    assert len({one for one, _ in seeds}) == 5
    assert make().reset()[1]["seed"] != make().reset()[1]["seed"]


def test_strict_has_one_life() -> None:
    env = make(strict=True)
    env.reset(seed=1)
    act(env, 5)
    with pytest.raises(RuntimeError, match="strict"):
        env.reset()
    assert env.step(0)[4]["time"] == 6  # and goes on


def test_info() -> None:
    env = make()
    _, info = env.reset(seed=11)
    assert info["time"] == 0 and info["collected"] is None and info["position"] == info["start"]
    assert info["inventory"] == {"JellyBean": 0, "Onion": 0, "Wall": 0}
    assert info["reward_function"] == "Collect[JellyBean] & Avoid[Onion]"
    assert info["direction"] == "up"
    total, beans, onions = 0.0, 0, 0
    for time, (_, reward, _, _, info) in enumerate(act(env, 300), 1):
        beans += info["collected"] == "JellyBean"
        onions += info["collected"] == "Onion"
        total += reward
        assert isinstance(reward, float)
        assert info["time"] == time
        assert info["inventory"]["JellyBean"] == beans and info["inventory"]["Onion"] == onions
        assert info["direction"] in ("up", "right", "down", "left")
    assert beans > 0 and onions > 0 and total == beans - onions


def test_the_reward_in_force_is_named() -> None:
    env = make(reward="Cyclical[(Collect[JellyBean], 2), (Avoid[Onion], 1)]")
    _, info = env.reset(seed=0)
    names = [info["reward_function"]] + [step[4]["reward_function"] for step in act(env, 6)]
    bean, onion = "Collect[JellyBean]", "Avoid[Onion]"
    assert [name.replace("Collect[Onion, -1]", onion) for name in names] == [
        bean, bean, bean, onion, bean, bean, onion,
    ]  # fmt: skip


# -------------------------------------------------------------------------------------- rewards


def shy(step: Step) -> float:
    """A reward in Python that is the same as a text."""
    return {"JellyBean": 1.0, "Onion": -1.0}.get(step.collected or "", 0.0) - 0.5 * (
        step.action != "NoOp"
    )


def test_a_reward_in_python_equals_its_text() -> None:
    mine, text = make(reward=shy), make(reward="Collect[JellyBean] & Avoid[Onion] & Action[-0.5]")
    _, info = mine.reset(seed=2)
    text.reset(seed=2)
    assert info["reward_function"] == "shy"
    for a, b in zip(act(mine, 200), act(text, 200), strict=True):
        assert a[1] == b[1] and same(a[0], b[0])
        assert a[4]["reward_function"] == "shy"


def test_a_reward_in_python_sees_the_whole_step() -> None:
    seen: list[Step] = []

    def watch(step: Step) -> float:
        seen.append(step)
        return float(step.agent.world.time)

    env = make(reward=watch)
    _, info = env.reset(seed=2)
    position = info["position"]
    for time, (_, reward, _, _, info) in enumerate(act(env, 50)):
        step = seen[time]
        assert (step.time, reward) == (time, time + 1)
        assert (step.position_before, step.position) == (position, info["position"])
        assert step.moved == (position != info["position"])
        assert step.start == info["start"] and step.action in env.action_names
        position = info["position"]


def test_rewards_may_be_objects() -> None:
    made = jbw.rewards.Collect("JellyBean") & jbw.rewards.Avoid("Onion")
    a, b = make(reward=made), make()
    a.reset(seed=2)
    b.reset(seed=2)
    assert same(act(a, 100), act(b, 100))
    nothing = make(reward=None)
    nothing.reset(seed=2)
    assert all(step[1] == 0 for step in act(nothing, 100))


# ------------------------------------------------------------------------------------- arguments


def test_worlds_may_be_given_in_many_ways(tmp_path: Any) -> None:
    config = jbw.World(SMALL).config
    path = tmp_path / "small.yaml"
    path.write_text(jbw.World(SMALL).model.to_yaml())
    lives = []
    for world in (SMALL, config, path, str(path), jbw.World(SMALL).model):
        env = make(world=world)
        env.reset(seed=1)
        lives.append([step[0] for step in act(env, 20)])
    assert all(same(lives[0], life) for life in lives)


def test_overrides() -> None:
    env = make(overrides={"agent.vision_range": 2}, field_of_view=90, visual_occlusion=True)
    assert env.observation_space["vision"].shape == (5, 5, 3)
    assert (env.model.field_of_view == 0).any()
    narrow = small(vision_range=2, field_of_view=90, visual_occlusion=True)
    assert env.model == jbw.World(narrow).model


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"observation": "smell"}, "observation is 'smell', expected one of 'dict'"),
        ({"vision": "grey"}, "vision is 'grey'"),
        ({"render_mode": "paper"}, "render_mode is 'paper'"),
        ({"render_size": (0, 5)}, "render_size"),
        ({"world": "papper"}, "paper"),
        ({"reward": "Collect[Bean]"}, "Bean"),
        ({"reward": "Colect[JellyBean]"}, "Collect"),
        ({"overrides": {"agent.vision_rnage": 3}}, "vision_range"),
        ({"generation_threads": -1}, "generation_threads is -1, expected 0 to 64"),
        ({"generation_threads": 65}, "generation_threads is 65, expected 0 to 64"),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, LookupError, OSError), match=message):
        make(**arguments)


def test_wrong_calls_are_told() -> None:
    env = make()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        _ = env.world
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=2**64)
    with pytest.raises((ValueError, gymnasium.error.Error)):
        env.reset(seed=-1)
    env.reset(seed=2**64 - 1)
    assert env.world.seed == 2**64 - 1
    for wrong in (3, -1):
        with pytest.raises(ValueError, match="action"):
            env.step(wrong)
    with pytest.raises(ValueError, match="unknown action"):
        env.step("MoveUpwards")
    with pytest.raises(TypeError):
        env.step(None)
    assert env.world.time == 0


# ---------------------------------------------------------------------------------------- copies


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("way", list(COPIES))
@pytest.mark.parametrize("reward", ["Cyclical[(Collect[JellyBean], 30), (Explore[0.1], 30)]", shy])
def test_copies_go_on_bit_by_bit(way: str, reward: Any) -> None:
    env = make(reward=reward, render_mode="rgb_array")
    env.reset(seed=8)
    act(env, 40)
    twin = COPIES[way](env)
    assert twin.world.hash() == env.world.hash()
    assert same(act(twin, 100, seed=1), act(env, 100, seed=1))
    assert twin.world.hash() == env.world.hash()
    assert np.array_equal(twin.render(), env.render())
    # the generator too: the next life is the same
    assert same([twin.reset(), *act(twin, 20)], [env.reset(), *act(env, 20)])


@pytest.mark.parametrize("way", list(COPIES))
def test_copies_do_not_disturb_each_other(way: str) -> None:
    env = make()
    env.reset(seed=8)
    act(env, 40)
    before = env.world.hash()
    act(COPIES[way](env), 100, seed=1)
    assert env.world.hash() == before


def test_an_environment_can_be_copied_before_its_life() -> None:
    for way in COPIES.values():
        twin = way(make())
        env = make()
        assert same([twin.reset(seed=1), *act(twin, 10)], [env.reset(seed=1), *act(env, 10)])


def test_strict_copies_stay_strict() -> None:
    env = make(strict=True)
    env.reset(seed=8)
    with pytest.raises(RuntimeError, match="strict"):
        env.clone().reset()
