// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The senses of an agent that take more than its own cell: what perceiving and observing share.
#ifndef JBW_SIM_WORLD_PERCEIVE_H
#define JBW_SIM_WORLD_PERCEIVE_H

#include "sim/world/world.h"

/// Writes what an agent sees: (side, side, color_dimensions).
void jbw_perceive_vision(jbw_world *world, jbw_agent *agent, float *vision);

/// Writes what an agent smells: (scent_dimensions). There must be room in the world's scent cache.
void jbw_perceive_scent(jbw_world *world, jbw_agent *agent, float *scent);

#endif
