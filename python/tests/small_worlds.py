# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Worlds that are quick to make, shared by the tests of environments."""

from __future__ import annotations

import copy
from typing import Any

#: Small patches, few proposals, a scent that fades soon.
SMALL: dict[str, Any] = {
    "color_dimensions": 3,
    "scent_dimensions": 2,
    "patch_size": 24,
    "mh_iterations": 300,
    "scent_decay": 0.2,
    "scent_diffusion": 0.05,
    "agent": {
        "color": [0.1, 0.0, 0.2],
        "scent": [0.0, 0.3],
        "vision_range": 3,
        "actions": ["MoveForward", "TurnLeft", "TurnRight"],
    },
    "items": {
        "JellyBean": {"color": [0.8, 0.3, 0.2], "scent": [1.0, 0.0], "intensity": "Constant[-1.5]"},
        "Onion": {"color": [0.7, 0.0, 1.0], "scent": [0.0, 0.5], "intensity": "Constant[-2]"},
        "Wall": {
            "color": [0.2, 0.5, 0.7],
            "occlusion": 1.0,
            "blocks_movement": True,
            "intensity": "Constant[-3]",
        },
    },
}


def small(**agent: Any) -> dict[str, Any]:
    """A copy of SMALL with other keys of its agent."""
    world = copy.deepcopy(SMALL)
    world["agent"].update(agent)
    return world
