# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Lives that end after some steps, and infos: as in Gymnasium's own vector environments."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from small_worlds import SMALL

from jbw.envs import JellyBeanWorldEnv, JellyBeanWorldVectorEnv
from jbw.envs.infos import Infos

COUNT = 3
REWARD = "Cyclical[(Collect[JellyBean] & Avoid[Onion], 4), (Action[0.5], 3)]"
MODES: Any = ("next_step", "same_step", "disabled")


def make(**kwargs: Any) -> JellyBeanWorldVectorEnv:
    return JellyBeanWorldVectorEnv(COUNT, **{"world": SMALL, "reward": REWARD, **kwargs})


def make_sync(limits: list[int], mode: str, **kwargs: Any) -> SyncVectorEnv:
    """What Gymnasium makes of single environments, by other code."""

    def one(limit: int) -> Any:
        return lambda: TimeLimit(JellyBeanWorldEnv(SMALL, REWARD, **kwargs), limit)

    modes = {mode.value: mode for mode in AutoresetMode}
    found = {"next_step": "NextStep", "same_step": "SameStep", "disabled": "Disabled"}[mode]
    return SyncVectorEnv([one(limit) for limit in limits], autoreset_mode=modes[found])


def plain(value: Any) -> Any:
    """With dicts instead of Infos, and seeds as Gymnasium has them."""
    if isinstance(value, dict):
        return {
            key: part.astype(np.int64) if key == "seed" else plain(part)
            for key, part in value.items()
        }
    return type(value)(plain(part) for part in value) if type(value) in (tuple, list) else value


def same(a: Any, b: Any) -> bool:
    return bool(data_equivalence(plain(a), plain(b), exact=True))


def actions_of(step: int) -> np.ndarray:
    return np.random.default_rng(step).integers(3, size=COUNT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("info", ["full", "numbers", "none"])
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_equal_to_gymnasium(mode: str, info: Any, observation: Any) -> None:
    options = {"info": info, "observation": observation}
    envs = make(max_episode_steps=5, autoreset_mode=mode, **options)
    sync = make_sync([5] * COUNT, mode, **options)
    assert envs.metadata["autoreset_mode"] is envs.autoreset_mode is sync.autoreset_mode
    assert same(envs.reset(seed=4), sync.reset(seed=4))
    truncated = 0
    for step in range(22):
        mine, theirs = envs.step(actions_of(step)), sync.step(actions_of(step))
        if info == "none" and mode == "same_step":
            theirs[4].pop("final_info", None), theirs[4].pop("_final_info", None)
        assert same(mine, theirs), step
        truncated += int(mine[3].sum())
        if mode == "disabled" and mine[3].all():
            assert same(envs.reset(seed=step), sync.reset(seed=step))
    assert truncated == {"next_step": 9, "same_step": 12, "disabled": 12}[mode]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("copied", [True, False])
def test_lives_that_end_at_different_times(mode: str, copied: bool) -> None:
    envs = make(max_episode_steps=6, autoreset_mode=mode, copy=copied)
    sync = make_sync([6] * COUNT, mode)
    envs.reset(seed=1)
    sync.reset(seed=1)
    mask = np.array([False, True, False])
    for step in range(30):
        assert same(envs.step(actions_of(step)), sync.step(actions_of(step)))
        if step in (1, 15):  # from now on one of them is behind the others
            envs.reset(seed=step, options={"reset_mask": mask})
            sync.reset(seed=step, options={"reset_mask": mask})


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("info", ["full", "numbers"])
def test_infos_are_made_when_used(copied: bool, info: Any) -> None:
    envs, twin = make(copy=copied, info=info), make(info=info)
    envs.reset(seed=1)
    twin.reset(seed=1)
    later: list[Any] = []
    for step in range(8):
        infos = envs.step(actions_of(step))[4]
        assert isinstance(infos, Infos) and dict.__len__(infos) == 0
        later.append((infos, copy.deepcopy(twin.step(actions_of(step))[4])))
        if not copied:
            assert same(infos, later[-1][1])
    if copied:  # long after the step, they still tell about that step
        assert all(same(infos, expected) for infos, expected in later)
    infos = make(info=info).reset(seed=1)[1]
    infos["mine"] = 3
    assert infos["mine"] == 3 and "seed" in infos and len(infos) == len(list(infos))


@pytest.mark.parametrize(
    "way",
    [
        dict,
        lambda infos: {**infos},
        lambda infos: infos | {},
        lambda infos: {} | infos,
        lambda infos: dict(infos.items()),
        lambda infos: {key: infos[key] for key in infos},
        lambda infos: {key: infos.get(key) for key in infos.keys()},  # noqa: SIM118
        lambda infos: dict(zip(infos, infos.values(), strict=True)),
        lambda infos: infos.copy(),
        copy.copy,
        copy.deepcopy,
        lambda infos: pickle.loads(pickle.dumps(infos)),
    ],
)
def test_every_way_to_read_infos(way: Any) -> None:
    results = []
    for _ in range(2):
        envs = make(info="numbers")
        envs.reset(seed=1)
        results.append(envs.step([0] * COUNT)[4])
    list(results[1])
    assert type(way(results[0])) is dict
    assert same(way(results[0]), results[1])
    assert repr(results[0]) == repr(results[1])


def test_the_limit_of_make_vec() -> None:
    envs = gymnasium.make_vec("jbw/PaperCode-v0", num_envs=2, max_episode_steps=3)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    envs.reset(seed=0)
    ends = [envs.step(np.zeros(2, np.int64))[3].tolist() for _ in range(4)]
    assert ends == [[False, False], [False, False], [True, True], [False, False]]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_copies_go_on(mode: str) -> None:
    envs = make(max_episode_steps=4, autoreset_mode=mode)
    envs.reset(seed=1)
    for step in range(6):
        envs.step(actions_of(step))
    for twin in (envs.clone(), pickle.loads(pickle.dumps(envs))):
        again = envs.clone()
        for step in range(10):
            assert same(twin.step(actions_of(step)), again.step(actions_of(step)))


def test_send_and_recv_know_the_limit() -> None:
    envs = make(max_episode_steps=2, autoreset_mode="disabled")
    envs.reset(seed=1)
    ends = []
    for _ in range(2):
        envs.send([0, 0], [0, 2])
        ends.append(envs.recv()[3].tolist())
    assert ends == [[False, False], [True, True]]
    other = make(max_episode_steps=2)
    other.reset(seed=1)
    with pytest.raises(RuntimeError, match="autoreset_mode"):
        other.send([0] * COUNT)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        ({"autoreset_mode": "later"}, "autoreset_mode is 'later'"),
        ({"info": "some"}, "info is 'some'"),
        ({"strict": True, "max_episode_steps": 3}, "strict"),
    ],
)
def test_mistakes_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_wrong_actions_change_nothing() -> None:
    envs, twin = make(max_episode_steps=2), make(max_episode_steps=2)
    mask = np.array([True, False, False])
    for one in (envs, twin):
        one.reset(seed=1)
        one.step([0] * COUNT)
        one.reset(seed=9, options={"reset_mask": mask})
        one.step([0] * COUNT)  # now two of them are to be reset
    for wrong in ([9, 0, 0], [0, 0], [0.5] * COUNT):
        with pytest.raises(ValueError, match="action"):
            envs.step(wrong)
    assert same(envs.step([0] * COUNT), twin.step([0] * COUNT))
