// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/kernel.h"

#include <string.h>

#include <math.h>

#include "sim/simd.h"

// rounds an energy to the resolution of the pair, in units of the target's field
static int32_t to_field(const jbw_kernel *kernel, double value)
{
    return (int32_t)floor(value * kernel->scale + 0.5) * (int32_t)(1 << kernel->shift);
}

int32_t jbw_kernel_pair_energy(const jbw_kernel *kernel, jbw_position target, jbw_position source)
{
    return to_field(kernel, jbw_coupling_value(kernel->forward, target, source)) +
           to_field(kernel, jbw_coupling_value(kernel->backward, source, target));
}

static int32_t table_entry(const jbw_kernel *kernel, int column, int row)
{
    const jbw_position target = {column - kernel->reach, row - kernel->reach};
    if (target.x == 0 && target.y == 0) return 0;
    return jbw_kernel_pair_energy(kernel, target, (jbw_position){0, 0});
}

// Lines and rectangles, unlike discs, have few different rows.
static bool find_runs(jbw_kernel *kernel, jbw_arena *arena)
{
    enum { MOST_RUNS = 8 };
    const int side = 2 * kernel->reach + 1;
    int16_t *ends = jbw_arena_alloc(arena, (size_t)side, sizeof *ends);
    if (!ends) return false;
    int runs = 1;
    ends[side - 1] = (int16_t)side;
    for (int row = side - 2; row >= 0; row--) {
        const int32_t *cells = kernel->table + (ptrdiff_t)row * kernel->table_stride;
        const bool is_equal = memcmp(cells, cells + kernel->table_stride,
                                     (size_t)kernel->table_stride * sizeof *cells) == 0;
        ends[row] = is_equal ? ends[row + 1] : (int16_t)(row + 1);
        runs += !is_equal;
    }
    if (runs <= MOST_RUNS) kernel->row_ends = ends;
    return true;
}

static bool init_table(jbw_kernel *kernel, jbw_arena *arena)
{
    const int side = 2 * kernel->reach + 1;
    const int stride = JBW_LANES + side + JBW_LANES;
    int32_t *table = jbw_arena_alloc(arena, (size_t)side * (size_t)stride, sizeof *table);
    if (!table) return false;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            table[row * stride + JBW_LANES + column] = table_entry(kernel, column, row);
    kernel->kind = JBW_KERNEL_TABLE;
    kernel->table = table;
    kernel->table_stride = stride;
    return find_runs(kernel, arena);
}

static bool is_zero_or_cross_hash(const jbw_coupling *coupling)
{
    return coupling->reach == 0 || coupling->kind == JBW_COUPLING_CROSS_HASH;
}

static void init_columns(jbw_kernel *kernel)
{
    for (int i = 0; i < 4; i++) {
        if (kernel->forward->reach > 0)
            kernel->forward_values[i] = to_field(kernel, kernel->forward->arguments[4 + i]);
        if (kernel->backward->reach > 0)
            kernel->backward_values[i] = to_field(kernel, kernel->backward->arguments[4 + i]);
    }
    kernel->kind = JBW_KERNEL_COLUMNS;
}

bool jbw_kernel_init(jbw_kernel *kernel, int field, const jbw_coupling *forward,
                     const jbw_coupling *backward, int target_bits, int source_bits,
                     bool force_generic, jbw_arena *arena)
{
    const int bits = target_bits < source_bits ? target_bits : source_bits;
    *kernel = (jbw_kernel){
        .field = field,
        .reach = forward->reach > backward->reach ? forward->reach : backward->reach,
        .scale = (double)(1 << bits),
        .shift = target_bits - bits,
        .forward = forward,
        .backward = backward,
    };
    if (kernel->reach == 0)
        kernel->kind = JBW_KERNEL_NONE;
    else if (force_generic)
        kernel->kind = JBW_KERNEL_GENERIC;
    else if (jbw_coupling_is_stationary(forward) && jbw_coupling_is_stationary(backward))
        return init_table(kernel, arena);
    else if (JBW_HAS_I32X8 && is_zero_or_cross_hash(forward) && is_zero_or_cross_hash(backward))
        init_columns(kernel);
    else
        kernel->kind = JBW_KERNEL_GENERIC;
    return true;
}

static int table_count(const jbw_kernel *kernel)
{
    return (2 * kernel->reach + 1) * kernel->table_stride;
}

// the greatest common divisor of a table, with the sign of its first nonzero entry; zero if all are
static int32_t table_factor(const jbw_kernel *kernel)
{
    int32_t factor = 0;
    bool is_negative = false;
    for (int i = 0; i < table_count(kernel); i++) {
        int32_t a = factor;
        int32_t b = kernel->table[i] < 0 ? -kernel->table[i] : kernel->table[i];
        if (a == 0) is_negative = kernel->table[i] < 0;
        while (b != 0) {
            const int32_t rest = a % b;
            a = b;
            b = rest;
        }
        factor = a;
    }
    return is_negative ? -factor : factor;
}

bool jbw_kernels_are_alike(const jbw_kernel *a, const jbw_kernel *b, int32_t *a_factor,
                           int32_t *b_factor)
{
    if (a->kind != JBW_KERNEL_TABLE || b->kind != JBW_KERNEL_TABLE || a->reach != b->reach)
        return false;
    const int32_t a_divisor = table_factor(a);
    const int32_t b_divisor = table_factor(b);
    if (a_divisor == 0 || b_divisor == 0) return false;
    for (int i = 0; i < table_count(a); i++)
        if (a->table[i] / a_divisor != b->table[i] / b_divisor) return false;
    *a_factor = a_divisor;
    *b_factor = b_divisor;
    return true;
}

void jbw_kernel_divide(jbw_kernel *kernel, int32_t factor, int field)
{
    for (int i = 0; i < table_count(kernel); i++) kernel->table[i] /= factor;
    kernel->field = field;
}
