// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Adding kernels to planes: the inner loop of the sampler. kernel_stamp.c does the same for fields.

#include "sim/model/planes.h"
#include "sim/simd.h"

/// The part of a window that a kernel touches, in window coordinates: columns [left, right), rows
/// [bottom, top). In groups of planes there are several columns for each cell. The source is at
/// (x, y), which may be outside. Vectors begin at `start`, which may be before the first column.
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

JBW_INLINE int vectors_of(int columns)
{
    return (int)((unsigned)(columns + JBW_PLANE_LANES - 1) / JBW_PLANE_LANES);
}

// Kernels have zeros on both sides, so vectors may begin before the first column or end after the
// last one, as long as they stay within the window. They begin at a multiple of their length, if they
// can: a vector that is part of two cache lines takes several times as long to store.
JBW_INLINE plane_overlap find_overlap(int reach, int size, const jbw_window *window, int x, int y)
{
    const int width = window->width * size;
    plane_overlap o = {
        .x = x * size,
        .y = y,
        .left = clip((x - reach) * size, width),
        .right = clip((x + reach + 1) * size, width),
        .bottom = clip(y - reach, window->height),
        .top = clip(y + reach + 1, window->height),
    };
    o.start = o.left - o.left % JBW_PLANE_LANES;
    o.vectors = vectors_of(o.right - o.start);
    if (o.start + o.vectors * JBW_PLANE_LANES <= width) return o;
    o.vectors = vectors_of(o.right - o.left);
    const int last_start = width - o.vectors * JBW_PLANE_LANES;
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

/// The rows of a table that are added to a plane. They are counted from that of the source.
typedef struct table_rows {
    int16_t *to; // the plane's first row
    ptrdiff_t to_stride;
    const int16_t *from; // the table's first row
    ptrdiff_t from_stride;
    int to_source; // the source's row in the plane; it may be outside
    int from_source;
    int lowest, highest;
    int pairs; // so many rows below the source's are added together with those above
    int sign;
} table_rows;

// The sign is a factor because no branch predictor predicts it.
JBW_INLINE void add_row(const table_rows *rows, int row, int vectors)
{
    int16_t *to = rows->to + (rows->to_source + row) * rows->to_stride;
    const int16_t *from = rows->from + (rows->from_source + row) * rows->from_stride;
    for (int i = 0; i < vectors * JBW_PLANE_LANES; i += JBW_PLANE_LANES) {
#if JBW_HAS_I32X8
        *(jbw_u16x16 *)(to + i) += *(const jbw_u16x16 *)(from + i) * (uint16_t)rows->sign;
#else
        for (int j = i; j < i + JBW_PLANE_LANES; j++) add(&to[j], rows->sign * from[j]);
#endif
    }
}

// adds two rows that are equal in the table, which is read once
JBW_INLINE void add_pair(const table_rows *rows, int row, int vectors)
{
#if JBW_HAS_I32X8
    int16_t *upper = rows->to + (rows->to_source + row) * rows->to_stride;
    int16_t *lower = rows->to + (rows->to_source - row) * rows->to_stride;
    const int16_t *from = rows->from + (rows->from_source + row) * rows->from_stride;
    for (int i = 0; i < vectors * JBW_PLANE_LANES; i += JBW_PLANE_LANES) {
        const jbw_u16x16 values = *(const jbw_u16x16 *)(from + i) * (uint16_t)rows->sign;
        *(jbw_u16x16 *)(upper + i) += values;
        *(jbw_u16x16 *)(lower + i) += values;
    }
#else
    add_row(rows, row, vectors);
    add_row(rows, -row, vectors);
#endif
}

// called with constants for the usual widths, so that the inner loops are unrolled
JBW_INLINE void add_rows(const table_rows *of, int vectors)
{
    const table_rows rows = *of;
    int first = rows.lowest;
    int last = rows.highest;
    if (rows.pairs > 0) {
        add_row(&rows, 0, vectors);
        for (int row = 1; row <= rows.pairs; row++) add_pair(&rows, row, vectors);
        if (first < -rows.pairs)
            last = -rows.pairs - 1;
        else
            first = rows.pairs + 1;
    }
    for (int row = first; row <= last; row++) add_row(&rows, row, vectors);
}

JBW_INLINE void stamp_table(const jbw_plane_kernel *kernel, const jbw_window *window,
                            const plane_overlap *o, int sign)
{
    const int size = kernel->size;
    table_rows rows = {
        .to = window->planes + kernel->plane * window->field_stride + window->first_cell * size +
              o->start,
        .to_stride = (ptrdiff_t)window->stride * size,
        .from = kernel->table + JBW_PLANE_LANES + o->start - o->x + kernel->reach * size,
        .from_stride = kernel->table_stride,
        .to_source = o->y,
        .from_source = kernel->reach,
        .lowest = o->bottom - o->y,
        .highest = o->top - 1 - o->y,
        .sign = sign,
    };
    if (kernel->is_symmetric)
        rows.pairs = -rows.lowest < rows.highest ? -rows.lowest : rows.highest;
    switch (o->vectors) {
    case 0:
        for (int y = o->bottom; y < o->top; y++)
            for (int i = 0; i < o->right - o->left; i++)
                add(&rows.to[y * rows.to_stride + i],
                    sign * rows.from[(y - o->y + kernel->reach) * rows.from_stride + i]);
        break;
#ifndef JBW_SMALL
    case 1: add_rows(&rows, 1); break;
    case 2: add_rows(&rows, 2); break;
    case 3: add_rows(&rows, 3); break;
    case 4: add_rows(&rows, 4); break;
    case 5: add_rows(&rows, 5); break;
    case 6: add_rows(&rows, 6); break;
    case 7: add_rows(&rows, 7); break;
#endif
    default: add_rows(&rows, o->vectors); break;
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

#if JBW_HAS_I32X8

/// Where a row of the crosses is within the radii.
typedef struct cross_masks {
    jbw_i16x16 near, far, source_near, source_far;
} cross_masks;

// takes pointers because passing wide vectors by value depends on the target's instruction set
JBW_INLINE void add_masked(int16_t *first, int16_t *second, const cross_masks *m, plane_values v)
{
    const jbw_i16x16 sum = (v.near & m->near) + (v.far & m->far) +
                           (v.source_near & m->source_near) + (v.source_far & m->source_far);
    *(jbw_u16x16 *)first += (jbw_u16x16)sum;
    if (second) *(jbw_u16x16 *)second += (jbw_u16x16)sum;
}

#endif

/// Parts of a kernel in up to two planes. Their crosses are the same, so all are added at once.
typedef struct plane_parts {
    int16_t *planes[JBW_PLANE_TERMS]; // the first cell of each
    plane_values on_axis[JBW_PLANE_TERMS];
    plane_values off_axis[JBW_PLANE_TERMS];
    int16_t corrections[JBW_PLANE_TERMS][JBW_MAX_PATCH_SIZE + 1]; // of the source's column, by dy
    int count;
} plane_parts;

// adds a row of the crosses to one row or two of each part: `second` is -1 or the start of a row
JBW_INLINE void add_crosses(const plane_parts *parts, int count, ptrdiff_t first, ptrdiff_t second,
                            const plane_crosses *c, int in_vectors, int cells, int dy)
{
    const plane_values *values = dy == 0 ? parts->on_axis : parts->off_axis;
    int i = 0;
#if JBW_HAS_I32X8
    const jbw_i16x16 height = (jbw_i16x16){0} + (int16_t)dy;
    for (; i < in_vectors; i += JBW_PLANE_LANES) {
        const cross_masks masks = {
            .near = *(const jbw_i16x16 *)(c->near + i) >= height,
            .far = *(const jbw_i16x16 *)(c->far + i) >= height,
            .source_near = *(const jbw_i16x16 *)(c->source_near + i) >= height,
            .source_far = *(const jbw_i16x16 *)(c->source_far + i) >= height,
        };
        for (int k = 0; k < count; k++) {
            int16_t *plane = parts->planes[k] + i;
            add_masked(plane + first, second < 0 ? NULL : plane + second, &masks, values[k]);
        }
    }
#else
    (void)in_vectors;
#endif
    for (; i < cells; i++) {
        for (int k = 0; k < count; k++) {
            const int sum = cross_cell(c, i, dy, values[k]);
            add(&parts->planes[k][first + i], sum);
            if (second >= 0) add(&parts->planes[k][second + i], sum);
        }
    }
}

// the largest radius that reaches any cell; columns that are farther away are not touched
JBW_INLINE int find_radius(const int16_t *outer, int first_dx, int count, int source_outer,
                           int reach)
{
    int radius = source_outer;
    for (int i = 0; i < count; i++) {
        const int dx = first_dx + i;
        const int limited = limit_radius(dx < 0 ? -dx : dx, outer[i]);
        radius = limited > radius ? limited : radius;
    }
    return radius < reach ? radius : reach;
}

JBW_INLINE void fill_crosses(plane_crosses *c, const int16_t *inner, const int16_t *outer,
                             int first_dx, int count, int source_inner, int source_outer)
{
    for (int i = 0; i < count; i++) {
        const int dx = first_dx + i;
        const int distance = dx < 0 ? -dx : dx;
        c->near[i] = limit_radius(distance, inner[i]);
        c->far[i] = limit_radius(distance, outer[i]);
        c->source_near[i] = limit_radius(distance, source_inner);
        c->source_far[i] = limit_radius(distance, source_outer);
    }
}

// the source's column is the other axis, and the source's own cell stays unchanged
JBW_INLINE void fill_corrections(plane_parts *parts, const plane_crosses *c, int i, int radius)
{
    for (int k = 0; k < parts->count; k++) {
        const plane_values on_axis = parts->on_axis[k];
        const plane_values off_axis = parts->off_axis[k];
        for (int dy = 1; dy <= radius; dy++)
            parts->corrections[k][dy] =
                (int16_t)(cross_cell(c, i, dy, on_axis) - cross_cell(c, i, dy, off_axis));
        parts->corrections[k][0] = (int16_t)-cross_cell(c, i, 0, on_axis);
    }
}

JBW_INLINE void add_all_crosses(const plane_parts *parts, int count, const plane_overlap *o,
                                ptrdiff_t stride, const plane_crosses *c, int cells, int radius)
{
    const bool has_column = o->x >= o->left && o->x < o->right; // of the source
    for (int dy = 0; dy <= radius; dy++) {
        const bool has_upper = o->y + dy >= o->bottom && o->y + dy < o->top;
        const bool has_lower = o->y - dy >= o->bottom && o->y - dy < o->top && dy > 0;
        if (!has_upper && !has_lower) continue;
        const ptrdiff_t upper = (o->y + dy) * stride + o->start;
        const ptrdiff_t lower = (o->y - dy) * stride + o->start;
        const ptrdiff_t first = has_upper ? upper : lower;
        const ptrdiff_t second = has_upper && has_lower ? lower : -1;
        add_crosses(parts, count, first, second, c, o->vectors * JBW_PLANE_LANES, cells, dy);
        if (!has_column) continue;
        const int i = o->x - o->start;
        for (int k = 0; k < count; k++) {
            add(&parts->planes[k][first + i], parts->corrections[k][dy]);
            if (second >= 0) add(&parts->planes[k][second + i], parts->corrections[k][dy]);
        }
    }
}

// Stamps kernels of one or two planes that are parts of the same one.
JBW_SIMD_CLONES
static void stamp_plane_columns(const jbw_plane_kernel *kernels, int count,
                                const jbw_window *window, int x, int y, int sign)
{
    // a coupling that is zero has no radii, but its values are zero, so any radii do
    const jbw_coupling *forward = kernels->whole->forward;
    const jbw_coupling *backward = kernels->whole->backward;
    const jbw_coupling *any = forward->reach > 0 ? forward : backward;
    const jbw_coupling *other = backward->reach > 0 ? backward : any;
    const ptrdiff_t stride = window->stride;
    const int16_t *inner = window->plane_radii + any->column_function * 2 * stride;
    const int16_t *outer = inner + stride;
    int source_inner;
    int source_outer;
    jbw_cross_hash_radii(other, window->origin.x + x, &source_inner, &source_outer);
    if (source_outer < source_inner) source_outer = source_inner;

    plane_overlap o = find_overlap(kernels->reach, 1, window, x, y);
    if (o.left >= o.right || o.bottom >= o.top) return;
    const int radius =
        find_radius(outer + o.left, o.left - x, o.right - o.left, source_outer, kernels->reach);
    if (radius < 0) return;
    o = find_overlap(radius, 1, window, x, y);
    if (o.left >= o.right || o.bottom >= o.top) return;

    const int cells = o.vectors > 0 ? o.vectors * JBW_PLANE_LANES : o.right - o.left;
    plane_crosses c;
    fill_crosses(&c, inner + o.start, outer + o.start, o.start - x, cells, source_inner,
                 source_outer);
    plane_parts parts;
    parts.count = count;
    for (int k = 0; k < count; k++) {
        parts.planes[k] =
            window->planes + kernels[k].plane * window->field_stride + window->first_cell;
        parts.on_axis[k] = find_values(&kernels[k], 0, sign);
        parts.off_axis[k] = find_values(&kernels[k], 1, sign);
    }
    if (x >= o.left && x < o.right) fill_corrections(&parts, &c, x - o.start, radius);
    if (count == 1)
        add_all_crosses(&parts, 1, &o, stride, &c, cells, radius);
    else
        add_all_crosses(&parts, JBW_PLANE_TERMS, &o, stride, &c, cells, radius);
}

JBW_SIMD_CLONES
static void stamp_all(const jbw_plane_kernel *kernels, int count, const jbw_window *window, int x,
                      int y, int sign)
{
    const jbw_plane_kernel *const end = kernels + count;
    for (const jbw_plane_kernel *kernel = kernels; kernel < end; kernel++) {
        if (kernel->kind == JBW_KERNEL_COLUMNS) {
            const bool is_pair = kernel + 1 < end && kernel[1].whole == kernel->whole;
            stamp_plane_columns(kernel, is_pair ? 2 : 1, window, x, y, sign);
            kernel += is_pair;
            continue;
        }
        const plane_overlap o = find_overlap(kernel->reach, kernel->size, window, x, y);
        if (o.left < o.right && o.bottom < o.top) stamp_table(kernel, window, &o, sign);
    }
}

void jbw_planes_stamp(const jbw_plane_kernel *kernels, int count, const jbw_window *window,
                      jbw_position source, int sign)
{
    stamp_all(kernels, count, window, (int)(source.x - window->origin.x),
              (int)(source.y - window->origin.y), sign);
}
