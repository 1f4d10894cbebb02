// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Looking at patches again and again, as viewers do, without making them each time.

#include "base/hash.h"
#include "sim/map/change_runs.h"
#include "sim/world/world.h"

bool jbw_world_patch_is_ready(const jbw_world *world, jbw_position patch)
{
    return !world->generator.patch_cache || jbw_map_find(&world->map, patch);
}

// what is in a patch follows from its place, and from what has changed
static uint64_t mark_changes(const jbw_world *world, jbw_position at, const jbw_patch *patch)
{
    const jbw_evicted_patch *kept = patch ? NULL : jbw_evicted_changes_find(&world->map.kept, at);
    jbw_hasher hasher = jbw_hash_begin(1);
    jbw_change_runs runs = {0};
    if (patch) runs = jbw_change_runs_of_patch(world->model, patch);
    if (kept)
        runs = jbw_change_runs_of_bytes(world->model, jbw_evicted_changes_bytes(kept), kept->size);
    jbw_change_run run;
    while ((patch || kept) && jbw_change_runs_next(&runs, &run)) {
        jbw_hash_u64(&hasher, (uint64_t)run.cell);
        jbw_hash_u64(&hasher, (uint64_t)run.stride);
        jbw_hash_u64(&hasher, (uint64_t)run.length);
        jbw_hash_u64(&hasher, run.now);
    }
    return hasher.value;
}

uint64_t jbw_world_patch_mark(const jbw_world *world, jbw_position at)
{
    const jbw_patch *patch = jbw_map_find(&world->map, at);
    if (world->generator.patch_cache) return mark_changes(world, at, patch) | 1;
    if (!patch) return 0;
    jbw_hasher hasher = jbw_hash_begin(patch->is_final);
    jbw_hash_bytes(&hasher, patch->cells, (size_t)world->model->patch_cells);
    return hasher.value | 1;
}

void jbw_world_pass_on(jbw_world *from, jbw_world *to)
{
    if (from->generator.patch_cache && to->generator.patch_cache)
        jbw_patch_cache_pass_on(from->generator.patch_cache, to->generator.patch_cache);
}
