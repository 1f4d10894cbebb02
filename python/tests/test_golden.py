# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The golden hashes of the C tests, seen from Python: the same worlds, the same perceptions."""

from pathlib import Path

import numpy as np
import pytest

import jbw

HASHES = Path(__file__).parents[2] / "tests" / "golden" / "hashes.txt"
SEEDS = (1, 0xFEDCBA9876543210)

pytestmark = pytest.mark.skipif(not HASHES.exists(), reason="the golden hashes are not here")


def golden() -> dict[tuple[str, int, int], int]:
    lines = (line.split() for line in HASHES.read_text().splitlines() if not line.startswith("#"))
    return {(name, int(seed), int(steps)): int(value, 16) for name, seed, steps, value in lines}


@pytest.mark.parametrize("name", jbw.shipped_worlds())
@pytest.mark.parametrize("seed", SEEDS)
def test_maps(name: str, seed: int) -> None:
    expected = golden()
    world = jbw.World(name, seed=seed)
    for step in range(301):
        cells = [
            (min(step, 150), max(0, step - 150)),
            (-500 - step // 2, 700 + step // 3),
            (-(2**50), 2**50),
        ]
        world.explore(cells if step == 200 else cells[:2])
        if step in (0, 100, 300):
            assert world.hash() == expected[name, seed, step]


class Draws:
    """The little generator of tests/sim/world/test_golden.c."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def __call__(self, bound: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


@pytest.mark.slow
@pytest.mark.parametrize("name", jbw.shipped_worlds())
def test_agents(name: str) -> None:
    """What six agents do, see, smell and are paid in 1,000 steps of a lively world."""
    xxhash = pytest.importorskip("xxhash")
    seed = SEEDS[1]
    base = jbw.Config(name)
    first, last = base.items[0], base.items[-1]
    overrides = {
        "agent.actions": [
            "MoveForward",
            "MoveBackward",
            "MoveLeft",
            "MoveRight",
            "TurnLeft",
            "TurnRight",
            "TurnAround",
            "Collect",
            f"Drop[{first}]",
            "NoOp",
        ],
        "agent.color": [0.3, 0.2, 0.1][: base["color_dimensions"]],
        "agent.scent": [0.5, 0.25, 0.125][: base["scent_dimensions"]],
        "agent.visual_occlusion": True,
        "agent.field_of_view": 200,
        "collision": "random",
    }
    seasons = {
        f"items.{item}.season.{key}": number // 50  # years are shorter than the run
        for item in base.items
        for key, number in base.to_dict()["items"][item].get("season", {}).items()
    }
    regrowth = {
        f"items.{item}.regrows": "Geometric[40]"
        for item in base.items
        if "regrows" in base.to_dict()["items"][item]
    }
    world = jbw.World(name, seed=seed, overrides=overrides | seasons | regrowth)
    reward = jbw.Reward(
        world.model,
        f"Action[-0.01] & Explore[0.1] & Cyclical[(Collect[{first}] & Avoid[{last}, 0.5], 17), "
        f"(Gradual[Collect[{last}], Collect[{first}, 3], 300], 23)]",
    )
    bodies = [None, *world.model.bodies]
    agents = [world.add_agent(body=bodies[i % len(bodies)]) for i in range(6)]
    symbols = world.model.voice[0] if world.model.voice else 0
    draw = Draws(seed)
    value = seed
    digest = xxhash.xxh3_64_intdigest
    for _ in range(1000):
        actions = [0 if draw(2) else draw(10) for _ in agents]
        say, texts = [0] * 6, [None] * 6
        for i, action in enumerate(actions):
            if symbols:
                say[i] = draw(symbols + 1)
            if symbols and action == 8:
                texts[i] = "beans here" if draw(2) else "é"
        if symbols:
            world.act(agents, list(zip(actions, say, strict=True)), texts)
        else:
            world.act(agents, actions)
        if draw(10) == 0:
            x = draw(20) - 10
            y = draw(20) - 10
            try:
                world.remove(x, y)
            except jbw.NotFoundError:
                world.place(draw(len(base.items)), x, y)
        for agent in agents:
            seen = np.concatenate([agent.vision.reshape(-1), agent.scent])
            words = seen.view(np.uint32).astype("<u8").tobytes()
            paid = np.array(reward.of(agent), "<f8").tobytes()
            for at in range(0, len(words), 8):
                value = digest(words[at : at + 8], value)
            value = digest(paid, value)
            if symbols:
                for count in agent.heard.tolist():
                    value = digest(int(count).to_bytes(8, "little"), value)
                value = digest((agent.note or "").encode(), value)
    value = digest(world.hash().to_bytes(8, "little"), value)
    assert value == golden()[f"{name}:agents", seed, 1000]
