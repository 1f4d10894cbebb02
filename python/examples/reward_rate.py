# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A plot of reward rates, as in the paper: what the built-in agents earn while the task changes.

    python reward_rate.py --steps 200000 --out reward-rate.png

The reward rate is the reward per step over a moving window. Every period the task turns into its
opposite, as in the paper's second case study.
"""

import argparse

import matplotlib

matplotlib.use("Agg")  # a picture, not a window

import matplotlib.pyplot as plt
import numpy as np

import jbw

COLORS = {"greedy": "#c0392b", "random": "#5f6f7f", "forward": "#2e86ab"}


def live(policy: str, reward: str, seed: int, steps: int) -> np.ndarray:
    """(steps) rewards of one life, all of it in C."""
    world = jbw.World("paper-code", seed=seed)
    agent = world.add_agent()
    compiled = jbw.Reward(world.model, reward)
    return agent.follow(jbw.Policy(policy, world.model, compiled, seed=seed), steps, compiled)


def moving_average(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of the latest values at each point: fewer than `window` in the beginning."""
    sums = np.concatenate([[0.0], values.cumsum()])
    end = np.arange(1, len(values) + 1)
    begin = np.maximum(end - window, 0)
    means: np.ndarray = (sums[end] - sums[begin]) / (end - begin)
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60000)
    parser.add_argument("--seeds", type=int, default=4, help="lives per policy")
    parser.add_argument("--out", default="reward-rate.png")
    arguments = parser.parse_args()

    period = max(arguments.steps // 4, 1)
    window = max(arguments.steps // 20, 1)
    reward = (
        f"Cyclical[(Collect[JellyBean] & Avoid[Onion], {period}), "
        f"(Avoid[JellyBean] & Collect[Onion], {period})]"
    )

    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    for policy, color in COLORS.items():
        lives = [live(policy, reward, seed, arguments.steps) for seed in range(arguments.seeds)]
        rates = np.array([moving_average(rewards, window) for rewards in lives])
        mean = rates.mean(axis=0)
        error = rates.std(axis=0) / np.sqrt(len(rates))
        shown = np.unique(np.linspace(0, arguments.steps - 1, 1000).astype(int))
        axes.plot(shown, mean[shown], color=color, label=policy, linewidth=1.8)
        low, high = (mean - error)[shown], (mean + error)[shown]
        axes.fill_between(shown, low, high, color=color, alpha=0.2, linewidth=0)
        print(f"{policy:8} {mean[-1]:+.4f} a step at the end, {np.mean(lives):+.4f} on average")

    # name the task of each period above it
    tasks = ["beans good, onions bad", "onions good, beans bad"]
    for i, begin in enumerate(range(0, arguments.steps, period)):
        if begin > 0:
            axes.axvline(begin, color="#999999", linewidth=0.8, linestyle="--")
        middle = (begin + min(begin + period, arguments.steps)) / 2
        place = axes.get_xaxis_transform()  # x in steps, y as a part of the height
        text = axes.text(middle, 1.01, tasks[i % 2], transform=place, ha="center", va="bottom")
        text.set(fontsize=9, color="#666666")
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_xlim(0, arguments.steps)
    axes.set_xlabel("step")
    axes.set_ylabel(f"reward rate, {window:,}-step window")
    axes.set_title("Two opposite tasks in turn, paper-code", pad=22)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(arguments.out, dpi=150)
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
