// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/change.h"

#include <string.h>

// the place of a cell in the undo list, or where it would stand
static size_t find_undo(const jbw_changes *changes, int cell)
{
    size_t low = 0;
    size_t high = changes->undo_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (changes->undo[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void forget_events(jbw_changes *changes, uint64_t oldest)
{
    size_t old = 0;
    while (old < changes->event_count && changes->events[old].time < oldest) old++;
    if (old == 0) return;
    changes->event_count -= old;
    memmove(changes->events, changes->events + old, changes->event_count * sizeof(jbw_event));
}

static size_t bytes_of(const jbw_changes *changes)
{
    return sizeof *changes + changes->undo_capacity * sizeof(jbw_undo) +
           changes->event_capacity * sizeof(jbw_event);
}

bool jbw_changes_reserve(jbw_map *map, jbw_patch *patch, size_t count, uint64_t time)
{
    const jbw_allocator *allocator = &map->model->allocator;
    if (!patch->changes) {
        patch->changes = jbw_alloc_zero(allocator, 1, sizeof *patch->changes);
        if (!patch->changes) return false;
        map->change_bytes += sizeof *patch->changes;
    }
    jbw_changes *changes = patch->changes;
    const uint64_t memory = (uint64_t)map->model->scent.memory;
    if (time > memory) forget_events(changes, time - memory);

    map->change_bytes -= bytes_of(changes);
    void *undo = changes->undo;
    void *events = changes->events;
    const bool has_room = jbw_grow(allocator, &undo, &changes->undo_capacity,
                                   changes->undo_count + count, sizeof(jbw_undo)) &&
                          jbw_grow(allocator, &events, &changes->event_capacity,
                                   changes->event_count + count, sizeof(jbw_event));
    changes->undo = undo;
    changes->events = events;
    map->change_bytes += bytes_of(changes);
    return has_room;
}

void jbw_changes_add_event(jbw_patch *patch, jbw_event event)
{
    patch->changes->events[patch->changes->event_count++] = event;
}

void jbw_changes_set_item(jbw_map *map, jbw_patch *patch, int cell, uint8_t content, uint64_t time)
{
    jbw_changes *changes = patch->changes;
    const uint8_t before = patch->cells[cell];
    patch->cells[cell] = content;

    // an undo that would change nothing is not kept, so equal worlds look equal
    const size_t at = find_undo(changes, cell);
    jbw_undo *undo = &changes->undo[at];
    const size_t behind = changes->undo_count - at;
    if (behind > 0 && undo->cell == cell) {
        if (undo->generated == content) {
            memmove(undo, undo + 1, (behind - 1) * sizeof *undo);
            changes->undo_count--;
        }
    } else {
        memmove(undo + 1, undo, behind * sizeof *undo);
        *undo = (jbw_undo){.cell = (uint16_t)cell, .generated = before};
        changes->undo_count++;
    }

    // without scent nobody will ask when
    if (!map->model->scent.is_on) return;
    const uint8_t type = (uint8_t)((content != 0 ? content : before) - 1);
    const jbw_event event = {
        .time = time, .cell = (uint16_t)cell, .source = type, .sign = content != 0 ? 1 : -1};
    jbw_changes_add_event(patch, event);
}

const uint8_t *jbw_patch_generated(const jbw_map *map, const jbw_patch *patch, uint8_t *buffer)
{
    if (!patch->changes || patch->changes->undo_count == 0) return patch->cells;
    memcpy(buffer, patch->cells, (size_t)map->model->patch_cells);
    for (size_t i = 0; i < patch->changes->undo_count; i++)
        buffer[patch->changes->undo[i].cell] = patch->changes->undo[i].generated;
    return buffer;
}

void jbw_changes_free(jbw_map *map, jbw_patch *patch)
{
    jbw_changes *changes = patch->changes;
    if (!changes) return;
    const jbw_allocator *allocator = &map->model->allocator;
    map->change_bytes -= bytes_of(changes);
    jbw_free(allocator, changes->undo, changes->undo_capacity * sizeof(jbw_undo));
    jbw_free(allocator, changes->events, changes->event_capacity * sizeof(jbw_event));
    jbw_free(allocator, changes, sizeof *changes);
    patch->changes = NULL;
}
