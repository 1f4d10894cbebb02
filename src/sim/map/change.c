// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/change.h"

#include <string.h>

#include "sim/map/growth.h"
#include "sim/map/texts.h"

// the index of a cell in the undo list, or where it would be inserted
static size_t find_undo(const jbw_content *content, int cell)
{
    size_t low = 0;
    size_t high = content->undo_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (content->undo[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool jbw_changes_reserve(jbw_map *map, jbw_patch *patch, size_t count)
{
    if (!jbw_map_own(map, patch)) return false;
    jbw_content *content = patch->content;
    // there is at most one entry per cell
    size_t needed = content->undo_count + count;
    if (needed > (size_t)map->model->patch_cells) needed = (size_t)map->model->patch_cells;
    size_t capacity = content->undo_capacity;
    if (!JBW_GROW(&map->model->allocator, content->undo, capacity, needed)) return false;
    map->undo_bytes += (capacity - content->undo_capacity) * sizeof *content->undo;
    content->undo_capacity = (uint32_t)capacity;
    return !map->model->is_growing || jbw_growth_reserve(map, patch, count);
}

// A cell that is back to what was generated has no entry, so equal worlds have equal lists.
static void note_undo(jbw_content *content, int cell, uint8_t before, uint8_t after)
{
    const size_t at = find_undo(content, cell);
    jbw_undo *undo = &content->undo[at];
    const size_t behind = content->undo_count - at;
    if (behind > 0 && undo->cell == cell) {
        if (undo->generated == after) {
            memmove(undo, undo + 1, (behind - 1) * sizeof *undo);
            content->undo_count--;
        }
    } else {
        memmove(undo + 1, undo, behind * sizeof *undo);
        *undo = (jbw_undo){.cell = (uint16_t)cell, .generated = before};
        content->undo_count++;
    }
}

void jbw_changes_set_item(jbw_map *map, jbw_patch *patch, int cell, uint8_t content, uint64_t time)
{
    const uint8_t before = patch->cells[cell];
    patch->cells[cell] = content;
    map->cell_version++;
    note_undo(patch->content, cell, before, content);
    if (patch->content->growth_count > 0) jbw_growth_follow(patch, cell, content, time);
    if (patch->content->text_size > 0) jbw_texts_remove(patch, cell);

    // without scent, nothing depends on the time of a change
    if (!map->model->scent.is_on) return;
    const uint8_t type = (uint8_t)((content != 0 ? content : before) - 1);
    jbw_events_add(
        map, patch,
        (jbw_event){
            .time = time, .cell = (uint16_t)cell, .source = type, .sign = content != 0 ? 1 : -1});
}

uint8_t jbw_changes_generated(const jbw_content *content, int cell)
{
    const size_t at = find_undo(content, cell);
    const bool has_changed = at < content->undo_count && content->undo[at].cell == cell;
    return has_changed ? content->undo[at].generated : content->cells[cell];
}

void jbw_changes_empty(jbw_content *content, int cell)
{
    note_undo(content, cell, content->cells[cell], 0);
    content->cells[cell] = 0;
}

bool jbw_changes_regrow(jbw_map *map, jbw_patch *patch, size_t index, uint64_t time)
{
    jbw_growth *growth = &patch->content->growth[index];
    if (!jbw_growth_is_due(growth, time)) return false;
    const uint8_t item = (uint8_t)(growth->type + 1);
    patch->cells[growth->cell] = item;
    map->cell_version++;
    note_undo(patch->content, growth->cell, 0, item);
    growth->kind = JBW_GROWTH_RETURNED;
    return true;
}

const uint8_t *jbw_patch_generated(const jbw_map *map, const jbw_patch *patch, uint8_t *buffer)
{
    const jbw_content *content = patch->content;
    if (content->undo_count == 0) return content->cells;
    memcpy(buffer, content->cells, (size_t)map->model->patch_cells);
    for (size_t i = 0; i < content->undo_count; i++)
        buffer[content->undo[i].cell] = content->undo[i].generated;
    return buffer;
}
