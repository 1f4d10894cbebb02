# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The pages of the Python reference: which names are explained where. mkdocstrings fills them in
from docstrings, and from the stubs of the extension modules, without importing anything."""

from __future__ import annotations

import ast
from pathlib import Path

# page: title, what it is about, names
PAGES = {
    "worlds": (
        "Worlds and agents",
        "A model is a world file, checked; a world is what changes. [The guide](../../python.md)"
        " shows them at work.",
        "World Agent Model Config table Cell Planes Result Stats shipped_worlds shipped_text",
    ),
    "environments": (
        "Environments",
        "For Gymnasium and PettingZoo. [The guide](../../environments.md) lists ids and arguments.",
        "envs.JellyBeanWorldEnv envs.JellyBeanWorldVectorEnv parallel_env"
        " envs.parallel.JellyBeanWorldParallelEnv vector_parallel_env"
        " envs.vector_parallel.JellyBeanWorldVectorParallelEnv envs.RemoteEnv ray.RemoteVectorEnv"
        " envs.options.EnvOptions wrappers",
    ),
    "batches": ("Batches", "Many worlds, stepped together on a pool of threads.", "Batch"),
    "rewards": (
        "Rewards",
        "[The language of rewards](../../rewards.md), as text and as Python objects.",
        "Reward rewards",
    ),
    "policies": (
        "Policies and learners",
        "Built-in agents. [The guide](../../policies.md) says what each does.",
        "Policy policy_names agents",
    ),
    "trainers": (
        "Training libraries",
        "Environments for Stable-Baselines3, torch and JAX. [The guide](../../training.md) trains"
        " with each.",
        "sb3 torch jax",
    ),
    "recordings": (
        "Recordings, atlases, viewers",
        "What is kept, and what is shown.",
        "Recorder Recording Operation Atlas Viewer movies",
    ),
    "remote": (
        "Served worlds",
        "A world on a server, used like one of your own. [The guide](../../clients.md) starts one.",
        "connect RemoteWorld RemoteAgent Frames Frame frames",
    ),
    "evaluate": (
        "Evaluation",
        "Figures of merit for a single endless life. [The guide](../../evaluation.md) says why.",
        "evaluate.rates evaluate.seeds evaluate.stuck",
    ),
    "experiments": (
        "Experiments",
        "The paper's case studies, and your own. `jbw experiments` is the command.",
        "experiments.agents experiments.case experiments.life experiments.results"
        " experiments.summary",
    ),
    "errors": ("Errors", "Every exception has a common ancestor, `jbw.Error`.", "errors"),
}

# modules whose contents are listed elsewhere one by one
PARTS = {"frames": ["AgentMark", "PatchView", "WatchedAgent"]}


def public_names(package: Path) -> list[str]:
    """What jbw/__init__.py offers."""
    tree = ast.parse((package / "__init__.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return [name for name in names if name != "__version__"]
    raise ValueError("jbw/__init__.py has no __all__")


def write(package: Path, out: Path) -> None:
    """Writes the pages, and complains about public names that none of them has."""
    out.mkdir(parents=True, exist_ok=True)
    listed = {name for _, _, names in PAGES.values() for name in names.split()}
    errors = (package / "errors.py").read_text("utf-8")
    missing = [
        name
        for name in public_names(package)
        if name not in listed and f"class {name}(" not in errors
    ]
    if missing:
        raise ValueError(f"no page of scripts/docs_site/python_reference.py has {missing}")
    index = [
        "# Python API",
        "",
        "`import jbw` offers all of this.",
        "",
        "| page | names |",
        "| --- | --- |",
    ]
    for page, (title, about, names) in PAGES.items():
        lines = [f"# {title}", "", about, ""]
        for name in names.split():
            lines += [f"::: jbw.{name}"]
            if name in PARTS:
                lines += ["    options:", f"      members: {PARTS[name]}"]
            lines += [""]
        (out / f"{page}.md").write_text("\n".join(lines))
        shown = ", ".join(f"`jbw.{name}`" for name in names.split())
        index.append(f"| [{title}]({page}.md) | {shown} |")
    (out / "index.md").write_text("\n".join(index) + "\n")
