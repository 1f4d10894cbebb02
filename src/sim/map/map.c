// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/map.h"

#include <string.h>

#include "base/divide.h"
#include "sim/map/change.h"
#include "sim/map/growth.h"
#include "sim/map/position.h"

void jbw_map_init(jbw_map *map, const jbw_model *model)
{
    *map = (jbw_map){.model = model};
    jbw_events_init(&map->events);
    jbw_presence_set(&map->presence, model, 0);
}

void jbw_map_deinit(jbw_map *map)
{
    if (!map->model) return;
    const jbw_allocator *allocator = &map->model->allocator;
    for (size_t i = 0; i < map->patch_count; i++) jbw_map_free_patch(map, map->patches[i]);
    jbw_events_deinit(&map->events, allocator);
    jbw_evicted_changes_deinit(&map->evicted, allocator);
    jbw_evicted_changes_deinit(&map->evicted_growth, allocator);
    jbw_evicted_changes_deinit(&map->evicted_texts, allocator);
    jbw_free(allocator, map->patches, map->patch_capacity * sizeof(jbw_patch *));
    jbw_free(allocator, map->slots, map->slot_count * sizeof *map->slots);
    *map = (jbw_map){0};
}

static size_t content_bytes(const jbw_map *map)
{
    return sizeof(jbw_content) + (size_t)map->model->patch_cells + JBW_CELLS_PADDING;
}

size_t jbw_map_patch_bytes(const jbw_map *map)
{
    return sizeof(jbw_patch) + content_bytes(map);
}

static size_t home_slot(const jbw_map *map, jbw_position at)
{
    return (size_t)jbw_position_hash(at) & (map->slot_count - 1);
}

jbw_patch *jbw_map_find(const jbw_map *map, jbw_position at)
{
    if (map->slot_count == 0) return NULL;
    for (size_t slot = home_slot(map, at);; slot = (slot + 1) & (map->slot_count - 1)) {
        const uint32_t entry = map->slots[slot];
        if (entry == 0) return NULL;
        jbw_patch *patch = map->patches[entry - 1];
        if (jbw_position_is_same(patch->at, at)) return patch;
    }
}

jbw_patch *jbw_map_new_patch(const jbw_map *map, jbw_position at, uint64_t seed)
{
    jbw_patch *patch = jbw_alloc_zero(&map->model->allocator, 1, sizeof *patch);
    if (!patch) return NULL;
    patch->content = jbw_alloc_zero(&map->model->allocator, 1, content_bytes(map));
    if (!patch->content) {
        jbw_map_free_patch(map, patch);
        return NULL;
    }
    atomic_init(&patch->content->owner_count, 1);
    patch->content->settle_time = UINT64_MAX;
    patch->cells = patch->content->cells;
    patch->at = at;
    patch->stream = jbw_rng_open(seed, at.x, at.y, JBW_PURPOSE_SAMPLE);
    patch->grid_index = UINT32_MAX;
    return patch;
}

// the last owner frees it
static void release_content(const jbw_map *map, jbw_content *content)
{
    if (!content || atomic_fetch_sub_explicit(&content->owner_count, 1, memory_order_acq_rel) > 1)
        return;
    const jbw_allocator *allocator = &map->model->allocator;
    jbw_free(allocator, content->undo, content->undo_capacity * sizeof *content->undo);
    jbw_free(allocator, content->growth, content->growth_capacity * sizeof *content->growth);
    jbw_free(allocator, content->texts, content->text_capacity);
    jbw_free(allocator, content, content_bytes(map));
}

void jbw_map_free_patch(const jbw_map *map, jbw_patch *patch)
{
    if (!patch) return;
    release_content(map, patch->content);
    jbw_free(&map->model->allocator, patch, sizeof *patch);
}

bool jbw_map_own(const jbw_map *map, jbw_patch *patch)
{
    // only an owner can add owners, so a single owner stays the only one
    const jbw_content *shared = patch->content;
    if (atomic_load_explicit(&shared->owner_count, memory_order_acquire) == 1) return true;
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t undo_bytes = shared->undo_capacity * sizeof *shared->undo;
    jbw_content *own = jbw_alloc_zero(allocator, 1, content_bytes(map));
    jbw_undo *undo = undo_bytes > 0 ? jbw_alloc(allocator, undo_bytes) : NULL;
    const size_t growth_bytes = shared->growth_capacity * sizeof *shared->growth;
    jbw_growth *growth = growth_bytes > 0 ? jbw_alloc(allocator, growth_bytes) : NULL;
    const size_t text_bytes = shared->text_capacity;
    uint8_t *texts = text_bytes > 0 ? jbw_alloc(allocator, text_bytes) : NULL;
    if (!own || (undo_bytes > 0 && !undo) || (growth_bytes > 0 && !growth) ||
        (text_bytes > 0 && !texts)) {
        jbw_free(allocator, own, content_bytes(map));
        jbw_free(allocator, undo, undo_bytes);
        jbw_free(allocator, growth, growth_bytes);
        jbw_free(allocator, texts, text_bytes);
        return false;
    }
    atomic_init(&own->owner_count, 1);
    own->undo = undo;
    own->undo_count = shared->undo_count;
    own->undo_capacity = shared->undo_capacity;
    if (undo) memcpy(undo, shared->undo, shared->undo_count * sizeof *undo);
    own->growth = growth;
    own->growth_count = shared->growth_count;
    own->growth_capacity = shared->growth_capacity;
    own->settle_time = shared->settle_time;
    if (growth) memcpy(growth, shared->growth, shared->growth_count * sizeof *growth);
    own->texts = texts;
    own->text_size = shared->text_size;
    own->text_capacity = shared->text_capacity;
    if (texts) memcpy(texts, shared->texts, shared->text_size);
    memcpy(own->cells, shared->cells, (size_t)map->model->patch_cells);
    release_content(map, patch->content);
    patch->content = own;
    patch->cells = own->cells;
    return true;
}

