// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The hot cells of one type (gauge.h), all over the workspace. A slow type is drawn in very many
/// subslices, and comparing energies in each of them would be too much work. So one type at a time
/// can be watched: a mask of its hot cells is computed once and updated with each change.
///
///     energies --gauge--> 64 bits          the sweep, row by row
///     energies --watch--> mask <--change   a slow type, all over the workspace
///
/// The mask may have cells that are not hot. It never lacks one that is.
#ifndef JBW_SIM_GENERATE_INVARIANT_HOT_CELLS_H
#define JBW_SIM_GENERATE_INVARIANT_HOT_CELLS_H

#include "sim/generate/invariant/gauge.h"

typedef struct jbw_hot_cells {
    const jbw_hot_levels *levels;
    int watched_type;       // or -1
    uint64_t *watched;      // (height x (word_count + 1)): its hot cells
    uint64_t *watched_rows; // (height): rows that may have some, 64 to a word
} jbw_hot_cells;

/// Allocates room for the workspace of these levels. False when memory runs out.
bool jbw_hot_cells_init(jbw_hot_cells *hot, const jbw_hot_levels *levels);
void jbw_hot_cells_deinit(jbw_hot_cells *hot);
size_t jbw_hot_cells_bytes(const jbw_hot_cells *hot);

/// Called with cells that have become hot: `bits` of a word in row y.
typedef void jbw_hot_cells_found(void *user, int word, int y, uint64_t bits);

/// Starts or continues to watch a slow type. Until `jbw_hot_cells_stop`, only that type may change
/// in the workspace, and each change must be reported by `jbw_hot_cells_update`.
void jbw_hot_cells_watch(jbw_hot_cells *hot, int type);
void jbw_hot_cells_stop(jbw_hot_cells *hot);

/// Updates the mask after the watched type has come or gone in a cell, and reports what has become
/// hot. Cells that have become cold stay in the mask.
void jbw_hot_cells_update(jbw_hot_cells *hot, int x, int y, jbw_hot_cells_found *found, void *user);

/// Removes cold cells from the mask.
void jbw_hot_cells_tidy(jbw_hot_cells *hot);

/// The first row, from y on, that may have hot cells; or the end of the active part.
int jbw_hot_cells_next_row(const jbw_hot_cells *hot, int y);

/// The mask of a row: (word_count).
static inline const uint64_t *jbw_hot_cells_row(const jbw_hot_cells *hot, int y)
{
    return hot->watched + (ptrdiff_t)y * (hot->levels->workspace->word_count + 1);
}

#endif
