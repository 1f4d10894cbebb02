// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/biome.h"

#include <math.h>

#include "base/divide.h"
#include "base/dmath.h"
#include "sim/model/place_noise.h"

#define SHIFT 0.2 // by how much the noise shifts a cell, in scales

enum { FINER = 3 }; // how much finer than the regions the noise is

/// A shifted place: a square, and where in it, from 0 to 1.
typedef struct shifted {
    int64_t i, j;
    double x, y;
} shifted;

jbw_biomes jbw_biomes_of(uint64_t seed, int scale, int64_t layer)
{
    const uint64_t sites = jbw_square_plane(seed, layer, scale, JBW_PURPOSE_BIOME);
    return (jbw_biomes){.sites = sites, .shifts = jbw_mix64(sites), .scale = scale};
}

static int shift_side(const jbw_biomes *biomes)
{
    return biomes->scale < FINER ? 1 : biomes->scale / FINER;
}

// from a cell, a fraction of it, and a shift
static shifted shift_cell(const jbw_biomes *biomes, jbw_position cell, double within,
                          jbw_place_shift shift)
{
    shifted p = {.i = jbw_floor_divide(cell.x, biomes->scale),
                 .j = jbw_floor_divide(cell.y, biomes->scale)};
    const double x =
        ((double)(cell.x - p.i * biomes->scale) + within) / biomes->scale + SHIFT * shift.x;
    const double y =
        ((double)(cell.y - p.j * biomes->scale) + within) / biomes->scale + SHIFT * shift.y;
    p.i += (int64_t)floor(x);
    p.j += (int64_t)floor(y);
    p.x = x - floor(x);
    p.y = y - floor(y);
    return p;
}

// the distance of a number between 0 and 1 from the range [d, d + 1]
static double gap(double at, int d)
{
    return d > 0 ? d - at : d < 0 ? at - (d + 1) : 0.0;
}

/// A site near a place: the number of its square, where it is, in scales from the corner of the
/// place's square, and its squared distance.
typedef struct site {
    uint64_t number;
    double x, y;
    double distance;
} site;

static site site_in(uint64_t number, const shifted *p, int di, int dj)
{
    const double x = di + (double)(int64_t)(number >> 32) * 0x1p-32;
    const double y = dj + (double)(int64_t)(number & 0xffffffff) * 0x1p-32;
    return (site){number, x, y, (x - p->x) * (x - p->x) + (y - p->y) * (y - p->y)};
}

static double number_of(uint64_t number)
{
    return (double)(int64_t)(jbw_mix64(number + UINT64_C(0xe7037ed1a0b428db)) >> 11) * 0x1p-53;
}

// from the middle outwards, so that most squares are too far away when their turn comes
static const int outwards[5] = {0, -1, 1, -2, 2};

// the site nearest to a place; none is farther than the diagonal of its own square, so two squares
// around are enough
static site nearest_site(const jbw_biomes *biomes, const shifted *p)
{
    site nearest = {.distance = 8.0};
    for (int a = 0; a < 5; a++) {
        const int dj = outwards[a];
        const double gap_y = gap(p->y, dj);
        if (gap_y * gap_y >= nearest.distance) continue;
        const uint64_t row = jbw_square_row(biomes->sites, p->j + dj);
        for (int b = 0; b < 5; b++) {
            const int di = outwards[b];
            const double gap_x = gap(p->x, di);
            if (gap_x * gap_x + gap_y * gap_y >= nearest.distance) continue;
            const site s = site_in(jbw_square_number(row, p->i + di), p, di, dj);
            if (s.distance < nearest.distance) nearest = s;
        }
    }
    return nearest;
}

double jbw_biome_number(const jbw_biomes *biomes, jbw_position cell)
{
    const shifted p = shift_cell(biomes, cell, 0.0,
                                 jbw_place_noise_shift(biomes->shifts, shift_side(biomes), cell));
    return number_of(nearest_site(biomes, &p).number);
}

static int add_number(double number, double numbers[JBW_BIOMES_NEAR], int count)
{
    if (count > JBW_BIOMES_NEAR) return count;
    for (int i = 0; i < count; i++)
        if (numbers[i] == number) return count;
    if (count < JBW_BIOMES_NEAR) numbers[count] = number;
    return count + 1;
}

// All shifted cells lie within some distance of the shifted middle. A site s can be the nearest to
// one of them only if the line halfway between s and the site nearest to the middle is as close.
static int add_numbers(const jbw_biomes *biomes, jbw_position origin, int size,
                       double numbers[JBW_BIOMES_NEAR], int count)
{
    const double half = 0.5 * (size - 1);
    const double diagonal = jbw_sqrt(2.0) * half / biomes->scale;
    double spread;
    const jbw_place_shift shift =
        jbw_place_noise_shift_near(biomes->shifts, shift_side(biomes), origin, size, &spread);
    const double distance = diagonal + SHIFT * spread + 1e-9;
    const shifted p = shift_cell(biomes, origin, half, shift);
    const site first = nearest_site(biomes, &p);
    // sites farther than this are not the nearest to any cell, whatever their direction
    const double limit = jbw_sqrt(first.distance) + 2.0 * distance;
    if (limit > 2.0) return JBW_BIOMES_NEAR + 1; // sites three squares away are not looked at
    for (int dj = -2; dj <= 2; dj++) {
        const double gap_y = gap(p.y, dj);
        if (gap_y > limit) continue;
        const uint64_t row = jbw_square_row(biomes->sites, p.j + dj);
        for (int di = -2; di <= 2; di++) {
            const double gap_x = gap(p.x, di);
            if (gap_x * gap_x + gap_y * gap_y > limit * limit) continue;
            const site s = site_in(jbw_square_number(row, p.i + di), &p, di, dj);
            if (s.distance > limit * limit) continue;
            const double x = s.x - first.x;
            const double y = s.y - first.y;
            if (s.distance - first.distance <= 2.0 * distance * jbw_sqrt(x * x + y * y) + 1e-9)
                count = add_number(number_of(s.number), numbers, count);
        }
    }
    return count;
}

int jbw_biome_numbers(const jbw_biomes *biomes, jbw_position origin, int size,
                      double numbers[JBW_BIOMES_NEAR])
{
    enum { PIECES = 4, LARGE = 32 };
    if (size > biomes->scale) return 0;
    const int piece = size < LARGE ? size : (size + PIECES - 1) / PIECES;
    int count = 0;
    for (int y = 0; y < size && count <= JBW_BIOMES_NEAR; y += piece)
        for (int x = 0; x < size && count <= JBW_BIOMES_NEAR; x += piece) {
            const jbw_position at = {origin.x + (x + piece > size ? size - piece : x),
                                     origin.y + (y + piece > size ? size - piece : y)};
            count = add_numbers(biomes, at, piece, numbers, count);
        }
    return count <= JBW_BIOMES_NEAR ? count : 0;
}
