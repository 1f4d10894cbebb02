// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/narrow.h"

#include <math.h>
#include <stdlib.h>

#include "sim/model/add_rows.h"
#include "sim/simd.h"

enum { PIECE_BYTES = JBW_NARROW_LANES * sizeof(int16_t) };
enum { MOST_VALUES = 16, MOST_DIVISORS = 32 };
enum { MOST_SHARED_SIDE = 181 }; // so many cells can be counted in 16 bits

// ---- units ----

static int32_t table_at(const jbw_kernel *kernel, int dx, int dy)
{
    if (abs(dx) > kernel->reach || abs(dy) > kernel->reach) return 0;
    const ptrdiff_t row = (ptrdiff_t)(dy + kernel->reach) * kernel->table_stride;
    return kernel->table[row + JBW_LANES + dx + kernel->reach];
}

/// Everything that acts on a type: kernels into the fields that it reads, and what their numbers are
/// worth.
typedef struct influence {
    const jbw_kernel *kernels[2 * JBW_MAX_ITEM_TYPES];
    double factors[2 * JBW_MAX_ITEM_TYPES];
    int count;
    int reach;
} influence;

// whether a kernel counts items: shared fields are made such that most do
static bool is_count(const jbw_kernel *kernel)
{
    for (int y = -kernel->reach; y <= kernel->reach; y++)
        for (int x = -kernel->reach; x <= kernel->reach; x++)
            if (table_at(kernel, x, y) != 0 && table_at(kernel, x, y) != 1) return false;
    return 2 * kernel->reach + 1 <= MOST_SHARED_SIDE;
}

// false if a kernel is no table, or a shared one is no count
static bool find_influence(const jbw_model *model, int type, influence *out)
{
    const jbw_energy_scale *scale = &model->scales[type];
    out->count = out->reach = 0;
    for (int source = 0; source < model->type_count; source++) {
        for (int k = 0; k < model->items[source].kernel_count; k++) {
            const jbw_kernel *kernel = &model->items[source].kernels[k];
            const bool is_own = kernel->field == scale->field;
            const bool is_shared =
                scale->shared_factor != 0 && kernel->field == scale->shared_field;
            if (!is_own && !is_shared) continue;
            if (kernel->kind != JBW_KERNEL_TABLE || out->count == 2 * JBW_MAX_ITEM_TYPES)
                return false;
            if (is_shared && !is_count(kernel)) return false;
            out->kernels[out->count] = kernel;
            out->factors[out->count++] = scale->unit * (is_own ? 1.0 : scale->shared_factor);
            if (kernel->reach > out->reach) out->reach = kernel->reach;
        }
    }
    return out->count > 0;
}

// the sums of the lowest and of the highest energies that each cell in reach may contribute, if none
// is below `least`
static void sum_extremes(const influence *all, double least, double *low, double *high)
{
    *low = *high = 0.0;
    for (int y = -all->reach; y <= all->reach; y++) {
        for (int x = -all->reach; x <= all->reach; x++) {
            double lowest = 0.0;
            double highest = 0.0;
            for (int i = 0; i < all->count; i++) {
                const double energy = table_at(all->kernels[i], x, y) * all->factors[i];
                lowest = fmin(lowest, fmax(energy, least));
                highest = fmax(highest, energy);
            }
            *low += lowest;
            *high += highest;
        }
    }
}

// collects the energies above `least` that occur, once each; -1 if there are many
static int find_energies(const influence *all, double least, double energies[MOST_VALUES])
{
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        const jbw_kernel *kernel = all->kernels[i];
        int32_t last = 0;
        for (int y = -kernel->reach; y <= kernel->reach; y++) {
            for (int x = -kernel->reach; x <= kernel->reach; x++) {
                const int32_t value = table_at(kernel, x, y);
                if (value == last || value == 0) continue;
                last = value;
                const double energy = value * all->factors[i];
                bool is_new = energy > least;
                for (int j = 0; j < count; j++) is_new = is_new && energies[j] != energy;
                if (is_new && count == MOST_VALUES) return -1;
                if (is_new) energies[count++] = energy;
            }
        }
    }
    return count;
}

