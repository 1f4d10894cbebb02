// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Adding kernels to planes: the inner loop of the sampler. kernel_stamp.c does the same for fields.

#include "sim/model/planes.h"
#include "sim/simd.h"

/// The part of a window that a kernel touches, in window coordinates: columns [left, right), rows
/// [bottom, top). The source is at (x, y), which may be outside. Vectors begin at `start`, which may
/// be before the first column.
typedef struct plane_overlap {
    int x, y;
    int left, right, bottom, top;
    int start;
    int vectors; // zero if the window is too narrow for them
} plane_overlap;

JBW_INLINE int clip(int value, int limit)
{
    return value < 0 ? 0 : value > limit ? limit : value;
}

// Kernels have zeros on both sides, so vectors may begin before the first column or end after the
// last one, as long as they stay within the window.
JBW_INLINE plane_overlap find_overlap(int reach, const jbw_window *window, int x, int y)
{
    plane_overlap o = {
        .x = x,
        .y = y,
        .left = clip(x - reach, window->width),
        .right = clip(x + reach + 1, window->width),
        .bottom = clip(y - reach, window->height),
        .top = clip(y + reach + 1, window->height),
    };
    o.vectors = (int)((unsigned)(o.right - o.left + JBW_PLANE_LANES - 1) / JBW_PLANE_LANES);
    const int last_start = window->width - o.vectors * JBW_PLANE_LANES;
    o.start = o.left < last_start ? o.left : last_start;
    if (o.start < 0) {
        o.start = o.left;
        o.vectors = 0;
    }
    return o;
}

// as for fields: where nobody uses them, sums may wrap around
static inline void add(int16_t *to, int value)
{
    *to = (int16_t)(uint16_t)((unsigned)*to + (unsigned)value);
}

// ---- tables ----

JBW_INLINE void add_row(int16_t *restrict to, const int16_t *restrict from, int vectors,
                        bool negative)
{
    for (int i = 0; i < vectors * JBW_PLANE_LANES; i += JBW_PLANE_LANES) {
#if JBW_HAS_I32X8
        if (negative)
            *(jbw_u16x16 *)(to + i) -= *(const jbw_u16x16 *)(from + i);
        else
            *(jbw_u16x16 *)(to + i) += *(const jbw_u16x16 *)(from + i);
#else
        for (int j = i; j < i + JBW_PLANE_LANES; j++) add(&to[j], negative ? -from[j] : from[j]);
#endif
    }
}

// Called with constants for the usual widths, so that the inner loops are unrolled.
JBW_INLINE void add_vectors(int16_t *restrict to, ptrdiff_t stride, const int16_t *restrict from,
                            ptrdiff_t from_stride, int rows, int vectors, bool negative)
{
    for (; rows >= 4; rows -= 4) {
        add_row(to, from, vectors, negative);
        add_row(to + stride, from + from_stride, vectors, negative);
        add_row(to + 2 * stride, from + 2 * from_stride, vectors, negative);
        add_row(to + 3 * stride, from + 3 * from_stride, vectors, negative);
        to += 4 * stride;
        from += 4 * from_stride;
    }
    for (; rows > 0; rows--) {
        add_row(to, from, vectors, negative);
        to += stride;
        from += from_stride;
    }
}

JBW_INLINE void add_rows(int16_t *restrict to, ptrdiff_t stride, const int16_t *restrict from,
                         ptrdiff_t from_stride, int rows, int vectors, bool negative)
{
    switch (vectors) {
    case 1: add_vectors(to, stride, from, from_stride, rows, 1, negative); break;
    case 2: add_vectors(to, stride, from, from_stride, rows, 2, negative); break;
    case 3: add_vectors(to, stride, from, from_stride, rows, 3, negative); break;
    case 4: add_vectors(to, stride, from, from_stride, rows, 4, negative); break;
    default: add_vectors(to, stride, from, from_stride, rows, vectors, negative); break;
    }
}

