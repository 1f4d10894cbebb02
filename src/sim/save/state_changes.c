// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The changes of an invariant world, ordered by the positions of their patches, lowest row first.
// It makes no difference which patches are in memory.

#include <stdlib.h>

#include "sim/map/change_runs.h"
#include "sim/map/growth.h"
#include "sim/map/position.h"
#include "sim/map/texts.h"
#include "sim/save/state.h"
#include "sim/save/state_reader.h"

// ---- writing ----

// a changed patch: in memory, or evicted
typedef struct changed {
    jbw_position at;
    const jbw_patch *patch;
    const jbw_evicted_patch *evicted;
} changed;

static int compare_changed(const void *a, const void *b)
{
    return jbw_position_compare(((const changed *)a)->at, ((const changed *)b)->at);
}

static size_t list_changed(const jbw_map *map, changed *list)
{
    size_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        const jbw_patch *patch = map->patches[i];
        if (!jbw_change_runs_any(map->model, patch)) continue;
        if (list) list[count] = (changed){.at = patch->at, .patch = patch};
        count++;
    }
    for (size_t i = 0; i < map->evicted.slot_count; i++) {
        const jbw_evicted_patch *evicted = &map->evicted.slots[i];
        if (evicted->size == 0) continue;
        if (list) list[count] = (changed){.at = evicted->at, .evicted = evicted};
        count++;
    }
    return count;
}

static void write_runs(jbw_writer *writer, const jbw_model *model, const changed *entry)
{
    if (entry->evicted) {
        jbw_write_bytes(writer, jbw_evicted_changes_bytes(entry->evicted), entry->evicted->size);
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

// the runs of a patch, which have the same bytes as those of evicted patches
static bool read_runs(jbw_state_reader *r, jbw_position at)
{
    const uint8_t *begin = r->in.at;
    jbw_change_runs runs = jbw_change_runs_of_bytes(r->model, begin, jbw_reader_left(&r->in));
    jbw_change_run run;
    if (runs.left == 0) return jbw_state_fail(r, "an unchanged patch is listed");
    while (jbw_change_runs_next(&runs, &run)) {
    }
    if (!runs.in.ok) return jbw_state_fail(r, "the changes of a patch do not fit into it");
    r->in.at = runs.in.at;
    const size_t size = (size_t)(runs.in.at - begin);
    if (!jbw_state_charge(r, 1, size)) return false;
    uint8_t *bytes =
        jbw_evicted_changes_add(&r->world->map.evicted, at, size, &r->model->allocator);
    if (!bytes) return jbw_state_fail_memory(r);
    memcpy(bytes, begin, size);
    return true;
}

// the difference between two coordinates, limited so that sums do not overflow
static bool read_difference(jbw_state_reader *r, int64_t *coordinate)
{
    const int64_t largest = 4 * JBW_MAX_COORDINATE;
    const int64_t difference = jbw_read_signed(&r->in);
    if (difference < -largest || difference > largest) return false;
    *coordinate += difference;
    return true;
}

bool jbw_state_read_changes(jbw_state_reader *r)
{
    enum { LEAST_BYTES = 5, MOST_SLOTS = 6 };
    const size_t count = jbw_read_count(&r->in, LEAST_BYTES);
    if (!jbw_state_charge(r, 16 + MOST_SLOTS * (uint64_t)count, sizeof(jbw_evicted_patch)))
        return false;
    jbw_position at = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const jbw_position before = at;
        if (!read_difference(r, &at.x) || !read_difference(r, &at.y) || !r->in.ok ||
            !jbw_state_patch_is_in_world(r->model, at))
            return jbw_state_fail(r, "a patch is outside of the world");
        if (i > 0 && jbw_position_compare(before, at) >= 0)
            return jbw_state_fail(r, "patches are not ordered by position");
        if (!read_runs(r, at)) return false;
    }
    return true;
}

// The bytes of a patch's changes, of what grows in it and of its texts, before and after it was made,
// in one block: there is room for all of them twice.
typedef struct written_patch {
    uint8_t *bytes;
    size_t runs_size;
    size_t growth_size;
    size_t text_size;
} written_patch;

static size_t bytes_twice(const written_patch *written)
{
    return 2 * (written->runs_size + written->growth_size + written->text_size);
}

static bool is_written_as(const jbw_world *world, jbw_position at, const written_patch *before)
{
    const jbw_patch *patch = jbw_map_find(&world->map, at);
    const jbw_growth_walk walk = jbw_growth_walk_patch(&world->map, patch);
    const jbw_patch_texts texts = jbw_texts_of(patch);
    const size_t size = bytes_twice(before) / 2;
    if (jbw_change_runs_size(world->model, patch) != before->runs_size) return false;
    if (jbw_growth_size(walk) != before->growth_size) return false;
    if (texts.size != before->text_size) return false;
    uint8_t *end = jbw_change_runs_put(world->model, patch, before->bytes + size);
    end = jbw_growth_put(walk, end);
    if (texts.size > 0) memcpy(end, texts.bytes, texts.size);
    return memcmp(before->bytes, before->bytes + size, size) == 0;
}

static void copy_kept(const jbw_evicted_patch *kept, uint8_t *to)
{
    if (kept) memcpy(to, jbw_evicted_changes_bytes(kept), kept->size);
}

bool jbw_state_make_patch(jbw_state_reader *r, jbw_position patch)
{
    jbw_world *world = r->world;
    if (jbw_map_find(&world->map, patch)) return true;
    if (!jbw_state_patch_is_in_world(r->model, patch))
        return jbw_state_fail(r, "a patch is outside of the world");
    enum { INDEX_BYTES = 32 };
    if (!jbw_state_charge(r, 1, jbw_map_patch_bytes(&world->map) + INDEX_BYTES)) return false;
    const jbw_evicted_patch *runs = jbw_evicted_changes_find(&world->map.evicted, patch);
    const jbw_evicted_patch *growth = jbw_evicted_changes_find(&world->map.evicted_growth, patch);
    const jbw_evicted_patch *texts = jbw_evicted_changes_find(&world->map.evicted_texts, patch);
    if (!runs && !growth && !texts)
        return jbw_generator_make_patch(&world->generator, &world->map, patch)
                   ? jbw_state_fail_memory(r)
                   : true;
    // Its changes must be as they would be written. Those of patches that are not needed now are
    // not checked, because that would take generating all of them.
    written_patch written = {.runs_size = runs ? runs->size : 0,
                             .growth_size = growth ? growth->size : 0,
                             .text_size = texts ? texts->size : 0};
    const size_t size = bytes_twice(&written);
    if (jbw_state_charge(r, 1, size)) written.bytes = jbw_alloc(&r->model->allocator, size);
    if (!written.bytes) return jbw_state_fail_memory(r);
    copy_kept(runs, written.bytes);
    copy_kept(growth, written.bytes + written.runs_size);
    copy_kept(texts, written.bytes + written.runs_size + written.growth_size);
    const jbw_status status = jbw_generator_make_patch(&world->generator, &world->map, patch);
    const bool is_good = !status && is_written_as(world, patch, &written);
    jbw_free(&r->model->allocator, written.bytes, size);
    if (status) return jbw_state_fail_memory(r);
    return is_good || jbw_state_fail(r, "the changes of a patch are not in their shortest form");
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
