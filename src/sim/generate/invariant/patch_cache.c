// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/patch_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim/generate/invariant/patch_changes.h"

enum {
    MAP_SHARE = 4,      // the map gets one part in four of a common budget, the engine the rest
    LEAST_PATCHES = 16, // whatever the budget: the patches that one agent needs, and a few more
};

// ---- memory ----

jbw_status jbw_patch_cache_create(const jbw_model *model, uint64_t seed, jbw_patch_cache **out)
{
    *out = jbw_alloc_zero(&model->allocator, 1, sizeof **out);
    if (!*out) return JBW_OUT_OF_MEMORY;
    **out = (jbw_patch_cache){.model = model, .seed = seed, .clock = 1};
    const size_t share = jbw_patch_cache_map_share(model->memory_budget);
    jbw_patch_cache_set_budget(*out, share, model->memory_budget - share);
    return JBW_OK;
}

void jbw_patch_cache_destroy(jbw_patch_cache *cache)
{
    if (!cache) return;
    const jbw_allocator *allocator = &cache->model->allocator;
    jbw_invariant_destroy(cache->engine);
    jbw_patch_cache_set_store(cache, NULL);
    jbw_free(allocator, cache->cells, (size_t)cache->model->patch_cells);
    jbw_free(allocator, cache->made, cache->made_capacity * sizeof *cache->made);
    jbw_free(allocator, cache, sizeof *cache);
}

size_t jbw_patch_cache_bytes(const jbw_patch_cache *cache)
{
    return (cache->engine ? jbw_invariant_bytes(cache->engine) : 0) +
           (cache->cells ? (size_t)cache->model->patch_cells : 0) +
           cache->made_capacity * sizeof *cache->made;
}

// how many patches the map may hold if evicted changes take this many bytes of its budget
static size_t patch_room(const jbw_patch_cache *cache, size_t evicted_bytes)
{
    const size_t budget = cache->map_budget;
    const size_t patch_bytes = sizeof(jbw_patch) + (size_t)cache->model->patch_cells;
    const size_t count = evicted_bytes < budget ? (budget - evicted_bytes) / patch_bytes : 0;
    return count > LEAST_PATCHES ? count : LEAST_PATCHES;
}

size_t jbw_patch_cache_map_share(size_t budget)
{
    return budget / MAP_SHARE;
}

void jbw_patch_cache_set_budget(jbw_patch_cache *cache, size_t map_budget, size_t engine_budget)
{
    cache->map_budget = map_budget;
    cache->engine_budget = engine_budget;
    cache->patch_limit = patch_room(cache, 0);
    jbw_invariant_destroy(cache->engine);
    cache->engine = NULL;
}

void jbw_patch_cache_set_interrupt(jbw_patch_cache *cache, jbw_interrupt interrupt)
{
    cache->interrupt = interrupt;
}

void jbw_patch_cache_set_store(jbw_patch_cache *cache, const jbw_patch_store *store)
{
    const jbw_patch_store old = cache->store;
    cache->store = store ? *store : (jbw_patch_store){0};
    if (cache->store.retain) cache->store.retain(cache->store.user);
    if (old.release) old.release(old.user);
}

void jbw_patch_cache_follow(jbw_patch_cache *cache, const jbw_patch_cache *from)
{
    jbw_patch_cache_set_store(cache, jbw_patch_cache_store(from));
    jbw_patch_cache_set_budget(cache, from->map_budget, from->engine_budget);
    cache->clock = from->clock; // the patches of the map were stamped with it
    cache->patch_limit = from->patch_limit;
}

void jbw_patch_cache_pass_on(jbw_patch_cache *cache, jbw_patch_cache *to)
{
    if (to->model != cache->model || to->seed != cache->seed) return;
    if (!to->store.find) jbw_patch_cache_set_store(to, jbw_patch_cache_store(cache));
    if (to->engine || to->engine_budget != cache->engine_budget) return;
    to->engine = cache->engine;
    cache->engine = NULL;
}

// ---- making ----

jbw_invariant *jbw_patch_cache_engine(jbw_patch_cache *cache)
{
    if (!cache->engine)
        (void)jbw_invariant_create(cache->model, cache->seed, cache->engine_budget, &cache->engine);
    return cache->engine;
}

