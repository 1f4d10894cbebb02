// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terrain of a world: its map, extended where agents go, tidied when it takes too much memory, and
/// read by anybody.
#ifndef JBW_SIM_WORLD_TERRAIN_H
#define JBW_SIM_WORLD_TERRAIN_H

#include "sim/world/world.h"

/// As jbw_world_explore, as a part of another operation.
jbw_status jbw_terrain_extend(jbw_world *world, const jbw_position *positions, size_t count);

/// Drops patches that no agent needs now and that can be made again. Call it when nobody holds a
/// pointer to a patch.
void jbw_terrain_tidy(jbw_world *world);

static inline void jbw_terrain_tidy_if_full(jbw_world *world)
{
    if (jbw_generator_is_full(&world->generator, &world->map)) jbw_terrain_tidy(world);
}

#endif
