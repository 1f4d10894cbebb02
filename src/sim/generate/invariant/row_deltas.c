// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/row_deltas.h"

#include "sim/simd.h"

enum { ROWS_AT_ONCE = 4 };

// dx may be one cell beyond the reach: tables are padded with zeros
static int32_t table_at(const jbw_kernel *kernel, int dx, int dy)
{
    return kernel->table[(ptrdiff_t)(dy + kernel->reach) * kernel->table_stride + JBW_LANES + dx +
                         kernel->reach];
}

// writes all steps unless there are no items yet, and returns their number
static int list_deltas(const jbw_kernel *kernel, jbw_row_deltas *deltas)
{
    int count = 0;
    for (int dy = -kernel->reach; dy <= kernel->reach; dy++) {
        deltas->row_starts[dy + kernel->reach] = count;
        for (int dx = -kernel->reach; dx <= kernel->reach + 1; dx++) {
            const int32_t step = table_at(kernel, dx, dy) - table_at(kernel, dx - 1, dy);
            if (step == 0) continue;
            if (deltas->items)
                deltas->items[count] =
                    (jbw_row_delta){.dx = (int16_t)dx, .dy = (int16_t)dy, .step = step};
            count++;
        }
    }
    deltas->row_starts[2 * kernel->reach + 1] = count;
    return count;
}

bool jbw_row_deltas_init(jbw_row_deltas *deltas, const jbw_kernel *kernel, jbw_arena *arena)
{
    *deltas = (jbw_row_deltas){.reach = kernel->reach};
    if (kernel->kind != JBW_KERNEL_TABLE) return true;
    deltas->row_starts =
        jbw_arena_alloc(arena, 2 * (size_t)kernel->reach + 2, sizeof *deltas->row_starts);
    if (!deltas->row_starts) return false;
    deltas->count = list_deltas(kernel, deltas);
    deltas->items = jbw_arena_alloc(arena, (size_t)deltas->count, sizeof *deltas->items);
    if (!deltas->items) return false;
    list_deltas(kernel, deltas);
    return true;
}

void jbw_row_deltas_find_offsets(const jbw_row_deltas *deltas, ptrdiff_t stride, int32_t *offsets)
{
    for (int i = 0; i < deltas->count; i++)
        offsets[i] = (int32_t)(deltas->items[i].dy * stride + deltas->items[i].dx);
}

// ---- stamping ----

static inline void add_step(const jbw_delta_target *target, ptrdiff_t at, int32_t step)
{
    target->cells[at] = (int32_t)((uint32_t)target->cells[at] + (uint32_t)step);
}

void jbw_row_deltas_stamp(const jbw_row_deltas *deltas, const int32_t *offsets,
                          const jbw_delta_target *target, int x, int y)
{
    const int reach = deltas->reach;
    const ptrdiff_t stride = target->stride;
    if (x + reach < 0 || x - reach >= target->width || y + reach < 0 || y - reach >= target->height)
        return;
    if (x >= reach && x + reach + 1 < target->width && y >= reach && y + reach < target->height) {
        for (int i = 0; i < deltas->count; i++)
            add_step(target, y * stride + x + offsets[i], deltas->items[i].step);
        return;
    }
    // a step left of the target counts from its first column on, one right of it for nothing
    const int first = y < reach ? reach - y : 0;
    const int end = y + reach < target->height ? 2 * reach + 1 : target->height - y + reach;
    for (int i = deltas->row_starts[first]; i < deltas->row_starts[end]; i++) {
        const jbw_row_delta *delta = &deltas->items[i];
        int column = x + delta->dx;
        column = column < 0 ? 0 : column;
        column = column > target->width ? target->width : column;
        add_step(target, (y + delta->dy) * stride + column, delta->step);
    }
}

// ---- summing ----

// Sums several rows at once: each sum is a chain of dependent additions, and independent chains
// overlap in the processor.
JBW_INLINE void sum_rows(const jbw_delta_target *target, int first, int count)
{
    uint32_t sums[ROWS_AT_ONCE] = {0};
    uint32_t *cells = (uint32_t *)target->cells + first * target->stride;
    for (int x = 0; x < target->width; x++)
        for (int i = 0; i < count; i++)
            cells[i * target->stride + x] = sums[i] += cells[i * target->stride + x];
}

void jbw_row_deltas_sum(const jbw_delta_target *target)
{
    int y = 0;
    for (; y + ROWS_AT_ONCE <= target->height; y += ROWS_AT_ONCE) sum_rows(target, y, ROWS_AT_ONCE);
    for (; y < target->height; y++) sum_rows(target, y, 1);
}
