// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What seasons do to scent. An item emits while it is there and in season, so with G(k) and fading(m)
/// of sim/model/scent_response.h, and seasons that begin (+) and end (-) at times b up to now,
///
///     always there     steady if it is in season now, then - fading for every +, + fading for every -
///     until time a     the same up to a: fading(a) if in season just before a, - and + for b < a
///
/// The steady part is in the tiles of scent.h. The rest differs from zero only for as long as scent
/// remembers the latest change of the season: then types are turning, and every item of these types
/// near a cell contributes a response that is the same for all of them at one time. Events subtract
/// what their item has not emitted, by the second line.
#ifndef JBW_SIM_SENSE_SCENT_SEASON_H
#define JBW_SIM_SENSE_SCENT_SEASON_H

#include "sim/map/map.h"

/// What seasons do to the items of a type that had always been there.
typedef enum jbw_scent_phase {
    JBW_SCENT_STEADY,  // they smell as if there were no seasons
    JBW_SCENT_ABSENT,  // out of season for so long that nothing is left
    JBW_SCENT_TURNING, // a change of the season is remembered
} jbw_scent_phase;

/// The types that are turning at one time, or from one time to another if there are none. All zero is
/// right for no time.
typedef struct jbw_scent_turning {
    uint64_t from;
    uint64_t until; // not included
    uint8_t phases[JBW_MAX_ITEM_TYPES];
    int count;
    int types[JBW_MAX_ITEM_TYPES]; // (count)
    int64_t *responses;            // (season_count x octant_count): one for each of them, or NULL
} jbw_scent_turning;

/// The size of `responses` in bytes; zero in worlds without seasons that can be smelled.
size_t jbw_scent_turning_bytes(const jbw_model *model);

/// `jbw_scent_fading` of a type with a season.
int64_t jbw_scent_season_fading(const jbw_model *model, int item_type, uint64_t time, uint64_t age,
                                int octant);

/// What an item that had always been there until it went `age` steps before `time` still contributes
/// at an offset: by how much one that came then lacks of what it will contribute. `age` must be less
/// than the memory of scent.
static inline int64_t jbw_scent_fading(const jbw_model *model, int item_type, uint64_t time,
                                       uint64_t age, int octant)
{
    if (model->items[item_type].season.period != 0)
        return jbw_scent_season_fading(model, item_type, time, age, octant);
    const jbw_scent_response *response = &model->scent.response;
    return response->fading[(size_t)age * (size_t)response->octant_count + (size_t)octant];
}

/// What an item of a type adds at an offset if its type is turning, at the time for which
/// `jbw_scent_turning_add` was last called.
int64_t jbw_scent_turning_of(const jbw_scent_turning *turning, const jbw_model *model,
                             int item_type, int octant);

/// Adds up what seasons contribute to a cell at a time, by type: that of the items of turning types
/// around it, and what events add to the fading of items without seasons. `around` are the patch of
/// the cell and its eight neighbors. There must be room.
void jbw_scent_turning_add(jbw_scent_turning *turning, const jbw_map *map,
                           jbw_patch *const around[9], jbw_position cell, uint64_t time,
                           int64_t *faded);

#endif
