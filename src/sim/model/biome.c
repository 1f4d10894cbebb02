// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/biome.h"

#include <stdbool.h>

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

static shifted shift_place(const shifted *p, jbw_place_shift shift)
{
    const double x = p->x + SHIFT * shift.x;
    const double y = p->y + SHIFT * shift.y;
    const int64_t i = jbw_floor(x);
    const int64_t j = jbw_floor(y);
    return (shifted){p->i + i, p->j + j, x - (double)i, y - (double)j};
}

// where a cell, plus a fraction of it, is before it is shifted
static shifted place_of(const jbw_biomes *biomes, jbw_position cell, double within)
{
    const int scale = biomes->scale;
    const int64_t i = jbw_floor_divide(cell.x, scale);
    const int64_t j = jbw_floor_divide(cell.y, scale);
    return (shifted){.i = i,
                     .j = j,
                     .x = ((double)(cell.x - i * scale) + within) / scale,
                     .y = ((double)(cell.y - j * scale) + within) / scale};
}

static shifted shift_cell(const jbw_biomes *biomes, jbw_position cell, double within,
                          jbw_place_shift shift)
{
    const shifted p = place_of(biomes, cell, within);
    return shift_place(&p, shift);
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

// ---- at all cells of a square ----

enum { BLOCK_ROWS = 4, MOST_SITES = 96 };

/// Sites that may be the nearest to some cell of a block.
typedef struct site_list {
    struct listed_site {
        uint64_t number;
        int64_t i, j;
        double x, y; // within its square
    } sites[MOST_SITES];
    int count;
} site_list;

/// Where shifted cells are, in scales from the corner of some square.
typedef struct extent {
    double left, right, bottom, top;
} extent;

static extent find_extent(const shifted *cells, int count)
{
    extent e = {cells[0].x, cells[0].x, cells[0].y, cells[0].y};
    for (int k = 1; k < count; k++) {
        const double x = (double)(cells[k].i - cells[0].i) + cells[k].x;
        const double y = (double)(cells[k].j - cells[0].j) + cells[k].y;
        if (x < e.left) e.left = x;
        if (x > e.right) e.right = x;
        if (y < e.bottom) e.bottom = y;
        if (y > e.top) e.top = y;
    }
    return e;
}

// the smallest or the largest distance of a coordinate from a range
static double nearest_in(double at, double low, double high)
{
    return at < low ? low - at : at > high ? at - high : 0.0;
}

static double farthest_in(double at, double low, double high)
{
    return at - low > high - at ? at - low : high - at;
}

// Lists the sites that are no farther from all cells than another site is. False if they are too many.
static bool list_sites(const jbw_biomes *biomes, const shifted *cells, int count, site_list *list)
{
    const extent e = find_extent(cells, count);
    double nears[MOST_SITES];
    double limit = 1e9;
    int found = 0;
    list->count = 0;
    for (int64_t j = jbw_floor(e.bottom) - 2; j <= jbw_floor(e.top) + 2; j++) {
        const uint64_t row = jbw_square_row(biomes->sites, cells[0].j + j);
        for (int64_t i = jbw_floor(e.left) - 2; i <= jbw_floor(e.right) + 2; i++) {
            const uint64_t number = jbw_square_number(row, cells[0].i + i);
            const site s = site_in(number, &(shifted){0}, 0, 0);
            const double near_x = nearest_in((double)i + s.x, e.left, e.right);
            const double near_y = nearest_in((double)j + s.y, e.bottom, e.top);
            const double near = near_x * near_x + near_y * near_y;
            if (near > limit) continue;
            if (found == MOST_SITES) return false;
            nears[found] = near;
            list->sites[found++] =
                (struct listed_site){number, cells[0].i + i, cells[0].j + j, s.x, s.y};
            const double far_x = farthest_in((double)i + s.x, e.left, e.right);
            const double far_y = farthest_in((double)j + s.y, e.bottom, e.top);
            const double far = far_x * far_x + far_y * far_y + 1e-9;
            if (far < limit) limit = far;
        }
    }
    for (int k = 0; k < found; k++)
        if (nears[k] <= limit) list->sites[list->count++] = list->sites[k];
    return true;
}

static uint64_t nearest_listed(const jbw_biomes *biomes, const site_list *list, const shifted *p)
{
    double nearest = 1e9;
    uint64_t number = 0;
    bool is_tie = false;
    for (int k = 0; k < list->count; k++) {
        const struct listed_site *s = &list->sites[k];
        const double x = (double)(s->i - p->i) + s->x - p->x;
        const double y = (double)(s->j - p->j) + s->y - p->y;
        const double distance = x * x + y * y;
        if (distance > nearest) continue;
        is_tie = distance == nearest;
        nearest = distance;
        number = s->number;
    }
    return is_tie ? nearest_site(biomes, p).number : number; // which decides ties by its order
}

static void find_block(const jbw_biomes *biomes, const shifted *cells, int count, double *numbers)
{
    site_list list;
    const bool is_listed = list_sites(biomes, cells, count, &list);
    uint64_t before = 0;
    double number = number_of(before);
    for (int k = 0; k < count; k++) {
        const uint64_t nearest = is_listed ? nearest_listed(biomes, &list, &cells[k])
                                           : nearest_site(biomes, &cells[k]).number;
        if (nearest != before) number = number_of(nearest);
        before = nearest;
        numbers[k] = number;
    }
}

void jbw_biome_square(const jbw_biomes *biomes, jbw_position corner, int size, double *numbers)
{
    jbw_place_shift shifts[JBW_SHIFTS_SIDE * JBW_SHIFTS_SIDE];
    jbw_place_noise_shifts(biomes->shifts, shift_side(biomes), corner, size, shifts);
    shifted diagonal[JBW_SHIFTS_SIDE]; // has the places of all columns and rows
    for (int c = 0; c < size; c++)
        diagonal[c] = place_of(biomes, (jbw_position){corner.x + c, corner.y + c}, 0.0);
    shifted cells[BLOCK_ROWS * JBW_SHIFTS_SIDE];
    for (int bottom = 0; bottom < size; bottom += BLOCK_ROWS) {
        int count = 0;
        for (int y = bottom; y < size && y < bottom + BLOCK_ROWS; y++) {
            for (int x = 0; x < size; x++) {
                const shifted p = {diagonal[x].i, diagonal[y].j, diagonal[x].x, diagonal[y].y};
                cells[count++] = shift_place(&p, shifts[y * size + x]);
            }
        }
        find_block(biomes, cells, count, numbers + bottom * size);
    }
}

// ---- bounds ----

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
