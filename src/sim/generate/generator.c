// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/generator.h"

#include "base/hash.h"
#include "sim/map/change_runs.h"
#include "sim/map/growth.h"

bool jbw_generator_init(jbw_generator *generator, const jbw_model *model, uint64_t seed)
{
    *generator = (jbw_generator){.seed = seed};
    jbw_frontier_init(&generator->frontier, model);
    if (model->generation == JBW_GENERATION_FRONTIER) return true;
    return jbw_patch_cache_create(model, seed, &generator->patch_cache) == JBW_OK;
}

void jbw_generator_deinit(jbw_generator *generator)
{
    jbw_frontier_deinit(&generator->frontier);
    jbw_patch_cache_destroy(generator->patch_cache);
    *generator = (jbw_generator){0};
}

void jbw_generator_copy(jbw_generator *generator, const jbw_generator *from)
{
    if (from->patch_cache) {
        jbw_patch_cache_follow(generator->patch_cache, from->patch_cache);
    } else {
        // the copy continues the totals
        jbw_generator_set_stats(generator, jbw_generator_get_stats(from));
    }
}

void jbw_generator_pass_on(jbw_generator *generator, jbw_generator *to)
{
    if (generator->patch_cache && to->patch_cache)
        jbw_patch_cache_pass_on(generator->patch_cache, to->patch_cache);
}

void jbw_generator_set_interrupt(jbw_generator *generator, jbw_interrupt interrupt)
{
    generator->interrupt = interrupt;
    generator->frontier.interrupt = interrupt;
    if (generator->patch_cache) jbw_patch_cache_set_interrupt(generator->patch_cache, interrupt);
}

bool jbw_generator_set_store(jbw_generator *generator, const jbw_patch_store *store)
{
    if (!generator->patch_cache) return false;
    jbw_patch_cache_set_store(generator->patch_cache, store);
    return true;
}

const jbw_patch_store *jbw_generator_store(const jbw_generator *generator)
{
    return generator->patch_cache ? jbw_patch_cache_store(generator->patch_cache) : NULL;
}

// ---- generating patches ----

jbw_status jbw_generator_make_near(jbw_generator *generator, jbw_map *map,
                                   const jbw_position *cells, size_t count)
{
    if (generator->patch_cache)
        return jbw_patch_cache_make_near(generator->patch_cache, map, cells, count);
    return jbw_frontier_explore(&generator->frontier, map, generator->seed, cells, count);
}

jbw_status jbw_generator_make_patch(jbw_generator *generator, jbw_map *map, jbw_position patch)
{
    if (generator->patch_cache) return jbw_patch_cache_make(generator->patch_cache, map, patch);
    return jbw_frontier_finalize(&generator->frontier, map, generator->seed, patch);
}

jbw_status jbw_generator_put_patch(jbw_generator *generator, jbw_map *map, jbw_position patch,
                                   const uint8_t *cells)
{
    return jbw_patch_cache_put(generator->patch_cache, map, patch, cells);
}

size_t jbw_generator_latest_count(const jbw_generator *generator)
{
    return generator->patch_cache ? generator->patch_cache->latest_count
                                  : generator->frontier.sampled_count;
}

jbw_position jbw_generator_latest(const jbw_generator *generator, size_t index)
{
    return generator->patch_cache ? generator->patch_cache->made[index]
                                  : generator->frontier.entries[index].at;
}

bool jbw_generator_is_near_made(const jbw_generator *generator, const jbw_map *map,
                                jbw_position cell)
{
    return generator->patch_cache || jbw_frontier_is_explored(map, cell);
}

// ---- looking at patches ----

jbw_patch_state jbw_generator_patch_state(const jbw_generator *generator, const jbw_map *map,
                                          jbw_position patch)
{
    if (generator->patch_cache) return JBW_PATCH_FINAL;
    const jbw_patch *found = jbw_map_find(map, patch);
    if (!found) return JBW_PATCH_MISSING;
    return found->is_final ? JBW_PATCH_FINAL : JBW_PATCH_SAMPLED;
}

bool jbw_generator_is_ready(const jbw_generator *generator, const jbw_map *map, jbw_position patch)
{
    if (!generator->patch_cache || jbw_map_find(map, patch)) return true;
    const jbw_patch_store *store = jbw_patch_cache_store(generator->patch_cache);
    return store && store->has(store->user, patch);
}

jbw_status jbw_generator_look(const jbw_generator *generator, const jbw_map *map,
                              jbw_position patch, const uint8_t **cells)
{
    const jbw_patch *found = jbw_map_find(map, patch);
    *cells = found ? found->cells : NULL;
    if (found || !generator->patch_cache) return JBW_OK;
    uint8_t *made;
    const jbw_status status = jbw_patch_cache_look(generator->patch_cache, patch, &made);
    if (status) return status;
    const jbw_evicted_patch *evicted = jbw_evicted_changes_find(&map->evicted, patch);
    if (evicted) jbw_change_runs_apply(jbw_change_runs_of_evicted(map->model, evicted), made);
    *cells = made;
    return JBW_OK;
}

jbw_status jbw_generator_look_generated(const jbw_generator *generator, jbw_position patch,
                                        const uint8_t **cells)
{
    *cells = NULL;
    if (!generator->patch_cache) return JBW_OK;
    uint8_t *made;
    const jbw_status status = jbw_patch_cache_look(generator->patch_cache, patch, &made);
    *cells = made;
    return status;
}

