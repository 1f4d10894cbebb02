// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/patch_changes.h"

#include <stdlib.h>

#include "sim/map/change_runs.h"
#include "sim/map/growth.h"
#include "sim/map/texts.h"

bool jbw_patch_changes_evict(jbw_map *map, const jbw_patch *patch)
{
    const size_t size = jbw_change_runs_size(map->model, patch);
    if (size > 0) {
        uint8_t *bytes =
            jbw_evicted_changes_add(&map->evicted, patch->at, size, &map->model->allocator);
        if (!bytes) return false;
        jbw_change_runs_put(map->model, patch, bytes);
    }
    const jbw_allocator *allocator = &map->model->allocator;
    if (!map->model->is_growing || jbw_growth_evict(map, patch)) {
        if (!map->model->has_texts || jbw_texts_evict(map, patch)) return true;
        jbw_evicted_changes_remove(&map->evicted_growth, patch->at, allocator);
    }
    jbw_evicted_changes_remove(&map->evicted, patch->at, allocator);
    return false;
}

static size_t count_changed_cells(jbw_change_runs runs, const uint8_t *cells)
{
    size_t count = 0;
    jbw_change_run run;
    while (jbw_change_runs_next(&runs, &run))
        for (int i = 0; i < run.length; i++) count += cells[run.cell + i * run.stride] != run.now;
    return count;
}

static int compare_cells(const void *a, const void *b)
{
    return (int)((const jbw_undo *)a)->cell - (int)((const jbw_undo *)b)->cell;
}

bool jbw_patch_changes_restore(jbw_map *map, jbw_patch *patch)
{
    const jbw_evicted_patch *evicted = jbw_evicted_changes_find(&map->evicted, patch->at);
    const size_t growth_count =
        map->model->is_growing ? jbw_growth_evicted_count(map, patch->at) : 0;
    jbw_change_runs runs = {0};
    if (evicted) runs = jbw_change_runs_of_evicted(map->model, evicted);
    uint8_t *cells = patch->cells;
    const size_t count = count_changed_cells(runs, cells) + growth_count;
    const size_t bytes_before = map->undo_bytes;
    const size_t text_bytes = map->model->has_texts ? jbw_texts_at(map, patch->at).size : 0;
    if ((count > 0 && !jbw_changes_reserve(map, patch, count)) ||
        (text_bytes > 0 && !jbw_texts_reserve(map, patch, text_bytes))) {
        map->undo_bytes = bytes_before; // the patch will be freed with what it has
        return false;
    }

    // change the cells, and note what was generated in them
    jbw_content *content = patch->content;
    jbw_change_run run;
    while (jbw_change_runs_next(&runs, &run)) {
        for (int i = 0; i < run.length; i++) {
            const int cell = run.cell + i * run.stride;
            if (cells[cell] == run.now) continue;
            content->undo[content->undo_count++] =
                (jbw_undo){.cell = (uint16_t)cell, .generated = cells[cell]};
            cells[cell] = run.now;
        }
    }
    if (content->undo_count > 0) // forged bytes may list what was generated
        qsort(content->undo, content->undo_count, sizeof *content->undo, compare_cells);
    jbw_evicted_changes_remove(&map->evicted, patch->at, &map->model->allocator);
    if (map->model->is_growing) jbw_growth_restore(map, patch);
    if (text_bytes > 0) jbw_texts_restore(map, patch);
    return true;
}
