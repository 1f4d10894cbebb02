// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terrain of a world: generating patches where agents go, dropping patches when they take too
/// much memory, and reading regions of the map.
#ifndef JBW_SIM_WORLD_TERRAIN_H
#define JBW_SIM_WORLD_TERRAIN_H

#include "sim/world/world.h"

/// As `jbw_world_explore`, as part of another operation.
jbw_status jbw_terrain_extend(jbw_world *world, const jbw_position *positions, size_t count);

/// Drops patches from memory that no agent needs now and that can be generated again, after a step
/// or before the map is extended: only in invariant worlds. Pointers to patches become invalid.
void jbw_terrain_drop_patches(jbw_world *world);

static inline void jbw_terrain_drop_if_full(jbw_world *world)
{
    if (jbw_generator_is_full(&world->generator, &world->map)) jbw_terrain_drop_patches(world);
}

#endif
