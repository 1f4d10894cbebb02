// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// An agent in a world on a server:
//
//     jbw serve paper-code --listen 127.0.0.1:8765 --tokens FILE
//     client ws://127.0.0.1:8765 TOKEN [STEPS]
//
// It moves forward, turns when it is blocked, and adds up its reward for jelly beans. If the server
// goes away, it waits until the server is back, and continues.

#include <inttypes.h>
#include <jbw/client.h>
#include <jbw/reward.h>
#include <stdio.h>
#include <stdlib.h>

static void print_resumption(uint64_t time, void *user)
{
    (void)user;
    printf("the server is back; the world is at time %" PRIu64 "\n", time);
}

// the reward of the latest step, computed by the client
static double reward_of(const jbw_reward *reward, const jbw_agent_result *result,
                        jbw_position start)
{
    const jbw_reward_step step = {.time = result->time - 1,
                                  .has_acted = true,
                                  .collected = result->collected,
                                  .start = start,
                                  .position_before = result->position_before,
                                  .position = result->position};
    return jbw_reward_evaluate(reward, &step);
}

static jbw_status run(jbw_client *client, const jbw_reward *reward, long steps)
{
    enum { FORWARD, LEFT }; // indices into the world file's list of actions
    jbw_agent_id agent;
    jbw_status status = jbw_client_add_agent(client, NULL, &agent);
    jbw_agent_state state = {0};
    if (!status) status = jbw_client_get_state(client, agent, &state);

    jbw_client_observation seen = {0}; // vision and scent stay NULL, so the server leaves them out
    double total = 0.0;
    int action = FORWARD;
    for (long i = 0; i < steps && !status; i++) {
        status = jbw_client_act_and_observe(client, agent, action, &seen);
        if (status) break;
        if (!seen.is_resumed) total += reward_of(reward, &seen.result, state.start);
        action = seen.result.outcome == JBW_OUTCOME_DONE ? FORWARD : LEFT;
    }
    if (!status)
        printf("time %" PRIu64 ", at (%" PRId64 ", %" PRId64 "), reward %g\n", seen.time,
               seen.position.x, seen.position.y, total);
    if (!status) status = jbw_client_remove_agent(client, agent);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s URL TOKEN [STEPS]\n", argv[0]);
        return 2;
    }
    const jbw_client_options options = {.token = argv[2], .on_resume = print_resumption};
    jbw_client *client;
    jbw_error error = {0};
    if (jbw_client_connect(argv[1], &options, &client, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }

    jbw_reward *reward = NULL;
    const jbw_model *model = jbw_client_model(client);
    jbw_status status = JBW_UNSUPPORTED;
    if (model) status = jbw_reward_compile(model, "Collect[JellyBean]", NULL, 0, &reward, &error);
    if (!status) status = run(client, reward, argc > 3 ? strtol(argv[3], NULL, 10) : 1000);
    if (status) fprintf(stderr, "%s\n", jbw_client_error(client)->text);
    jbw_reward_destroy(reward);
    jbw_client_close(client);
    return status ? 1 : 0;
}
