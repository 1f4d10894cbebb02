// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/change_runs.h"

#include "sim/map/growth.h"

// the index of the cell with number `at`, counting along rows or columns
static int cell_at(const jbw_change_runs *runs, int at)
{
    const int size = runs->model->patch_size;
    return runs->is_along_columns ? at % size * size + at / size : at;
}

static jbw_change_run make_run(const jbw_change_runs *runs, int at, int length, uint8_t now)
{
    return (jbw_change_run){.cell = cell_at(runs, at),
                            .stride = runs->is_along_columns ? runs->model->patch_size : 1,
                            .length = length,
                            .now = now};
}

// ---- runs of a patch ----

static bool is_growing(const jbw_content *content, int cell)
{
    if (content->growth_count == 0) return false;
    const jbw_growth *growth = jbw_growth_find(content, cell);
    return growth && growth->kind == JBW_GROWTH_GROWING;
}

static bool is_empty(const jbw_change_runs *runs, int at)
{
    const int cell = cell_at(runs, at);
    return runs->content->cells[cell] == 0 && !is_growing(runs->content, cell);
}

// the run around a changed cell: all of its row or column that is empty, if the cell is
static jbw_change_run widen(jbw_change_runs *runs, int at)
{
    const int size = runs->model->patch_size;
    const uint8_t now = runs->content->cells[cell_at(runs, at)];
    const int begin = at - at % size;
    int first = at;
    int end = at + 1;
    if (now == 0) {
        while (first > begin && is_empty(runs, first - 1)) first--;
        while (end < begin + size && is_empty(runs, end)) end++;
    }
    runs->next = end;
    return make_run(runs, first, end - first, now);
}

// the next changed cell, or -1
static int next_change(jbw_change_runs *runs)
{
    const jbw_content *content = runs->content;
    const int size = runs->model->patch_size;
    if (!runs->is_along_columns)
        return runs->undo_done < content->undo_count ? content->undo[runs->undo_done++].cell : -1;
    // changes are sorted by row, so those in one column are in order, too
    for (; runs->column < size; runs->column++, runs->undo_done = 0) {
        while (runs->undo_done < content->undo_count) {
            const int cell = content->undo[runs->undo_done++].cell;
            if (cell % size == runs->column) return runs->column * size + cell / size;
        }
    }
    return -1;
}

static bool next_of_content(jbw_change_runs *runs, jbw_change_run *run)
{
    for (int at = next_change(runs); at >= 0; at = next_change(runs)) {
        if (at < runs->next) continue; // part of the run before
        if (is_growing(runs->content, cell_at(runs, at))) continue;
        *run = widen(runs, at);
        return true;
    }
    return false;
}

static uint64_t count_runs(jbw_change_runs runs)
{
    uint64_t count = 0;
    jbw_change_run run;
    while (jbw_change_runs_next(&runs, &run)) count++;
    return count;
}

jbw_change_runs jbw_change_runs_of_patch(const jbw_model *model, const jbw_patch *patch)
{
    const jbw_change_runs rows = {.model = model, .content = patch->content};
    const jbw_change_runs columns = {
        .model = model, .content = patch->content, .is_along_columns = true};
    if (patch->content->undo_count < 2) return rows;
    return count_runs(columns) < count_runs(rows) ? columns : rows;
}

// ---- runs in bytes ----

jbw_change_runs jbw_change_runs_of_bytes(const jbw_model *model, const uint8_t *bytes, size_t size)
{
    jbw_change_runs runs = {.model = model, .in = jbw_reader_begin(bytes, size)};
    const uint64_t head = jbw_read_varint(&runs.in);
    runs.is_along_columns = head % 2 != 0;
    runs.left = head / 2;
    return runs;
}

jbw_change_runs jbw_change_runs_of_evicted(const jbw_model *model, const jbw_evicted_patch *evicted)
{
    return jbw_change_runs_of_bytes(model, jbw_evicted_changes_bytes(evicted), evicted->size);
}

static bool next_of_bytes(jbw_change_runs *runs, jbw_change_run *run)
{
    if (runs->left == 0) return false;
    const uint64_t gap = jbw_read_varint(&runs->in);
    const uint64_t what = jbw_read_varint(&runs->in);
    const uint64_t types = (uint64_t)runs->model->type_count;
    const uint64_t length = what < types ? 1 : what - types + 1;
    const int size = runs->model->patch_size;
    const int room = runs->model->patch_cells - runs->next;
    if (gap >= (uint64_t)room || length > (uint64_t)size) runs->in.ok = false;
    const int at = runs->in.ok ? runs->next + (int)gap : 0;
    if (at % size + (int)length > size) runs->in.ok = false;
    if (!runs->in.ok) return false;
    *run = make_run(runs, at, (int)length, what < types ? (uint8_t)(what + 1) : 0);
    runs->next = at + (int)length;
    runs->left--;
    return true;
}

bool jbw_change_runs_next(jbw_change_runs *runs, jbw_change_run *run)
{
    return runs->content ? next_of_content(runs, run) : next_of_bytes(runs, run);
}

// ---- using runs ----

bool jbw_change_runs_any(const jbw_model *model, const jbw_patch *patch)
{
    const jbw_content *content = patch->content;
    if (content->undo_count == 0 || content->growth_count == 0) return content->undo_count > 0;
    jbw_change_runs rows = {.model = model, .content = content};
    jbw_change_run run;
    return next_of_content(&rows, &run);
}

// writes the runs of a patch, or only counts bytes if `at` is NULL
static size_t write_runs(const jbw_model *model, const jbw_patch *patch, uint8_t *at)
{
    uint8_t buffer[2 * JBW_MAX_VARINT];
    jbw_change_runs runs = jbw_change_runs_of_patch(model, patch);
    const uint64_t count = count_runs(runs);
    if (count == 0) return 0;
    uint8_t *end = jbw_put_varint(at ? at : buffer, 2 * count + runs.is_along_columns);
    size_t size = (size_t)(end - (at ? at : buffer));
    jbw_change_run run;
    for (int next = 0; jbw_change_runs_next(&runs, &run); next = runs.next) {
        uint8_t *begin = at ? end : buffer;
        const int what = run.now != 0 ? run.now - 1 : model->type_count + run.length - 1;
        end = jbw_put_varint(begin, (uint64_t)(runs.next - run.length - next));
        end = jbw_put_varint(end, (uint64_t)what);
        size += (size_t)(end - begin);
    }
    return size;
}

size_t jbw_change_runs_size(const jbw_model *model, const jbw_patch *patch)
{
    return write_runs(model, patch, NULL);
}

uint8_t *jbw_change_runs_put(const jbw_model *model, const jbw_patch *patch, uint8_t *at)
{
    return at + write_runs(model, patch, at);
}

void jbw_change_runs_apply(jbw_change_runs runs, uint8_t *cells)
{
    jbw_change_run run;
    while (jbw_change_runs_next(&runs, &run))
        for (int i = 0; i < run.length; i++) cells[run.cell + i * run.stride] = run.now;
}

void jbw_change_runs_hash(jbw_change_runs runs, jbw_hasher *hasher)
{
    jbw_change_run run;
    while (jbw_change_runs_next(&runs, &run)) {
        jbw_hash_u64(hasher, (uint64_t)run.cell);
        jbw_hash_u64(hasher, (uint64_t)run.stride);
        jbw_hash_u64(hasher, (uint64_t)run.length);
        jbw_hash_u64(hasher, run.now);
    }
}
