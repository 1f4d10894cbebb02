// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where the dynamics has to look. A cell is hot for a type if a draw that is not low (dynamics.h)
/// may change it: it is empty and the type is added with more than the low bound, or it holds the
/// type and loses it with more than the low bound. Most cells are cold, so most draws need no look.
/// A hot cell is likely to change if that probability is above JBW_LIKELY; in all others, most draws
/// are too high, whatever the energy is.
///
/// There are two ways to find hot cells. A gauge compares the energies of 64 cells with thresholds.
/// For a slow type, which is drawn in very many subslices, that would be too much work; so one type
/// at a time can be watched: a mask of its hot cells is computed once and updated with each change.
///
///     energies --gauge--> 64 bits          the sweep, row by row
///     energies --watch--> mask <--change   a slow type, all over the workspace
///
/// Gauge and mask may report cells that are not hot. They never miss one that is.
#ifndef JBW_SIM_GENERATE_INVARIANT_HOT_CELLS_H
#define JBW_SIM_GENERATE_INVARIANT_HOT_CELLS_H

#include "sim/generate/invariant/workspace.h"

/// The field values of a type that make cells hot, and likely to change. An empty cell is hot from a
/// value on, a cell that holds the type up to a value.
typedef struct jbw_hot_thresholds {
    int32_t add_from, add_likely_from;
    int32_t remove_up_to, remove_likely_up_to;
} jbw_hot_thresholds;

typedef struct jbw_hot_cells {
    const jbw_workspace *workspace;
    jbw_hot_thresholds *thresholds; // (zones x type_count)

    int watched_type;       // or -1
    uint64_t *watched;      // (height x (word_count + 1)): its hot cells
    uint64_t *watched_rows; // (height): rows that may have some, 64 to a word

    void *memory;
    size_t memory_bytes;
} jbw_hot_cells;

/// Allocates room for a workspace of that capacity. False when memory runs out.
bool jbw_hot_cells_init(jbw_hot_cells *hot, const jbw_workspace *workspace);
void jbw_hot_cells_deinit(jbw_hot_cells *hot);
size_t jbw_hot_cells_bytes(const jbw_hot_cells *hot);

/// Computes the thresholds of a workspace that has begun. No type is watched.
void jbw_hot_cells_begin(jbw_hot_cells *hot);

// ---- gauges ----

/// The energies of one type in a workspace, and the thresholds that make its cells hot.
typedef struct jbw_gauge {
    const void *own; // int32_t, or int16_t if it is narrow
    const void *shared;
    int32_t shared_factor;
    bool is_narrow;
    jbw_hot_thresholds thresholds;
    ptrdiff_t stride;
    ptrdiff_t mask_stride; // in words
    const uint64_t *empty;
    const uint64_t *held;
} jbw_gauge;

jbw_gauge jbw_hot_cells_gauge(const jbw_hot_cells *hot, int type);

/// Tightens the thresholds of a gauge for a square, in which an intensity that depends on the place
/// varies less than in the whole workspace. Outside the square the gauge is then invalid.
void jbw_hot_cells_narrow_gauge(const jbw_hot_cells *hot, int type, int x, int y, int size,
                                jbw_gauge *gauge);

/// Sets the thresholds of a zonal type to those of a zone. Outside the zone the gauge is then
/// invalid. False if there are no such items in the zone.
bool jbw_hot_cells_set_zone(const jbw_hot_cells *hot, int type, int zone, jbw_gauge *gauge);

/// Hot cells, and those of them that are likely to change: bit i stands for the cell (x + i, y).
typedef struct jbw_hot_bits {
    uint64_t hot;
    uint64_t likely;
    uint64_t empty; // cells, hot or not
    uint64_t held;  // cells that hold the type, hot or not
} jbw_hot_bits;

/// Finds them among `cells`.
void jbw_gauge_find_hot(const jbw_gauge *gauge, int x, int y, uint64_t cells, jbw_hot_bits *found);

// ---- watching one type ----

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
    return hot->watched + (ptrdiff_t)y * (hot->workspace->word_count + 1);
}

#endif