static jbw_status generate(jbw_patch_cache *cache, jbw_position patch, uint8_t *cells)
{
    const jbw_patch_store *store = jbw_patch_cache_store(cache);
    if (store && store->find(store->user, patch, cells)) return JBW_OK;
    jbw_invariant *engine = jbw_patch_cache_engine(cache);
    if (!engine) return JBW_OUT_OF_MEMORY;
    jbw_invariant_set_interrupt(engine, cache->interrupt); // it may come from another world
    const jbw_status status = jbw_invariant_make(engine, patch, cells);
    if (!status && store) store->offer(store->user, patch, cells);
    return status;
}

// puts a patch into the map if it is missing, with the cells that were generated, or NULL to
// generate them
static jbw_status put_patch(jbw_patch_cache *cache, jbw_map *map, jbw_position at,
                            const uint8_t *cells)
{
    jbw_patch *patch = jbw_map_find(map, at);
    if (patch) {
        patch->used = cache->clock;
        return JBW_OK;
    }
    if (!JBW_GROW(&cache->model->allocator, cache->made, cache->made_capacity,
                  cache->latest_count + 1) ||
        !jbw_map_reserve(map, 1))
        return JBW_OUT_OF_MEMORY;
    patch = jbw_map_new_patch(map, at, cache->seed);
    if (!patch) return JBW_OUT_OF_MEMORY;
    jbw_status status = JBW_OK;
    if (cells)
        memcpy(patch->cells, cells, (size_t)cache->model->patch_cells);
    else
        status = generate(cache, at, patch->cells);
    if (!status && !jbw_patch_changes_restore(map, patch)) status = JBW_OUT_OF_MEMORY;
    if (status) {
        jbw_map_free_patch(map, patch);
        return status;
    }
    patch->is_final = true;
    patch->used = cache->clock;
    map->final_count++;
    jbw_map_insert(map, patch);
    cache->made[cache->latest_count++] = at;
    cache->made_count++;
    return JBW_OK;
}

static jbw_status make_patch(jbw_patch_cache *cache, jbw_map *map, jbw_position at)
{
    return put_patch(cache, map, at, NULL);
}

static jbw_status make_all(jbw_patch_cache *cache, jbw_map *map, const jbw_position *cells,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const jbw_patch_range near = jbw_patch_range_near(map, cells[i]);
        for (int64_t y = near.first.y; y <= near.last.y; y++) {
            for (int64_t x = near.first.x; x <= near.last.x; x++) {
                const jbw_status status = make_patch(cache, map, (jbw_position){x, y});
                if (status) return status;
            }
        }
    }
    return JBW_OK;
}

// the builder if helper threads share it, or NULL
static jbw_block_builder *shared_builder(const jbw_patch_cache *cache)
{
    jbw_block_builder *builder = cache->engine ? jbw_invariant_blocks(cache->engine) : NULL;
    return builder && builder->hooks.lock ? builder : NULL;
}

jbw_status jbw_patch_cache_make_near(jbw_patch_cache *cache, jbw_map *map,
                                     const jbw_position *cells, size_t count)
{
    cache->latest_count = 0;
    cache->clock++;
    jbw_block_builder *builder = shared_builder(cache);
    if (!builder) return make_all(cache, map, cells, count);

    const jbw_patch_store *store = jbw_patch_cache_store(cache);
    jbw_prefetch_needs needs;
    needs.count = 0;
    for (size_t i = 0; i < count; i++) {
        jbw_prefetch_note(&cache->prefetch, cells[i], jbw_prefetch_stride(builder));
        jbw_prefetch_need(&needs, map, store, jbw_patch_range_near(map, cells[i]));
    }
    jbw_prefetch_tell(&cache->prefetch, map, store, builder, &needs);
    const jbw_status status = make_all(cache, map, cells, count);
    if (needs.count > 0) jbw_patch_cache_foresee_no_more(cache, map);
    return status;
}

jbw_status jbw_patch_cache_make(jbw_patch_cache *cache, jbw_map *map, jbw_position patch)
{
    cache->latest_count = 0;
    cache->clock++;
    jbw_block_builder *builder = jbw_map_find(map, patch) ? NULL : shared_builder(cache);
    if (!builder) return make_patch(cache, map, patch);

    const jbw_patch_store *store = jbw_patch_cache_store(cache);
    jbw_prefetch_needs needs;
    needs.count = 0;
    jbw_prefetch_need(&needs, map, store, (jbw_patch_range){patch, patch});
    const jbw_position origin = jbw_map_origin(map, patch);
    const int half = cache->model->patch_size / 2;
    const jbw_position middle = {origin.x + half, origin.y + half};
    jbw_prefetch_note(&cache->prefetch, middle, jbw_prefetch_stride(builder));
    jbw_prefetch_tell(&cache->prefetch, map, store, builder, &needs);
    const jbw_status status = make_patch(cache, map, patch);
    jbw_patch_cache_foresee_no_more(cache, map);
    return status;
}

