# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A world of our own, written in Python: berries on bushes, and an axe that opens the way to
firewood.

python custom_world.py --steps 2000
"""

import argparse

import numpy as np

import jbw

# The same keys as in a world file. What is left out has a default.
WORLD = {
    "patch_size": 32,
    "mh_iterations": 4000,
    "color_dimensions": 3,
    "scent_dimensions": 1,
    "scent_decay": 0.3,
    "scent_diffusion": 0.12,
    "agent": {
        "vision_range": 5,
        "color": [0, 0, 0],
        "actions": ["MoveForward", "TurnLeft", "TurnRight"],
    },
    "items": {
        "Bush": {
            "color": [0.1, 0.5, 0.1],
            "collectable": False,
            "intensity": "Constant[-4]",
            # bushes like company up to two cells away, but not too much of it
            "interactions": {"Bush": "PiecewiseBox[9, 40, 1.5, -1.5]"},
        },
        "Berry": {
            "color": [0.8, 0.1, 0.3],
            "scent": [1.0],
            "intensity": "Constant[-6]",
            "interactions": {"Bush": "PiecewiseBox[3, 9, 2.5, 0]"},
        },
        "Axe": {"color": [0.3, 0.3, 0.3], "intensity": "Constant[-5.5]"},
        "Wood": {"color": [0.5, 0.3, 0.1], "intensity": "Constant[-4]", "requires": {"Axe": 1}},
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    world = jbw.World(WORLD, seed=arguments.seed)
    agent = world.add_agent()

    # how much of everything is there? Nothing is generated unless we ask for it
    world.explore_region(-64, -64, 128, 128)
    cells = world.items(-64, -64, 128, 128)
    for number, name in enumerate(world.item_names, 1):
        print(f"{name:6} {np.count_nonzero(cells == number):5} in 128 x 128 cells")

    # a walk with a turn every now and then; wood is only taken once there is an axe
    generator = np.random.default_rng(arguments.seed)
    for _ in range(arguments.steps):
        agent.act("MoveForward" if generator.random() < 0.9 else "TurnLeft")
        if agent.result.collected == "Axe" and agent.items["Axe"] == 1:
            print(f"time {world.time}: the first axe, at {agent.position}")
    print(f"carrying {agent.items} after {world.time} steps")

    # an edit holds from now on, and scent needs a step to get here
    x, y = agent.position
    before = agent.scent.copy()
    if world.items(x, y + 1, 1, 1)[0, 0] == 0:
        world.place("Berry", x, y + 1)
        agent.act("TurnLeft")
        print(f"scent {before} before, {agent.scent} next to a new berry")


if __name__ == "__main__":
    main()
