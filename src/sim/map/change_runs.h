// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What has changed in patches that can be made again: all that has to be kept of them.
///
/// A patch's changes are a list of runs. A run is one cell that holds another item than the one that
/// was generated there, or a part of a row that is empty now, though something was generated in it.
/// Empty runs are as long as they can be:
///
///     generated   . b . . a . . w        an agent went along the row and collected a and b
///     now         . . . . . . . w
///     run         |-----------|          one run, not two single cells
///
/// If there are fewer runs that way, they go along columns instead. So the trail of a collector is a
/// few bytes per patch, and what is kept is a function of what was generated and of what is there
/// now, not of the way from one to the other.
///
///     bytes   2 count, or 2 count + 1 along columns; then for each run: (cells before it), then its
///             item's type, or type_count + length - 1 if it is empty; all varints
#ifndef JBW_SIM_MAP_CHANGE_RUNS_H
#define JBW_SIM_MAP_CHANGE_RUNS_H

#include "base/bytes.h"
#include "sim/map/change.h"

/// `length` cells hold `now`: an item type + 1, then length is 1, or 0. They begin at `cell` and lie
/// `stride` apart: one along rows, patch_size along columns.
typedef struct jbw_change_run {
    int cell;
    int stride;
    int length;
    uint8_t now;
} jbw_change_run;

/// Goes through the runs of a patch that is in the map, or of one that was kept. Along columns, cells
/// are counted column by column.
typedef struct jbw_change_runs {
    const jbw_model *model;
    bool is_along_columns;
    const jbw_content *content; // in the map: how many of its changes are done, in which column
    size_t undo_done;
    int column;
    jbw_reader in; // kept, and how many runs are left
    uint64_t left;
    int next; // the cell behind the latest run
} jbw_change_runs;

/// Along whichever has fewer.
jbw_change_runs jbw_change_runs_of_patch(const jbw_model *model, const jbw_patch *patch);
jbw_change_runs jbw_change_runs_of_bytes(const jbw_model *model, const uint8_t *bytes, size_t size);

/// The next run; false at the end. Of bytes that are not good, `runs->in.ok` is false then.
bool jbw_change_runs_next(jbw_change_runs *runs, jbw_change_run *run);

/// How many bytes the changes of a patch take; zero if it has none.
size_t jbw_change_runs_size(const jbw_model *model, const jbw_patch *patch);

/// Writes them where there is room, and returns their end.
uint8_t *jbw_change_runs_put(const jbw_model *model, const jbw_patch *patch, uint8_t *at);

/// Changes cells that were just generated.
void jbw_change_runs_apply(jbw_change_runs runs, uint8_t *cells);

#endif
