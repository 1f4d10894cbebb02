// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where the dynamics has to look. A cell is hot for a type if a draw that is not low (dynamics.h)
/// may change it: it is empty and the type is added with more than the low bound, or it holds the
/// type and loses it with more than the low bound. Most cells are cold, so most draws need no look.
/// A hot cell is likely to change if that probability is above JBW_LIKELY; in all others, most draws
/// are too high, whatever the energy is.
///
/// A gauge compares the energies of 64 cells with thresholds. It may report cells that are not hot. It
/// never misses one that is.
#ifndef JBW_SIM_GENERATE_INVARIANT_GAUGE_H
#define JBW_SIM_GENERATE_INVARIANT_GAUGE_H

#include "sim/generate/invariant/workspace.h"

#define JBW_HOT_SLACK 1e-6 // of energies, for rounding

/// The field values of a type that make cells hot, and likely to change. An empty cell is hot from a
/// value on, a cell that holds the type up to a value.
typedef struct jbw_hot_thresholds {
    int32_t add_from, add_likely_from;
    int32_t remove_up_to, remove_likely_up_to;
} jbw_hot_thresholds;

/// The thresholds of all types, in the whole workspace and in each zone.
typedef struct jbw_hot_levels {
    const jbw_workspace *workspace;
    jbw_hot_thresholds *thresholds; // (zones x type_count)
} jbw_hot_levels;

/// Allocates room for a workspace of that capacity. False when memory runs out.
bool jbw_hot_levels_init(jbw_hot_levels *levels, const jbw_workspace *workspace);
void jbw_hot_levels_deinit(jbw_hot_levels *levels);
size_t jbw_hot_levels_bytes(const jbw_hot_levels *levels);

/// Computes the thresholds of a workspace that has begun.
void jbw_hot_levels_begin(jbw_hot_levels *levels);

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

jbw_gauge jbw_gauge_of(const jbw_hot_levels *levels, int type);

/// Tightens the thresholds of a gauge for a square, in which an intensity that depends on the place
/// varies less than in the whole workspace. Outside the square the gauge is then invalid.
void jbw_gauge_tighten(jbw_gauge *gauge, const jbw_hot_levels *levels, int type, int x, int y,
                       int size);

/// Sets the thresholds of a zonal type to those of a zone. Outside the zone the gauge is then
/// invalid. False if there are no such items in the zone.
bool jbw_gauge_set_zone(jbw_gauge *gauge, const jbw_hot_levels *levels, int type, int zone);

/// Hot cells of a row, and those of them that are likely to change, as `jbw_gauge_find_hot`
/// (gauge_cells.h) finds them.
typedef struct jbw_hot_bits {
    uint64_t hot;
    uint64_t likely;
    uint64_t empty; // cells, hot or not
    uint64_t held;  // cells that hold the type, hot or not
} jbw_hot_bits;

/// The first row from `row` on, up to `end`, where energies that rise around an item at (x, y), as far
/// as the extent has it, may be high enough for additions in cells of a part. It may be too soon,
/// never too late. For wide fields.
int jbw_gauge_next_row(const jbw_gauge *gauge, const jbw_invariant_extent *extent, int x, int y,
                       int row, int end, const jbw_workspace_part *part);

/// The cells of a word of a row, among `inside`, where an item may be added; or where one may be
/// removed. For wide fields.
uint64_t jbw_gauge_additions(const jbw_gauge *gauge, int word, int y, uint64_t inside);
uint64_t jbw_gauge_removals(const jbw_gauge *gauge, int word, int y, uint64_t inside);

#endif
