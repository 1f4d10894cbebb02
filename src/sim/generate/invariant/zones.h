// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Zones: the parts of a workspace in which intensities that depend on biomes only are constant.
/// They are found once, when the workspace begins, so that the dynamics looks intensities up in a
/// table. Zone 0 is different: what did not fit the table, and everything in worlds without biomes.
/// There, intensities are computed cell by cell.
#ifndef JBW_SIM_GENERATE_INVARIANT_ZONES_H
#define JBW_SIM_GENERATE_INVARIANT_ZONES_H

#include "sim/generate/invariant/plan.h"

enum { JBW_MOST_ZONES = 64 }; // with zone 0

typedef struct jbw_zones {
    int count;           // zones in use, with zone 0
    int stride;          // of the map
    uint8_t *map;        // the zone of each cell, row by row; NULL if there is only zone 0
    double *intensities; // (JBW_MOST_ZONES x type_count): lowered; of zonal types, from zone 1 on
    uint64_t keys[JBW_MOST_ZONES]; // what distinguishes a zone from the others
} jbw_zones;

/// Bytes that the zones of a rectangle need.
size_t jbw_zones_map_bytes(const jbw_invariant_plan *plan, int width, int height);
size_t jbw_zones_table_bytes(const jbw_invariant_plan *plan);

/// Finds the zones of a rectangle.
void jbw_zones_fill(jbw_zones *zones, const jbw_invariant_plan *plan, jbw_position origin,
                    int width, int height);

#endif
