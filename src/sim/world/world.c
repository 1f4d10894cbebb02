// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/world.h"

#include <string.h>

#include "sim/world/step.h"

jbw_status jbw_world_create(const jbw_model *model, uint64_t seed, jbw_world **out)
{
    *out = NULL;
    jbw_world *world = jbw_alloc_zero(&model->allocator, 1, sizeof *world);
    if (!world) return JBW_OUT_OF_MEMORY;
    world->model = model;
    world->seed = seed;
    jbw_map_init(&world->map, model);
    jbw_agents_init(&world->agents, model);
    jbw_scent_init(&world->scent, &world->map);
    if (!jbw_generator_init(&world->generator, model, seed) ||
        !jbw_sight_init(&world->sight, model)) {
        jbw_world_destroy(world); // accepts a half-built world
        return JBW_OUT_OF_MEMORY;
    }
    *out = world;
    return JBW_OK;
}

void jbw_world_destroy(jbw_world *world)
{
    if (!world) return;
    jbw_sight_deinit(&world->sight, world->model);
    jbw_scent_deinit(&world->scent);
    jbw_step_deinit(&world->step, world->model);
    jbw_world_free_asked(world);
    jbw_agents_deinit(&world->agents);
    jbw_generator_deinit(&world->generator);
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

// scent near patches that have come, or were sampled, is not what it was
static void notice_patches(jbw_world *world)
{
    if (!world->model->scent.is_on) return;
    const size_t count = jbw_generator_latest_count(&world->generator);
    for (size_t i = 0; i < count; i++)
        jbw_scent_patch_changed(&world->scent, jbw_generator_latest(&world->generator, i));
}

void jbw_world_tidy(jbw_world *world)
{
    jbw_patch_cache *patch_cache = world->generator.patch_cache;
    if (!patch_cache || !jbw_patch_cache_is_full(patch_cache, &world->map)) return;
    jbw_patch_cache_begin_touching(patch_cache);
    for (size_t i = 0; i < world->agents.count; i++)
        jbw_patch_cache_touch(patch_cache, &world->map,
                              world->agents.slots[world->agents.order[i]].position);
    jbw_patch_cache_drop(patch_cache, &world->map);
}

jbw_status jbw_world_extend(jbw_world *world, const jbw_position *positions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_in_range(positions[i])) return JBW_OUT_OF_RANGE;
    const jbw_status status =
        jbw_generator_explore(&world->generator, &world->map, positions, count);
    notice_patches(world);
    return status;
}

jbw_status jbw_world_explore(jbw_world *world, const jbw_position *positions, size_t count)
{
    if (jbw_generator_has_history(&world->generator)) {
        const jbw_status status = jbw_world_extend(world, positions, count);
        if (!status && jbw_generator_latest_count(&world->generator) > 0)
            jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_EXPLORE,
                                                   .positions = positions,
                                                   .count = count});
        return status;
    }
    // a few at a time, so that not many more patches are there than need be
    enum { FEW = 4 };
    for (size_t i = 0; i < count; i++)
        if (!is_in_range(positions[i])) return JBW_OUT_OF_RANGE;
    for (size_t i = 0; i < count; i += FEW) {
        jbw_world_tidy(world);
        const jbw_status status =
            jbw_world_extend(world, &positions[i], count - i < FEW ? count - i : FEW);
        if (status) return status;
    }
    return JBW_OK;
}

jbw_status jbw_world_finalize_patch(jbw_world *world, jbw_position patch)
{
    const int64_t farthest = JBW_MAX_COORDINATE / world->model->patch_size;
    if (patch.x < -farthest || patch.x >= farthest || patch.y < -farthest || patch.y >= farthest)
        return JBW_OUT_OF_RANGE;
    jbw_world_tidy(world);
    const jbw_status status = jbw_generator_finalize(&world->generator, &world->map, patch);
    notice_patches(world);
    const bool has_changed = jbw_generator_has_history(&world->generator) &&
                             jbw_generator_latest_count(&world->generator) > 0;
    if (status || !has_changed) return status;
    jbw_world_tell(world,
                   &(jbw_operation){.kind = JBW_OPERATION_FINALIZE_PATCH, .position = patch});
    return JBW_OK;
}

