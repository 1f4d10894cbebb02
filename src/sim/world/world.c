// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/world.h"

#include "jbw/place.h"
#include "jbw/state.h"
#include "sim/world/act.h"

static size_t pocket_size(const jbw_model *model)
{
    return jbw_agents_pocket(model) + jbw_step_pocket() +
           jbw_pocket_piece(jbw_sight_square_bytes(model));
}

size_t jbw_world_size(const jbw_model *model)
{
    return sizeof(jbw_world) + pocket_size(model);
}

jbw_status jbw_world_create_at(const jbw_model *model, uint64_t seed, void *place, jbw_world **out)
{
    *out = NULL;
    jbw_world *world = place ? place : jbw_alloc(&model->allocator, jbw_world_size(model));
    if (!world) return JBW_OUT_OF_MEMORY;
    *world = (jbw_world){.model = model, .seed = seed, .is_placed = place != NULL};
    jbw_pocket_init(&world->pocket, world->pocket_bytes, pocket_size(model), &model->allocator);
    jbw_map_init(&world->map, model);
    jbw_agents_init(&world->agents, model, &world->pocket.allocator);
    jbw_scent_init(&world->scent, &world->map);
    if (!jbw_generator_init(&world->generator, model, seed) ||
        !jbw_sight_init(&world->sight, model, &world->pocket.allocator)) {
        jbw_world_destroy(world); // accepts a half-built world
        return JBW_OUT_OF_MEMORY;
    }
    *out = world;
    return JBW_OK;
}

jbw_status jbw_world_create(const jbw_model *model, uint64_t seed, jbw_world **out)
{
    return jbw_world_create_at(model, seed, NULL, out);
}

void jbw_world_destroy(jbw_world *world)
{
    if (!world) return;
    const jbw_model *model = world->model;
    const jbw_allocator *near = &world->pocket.allocator;
    jbw_sight_deinit(&world->sight, model, near);
    jbw_scent_deinit(&world->scent);
    jbw_step_deinit(&world->step, near, &model->allocator);
    jbw_act_deinit(world);
    jbw_agents_deinit(&world->agents);
    jbw_generator_deinit(&world->generator);
    jbw_map_deinit(&world->map);
    jbw_pocket_deinit(&world->pocket);
    if (!world->is_placed) jbw_free(&model->allocator, world, jbw_world_size(model));
}

const void *jbw_world_map_place(const jbw_world *world)
{
    return world->map.patch_count > 0 ? world->map.patches[0]->content : NULL;
}

void jbw_world_on_interrupt(jbw_world *world, jbw_interrupt_function *function, void *user)
{
    jbw_generator_set_interrupt(&world->generator, (jbw_interrupt){function, user});
}

const jbw_model *jbw_world_model(const jbw_world *world)
{
    return world->model;
}

uint64_t jbw_world_seed(const jbw_world *world)
{
    return world->seed;
}

uint64_t jbw_world_time(const jbw_world *world)
{
    return world->time;
}

jbw_world_stats jbw_world_get_stats(const jbw_world *world)
{
    const jbw_generator_stats stats = jbw_generator_get_stats(&world->generator);
    return (jbw_world_stats){
        .patch_count = world->map.patch_count,
        .final_patch_count = world->map.final_count,
        .sampling_count = stats.sampling_count,
        .proposal_count = stats.proposal_count,
        .accepted_count = stats.accepted_count,
        .map_bytes = jbw_map_bytes(&world->map),
        .scratch_bytes = jbw_generator_bytes(&world->generator),
    };
}

jbw_status jbw_world_clone(const jbw_world *world, jbw_world **out)
{
    jbw_world *copy;
    jbw_status status = jbw_world_create(world->model, world->seed, &copy);
    *out = NULL;
    if (status) return status;
    copy->time = world->time;
    jbw_generator_copy(&copy->generator, &world->generator);
    // memory for scent is reserved on first use: many copies are made only to act in them
    if (!jbw_map_copy(&copy->map, &world->map) ||
        !jbw_agents_copy(&copy->agents, &copy->map, &world->agents)) {
        jbw_world_destroy(copy);
        return JBW_OUT_OF_MEMORY;
    }
    *out = copy;
    return JBW_OK;
}