static bool are_multiples(const double *energies, int count, double unit)
{
    for (int i = 0; i < count; i++) {
        const double rounded = unit * floor(energies[i] / unit + 0.5);
        if (fabs(rounded - energies[i]) > 1e-3 * fabs(energies[i])) return false;
    }
    return true;
}

// the largest number that all energies are multiples of; zero if there is none
static double find_unit(const double *energies, int count)
{
    double smallest = INFINITY;
    for (int i = 0; i < count; i++) smallest = fmin(smallest, fabs(energies[i]));
    for (int divisor = 1; divisor <= MOST_DIVISORS && count > 0; divisor++)
        if (are_multiples(energies, count, smallest / divisor)) return smallest / divisor;
    return 0.0;
}

static bool is_narrow_number(double value)
{
    return value >= -32768.0 && value <= 32767.0;
}

// an energy in units; one that must not be weaker is rounded down
static int32_t to_units(double energy, double unit, double least)
{
    return (int32_t)(energy <= least ? floor(least / unit) : floor(energy / unit + 0.5));
}

// the energy from which on a type is kept away, whatever else is near
static double least_energy(const influence *all, double max_intensity)
{
    double low;
    double high;
    sum_extremes(all, 0.0, &low, &high);
    return -(JBW_NEVER_ENERGY + high + fmax(max_intensity, 0.0));
}

jbw_narrow_scale jbw_narrow_scale_of(const jbw_model *model, int type, double max_intensity)
{
    const jbw_energy_scale *scale = &model->scales[type];
    const jbw_narrow_scale wide = {.unit = scale->unit, .shared_factor = scale->shared_factor};
    influence all;
    double energies[MOST_VALUES];
    double low;
    double high;
    if (scale->unit == 0.0 || !find_influence(model, type, &all)) return wide;
    const double least = least_energy(&all, max_intensity);
    const double unit = find_unit(energies, find_energies(&all, least, energies));
    if (unit == 0.0) return wide;

    // rounding adds at most one unit for each cell whose energy is raised to the least one, and a
    // thousandth of all others
    sum_extremes(&all, least - unit, &low, &high);
    low = floor(1.001 * low / unit) - 1.0;
    high = ceil(1.001 * high / unit) + 1.0;
    if (high - low > 65535.0) return wide;
    const double base = low < -32768.0 ? -32768.0 - low : 0.0;
    if (!is_narrow_number(low + base) || !is_narrow_number(high + base)) return wide;
    const double shared = scale->shared_factor * scale->unit;
    return (jbw_narrow_scale){.is_narrow = true,
                              .unit = unit,
                              .base = (int32_t)base,
                              .least = least,
                              .shared_factor = to_units(shared, unit, least)};
}

// ---- kernels ----

// what a kernel adds to a cell, in the numbers of a field; see `jbw_narrow_kernel_init`
static int16_t number_at(const jbw_kernel *kernel, const jbw_narrow_scale *scale, double model_unit,
                         int x, int y)
{
    if (x > kernel->reach) return 0;
    const int32_t value = table_at(kernel, x, y);
    return (int16_t)(scale ? to_units(value * model_unit, scale->unit, scale->least) : value);
}

// writes all pieces unless there is no room for them yet, and returns their number
static int list_pieces(jbw_narrow_kernel *narrow, const jbw_kernel *kernel,
                       const jbw_narrow_scale *scale, double model_unit)
{
    int count = 0;
    for (int y = -narrow->reach; y <= narrow->reach; y++) {
        narrow->row_starts[y + narrow->reach] = count;
        for (int x = -narrow->reach; x <= narrow->reach; x++) {
            if (number_at(kernel, scale, model_unit, x, y) == 0) continue;
            for (int i = 0; narrow->pieces && i < JBW_NARROW_LANES; i++)
                narrow->pieces[count * JBW_NARROW_LANES + i] =
                    number_at(kernel, scale, model_unit, x + i, y);
            if (narrow->pieces) narrow->columns[count] = (int16_t)x;
            x += JBW_NARROW_LANES - 1;
            count++;
        }
    }
    narrow->row_starts[2 * narrow->reach + 1] = count;
    return count;
}

