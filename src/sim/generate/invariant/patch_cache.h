// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The patches of an invariant world that are in memory. They are generated when needed, dropped
/// when there are too many, and generated again. What was generated in a patch is a function of its
/// place (invariant.h), so only later changes must be kept (patch_changes.h).
///
///     jbw_invariant --cells--> + changes --> map    made:    evicted changes are applied
///                              evicted <---- map    dropped: its changes are evicted
///
/// Patches are dropped only between operations, never inside a step, many at a time, the least
/// recently used first; this costs no more than making them did. No query depends on which patches
/// are in memory, nor on whether they came from the engine or from a store of patches.
#ifndef JBW_SIM_GENERATE_INVARIANT_PATCH_CACHE_H
#define JBW_SIM_GENERATE_INVARIANT_PATCH_CACHE_H

#include "jbw/patch_store.h"
#include "sim/generate/invariant/invariant.h"
#include "sim/generate/invariant/prefetch.h"
#include "sim/map/map.h"

typedef struct jbw_patch_cache {
    const jbw_model *model;
    uint64_t seed;
    jbw_invariant *engine; // created when first needed
    jbw_patch_store store; // is asked before the engine; all zero if there is none
    uint8_t *cells;        // (patch_cells): what `jbw_patch_cache_look` returns
    jbw_interrupt interrupt;
    size_t map_budget; // in bytes
    size_t engine_budget;
    size_t patch_limit;  // with more patches than this, some should be dropped
    uint64_t clock;      // the unit of `used` in patches
    uint64_t made_count; // ever

    jbw_position *made; // the patches that the latest call put into the map
    size_t latest_count;
    size_t made_capacity;

    jbw_prefetch prefetch; // only used if there are helper threads
} jbw_patch_cache;

jbw_status jbw_patch_cache_create(const jbw_model *model, uint64_t seed, jbw_patch_cache **out);
void jbw_patch_cache_destroy(jbw_patch_cache *cache); // accepts NULL

/// Sets the budgets of map and engine, in bytes. Destroys the engine; a new one is created when
/// needed.
void jbw_patch_cache_set_budget(jbw_patch_cache *cache, size_t map_budget, size_t engine_budget);

/// The part of a common budget that belongs to the map.
size_t jbw_patch_cache_map_share(size_t budget);

/// Sets whom to ask whether to stop while patches are generated.
void jbw_patch_cache_set_interrupt(jbw_patch_cache *cache, jbw_interrupt interrupt);

/// Sets where to look before a patch is generated; retains it. NULL for nowhere.
void jbw_patch_cache_set_store(jbw_patch_cache *cache, const jbw_patch_store *store);

/// The store, or NULL.
static inline const jbw_patch_store *jbw_patch_cache_store(const jbw_patch_cache *cache)
{
    return cache->store.find ? &cache->store : NULL;
}

/// Takes over store, budgets and clock from the cache of the world that this one's world is a copy of.
void jbw_patch_cache_follow(jbw_patch_cache *cache, const jbw_patch_cache *from);

/// Hands the store to another cache of the same model and seed, if that has none; and moves the engine
/// to it, if that has none and has the same budget.
void jbw_patch_cache_pass_on(jbw_patch_cache *cache, jbw_patch_cache *to);

/// Makes the missing patches that agents at these cells need. `made` lists them, also those that
/// were made before JBW_OUT_OF_MEMORY.
jbw_status jbw_patch_cache_make_near(jbw_patch_cache *cache, jbw_map *map,
                                     const jbw_position *cells, size_t count);

/// Makes one patch if it is missing.
jbw_status jbw_patch_cache_make(jbw_patch_cache *cache, jbw_map *map, jbw_position patch);

/// The same for a patch that someone else has generated: (patch_cells).
jbw_status jbw_patch_cache_put(jbw_patch_cache *cache, jbw_map *map, jbw_position patch,
                               const uint8_t *cells);

/// The engine, created if there is none; NULL when memory runs out.
jbw_invariant *jbw_patch_cache_engine(jbw_patch_cache *cache);

/// Tells helper threads that the patches [first, last] will be looked at, row by row, starting with
/// `at`.
void jbw_patch_cache_foresee(jbw_patch_cache *cache, const jbw_map *map, jbw_position first,
                             jbw_position last, jbw_position at);

/// Tells helper threads that this has ended.
void jbw_patch_cache_foresee_no_more(jbw_patch_cache *cache, const jbw_map *map);

/// What was generated in a patch: (patch_cells), valid until the next call; NULL on failure. The map
/// is not changed.
jbw_status jbw_patch_cache_look(jbw_patch_cache *cache, jbw_position patch, uint8_t **cells);

/// True if there are so many patches that some should be dropped.
static inline bool jbw_patch_cache_is_full(const jbw_patch_cache *cache, const jbw_map *map)
{
    return map->patch_count > cache->patch_limit;
}

/// Dropping takes three steps: begin, touch the patches that every agent needs, and drop. Patches
/// that were touched, and those with events, stay.
void jbw_patch_cache_begin_touching(jbw_patch_cache *cache);
void jbw_patch_cache_touch(jbw_patch_cache *cache, const jbw_map *map, jbw_position cell);
void jbw_patch_cache_drop(jbw_patch_cache *cache, jbw_map *map);

/// Bytes in use, without the map.
size_t jbw_patch_cache_bytes(const jbw_patch_cache *cache);

#endif
