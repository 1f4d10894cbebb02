// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/terrain.h"

#include "sim/run.h"

bool jbw_terrain_init(jbw_terrain *terrain, const jbw_model *model, uint64_t seed)
{
    *terrain = (jbw_terrain){.seed = seed};
    jbw_frontier_init(&terrain->frontier, model);
    if (model->generation == JBW_GENERATION_FRONTIER) return true;
    return jbw_maker_create(model, seed, &terrain->maker) == JBW_OK;
}

void jbw_terrain_deinit(jbw_terrain *terrain)
{
    jbw_frontier_deinit(&terrain->frontier);
    jbw_maker_destroy(terrain->maker);
    *terrain = (jbw_terrain){0};
}

jbw_status jbw_terrain_explore(jbw_terrain *terrain, jbw_map *map, const jbw_position *cells,
                               size_t count)
{
    if (terrain->maker) return jbw_maker_make_near(terrain->maker, map, cells, count);
    return jbw_frontier_explore(&terrain->frontier, map, terrain->seed, cells, count);
}

jbw_status jbw_terrain_finalize(jbw_terrain *terrain, jbw_map *map, jbw_position patch)
{
    if (terrain->maker) return jbw_maker_make(terrain->maker, map, patch);
    return jbw_frontier_finalize(&terrain->frontier, map, terrain->seed, patch);
}

size_t jbw_terrain_latest_count(const jbw_terrain *terrain)
{
    return terrain->maker ? terrain->maker->latest_count : terrain->frontier.sampled_count;
}

jbw_position jbw_terrain_latest(const jbw_terrain *terrain, size_t index)
{
    return terrain->maker ? terrain->maker->made[index] : terrain->frontier.entries[index].at;
}

jbw_patch_state jbw_terrain_state(const jbw_terrain *terrain, const jbw_map *map,
                                  jbw_position patch)
{
    if (terrain->maker) return JBW_PATCH_FINAL;
    const jbw_patch *found = jbw_map_find(map, patch);
    if (!found) return JBW_PATCH_MISSING;
    return found->is_final ? JBW_PATCH_FINAL : JBW_PATCH_SAMPLED;
}

jbw_status jbw_terrain_look(const jbw_terrain *terrain, const jbw_map *map, jbw_position patch,
                            const uint8_t **cells)
{
    const jbw_patch *found = jbw_map_find(map, patch);
    *cells = found ? found->cells : NULL;
    if (found || !terrain->maker) return JBW_OK;
    uint8_t *made = jbw_maker_look(terrain->maker, patch);
    if (!made) return JBW_OUT_OF_MEMORY;
    const jbw_kept_patch *kept = jbw_kept_find(&map->kept, patch);
    if (kept) jbw_runs_apply(jbw_runs_of_bytes(map->model, jbw_kept_bytes(kept), kept->size), made);
    *cells = made;
    return JBW_OK;
}

void jbw_terrain_foresee(const jbw_terrain *terrain, const jbw_map *map, jbw_position first,
                         jbw_position last, jbw_position at)
{
    if (terrain->maker) jbw_maker_foresee(terrain->maker, map, first, last, at);
}

void jbw_terrain_foresee_no_more(const jbw_terrain *terrain, const jbw_map *map)
{
    if (terrain->maker) jbw_maker_foresee_no_more(terrain->maker, map);
}

size_t jbw_terrain_bytes(const jbw_terrain *terrain)
{
    return jbw_frontier_bytes(&terrain->frontier) +
           (terrain->maker ? jbw_maker_bytes(terrain->maker) : 0);
}
