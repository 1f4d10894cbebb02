// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Smelling: the scent in any cell at the current time.
///
/// Scent is a sum of three parts (sim/model/scent_response.h tells why):
///
///     items       the steady state of the items that are there now
///     agents      the steady state of the agents that are there now
///     changes     the fading of what recently came or went (sim/map/event.h)
///
/// The first part is cached in tiles of 8 x 8 cells. A row or a column of a tile is computed
/// when somebody first smells there (scent_line.h), updated when an item changes, and invalidated when
/// a patch near it is generated or a season begins or ends. All sums are sums of whole numbers, so
/// what was updated a thousand times equals a fresh one. Items with seasons are changes, too, for a while (scent_season.h), and so are
/// those that grew back (scent_growth.h).
///
/// This folder knows items and patches, not agents: sim/world adds what agents contribute.
#ifndef JBW_SIM_SENSE_SCENT_H
#define JBW_SIM_SENSE_SCENT_H

#include "sim/map/change.h"
#include "sim/sense/scent_season.h"

/// Which tile is cached in a slot, and how much of it.
typedef struct jbw_scent_slot {
    int64_t x; // in units of tiles
    int64_t y;
    uint64_t cells; // one bit for each cell that is computed, lowest row first
} jbw_scent_slot;

/// Cached tiles. The slot of a tile is its position modulo the side of a square, so tiles near each
/// other never compete for a slot.
typedef struct jbw_scent_cache {
    const jbw_map *map;
    int side_bits;
    jbw_scent_slot *slots;   // (side x side), or NULL before the first jbw_scent_reserve
    int32_t *values;         // (side x side x 8 x scent_dimensions x 8)
    size_t lost_count;       // tiles that had to make room for others
    uint64_t until;          // tiles and kernels are those of the seasons that change at this time
    const int32_t **kernels; // (type_count): NULL for those out of season or without scent
    jbw_scent_turning *turning; // NULL in worlds without seasons that can be smelled
} jbw_scent_cache;

void jbw_scent_init(jbw_scent_cache *cache, const jbw_map *map);
void jbw_scent_deinit(jbw_scent_cache *cache);

/// Makes room for the tiles around this many agents. False when memory runs out. Later the cache may
/// grow by itself.
bool jbw_scent_reserve(jbw_scent_cache *cache, size_t agent_count);

/// How many bytes `jbw_scent_reserve` allocates.
size_t jbw_scent_room(const jbw_model *model, size_t agent_count);

/// Updates the cache: an item was added to a cell (`sign` 1) or removed (-1).
void jbw_scent_item_changed(jbw_scent_cache *cache, int item_type, jbw_position cell, int sign);

/// Invalidates the cache near a patch that was generated.
void jbw_scent_patch_changed(jbw_scent_cache *cache, jbw_position patch);

/// What smelling in a cell needs first, and what it needs then.
typedef enum jbw_scent_place { JBW_SCENT_SLOT, JBW_SCENT_VALUES } jbw_scent_place;

/// Asks the processor to load it, if there is any.
void jbw_scent_fetch(const jbw_scent_cache *cache, jbw_position cell, jbw_scent_place place);

/// Writes the scent in a cell at `time`. `around` are the patch of the cell and its eight
/// neighbors, row by row, NULL where there is none. `agent_units` is what agents contribute, summed
/// up by `jbw_scent_add_kernel`, or NULL. There must be room.
///
/// Whoever smells there first pays for seven more cells, in a row or in a column: `is_column` should
/// tell where the next cell is likely to be.
void jbw_scent_smell(jbw_scent_cache *cache, jbw_position cell, bool is_column,
                     jbw_patch *const around[9], uint64_t time, const int64_t *agent_units,
                     float *scent);

/// Adds the steady state of a source with this kernel (sim/model/scent_model.h, may be NULL) at an
/// offset (dx, dy) from a cell to the `units` (scent_dimensions) of that cell.
void jbw_scent_add_kernel(const jbw_model *model, const int32_t *kernel, int64_t dx, int64_t dy,
                          int64_t *units);

#endif
