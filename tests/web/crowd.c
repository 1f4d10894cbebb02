// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// crowd URL TOKEN COUNT SPREAD: adds COUNT agents at random cells of a square of side SPREAD around
// the origin, and lets them wander until it is stopped.

#include <stdio.h>
#include <stdlib.h>

#include "jbw/client.h"

static uint64_t state = 12345;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static jbw_agent_id add(jbw_client *client, uint32_t spread)
{
    jbw_agent_id agent = {0, 0};
    for (int tries = 0; tries < 1000; tries++) {
        const jbw_agent_options options = {
            .has_position = true,
            .position = {(int64_t)draw(spread) - spread / 2, (int64_t)draw(spread) - spread / 2},
            .direction = (jbw_direction)draw(4)};
        const jbw_status status = jbw_client_add_agent(client, &options, &agent);
        if (status != JBW_CELL_BLOCKED) break;
    }
    return agent;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    const jbw_client_options options = {.token = argv[2], .name = "crowd"};
    const size_t count = strtoul(argv[3], NULL, 10);
    jbw_client *client;
    jbw_error error = {0};
    if (jbw_client_connect(argv[1], &options, &client, &error)) {
        fprintf(stderr, "crowd: %s\n", error.text);
        return 1;
    }
    jbw_agent_id *agents = calloc(count, sizeof *agents);
    int *actions = calloc(count, sizeof *actions);
    jbw_client_observation *seen = calloc(count, sizeof *seen); // all zero: no parts
    jbw_status status = agents && actions && seen ? JBW_OK : JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && !status; i++) {
        agents[i] = add(client, (uint32_t)strtoul(argv[4], NULL, 10));
        if (agents[i].index1 == 0) status = JBW_CELL_BLOCKED;
    }
    printf("ready\n");
    fflush(stdout);
    while (!status) {
        // mostly ahead, sometimes left or right: the first three actions of all shipped worlds
        for (size_t i = 0; i < count; i++) actions[i] = draw(4) == 0 ? 1 + (int)draw(2) : 0;
        status = jbw_client_act_together(client, agents, actions, count, seen);
    }
    fprintf(stderr, "crowd: %s\n", jbw_client_error(client)->text);
    jbw_client_close(client);
    free(agents);
    free(actions);
    free(seen);
    return 1;
}
