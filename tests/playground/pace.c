// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// pace WORLD STEPS: lets the greedy agent live in a shipped world, and prints the hash. The same
/// program is compiled for this machine and to WebAssembly; `time` says how they compare.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/policy.h"
#include "support/golden_worlds.h"

static jbw_status live(const jbw_config *config, uint64_t steps)
{
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_reward *reward = NULL;
    jbw_policy *policy = NULL;
    jbw_agent_id agent;
    jbw_status status = jbw_model_create(config, &model, NULL);
    if (!status) status = jbw_reward_compile(model, "Collect[JellyBean]", NULL, 0, &reward, NULL);
    const jbw_policy_options options = {.reward = reward, .seed = 1};
    if (!status) status = jbw_policy_create("greedy", model, &options, &policy, NULL);
    if (!status) status = jbw_world_create(model, 1, &world);
    if (!status) status = jbw_world_add_agent(world, NULL, &agent);
    for (uint64_t i = 0; i < steps && !status; i++)
        status = jbw_policy_step(policy, world, agent, NULL);
    if (!status) printf("%016" PRIx64 "\n", jbw_world_hash(world));
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < golden_world_count; i++)
        if (strcmp(golden_worlds[i].name, argv[1]) == 0)
            return live(&golden_worlds[i].config, strtoull(argv[2], NULL, 10)) ? 1 : 0;
    fprintf(stderr, "usage: pace WORLD STEPS\n");
    return 2;
}
