// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The items around eight cells in a line, summed up: what scent costs where nobody has smelled yet.
///
/// First the items are found, as bits of a word, since most cells are empty. Then their kernels are
/// added: eight cells of a kernel lie side by side, as the cells of a row do. A kernel is the same
/// after rows and columns are swapped, so a column of cells costs no more than a row.
#ifndef JBW_SIM_SENSE_SCENT_LINE_H
#define JBW_SIM_SENSE_SCENT_LINE_H

#include "sim/map/map.h"

/// JBW_SCENT_TILE cells, from `first` to the right or upwards.
typedef struct jbw_scent_line {
    const jbw_map *map;
    const int32_t *const *kernels; // by item type (sim/model/scent_model.h), NULL if not smelled
    jbw_position first;
    bool is_column;
    int32_t *sums; // (scent_dimensions x JBW_SCENT_TILE): the result
} jbw_scent_line;

/// Writes the steady state of all items that the cells of a line can smell.
void jbw_scent_line_sum(const jbw_scent_line *line);

#endif
