// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Adding kernels to windows: the inner loop of generation.

#include "sim/model/kernel.h"
#include "sim/simd.h"

/// The part of a window that a kernel touches, in window coordinates: columns [left, right), rows
/// [bottom, top). The source is at (x, y), which may be outside.
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

// Energies cannot overflow where items can be. But a window may include patches that are not being
// sampled, whose energies nobody uses; there they may wrap around.
static inline void add(int32_t *to, int32_t value)
{
    *to = (int32_t)((uint32_t)*to + (uint32_t)value);
}

// Adds `rows` rows of `vectors` full vectors each. Called with constants for the usual widths, so
// that the inner loops are unrolled.
JBW_INLINE void add_vectors(int32_t *restrict to, ptrdiff_t to_stride, const int32_t *restrict from,
                            ptrdiff_t from_stride, int rows, int vectors, bool negative)
{
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < vectors * JBW_LANES; i += JBW_LANES) {
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
                         ptrdiff_t from_stride, int rows, int vectors, bool negative)
{
#ifndef JBW_SMALL
    for (; vectors > 8; vectors -= 8, to += 8 * JBW_LANES, from += 8 * JBW_LANES)
        add_vectors(to, to_stride, from, from_stride, rows, 8, negative);
    switch (vectors) {
    case 1: add_vectors(to, to_stride, from, from_stride, rows, 1, negative); break;
    case 2: add_vectors(to, to_stride, from, from_stride, rows, 2, negative); break;
    case 3: add_vectors(to, to_stride, from, from_stride, rows, 3, negative); break;
    case 4: add_vectors(to, to_stride, from, from_stride, rows, 4, negative); break;
    case 5: add_vectors(to, to_stride, from, from_stride, rows, 5, negative); break;
    case 6: add_vectors(to, to_stride, from, from_stride, rows, 6, negative); break;
    case 7: add_vectors(to, to_stride, from, from_stride, rows, 7, negative); break;
    case 8: add_vectors(to, to_stride, from, from_stride, rows, 8, negative); break;
    default: break;
    }
#else
    add_vectors(to, to_stride, from, from_stride, rows, vectors, negative);
#endif
}

// Adds rows of a table, from `first` on. Equal rows are loaded once.
JBW_INLINE void add_table_rows(int32_t *restrict to, ptrdiff_t to_stride, const jbw_kernel *kernel,
                               const int32_t *restrict from, int first, int rows, int vectors,
                               bool negative)
{
    if (!kernel->row_ends) {
        add_rows(to, to_stride, from, kernel->table_stride, rows, vectors, negative);
        return;
    }
    for (int row = 0; row < rows;) {
        const int run_end = kernel->row_ends[first + row] - first;
        const int end = run_end < rows ? run_end : rows;
        add_rows(to + row * to_stride, to_stride, from + (ptrdiff_t)row * kernel->table_stride, 0,
                 end - row, vectors, negative);
        row = end;
    }
}

// How many cells of a row can be added in full vectors, starting at `left`. Beyond the kernel there
// are only zeros, so the last vector may extend past it, unless the window ends first.
static int count_in_vectors(const jbw_window *window, overlap o, int left)
{
    const int count = o.right - left;
    const int rest = count % JBW_LANES;
    return rest == 0 ? count : o.right < window->width ? count - rest + JBW_LANES : count - rest;
}

// Starts at an aligned cell at or before the first that changes: the kernel has zeros on both
// sides.
JBW_SIMD_CLONES
static void stamp_table(const jbw_kernel *kernel, const jbw_window *window, overlap o, int sign)
{
    const int left = o.left / JBW_LANES * JBW_LANES;
    const int count = count_in_vectors(window, o, left);
    const int first_row = o.bottom - o.y + kernel->reach; // of the kernel
    const ptrdiff_t first_column = JBW_LANES + left - o.x + kernel->reach;
    const int32_t *from =
        kernel->table + (ptrdiff_t)first_row * kernel->table_stride + first_column;
    int32_t *to = o.field + (ptrdiff_t)o.bottom * window->stride + left;
    const int rows = o.top - o.bottom;
    if (sign > 0)
        add_table_rows(to, window->stride, kernel, from, first_row, rows, count / JBW_LANES, false);
    else
        add_table_rows(to, window->stride, kernel, from, first_row, rows, count / JBW_LANES, true);

    if (count >= o.right - left) return;
    for (int row = 0; row < rows; row++)
        for (int i = count; i < o.right - left; i++)
            add(&to[row * window->stride + i], sign * from[row * kernel->table_stride + i]);
}

#if JBW_HAS_I32X8

enum { MOST_COLUMNS = 2 * JBW_MAX_PATCH_SIZE + 2 * JBW_LANES };

/// The radii of the two crosses of a pair, one around the target and one around the source, column
/// by column. A cell is within a radius, in the Chebyshev distance, if both its dx and its dy are.
/// So a column whose dx is not gets the radius -1, and in all others only dy has to be compared.
typedef struct crosses {
    int32_t near[MOST_COLUMNS]; // inner radius, target
    int32_t far[MOST_COLUMNS];
    int32_t source_near[MOST_COLUMNS];
    int32_t source_far[MOST_COLUMNS];
} crosses;

/// What a cell gets for being within each of these radii.
typedef struct cross_values {
    int32_t near, far, source_near, source_far;
} cross_values;

// takes pointers because passing wide vectors by value depends on the target's instruction set
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

// Adds a row of the crosses to one row or two (`second` may be NULL): rows at the same distance
// from the source get the same values.
JBW_INLINE void add_crosses(int32_t *first, int32_t *second, const crosses *c, int in_vectors,
                            int count, int dy, cross_values v)
{
    for (int i = 0; i < in_vectors; i += JBW_LANES) {
        const jbw_i32x8 sum = (v.near & (*(const jbw_i32x8 *)(c->near + i) >= dy)) +
                              (v.far & (*(const jbw_i32x8 *)(c->far + i) >= dy)) +
                              (v.source_near & (*(const jbw_i32x8 *)(c->source_near + i) >= dy)) +
                              (v.source_far & (*(const jbw_i32x8 *)(c->source_far + i) >= dy));
        *(jbw_u32x8 *)(first + i) += (jbw_u32x8)sum;
        if (second) *(jbw_u32x8 *)(second + i) += (jbw_u32x8)sum;
    }
    for (int i = in_vectors; i < count; i++) {
        const int32_t sum = cross_cell(c, i, dy, v);
        add(&first[i], sum);
        if (second) add(&second[i], sum);
    }
}

// the values on the axes (0) or off the axes (1)
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
    // a coupling that is zero has no radii, but its values are zero, so any radii do
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
    const int in_vectors = count_in_vectors(window, o, left);
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
        add_crosses(rows[0], rows[1], &c, in_vectors, count, dy, values);

        // the source's column is the other axis, and the source's own cell stays unchanged
        if (!has_column) continue;
        const int i = o.x - left;
        const int32_t correct = dy == 0 ? 0 : cross_cell(&c, i, dy, on_axis);
        const int32_t wrong = cross_cell(&c, i, dy, values);
        for (int k = 0; k < row_count; k++) add(&rows[k][i], correct - wrong);
    }
}

#else

// never called: without vectors, there are no such kernels
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
                sign * jbw_kernel_pair_energy(kernel, target, source));
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