jbw_position jbw_world_patch_of(const jbw_world *world, jbw_position cell)
{
    return jbw_map_patch_of(&world->map, cell);
}

jbw_patch_state jbw_world_patch_state(const jbw_world *world, jbw_position patch)
{
    return jbw_generator_state(&world->generator, &world->map, patch);
}

// the part of a region that lies in one patch
static jbw_status read_patch(const jbw_world *world, jbw_region region, jbw_position at,
                             uint8_t *items, uint8_t *states)
{
    const uint8_t *cells;
    const jbw_status status = jbw_generator_look(&world->generator, &world->map, at, &cells);
    if (status) return status;
    const jbw_patch_state state = jbw_generator_state(&world->generator, &world->map, at);
    const int64_t size = world->model->patch_size;
    const jbw_position origin = jbw_map_origin(&world->map, at);
    const int64_t left = region.x > origin.x ? region.x : origin.x;
    const int64_t bottom = region.y > origin.y ? region.y : origin.y;
    const int64_t right =
        region.x + region.width < origin.x + size ? region.x + region.width : origin.x + size;
    const int64_t top =
        region.y + region.height < origin.y + size ? region.y + region.height : origin.y + size;
    const size_t length = (size_t)(right - left);
    for (int64_t y = bottom; y < top; y++) {
        const int64_t index = (y - region.y) * region.width + (left - region.x);
        const int64_t start = (y - origin.y) * size + (left - origin.x);
        if (states) memset(states + index, (int)state, length);
        if (cells)
            memcpy(items + index, cells + start, length);
        else
            memset(items + index, 0, length);
    }
    return JBW_OK;
}

jbw_status jbw_world_read_region(const jbw_world *world, jbw_region region, uint8_t *items,
                                 uint8_t *states)
{
    if (region.width < 0 || region.height < 0) return JBW_INVALID_ARGUMENT;
    if (region.width > JBW_MAX_COORDINATE || region.height > JBW_MAX_COORDINATE)
        return JBW_OUT_OF_RANGE;
    const jbw_position corner = {region.x, region.y};
    if (!is_in_range(corner)) return JBW_OUT_OF_RANGE; // before a sum could overflow
    const jbw_position opposite = {region.x + region.width, region.y + region.height};
    if (!is_in_range(opposite)) return JBW_OUT_OF_RANGE;
    if (region.width == 0 || region.height == 0) return JBW_OK;

    const jbw_position first = jbw_map_patch_of(&world->map, corner);
    const jbw_position last =
        jbw_map_patch_of(&world->map, (jbw_position){opposite.x - 1, opposite.y - 1});
    jbw_status status = JBW_OK;
    for (int64_t y = first.y; y <= last.y && !status; y++) {
        for (int64_t x = first.x; x <= last.x && !status; x++) {
            jbw_generator_foresee(&world->generator, &world->map, first, last,
                                  (jbw_position){x, y});
            status = read_patch(world, region, (jbw_position){x, y}, items, states);
        }
    }
    jbw_generator_foresee_no_more(&world->generator, &world->map);
    return status;
}

jbw_world_stats jbw_world_get_stats(const jbw_world *world)
{
    const jbw_frontier *frontier = &world->generator.frontier;
    const jbw_patch_cache *patch_cache = world->generator.patch_cache;
    jbw_invariant *engine = patch_cache ? patch_cache->engine : NULL;
    return (jbw_world_stats){
        .patch_count = world->map.patch_count,
        .final_patch_count = world->map.final_count,
        .sampling_count = frontier->sampling_count + (patch_cache ? patch_cache->made_count : 0),
        .proposal_count =
            frontier->sampler.proposal_count + (engine ? jbw_invariant_proposals(engine) : 0),
        .accepted_count =
            frontier->sampler.accepted_count + (engine ? jbw_invariant_accepted(engine) : 0),
        .map_bytes = jbw_map_bytes(&world->map),
        .scratch_bytes = jbw_generator_bytes(&world->generator),
    };
}

