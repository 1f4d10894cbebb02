// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world.h"

#include <string.h>

#include "base/hash.h"

jbw_status jbw_world_create(const jbw_model *model, uint64_t seed, jbw_world **out)
{
    *out = NULL;
    jbw_world *world = jbw_alloc_zero(&model->allocator, 1, sizeof *world);
    if (!world) return JBW_OUT_OF_MEMORY;
    world->model = model;
    world->seed = seed;
    jbw_map_init(&world->map, model);
    jbw_frontier_init(&world->frontier, model);
    *out = world;
    return JBW_OK;
}

void jbw_world_destroy(jbw_world *world)
{
    if (!world) return;
    jbw_frontier_deinit(&world->frontier);
    jbw_map_deinit(&world->map);
    jbw_free(&world->model->allocator, world, sizeof *world);
}

const jbw_model *jbw_world_model(const jbw_world *world)
{
    return world->model;
}

uint64_t jbw_world_seed(const jbw_world *world)
{
    return world->seed;
}

static bool is_in_range(jbw_position cell)
{
    return cell.x >= -JBW_MAX_COORDINATE && cell.x <= JBW_MAX_COORDINATE &&
           cell.y >= -JBW_MAX_COORDINATE && cell.y <= JBW_MAX_COORDINATE;
}

jbw_status jbw_world_explore(jbw_world *world, const jbw_position *positions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_in_range(positions[i])) return JBW_OUT_OF_RANGE;
    return jbw_frontier_explore(&world->frontier, &world->map, world->seed, positions, count);
}

jbw_status jbw_world_finalize_patch(jbw_world *world, jbw_position patch)
{
    const int64_t farthest = JBW_MAX_COORDINATE / world->model->patch_size;
    if (patch.x < -farthest || patch.x >= farthest || patch.y < -farthest || patch.y >= farthest)
        return JBW_OUT_OF_RANGE;
    return jbw_frontier_finalize(&world->frontier, &world->map, world->seed, patch);
}

jbw_position jbw_world_patch_of(const jbw_world *world, jbw_position cell)
{
    return jbw_map_patch_of(&world->map, cell);
}

static jbw_patch_state state_of(const jbw_patch *patch)
{
    if (!patch) return JBW_PATCH_MISSING;
    return patch->is_final ? JBW_PATCH_FINAL : JBW_PATCH_SAMPLED;
}

jbw_patch_state jbw_world_patch_state(const jbw_world *world, jbw_position patch)
{
    return state_of(jbw_map_find(&world->map, patch));
}

// the part of a row of the region that lies in one patch
static void read_run(const jbw_world *world, const jbw_patch *patch, jbw_position cell,
                     size_t length, uint8_t *items, uint8_t *states)
{
    if (states) memset(states, (int)state_of(patch), length);
    if (!patch) {
        memset(items, 0, length);
        return;
    }
    const jbw_position origin = jbw_map_origin(&world->map, patch->at);
    const int64_t start = (cell.y - origin.y) * world->model->patch_size + (cell.x - origin.x);
    memcpy(items, patch->cells + start, length);
}

jbw_status jbw_world_read_region(const jbw_world *world, jbw_region region, uint8_t *items,
                                 uint8_t *states)
{
    if (region.width < 0 || region.height < 0) return JBW_INVALID_ARGUMENT;
    if (region.width > JBW_MAX_COORDINATE || region.height > JBW_MAX_COORDINATE)
        return JBW_OUT_OF_RANGE;
    const jbw_position first = {region.x, region.y};
    const jbw_position last = {region.x + region.width, region.y + region.height};
    if (!is_in_range(first) || !is_in_range(last)) return JBW_OUT_OF_RANGE;

    for (int64_t y = first.y; y < last.y; y++) {
        for (int64_t x = first.x; x < last.x;) {
            const jbw_position cell = {x, y};
            const jbw_position at = jbw_map_patch_of(&world->map, cell);
            int64_t end = (at.x + 1) * world->model->patch_size;
            if (end > last.x) end = last.x;
            const int64_t index = (y - first.y) * region.width + (x - first.x);
            read_run(world, jbw_map_find(&world->map, at), cell, (size_t)(end - x), items + index,
                     states ? states + index : NULL);
            x = end;
        }
    }
    return JBW_OK;
}

jbw_world_stats jbw_world_get_stats(const jbw_world *world)
{
    return (jbw_world_stats){
        .patch_count = world->map.patch_count,
        .final_patch_count = world->map.final_count,
        .sampling_count = world->frontier.sampling_count,
        .proposal_count = world->frontier.sampler.proposal_count,
        .accepted_count = world->frontier.sampler.accepted_count,
        .map_bytes = jbw_map_bytes(&world->map),
        .scratch_bytes = jbw_frontier_bytes(&world->frontier),
    };
}

uint64_t jbw_world_hash(const jbw_world *world)
{
    jbw_hasher hasher = jbw_hash_begin(world->seed);
    jbw_hash_u64(&hasher, world->map.patch_count);

    // in order of creation, which later copies depend on
    for (size_t i = 0; i < world->map.patch_count; i++) {
        const jbw_patch *patch = world->map.patches[i];
        jbw_hash_u64(&hasher, (uint64_t)patch->at.x);
        jbw_hash_u64(&hasher, (uint64_t)patch->at.y);
        // the stream of a final patch is never used again
        jbw_hash_u64(&hasher, patch->is_final ? 0 : patch->stream.state);
        jbw_hash_u64(&hasher, patch->is_final);
        jbw_hash_bytes(&hasher, patch->cells, (size_t)world->model->patch_cells);
    }
    return hasher.value;
}