bool jbw_narrow_kernel_init(jbw_narrow_kernel *narrow, const jbw_kernel *kernel,
                            const jbw_narrow_scale *scale, double model_unit, jbw_arena *arena)
{
    *narrow = (jbw_narrow_kernel){.reach = kernel->reach};
    narrow->row_starts =
        jbw_arena_alloc(arena, 2 * (size_t)narrow->reach + 2, sizeof *narrow->row_starts);
    if (!narrow->row_starts) return false;
    narrow->count = list_pieces(narrow, kernel, scale, model_unit);
    const size_t count = (size_t)narrow->count;
    narrow->columns = jbw_arena_alloc(arena, count, sizeof *narrow->columns);
    if (!narrow->columns) return false;
    // with one more piece, whole ones can begin where vectors are loaded fastest
    unsigned char *memory = jbw_arena_alloc(arena, count + 1, PIECE_BYTES);
    if (!memory) return false;
    memory += (PIECE_BYTES - (uintptr_t)memory % PIECE_BYTES) % PIECE_BYTES;
    narrow->pieces = (int16_t *)(void *)memory;
    list_pieces(narrow, kernel, scale, model_unit);
    return true;
}

void jbw_narrow_find_offsets(const jbw_narrow_kernel *kernel, ptrdiff_t stride, int32_t *offsets)
{
    for (int row = 0; row <= 2 * kernel->reach; row++)
        for (int i = kernel->row_starts[row]; i < kernel->row_starts[row + 1]; i++)
            offsets[i] = (int32_t)((row - kernel->reach) * stride + kernel->columns[i]);
}

// ---- stamping ----

JBW_INLINE void add_pieces(int16_t *at, const int32_t *offsets, const int16_t *pieces, int count,
                           bool is_negative)
{
    int i = 0;
#ifndef JBW_SMALL
    for (; i + 4 <= count; i += 4)
        for (int j = i; j < i + 4; j++)
            jbw_add_row(at + offsets[j], pieces + j * JBW_NARROW_LANES, 1, is_negative);
#endif
    for (; i < count; i++)
        jbw_add_row(at + offsets[i], pieces + i * JBW_NARROW_LANES, 1, is_negative);
}

JBW_SIMD_CLONES
static void stamp_pieces(int16_t *at, const int32_t *offsets, const int16_t *pieces, int count,
                         bool is_negative)
{
    if (is_negative)
        add_pieces(at, offsets, pieces, count, true);
    else
        add_pieces(at, offsets, pieces, count, false);
}

void jbw_narrow_stamp(const jbw_narrow_kernel *kernel, const int32_t *offsets,
                      const jbw_narrow_target *target, int x, int y, bool is_negative)
{
    const int reach = kernel->reach;
    if (y + reach < target->bottom || y - reach >= target->top) return;
    const int first_row = y - reach < target->bottom ? target->bottom - y + reach : 0;
    const int end_row = y + reach < target->top ? 2 * reach + 1 : target->top - y + reach;
    const int first = kernel->row_starts[first_row];
    const int end = kernel->row_starts[end_row];
    int16_t *at = target->field + y * target->stride + x;
    if (x >= reach && x + reach < target->width) {
        stamp_pieces(at, offsets + first, kernel->pieces + (ptrdiff_t)first * JBW_NARROW_LANES,
                     end - first, is_negative);
        return;
    }
    for (int i = first; i < end; i++) {
        const int column = x + kernel->columns[i];
        if (column > -JBW_NARROW_LANES && column < target->width)
            stamp_pieces(at, offsets + i, kernel->pieces + (ptrdiff_t)i * JBW_NARROW_LANES, 1,
                         is_negative);
    }
}
