// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/kernel.h"

#include <math.h>

#include "sim/wide.h"

static int32_t to_field(const jbw_kernel *kernel, double value)
{
    return (int32_t)floor(value * kernel->scale + 0.5) * (int32_t)(1 << kernel->shift);
}

static int32_t pair_energy(const jbw_kernel *kernel, jbw_position target, jbw_position source)
{
    return to_field(kernel, jbw_coupling_value(kernel->forward, target, source)) +
           to_field(kernel, jbw_coupling_value(kernel->backward, source, target));
}

static int32_t table_entry(const jbw_kernel *kernel, int column, int row)
{
    const jbw_position target = {column - kernel->reach, row - kernel->reach};
    if (target.x == 0 && target.y == 0) return 0;
    return pair_energy(kernel, target, (jbw_position){0, 0});
}

static bool init_table(jbw_kernel *kernel, jbw_arena *arena)
{
    const int side = 2 * kernel->reach + 1;
    const int stride = JBW_RUN + side + JBW_RUN;
    int32_t *table = jbw_arena_alloc(arena, (size_t)side * (size_t)stride, sizeof *table);
    if (!table) return false;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            table[row * stride + JBW_RUN + column] = table_entry(kernel, column, row);
    kernel->kind = JBW_KERNEL_TABLE;
    kernel->table = table;
    kernel->table_stride = stride;
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
    else if (JBW_HAS_RUNS && is_zero_or_cross_hash(forward) && is_zero_or_cross_hash(backward))
        init_columns(kernel);
    else
        kernel->kind = JBW_KERNEL_GENERIC;
    return true;
}

/// The part of a window that a kernel touches, in the window's own coordinates: columns [left,
/// right), rows [bottom, top). The source is at (x, y), which may lie outside.
typedef struct overlap {
    int x, y;
    int left, right, bottom, top;
    int32_t *field;
} overlap;

static int clip(int value, int limit)
{
    return value < 0 ? 0 : value > limit ? limit : value;
}

static overlap find_overlap(const jbw_kernel *kernel, const jbw_window *window, jbw_position source)
{
    const int x = (int)(source.x - window->origin.x);
    const int y = (int)(source.y - window->origin.y);
    return (overlap){
        .x = x,
        .y = y,
        .left = clip(x - kernel->reach, window->size),
        .right = clip(x + kernel->reach + 1, window->size),
        .bottom = clip(y - kernel->reach, window->size),
        .top = clip(y + kernel->reach + 1, window->size),
        .field = window->fields + (ptrdiff_t)kernel->field * window->size * window->stride,
    };
}

// Adds `rows` rows of `runs` whole runs each. Called with constants for the usual widths, so that
// the inner loops are unrolled.
JBW_INLINE void add_runs(int32_t *restrict to, ptrdiff_t to_stride, const int32_t *restrict from,
                         ptrdiff_t from_stride, int rows, int runs, bool negative)
{
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < runs * JBW_RUN; i += JBW_RUN) {
#if JBW_HAS_RUNS
            if (negative)
                *(jbw_run *)(to + i) -= *(const jbw_run *)(from + i);
            else
                *(jbw_run *)(to + i) += *(const jbw_run *)(from + i);
#else
            for (int j = i; j < i + JBW_RUN; j++)
                to[j] = negative ? to[j] - from[j] : to[j] + from[j];
#endif
        }
        to += to_stride;
        from += from_stride;
    }
}

JBW_INLINE void add_rows(int32_t *restrict to, ptrdiff_t to_stride, const int32_t *restrict from,
                         ptrdiff_t from_stride, int rows, int runs, bool negative)
{
    switch (runs) {
    case 1: add_runs(to, to_stride, from, from_stride, rows, 1, negative); break;
    case 2: add_runs(to, to_stride, from, from_stride, rows, 2, negative); break;
    case 3: add_runs(to, to_stride, from, from_stride, rows, 3, negative); break;
    case 4: add_runs(to, to_stride, from, from_stride, rows, 4, negative); break;
    case 5: add_runs(to, to_stride, from, from_stride, rows, 5, negative); break;
    case 6: add_runs(to, to_stride, from, from_stride, rows, 6, negative); break;
    case 7: add_runs(to, to_stride, from, from_stride, rows, 7, negative); break;
    case 8: add_runs(to, to_stride, from, from_stride, rows, 8, negative); break;
    default: add_runs(to, to_stride, from, from_stride, rows, runs, negative); break;
    }
}

// Begins at an aligned cell, left of the first that changes, and goes on to the end of the run of
// the last: the kernel is surrounded by zeros.
JBW_WIDE
static void stamp_table(const jbw_kernel *kernel, const jbw_window *window, overlap o, int sign)
{
    const int left = o.left / JBW_RUN * JBW_RUN;
    const int runs = (o.right - left + JBW_RUN - 1) / JBW_RUN;
    const ptrdiff_t first_row = o.bottom - o.y + kernel->reach; // of the kernel
    const ptrdiff_t first_column = JBW_RUN + left - o.x + kernel->reach;
    const int32_t *from = kernel->table + first_row * kernel->table_stride + first_column;
    int32_t *to = o.field + (ptrdiff_t)o.bottom * window->stride + left;
    const int rows = o.top - o.bottom;
    if (sign > 0)
        add_rows(to, window->stride, from, kernel->table_stride, rows, runs, false);
    else
        add_rows(to, window->stride, from, kernel->table_stride, rows, runs, true);
}

