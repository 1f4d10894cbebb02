// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Zones: the parts of a rectangle in which all zonal intensities, those that depend on biomes only,
/// are constant. Generators find them once, and then look intensities up in a table. Zone 0 is
/// different: what did not fit the table. There, intensities are computed cell by cell.
#ifndef JBW_SIM_MODEL_ZONES_H
#define JBW_SIM_MODEL_ZONES_H

#include "base/alloc.h"
#include "jbw/types.h"
#include "jbw/world.h"

/// Biomes of one scale and layer, and where the numbers of their regions are cut into classes.
typedef struct jbw_biome_layer {
    int scale;
    int layer;
    double *cuts; // (cut_count)
    int cut_count;
    int most_cuts; // as many as all biomes have together
} jbw_biome_layer;

/// Lists the biomes of all zonal intensities of a model whose items are there. False when memory
/// runs out.
bool jbw_zones_build_layers(jbw_model *model);

enum { JBW_MOST_ZONES = 64 }; // with zone 0

typedef struct jbw_zones {
    uint8_t *map;                       // the zone of each cell, row by row
    int stride;                         // of the map
    int count;                          // zones in use, with zone 0
    jbw_position cells[JBW_MOST_ZONES]; // one of each zone, from zone 1 on
    uint64_t keys[JBW_MOST_ZONES];      // what distinguishes a zone from the others
} jbw_zones;

/// Finds the zones of a rectangle, for whose map there is room.
void jbw_zones_fill(jbw_zones *zones, const jbw_model *model, uint64_t seed, jbw_position origin,
                    int width, int height);

/// A square of the plane whose zones were found before. Windows of a generator overlap, so the same
/// squares are needed again and again.
enum { JBW_ZONE_SQUARE = 64, JBW_ZONE_SQUARES = 256 };
typedef struct jbw_zone_square {
    bool is_known;
    int64_t x, y; // in units of squares
    jbw_zones zones;
    uint8_t map[JBW_ZONE_SQUARE * JBW_ZONE_SQUARE];
} jbw_zone_square;

/// As `jbw_zones_fill`, with a cache: (JBW_ZONE_SQUARES), of one model and seed.
void jbw_zones_fill_cached(jbw_zones *zones, jbw_zone_square *squares, const jbw_model *model,
                           uint64_t seed, jbw_position origin, int width, int height);

#endif
