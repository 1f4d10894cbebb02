// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What grows back in the patches of a world (sim/map/growth.h), as it is at the time of saving. It makes
// no difference which patches are settled.

#include <string.h>

#include "sim/map/change.h"
#include "sim/map/growth.h"
#include "sim/save/state.h"
#include "sim/save/state_list.h"

// ---- writing ----

static bool has_growth(const jbw_map *map, jbw_position at)
{
    return jbw_growth_size(jbw_growth_walk_at(map, at)) > 0;
}

static void write_growth(jbw_writer *writer, const jbw_map *map, jbw_position at)
{
    const jbw_growth_walk walk = jbw_growth_walk_at(map, at);
    uint8_t *room = jbw_writer_room(writer, jbw_growth_size(walk));
    if (room) jbw_writer_advance(writer, jbw_growth_put(walk, room));
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

static bool read_into(jbw_state_reader *r, jbw_patch *patch)
{
    jbw_map *map = &r->world->map;
    const uint8_t *begin = r->in.at;
    size_t size = 0;
    size_t count = 0;
    if (!scan_entries(r, &size, &count)) return false;
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

static bool read_kept(jbw_state_reader *r, jbw_position at)
{
    jbw_map *map = &r->world->map;
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

static const jbw_state_list list = {
    .has = has_growth,
    .write = write_growth,
    .read = read_into,
    .read_kept = read_kept,
    .least_bytes = 4,
    .misplaced = "something grows, but not in a final patch",
};

void jbw_state_write_growth(jbw_writer *writer, const jbw_world *world)
{
    jbw_state_write_list(writer, world, &list, &world->map.evicted_growth);
}

bool jbw_state_read_growth(jbw_state_reader *r)
{
    return jbw_state_read_list(r, &list);
}