// where something grows, also under another item
static void hash_growing(const jbw_map *map, jbw_position patch, jbw_hasher *hasher)
{
    jbw_growth_walk walk = jbw_growth_walk_at(map, patch);
    jbw_growth growth;
    while (jbw_growth_walk_next(&walk, &growth)) {
        if (growth.kind == JBW_GROWTH_RETURNED) continue;
        jbw_hash_u64(hasher, growth.cell);
        jbw_hash_u64(hasher, growth.kind);
    }
}

// an invariant patch is a function of its position, of its changes, and of what grows in it
static uint64_t mark_changes(const jbw_map *map, jbw_position at, const jbw_patch *patch)
{
    const jbw_evicted_patch *evicted = patch ? NULL : jbw_evicted_changes_find(&map->evicted, at);
    jbw_change_runs runs = {0};
    if (patch) runs = jbw_change_runs_of_patch(map->model, patch);
    if (evicted) runs = jbw_change_runs_of_evicted(map->model, evicted);
    jbw_hasher hasher = jbw_hash_begin(1);
    jbw_change_runs_hash(runs, &hasher);
    hash_growing(map, at, &hasher);
    return hasher.value;
}

uint64_t jbw_generator_patch_mark(const jbw_generator *generator, const jbw_map *map,
                                  jbw_position patch)
{
    const jbw_patch *found = jbw_map_find(map, patch);
    if (generator->patch_cache) return mark_changes(map, patch, found) | 1;
    if (!found) return 0;
    jbw_hasher hasher = jbw_hash_begin(found->is_final);
    const int size = map->model->patch_size;
    uint8_t buffer[JBW_MAX_PATCH_SIZE];
    if (!map->model->is_growing)
        jbw_hash_bytes(&hasher, found->cells, (size_t)map->model->patch_cells);
    for (int row = 0; map->model->is_growing && row < size; row++)
        jbw_hash_bytes(&hasher, jbw_growth_row(map, found, row, buffer), (size_t)size);
    hash_growing(map, patch, &hasher);
    return hasher.value | 1;
}

void jbw_generator_foresee(const jbw_generator *generator, const jbw_map *map, jbw_position first,
                           jbw_position last, jbw_position at)
{
    if (generator->patch_cache)
        jbw_patch_cache_foresee(generator->patch_cache, map, first, last, at);
}

void jbw_generator_foresee_no_more(const jbw_generator *generator, const jbw_map *map)
{
    if (generator->patch_cache) jbw_patch_cache_foresee_no_more(generator->patch_cache, map);
}

// ---- memory ----

void jbw_generator_begin_drop(jbw_generator *generator)
{
    jbw_patch_cache_begin_touching(generator->patch_cache);
}

void jbw_generator_keep_near(jbw_generator *generator, const jbw_map *map, jbw_position cell)
{
    jbw_patch_cache_touch(generator->patch_cache, map, cell);
}

void jbw_generator_drop(jbw_generator *generator, jbw_map *map)
{
    jbw_patch_cache_drop(generator->patch_cache, map);
}

void jbw_generator_set_budget(jbw_generator *generator, size_t bytes)
{
    if (!generator->patch_cache) return;
    const size_t share = jbw_patch_cache_map_share(bytes);
    jbw_patch_cache_set_budget(generator->patch_cache, share, bytes - share);
}

size_t jbw_generator_bytes(const jbw_generator *generator)
{
    return jbw_frontier_bytes(&generator->frontier) +
           (generator->patch_cache ? jbw_patch_cache_bytes(generator->patch_cache) : 0);
}

// ---- statistics ----

jbw_generator_stats jbw_generator_get_stats(const jbw_generator *generator)
{
    if (generator->patch_cache) {
        jbw_invariant *engine = generator->patch_cache->engine;
        return (jbw_generator_stats){
            .sampling_count = generator->patch_cache->made_count,
            .proposal_count = engine ? jbw_invariant_proposals(engine) : 0,
            .accepted_count = engine ? jbw_invariant_accepted(engine) : 0,
        };
    }
    return (jbw_generator_stats){
        .sampling_count = generator->frontier.sampling_count,
        .proposal_count = generator->frontier.proposal_count,
        .accepted_count = generator->frontier.accepted_count,
    };
}

void jbw_generator_set_stats(jbw_generator *generator, jbw_generator_stats stats)
{
    generator->frontier.sampling_count = stats.sampling_count;
    generator->frontier.proposal_count = stats.proposal_count;
    generator->frontier.accepted_count = stats.accepted_count;
}

// ---- background threads ----

jbw_block_builder *jbw_generator_blocks(const jbw_generator *generator)
{
    jbw_invariant *engine = generator->patch_cache ? generator->patch_cache->engine : NULL;
    return engine ? jbw_invariant_blocks(engine) : NULL;
}

jbw_status jbw_generator_prepare_blocks(jbw_generator *generator)
{
    if (!generator->patch_cache) return JBW_OK;
    return jbw_patch_cache_engine(generator->patch_cache) ? JBW_OK : JBW_OUT_OF_MEMORY;
}

size_t jbw_generator_block_budget(const jbw_generator *generator)
{
    return generator->patch_cache ? generator->patch_cache->engine_budget : 0;
}
