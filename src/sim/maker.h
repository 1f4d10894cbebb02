// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The patches of an invariant world: made when they are needed, dropped when there are too many of
/// them, and made again. What was generated in a patch is a function of its place (invariant.h), so
/// only what has changed since is kept (run.h).
///
///     invariant --cells--> + changes --> map     made:    its changes, if any, are applied
///                            kept <----- map     dropped: its changes, if any, are kept
///
/// Patches are dropped between steps only, the least recently needed first, many at a time: that
/// costs no more than making them did. Nothing that can be asked depends on which ones are there.
#ifndef JBW_SIM_MAKER_H
#define JBW_SIM_MAKER_H

#include "sim/forecast.h"
#include "sim/invariant.h"
#include "sim/map.h"

typedef struct jbw_maker {
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

    jbw_forecast forecast; // kept while somebody helps to make blocks
} jbw_maker;

jbw_status jbw_maker_create(const jbw_model *model, uint64_t seed, jbw_maker **out);
void jbw_maker_destroy(jbw_maker *maker);

/// Sets how many bytes the map and the engine may take. Frees what the engine has kept.
void jbw_maker_set_budget(jbw_maker *maker, size_t map_budget, size_t engine_budget);

/// The map's part of a budget for both.
size_t jbw_maker_map_share(size_t budget);

/// Makes a new one that of a copy of a world.
void jbw_maker_follow(jbw_maker *maker, const jbw_maker *from);

/// Hands the engine to another one of the same model and seed that has none.
void jbw_maker_pass_on(jbw_maker *maker, jbw_maker *to);

/// Makes the patches that agents at these cells need, those that are not there. On
/// JBW_OUT_OF_MEMORY some may have come: `made` tells.
jbw_status jbw_maker_make_near(jbw_maker *maker, jbw_map *map, const jbw_position *cells,
                               size_t count);

/// Makes one patch, if it is not there.
jbw_status jbw_maker_make(jbw_maker *maker, jbw_map *map, jbw_position patch);

/// The engine, made if it is not there; NULL when memory runs out.
jbw_invariant *jbw_maker_engine(jbw_maker *maker);

/// Tells those who help that patches [first, last] are about to be looked at, by rows, from `at` on.
void jbw_maker_foresee(jbw_maker *maker, const jbw_map *map, jbw_position first, jbw_position last,
                       jbw_position at);

/// Tells them that this is over.
void jbw_maker_foresee_no_more(jbw_maker *maker, const jbw_map *map);

/// What was generated in a patch: (patch_cells), until the next call; NULL when memory runs out.
uint8_t *jbw_maker_look(jbw_maker *maker, jbw_position patch);

/// True if there are so many patches that some are to be dropped.
static inline bool jbw_maker_is_full(const jbw_maker *maker, const jbw_map *map)
{
    return map->patch_count > maker->patch_limit;
}

/// Notes that the patches that an agent at this cell needs are needed now.
void jbw_maker_touch(jbw_maker *maker, const jbw_map *map, jbw_position cell);

/// Begins a new moment: what is touched from here on is not dropped by the next call of
/// `jbw_maker_drop`, nor are patches with events.
void jbw_maker_begin_touching(jbw_maker *maker);
void jbw_maker_drop(jbw_maker *maker, jbw_map *map);

/// Bytes that it keeps, besides the map.
size_t jbw_maker_bytes(const jbw_maker *maker);

#endif