/// A cross in one row: its values within the inner radius and beyond.
typedef struct cross_row {
    int32_t near_value;
    int32_t far_value;
} cross_row;

static int32_t cross_value(int32_t far, int32_t inner, int32_t outer, cross_row row)
{
    return far <= inner ? row.near_value : far <= outer ? row.far_value : 0;
}

#if JBW_HAS_RUNS

// Adds one row of the two crosses, in whole aligned runs: cells too far away get zero by themselves.
JBW_INLINE void add_crosses(int32_t *to, const int32_t *inner, const int32_t *outer, int begin,
                            int end, int source_x, int dy, cross_row forward, int source_inner,
                            int source_outer, cross_row backward)
{
    const jbw_run steps = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int i = begin; i < end; i += JBW_RUN) {
        const jbw_run dx = steps + (i - source_x);
        const jbw_run is_left = dx < 0;
        const jbw_run distance = (dx ^ is_left) - is_left;
        const jbw_run is_farther = distance > dy;
        const jbw_run far = (distance & is_farther) | (dy & ~is_farther);

        const jbw_run is_near = far <= *(const jbw_run *)(inner + i);
        const jbw_run is_within = far <= *(const jbw_run *)(outer + i);
        const jbw_run is_source_near = far <= source_inner;
        const jbw_run is_source_within = far <= source_outer;
        *(jbw_run *)(to + i) += (forward.near_value & is_near) +
                                (forward.far_value & (is_within & ~is_near)) +
                                (backward.near_value & is_source_near) +
                                (backward.far_value & (is_source_within & ~is_source_near));
    }
}

JBW_WIDE
static void stamp_columns(const jbw_kernel *kernel, const jbw_window *window, overlap o, int sign)
{
    // a function that is zero has no radii of its own; its values are zero, so any will do
    const jbw_coupling *any = kernel->forward->reach > 0 ? kernel->forward : kernel->backward;
    const jbw_coupling *other = kernel->backward->reach > 0 ? kernel->backward : any;
    const int32_t *inner = window->radii + (ptrdiff_t)any->column_function * 2 * window->stride;
    const int32_t *outer = inner + window->stride;
    int source_inner;
    int source_outer;
    jbw_cross_hash_radii(other, window->origin.x + o.x, &source_inner, &source_outer);

    // on the axes and off
    cross_row forward[2];
    cross_row backward[2];
    for (int i = 0; i < 2; i++) {
        forward[i].near_value = sign * kernel->forward_values[2 * i];
        forward[i].far_value = sign * kernel->forward_values[2 * i + 1];
        backward[i].near_value = sign * kernel->backward_values[2 * i];
        backward[i].far_value = sign * kernel->backward_values[2 * i + 1];
    }

    const int begin = o.left / JBW_RUN * JBW_RUN;
    const bool crosses = o.x >= o.left && o.x < o.right;
    for (int y = o.bottom; y < o.top; y++) {
        const int dy = y > o.y ? y - o.y : o.y - y;
        const int off_axis = dy == 0 ? 0 : 1; // the source's row is an axis
        int32_t *to = o.field + (ptrdiff_t)y * window->stride;
        const int32_t before = crosses ? to[o.x] : 0;
        add_crosses(to, inner, outer, begin, o.right, o.x, dy, forward[off_axis], source_inner,
                    source_outer, backward[off_axis]);

        // the source's column is the other axis, and its own cell stays as it was
        if (!crosses) continue;
        to[o.x] = before;
        if (dy == 0) continue;
        to[o.x] += cross_value(dy, inner[o.x], outer[o.x], forward[0]) +
                   cross_value(dy, source_inner, source_outer, backward[0]);
    }
}

#else

// never called: there are no such kernels
static void stamp_columns(const jbw_kernel *kernel, const jbw_window *window, overlap o, int sign)
{
    (void)kernel, (void)window, (void)o, (void)sign;
}

#endif

static void stamp_generic(const jbw_kernel *kernel, const jbw_window *window, overlap o, int sign)
{
    const jbw_position source = {window->origin.x + o.x, window->origin.y + o.y};
    for (int y = o.bottom; y < o.top; y++) {
        for (int x = o.left; x < o.right; x++) {
            if (x == o.x && y == o.y) continue;
            const jbw_position target = {window->origin.x + x, window->origin.y + y};
            o.field[(ptrdiff_t)y * window->stride + x] +=
                sign * pair_energy(kernel, target, source);
        }
    }
}

void jbw_kernel_stamp(const jbw_kernel *kernel, const jbw_window *window, jbw_position source,
                      int sign)
{
    const overlap o = find_overlap(kernel, window, source);
    if (o.left >= o.right || o.bottom >= o.top) return;
    switch (kernel->kind) {
    case JBW_KERNEL_NONE: break;
    case JBW_KERNEL_TABLE: stamp_table(kernel, window, o, sign); break;
    case JBW_KERNEL_COLUMNS: stamp_columns(kernel, window, o, sign); break;
    case JBW_KERNEL_GENERIC: stamp_generic(kernel, window, o, sign); break;
    }
}
