// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Smooth random functions of the place. The plane is divided into squares of `side` cells. Each
/// holds one bump, at a uniform place within the square and with uniform amplitudes from -1 to 1:
///
///     +---------+---------+      sum(p) = sum over bumps of amplitude k(d^2 / R^2)
///     |     x   |         |      k(q)   = (1 - q)^3 below 1, zero beyond
///     |         |  x   p  |      d      = the distance from p, in units of the side
///     +---------+---------+      R      = 1.5, so 4 x 4 squares matter
///
/// Amplitudes are independent with mean zero, and places uniform over the plane, so the covariance
/// is that of the bump alone: the same everywhere and in all directions. The squares leave no trace
/// in it.
///
/// Places are a square, in whole numbers, plus a fraction: as exact far away as near the origin.
#ifndef JBW_SIM_MODEL_PLACE_NOISE_H
#define JBW_SIM_MODEL_PLACE_NOISE_H

#include "base/rng.h"
#include "jbw/types.h"

/// Random numbers of squares: named by a plane and the square.
static inline uint64_t jbw_square_row(uint64_t plane, int64_t j)
{
    return jbw_mix64(plane + (uint64_t)j * UINT64_C(0xd1342543de82ef95));
}

static inline uint64_t jbw_square_number(uint64_t row, int64_t i)
{
    return jbw_mix64(row + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
}

/// The name of the numbers that belong to a scale and layer of a seed.
uint64_t jbw_square_plane(uint64_t seed, int64_t layer, int64_t scale, jbw_purpose purpose);

/// Noise at a cell: s / sqrt(1 + s^2), where s is 1.5 times the sum of the first amplitudes.
/// Between -1 and 1.
double jbw_place_noise(uint64_t plane, int side, jbw_position cell);

/// Bounds of that in a square of cells, which need not be tight.
void jbw_place_noise_bounds(uint64_t plane, int side, jbw_position origin, int size, double *least,
                            double *most);

/// The sums of both amplitudes at a cell.
typedef struct jbw_place_shift {
    double x, y;
} jbw_place_shift;

jbw_place_shift jbw_place_noise_shift(uint64_t plane, int side, jbw_position cell);

enum { JBW_SHIFTS_SIDE = 16 };

/// The same at all cells of a square, at most JBW_SHIFTS_SIDE wide, row by row.
void jbw_place_noise_shifts(uint64_t plane, int side, jbw_position corner, int size,
                            jbw_place_shift *shifts);

/// The same at the middle of a square of cells, and by how much it can differ from that elsewhere
/// in the square.
jbw_place_shift jbw_place_noise_shift_near(uint64_t plane, int side, jbw_position origin, int size,
                                           double *spread);

#endif
