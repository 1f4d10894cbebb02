// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The fast way of adding many kernels to a window at once. Along a row, the tables of the paper's
/// functions are constant but for a few steps; so it is enough to write down the steps of all items,
/// and to add them up along each row in the end.
#ifndef JBW_SIM_GENERATE_INVARIANT_ROW_DELTAS_H
#define JBW_SIM_GENERATE_INVARIANT_ROW_DELTAS_H

#include "sim/model/kernel.h"

/// A step in one row of a table: what is right of it is more than what is left of it.
typedef struct jbw_row_delta {
    int16_t dx, dy; // from the item to the first cell right of the step
    int32_t step;
} jbw_row_delta;

/// The steps of one kernel, lowest row first; `edges` is NULL if it has no table.
typedef struct jbw_row_deltas {
    jbw_row_delta *edges;
    int count;
} jbw_row_deltas;

/// False when memory runs out.
bool jbw_row_deltas_init(jbw_row_deltas *edges, const jbw_kernel *kernel, jbw_arena *arena);

/// Writes down the steps around an item, which may lie outside of the window.
void jbw_row_deltas_stamp(const jbw_row_deltas *edges, const jbw_kernel *kernel,
                          const jbw_window *window, jbw_position source);

/// Adds up the steps of a field.
void jbw_row_deltas_sum(const jbw_window *window, int field);

#endif
