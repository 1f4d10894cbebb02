// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/state.h"
#include "sim/world/world.h"

jbw_status jbw_world_clone(const jbw_world *world, jbw_world **out)
{
    jbw_world *copy;
    jbw_status status = jbw_world_create(world->model, world->seed, &copy);
    *out = NULL;
    if (status) return status;
    copy->time = world->time;
    if (world->generator.patch_cache)
        jbw_patch_cache_follow(copy->generator.patch_cache, world->generator.patch_cache);
    // room for scent is made when somebody smells: many copies are made only to act in
    if (!jbw_map_copy(&copy->map, &world->map) ||
        !jbw_agents_copy(&copy->agents, &copy->map, &world->agents)) {
        jbw_world_destroy(copy);
        return JBW_OUT_OF_MEMORY;
    }

    // what was done so far was done for the copy too
    copy->generator.frontier.sampling_count = world->generator.frontier.sampling_count;
    copy->generator.frontier.sampler.proposal_count =
        world->generator.frontier.sampler.proposal_count;
    copy->generator.frontier.sampler.accepted_count =
        world->generator.frontier.sampler.accepted_count;
    *out = copy;
    return JBW_OK;
}
