// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Irregular regions of the plane, each with a number of its own, uniform in [0, 1). The plane is
/// divided into squares of `scale` cells. Each holds a site, at a uniform place. A cell belongs to
/// the site that is nearest to it after the cell was shifted by noise (place_noise.h), so borders
/// are not straight. Numbers are drawn apart from places: at any place, the number is uniform
/// exactly.
#ifndef JBW_SIM_MODEL_BIOME_H
#define JBW_SIM_MODEL_BIOME_H

#include <stdint.h>

#include "jbw/types.h"

/// The regions of one seed, scale and layer.
typedef struct jbw_biomes {
    uint64_t sites; // names of random numbers
    uint64_t shifts;
    int scale;
} jbw_biomes;

jbw_biomes jbw_biomes_of(uint64_t seed, int scale, int64_t layer);

/// The number of the region to which a cell belongs.
double jbw_biome_number(const jbw_biomes *biomes, jbw_position cell);

/// Writes the numbers of all cells of a square, row by row, at most JBW_SHIFTS_SIDE (place_noise.h)
/// wide.
void jbw_biome_square(const jbw_biomes *biomes, jbw_position corner, int size, double *numbers);

enum { JBW_BIOMES_NEAR = 25 };

/// The numbers of all regions, and perhaps of some more, to which cells of a square belong. Returns
/// how many different ones, or zero if they are too many to tell.
int jbw_biome_numbers(const jbw_biomes *biomes, jbw_position origin, int size,
                      double numbers[JBW_BIOMES_NEAR]);

#endif