jbw_status jbw_patch_cache_put(jbw_patch_cache *cache, jbw_map *map, jbw_position patch,
                               const uint8_t *cells)
{
    cache->latest_count = 0;
    cache->clock++;
    return put_patch(cache, map, patch, cells);
}

jbw_status jbw_patch_cache_look(jbw_patch_cache *cache, jbw_position patch, uint8_t **cells)
{
    *cells = NULL;
    if (!cache->cells)
        cache->cells = jbw_alloc(&cache->model->allocator, (size_t)cache->model->patch_cells);
    if (!cache->cells) return JBW_OUT_OF_MEMORY;
    const jbw_status status = generate(cache, patch, cache->cells);
    if (!status) *cells = cache->cells;
    return status;
}

void jbw_patch_cache_foresee(jbw_patch_cache *cache, const jbw_map *map, jbw_position first,
                             jbw_position last, jbw_position at)
{
    jbw_block_builder *builder = shared_builder(cache);
    if (!builder || jbw_map_find(map, at)) return;
    jbw_prefetch_needs needs;
    needs.count = 0;
    const jbw_patch_store *store = jbw_patch_cache_store(cache);
    while (at.y <= last.y && jbw_prefetch_need(&needs, map, store, (jbw_patch_range){at, at})) {
        const bool is_last = at.x == last.x;
        at = is_last ? (jbw_position){first.x, at.y + 1} : (jbw_position){at.x + 1, at.y};
    }
    jbw_prefetch_tell(&cache->prefetch, map, store, builder, &needs);
}

void jbw_patch_cache_foresee_no_more(jbw_patch_cache *cache, const jbw_map *map)
{
    jbw_block_builder *builder = shared_builder(cache);
    if (!builder) return;
    jbw_prefetch_needs needs;
    needs.count = 0;
    jbw_prefetch_tell(&cache->prefetch, map, jbw_patch_cache_store(cache), builder, &needs);
}

// ---- dropping ----

void jbw_patch_cache_begin_touching(jbw_patch_cache *cache)
{
    cache->clock++;
}

void jbw_patch_cache_touch(jbw_patch_cache *cache, const jbw_map *map, jbw_position cell)
{
    const jbw_patch_range near = jbw_patch_range_near(map, cell);
    for (int64_t y = near.first.y; y <= near.last.y; y++)
        for (int64_t x = near.first.x; x <= near.last.x; x++)
            jbw_map_find(map, (jbw_position){x, y})->used = cache->clock;
}

// the most recently used first
static int compare_use(const void *a, const void *b)
{
    const jbw_patch *p = *(jbw_patch *const *)a;
    const jbw_patch *q = *(jbw_patch *const *)b;
    return p->used > q->used ? -1 : p->used < q->used;
}

// Keeps the `stay_count` most recently used patches, and any patch whose changes cannot be stored for
// lack of memory; drops the rest. Returns how many stay.
static size_t drop_least_used(jbw_map *map, size_t stay_count)
{
    qsort(map->patches, map->patch_count, sizeof(jbw_patch *), compare_use);
    for (size_t i = stay_count; i < map->patch_count; i++) {
        if (jbw_patch_changes_evict(map, map->patches[i])) continue;
        jbw_patch *patch = map->patches[i];
        map->patches[i] = map->patches[stay_count];
        map->patches[stay_count++] = patch;
    }
    jbw_map_drop(map, stay_count);
    return stay_count;
}

void jbw_patch_cache_drop(jbw_patch_cache *cache, jbw_map *map)
{
    size_t needed_count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (map->patches[i]->first_event != 0) map->patches[i]->used = cache->clock;
        needed_count += map->patches[i]->used == cache->clock;
    }
    // down to three quarters, so that it takes a while until there are too many again
    const size_t room = patch_room(cache, map->evicted.bytes + map->evicted_growth.bytes +
                                              map->evicted_texts.bytes);
    size_t stay_count = room - room / 4;
    if (stay_count < needed_count) stay_count = needed_count;
    if (stay_count < map->patch_count) stay_count = drop_least_used(map, stay_count);
    cache->patch_limit = room;
    if (cache->patch_limit < stay_count + stay_count / 4)
        cache->patch_limit = stay_count + stay_count / 4;
}
