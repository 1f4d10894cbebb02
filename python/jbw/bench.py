# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The overhead of the environments over the C library: `python -m jbw.bench`.

Both run in this process with the same worlds, actions, buffers and threads, in turns; the best of
many short measurements counts. Agents walk in circles, so that nothing needs to be generated:
generation takes the same time from Python and C, and would hide the overhead. Only `vector_young`
measures generation, with agents that act at random.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.env import JellyBeanWorldEnv
from jbw.envs.vector import JellyBeanWorldVectorEnv
from jbw.envs.vector_parallel import JellyBeanWorldVectorParallelEnv
from jbw.errors import Error

HELP: Mapping[str, Any] = {
    "description": "Measures the overhead of the Python environments over the C library.",
}

REWARD = "Collect[JellyBean]"  # every shipped world has jelly beans
AGENTS = 8  # in the world of many agents


def circle(actions: Sequence[str], steps: int, side: int = 6) -> NDArray[np.int32]:
    """(steps) actions that walk around a square of cells again and again."""
    forward, left = actions.index("MoveForward"), actions.index("TurnLeft")
    lap = ([forward] * side + [left]) * 4
    return np.resize(np.array(lap, np.int32), steps)


def best(
    measures: Sequence[Callable[[], None]],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The shortest time of each, in seconds. They take turns: a busy machine affects all."""
    shortest = [float("inf")] * len(measures)
    for _ in range(repeats):
        for i, measure in enumerate(measures):
            begin = clock()
            measure()
            shortest[i] = min(shortest[i], clock() - begin)
    return shortest


def bench_vector(
    world: str, worlds: int, threads: int, steps: int, repeats: int, copy: bool
) -> dict[str, Any]:
    """`VectorEnv.step` compared with the C batch that it uses."""
    envs = JellyBeanWorldVectorEnv(worlds, world, REWARD, copy=copy, threads=threads)
    envs.reset(seed=0)
    twin = JellyBeanWorldVectorEnv(worlds, world, REWARD, copy=False, threads=threads)
    twin.reset(seed=0)
    batch = twin._live()
    lap = circle(envs.action_names, steps)
    table = np.ascontiguousarray(np.repeat(lap[:, np.newaxis], worlds, axis=1))
    rows = list(table)

    def python() -> None:
        step = envs.step
        for row in rows:
            step(row)

    def c() -> None:
        batch.run(table)

    python()  # a first lap generates the surroundings
    c()
    python_seconds, c_seconds = best([python, c], repeats)
    envs.close()
    twin.close()
    total = steps * worlds
    return {
        "bench": "vector" if copy is False else "vector_copy",
        "world": world,
        "worlds": worlds,
        "threads": threads,
        "steps_per_second": round(total / python_seconds),
        "c_steps_per_second": round(total / c_seconds),
        "ratio": round(c_seconds / python_seconds, 3),
        "overhead_ns_per_batch_step": round((python_seconds - c_seconds) / steps * 1e9),
    }


def bench_young(world: str, worlds: int, threads: int, steps: int, repeats: int) -> dict[str, Any]:
    """`VectorEnv.step` with random actions in worlds that have just been made, so that terrain is
    made on the way, and as many steps of the same worlds later on."""
    fresh = JellyBeanWorldVectorEnv(worlds, world, REWARD, copy=False, info="none", threads=threads)
    fresh.reset(seed=0)
    generator = np.random.default_rng(0)
    rows = list(generator.integers(len(fresh.action_names), size=(steps, worlds), dtype=np.int32))
    young = later = float("inf")
    for _ in range(repeats):
        envs = fresh.clone()

        def walk(step: Callable[[Any], Any] = envs.step) -> None:
            for row in rows:
                step(row)

        young = min(young, *best([walk], 1))
        later = min(later, *best([walk], 1))
        envs.close()
    fresh.close()
    total = steps * worlds
    return {
        "bench": "vector_young",
        "world": world,
        "worlds": worlds,
        "threads": threads,
        "steps": steps,
        "steps_per_second": round(total / young),
        "later_steps_per_second": round(total / later),
        "ratio": round(later / young, 3),
    }


def bench_env(world: str, steps: int, repeats: int) -> list[dict[str, Any]]:
    """`Env.step` compared with the same step in C: as it is by default, as bare as it gets, and
    within the wrappers of `gymnasium.make`, with what these add."""
    ways: dict[str, Any] = {
        "env": JellyBeanWorldEnv(world, REWARD),
        "env_bare": JellyBeanWorldEnv(world, REWARD, copy=False, info="none"),
        "env_made": gymnasium.make("jbw/JellyBeanWorld-v0", world=world, reward=REWARD),
    }
    twin = JellyBeanWorldVectorEnv(1, world, REWARD, copy=False, threads=1)
    twin.reset(seed=0)
    batch = twin._live()
    lap = circle(twin.action_names, steps)
    actions = lap.tolist()
    table = np.ascontiguousarray(lap[:, np.newaxis])

    def python(step: Callable[[int], Any]) -> Callable[[], None]:
        def walk() -> None:
            for action in actions:
                step(action)

        return walk

    def c() -> None:
        batch.run(table)

    for env in ways.values():
        env.reset(seed=0)
    walks = [python(env.step) for env in ways.values()]
    for walk in (*walks, c):
        walk()  # a first lap generates the surroundings
    *python_seconds, c_seconds = best([*walks, c], repeats)
    twin.close()
    results: list[dict[str, Any]] = [
        {
            "bench": name,
            "world": world,
            "ns_per_step": round(seconds / steps * 1e9),
            "c_ns_per_step": round(c_seconds / steps * 1e9),
            "overhead_ns_per_step": round((seconds - c_seconds) / steps * 1e9),
        }
        for name, seconds in zip(ways, python_seconds, strict=True)
    ]
    default, *_, made = python_seconds
    results[-1]["wrappers_ns_per_step"] = round((made - default) / steps * 1e9)
    return results


def bench_parallel(world: str, agents: int, steps: int, repeats: int) -> dict[str, Any]:
    """`ParallelEnv.step` compared with the C batch of one world with as many agents."""
    from jbw.envs.parallel import JellyBeanWorldParallelEnv

    env = JellyBeanWorldParallelEnv(world, agents, REWARD)
    env.reset(seed=0)
    model, parts = env.model, env.model.parts
    arrays: dict[str, Any] = {
        name: np.zeros((agents, *parts[name].shape), parts[name].dtype)
        for name in ("vision", "scent", "moved")
    }
    batch = _core.Batch(
        model, [0], _core.Reward(model, REWARD), agents, 1, **arrays, reward=np.zeros(agents)
    )
    lap = circle(env.action_names, steps)
    table = np.ascontiguousarray(np.repeat(lap[:, np.newaxis], agents, axis=1))
    actions = [dict.fromkeys(env.agents, action) for action in lap.tolist()]

    def python() -> None:
        step = env.step
        for chosen in actions:
            step(chosen)

    def c() -> None:
        batch.run(table)

    python()
    c()
    python_seconds, c_seconds = best([python, c], repeats)
    batch.close()
    total = steps * agents
    return {
        "bench": "parallel",
        "world": world,
        "agents": agents,
        "agent_steps_per_second": round(total / python_seconds),
        "c_agent_steps_per_second": round(total / c_seconds),
        "ratio": round(c_seconds / python_seconds, 3),
    }


def bench_vector_parallel(
    world: str, worlds: int, agents: int, steps: int, repeats: int
) -> dict[str, Any]:
    """`VectorParallelEnv.step` on one thread, compared with the C batch that it uses: all senses,
    and words where agents have a voice."""

    def make() -> JellyBeanWorldVectorParallelEnv:
        envs = JellyBeanWorldVectorParallelEnv(
            world, worlds, agents, f"Team[{REWARD}]", threads=1, copy=False, **senses
        )
        envs.reset(seed=0)
        return envs

    model = _core.World(world).model
    senses: dict[str, Any] = {
        "inventory": True,
        "note": bool(model.text_items),
        "bodies": (None, *model.bodies),
    }
    envs, twin = make(), make()
    batch = twin._live()
    lap = circle(envs.action_names, steps)
    table = np.repeat(lap[:, np.newaxis], envs.num_envs, axis=1)
    if model.voice is not None:
        generator = np.random.default_rng(0)
        say = generator.integers(model.voice[0] + 1, size=table.shape, dtype=np.int32)
        table = np.stack([table, say], axis=2)
    table = np.ascontiguousarray(table)
    rows = list(table)

    def python() -> None:
        step = envs.step
        for row in rows:
            step(row)

    def c() -> None:
        batch.run(table)

    python()
    c()
    # in processor time, so that it holds on a busy machine
    python_seconds, c_seconds = best([python, c], repeats, time.process_time)
    total = steps * envs.num_envs
    envs.close()
    twin.close()
    return {
        "bench": "vector_parallel",
        "world": world,
        "worlds": worlds,
        "agents": agents,
        "threads": 1,
        "agent_steps_per_second": round(total / python_seconds),
        "c_agent_steps_per_second": round(total / c_seconds),
        "ratio": round(c_seconds / python_seconds, 3),
    }


def bench_jax(world: str, worlds: int, repeats: int, observation: str | None) -> dict[str, Any]:
    """A scan of 1,000 steps in a compiled program of JAX, on one thread, compared with the C batch
    that observes the same. The program returns rewards only."""
    import jax
    import jax.numpy as jnp

    import jbw.jax

    env = jbw.jax.Env(worlds, world, REWARD, observation=observation)
    steps = 1000
    lap = circle(env.model.action_names, steps)

    def step(state: Any, action: Any) -> Any:
        state, _, rewards = env.step(state, jnp.full(worlds, action))
        return state, rewards

    program = jax.jit(lambda state: jax.lax.scan(step, state, jnp.asarray(lap)))
    state, _ = env.reset(0)
    arrays: dict[str, Any] = {name: np.zeros_like(part) for name, part in env._arrays.items()}
    reward = _core.Reward(env.model, REWARD)
    batch = _core.Batch(
        env.model, list(range(worlds)), reward, 1, 1, **arrays, reward=np.zeros(worlds)
    )
    table = np.ascontiguousarray(np.repeat(lap[:, np.newaxis], worlds, axis=1))

    def compiled() -> None:
        nonlocal state
        state, rewards = program(state)
        rewards.block_until_ready()

    def c() -> None:
        batch.run(table)

    compiled()
    c()
    # a scan takes so long that a busy machine interrupts each one: processor time, of one thread
    jax_seconds, c_seconds = best([compiled, c], repeats, time.process_time)
    env.close()
    batch.close()
    total = steps * worlds
    return {
        "bench": "jax" if observation is None else "jax_observing",
        "world": world,
        "worlds": worlds,
        "threads": 1,
        "steps_per_second": round(total / jax_seconds),
        "c_steps_per_second": round(total / c_seconds),
        "ratio": round(c_seconds / jax_seconds, 3),
    }


def bench_learn(world: str, repeats: int) -> dict[str, Any]:
    """A life that learns in C, world included, on one core: `ppo`, preset `fast`. Where torch
    and sb3-contrib are installed, also the same network and number of epochs through them."""
    from jbw.experiments.case import make_study, parse_case
    from jbw.experiments.runner import begin

    rows = 512  # steps between two updates
    about = {"steps": rows, "window": rows, "seeds": 1, "world": world, "reward": REWARD}
    study = make_study(parse_case("learn", {**about, "agents": ["ppo"]}))
    options: dict[str, dict[str, Any]] = {"ppo": {"preset": "fast"}}
    if find_spec("sb3_contrib") is not None:
        options["ppo-sb3"] = {"n_epochs": 4}

    def live_on(agent: str) -> Callable[[], None]:
        life, mind = begin(study.runs([0], [agent], None, options[agent])[0])
        mind.live(life, rows)  # what comes before the first update, and what is made only once
        return lambda: mind.live(life, rows)

    seconds = best([live_on(agent) for agent in options], repeats, time.process_time)
    result: dict[str, Any] = {
        "bench": "learn",
        "world": world,
        "steps_per_second": round(rows / seconds[0]),
    }
    if len(seconds) > 1:
        result["torch_steps_per_second"] = round(rows / seconds[1])
        result["torch_ratio"] = round(seconds[1] / seconds[0], 2)
    return result


def measure(
    worlds: Sequence[str],
    num_envs: int,
    threads: int,
    steps: int,
    repeats: int,
    young_steps: int = 0,
) -> list[dict[str, Any]]:
    """All figures, in the order in which they are printed; those of young worlds if there are steps
    for them."""
    threads = threads or (os.cpu_count() or 1)
    results = []
    for world in worlds:
        results += bench_env(world, steps, repeats)
        for count in sorted({1, threads}):
            results.append(bench_vector(world, num_envs, count, steps, repeats, copy=False))
        results.append(bench_vector(world, num_envs, threads, steps, repeats, copy=True))
        if young_steps > 0:
            results.append(bench_young(world, num_envs, 1, young_steps, min(repeats, 3)))
        if find_spec("pettingzoo") is not None:
            results.append(bench_parallel(world, AGENTS, steps, repeats))
        results.append(bench_vector_parallel(world, num_envs, AGENTS, steps, max(repeats // 10, 1)))
        if find_spec("jax") is not None:
            scans = max(repeats // 10, 1)  # they take longer than the others
            results.append(bench_jax(world, num_envs, scans, None))
            results.append(bench_jax(world, num_envs, scans, "dict"))
    return results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `bench`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.add_argument("--world", action="append", metavar="WORLD", help="(paper-code, scent)")
    parser.add_argument("--worlds", type=int, default=64, metavar="N", help="in a batch (64)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="(one per processor)")
    parser.add_argument("--steps", type=int, default=56, metavar="N", help="per measurement (56)")
    parser.add_argument("--repeats", type=int, default=300, metavar="N", help="measurements (300)")
    parser.add_argument(
        "--young-steps",
        type=int,
        default=10_000,
        metavar="N",
        help="first steps of young worlds, on one thread (10000); 0 leaves them out",
    )
    parser.add_argument(
        "--agents",
        action="store_true",
        help="measure many worlds with many agents instead (village)",
    )
    parser.add_argument(
        "--learn",
        action="store_true",
        help="measure a life that learns instead, in C and, where it is installed, through torch",
    )


def run(options: argparse.Namespace) -> int:
    """Measures, prints the results, and returns the exit code."""
    least = min(options.threads, options.young_steps)
    if min(options.worlds, options.steps, options.repeats) < 1 or least < 0:
        print("bench: numbers must be positive", file=sys.stderr)
        return 2
    names = options.world or ["paper-code", "scent"]
    try:
        if options.agents:
            names = options.world or ["village"]
            results = [
                bench_vector_parallel(
                    name, options.worlds, AGENTS, options.steps, max(options.repeats // 10, 1)
                )
                for name in names
            ]
        elif options.learn:
            results = [bench_learn(name, min(options.repeats, 10)) for name in names]
        else:
            results = measure(
                names,
                options.worlds,
                options.threads,
                options.steps,
                options.repeats,
                options.young_steps,
            )
    except (Error, ValueError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    for result in results:
        if options.json:
            print(json.dumps(result), flush=True)
            continue
        figures = [
            f"{key} {value:,}" for key, value in result.items() if key not in ("bench", "world")
        ]
        print(f"{result['bench']:12} {result['world']:12} " + "  ".join(figures))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m jbw.bench`."""
    parser = argparse.ArgumentParser(prog="python -m jbw.bench", **HELP)
    add_arguments(parser)
    return run(parser.parse_args(arguments))


__all__ = [
    "bench_env",
    "bench_jax",
    "bench_learn",
    "bench_parallel",
    "bench_vector",
    "bench_vector_parallel",
    "bench_young",
    "best",
    "circle",
    "main",
    "measure",
]

if __name__ == "__main__":
    sys.exit(main())
