// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/kernel.h"

#include <math.h>

#include "sim/simd.h"

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
    const int stride = JBW_LANES + side + JBW_LANES;
    int32_t *table = jbw_arena_alloc(arena, (size_t)side * (size_t)stride, sizeof *table);
    if (!table) return false;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            table[row * stride + JBW_LANES + column] = table_entry(kernel, column, row);
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

// the largest number that divides a whole table, with the sign of the table's first one; or zero
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
        .left = clip(x - kernel->reach, window->width),
        .right = clip(x + kernel->reach + 1, window->width),
        .bottom = clip(y - kernel->reach, window->height),
        .top = clip(y + kernel->reach + 1, window->height),
        .field = window->fields + kernel->field * window->field_stride,
    };
}

// Energies cannot overflow where an item could be. But a window may have patches that are not
// sampled, where nobody keeps account, so there they may wrap around.
static inline void add(int32_t *to, int32_t value)
{
    *to = (int32_t)((uint32_t)*to + (uint32_t)value);
}

// Adds `rows` rows of `runs` whole runs each. Called with constants for the usual widths, so that
// the inner loops are unrolled.
JBW_INLINE void add_runs(int32_t *restrict to, ptrdiff_t to_stride, const int32_t *restrict from,
                         ptrdiff_t from_stride, int rows, int runs, bool negative)
{
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < runs * JBW_LANES; i += JBW_LANES) {
#if JBW_HAS_I32X8
            if (negative)
                *(jbw_u32x8 *)(to + i) -= *(const jbw_u32x8 *)(from + i);
            else
                *(jbw_u32x8 *)(to + i) += *(const jbw_u32x8 *)(from + i);
#else
            for (int j = i; j < i + JBW_LANES; j++) add(&to[j], negative ? -from[j] : from[j]);
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

// How many cells of a row can be added in whole runs, beginning at `left`. Beyond the kernel there
// are only zeros, so the last run may be too long, unless the kernel is cut by the window's border.
static int count_in_runs(const jbw_window *window, overlap o, int left)
{
    const int count = o.right - left;
    const int rest = count % JBW_LANES;
    return rest == 0 ? count : o.right < window->width ? count - rest + JBW_LANES : count - rest;
}

// Begins at an aligned cell, left of the first that changes: the kernel is surrounded by zeros.
JBW_SIMD_CLONES
static void stamp_table(const jbw_kernel *kernel, const jbw_window *window, overlap o, int sign)
{
    const int left = o.left / JBW_LANES * JBW_LANES;
    const int count = count_in_runs(window, o, left);
    const ptrdiff_t first_row = o.bottom - o.y + kernel->reach; // of the kernel
    const ptrdiff_t first_column = JBW_LANES + left - o.x + kernel->reach;
    const int32_t *from = kernel->table + first_row * kernel->table_stride + first_column;
    int32_t *to = o.field + (ptrdiff_t)o.bottom * window->stride + left;
    const int rows = o.top - o.bottom;
    if (sign > 0)
        add_rows(to, window->stride, from, kernel->table_stride, rows, count / JBW_LANES, false);
    else
        add_rows(to, window->stride, from, kernel->table_stride, rows, count / JBW_LANES, true);

    if (count >= o.right - left) return;
    for (int row = 0; row < rows; row++)
        for (int i = count; i < o.right - left; i++)
            add(&to[row * window->stride + i], sign * from[row * kernel->table_stride + i]);
}

#if JBW_HAS_I32X8

enum { MOST_COLUMNS = 2 * JBW_MAX_PATCH_SIZE + 2 * JBW_LANES };

/// The two crosses of a pair, one around the target and one around the source, column by column.
/// With the Chebyshev distance, a cell is within a radius if both its dx and its dy are; so in a
/// column whose dx is not, the radius is -1, and in the others only dy is left to compare.
typedef struct crosses {
    int32_t near[MOST_COLUMNS]; // of the target
    int32_t far[MOST_COLUMNS];
    int32_t source_near[MOST_COLUMNS];
    int32_t source_far[MOST_COLUMNS];
} crosses;

/// What a cell gets for being within each of the radii.
typedef struct cross_values {
    int32_t near, far, source_near, source_far;
} cross_values;

// by pointers, since vectors cannot be passed by value to functions that are not wide
JBW_INLINE void limit_radius(int32_t *to, const jbw_i32x8 *distance, const jbw_i32x8 *radius)
{
    const jbw_i32x8 is_within = *distance <= *radius;
    *(jbw_i32x8 *)to = (*radius & is_within) | ~is_within;
}

JBW_INLINE void fill_crosses(crosses *c, const int32_t *inner, const int32_t *outer, int first_dx,
                             int count, int source_inner, int source_outer)
{
    const jbw_i32x8 steps = {0, 1, 2, 3, 4, 5, 6, 7};
    const jbw_i32x8 zeros = {0};
    const jbw_i32x8 source_near = zeros + source_inner;
    const jbw_i32x8 source_far = zeros + source_outer;
    for (int i = 0; i < count; i += JBW_LANES) {
        const jbw_i32x8 dx = steps + (first_dx + i);
        const jbw_i32x8 is_left = dx < 0;
        const jbw_i32x8 distance = (dx ^ is_left) - is_left;
        limit_radius(c->near + i, &distance, (const jbw_i32x8 *)(inner + i));
        limit_radius(c->far + i, &distance, (const jbw_i32x8 *)(outer + i));
        limit_radius(c->source_near + i, &distance, &source_near);
        limit_radius(c->source_far + i, &distance, &source_far);
    }
}

static int32_t cross_cell(const crosses *c, int i, int dy, cross_values v)
{
    return (c->near[i] >= dy ? v.near : 0) + (c->far[i] >= dy ? v.far : 0) +
           (c->source_near[i] >= dy ? v.source_near : 0) +
           (c->source_far[i] >= dy ? v.source_far : 0);
}

// Adds a row of the crosses to one row, or to two (`second` may be NULL): those at the same distance
// from the source's row get the same, so it is worked out once.
JBW_INLINE void add_crosses(int32_t *first, int32_t *second, const crosses *c, int in_runs,
                            int count, int dy, cross_values v)
{
    for (int i = 0; i < in_runs; i += JBW_LANES) {
        const jbw_i32x8 sum = (v.near & (*(const jbw_i32x8 *)(c->near + i) >= dy)) +
                              (v.far & (*(const jbw_i32x8 *)(c->far + i) >= dy)) +
                              (v.source_near & (*(const jbw_i32x8 *)(c->source_near + i) >= dy)) +
                              (v.source_far & (*(const jbw_i32x8 *)(c->source_far + i) >= dy));
        *(jbw_u32x8 *)(first + i) += (jbw_u32x8)sum;
        if (second) *(jbw_u32x8 *)(second + i) += (jbw_u32x8)sum;
    }
    for (int i = in_runs; i < count; i++) {
        const int32_t sum = cross_cell(c, i, dy, v);
        add(&first[i], sum);
        if (second) add(&second[i], sum);
    }
}

// the values on the axes (0) or off (1)
static cross_values find_values(const jbw_kernel *kernel, int off_axis, int sign)
{
    const int32_t *forward = kernel->forward_values + 2 * off_axis;
    const int32_t *backward = kernel->backward_values + 2 * off_axis;
    return (cross_values){
        .near = sign * (forward[0] - forward[1]),
        .far = sign * forward[1],
        .source_near = sign * (backward[0] - backward[1]),
        .source_far = sign * backward[1],
    };
}

JBW_SIMD_CLONES
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
    if (source_outer < source_inner) source_outer = source_inner;

    const int left = o.left / JBW_LANES * JBW_LANES;
    const int count = o.right - left;
    const int in_runs = count_in_runs(window, o, left);
    crosses c;
    fill_crosses(&c, inner + left, outer + left, left - o.x, count, source_inner, source_outer);
    const cross_values on_axis = find_values(kernel, 0, sign);
    const cross_values off_axis = find_values(kernel, 1, sign);
    const bool has_column = o.x >= o.left && o.x < o.right; // of the source

    for (int dy = 0; dy <= kernel->reach; dy++) {
        int32_t *rows[2] = {NULL, NULL};
        int row_count = 0;
        if (o.y + dy >= o.bottom && o.y + dy < o.top)
            rows[row_count++] = o.field + (ptrdiff_t)(o.y + dy) * window->stride + left;
        if (o.y - dy >= o.bottom && o.y - dy < o.top && dy > 0)
            rows[row_count++] = o.field + (ptrdiff_t)(o.y - dy) * window->stride + left;
        if (row_count == 0) continue;
        const cross_values values = dy == 0 ? on_axis : off_axis;
        add_crosses(rows[0], rows[1], &c, in_runs, count, dy, values);

        // the source's column is the other axis, and its own cell stays as it was
        if (!has_column) continue;
        const int i = o.x - left;
        const int32_t correct = dy == 0 ? 0 : cross_cell(&c, i, dy, on_axis);
        const int32_t wrong = cross_cell(&c, i, dy, values);
        for (int k = 0; k < row_count; k++) add(&rows[k][i], correct - wrong);
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
            add(&o.field[(ptrdiff_t)y * window->stride + x],
                sign * pair_energy(kernel, target, source));
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
