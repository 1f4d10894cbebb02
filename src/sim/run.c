// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/run.h"

#include <string.h>

jbw_runs jbw_runs_of_patch(const jbw_model *model, const jbw_patch *patch)
{
    return (jbw_runs){.model = model, .content = patch->content};
}

jbw_runs jbw_runs_of_bytes(const jbw_model *model, const uint8_t *bytes, size_t size)
{
    jbw_runs runs = {.model = model, .in = jbw_reader_begin(bytes, size)};
    runs.left = jbw_read_varint(&runs.in);
    return runs;
}

// the run around a change, as far as its row is empty
static jbw_run widen(const jbw_model *model, const uint8_t *cells, int cell)
{
    if (cells[cell] != 0) return (jbw_run){.cell = cell, .length = 1, .now = cells[cell]};
    const int row = cell - cell % model->patch_size;
    int first = cell;
    int end = cell + 1;
    while (first > row && cells[first - 1] == 0) first--;
    while (end < row + model->patch_size && cells[end] == 0) end++;
    return (jbw_run){.cell = first, .length = end - first};
}

static bool next_of_content(jbw_runs *runs, jbw_run *run)
{
    const jbw_content *content = runs->content;
    while (runs->undo_done < content->undo_count) {
        const int cell = content->undo[runs->undo_done++].cell;
        if (cell < runs->next) continue; // in the run before
        *run = widen(runs->model, content->cells, cell);
        runs->next = run->cell + run->length;
        return true;
    }
    return false;
}

static bool next_of_bytes(jbw_runs *runs, jbw_run *run)
{
    if (runs->left == 0) return false;
    const uint64_t gap = jbw_read_varint(&runs->in);
    const uint64_t what = jbw_read_varint(&runs->in);
    const uint64_t types = (uint64_t)runs->model->type_count;
    const uint64_t length = what < types ? 1 : what - types + 1;
    const int size = runs->model->patch_size;
    const int room = runs->model->patch_cells - runs->next;
    if (!runs->in.ok || gap >= (uint64_t)room || length > (uint64_t)size) {
        runs->in.ok = false;
        return false;
    }
    *run = (jbw_run){.cell = runs->next + (int)gap,
                     .length = (int)length,
                     .now = what < types ? (uint8_t)(what + 1) : 0};
    if (run->cell % size + run->length > size) {
        runs->in.ok = false;
        return false;
    }
    runs->next = run->cell + run->length;
    runs->left--;
    return true;
}

bool jbw_runs_next(jbw_runs *runs, jbw_run *run)
{
    return runs->content ? next_of_content(runs, run) : next_of_bytes(runs, run);
}

// true if a row goes on to be empty at a cell that the run before or behind it does not touch
static bool goes_on(const jbw_model *model, const uint8_t *generated, const jbw_run *run,
                    const jbw_run *other, int cell)
{
    if (cell < 0 || cell / model->patch_size != run->cell / model->patch_size) return false;
    if (other && cell >= other->cell && cell < other->cell + other->length) return other->now == 0;
    return generated[cell] == 0;
}

static bool fits(const jbw_model *model, const uint8_t *generated, const jbw_run *before,
                 const jbw_run *run, const jbw_run *behind)
{
    if (run->now != 0) return generated[run->cell] != run->now;
    bool has_changed = false;
    for (int i = run->cell; i < run->cell + run->length; i++) has_changed |= generated[i] != 0;
    return has_changed && !goes_on(model, generated, run, before, run->cell - 1) &&
           (run->cell + run->length == model->patch_cells ||
            !goes_on(model, generated, run, behind, run->cell + run->length));
}

bool jbw_runs_fit(jbw_runs runs, const uint8_t *generated)
{
    const jbw_model *model = runs.model;
    jbw_run before;
    jbw_run run;
    jbw_run behind;
    bool has_before = false;
    bool has_run = jbw_runs_next(&runs, &run);
    while (has_run) {
        const bool has_behind = jbw_runs_next(&runs, &behind);
        if (!fits(model, generated, has_before ? &before : NULL, &run, has_behind ? &behind : NULL))
            return false;
        before = run;
        run = behind;
        has_before = true;
        has_run = has_behind;
    }
    return true;
}

static uint8_t *put_run(const jbw_model *model, jbw_run run, int next, uint8_t *at)
{
    const int what = run.now != 0 ? run.now - 1 : model->type_count + run.length - 1;
    at = jbw_put_varint(at, (uint64_t)(run.cell - next));
    return jbw_put_varint(at, (uint64_t)what);
}

size_t jbw_runs_size(const jbw_model *model, const jbw_patch *patch)
{
    uint8_t buffer[2 * JBW_MAX_VARINT];
    size_t size = 0;
    uint64_t count = 0;
    int next = 0;
    jbw_run run;
    for (jbw_runs runs = jbw_runs_of_patch(model, patch); jbw_runs_next(&runs, &run); count++) {
        size += (size_t)(put_run(model, run, next, buffer) - buffer);
        next = runs.next;
    }
    return count == 0 ? 0 : size + (size_t)(jbw_put_varint(buffer, count) - buffer);
}

uint8_t *jbw_runs_put(const jbw_model *model, const jbw_patch *patch, uint8_t *at)
{
    uint64_t count = 0;
    jbw_run run;
    for (jbw_runs runs = jbw_runs_of_patch(model, patch); jbw_runs_next(&runs, &run);) count++;
    at = jbw_put_varint(at, count);
    int next = 0;
    for (jbw_runs runs = jbw_runs_of_patch(model, patch); jbw_runs_next(&runs, &run);) {
        at = put_run(model, run, next, at);
        next = runs.next;
    }
    return at;
}

void jbw_runs_apply(jbw_runs runs, uint8_t *cells)
{
    jbw_run run;
    while (jbw_runs_next(&runs, &run)) memset(cells + run.cell, run.now, (size_t)run.length);
}
