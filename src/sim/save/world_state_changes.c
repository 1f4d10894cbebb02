// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is saved of the patches of an invariant world: what has changed in them, by place, lowest row
// first. Which patches are in the map makes no difference.

#include <stdlib.h>

#include "sim/map/change_runs.h"
#include "sim/save/world_state.h"
#include "sim/save/world_state_read.h"

// ---- writing ----

// a patch that has changed, in the map or not
typedef struct changed {
    jbw_position at;
    const jbw_patch *patch;
    const jbw_evicted_patch *kept;
} changed;

static int compare_places(jbw_position a, jbw_position b)
{
    if (a.y != b.y) return a.y < b.y ? -1 : 1;
    return a.x < b.x ? -1 : a.x > b.x;
}

static int compare_changed(const void *a, const void *b)
{
    return compare_places(((const changed *)a)->at, ((const changed *)b)->at);
}

static size_t list_changed(const jbw_map *map, changed *list)
{
    size_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        const jbw_patch *patch = map->patches[i];
        if (patch->content->undo_count == 0) continue;
        if (list) list[count] = (changed){.at = patch->at, .patch = patch};
        count++;
    }
    for (size_t i = 0; i < map->evicted.slot_count; i++) {
        const jbw_evicted_patch *kept = &map->evicted.slots[i];
        if (kept->size == 0) continue;
        if (list) list[count] = (changed){.at = kept->at, .kept = kept};
        count++;
    }
    return count;
}

static void write_runs(jbw_writer *writer, const jbw_model *model, const changed *entry)
{
    if (entry->kept) {
        jbw_write_bytes(writer, jbw_evicted_changes_bytes(entry->kept), entry->kept->size);
        return;
    }
    uint8_t *at = jbw_writer_room(writer, jbw_change_runs_size(model, entry->patch));
    if (at) jbw_writer_advance(writer, jbw_change_runs_put(model, entry->patch, at));
}

void jbw_state_write_changes(jbw_writer *writer, const jbw_world *world)
{
    const jbw_allocator *allocator = &world->model->allocator;
    const size_t count = list_changed(&world->map, NULL);
    changed *list = jbw_alloc(allocator, count * sizeof *list);
    if (!list) {
        writer->ok = false;
        return;
    }
    list_changed(&world->map, list);
    qsort(list, count, sizeof *list, compare_changed);
    jbw_write_varint(writer, count);
    jbw_position before = {0, 0};
    for (size_t i = 0; i < count; i++) {
        jbw_write_signed(writer, list[i].at.x - before.x);
        jbw_write_signed(writer, list[i].at.y - before.y);
        write_runs(writer, world->model, &list[i]);
        before = list[i].at;
    }
    jbw_free(allocator, list, count * sizeof *list);
}

// ---- reading ----

// the runs of a patch, which stand in the bytes as they are kept
static bool read_runs(jbw_state_reader *r, jbw_position at)
{
    const uint8_t *begin = r->in.at;
    jbw_change_runs runs = jbw_change_runs_of_bytes(r->model, begin, jbw_reader_left(&r->in));
    jbw_change_run run;
    if (runs.left == 0) return jbw_state_fail(r, "a patch that has not changed is listed");
    while (jbw_change_runs_next(&runs, &run)) {
    }
    if (!runs.in.ok) return jbw_state_fail(r, "the changes of a patch do not fit into it");
    r->in.at = runs.in.at;
    const size_t size = (size_t)(runs.in.at - begin);
    if (!jbw_state_ask(r, 1, size)) return false;
    uint8_t *bytes = jbw_evicted_changes_add(&r->world->map.evicted, at, size, &r->model->allocator);
    if (!bytes) return jbw_state_fail_memory(r);
    memcpy(bytes, begin, size);
    return true;
}

// a step from one place to the next, short enough that the sum is a number
static bool read_step(jbw_state_reader *r, int64_t *coordinate)
{
    const int64_t longest = 4 * JBW_MAX_COORDINATE;
    const int64_t step = jbw_read_signed(&r->in);
    if (step < -longest || step > longest) return false;
    *coordinate += step;
    return true;
}

bool jbw_state_read_changes(jbw_state_reader *r)
{
    enum { LEAST_BYTES = 5, MOST_SLOTS = 6 };
    const size_t count = jbw_read_count(&r->in, LEAST_BYTES);
    if (!jbw_state_ask(r, 16 + MOST_SLOTS * (uint64_t)count, sizeof(jbw_evicted_patch)))
        return false;
    jbw_position at = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const jbw_position before = at;
        if (!read_step(r, &at.x) || !read_step(r, &at.y) || !r->in.ok ||
            !jbw_state_is_place(r->model, at))
            return jbw_state_fail(r, "a patch is beyond the end of the world");
        if (i > 0 && compare_places(before, at) >= 0)
            return jbw_state_fail(r, "patches are not in the order of their places");
        if (!read_runs(r, at)) return false;
    }
    return true;
}

// `bytes` has room for as many behind it
static bool is_written_as(const jbw_world *world, jbw_position at, uint8_t *bytes, size_t size)
{
    const jbw_patch *patch = jbw_map_find(&world->map, at);
    if (jbw_change_runs_size(world->model, patch) != size) return false;
    jbw_change_runs_put(world->model, patch, bytes + size);
    return memcmp(bytes, bytes + size, size) == 0;
}

bool jbw_state_make_patch(jbw_state_reader *r, jbw_position patch)
{
    jbw_world *world = r->world;
    if (jbw_map_find(&world->map, patch)) return true;
    if (!jbw_state_is_place(r->model, patch))
        return jbw_state_fail(r, "a patch is beyond the end of the world");
    enum { INDEX_BYTES = 32 };
    if (!jbw_state_ask(r, 1, jbw_map_patch_bytes(&world->map) + INDEX_BYTES)) return false;
    const jbw_evicted_patch *kept = jbw_evicted_changes_find(&world->map.evicted, patch);
    if (!kept)
        return jbw_generator_make_patch(&world->generator, &world->map, patch)
                   ? jbw_state_fail_memory(r)
                   : true;
    // its changes are to be as they would be written; those of patches that are not needed now are
    // believed, since to check all would be to make all
    const size_t size = kept->size;
    uint8_t *bytes = jbw_state_ask(r, 2, size) ? jbw_alloc(&r->model->allocator, 2 * size) : NULL;
    if (!bytes) return jbw_state_fail_memory(r);
    memcpy(bytes, jbw_evicted_changes_bytes(kept), size);
    const jbw_status status = jbw_generator_make_patch(&world->generator, &world->map, patch);
    const bool is_good = !status && is_written_as(world, patch, bytes, size);
    jbw_free(&r->model->allocator, bytes, 2 * size);
    if (status) return jbw_state_fail_memory(r);
    return is_good || jbw_state_fail(r, "a change changes nothing, or is cut into pieces");
}

bool jbw_state_make_near(jbw_state_reader *r, jbw_position cell)
{
    const jbw_map *map = &r->world->map;
    const int low = r->model->near_low;
    const int high = r->model->near_high;
    const jbw_position first = jbw_map_patch_of(map, (jbw_position){cell.x - low, cell.y - low});
    const jbw_position last = jbw_map_patch_of(map, (jbw_position){cell.x + high, cell.y + high});
    for (int64_t y = first.y; y <= last.y; y++)
        for (int64_t x = first.x; x <= last.x; x++)
            if (!jbw_state_make_patch(r, (jbw_position){x, y})) return false;
    return true;
}
