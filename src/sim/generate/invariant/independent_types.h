// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Independent types: those that interact with nothing. The dynamics of an invariant map leaves
/// them out. At the end, each cell that is still empty gets one of them with odds e^f to one. To
/// all other types this is equivalent to intensities lowered by log(1 + sum of e^f).
#ifndef JBW_SIM_GENERATE_INVARIANT_INDEPENDENT_TYPES_H
#define JBW_SIM_GENERATE_INVARIANT_INDEPENDENT_TYPES_H

#include "sim/model/model.h"

typedef struct jbw_independent_types {
    const jbw_model *model;
    int count;
    int types[JBW_MAX_ITEM_TYPES];   // in ascending order
    bool is_zonal;                   // f depends on biomes only
    bool is_constant;                // no intensity f depends on the cell; if so:
    double log_weight;               // log(1 + sum of e^f)
    double odds[JBW_MAX_ITEM_TYPES]; // (count) probability of each type in an empty cell
} jbw_independent_types;

jbw_independent_types jbw_independent_types_of(const jbw_model *model);

bool jbw_is_independent(const jbw_model *model, int type);

/// log(1 + sum of e^f) in a cell.
double jbw_independent_log_weight(const jbw_independent_types *independent, uint64_t seed,
                                  jbw_position cell);

/// Bounds of that in a square of cells.
void jbw_independent_log_weight_bounds(const jbw_independent_types *independent, uint64_t seed,
                                       jbw_position corner, int size, double *least, double *most);

/// Fills the empty ones among `count` cells of a row that starts at `first` (type + 1, 0 is empty).
void jbw_independent_types_fill(const jbw_independent_types *independent, uint64_t seed,
                                jbw_position first, int count, uint8_t *cells);

/// The same for a square of cells, lowest row first.
void jbw_independent_types_fill_square(const jbw_independent_types *independent, uint64_t seed,
                                       jbw_position corner, int size, uint8_t *cells);

#endif
