# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""An agent for the tests of experiments."""

from __future__ import annotations

from typing import Any

import numpy as np

from jbw.experiments import Agent, Life


class Counter(Agent):
    """Remembers all it was told."""

    def __init__(self, life: Life, seed: int, **options: Any) -> None:
        super().__init__(life, seed, **options)
        self.generator = np.random.default_rng(seed)
        self.told: list[tuple[int, float]] = []

    def act(self, observation: Any) -> int:
        return int(self.generator.integers(3))

    def learn(self, observation: Any, action: int, reward: float, after: Any) -> None:
        self.told.append((action, reward))
