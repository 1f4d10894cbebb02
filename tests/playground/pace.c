// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// pace WORLD STEPS [POLICY [KEY=VALUE...]]: lets an agent live in a shipped world, the greedy one if no
/// other is named, and prints the hashes of the world and of what the agent has learnt. The same program is
/// compiled for this machine and to WebAssembly: the hashes have to agree, and `time` says how they compare.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/policy.h"
#include "support/golden_worlds.h"

enum { SETTINGS_MOST = 8 };

static jbw_status live(const jbw_config *config, uint64_t steps, int count, char **words)
{
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_reward *reward = NULL;
    jbw_policy *policy = NULL;
    jbw_agent_id agent;
    jbw_status status = jbw_model_create(config, &model, NULL);
    if (!status) status = jbw_reward_compile(model, "Collect[JellyBean]", NULL, 0, &reward, NULL);
    jbw_policy_setting settings[SETTINGS_MOST];
    jbw_policy_options options = {.reward = reward, .seed = 1, .settings = settings};
    for (int i = 1; i < count && i <= SETTINGS_MOST; i++) {
        char *equals = strchr(words[i], '=');
        if (!equals) return JBW_INVALID_ARGUMENT;
        *equals = '\0';
        settings[options.setting_count++] = (jbw_policy_setting){words[i], equals + 1};
    }
    const char *name = count > 0 ? words[0] : "greedy";
    if (!status) status = jbw_policy_create(name, model, &options, &policy, NULL);
    if (!status) status = jbw_world_create(model, 1, &world);
    if (!status) status = jbw_world_add_agent(world, NULL, &agent);
    for (uint64_t i = 0; i < steps && !status; i++)
        status = jbw_policy_step(policy, world, agent, NULL);
    if (!status)
        printf("%016" PRIx64 " %016" PRIx64 "\n", jbw_world_hash(world), jbw_policy_hash(policy));
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc >= 3 && i < golden_world_count; i++)
        if (strcmp(golden_worlds[i].name, argv[1]) == 0)
            return live(&golden_worlds[i].config, strtoull(argv[2], NULL, 10), argc - 3, argv + 3)
                       ? 1
                       : 0;
    fprintf(stderr, "usage: pace WORLD STEPS [POLICY [KEY=VALUE...]]\n");
    return 2;
}
