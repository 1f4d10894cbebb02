// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The map: square patches that have been sampled, found by their place and numbered in the order
/// of their creation. What is in a patch that is not there yet, and when it becomes final, is not
/// decided here but by a policy (generator.h).
#ifndef JBW_SIM_MAP_MAP_H
#define JBW_SIM_MAP_MAP_H

#include <stdatomic.h>

#include "base/rng.h"
#include "sim/map/event.h"
#include "sim/map/evicted_changes.h"
#include "sim/model/model.h"

typedef struct jbw_undo jbw_undo;

/// What is in a patch. Worlds that are copies of each other share it until one of them changes it;
/// they may live in different threads, so what is shared is only read.
typedef struct jbw_content {
    atomic_uint_fast32_t owner_count;
    uint32_t undo_count;
    uint32_t undo_capacity;
    jbw_undo *undo;  // what was generated in cells that have changed since (change.h)
    uint8_t cells[]; // (patch_size x patch_size), lowest row first: item type + 1, 0 is empty
} jbw_content;

struct jbw_patch {
    jbw_position at; // in units of patches
    uint8_t *cells;  // of its content: what agents see; to be changed only by its one owner
    jbw_content *content;
    jbw_rng stream;       // its proposals; not used any more once it is final
    uint32_t number;      // in order of creation
    uint32_t place;       // its place on the sheet (energy_grid.h), if that agrees
    uint32_t first_agent; // of those that stand in it (agent.h), counted from one; 0 is none
    uint32_t reserved;    // changes that a step has asked room for
    uint64_t first_event; // what came and went in it lately (event.h), 0 is nothing
    uint64_t last_event;
    uint64_t used; // when it was needed last, if it can be made again (patch_cache.h)
    bool is_final;
};

struct jbw_map {
    const jbw_model *model;
    jbw_patch **patches; // by number
    size_t patch_count;
    size_t patch_capacity;
    uint32_t *slots;   // open addressing: patch number + 1, 0 is free
    size_t slot_count; // a power of two, or zero
    size_t final_count;
    size_t undo_bytes; // what the changes of all patches take
    uint64_t version;  // another one when patches have come or gone; never zero once there are any
    jbw_events events;
    jbw_evicted_changes kept; // the changes of patches that were dropped
};

void jbw_map_init(jbw_map *map, const jbw_model *model);
void jbw_map_deinit(jbw_map *map);

/// Makes a map that was just initialised a copy of another one of the same model, but for the agents
/// in it. False when memory runs out; then it is to be deinitialised.
bool jbw_map_copy(jbw_map *map, const jbw_map *from);

/// The patch at a place, or NULL.
jbw_patch *jbw_map_find(const jbw_map *map, jbw_position at);

/// A new, empty patch that is not in the map yet, or NULL. Belongs to the caller until
/// `jbw_map_insert`; otherwise ends by `jbw_map_free_patch`.
jbw_patch *jbw_map_new_patch(const jbw_map *map, jbw_position at, uint64_t seed);
void jbw_map_free_patch(const jbw_map *map, jbw_patch *patch);

/// Makes a patch the one owner of its content, so that it can be changed. False when memory runs out.
bool jbw_map_own(const jbw_map *map, jbw_patch *patch);

/// Makes room, so that the next `count` inserts cannot fail. False when memory runs out.
bool jbw_map_reserve(jbw_map *map, size_t count);

/// Puts a patch into the map, which numbers and owns it. There must be room.
void jbw_map_insert(jbw_map *map, jbw_patch *patch);

/// Frees all patches but the first `count` (by number). The others are to have no events, and
/// nobody in them.
void jbw_map_cut(jbw_map *map, size_t count);

/// Tells the map that its patches stand in another order, so that they have other numbers.
void jbw_map_renumber(jbw_map *map);

/// The first cell of a patch: its left lower corner.
static inline jbw_position jbw_map_origin(const jbw_map *map, jbw_position patch)
{
    return (jbw_position){patch.x * map->model->patch_size, patch.y * map->model->patch_size};
}

/// The patch that holds a cell.
jbw_position jbw_map_patch_of(const jbw_map *map, jbw_position cell);

/// The patch that holds a cell, or NULL, and the cell's index in it.
jbw_patch *jbw_map_find_cell(const jbw_map *map, jbw_position cell, int *index);

/// A patch and its eight neighbours, row by row; NULL where there is none.
void jbw_map_find_around(const jbw_map *map, jbw_position patch, jbw_patch *around[9]);

/// Which of a patch and its eight neighbours lie within `reach` of one of the patch's cells: rows
/// [first_row, last_row] and columns [first_column, last_column] of what `jbw_map_find_around` found.
typedef struct jbw_surroundings {
    int first_row;
    int last_row;
    int first_column;
    int last_column;
} jbw_surroundings;

jbw_surroundings jbw_map_surroundings(const jbw_map *map, jbw_position cell, int reach);

/// Bytes that a patch takes, without its changes.
size_t jbw_map_patch_bytes(const jbw_map *map);

/// Bytes that the patches and the index take.
size_t jbw_map_bytes(const jbw_map *map);

#endif
