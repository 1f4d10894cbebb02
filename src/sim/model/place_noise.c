// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/place_noise.h"

#include <math.h>
#include <stdbool.h>

#include "base/divide.h"
#include "base/dmath.h"
#include "sim/simd.h"

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

// ---- at all cells of a square ----

/// Columns or rows of cells: in which square each is, counted from that of the first, and where in it.
typedef struct line {
    int64_t first;
    double squares[JBW_SHIFTS_SIDE];
    double at[JBW_SHIFTS_SIDE];
} line;

static line line_of(int side, int64_t corner, int size)
{
    line l = {.first = jbw_floor_divide(corner, side)};
    for (int c = 0; c < size; c++) {
        const place p = place_of(side, (jbw_position){corner + c, 0});
        l.squares[c] = (double)(p.i - l.first);
        l.at[c] = p.x;
    }
    return l;
}

// The squared distances of cells from a coordinate. A bump's place in its square has few digits: it is
// as exact when counted from another one.
JBW_INLINE double squared_distance(const line *l, int c, double at)
{
    const double distance = l->at[c] - (at - l->squares[c]);
    return distance * distance;
}

// Adds a bump to the sums of some cells of a row, given how far they are from it.
JBW_SIMD_CLONES
static void add_bump_row(double *sums_x, double *sums_y, const double *squared_x, double squared_y,
                         int count, double amplitude_x, double amplitude_y)
{
    for (int c = 0; c < count; c++) {
        const double squared = squared_x[c] + squared_y;
        const double left = 1.0 - squared * INVERSE_AREA;
        const bool is_near = squared < REACH * REACH && left > 0.0;
        const double height = is_near ? left * left * left : 0.0;
        sums_x[c] += amplitude_x * height;
        sums_y[c] += amplitude_y * height;
    }
}

// A cell, at a distance in sides from the first one, rounded down; kept within the square.
static int cell_at(double distance, int side, int64_t offset, int size)
{
    const int64_t cell = jbw_floor(distance * side) - offset;
    return (int)(cell < 0 ? 0 : cell > size ? size : cell);
}

// Bumps are added one after the other, each to the cells that it can reach. So every cell adds them up in
// the order of jbw_place_noise_shift, and for the others zero is added.
void jbw_place_noise_shifts(uint64_t plane, int side, jbw_position corner, int size,
                            jbw_place_shift *shifts)
{
    double sums_x[JBW_SHIFTS_SIDE][JBW_SHIFTS_SIDE] = {{0.0}};
    double sums_y[JBW_SHIFTS_SIDE][JBW_SHIFTS_SIDE] = {{0.0}};
    const line columns = line_of(side, corner.x, size);
    const line rows = line_of(side, corner.y, size);
    const int64_t offset_x = corner.x - columns.first * side;
    const int64_t offset_y = corner.y - rows.first * side;
    for (int dj = -2; dj <= (int)rows.squares[size - 1] + 2; dj++) {
        const uint64_t row = jbw_square_row(plane, rows.first + dj);
        for (int di = -2; di <= (int)columns.squares[size - 1] + 2; di++) {
            const bump b = bump_of(jbw_square_number(row, columns.first + di), di, dj);
            const int left = cell_at(b.x - REACH, side, offset_x, size);
            const int right = cell_at(b.x + REACH, side, offset_x - 1, size);
            const int bottom = cell_at(b.y - REACH, side, offset_y, size);
            const int top = cell_at(b.y + REACH, side, offset_y - 1, size);
            double squared_x[JBW_SHIFTS_SIDE];
            for (int c = left; c < right; c++) squared_x[c] = squared_distance(&columns, c, b.x);
            for (int r = bottom; r < top && left < right; r++)
                add_bump_row(sums_x[r] + left, sums_y[r] + left, squared_x + left,
                             squared_distance(&rows, r, b.y), right - left, amplitude(&b, 0),
                             amplitude(&b, 1));
        }
    }
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++)
            shifts[r * size + c] = (jbw_place_shift){sums_x[r][c], sums_y[r][c]};
}

// ---- noise at a cell ----

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
    return (int)jbw_floor(low - REACH);
}

static int last_square(double high)
{
    return (int)jbw_floor(high + REACH);
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
