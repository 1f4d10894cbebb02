// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Saving: the state of a world as bytes, the same on every platform (jbw/state.h).
/// docs/snapshot_format.md describes the format.
///
///     version, config, seed, time, counters
///     patches     in the order of their creation
///     growth      what grows back in them, if items of the world do
///     texts       that items carry, if some can
///     events      that can still be smelled, oldest first
///     agents      by slot, then their order, then their requests, earliest first
///
/// An invariant world has no counters, and instead of its patches only their changes, by position:
/// everything else can be generated again.
///
///     state_write      writes all of it
///     state_read       reads it, except for the agents, which state_agents reads
///     state_changes    writes and reads the changes of invariant worlds
///     state_growth     writes and reads what grows back
///     state_texts      writes and reads texts
///     state_cells      writes and reads the items of a patch
///
/// Files, compression and checksums are the business of src/io.
#ifndef JBW_SIM_SAVE_STATE_H
#define JBW_SIM_SAVE_STATE_H

#include "base/bytes.h"
#include "sim/world/world.h"

enum {
    JBW_STATE_VERSION = 1,            // worlds with all their patches
    JBW_STATE_VERSION_INVARIANT = 14, // worlds with only the changes of their patches
    JBW_STATE_VERSION_TIMED = 2,      // is added if item types have seasons
    JBW_STATE_VERSION_GROWING = 4,    // is added instead if items grow back
    JBW_STATE_VERSION_THINGS = 6,     // is added as well if the config has keys such as kinds
    // by how much that of invariant worlds grows with each version of their algorithm
    JBW_STATE_VERSION_ALGORITHM = 12,
    JBW_STATE_VERSION_MOST =
        JBW_STATE_VERSION_INVARIANT + JBW_STATE_VERSION_GROWING + JBW_STATE_VERSION_THINGS,

    // flags of a patch
    JBW_STATE_IS_FINAL = 1,

    // flags of an agent's slot
    JBW_STATE_IS_ALIVE = 1,
    JBW_STATE_IS_ACTIVE = 2,
};

/// The largest size of the cells of a patch in bytes.
size_t jbw_cells_room(const jbw_model *model);

/// Writes the items of a patch to memory with enough room, and returns the end of what it wrote.
/// Zeros follow the cells of a patch (JBW_CELLS_PADDING).
///
///     count, then for each item: (empty cells before it) * type_count + type
uint8_t *jbw_cells_put(const jbw_model *model, const uint8_t *cells, uint8_t *at);

/// Reads the items of a patch into cells that are empty. False if they are invalid.
bool jbw_cells_read(const jbw_model *model, jbw_reader *reader, uint8_t *cells);

/// The version of the states of worlds with this model.
static inline uint64_t jbw_state_version(const jbw_model *model)
{
    const bool is_invariant = model->generation == JBW_GENERATION_INVARIANT;
    uint64_t version = is_invariant ? JBW_STATE_VERSION_INVARIANT : JBW_STATE_VERSION;
    if (model->has_things) version += JBW_STATE_VERSION_THINGS;
    if (model->is_growing) return version + JBW_STATE_VERSION_GROWING;
    return version + (model->is_timed ? (uint64_t)JBW_STATE_VERSION_TIMED : 0);
}

/// Writes what grows back, in a world in which something can.
void jbw_state_write_growth(jbw_writer *writer, const jbw_world *world);

/// Writes the texts that items carry, in a world in which some can.
void jbw_state_write_texts(jbw_writer *writer, const jbw_world *world);

/// Writes the changes of an invariant world.
void jbw_state_write_changes(jbw_writer *writer, const jbw_world *world);

#endif
