// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The map of a world: the patches that are in memory, and everything that has changed in them.
///
/// A patch is a square of cells. Patches are found by their position and numbered in the order of
/// their creation. The map only stores them: sim/generate decides what is in a new patch and when
/// it becomes final, and sim/world changes cells when agents collect and drop items.
///
///     map.h              patches by position
///     change.h           changed cells of a patch, and what was generated there
///     event.h            when cells changed, for as long as scent needs to know
///     change_runs.h      the changes of a patch in a few bytes
///     evicted_changes.h  the changes of patches that were dropped from memory
///     growth.h           cells in which items grow back
///     texts.h            texts that items carry
///     presence.h         which types of items are in season now
///     position.h         comparing and hashing positions, and where the world ends
#ifndef JBW_SIM_MAP_MAP_H
#define JBW_SIM_MAP_MAP_H

#include <stdatomic.h>

#include "base/rng.h"
#include "sim/map/event.h"
#include "sim/map/evicted_changes.h"
#include "sim/map/presence.h"

typedef struct jbw_undo jbw_undo;
typedef struct jbw_growth jbw_growth;

/// The content of a patch. Copies of a world share it until one of them changes it. They may be
/// used by different threads, so shared content is read-only.
typedef struct jbw_content {
    atomic_uint_fast32_t owner_count;
    uint32_t undo_count;
    uint32_t undo_capacity;
    jbw_undo *undo;     // changed cells, and what was generated there (change.h); by cell
    jbw_growth *growth; // cells in which items grow back (growth.h)
    uint32_t growth_count;
    uint32_t growth_capacity;
    uint64_t settle_time; // when there is something to do about them: at the earliest
    uint8_t *texts;       // that its items carry (texts.h)
    uint32_t text_size;
    uint32_t text_capacity;
    uint8_t cells[]; // (patch_size x patch_size), lowest row first: item type plus one, 0 is empty
} jbw_content;

/// What steps and senses read comes first, so that it is in one or two lines of the caches.
struct jbw_patch {
    jbw_position at; // in units of patches
    uint8_t *cells;  // of its content; write only after jbw_map_own
    jbw_content *content;
    uint32_t first_agent;   // in this patch (agent.h), slot plus one; 0 is none
    uint32_t reserved;      // changes that the current step has reserved room for
    uint32_t text_reserved; // bytes of texts that it has reserved room for
    uint64_t first_event;   // oldest event in this patch (event.h), 0 is none
    uint64_t last_event;
    uint32_t number;     // in the order of creation
    uint32_t grid_index; // its index in the energy grid (energy_grid.h) if that entry points back
    uint64_t used;       // when it was last needed, in invariant worlds, which can drop patches
    jbw_rng stream;      // for its proposals; unused once it is final
    bool is_final;
};

/// What steps and senses use comes first.
struct jbw_map {
    const jbw_model *model;
    uint64_t version; // increases when patches are added, dropped or renumbered; 0: still empty
    uint64_t cell_version; // increases when a cell of a final patch changes
    jbw_events events;
    jbw_patch **patches;   // by number
    uint32_t *slots;       // hash table with open addressing: patch number plus one, 0 is free
    size_t slot_count;     // a power of two, or zero
    uint64_t time;         // of the world
    jbw_presence presence; // at this time

    size_t patch_count;
    size_t patch_capacity;
    size_t final_count;
    size_t undo_bytes; // memory of the changes of all patches
    jbw_evicted_changes evicted;
    jbw_evicted_changes evicted_growth;
    jbw_evicted_changes evicted_texts;
    size_t growth_hand; // the slot of `evicted_growth` that was last cleared of what is over
};

void jbw_map_init(jbw_map *map, const jbw_model *model);
void jbw_map_deinit(jbw_map *map);

/// Makes a freshly initialized map a copy of another map of the same model, without its agents.
/// False when memory runs out; deinitialize the copy then.
bool jbw_map_copy(jbw_map *map, const jbw_map *from);

/// The patch at a position, or NULL.
jbw_patch *jbw_map_find(const jbw_map *map, jbw_position at);

/// Creates an empty patch that is not in the map, or returns NULL. The caller owns it until
/// `jbw_map_insert`, or frees it with `jbw_map_free_patch`.
jbw_patch *jbw_map_new_patch(const jbw_map *map, jbw_position at, uint64_t seed);
void jbw_map_free_patch(const jbw_map *map, jbw_patch *patch);

/// Makes a patch the only owner of its content, so that it may be changed. False when memory runs
/// out.
bool jbw_map_own(const jbw_map *map, jbw_patch *patch);

/// Makes room for `count` more patches, so that inserting them cannot fail. False when memory runs
/// out.
bool jbw_map_reserve(jbw_map *map, size_t count);

/// Inserts a patch, which the map numbers and owns from now on. There must be room.
void jbw_map_insert(jbw_map *map, jbw_patch *patch);

/// Frees all patches except the first `stay_count` (by number). Those that go must have no events and
/// no agents. Which ones go is decided in sim/generate/invariant/patch_cache.h.
void jbw_map_drop(jbw_map *map, size_t stay_count);

/// Renumbers the patches after `patches` was reordered.
void jbw_map_renumber(jbw_map *map);

/// The lower left cell of a patch.
static inline jbw_position jbw_map_origin(const jbw_map *map, jbw_position patch)
{
    return (jbw_position){patch.x * map->model->patch_size, patch.y * map->model->patch_size};
}

/// The position of the patch that contains a cell.
jbw_position jbw_map_patch_of(const jbw_map *map, jbw_position cell);

/// The patch that contains a cell, or NULL, and the cell's index in it.
jbw_patch *jbw_map_find_cell(const jbw_map *map, jbw_position cell, int *index);

/// A patch and its eight neighbors, row by row from the lower left; NULL where there is none.
void jbw_map_find_around(const jbw_map *map, jbw_position patch, jbw_patch *around[9]);

/// Rows and columns of what `jbw_map_find_around` finds, both ends included.
typedef struct jbw_surroundings {
    int first_row;
    int last_row;
    int first_column;
    int last_column;
} jbw_surroundings;

/// Which of a cell's patch and its eight neighbors lie within `reach` of the cell.
jbw_surroundings jbw_map_surroundings(const jbw_map *map, jbw_position cell, int reach);

/// Memory of one patch in bytes, without its changes.
size_t jbw_map_patch_bytes(const jbw_map *map);

/// Memory of the map in bytes: patches, changes, events and indices.
size_t jbw_map_bytes(const jbw_map *map);

#endif