JBW_INLINE void stamp_table(const jbw_plane_kernel *kernel, int16_t *plane, ptrdiff_t stride,
                            const plane_overlap *o, int sign)
{
    const ptrdiff_t row = o->bottom - o->y + kernel->reach;
    const ptrdiff_t column = JBW_PLANE_LANES + o->start - o->x + kernel->reach;
    const int16_t *from = kernel->table + row * kernel->table_stride + column;
    int16_t *to = plane + o->bottom * stride + o->start;
    const int rows = o->top - o->bottom;
    if (o->vectors == 0) {
        for (int k = 0; k < rows; k++)
            for (int i = 0; i < o->right - o->left; i++)
                add(&to[k * stride + i], sign * from[k * kernel->table_stride + i]);
    } else if (sign > 0) {
        add_rows(to, stride, from, kernel->table_stride, rows, o->vectors, false);
    } else {
        add_rows(to, stride, from, kernel->table_stride, rows, o->vectors, true);
    }
}

// ---- columns ----

enum { MOST_COLUMNS = 2 * JBW_MAX_PATCH_SIZE + 2 * JBW_PLANE_LANES };

/// As in kernel_stamp.c: the radii of the two crosses of a pair by column, -1 in columns that are
/// farther away than the radius, so that only dy has to be compared.
typedef struct plane_crosses {
    int16_t near[MOST_COLUMNS]; // inner radius, target
    int16_t far[MOST_COLUMNS];
    int16_t source_near[MOST_COLUMNS];
    int16_t source_far[MOST_COLUMNS];
} plane_crosses;

/// What a cell gets for being within each of these radii.
typedef struct plane_values {
    int16_t near, far, source_near, source_far;
} plane_values;

static plane_values find_values(const jbw_plane_kernel *kernel, int off_axis, int sign)
{
    const int16_t *forward = kernel->forward_values + 2 * off_axis;
    const int16_t *backward = kernel->backward_values + 2 * off_axis;
    return (plane_values){
        .near = (int16_t)(sign * (forward[0] - forward[1])),
        .far = (int16_t)(sign * forward[1]),
        .source_near = (int16_t)(sign * (backward[0] - backward[1])),
        .source_far = (int16_t)(sign * backward[1]),
    };
}

static int16_t limit_radius(int distance, int radius)
{
    return (int16_t)(distance <= radius ? radius : -1);
}

static int cross_cell(const plane_crosses *c, int i, int dy, plane_values v)
{
    return (c->near[i] >= dy ? v.near : 0) + (c->far[i] >= dy ? v.far : 0) +
           (c->source_near[i] >= dy ? v.source_near : 0) +
           (c->source_far[i] >= dy ? v.source_far : 0);
}

JBW_INLINE void add_crosses(int16_t *first, int16_t *second, const plane_crosses *c, int in_vectors,
                            int count, int dy, plane_values v)
{
    int i = 0;
#if JBW_HAS_I32X8
    const jbw_i16x16 height = (jbw_i16x16){0} + (int16_t)dy;
    for (; i < in_vectors; i += JBW_PLANE_LANES) {
        const jbw_i16x16 sum =
            (v.near & (*(const jbw_i16x16 *)(c->near + i) >= height)) +
            (v.far & (*(const jbw_i16x16 *)(c->far + i) >= height)) +
            (v.source_near & (*(const jbw_i16x16 *)(c->source_near + i) >= height)) +
            (v.source_far & (*(const jbw_i16x16 *)(c->source_far + i) >= height));
        *(jbw_u16x16 *)(first + i) += (jbw_u16x16)sum;
        if (second) *(jbw_u16x16 *)(second + i) += (jbw_u16x16)sum;
    }
#else
    (void)in_vectors;
#endif
    for (; i < count; i++) {
        const int sum = cross_cell(c, i, dy, v);
        add(&first[i], sum);
        if (second) add(&second[i], sum);
    }
}

