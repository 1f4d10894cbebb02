// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What grows back in the patches of a world (sim/map/growth.h), as it is at the time of saving: in the
// order of the patches, or of their positions in an invariant world. It makes no difference which
// patches are in memory, nor which are settled.

#include <stdlib.h>
#include <string.h>

#include "sim/map/change.h"
#include "sim/map/growth.h"
#include "sim/map/position.h"
#include "sim/save/state.h"
#include "sim/save/state_reader.h"

// ---- writing ----

static void write_entries(jbw_writer *writer, jbw_growth_walk walk)
{
    uint8_t *at = jbw_writer_room(writer, jbw_growth_size(walk));
    if (at) jbw_writer_advance(writer, jbw_growth_put(walk, at));
}

static void write_by_number(jbw_writer *writer, const jbw_map *map)
{
    uint64_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++)
        count += jbw_growth_size(jbw_growth_walk_patch(map, map->patches[i])) > 0;
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < map->patch_count; i++) {
        const jbw_growth_walk walk = jbw_growth_walk_patch(map, map->patches[i]);
        if (jbw_growth_size(walk) == 0) continue;
        jbw_write_varint(writer, i);
        write_entries(writer, walk);
    }
}

static int compare_positions(const void *a, const void *b)
{
    return jbw_position_compare(*(const jbw_position *)a, *(const jbw_position *)b);
}

// the patches in which something grows, in memory or not; only counts them if `list` is NULL
static size_t list_growing(const jbw_map *map, jbw_position *list)
{
    size_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (jbw_growth_size(jbw_growth_walk_patch(map, map->patches[i])) == 0) continue;
        if (list) list[count] = map->patches[i]->at;
        count++;
    }
    for (size_t i = 0; i < map->evicted_growth.slot_count; i++) {
        const jbw_evicted_patch *kept = &map->evicted_growth.slots[i];
        if (kept->size == 0 || jbw_growth_size(jbw_growth_walk_at(map, kept->at)) == 0) continue;
        if (list) list[count] = kept->at;
        count++;
    }
    return count;
}

static void write_by_position(jbw_writer *writer, const jbw_map *map)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t count = list_growing(map, NULL);
    jbw_position *list = jbw_alloc(allocator, count * sizeof *list);
    if (!list) {
        writer->ok = false;
        return;
    }
    list_growing(map, list);
    qsort(list, count, sizeof *list, compare_positions);
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < count; i++) {
        jbw_write_signed(writer, list[i].x);
        jbw_write_signed(writer, list[i].y);
        write_entries(writer, jbw_growth_walk_at(map, list[i]));
    }
    jbw_free(allocator, list, count * sizeof *list);
}

void jbw_state_write_growth(jbw_writer *writer, const jbw_world *world)
{
    if (jbw_generator_has_history(&world->generator))
        write_by_number(writer, &world->map);
    else
        write_by_position(writer, &world->map);
}

// ---- reading ----

static bool is_same_cell(const jbw_growth *before, const jbw_growth *growth)
{
    return before->time != UINT64_MAX && before->cell == growth->cell;
}

// What can be said about an entry without its patch. `before` has the largest time if there is none.
static bool check_entry(jbw_state_reader *r, const jbw_growth *before, const jbw_growth *growth)
{
    const uint64_t time = r->world->time;
    // of the entries of one cell, only the latest can still grow
    if (is_same_cell(before, growth) &&
        (before->kind != JBW_GROWTH_RETURNED || before->time >= growth->time))
        return jbw_state_fail(r, "the times of what grows in a cell are not in order");
    // those that are over, or back by now, are not written as if they were not
    const bool is_past = growth->time <= time;
    const bool is_over = is_past && time - growth->time >= (uint64_t)r->model->scent.memory;
    if (growth->time > JBW_MAX_TIME + JBW_MAX_TIME ||
        (growth->kind == JBW_GROWTH_RETURNED && (!is_past || is_over)) ||
        (growth->kind == JBW_GROWTH_GROWING && is_past))
        return jbw_state_fail(r, "what grows in a cell has an impossible time");
    return true;
}

