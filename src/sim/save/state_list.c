// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/save/state_list.h"

#include <stdlib.h>

#include "sim/map/position.h"

// ---- writing ----

static void write_by_number(jbw_writer *writer, const jbw_map *map, const jbw_state_list *list)
{
    uint64_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) count += list->has(map, map->patches[i]->at);
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < map->patch_count; i++) {
        if (!list->has(map, map->patches[i]->at)) continue;
        jbw_write_varint(writer, i);
        list->write(writer, map, map->patches[i]->at);
    }
}

static int compare_positions(const void *a, const void *b)
{
    return jbw_position_compare(*(const jbw_position *)a, *(const jbw_position *)b);
}

// only counts them if `out` is NULL
static size_t find_patches(const jbw_map *map, const jbw_state_list *list,
                           const jbw_evicted_changes *kept, jbw_position *out)
{
    size_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (!list->has(map, map->patches[i]->at)) continue;
        if (out) out[count] = map->patches[i]->at;
        count++;
    }
    for (size_t i = 0; i < kept->slot_count; i++) {
        if (kept->slots[i].size == 0 || !list->has(map, kept->slots[i].at)) continue;
        if (out) out[count] = kept->slots[i].at;
        count++;
    }
    return count;
}

static void write_by_position(jbw_writer *writer, const jbw_map *map, const jbw_state_list *list,
                              const jbw_evicted_changes *kept)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t count = find_patches(map, list, kept, NULL);
    jbw_position *patches = jbw_alloc(allocator, count * sizeof *patches);
    if (!patches) {
        writer->ok = false;
        return;
    }
    find_patches(map, list, kept, patches);
    qsort(patches, count, sizeof *patches, compare_positions);
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < count; i++) {
        jbw_write_signed(writer, patches[i].x);
        jbw_write_signed(writer, patches[i].y);
        list->write(writer, map, patches[i]);
    }
    jbw_free(allocator, patches, count * sizeof *patches);
}

void jbw_state_write_list(jbw_writer *writer, const jbw_world *world, const jbw_state_list *list,
                          const jbw_evicted_changes *kept)
{
    if (jbw_generator_has_history(&world->generator))
        write_by_number(writer, &world->map, list);
    else
        write_by_position(writer, &world->map, list, kept);
}

// ---- reading ----

static bool read_by_number(jbw_state_reader *r, const jbw_state_list *list, uint64_t *least_number)
{
    const jbw_map *map = &r->world->map;
    const uint64_t number = jbw_read_varint(&r->in);
    if (!r->in.ok || number < *least_number || number >= map->patch_count ||
        !map->patches[number]->is_final)
        return jbw_state_fail(r, list->misplaced);
    *least_number = number + 1;
    return list->read(r, map->patches[number]);
}

static bool read_by_position(jbw_state_reader *r, const jbw_state_list *list, bool is_first,
                             jbw_position *before)
{
    const jbw_position at = jbw_state_read_position(r);
    if (!r->in.ok || !jbw_state_patch_is_in_world(r->model, at))
        return jbw_state_fail(r, "a patch is outside of the world");
    if (!is_first && jbw_position_compare(*before, at) >= 0)
        return jbw_state_fail(r, "patches are not ordered by position");
    *before = at;
    return list->read_kept(r, at);
}

bool jbw_state_read_list(jbw_state_reader *r, const jbw_state_list *list)
{
    enum { MOST_SLOTS = 6 };
    const bool has_history = jbw_generator_has_history(&r->world->generator);
    const size_t count = jbw_read_count(&r->in, list->least_bytes);
    if (!has_history &&
        !jbw_state_charge(r, 16 + MOST_SLOTS * (uint64_t)count, sizeof(jbw_evicted_patch)))
        return false;
    uint64_t least_number = 0;
    jbw_position before = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (!(has_history ? read_by_number(r, list, &least_number)
                          : read_by_position(r, list, i == 0, &before)))
            return false;
    return true;
}
