// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The changes of a patch as runs: a short description of how it differs from what was generated.
///
/// A run is a single cell with another item than the generated one, or a part of a row that is
/// empty although something was generated in it. Empty runs are as long as possible:
///
///     generated   . b . . a . . w        an agent walked along the row and collected a and b
///     now         . . . . . . . w
///     run         |-----------|          one run instead of two cells
///
/// If that gives fewer runs, they go along columns instead of rows. So the trail of a collecting
/// agent takes a few bytes per patch. The runs depend only on what was generated and on what is
/// there now, not on the order of the changes. Empty cells in which an item grows back (growth.h)
/// count as if it were there.
///
///     bytes   2 count, plus 1 if along columns; then for each run the number of cells before it,
///             and its item type, or type_count + length - 1 if it is empty; all varints
#ifndef JBW_SIM_MAP_CHANGE_RUNS_H
#define JBW_SIM_MAP_CHANGE_RUNS_H

#include "base/bytes.h"
#include "base/hash.h"
#include "sim/map/change.h"

/// `length` cells starting at `cell`, `stride` apart (1 along rows, patch_size along columns), that
/// hold `now`: an item type plus one, with length 1, or 0 for empty.
typedef struct jbw_change_run {
    int cell;
    int stride;
    int length;
    uint8_t now;
} jbw_change_run;

/// Iterates over runs: those of a patch in memory, or those in bytes. All zero has no runs. Along
/// columns, cells are numbered column by column.
typedef struct jbw_change_runs {
    const jbw_model *model;
    bool is_along_columns;
    const jbw_content *content; // of a patch in memory; otherwise NULL
    size_t undo_done;           // changed cells that were visited, and in which column
    int column;
    jbw_reader in; // bytes, and how many runs are left in them
    uint64_t left;
    int next; // the cell after the latest run
} jbw_change_runs;

/// Along rows or columns, whichever gives fewer runs.
jbw_change_runs jbw_change_runs_of_patch(const jbw_model *model, const jbw_patch *patch);
jbw_change_runs jbw_change_runs_of_bytes(const jbw_model *model, const uint8_t *bytes, size_t size);
jbw_change_runs jbw_change_runs_of_evicted(const jbw_model *model,
                                           const jbw_evicted_patch *evicted);

/// Whether a patch has any.
bool jbw_change_runs_any(const jbw_model *model, const jbw_patch *patch);

/// Gets the next run; false at the end. If the bytes are invalid, `runs->in.ok` is false then.
bool jbw_change_runs_next(jbw_change_runs *runs, jbw_change_run *run);

/// The size of a patch's changes in bytes; zero if it has none.
size_t jbw_change_runs_size(const jbw_model *model, const jbw_patch *patch);

/// Writes a patch's changes to memory with enough room, and returns the end of what it wrote.
uint8_t *jbw_change_runs_put(const jbw_model *model, const jbw_patch *patch, uint8_t *at);

/// Applies changes to generated cells.
void jbw_change_runs_apply(jbw_change_runs runs, uint8_t *cells);

/// Adds changes to a hash.
void jbw_change_runs_hash(jbw_change_runs runs, jbw_hasher *hasher);

#endif
