// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Walks straight ahead through an invariant world, once without and once with background threads
// that generate terrain ahead of the agent. Both worlds are identical in every bit.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/jbw.h"

static void fail(const char *what, const char *reason)
{
    fprintf(stderr, "%s: %s\n", what, reason);
    exit(1);
}

static uint64_t walk(const jbw_model *model, int threads)
{
    jbw_world *world;
    jbw_agent_id agent;
    if (jbw_world_create(model, 7, &world)) fail("world", "out of memory");
    if (jbw_world_set_generation_threads(world, threads)) fail("threads", "cannot be started");
    if (jbw_world_add_agent(world, NULL, &agent)) fail("agent", "could not be added");
    while (jbw_world_time(world) < 2000)
        if (jbw_agent_act(world, agent, 0, NULL)) fail("step", "failed");
    const uint64_t hash = jbw_world_hash(world);
    printf("%d threads: hash %016" PRIx64 " after %" PRIu64 " steps\n",
           jbw_world_generation_threads(world), hash, jbw_world_time(world));
    jbw_world_destroy(world); // also stops the threads
    return hash;
}

int main(void)
{
    const jbw_override invariant = {.key = "generation", .value = "invariant"};
    const jbw_world_file_options options = {.overrides = &invariant, .override_count = 1};
    jbw_config *config;
    jbw_model *model;
    jbw_error error;
    if (jbw_world_file_read("scent", &options, &config, &error)) fail("scent", error.text);
    if (jbw_model_create(config, &model, &error)) fail("scent", error.text);
    const bool is_same = walk(model, 0) == walk(model, 2);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_same ? 0 : 1;
}
