// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "batch/batch_places.h"

#include "base/alloc.h"
#include "batch/batch_parts.h"
#include "batch/pages.h"
#include "jbw/place.h"

enum { LINE = 64 }; // of the caches

static size_t largest_world(const jbw_batch_world *worlds, size_t count)
{
    size_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && worlds[i].model == worlds[i - 1].model) continue;
        const size_t size = jbw_world_size(worlds[i].model);
        if (size > largest) largest = size;
    }
    return largest;
}

bool jbw_batch_places_init(jbw_batch_places *places, const jbw_batch_world *worlds,
                           size_t world_count, const jbw_allocator *allocator)
{
    const size_t size = (largest_world(worlds, world_count) + LINE - 1) / LINE * LINE;
    const size_t count = world_count + 1;
    if (size == 0 || count > (SIZE_MAX - LINE) / size) return false;
    *places = (jbw_batch_places){.bytes = count * size + LINE, .size = size, .count = count};
    places->memory = jbw_alloc(allocator, places->bytes);
    places->free = jbw_alloc_zero(allocator, count, sizeof *places->free);
    if (!places->memory || !places->free) return false;
    places->first = places->memory + (LINE - (uintptr_t)places->memory % LINE) % LINE;
    jbw_batch_leave_place(places, jbw_batch_place(places, world_count));
    return true;
}

void jbw_batch_places_deinit(jbw_batch_places *places, const jbw_allocator *allocator)
{
    jbw_free(allocator, places->memory, places->bytes);
    jbw_free(allocator, (void *)places->free, places->count * sizeof *places->free);
    *places = (jbw_batch_places){0};
}

void *jbw_batch_take_place(jbw_batch_places *places)
{
    return places->free[--places->free_count];
}

void jbw_batch_leave_place(jbw_batch_places *places, void *place)
{
    const uintptr_t at = (uintptr_t)place;
    if (at < (uintptr_t)places->first || at >= (uintptr_t)places->memory + places->bytes) return;
    places->free[places->free_count++] = place;
}

void jbw_batch_destroy_world(jbw_batch *batch, jbw_batch_entry *e)
{
    void *place = e->world;
    jbw_world_destroy(e->world);
    e->world = NULL;
    jbw_batch_leave_place(&batch->places, place);
}

void jbw_batch_join_pages(const jbw_batch *batch)
{
    const void *before = NULL;
    const void *map_before = NULL;
    for (size_t i = 0; i < batch->world_count; i++) {
        const jbw_world *world = batch->entries[i].world;
        const void *map = jbw_world_map_place(world);
        jbw_pages_join(world, before);
        before = world;
        if (!map) continue;
        jbw_pages_join(map, map_before);
        map_before = map;
    }
}
