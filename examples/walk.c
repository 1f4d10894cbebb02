// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Loads a shipped world and adds an agent, which moves forward and turns when it is blocked. Prints
// the items it collects.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/jbw.h"

static void fail(const char *what, const char *reason)
{
    fprintf(stderr, "%s: %s\n", what, reason);
    exit(1);
}

int main(void)
{
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    jbw_agent_id agent;
    jbw_error error;
    if (jbw_world_file_read("scent", NULL, &config, &error)) fail("scent", error.text);
    if (jbw_model_create(config, &model, &error)) fail("scent", error.text);
    if (jbw_world_create(model, 7, &world)) fail("world", "out of memory");
    if (jbw_world_add_agent(world, NULL, &agent)) fail("agent", "could not be added");

    // the actions of this world are MoveForward, TurnLeft and TurnRight, in this order
    enum { FORWARD, LEFT };
    int action = FORWARD;
    while (jbw_world_time(world) < 2000) {
        if (jbw_agent_act(world, agent, action, NULL)) fail("step", "failed");
        jbw_agent_result result;
        jbw_agent_get_result(world, agent, &result);
        if (result.collected >= 0)
            printf("%4" PRIu64 ": collected a %s at (%" PRId64 ", %" PRId64 ")\n", result.time,
                   jbw_model_item_name(model, result.collected), result.position.x,
                   result.position.y);
        action = result.outcome == JBW_OUTCOME_DONE ? FORWARD : LEFT;
    }

    float scent[3];
    jbw_agent_perceive(world, agent, NULL, scent);
    printf("scent here: (%.4f, %.4f, %.4f)\n", (double)scent[0], (double)scent[1],
           (double)scent[2]);

    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return 0;
}
