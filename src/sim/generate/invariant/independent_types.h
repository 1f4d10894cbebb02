// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Types that interact with nothing. An invariant map leaves them out of its dynamics and puts them in
/// when all else is done: of the cells that are empty then, each has one of them with odds of e^f to
/// one. For all others that comes to the same as intensities that are lower by log(1 + sum of e^f).
#ifndef JBW_SIM_GENERATE_INVARIANT_INDEPENDENT_TYPES_H
#define JBW_SIM_GENERATE_INVARIANT_INDEPENDENT_TYPES_H

#include "sim/model/model.h"

typedef struct jbw_independent_types {
    const jbw_model *model;
    int count;
    int types[JBW_MAX_ITEM_TYPES];   // in the order of types
    bool is_constant;                // f is the same in all cells, for each of them
    double log_weight;               // then log(1 + sum of e^f)
    double odds[JBW_MAX_ITEM_TYPES]; // and how likely each of them is in an empty cell
} jbw_independent_types;

jbw_independent_types jbw_independent_types_of(const jbw_model *model);

bool jbw_is_free(const jbw_model *model, int type);

/// log(1 + sum of e^f) in a cell.
double jbw_free_log_weight(const jbw_independent_types *independent_types, jbw_position cell);

/// Bounds of that in a square of cells.
void jbw_free_log_weight_bounds(const jbw_independent_types *independent_types, jbw_position corner,
                                int size, double *least, double *most);

/// Puts them into the empty cells among `count` in a row, beginning with `first`: type + 1, zero is
/// empty.
void jbw_independent_types_fill(const jbw_independent_types *independent_types, uint64_t seed,
                                jbw_position first, int count, uint8_t *cells);

#endif
