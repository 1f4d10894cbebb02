// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The patches of an invariant world: made when they are needed, dropped when there are too many of
/// them, and made again. What was generated in a patch is a function of its place (invariant.h), so
/// only what has changed since is kept (change_runs.h).
///
///     invariant --cells--> + changes --> map     made:    its changes, if any, are applied
///                            kept <----- map     dropped: its changes, if any, are kept
///
/// Patches are dropped between steps only, the least recently needed first, many at a time: that
/// costs no more than making them did. Nothing that can be asked depends on which ones are there.
#ifndef JBW_SIM_GENERATE_INVARIANT_PATCH_CACHE_H
#define JBW_SIM_GENERATE_INVARIANT_PATCH_CACHE_H

#include "sim/generate/invariant/invariant.h"
#include "sim/generate/invariant/prefetch.h"
#include "sim/map/map.h"

typedef struct jbw_patch_cache {
    const jbw_model *model;
    uint64_t seed;
    jbw_invariant *engine; // made when it is first needed
    uint8_t *cells;        // (patch_cells) for looking at places that are not in the map
    size_t map_budget;     // bytes
    size_t engine_budget;
    size_t patch_limit;  // with more patches than this, some are to be dropped
    uint64_t clock;      // of `used` in patches
    uint64_t made_count; // ever

    jbw_position *made; // by the latest call
    size_t latest_count;
    size_t made_capacity;

    jbw_prefetch forecast; // kept while somebody helps to make blocks
} jbw_patch_cache;

jbw_status jbw_patch_cache_create(const jbw_model *model, uint64_t seed, jbw_patch_cache **out);
void jbw_patch_cache_destroy(jbw_patch_cache *patch_cache);

/// Sets how many bytes the map and the engine may take. Frees what the engine has kept.
void jbw_patch_cache_set_budget(jbw_patch_cache *patch_cache, size_t map_budget,
                                size_t engine_budget);

/// The map's part of a budget for both.
size_t jbw_patch_cache_map_share(size_t budget);

/// Makes a new one that of a copy of a world.
void jbw_patch_cache_follow(jbw_patch_cache *patch_cache, const jbw_patch_cache *from);

/// Hands the engine to another one of the same model and seed that has none.
void jbw_patch_cache_pass_on(jbw_patch_cache *patch_cache, jbw_patch_cache *to);

/// Makes the patches that agents at these cells need, those that are not there. On
/// JBW_OUT_OF_MEMORY some may have come: `made` tells.
jbw_status jbw_patch_cache_make_near(jbw_patch_cache *patch_cache, jbw_map *map,
                                     const jbw_position *cells, size_t count);

/// Makes one patch, if it is not there.
jbw_status jbw_patch_cache_make(jbw_patch_cache *patch_cache, jbw_map *map, jbw_position patch);

/// The engine, made if it is not there; NULL when memory runs out.
jbw_invariant *jbw_patch_cache_engine(jbw_patch_cache *patch_cache);

/// Tells those who help that patches [first, last] are about to be looked at, by rows, from `at` on.
void jbw_patch_cache_foresee(jbw_patch_cache *patch_cache, const jbw_map *map, jbw_position first,
                             jbw_position last, jbw_position at);

/// Tells them that this is over.
void jbw_patch_cache_foresee_no_more(jbw_patch_cache *patch_cache, const jbw_map *map);

/// What was generated in a patch: (patch_cells), until the next call; NULL when memory runs out.
uint8_t *jbw_patch_cache_look(jbw_patch_cache *patch_cache, jbw_position patch);

/// True if there are so many patches that some are to be dropped.
static inline bool jbw_patch_cache_is_full(const jbw_patch_cache *patch_cache, const jbw_map *map)
{
    return map->patch_count > patch_cache->patch_limit;
}

/// Notes that the patches that an agent at this cell needs are needed now.
void jbw_patch_cache_touch(jbw_patch_cache *patch_cache, const jbw_map *map, jbw_position cell);

/// Begins a new moment: what is touched from here on is not dropped by the next call of
/// `jbw_patch_cache_drop`, nor are patches with events.
void jbw_patch_cache_begin_touching(jbw_patch_cache *patch_cache);
void jbw_patch_cache_drop(jbw_patch_cache *patch_cache, jbw_map *map);

/// Bytes that it keeps, besides the map.
size_t jbw_patch_cache_bytes(const jbw_patch_cache *patch_cache);

#endif
