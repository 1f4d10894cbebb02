// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Seeing and smelling with agents taken into account, which sim/sense does not know. Used by
/// `jbw_agent_perceive` and `jbw_agent_observe`.
#ifndef JBW_SIM_WORLD_PERCEIVE_H
#define JBW_SIM_WORLD_PERCEIVE_H

#include "sim/world/world.h"

/// How an agent looks at the world. `around` is `jbw_agents_around`.
static inline jbw_gaze jbw_perceive_gaze(const jbw_agent *agent, jbw_patch *const *around)
{
    return (jbw_gaze){agent->position, agent->direction, around, agent->view};
}

/// Writes what an agent sees: (side, side, color_dimensions). `around` is `jbw_agents_around`.
void jbw_perceive_vision(jbw_world *world, const jbw_agent *agent, jbw_patch *const around[9],
                         float *vision);

/// Writes the visible items, one-hot, and the number of other agents: (side, side, item types +
/// bodies).
void jbw_perceive_entities(jbw_world *world, const jbw_agent *agent, jbw_patch *const around[9],
                           float *entities);

/// Writes what an agent smells: (scent_dimensions). There must be room in the world's scent cache.
void jbw_perceive_scent(jbw_world *world, const jbw_agent *agent, jbw_patch *const around[9],
                        float *scent);

/// Writes the text that an agent reads (jbw_agent_read).
void jbw_perceive_text(const jbw_world *world, const jbw_agent *agent, char text[JBW_MAX_TEXT + 1]);

#endif
