// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Scent: what any cell smells like now.
///
/// Three parts, see scent_response.h for the reason: the steady state of the items that are there, of the
/// agents that are there, and the fading of what came or went lately. The first is kept in tiles of
/// 8 x 8 cells that are worked out when somebody first smells there, kept up to date when single
/// items change, and forgotten when patches near them are sampled. Everything is whole numbers, so
/// a tile that was updated a thousand times equals one that was just worked out.
#ifndef JBW_SIM_SENSE_SCENT_H
#define JBW_SIM_SENSE_SCENT_H

#include "sim/map/change.h"

/// The tile that is kept in a slot, if any.
typedef struct jbw_scent_slot {
    int64_t x; // in units of tiles
    int64_t y;
    bool is_used;
} jbw_scent_slot;

/// Tiles by place: the slot of a tile is its place modulo the side of a square, so tiles that are
/// near each other never fight for one.
typedef struct jbw_scent_cache {
    const jbw_map *map;
    int side_bits;
    jbw_scent_slot *slots; // (side x side), or NULL before the first use
    int32_t *values;       // (side x side x scent_dimensions x 8 x 8)
} jbw_scent_cache;

void jbw_scent_init(jbw_scent_cache *cache, const jbw_map *map);
void jbw_scent_deinit(jbw_scent_cache *cache);

/// Makes room for as many tiles as so many agents use. False when memory runs out.
bool jbw_scent_reserve(jbw_scent_cache *cache, size_t agent_count);

/// Bytes that this takes.
size_t jbw_scent_room(const jbw_model *model, size_t agent_count);

/// An item came to a cell (`sign` 1), or went (-1).
void jbw_scent_item_changed(jbw_scent_cache *cache, int item_type, jbw_position cell, int sign);

/// A patch was sampled.
void jbw_scent_patch_changed(jbw_scent_cache *cache, jbw_position patch);

/// The scent in a cell at `time`. `around` are the patches of the cell and its neighbours, row by
/// row, NULL where there is none. `agents` are in the cells around: see jbw_agent_scent. There must
/// be room.
void jbw_scent_smell(jbw_scent_cache *cache, jbw_position cell, jbw_patch *const around[9],
                     uint64_t time, const int64_t *agent_units, float *scent);

/// Adds what an agent in a cell contributes to another cell: (scent_dimensions) units.
void jbw_scent_add_agent(const jbw_model *model, int64_t dx, int64_t dy, int64_t *units);

/// Bytes that the cache takes.
size_t jbw_scent_bytes(const jbw_scent_cache *cache);

#endif
