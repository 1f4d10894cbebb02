// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A fast way to add many kernels to a wide field (narrow.h) at once. Along a row, the table of a kernel is
/// piecewise constant with few steps. So it is enough to stamp the steps of all items, and to sum
/// each row once at the end:
///
///     table row    0 0 2 2 2 5 5 0
///     deltas           2     3  -5
///
/// Once the rows are summed, a field holds energies and can no longer be stamped with deltas.
#ifndef JBW_SIM_GENERATE_INVARIANT_ROW_DELTAS_H
#define JBW_SIM_GENERATE_INVARIANT_ROW_DELTAS_H

#include "sim/model/kernel.h"

/// A step in one row of a table: the value at a cell minus the value left of it.
typedef struct jbw_row_delta {
    int16_t dx, dy; // from the item to the cell
    int32_t step;
} jbw_row_delta;

/// All steps of one kernel, lowest row first. `items` is NULL if the kernel has no table.
typedef struct jbw_row_deltas {
    jbw_row_delta *items;
    int count;
    int reach;
    int *row_starts; // (2 reach + 2): the first step of each row, and the end
    int first;       // where the offsets of these steps begin, among those of all kernels
} jbw_row_deltas;

/// A rectangle of a wide field. The stride leaves room for a cell beyond each row.
typedef struct jbw_delta_target {
    int32_t *cells; // the first one
    ptrdiff_t stride;
    int width, height;
} jbw_delta_target;

/// Lists the steps of a kernel. False when memory runs out. The arena owns the steps.
bool jbw_row_deltas_init(jbw_row_deltas *deltas, const jbw_kernel *kernel, jbw_arena *arena);

/// How far the cell of each step is from that of the item, in a field with that stride.
void jbw_row_deltas_find_offsets(const jbw_row_deltas *deltas, ptrdiff_t stride, int32_t *offsets);

/// Adds the steps around an item, which may lie outside the target.
void jbw_row_deltas_stamp(const jbw_row_deltas *deltas, const int32_t *offsets,
                          const jbw_delta_target *target, int x, int y);

/// Turns steps into energies by summing each row.
void jbw_row_deltas_sum(const jbw_delta_target *target);

#endif