JBW_SIMD_CLONES
static void stamp_plane_columns(const jbw_plane_kernel *kernel, const jbw_window *window,
                                int16_t *plane, const plane_overlap *overlap, int sign)
{
    const plane_overlap o = *overlap;
    // a coupling that is zero has no radii, but its values are zero, so any radii do
    const jbw_coupling *forward = kernel->whole->forward;
    const jbw_coupling *backward = kernel->whole->backward;
    const jbw_coupling *any = forward->reach > 0 ? forward : backward;
    const jbw_coupling *other = backward->reach > 0 ? backward : any;
    const ptrdiff_t stride = window->stride;
    const int start = o.start;
    const int16_t *inner = window->plane_radii + any->column_function * 2 * stride + start;
    const int16_t *outer = inner + stride;
    int source_inner;
    int source_outer;
    jbw_cross_hash_radii(other, window->origin.x + o.x, &source_inner, &source_outer);
    if (source_outer < source_inner) source_outer = source_inner;

    const int in_vectors = o.vectors * JBW_PLANE_LANES;
    const int count = o.vectors > 0 ? in_vectors : o.right - o.left;
    plane_crosses c;
    for (int i = 0; i < count; i++) {
        const int dx = start + i - o.x;
        const int distance = dx < 0 ? -dx : dx;
        c.near[i] = limit_radius(distance, inner[i]);
        c.far[i] = limit_radius(distance, outer[i]);
        c.source_near[i] = limit_radius(distance, source_inner);
        c.source_far[i] = limit_radius(distance, source_outer);
    }
    const plane_values on_axis = find_values(kernel, 0, sign);
    const plane_values off_axis = find_values(kernel, 1, sign);
    const bool has_column = o.x >= o.left && o.x < o.right; // of the source

    for (int dy = 0; dy <= kernel->reach; dy++) {
        int16_t *rows[2] = {NULL, NULL};
        int row_count = 0;
        if (o.y + dy >= o.bottom && o.y + dy < o.top)
            rows[row_count++] = plane + (o.y + dy) * stride + start;
        if (o.y - dy >= o.bottom && o.y - dy < o.top && dy > 0)
            rows[row_count++] = plane + (o.y - dy) * stride + start;
        if (row_count == 0) continue;
        const plane_values values = dy == 0 ? on_axis : off_axis;
        add_crosses(rows[0], rows[1], &c, in_vectors, count, dy, values);

        // the source's column is the other axis, and the source's own cell stays unchanged
        if (!has_column) continue;
        const int i = o.x - start;
        const int correct = dy == 0 ? 0 : cross_cell(&c, i, dy, on_axis);
        const int wrong = cross_cell(&c, i, dy, values);
        for (int k = 0; k < row_count; k++) add(&rows[k][i], correct - wrong);
    }
}

// Kernels of the same reach touch the same part.
JBW_SIMD_CLONES
static void stamp_all(const jbw_plane_kernel *kernels, int count, const jbw_window *window, int x,
                      int y, int sign)
{
    const jbw_plane_kernel *const end = kernels + count;
    plane_overlap o = {0};
    int reach = 0;
    for (const jbw_plane_kernel *kernel = kernels; kernel < end; kernel++) {
        if (kernel->reach != reach) o = find_overlap(kernel->reach, window, x, y);
        reach = kernel->reach;
        if (o.left >= o.right || o.bottom >= o.top) continue;
        int16_t *plane = window->planes + kernel->plane * window->field_stride;
        if (kernel->kind == JBW_KERNEL_COLUMNS)
            stamp_plane_columns(kernel, window, plane, &o, sign);
        else
            stamp_table(kernel, plane, window->stride, &o, sign);
    }
}

void jbw_planes_stamp(const jbw_plane_kernel *kernels, int count, const jbw_window *window,
                      jbw_position source, int sign)
{
    stamp_all(kernels, count, window, (int)(source.x - window->origin.x),
              (int)(source.y - window->origin.y), sign);
}
