# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""An agent of your own for the case studies: one small class.

    python own_agent.py --steps 20000
    jbw experiments run scent-world --agent own_agent.py:Nose,random --steps 20000

The second line gives it results, checkpoints, plots and a report as any other agent has. `Nose`
follows its nose, and learns online, for ever, what smells of reward.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import jbw
from jbw import evaluate
from jbw.experiments import Agent, Life, Run
from jbw.experiments.runner import begin


class Nose(Agent):
    """Runs while the smell gets better, tumbles when it gets worse. What smells good it learns from
    what it is paid: reward ~ w . scent. Needs observations with scent, so "scent" or "dict"."""

    def __init__(self, life: Life, seed: int, rate: float = 0.05, calm: float = 0.7) -> None:
        super().__init__(life, seed)
        self.rate, self.calm = rate, calm
        self.generator = np.random.default_rng(seed)  # part of the agent, and of its checkpoints
        self.forward = life.model.action("MoveForward")
        self.turns = [life.model.action("TurnLeft"), life.model.action("TurnRight")]
        self.weights = np.zeros(life.model.scent_dimensions)
        self.pleasure = 0.0

    def scent(self, observation: Any) -> np.ndarray:
        return np.asarray(observation["scent"] if isinstance(observation, dict) else observation)

    def act(self, observation: Any) -> int:
        before, self.pleasure = self.pleasure, float(self.weights @ self.scent(observation))
        if self.pleasure >= before or self.generator.random() < self.calm:
            return self.forward
        return int(self.generator.choice(self.turns))

    def learn(self, observation: Any, action: int, reward: float, after: Any) -> None:
        scent = self.scent(observation)
        error = reward - self.weights @ scent
        self.weights += self.rate * error * scent / (1.0 + scent @ scent)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    window = max(arguments.steps // 10, 1)
    for agent in (f"{Path(__file__).resolve()}:Nose", "random"):
        run = Run(
            case="own",
            variant="main",
            agent=agent,
            seed=arguments.seed,
            world=jbw.shipped_text("scent"),
            reward="Collect[JellyBean]",
            observation="dict",
            steps=arguments.steps,
            window=window,
            every=window,
        )
        life, somebody = begin(run)
        somebody.live(life, arguments.steps)
        rewards = np.array([row["reward"] for row in life.meter.rows])
        rates = evaluate.reward_rate(rewards, window, every=window)
        print(f"{type(somebody).__name__:8} {' '.join(f'{rate:.4f}' for rate in rates)}")


if __name__ == "__main__":
    main()
