// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rectangles of patches.
#ifndef JBW_SIM_GENERATE_INVARIANT_PATCH_RANGE_H
#define JBW_SIM_GENERATE_INVARIANT_PATCH_RANGE_H

#include "jbw/patch_store.h"
#include "sim/map/map.h"

/// The patches [first, last] along each axis.
typedef struct jbw_patch_range {
    jbw_position first;
    jbw_position last;
} jbw_patch_range;

/// The patches that an agent at a cell needs.
static inline jbw_patch_range jbw_patch_range_near(const jbw_map *map, jbw_position cell)
{
    const int low = map->model->near_low;
    const int high = map->model->near_high;
    return (jbw_patch_range){
        jbw_map_patch_of(map, (jbw_position){cell.x - low, cell.y - low}),
        jbw_map_patch_of(map, (jbw_position){cell.x + high, cell.y + high}),
    };
}

/// True if all of them are in the map, or likely to be in a store, which may be NULL.
static inline bool jbw_patch_range_is_at_hand(const jbw_map *map, const jbw_patch_store *store,
                                              jbw_patch_range range)
{
    for (int64_t y = range.first.y; y <= range.last.y; y++) {
        for (int64_t x = range.first.x; x <= range.last.x; x++) {
            const jbw_position patch = {x, y};
            if (!jbw_map_find(map, patch) && !(store && store->has(store->user, patch)))
                return false;
        }
    }
    return true;
}

/// Their cells.
static inline jbw_region jbw_patch_range_region(const jbw_map *map, jbw_patch_range range)
{
    const int64_t size = map->model->patch_size;
    return (jbw_region){.x = range.first.x * size,
                        .y = range.first.y * size,
                        .width = (range.last.x - range.first.x + 1) * size,
                        .height = (range.last.y - range.first.y + 1) * size};
}

#endif
