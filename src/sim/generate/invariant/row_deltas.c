// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/row_deltas.h"

enum { ROWS_AT_ONCE = 4 };

// dx may be one cell beyond the reach: the table is padded with zeros
static int32_t table_at(const jbw_kernel *kernel, int dx, int dy)
{
    const ptrdiff_t row = (ptrdiff_t)(dy + kernel->reach) * kernel->table_stride;
    return kernel->table[row + JBW_LANES + dx + kernel->reach];
}

// writes all steps unless `deltas` is NULL, and returns their number
static int list_deltas(const jbw_kernel *kernel, jbw_row_delta *deltas)
{
    int count = 0;
    for (int dy = -kernel->reach; dy <= kernel->reach; dy++) {
        for (int dx = -kernel->reach; dx <= kernel->reach + 1; dx++) {
            const int32_t step = table_at(kernel, dx, dy) - table_at(kernel, dx - 1, dy);
            if (step == 0) continue;
            if (deltas)
                deltas[count] = (jbw_row_delta){.dx = (int16_t)dx, .dy = (int16_t)dy, .step = step};
            count++;
        }
    }
    return count;
}

bool jbw_row_deltas_init(jbw_row_deltas *deltas, const jbw_kernel *kernel, jbw_arena *arena)
{
    *deltas = (jbw_row_deltas){0};
    if (kernel->kind != JBW_KERNEL_TABLE) return true;
    deltas->count = list_deltas(kernel, NULL);
    deltas->items = jbw_arena_alloc(arena, (size_t)deltas->count, sizeof *deltas->items);
    if (!deltas->items) return false;
    list_deltas(kernel, deltas->items);
    return true;
}

void jbw_row_deltas_stamp(const jbw_row_deltas *deltas, const jbw_kernel *kernel,
                          const jbw_window *window, jbw_position source)
{
    const int64_t x = source.x - window->origin.x;
    const int64_t y = source.y - window->origin.y;
    const int reach = kernel->reach;
    if (x + reach < 0 || x - reach >= window->width || y + reach < 0 || y - reach >= window->height)
        return;
    uint32_t *field =
        (uint32_t *)(void *)(window->fields + (ptrdiff_t)kernel->field * window->field_stride);
    if (x >= reach && x + reach + 1 < window->width && y >= reach && y + reach < window->height) {
        uint32_t *cell = field + y * window->stride + x;
        for (int i = 0; i < deltas->count; i++) {
            const jbw_row_delta *delta = &deltas->items[i];
            cell[(ptrdiff_t)delta->dy * window->stride + delta->dx] += (uint32_t)delta->step;
        }
        return;
    }
    for (int i = 0; i < deltas->count; i++) {
        const jbw_row_delta *delta = &deltas->items[i];
        const int64_t row = y + delta->dy;
        int64_t column = x + delta->dx;
        if (row < 0 || row >= window->height || column >= window->width) continue;
        if (column < 0) column = 0; // a step left of the window counts from its first column on
        field[row * window->stride + column] += (uint32_t)delta->step;
    }
}

// Sums several rows at once: each sum is a chain of dependent additions, and independent chains
// overlap in the processor.
static void sum_rows(uint32_t *rows[ROWS_AT_ONCE], int width)
{
    uint32_t sums[ROWS_AT_ONCE] = {0};
    for (int x = 0; x < width; x++)
        for (int i = 0; i < ROWS_AT_ONCE; i++) rows[i][x] = sums[i] += rows[i][x];
}

void jbw_row_deltas_sum(const jbw_window *window, int field)
{
    uint32_t *first = (uint32_t *)(void *)(window->fields + field * window->field_stride);
    int y = 0;
    for (; y + ROWS_AT_ONCE <= window->height; y += ROWS_AT_ONCE) {
        uint32_t *rows[ROWS_AT_ONCE];
        for (int i = 0; i < ROWS_AT_ONCE; i++)
            rows[i] = first + (ptrdiff_t)(y + i) * window->stride;
        sum_rows(rows, window->width);
    }
    for (; y < window->height; y++) {
        uint32_t *row = first + (ptrdiff_t)y * window->stride;
        for (int x = 1; x < window->width; x++) row[x] += row[x - 1];
    }
}
