// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What writing and reading the state of a world agree on. docs/snapshot_format.md describes it.
///
///     version, config, seed, time, counters
///     patches     in the order of their creation
///     events      that can still be smelled, oldest first
///     agents      by slot, then their order, then what they have asked for, earliest first
///
/// Of an invariant world there are no counters, and of patches only what has changed in them, by
/// place: all that cannot be made again.
#ifndef JBW_SIM_SAVE_WORLD_STATE_H
#define JBW_SIM_SAVE_WORLD_STATE_H

#include "base/bytes.h"
#include "sim/world/world.h"

enum {
    JBW_STATE_VERSION = 1,           // of worlds that remember all their patches
    JBW_STATE_VERSION_INVARIANT = 2, // of worlds that make them again

    // flags of a patch
    JBW_STATE_IS_FINAL = 1,

    // flags of an agent's slot
    JBW_STATE_IS_ALIVE = 1,
    JBW_STATE_IS_ACTIVE = 2,
};

/// The most bytes that the cells of a patch take.
size_t jbw_cells_room(const jbw_model *model);

/// Writes the items of a patch where there is room for them, and returns their end.
///
///     count, then for each item: (empty cells before it) * type_count + type
uint8_t *jbw_cells_put(const jbw_model *model, const uint8_t *cells, uint8_t *at);

/// Writes what has changed in the patches of an invariant world.
void jbw_state_write_changes(jbw_writer *writer, const jbw_world *world);

/// Reads the items of a patch into cells that are empty. False if they are not good.
bool jbw_cells_read(const jbw_model *model, jbw_reader *reader, uint8_t *cells);

#endif
