// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A walk: a world by name, one agent that goes forward and turns when it is stuck, and what it
// finds on its way.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/jbw.h"

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

int main(void)
{
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    jbw_agent_id agent;
    jbw_error error;
    if (jbw_world_file_read("scent", NULL, &config, &error)) give_up("scent", error.text);
    if (jbw_model_create(config, &model, &error)) give_up("scent", error.text);
    if (jbw_world_create(model, 7, &world)) give_up("world", "out of memory");
    if (jbw_world_add_agent(world, NULL, &agent)) give_up("agent", "could not be added");

    // the world's actions are MoveForward, TurnLeft and TurnRight, numbered in that order
    enum { FORWARD, LEFT };
    int action = FORWARD;
    while (jbw_world_time(world) < 2000) {
        if (jbw_agent_act(world, agent, action, NULL)) give_up("step", "failed");
        jbw_agent_result result;
        jbw_agent_get_result(world, agent, &result);
        if (result.collected >= 0)
            printf("%4" PRIu64 ": found a %s at (%" PRId64 ", %" PRId64 ")\n", result.time,
                   jbw_model_item_name(model, result.collected), result.position.x,
                   result.position.y);
        action = result.outcome == JBW_OUTCOME_DONE ? FORWARD : LEFT;
    }

    float scent[3];
    jbw_agent_perceive(world, agent, NULL, scent);
    printf("it smells of (%.4f, %.4f, %.4f) here\n", (double)scent[0], (double)scent[1],
           (double)scent[2]);

    jbw_world_destroy(world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return 0;
}