static void occupy_slot(jbw_map *map, const jbw_patch *patch)
{
    size_t slot = home_slot(map, patch->at);
    while (map->slots[slot] != 0) slot = (slot + 1) & (map->slot_count - 1);
    map->slots[slot] = patch->number + 1;
}

bool jbw_map_reserve(jbw_map *map, size_t count)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t needed = map->patch_count + count;
    if (needed >= UINT32_MAX) return false;
    if (!JBW_GROW(allocator, map->patches, map->patch_capacity, needed)) return false;

    // at most half of the slots are used, so that probe sequences stay short
    if (needed * 2 <= map->slot_count) return true;
    size_t larger = map->slot_count ? map->slot_count * 2 : 64;
    while (larger < needed * 2) larger *= 2;
    uint32_t *slots = jbw_alloc_zero(allocator, larger, sizeof *slots);
    if (!slots) return false;
    jbw_free(allocator, map->slots, map->slot_count * sizeof *slots);
    map->slots = slots;
    map->slot_count = larger;
    for (size_t i = 0; i < map->patch_count; i++) occupy_slot(map, map->patches[i]);
    return true;
}

void jbw_map_insert(jbw_map *map, jbw_patch *patch)
{
    patch->number = (uint32_t)map->patch_count;
    map->patches[map->patch_count++] = patch;
    map->version++;
    occupy_slot(map, patch);
}

void jbw_map_drop(jbw_map *map, size_t stay_count)
{
    for (size_t i = stay_count; i < map->patch_count; i++) {
        jbw_patch *patch = map->patches[i];
        map->final_count -= patch->is_final;
        map->undo_bytes -= patch->content->undo_capacity * sizeof *patch->content->undo +
                           patch->content->growth_capacity * sizeof *patch->content->growth +
                           patch->content->text_capacity;
        jbw_map_free_patch(map, patch);
    }
    map->patch_count = stay_count;
    jbw_map_renumber(map);
}

void jbw_map_renumber(jbw_map *map)
{
    memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    for (size_t i = 0; i < map->patch_count; i++) {
        jbw_patch *patch = map->patches[i];
        patch->number = (uint32_t)i;
        for (uint64_t ticket = patch->first_event; ticket != 0;) {
            jbw_event *event = jbw_events_get(&map->events, ticket);
            event->patch = patch->number;
            ticket = event->next;
        }
        occupy_slot(map, patch);
    }
    map->version++;
}

bool jbw_map_copy(jbw_map *map, const jbw_map *from)
{
    if (!jbw_map_reserve(map, from->patch_count) ||
        !jbw_events_copy(&map->events, &from->events, &map->model->allocator) ||
        !jbw_evicted_changes_copy(&map->evicted, &from->evicted, &map->model->allocator) ||
        !jbw_evicted_changes_copy(&map->evicted_growth, &from->evicted_growth,
                                  &map->model->allocator) ||
        !jbw_evicted_changes_copy(&map->evicted_texts, &from->evicted_texts,
                                  &map->model->allocator))
        return false;
    for (size_t i = 0; i < from->patch_count; i++) {
        jbw_patch *patch = jbw_alloc(&map->model->allocator, sizeof *patch);
        if (!patch) return false;
        *patch = *from->patches[i];
        atomic_fetch_add_explicit(&patch->content->owner_count, 1, memory_order_relaxed);
        patch->grid_index = UINT32_MAX;
        patch->first_agent = 0;
        jbw_map_insert(map, patch);
    }
    map->final_count = from->final_count;
    map->undo_bytes = from->undo_bytes;
    map->time = from->time;
    map->presence = from->presence;
    return true;
}

jbw_position jbw_map_patch_of(const jbw_map *map, jbw_position cell)
{
    const int64_t size = map->model->patch_size;
    return (jbw_position){jbw_floor_divide(cell.x, size), jbw_floor_divide(cell.y, size)};
}

jbw_patch *jbw_map_find_cell(const jbw_map *map, jbw_position cell, int *index)
{
    const jbw_position at = jbw_map_patch_of(map, cell);
    const jbw_position origin = jbw_map_origin(map, at);
    *index = (int)((cell.y - origin.y) * map->model->patch_size + (cell.x - origin.x));
    return jbw_map_find(map, at);
}

void jbw_map_find_around(const jbw_map *map, jbw_position patch, jbw_patch *around[9])
{
    for (int j = 0; j < 9; j++)
        around[j] = jbw_map_find(map, (jbw_position){patch.x + j % 3 - 1, patch.y + j / 3 - 1});
}

jbw_surroundings jbw_map_surroundings(const jbw_map *map, jbw_position cell, int reach)
{
    const int size = map->model->patch_size;
    const jbw_position origin = jbw_map_origin(map, jbw_map_patch_of(map, cell));
    const int x = (int)(cell.x - origin.x);
    const int y = (int)(cell.y - origin.y);
    return (jbw_surroundings){.first_row = y < reach ? 0 : 1,
                              .last_row = y + reach >= size ? 2 : 1,
                              .first_column = x < reach ? 0 : 1,
                              .last_column = x + reach >= size ? 2 : 1};
}

size_t jbw_map_bytes(const jbw_map *map)
{
    return map->patch_count * jbw_map_patch_bytes(map) + map->patch_capacity * sizeof(jbw_patch *) +
           map->slot_count * sizeof *map->slots + map->undo_bytes + jbw_events_bytes(&map->events) +
           map->evicted.bytes + map->evicted_growth.bytes + map->evicted_texts.bytes;
}
