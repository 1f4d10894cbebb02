// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/generator.h"

#include "sim/map/change_runs.h"

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

jbw_status jbw_generator_explore(jbw_generator *generator, jbw_map *map, const jbw_position *cells,
                                 size_t count)
{
    if (generator->patch_cache)
        return jbw_patch_cache_make_near(generator->patch_cache, map, cells, count);
    return jbw_frontier_explore(&generator->frontier, map, generator->seed, cells, count);
}

jbw_status jbw_generator_finalize(jbw_generator *generator, jbw_map *map, jbw_position patch)
{
    if (generator->patch_cache) return jbw_patch_cache_make(generator->patch_cache, map, patch);
    return jbw_frontier_finalize(&generator->frontier, map, generator->seed, patch);
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

jbw_patch_state jbw_generator_state(const jbw_generator *generator, const jbw_map *map,
                                    jbw_position patch)
{
    if (generator->patch_cache) return JBW_PATCH_FINAL;
    const jbw_patch *found = jbw_map_find(map, patch);
    if (!found) return JBW_PATCH_MISSING;
    return found->is_final ? JBW_PATCH_FINAL : JBW_PATCH_SAMPLED;
}

jbw_status jbw_generator_look(const jbw_generator *generator, const jbw_map *map,
                              jbw_position patch, const uint8_t **cells)
{
    const jbw_patch *found = jbw_map_find(map, patch);
    *cells = found ? found->cells : NULL;
    if (found || !generator->patch_cache) return JBW_OK;
    uint8_t *made = jbw_patch_cache_look(generator->patch_cache, patch);
    if (!made) return JBW_OUT_OF_MEMORY;
    const jbw_evicted_patch *kept = jbw_evicted_changes_find(&map->kept, patch);
    if (kept)
        jbw_change_runs_apply(
            jbw_change_runs_of_bytes(map->model, jbw_evicted_changes_bytes(kept), kept->size),
            made);
    *cells = made;
    return JBW_OK;
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

size_t jbw_generator_bytes(const jbw_generator *generator)
{
    return jbw_frontier_bytes(&generator->frontier) +
           (generator->patch_cache ? jbw_patch_cache_bytes(generator->patch_cache) : 0);
}