// Reads the entries of a patch and checks them alone.
static bool scan_entries(jbw_state_reader *r, size_t *size, size_t *count)
{
    const uint8_t *begin = r->in.at;
    jbw_growth_walk walk = jbw_growth_walk_bytes(&r->world->map, begin, jbw_reader_left(&r->in));
    jbw_growth before = {.time = UINT64_MAX};
    jbw_growth growth;
    *count = 0;
    for (; jbw_growth_walk_kept(&walk, &growth); before = growth, ++*count)
        if (!check_entry(r, &before, &growth)) return false;
    if (!walk.in.ok || *count == 0)
        return jbw_state_fail(r, "what grows in a patch does not fit into it");
    *size = (size_t)(walk.in.at - begin);
    r->in.at = walk.in.at;
    return true;
}

// whether an entry fits what is in its patch; `growth` receives its type
static bool fits(const jbw_model *model, const jbw_content *content, jbw_growth *growth)
{
    const uint8_t generated = jbw_changes_generated(content, growth->cell);
    if (generated == 0 || model->items[generated - 1].regrowth.law.law == JBW_REGROWTH_NEVER)
        return false;
    growth->type = (uint8_t)(generated - 1);
    const uint8_t now = content->cells[growth->cell];
    if (growth->kind == JBW_GROWTH_GROWING) return now == 0;
    return growth->kind == JBW_GROWTH_RETURNED || (now != 0 && now != generated);
}

static bool read_by_number(jbw_state_reader *r, uint64_t *least_number)
{
    jbw_map *map = &r->world->map;
    const uint64_t number = jbw_read_varint(&r->in);
    if (!r->in.ok || number < *least_number || number >= map->patch_count ||
        !map->patches[number]->is_final)
        return jbw_state_fail(r, "something grows, but not in a final patch");
    *least_number = number + 1;
    const uint8_t *begin = r->in.at;
    size_t size = 0;
    size_t count = 0;
    if (!scan_entries(r, &size, &count)) return false;
    jbw_patch *patch = map->patches[number];
    if (!jbw_state_charge(r, 2 * (uint64_t)count, sizeof(jbw_growth))) return false;
    if (!jbw_growth_reserve(map, patch, count)) return jbw_state_fail_memory(r);
    jbw_growth_walk walk = jbw_growth_walk_bytes(map, begin, size);
    jbw_growth growth;
    while (jbw_growth_walk_next(&walk, &growth)) {
        if (!fits(r->model, patch->content, &growth))
            return jbw_state_fail(r, "something grows in a cell that does not fit");
        patch->content->growth[patch->content->growth_count++] = growth;
    }
    jbw_growth_forget(map, patch, map->time);
    return true;
}

static bool read_by_position(jbw_state_reader *r, bool is_first, jbw_position *before)
{
    jbw_map *map = &r->world->map;
    const jbw_position at = jbw_state_read_position(r);
    if (!r->in.ok || !jbw_state_patch_is_in_world(r->model, at))
        return jbw_state_fail(r, "a patch is outside of the world");
    if (!is_first && jbw_position_compare(*before, at) >= 0)
        return jbw_state_fail(r, "patches are not ordered by position");
    *before = at;
    const uint8_t *begin = r->in.at;
    size_t size = 0;
    size_t count = 0;
    if (!scan_entries(r, &size, &count)) return false;
    if (!jbw_state_charge(r, 1, size)) return false;
    uint8_t *bytes = jbw_evicted_changes_add(&map->evicted_growth, at, size, &r->model->allocator);
    if (!bytes) return jbw_state_fail_memory(r);
    memcpy(bytes, begin, size);
    return true;
}

bool jbw_state_read_growth(jbw_state_reader *r)
{
    enum { LEAST_BYTES = 4, MOST_SLOTS = 6 };
    const bool has_history = jbw_generator_has_history(&r->world->generator);
    const size_t count = jbw_read_count(&r->in, LEAST_BYTES);
    if (!has_history &&
        !jbw_state_charge(r, 16 + MOST_SLOTS * (uint64_t)count, sizeof(jbw_evicted_patch)))
        return false;
    uint64_t least_number = 0;
    jbw_position before = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (!(has_history ? read_by_number(r, &least_number)
                          : read_by_position(r, i == 0, &before)))
            return false;
    return true;
}
