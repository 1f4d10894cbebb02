# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The ids under which Gymnasium knows Jelly Bean World.

There is one general id, one for each shipped world, and one for each case study of the paper. Each
stands for some keyword arguments of the same environment, and `gymnasium.make(id, **kwargs)` may
replace any of them. This module loads neither the extension nor an environment, so registering is
cheap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: The task of the paper's agents.
NON_EPISODIC = "Collect[JellyBean] & Avoid[Onion]"

#: The case studies use the world of the authors' released code, not that of the printed tables.
STUDY_WORLD = "paper-code"

#: Jelly beans are good and bananas bad for two years, the other way round for the next two. Onions
#: are worth little, but always the same: an agent that stops learning has nothing else to live on.
SEASONS = (
    "Collect[JellyBean, Square[80000, 1, -1]] & Collect[Banana, Square[80000, -1, 1]] "
    "& Collect[Onion, 0.1]"
)

#: What pays in one biome looks and smells like what costs in another, and every 40,000 steps other
#: biomes pay.
BIOMES = (
    "Collect[JellyBean, Square[80000, 1, -1]] & Collect[Crystal, Square[80000, 1, -1]] "
    "& Collect[Truffle, Square[80000, -1, 1]] "
    "& Avoid[Toadstool, 0.3] & Avoid[Thistle, 0.3] & Avoid[Pebble, 0.3]"
)

#: Jelly beans are good and bananas bad for 40,000 steps, then the other way round. Weeds cost a
#: little. What was good will be good again, in groves that have grown back meanwhile.
ORCHARD = (
    "Collect[JellyBean, Square[80000, 1, -1]] & Collect[Banana, Square[80000, -1, 1]] "
    "& Avoid[Onion, 0.1]"
)

#: What is found is everybody's, mistakes are one's own. An agent that is alone is its own team.
VILLAGE = "Team[Collect[JellyBean]] & Avoid[Onion, 0.1]"

ENTRY_POINT = "jbw.envs.env:JellyBeanWorldEnv"
VECTOR_ENTRY_POINT = "jbw.envs.vector:JellyBeanWorldVectorEnv"


@dataclass(frozen=True)
class Registration:
    """An id, its description, and the arguments that it stands for."""

    id: str
    about: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    many: dict[str, Any] = field(default_factory=dict)
    """More arguments, of `jbw.parallel_env` and `jbw.vector_parallel_env` only."""


def _worlds() -> list[Registration]:
    about = {
        "paper": "the paper's tables 2 and 3 as printed; onions fill most of the map",
        "paper-code": "what the authors' released experiments run on",
        "scent": "the appendix's world without walls, where smelling beats seeing",
        "nonstationary": "the appendix's world of rings, not the same everywhere",
        "walk": "a plain world without scent, for measuring speed",
        "orchard": "groves that bear again some time after they were emptied",
        "seasons": "two crops in turn, then winter; what is good swaps every two years",
        "biomes": "forest, meadow, quarry; what is good in one looks like what is bad in another",
        "workshop": "wood for those who carry an axe, axes for metal, and a telescope",
        "village": "scouts, gatherers and villagers, who talk and leave notes",
    }
    ids = {
        "paper": "jbw/Paper-v0",
        "paper-code": "jbw/PaperCode-v0",
        "scent": "jbw/Scent-v0",
        "nonstationary": "jbw/Nonstationary-v0",
        "walk": "jbw/Walk-v0",
        "orchard": "jbw/Orchard-v0",
        "seasons": "jbw/Seasons-v0",
        "biomes": "jbw/Biomes-v0",
        "workshop": "jbw/Workshop-v0",
        "village": "jbw/Village-v0",
    }
    rewards = {
        "biomes": BIOMES,
        "orchard": ORCHARD,
        "seasons": SEASONS,
        "workshop": "Collect[Wood]",
        "village": VILLAGE,
    }
    many = {
        "village": {"agents": 8, "bodies": (None, "Scout", "Gatherer"), "note": True},
    }
    return [
        Registration(
            ids[world],
            text,
            {"world": world, "reward": rewards.get(world, "Collect[JellyBean]")},
            many.get(world, {}),
        )
        for world, text in about.items()
    ]