uint64_t jbw_world_time(const jbw_world *world)
{
    return world->time;
}

// ---- editing ----

void jbw_world_set_item(jbw_world *world, jbw_position cell, uint8_t content, uint64_t time)
{
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    const int type = (content != 0 ? content : patch->cells[index]) - 1;
    jbw_changes_set_item(&world->map, patch, index, content, time);
    jbw_scent_item_changed(&world->scent, type, cell, content != 0 ? 1 : -1);
}

// An agent that moves leaves a cell and enters another one, and changes one item at most.
static size_t events_per_agent(const jbw_model *model)
{
    if (!model->scent.is_on) return 0;
    return model->scent.agents_smell ? 3 : 1;
}

bool jbw_world_reserve_events(jbw_world *world, size_t count)
{
    return jbw_events_reserve(&world->map.events,
                              jbw_events_count(&world->map.events) +
                                  count * events_per_agent(world->model),
                              &world->model->allocator);
}

size_t jbw_world_life_events(const jbw_model *model, size_t agent_count)
{
    // events are forgotten at the beginning of the step after
    const size_t steps = (size_t)model->scent.memory + 2;
    return agent_count * events_per_agent(model) * steps;
}

bool jbw_world_reserve_life(jbw_world *world, size_t agent_count)
{
    return jbw_events_reserve(&world->map.events, jbw_world_life_events(world->model, agent_count),
                              &world->model->allocator);
}

void jbw_world_note_agent(jbw_world *world, jbw_position cell, int sign, uint64_t time)
{
    if (!world->model->scent.agents_smell) return;
    int index;
    jbw_patch *patch = jbw_map_find_cell(&world->map, cell, &index);
    jbw_events_add(&world->map, patch,
                   (jbw_event){.time = time,
                               .cell = (uint16_t)index,
                               .source = JBW_SOURCE_AGENT,
                               .sign = (int8_t)sign});
}

// makes a cell ready for a change: its patch final, and with room
static jbw_status prepare_change(jbw_world *world, jbw_position cell, jbw_patch **patch, int *index)
{
    if (!is_in_range(cell)) return JBW_OUT_OF_RANGE;
    const jbw_status status = jbw_world_finalize_patch(world, jbw_map_patch_of(&world->map, cell));
    if (status) return status;
    *patch = jbw_map_find_cell(&world->map, cell, index);
    jbw_events_forget(&world->map, world->time);
    const bool has_room =
        jbw_changes_reserve(&world->map, *patch, 1) && jbw_world_reserve_events(world, 1);
    return has_room ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_world_place_item(jbw_world *world, int item_type, jbw_position cell)
{
    if (item_type < 0 || item_type >= world->model->type_count) return JBW_INVALID_ARGUMENT;
    jbw_patch *patch;
    int index;
    const jbw_status status = prepare_change(world, cell, &patch, &index);
    if (status) return status;
    if (patch->cells[index] != 0) return JBW_CELL_BLOCKED;
    jbw_world_set_item(world, cell, (uint8_t)(item_type + 1), world->time);
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_PLACE_ITEM,
                                           .item_type = item_type,
                                           .position = cell});
    return JBW_OK;
}

jbw_status jbw_world_remove_item(jbw_world *world, jbw_position cell)
{
    jbw_patch *patch;
    int index;
    const jbw_status status = prepare_change(world, cell, &patch, &index);
    if (status) return status;
    if (patch->cells[index] == 0) return JBW_NOT_FOUND;
    jbw_world_set_item(world, cell, 0, world->time);
    jbw_world_tell(world, &(jbw_operation){.kind = JBW_OPERATION_REMOVE_ITEM, .position = cell});
    return JBW_OK;
}
