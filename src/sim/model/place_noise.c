// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/place_noise.h"

#include <math.h>

#include "base/divide.h"
#include "base/dmath.h"

#define REACH 1.5
#define INVERSE_AREA (1.0 / (REACH * REACH))
#define AMPLIFICATION 1.5
#define BEND (6.0 * INVERSE_AREA) // no second derivative of k is larger, per side squared
#define SLACK 1e-12               // for rounding

/// A bump, in sides from the corner of some square.
typedef struct bump {
    uint64_t number; // of its square
    double x, y;
} bump;

uint64_t jbw_square_plane(uint64_t seed, int64_t layer, int64_t scale, jbw_purpose purpose)
{
    return jbw_rng_open(seed, layer, scale, purpose).state;
}

static double fraction(uint64_t bits)
{
    return ((double)(int64_t)(bits & 0xffff) + 0.5) * 0x1p-16;
}

static bump bump_of(uint64_t number, int di, int dj)
{
    return (bump){.number = number, .x = di + fraction(number), .y = dj + fraction(number >> 16)};
}

static double amplitude(const bump *b, int which)
{
    return 2.0 * fraction(b->number >> (32 + 16 * which)) - 1.0;
}

// the shape of a bump at a squared distance
static double shape(double squared_distance)
{
    const double left = 1.0 - squared_distance * INVERSE_AREA;
    return left > 0.0 ? left * left * left : 0.0;
}

// ---- at a cell ----

/// A place: a square, and where in it.
typedef struct place {
    int64_t i, j;
    double x, y; // from 0 to 1
} place;

static place place_of(int side, jbw_position cell)
{
    const int64_t i = jbw_floor_divide(cell.x, side);
    const int64_t j = jbw_floor_divide(cell.y, side);
    return (place){.i = i,
                   .j = j,
                   .x = (double)(cell.x - i * side) / side,
                   .y = (double)(cell.y - j * side) / side};
}

jbw_place_shift jbw_place_noise_shift(uint64_t plane, int side, jbw_position cell)
{
    const place p = place_of(side, cell);
    const int left = p.x < 0.5 ? -2 : -1;
    const int bottom = p.y < 0.5 ? -2 : -1;
    jbw_place_shift sum = {0.0, 0.0};
    for (int dj = bottom; dj < bottom + 4; dj++) {
        const uint64_t row = jbw_square_row(plane, p.j + dj);
        for (int di = left; di < left + 4; di++) {
            const bump b = bump_of(jbw_square_number(row, p.i + di), di, dj);
            const double squared = (p.x - b.x) * (p.x - b.x) + (p.y - b.y) * (p.y - b.y);
            if (squared >= REACH * REACH) continue;
            sum.x += amplitude(&b, 0) * shape(squared);
            sum.y += amplitude(&b, 1) * shape(squared);
        }
    }
    return sum;
}

static double squash(double sum)
{
    const double s = AMPLIFICATION * sum;
    return s / jbw_sqrt(1.0 + s * s);
}

double jbw_place_noise(uint64_t plane, int side, jbw_position cell)
{
    return squash(jbw_place_noise_shift(plane, side, cell).x);
}

// ---- in a square of cells ----

/// A square of cells, in sides from the corner of the square (i, j).
typedef struct box {
    int64_t i, j;
    double left, right, bottom, top;
} box;

static box box_of(int side, jbw_position origin, int size)
{
    const place p = place_of(side, origin);
    const double extent = (double)(size - 1) / side;
    return (box){p.i, p.j, p.x, p.x + extent, p.y, p.y + extent};
}

// the squares whose bumps can matter somewhere between two coordinates
static int first_square(double low)
{
    return (int)floor(low - REACH);
}

static int last_square(double high)
{
    return (int)floor(high + REACH);
}

// the smallest and largest distance of a coordinate from a range
static void distances(double at, double low, double high, double *least, double *most)
{
    *least = at < low ? low - at : at > high ? at - high : 0.0;
    *most = at - low > high - at ? at - low : high - at;
}

void jbw_place_noise_bounds(uint64_t plane, int side, jbw_position origin, int size, double *least,
                            double *most)
{
    *least = -1.0;
    *most = 1.0;
    if (size > side) return; // too much happens in there
    const box area = box_of(side, origin, size);
    double low = 0.0;
    double high = 0.0;
    for (int dj = first_square(area.bottom); dj <= last_square(area.top); dj++) {
        const uint64_t row = jbw_square_row(plane, area.j + dj);
        for (int di = first_square(area.left); di <= last_square(area.right); di++) {
            const bump b = bump_of(jbw_square_number(row, area.i + di), di, dj);
            double near_x, far_x, near_y, far_y;
            distances(b.x, area.left, area.right, &near_x, &far_x);
            distances(b.y, area.bottom, area.top, &near_y, &far_y);
            const double a = amplitude(&b, 0) * shape(near_x * near_x + near_y * near_y);
            const double z = amplitude(&b, 0) * shape(far_x * far_x + far_y * far_y);
            low += a < z ? a : z;
            high += a < z ? z : a;
        }
    }
    *least = squash(low) - SLACK;
    *most = squash(high) + SLACK;
}

// not less than the length of a vector, and at most 8 % more
static double length_bound(double x, double y)
{
    const double a = fabs(x);
    const double b = fabs(y);
    return a > b ? a + 0.4143 * b : b + 0.4143 * a;
}

// the shift is nearly linear: its slopes, and a bound of what second derivatives add
jbw_place_shift jbw_place_noise_shift_near(uint64_t plane, int side, jbw_position origin, int size,
                                           double *spread)
{
    const box area = box_of(side, origin, size);
    const double x = 0.5 * (area.left + area.right);
    const double y = 0.5 * (area.bottom + area.top);
    const double diagonal = jbw_sqrt(2.0) * 0.5 * (area.right - area.left);
    const double reach = (REACH + diagonal) * (REACH + diagonal);
    jbw_place_shift sum = {0.0, 0.0};
    double slopes[4] = {0.0, 0.0, 0.0, 0.0};
    double weight = 0.0;
    for (int dj = first_square(area.bottom); dj <= last_square(area.top); dj++) {
        const uint64_t row = jbw_square_row(plane, area.j + dj);
        for (int di = first_square(area.left); di <= last_square(area.right); di++) {
            const bump b = bump_of(jbw_square_number(row, area.i + di), di, dj);
            const double dx = x - b.x;
            const double dy = y - b.y;
            if (dx * dx + dy * dy >= reach) continue;
            const double amplitudes[2] = {amplitude(&b, 0), amplitude(&b, 1)};
            weight += length_bound(amplitudes[0], amplitudes[1]);
            const double left = 1.0 - (dx * dx + dy * dy) * INVERSE_AREA;
            if (left <= 0.0) continue;
            const double slope = -BEND * left * left;
            for (int k = 0; k < 2; k++) {
                slopes[2 * k] += amplitudes[k] * slope * dx;
                slopes[2 * k + 1] += amplitudes[k] * slope * dy;
            }
            sum.x += amplitudes[0] * left * left * left;
            sum.y += amplitudes[1] * left * left * left;
        }
    }
    const double slope = jbw_sqrt(slopes[0] * slopes[0] + slopes[1] * slopes[1] +
                                  slopes[2] * slopes[2] + slopes[3] * slopes[3]);
    *spread = slope * diagonal + 0.5 * BEND * weight * diagonal * diagonal + SLACK;
    return sum;
}