def _case_studies() -> list[Registration]:
    studies = [
        Registration(
            "jbw/NonEpisodic-v0",
            "case study 1: one task forever",
            {"world": STUDY_WORLD, "reward": NON_EPISODIC},
        ),
        Registration(
            "jbw/Cyclical-v0",
            "case study 2: two opposite tasks in turn, 100,000 steps each",
            {
                "world": STUDY_WORLD,
                "reward": f"Cyclical[({NON_EPISODIC}, 100000), "
                "(Avoid[JellyBean] & Collect[Onion], 100000)]",
            },
        ),
        Registration(
            "jbw/CurriculumCollect-v0",
            "case study 2: first to collect, after 100,000 steps also to avoid",
            {
                "world": STUDY_WORLD,
                "reward": f"Curriculum[(Collect[JellyBean], 100000), ({NON_EPISODIC}, 1)]",
            },
        ),
        Registration(
            "jbw/CurriculumAvoid-v0",
            "case study 2: first to avoid, after 100,000 steps also to collect",
            {
                "world": STUDY_WORLD,
                "reward": f"Curriculum[(Avoid[Onion], 100000), ({NON_EPISODIC}, 1)]",
            },
        ),
    ]
    studies += [
        Registration(
            f"jbw/FieldOfView{degrees}-v0",
            f"case study 3: agents that see {degrees} degrees",
            {
                "world": STUDY_WORLD,
                "field_of_view": degrees,
                "reward": "Collect[JellyBean]",
                "observation": "vision",
            },
        )
        for degrees in (60, 90, 180, 360)
    ]
    studies.append(
        Registration(
            "jbw/VisualOcclusion-v0",
            "case study 3: walls and trees hide what is behind them",
            {
                "world": STUDY_WORLD,
                "visual_occlusion": True,
                "reward": "Collect[JellyBean]",
                "observation": "vision",
            },
        )
    )
    modalities = {"VisionOnly": "vision", "ScentOnly": "scent", "VisionAndScent": "dict"}
    words = {"vision": "vision alone", "scent": "scent alone", "dict": "vision and scent"}
    studies += [
        Registration(
            f"jbw/{name}-v0",
            f"case study 3: {words[observation]}",
            {"world": STUDY_WORLD, "reward": "Collect[Onion]", "observation": observation},
        )
        for name, observation in modalities.items()
    ]
    studies += [
        Registration(
            f"jbw/Appendix{name}-v0",
            f"appendix: {words[observation]} where scent is worth more",
            {"world": "scent", "reward": "Collect[JellyBean]", "observation": observation},
        )
        for name, observation in modalities.items()
    ]
    return studies


#: Every registered id, in the order of the documentation's table.
REGISTRATIONS: tuple[Registration, ...] = (
    Registration(
        "jbw/JellyBeanWorld-v0",
        "any world and any task",
        {"world": STUDY_WORLD, "reward": "Collect[JellyBean]"},
    ),
    *_worlds(),
    *_case_studies(),
)


def many_arguments(world: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments of environments of many agents, where an id may stand for the world."""
    if not (isinstance(world, str) and world.startswith("jbw/")):
        return {"world": world, **arguments}
    for registration in REGISTRATIONS:
        if registration.id == world:
            return {**registration.kwargs, **registration.many, **arguments}
    raise ValueError(f"there is no id {world!r}; jbw.envs.REGISTRATIONS lists them")


def register_envs() -> None:
    """Registers all ids with Gymnasium. Doing it twice is fine.

    Called by `import jbw` and through the entry point `gymnasium.envs`.
    """
    from gymnasium.envs.registration import register, registry

    for registration in REGISTRATIONS:
        if registration.id not in registry:
            register(
                registration.id,
                entry_point=ENTRY_POINT,
                vector_entry_point=VECTOR_ENTRY_POINT,
                kwargs=dict(registration.kwargs),
            )
