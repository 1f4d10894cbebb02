# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""An axe before wood: does a curriculum of rewards help a learner in the world `workshop`?

    python curriculum.py --metal 20 --csv curriculum.csv --picture curriculum.svg

Wood can be collected by those who carry an axe, and an axe costs two pieces of metal, or as many as
`--metal` says. The learner is `ppo` of the C library, which sees, smells, remembers and learns
while it lives; it does not see what it carries. The same lives are lived twice: paid for wood
alone, and paid in stages, for metal, then for axes, then for wood.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

import jbw

ITEMS = ("Metal", "Axe", "Wood")


def rewards(steps: int) -> dict[str, str]:
    """The rewards of both kinds of lives. Two stages take a fifth of a life each."""
    stage = max(steps // 5, 1)
    return {
        "stages": f"Curriculum[(Collect[Metal], {stage}), "
        f"(Collect[Axe] & Collect[Metal, 0.2], {stage}), (Collect[Wood], 1)]",
        "wood alone": "Collect[Wood]",
    }


def live(text: str, metal: int, seed: int, steps: int, parts: int) -> list[list[int]]:
    """How many of each item were collected in each part of a life, whatever they paid."""
    world = jbw.World("workshop", seed=seed, overrides={"items.Axe.costs": {"Metal": metal}})
    agent = world.add_agent()
    reward = jbw.Reward(world.model, text)
    mind = jbw.Policy("ppo", world.model, reward, seed, {"preset": "tiny"})
    types = [world.model.item_names.index(name) for name in ITEMS]
    found = []
    for part in range(parts):
        length = steps * (part + 1) // parts - steps * part // parts
        *_, collected = agent.follow_log(mind, length, reward)
        found.append([int((collected == item).sum()) for item in types])
    return found


def interval(differences: np.ndarray) -> tuple[float, float]:
    """A bootstrap interval of 95 % for the mean of paired differences."""
    generator = np.random.default_rng(1)
    drawn = generator.choice(differences, (10_000, len(differences)))
    low, high = np.quantile(drawn.mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def draw(rows: list[list[object]], steps: int, file: Path) -> None:
    """What the lives collect, item by item: thin lines, and their means."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(ITEMS), figsize=(9, 3), sharex=True)
    for panel, name in zip(panels, ITEMS, strict=True):
        for arm, color in (("stages", "tab:blue"), ("wood alone", "tab:orange")):
            mine = [row for row in rows if row[0] == arm]
            times = sorted({int(row[2]) / 1000 for row in mine})
            column = 3 + ITEMS.index(name)
            seeds = sorted({row[1] for row in mine})
            table = np.array([[row[column] for row in mine if row[1] == seed] for seed in seeds])
            for line in table:
                panel.plot(times, line, color=color, alpha=0.3, linewidth=0.8)
            panel.plot(times, table.mean(axis=0), color=color, label=arm)
        for stage in (1, 2):
            panel.axvline(steps * stage / 5000, color="gray", linewidth=0.6, linestyle=":")
        panel.set(title=name, xlabel="thousand steps")
    panels[0].set_ylabel("collected")
    panels[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--metal", type=int, default=2, help="price of an axe (2)")
    parser.add_argument("--steps", type=int, default=150_000, help="of each life (150000)")
    parser.add_argument("--seeds", type=int, default=3, help="lives of each kind")
    parser.add_argument("--parts", type=int, default=20, help="points of each learning curve")
    parser.add_argument("--csv", type=Path, help="write the learning curves")
    parser.add_argument("--picture", type=Path, help="draw them")
    arguments = parser.parse_args()

    rows: list[list[object]] = []
    late = []  # wood per step in the last fifth of each life: stages, wood alone
    last = max(arguments.parts // 5, 1)
    for seed in range(1, arguments.seeds + 1):
        pair = []
        for arm, text in rewards(arguments.steps).items():
            found = live(text, arguments.metal, seed, arguments.steps, arguments.parts)
            wood = sum(counts[ITEMS.index("Wood")] for counts in found[-last:])
            pair.append(wood * arguments.parts / (last * arguments.steps))
            for part, counts in enumerate(found):
                step = arguments.steps * (part + 1) // arguments.parts
                rows.append([arm, seed, step, *counts])
        late.append(pair)
        print(f"seed {seed}: stages {pair[0]:.4f}, wood alone {pair[1]:.4f}", flush=True)
    table = np.array(late)
    low, high = interval(table[:, 0] - table[:, 1])
    mean = (table[:, 0] - table[:, 1]).mean()
    print(f"stages minus wood alone: {mean:+.4f}, 95 % interval from {low:+.4f} to {high:+.4f}")
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("arm", "seed", "step", *(name.lower() for name in ITEMS)))
            writer.writerows(rows)
    if arguments.picture:
        draw(rows, arguments.steps, arguments.picture)


if __name__ == "__main__":
    main()
