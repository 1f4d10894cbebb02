// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/kernel.h"

#include <math.h>

// Compiled for wide vectors too, and chosen when the program starts: these loops are whole-number
// sums, so every version gives the same result.
#if defined(JBW_SIMD) && JBW_SIMD && defined(__x86_64__) && defined(__GNUC__)
#define JBW_WIDE __attribute__((target_clones("default", "avx2")))
#else
#define JBW_WIDE
#endif

static int32_t round_to_units(double value, double scale)
{
    return (int32_t)floor(value * scale + 0.5);
}

static int32_t to_field(const jbw_kernel *kernel, double value)
{
    return round_to_units(value, kernel->scale) * (int32_t)(1 << kernel->shift);
}

static int32_t pair_energy(const jbw_kernel *kernel, jbw_position target, jbw_position source)
{
    return to_field(kernel, jbw_coupling_value(kernel->forward, target, source)) +
           to_field(kernel, jbw_coupling_value(kernel->backward, source, target));
}

static bool init_table(jbw_kernel *kernel, jbw_arena *arena)
{
    const int reach = kernel->reach;
    const int side = 2 * reach + 1;
    int32_t *table = jbw_arena_alloc(arena, (size_t)side * (size_t)side, sizeof *table);
    jbw_kernel_row *rows = jbw_arena_alloc(arena, (size_t)side, sizeof *rows);
    if (!table || !rows) return false;

    for (int row = 0; row < side; row++) {
        rows[row] = (jbw_kernel_row){.begin = (int16_t)side, .end = 0};
        for (int column = 0; column < side; column++) {
            const jbw_position target = {column - reach, row - reach};
            const bool is_own_cell = target.x == 0 && target.y == 0;
            const int32_t energy =
                is_own_cell ? 0 : pair_energy(kernel, target, (jbw_position){0, 0});
            table[row * side + column] = energy;
            if (energy == 0) continue;
            if (column < rows[row].begin) rows[row].begin = (int16_t)column;
            rows[row].end = (int16_t)(column + 1);
        }
    }
    kernel->table = table;
    kernel->rows = rows;
    kernel->kind = JBW_KERNEL_TABLE;
    return true;
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

bool jbw_kernel_init(jbw_kernel *kernel, int target, int source, const jbw_coupling *forward,
                     const jbw_coupling *backward, int target_bits, int source_bits,
                     bool force_generic, jbw_arena *arena)
{
    const int bits = target_bits < source_bits ? target_bits : source_bits;
    *kernel = (jbw_kernel){
        .target = target,
        .source = source,
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
    else if (is_zero_or_cross_hash(forward) && is_zero_or_cross_hash(backward))
        init_columns(kernel);
    else
        kernel->kind = JBW_KERNEL_GENERIC;
    return true;
}

/// The cells of a patch that a kernel touches, in the patch's own coordinates: columns [left,
/// right), rows [bottom, top). The source is at (x, y), which may lie outside.
typedef struct window {
    int x, y;
    int left, right, bottom, top;
} window;

static int clip(int value, int patch_size)
{
    return value < 0 ? 0 : value > patch_size ? patch_size : value;
}

static window clip_window(int patch_size, jbw_position origin, jbw_position source, int reach)
{
    const int x = (int)(source.x - origin.x);
    const int y = (int)(source.y - origin.y);
    return (window){
        .x = x,
        .y = y,
        .left = clip(x - reach, patch_size),
        .right = clip(x + reach + 1, patch_size),
        .bottom = clip(y - reach, patch_size),
        .top = clip(y + reach + 1, patch_size),
    };
}

JBW_WIDE
static void stamp_table(const jbw_kernel *kernel, int32_t *restrict field, int patch_size,
                        window w, int sign)
{
    const int reach = kernel->reach;
    const int side = 2 * reach + 1;
    for (int y = w.bottom; y < w.top; y++) {
        const int row = y - w.y + reach;
        const int first = w.x - reach; // the field's column under the kernel's first
        const int begin = clip(first + kernel->rows[row].begin, patch_size);
        const int end = clip(first + kernel->rows[row].end, patch_size);
        const int32_t *restrict from = kernel->table + (ptrdiff_t)row * side;
        int32_t *restrict to = field + (ptrdiff_t)y * patch_size;
        if (sign > 0)
            for (int x = begin; x < end; x++) to[x] += from[x - first];
        else
            for (int x = begin; x < end; x++) to[x] -= from[x - first];
    }
}

/// The cross with given radii: the value at distance `far`, on an axis or off.
static inline int32_t cross_value(int far, int inner, int outer, int32_t near_value,
                                  int32_t far_value)
{
    return far <= inner ? near_value : far <= outer ? far_value : 0;
}

JBW_WIDE
static void stamp_columns(const jbw_kernel *kernel, int32_t *restrict field, int patch_size,
                          jbw_position origin, window w, int sign)
{
    int target_inner[JBW_MAX_PATCH_SIZE];
    int target_outer[JBW_MAX_PATCH_SIZE];
    int source_inner = -1;
    int source_outer = -1;
    for (int x = w.left; x < w.right; x++) {
        target_inner[x] = target_outer[x] = -1;
        if (kernel->forward->reach > 0)
            jbw_cross_hash_radii(kernel->forward, origin.x + x, &target_inner[x],
                                 &target_outer[x]);
    }
    if (kernel->backward->reach > 0)
        jbw_cross_hash_radii(kernel->backward, origin.x + w.x, &source_inner, &source_outer);

    for (int y = w.bottom; y < w.top; y++) {
        const int dy = y > w.y ? y - w.y : w.y - y;
        // off the axes, unless the whole row is one
        const int axis = dy == 0 ? 0 : 2;
        const int32_t forward_near = sign * kernel->forward_values[axis];
        const int32_t forward_far = sign * kernel->forward_values[axis + 1];
        const int32_t backward_near = sign * kernel->backward_values[axis];
        const int32_t backward_far = sign * kernel->backward_values[axis + 1];
        int32_t *restrict to = field + (ptrdiff_t)y * patch_size;
        const bool crosses = w.x >= w.left && w.x < w.right;
        const int32_t kept = crosses ? to[w.x] : 0;
        for (int x = w.left; x < w.right; x++) {
            const int dx = x > w.x ? x - w.x : w.x - x;
            const int far = dx > dy ? dx : dy;
            to[x] += cross_value(far, target_inner[x], target_outer[x], forward_near,
                                 forward_far) +
                     cross_value(far, source_inner, source_outer, backward_near, backward_far);
        }
        if (!crosses) continue;

        // the source's column is the other axis; its own cell stays as it was
        to[w.x] = kept;
        if (dy == 0) continue;
        to[w.x] += sign * (cross_value(dy, target_inner[w.x], target_outer[w.x],
                                       kernel->forward_values[0], kernel->forward_values[1]) +
                           cross_value(dy, source_inner, source_outer,
                                       kernel->backward_values[0], kernel->backward_values[1]));
    }
}

static void stamp_generic(const jbw_kernel *kernel, int32_t *field, int patch_size,
                          jbw_position origin, jbw_position source, window w, int sign)
{
    for (int y = w.bottom; y < w.top; y++) {
        for (int x = w.left; x < w.right; x++) {
            if (x == w.x && y == w.y) continue;
            const jbw_position target = {origin.x + x, origin.y + y};
            field[y * patch_size + x] += sign * pair_energy(kernel, target, source);
        }
    }
}

void jbw_kernel_stamp(const jbw_kernel *kernel, int32_t *field, int patch_size,
                      jbw_position origin, jbw_position source, int sign)
{
    const window w = clip_window(patch_size, origin, source, kernel->reach);
    if (w.left >= w.right || w.bottom >= w.top) return;
    switch (kernel->kind) {
    case JBW_KERNEL_NONE: break;
    case JBW_KERNEL_TABLE: stamp_table(kernel, field, patch_size, w, sign); break;
    case JBW_KERNEL_COLUMNS:
        stamp_columns(kernel, field, patch_size, origin, w, sign);
        break;
    case JBW_KERNEL_GENERIC:
        stamp_generic(kernel, field, patch_size, origin, source, w, sign);
        break;
    }
}
