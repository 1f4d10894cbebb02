# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Does it help a gatherer that sees little to hear a scout that sees far?

    python voices.py --steps 60000 --seeds 4 --csv voices.csv --picture voices.svg

A scout sees 5 cells far and cannot collect; a gatherer sees 1 cell far and can. Both are paid for
each jelly bean that the gatherer takes, and may say one of two symbols with each action. Each has a
learner of its own, `ppo` of the C library, which learns while it lives. The same lives are lived
twice: by agents that hear each other, and by deaf ones.

The learner knows neither voices nor ears, so both are put into what it knows. It chooses among all
pairs of an action and a symbol, and what is heard is one more color of every cell that it sees.
"""

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

import jbw

ACTIONS = ["MoveForward", "TurnLeft", "TurnRight", "Collect"]
SYMBOLS = 2
WORLD: dict[str, Any] = {
    "scent_dimensions": 0,
    "patch_size": 32,
    "mh_iterations": 4000,
    "collection": "manual",
    "collision": "allow",
    "agent": {
        "vision_range": 5,
        "color": [0, 0, 1],
        "actions": ACTIONS,
        "voice": {"symbols": SYMBOLS, "range": 32},
    },
    "bodies": {
        "Scout": {"color": [0, 1, 0], "actions": ACTIONS[:3]},
        "Gatherer": {"vision_range": 1},
    },
    "items": {
        "JellyBean": {
            "color": [1, 0, 0],
            "intensity": "Constant[1.5]",
            "interactions": {"JellyBean": "PiecewiseBox[10, 100, 0, -6]"},
            "regrows": "Geometric[300]",
        }
    },
}

# What a learner is made for: pictures with a color for each symbol, and an action for each pair of
# an action and a symbol. Nobody lives in this world, so it does not matter what its actions do.
PAIRS = len(ACTIONS) * (SYMBOLS + 1)
SEEN_BY_LEARNERS: dict[str, Any] = {
    "scent_dimensions": 0,
    "color_dimensions": 3 + SYMBOLS,
    "agent": {"vision_range": 5, "actions": [f"Drop[Bean{i}]" for i in range(PAIRS)]},
    "items": {f"Bean{i}": {} for i in range(PAIRS)},
}


def picture(observation: dict[str, Any], hears: bool) -> np.ndarray:
    """What is seen, and as further colors of all cells what is heard."""
    seen = observation["vision"]
    heard = observation["heard"] if hears else np.zeros(SYMBOLS, np.float32)
    planes = np.broadcast_to(heard, (*seen.shape[:2], SYMBOLS))
    return np.ascontiguousarray(np.concatenate([seen, planes], axis=2), np.float32)


def live(hears: bool, seed: int, steps: int, parts: int) -> list[float]:
    """Jelly beans per step in each part of a life."""
    bodies = {"scout": "Scout", "gatherer": "Gatherer"}
    reward = "Team[Collect[JellyBean]]"
    env = jbw.parallel_env(WORLD, list(bodies), reward, bodies=bodies, info="none", copy=False)
    observations, _ = env.reset(seed=seed)
    model = jbw.World(SEEN_BY_LEARNERS).model
    settings = {"preset": "tiny", "senses": "vision"}
    minds = {
        name: jbw.Policy("ppo", model, None, 2 * seed + i, settings)
        for i, name in enumerate(bodies)
    }
    earned = np.zeros(steps)
    for t in range(steps):
        actions = {}
        for name, mind in minds.items():
            pair = mind.act(t, picture(observations[name], hears))
            actions[name] = (pair // (SYMBOLS + 1), pair % (SYMBOLS + 1))
        observations, rewards, *_ = env.step(actions)
        for name, mind in minds.items():
            mind.reward(rewards[name])
        earned[t] = rewards["gatherer"]
    return [float(part.mean()) for part in np.array_split(earned, parts)]


def interval(differences: np.ndarray) -> tuple[float, float]:
    """A bootstrap interval of 95 % for the mean of paired differences."""
    generator = np.random.default_rng(1)
    drawn = generator.choice(differences, (10_000, len(differences)))
    low, high = np.quantile(drawn.mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def draw(rows: list[tuple[str, int, int, float]], file: Path) -> None:
    """One thin line for each life, and a thick one for the mean of each arm."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.5))
    for arm, color in (("hearing", "tab:blue"), ("deaf", "tab:orange")):
        seeds = sorted({seed for name, seed, _, _ in rows if name == arm})
        steps = sorted({step for _, _, step, _ in rows})
        table = np.array([[r for n, s, _, r in rows if (n, s) == (arm, seed)] for seed in seeds])
        for line in table:
            axes.plot(steps, line, color=color, alpha=0.3, linewidth=0.8)
        axes.plot(steps, table.mean(axis=0), color=color, label=arm)
    axes.set(xlabel="step", ylabel="jelly beans per step")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000, help="of each life")
    parser.add_argument("--seeds", type=int, default=4, help="lives of each kind")
    parser.add_argument("--parts", type=int, default=20, help="points of each learning curve")
    parser.add_argument("--csv", type=Path, help="write the learning curves")
    parser.add_argument("--picture", type=Path, help="draw them")
    arguments = parser.parse_args()

    rows: list[tuple[str, int, int, float]] = []
    late = []  # the last quarter of each life: hearing, deaf
    quarter = max(arguments.parts // 4, 1)
    for seed in range(1, arguments.seeds + 1):
        pair = []
        for arm in ("hearing", "deaf"):
            rates = live(arm == "hearing", seed, arguments.steps, arguments.parts)
            pair.append(float(np.mean(rates[-quarter:])))
            for part, rate in enumerate(rates):
                step = arguments.steps * (part + 1) // arguments.parts
                rows.append((arm, seed, step, round(rate, 5)))
        late.append(pair)
        print(f"seed {seed}: hearing {pair[0]:.4f}, deaf {pair[1]:.4f}", flush=True)
    table = np.array(late)
    low, high = interval(table[:, 0] - table[:, 1])
    mean = (table[:, 0] - table[:, 1]).mean()
    print(f"hearing minus deaf: {mean:+.4f}, 95 % interval from {low:+.4f} to {high:+.4f}")
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("arm", "seed", "step", "jelly_beans_per_step"))
            writer.writerows(rows)
    if arguments.picture:
        draw(rows, arguments.picture)


if __name__ == "__main__":
    main()
