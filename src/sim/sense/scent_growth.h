// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What items that grow back (sim/map/growth.h) add to scent. One that came back `age` steps ago is
/// like an event: its cell lacks what an item that was always there would contribute. If its patch is
/// not settled, then the tiles of scent.h do not know it yet, and all of it is added here.
#ifndef JBW_SIM_SENSE_SCENT_GROWTH_H
#define JBW_SIM_SENSE_SCENT_GROWTH_H

#include "sim/sense/scent.h"

/// Adds up what grew back in a patch, which may be NULL, as smelled in a cell: `units`
/// (scent_dimensions) as those of tiles, `faded` by type as those of events.
void jbw_scent_growth_add(const jbw_scent_cache *cache, const jbw_patch *patch, jbw_position cell,
                          uint64_t time, int64_t *units, int64_t *faded);

#endif
