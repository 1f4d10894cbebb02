# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The agents of experiments, and the base class for your own.

    class Mine(Agent):
        def act(self, observation):
            return 0
        def learn(self, observation, action, reward, after):
            ...

`--agent path/to/file.py:Mine` or `--agent module:Mine` runs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jbw.experiments.errors import ExperimentError

if TYPE_CHECKING:
    from jbw.experiments.life import Life

#: The agents that come with the package, and their classes.
KNOWN = {
    "greedy": "jbw.experiments.agents.builtin:Greedy",
    "oracle": "jbw.experiments.agents.builtin:Oracle",
    "random": "jbw.experiments.agents.builtin:Random",
    "forward": "jbw.experiments.agents.builtin:Forward",
    "ppo": "jbw.experiments.agents.learner:PPO",
    "ppo-fast": "jbw.experiments.agents.learner:FastPPO",
    "ppo-vector": "jbw.experiments.agents.learner:VectorPPO",
    "dqn": "jbw.experiments.agents.learner:DQN",
    "ppo-sb3": "jbw.experiments.agents.ppo_sb3:PPO",
    "ppo-sb3-vector": "jbw.experiments.agents.ppo_sb3:VectorPPO",
}

#: What plots, tables and reports call them.
LABELS = {
    "greedy": "greedy",
    "oracle": "oracle",
    "random": "random",
    "forward": "forward",
    "ppo": "PPO",
    "ppo-fast": "PPO (fast)",
    "ppo-vector": "PPO (many worlds)",
    "dqn": "DQN",
    "ppo-sb3": "PPO (Stable-Baselines3)",
    "ppo-sb3-vector": "PPO (Stable-Baselines3, many worlds)",
}


class Agent:
    """Lives in a `Life` and may learn from it. Derived classes define `act` and, maybe, `learn`.

    The object is pickled into checkpoints, so it must hold all its state: weights, and a random
    generator of its own, seeded with `seed`.
    """

    #: False for agents that do not use `Life.observation`.
    observes = True
    #: The number of worlds in which it lives at once.
    worlds = 1
    #: Options that affect no result, such as threads: a run is the same with any of them.
    idle_options: frozenset[str] = frozenset()

    def __init__(self, life: Life, seed: int, **options: Any) -> None:
        """`life` has `action_count`, `model`, `reward`, and the first `observation`."""
        self.refuse(options)
        self.seed = seed
        #: False if it must not learn, see `jbw experiments freeze`.
        self.learning = True

    @classmethod
    def refuse(cls, options: dict[str, Any]) -> None:
        """Raises ExperimentError if there are options, which this agent does not know."""
        if options:
            raise ExperimentError(f"{cls.__name__} has no option {', '.join(map(repr, options))}")

    @classmethod
    def world_count(cls, options: dict[str, Any]) -> int:
        """The number of worlds for an agent with these options."""
        return cls.worlds

    def act(self, observation: Any) -> int:
        """Chooses an action."""
        raise NotImplementedError

    def learn(self, observation: Any, action: int, reward: float, after: Any) -> None:
        """Called after every step, unless `learning` is False."""

    def live(self, life: Life, steps: int) -> None:
        """Lives for a number of steps. Agents that learn in long strides may take more."""
        for _ in range(steps):
            before = life.observation
            action = self.act(before)
            reward = life.step(action)
            if self.learning:
                self.learn(before, action, reward, life.observation)

    def resume(self, life: Life) -> None:
        """Called after the agent was loaded from a checkpoint, before it continues."""

    def arrange(self, **options: Any) -> None:
        """Called with its `idle_options`, if any are given, before it lives."""

    def facts(self) -> dict[str, Any]:
        """What to keep with the results of a finished run, such as a hash of the weights. Must be
        the same when the run is repeated."""
        return {}


def agent_class(name: str) -> type[Agent]:
    """Finds an agent by its name, "file.py:Class" or "module:Class"."""
    where = KNOWN.get(name, name)
    module_name, colon, class_name = where.rpartition(":")
    if not colon:
        near = get_close_matches(name, KNOWN, 1)
        hint = f", did you mean {near[0]}?" if near else "."
        raise ExperimentError(
            f"there is no agent {name!r}{hint} Expected {', '.join(KNOWN)}, file.py:Class or "
            "module:Class"
        )
    module = _import_file(module_name) if module_name.endswith(".py") else _import(module_name)
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise ExperimentError(f"{name}: {class_name} is not a class derived from Agent")
    return found


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise ExperimentError(f"there is no module {name}") from error
        raise ExperimentError(
            f"{name} needs {error.name}, which is not installed: pip install 'jbw[train]'"
        ) from error


def _import_file(path: str) -> Any:
    """Imports a file as a module, under a fixed name by which checkpoints find it."""
    file = Path(path).resolve()
    name = f"jbw_agent_{file.stem}"
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(file):
        return loaded
    if not file.is_file():
        raise ExperimentError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
