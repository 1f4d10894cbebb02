// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/growth.h"

#include <string.h>

#include "sim/map/change.h"

enum { KIND_COUNT = 3 };

// ---- the entries of a patch in memory ----

bool jbw_growth_reserve(jbw_map *map, jbw_patch *patch, size_t count)
{
    jbw_content *content = patch->content;
    size_t capacity = content->growth_capacity;
    if (!JBW_GROW(&map->model->allocator, content->growth, capacity, content->growth_count + count))
        return false;
    map->undo_bytes += (capacity - content->growth_capacity) * sizeof *content->growth;
    content->growth_capacity = (uint32_t)capacity;
    return true;
}

// the index of the first entry of a later cell
static size_t find_end(const jbw_content *content, int cell)
{
    size_t low = 0;
    size_t high = content->growth_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (content->growth[middle].cell <= cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

jbw_growth *jbw_growth_find(const jbw_content *content, int cell)
{
    // it is the latest of its cell
    const size_t end = find_end(content, cell);
    if (end == 0) return NULL;
    jbw_growth *growth = &content->growth[end - 1];
    return growth->cell == cell && growth->kind != JBW_GROWTH_RETURNED ? growth : NULL;
}

static void settle_by(jbw_content *content, uint64_t time)
{
    if (time < content->settle_time) content->settle_time = time;
}

void jbw_growth_begin(jbw_patch *patch, int cell, int item_type, uint64_t due)
{
    jbw_content *content = patch->content;
    const size_t end = find_end(content, cell);
    memmove(&content->growth[end + 1], &content->growth[end],
            (content->growth_count - end) * sizeof *content->growth);
    content->growth[end] = (jbw_growth){.time = due,
                                        .cell = (uint16_t)cell,
                                        .type = (uint8_t)item_type,
                                        .kind = JBW_GROWTH_GROWING};
    content->growth_count++;
    settle_by(content, due);
}

void jbw_growth_follow(jbw_patch *patch, int cell, uint8_t content, uint64_t time)
{
    jbw_content *all = patch->content;
    jbw_growth *growth = jbw_growth_find(all, cell);
    if (!growth) return;
    if (content == growth->type + 1) {
        const size_t behind = (size_t)(all->growth + all->growth_count - growth) - 1;
        memmove(growth, growth + 1, behind * sizeof *growth);
        all->growth_count--;
    } else if (content != 0) {
        growth->kind = JBW_GROWTH_COVERED;
    } else {
        growth->kind = JBW_GROWTH_GROWING;
        if (growth->time < time) growth->time = time; // it had to wait
        settle_by(all, growth->time);
    }
}

static bool is_over(const jbw_map *map, const jbw_growth *growth, uint64_t time)
{
    const uint64_t memory = (uint64_t)map->model->scent.memory;
    const bool is_back = growth->kind == JBW_GROWTH_RETURNED || jbw_growth_is_due(growth, time);
    return is_back && time - growth->time >= memory;
}

void jbw_growth_forget(const jbw_map *map, jbw_patch *patch, uint64_t time)
{
    jbw_content *content = patch->content;
    const uint64_t memory = (uint64_t)map->model->scent.memory;
    uint32_t count = 0;
    content->settle_time = UINT64_MAX;
    for (uint32_t i = 0; i < content->growth_count; i++) {
        const jbw_growth growth = content->growth[i];
        if (is_over(map, &growth, time)) continue;
        content->growth[count++] = growth;
        if (growth.kind == JBW_GROWTH_GROWING) settle_by(content, growth.time);
        if (growth.kind == JBW_GROWTH_RETURNED) settle_by(content, growth.time + memory);
    }
    content->growth_count = count;
}

const uint8_t *jbw_growth_row(const jbw_map *map, const jbw_patch *patch, int row,
                              uint8_t buffer[JBW_MAX_PATCH_SIZE])
{
    const jbw_content *content = patch->content;
    const int size = map->model->patch_size;
    const int begin = row * size;
    const uint8_t *cells = content->cells + begin;
    if (content->settle_time > map->time) return cells;
    bool is_same = true;
    for (size_t i = find_end(content, begin - 1);
         i < content->growth_count && content->growth[i].cell < begin + size; i++) {
        const jbw_growth *growth = &content->growth[i];
        if (!jbw_growth_is_due(growth, map->time)) continue;
        if (is_same) memcpy(buffer, cells, (size_t)size);
        is_same = false;
        buffer[growth->cell - begin] = (uint8_t)(growth->type + 1);
    }
    return is_same ? cells : buffer;
}

// ---- iterating ----

jbw_growth_walk jbw_growth_walk_patch(const jbw_map *map, const jbw_patch *patch)
{
    return (jbw_growth_walk){.map = map, .content = patch->content};
}

jbw_growth_walk jbw_growth_walk_bytes(const jbw_map *map, const uint8_t *bytes, size_t size)
{
    jbw_growth_walk walk = {.map = map, .in = jbw_reader_begin(bytes, size)};
    walk.left = jbw_read_varint(&walk.in);
    return walk;
}

jbw_growth_walk jbw_growth_walk_at(const jbw_map *map, jbw_position at)
{
    const jbw_patch *patch = jbw_map_find(map, at);
    if (patch) return jbw_growth_walk_patch(map, patch);
    const jbw_evicted_patch *evicted = jbw_evicted_changes_find(&map->evicted_growth, at);
    if (!evicted) return (jbw_growth_walk){.map = map};
    return jbw_growth_walk_bytes(map, jbw_evicted_changes_bytes(evicted), evicted->size);
}

static bool next_of_content(jbw_growth_walk *walk, jbw_growth *out)
{
    if (walk->done >= walk->content->growth_count) return false;
    *out = walk->content->growth[walk->done++];
    return true;
}

static bool next_of_bytes(jbw_growth_walk *walk, jbw_growth *out)
{
    if (walk->left == 0) return false;
    const uint64_t what = jbw_read_varint(&walk->in);
    const uint64_t time = jbw_read_varint(&walk->in);
    const uint64_t gap = what / KIND_COUNT;
    if (gap >= (uint64_t)(walk->map->model->patch_cells - walk->cell)) walk->in.ok = false;
    if (!walk->in.ok) return false;
    walk->cell += (int)gap;
    walk->left--;
    *out = (jbw_growth){
        .time = time, .cell = (uint16_t)walk->cell, .kind = (uint8_t)(what % KIND_COUNT)};
    return true;
}

bool jbw_growth_walk_next(jbw_growth_walk *walk, jbw_growth *out)
{
    while (jbw_growth_walk_kept(walk, out)) {
        if (is_over(walk->map, out, walk->map->time)) continue;
        if (jbw_growth_is_due(out, walk->map->time)) out->kind = JBW_GROWTH_RETURNED;
        return true;
    }
    return false;
}

bool jbw_growth_walk_kept(jbw_growth_walk *walk, jbw_growth *out)
{
    return walk->content ? next_of_content(walk, out) : next_of_bytes(walk, out);
}

static uint64_t count_entries(jbw_growth_walk walk)
{
    uint64_t count = 0;
    jbw_growth growth;
    while (jbw_growth_walk_next(&walk, &growth)) count++;
    return count;
}

// writes entries, or only counts bytes if `at` is NULL
static size_t write_entries(jbw_growth_walk walk, uint8_t *at)
{
    uint8_t buffer[2 * JBW_MAX_VARINT];
    const uint64_t count = count_entries(walk);
    if (count == 0) return 0;
    uint8_t *end = jbw_put_varint(at ? at : buffer, count);
    size_t size = (size_t)(end - (at ? at : buffer));
    jbw_growth growth;
    for (int cell = 0; jbw_growth_walk_next(&walk, &growth); cell = growth.cell) {
        uint8_t *begin = at ? end : buffer;
        end = jbw_put_varint(begin, (uint64_t)(growth.cell - cell) * KIND_COUNT + growth.kind);
        end = jbw_put_varint(end, growth.time);
        size += (size_t)(end - begin);
    }
    return size;
}

size_t jbw_growth_size(jbw_growth_walk walk)
{
    return write_entries(walk, NULL);
}

uint8_t *jbw_growth_put(jbw_growth_walk walk, uint8_t *at)
{
    return at + write_entries(walk, at);
}

// ---- patches that leave memory and come back ----

// Rewrites kept entries without those that are over.
static void clear_kept(jbw_map *map, const jbw_evicted_patch *kept)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const jbw_growth_walk walk =
        jbw_growth_walk_bytes(map, jbw_evicted_changes_bytes(kept), kept->size);
    const size_t size = jbw_growth_size(walk);
    if (size == kept->size) return;
    if (size == 0) {
        jbw_evicted_changes_remove(&map->evicted_growth, kept->at, allocator);
        return;
    }
    uint8_t *bytes = jbw_alloc(allocator, size);
    if (!bytes) return; // the next time, perhaps
    jbw_growth_put(walk, bytes);
    jbw_evicted_changes_replace(&map->evicted_growth, kept->at, bytes, size, allocator);
}

// Looks at more entries than are added, so that there are never many that are over.
static void clear_few(jbw_map *map)
{
    enum { FEW = 8 };
    const jbw_evicted_changes *kept = &map->evicted_growth;
    for (int i = 0; i < FEW && kept->count > 0; i++) {
        map->growth_hand = (map->growth_hand + 1) & (kept->slot_count - 1);
        if (kept->slots[map->growth_hand].size != 0)
            clear_kept(map, &kept->slots[map->growth_hand]);
    }
}

bool jbw_growth_evict(jbw_map *map, const jbw_patch *patch)
{
    clear_few(map);
    const jbw_growth_walk walk = jbw_growth_walk_patch(map, patch);
    const size_t size = jbw_growth_size(walk);
    if (size == 0) return true;
    uint8_t *bytes =
        jbw_evicted_changes_add(&map->evicted_growth, patch->at, size, &map->model->allocator);
    if (bytes) jbw_growth_put(walk, bytes);
    return bytes != NULL;
}

size_t jbw_growth_evicted_count(const jbw_map *map, jbw_position at)
{
    return (size_t)count_entries(jbw_growth_walk_at(map, at));
}

void jbw_growth_restore(jbw_map *map, jbw_patch *patch)
{
    jbw_content *content = patch->content;
    jbw_growth_walk walk = jbw_growth_walk_at(map, patch->at);
    jbw_growth growth;
    while (jbw_growth_walk_next(&walk, &growth)) {
        const uint8_t generated = jbw_changes_generated(content, growth.cell);
        // forged bytes may list anything
        if (generated == 0) continue;
        growth.type = (uint8_t)(generated - 1);
        if (map->model->items[growth.type].regrowth.law.law == JBW_REGROWTH_NEVER) continue;
        const uint8_t now = content->cells[growth.cell];
        if (growth.kind == JBW_GROWTH_GROWING && now != generated) continue;
        if (growth.kind == JBW_GROWTH_COVERED && (now == 0 || now == generated)) continue;
        content->growth[content->growth_count++] = growth;
        if (growth.kind == JBW_GROWTH_GROWING) jbw_changes_empty(content, growth.cell);
    }
    jbw_evicted_changes_remove(&map->evicted_growth, patch->at, &map->model->allocator);
    jbw_growth_forget(map, patch, map->time);
}
