// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Which types of items are in season, and so there for agents, at the present time. Cells hold items
/// in all seasons; whoever looks at cells for an agent looks here, too.
#ifndef JBW_SIM_MAP_PRESENCE_H
#define JBW_SIM_MAP_PRESENCE_H

#include "sim/model/model.h"

typedef struct jbw_presence {
    uint64_t until; // what is in season changes at this time; the largest number if it never does
    int hidden_count;
    uint8_t hidden[JBW_MAX_ITEM_TYPES];    // the types that are out of season, plus one
    uint8_t shown[JBW_MAX_ITEM_TYPES + 1]; // by what a cell holds: the same, or 0 if out of season
} jbw_presence;

/// What agents find in a cell that holds this: the same, or 0 if it is out of season. Mostly everything
/// is in season, and then the table stays out of the caches.
static inline uint8_t jbw_presence_shown(const jbw_presence *presence, uint8_t content)
{
    return presence->hidden_count == 0 ? content : presence->shown[content];
}

/// Finds out what is in season at a time.
void jbw_presence_set(jbw_presence *presence, const jbw_model *model, uint64_t time);

/// Removes the items that are out of season from some cells.
void jbw_presence_hide(const jbw_presence *presence, uint8_t *cells, size_t count);

#endif
