// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A fast way to add many kernels to a window at once. Along a row, the table of a kernel is
/// piecewise constant with few steps. So it is enough to stamp the steps of all items, and to sum
/// each row once at the end:
///
///     table row    0 0 2 2 2 5 5 0
///     deltas           2     3  -5
///
/// Once the rows are summed, a window holds energies and can no longer be stamped with deltas.
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
} jbw_row_deltas;

/// False when memory runs out. The arena owns the steps.
bool jbw_row_deltas_init(jbw_row_deltas *deltas, const jbw_kernel *kernel, jbw_arena *arena);

/// Adds the steps around an item, which may lie outside the window.
void jbw_row_deltas_stamp(const jbw_row_deltas *deltas, const jbw_kernel *kernel,
                          const jbw_window *window, jbw_position source);

/// Turns the steps of a field into energies by summing each row.
void jbw_row_deltas_sum(const jbw_window *window, int field);

#endif
