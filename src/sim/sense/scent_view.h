// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A patch as seen from a cell that somebody smells in: where its cells are, if they are within reach.
#ifndef JBW_SIM_SENSE_SCENT_VIEW_H
#define JBW_SIM_SENSE_SCENT_VIEW_H

#include "sim/map/map.h"

typedef struct jbw_scent_view {
    int left; // from the first cell within reach to that of the patch
    int bottom;
    int size; // of the patch
    int reach;
} jbw_scent_view;

/// The patch must be that of the cell or one of its neighbors.
static inline jbw_scent_view jbw_scent_view_of(const jbw_model *model, const jbw_patch *patch,
                                               jbw_position cell)
{
    const int size = model->patch_size;
    const int reach = model->scent.response.reach;
    return (jbw_scent_view){.left = (int)(patch->at.x * size - cell.x) + reach,
                            .bottom = (int)(patch->at.y * size - cell.y) + reach,
                            .size = size,
                            .reach = reach};
}

/// Finds a cell of the patch, by its index: its offset from where somebody smells. False if it is out
/// of reach.
static inline bool jbw_scent_view_find(const jbw_scent_view *view, int index, int *dx, int *dy)
{
    const int x = view->left + index % view->size;
    const int y = view->bottom + index / view->size;
    *dx = x - view->reach;
    *dy = y - view->reach;
    return (unsigned)x <= (unsigned)(2 * view->reach) && (unsigned)y <= (unsigned)(2 * view->reach);
}

#endif
