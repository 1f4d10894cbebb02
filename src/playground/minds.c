// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "playground/minds.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { SETTINGS_MOST = 8, POLICY_SIZE = 200 };

void jbw_minds_deinit(jbw_minds *minds)
{
    if (minds->residents) jbw_residents_free(minds->residents, minds->count);
    jbw_reward_destroy(minds->reward);
    free(minds->reward_text);
    *minds = (jbw_minds){0};
}

jbw_status jbw_minds_set_reward(jbw_minds *minds, const jbw_model *model, const char *text,
                                jbw_error *error)
{
    const size_t length = text ? strlen(text) : 0;
    minds->reward_text = calloc(length + 1, 1);
    if (!minds->reward_text) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    if (length == 0) return JBW_OK;
    memcpy(minds->reward_text, text, length);
    return jbw_reward_compile(model, text, NULL, 0, &minds->reward, error);
}

jbw_status jbw_minds_load(jbw_minds *minds, const jbw_model *model, const jbw_loaded *loaded,
                          jbw_error *error)
{
    return jbw_residents_load(loaded->notes, loaded->note_count, model, minds->reward,
                              &minds->residents, &minds->count, error);
}

static bool includes(const jbw_minds *minds, jbw_agent_id agent)
{
    for (size_t i = 0; i < minds->count; i++) {
        const jbw_agent_id other = minds->residents[i].agent;
        if (other.index1 == agent.index1 && other.generation == agent.generation) return true;
    }
    return false;
}

// "NAME KEY=VALUE KEY=VALUE": puts zeros at the ends of the parts. Returns the number of settings.
static size_t split_policy(char *text, jbw_policy_setting settings[SETTINGS_MOST])
{
    size_t count = 0;
    for (char *at = strchr(text, ' '); at && count < SETTINGS_MOST; at = strchr(at, ' ')) {
        *at++ = '\0';
        char *equals = strchr(at, '=');
        if (!equals) break;
        settings[count++] = (jbw_policy_setting){at, equals + 1};
        *equals = '\0';
        at = equals + 1;
    }
    return count;
}

static jbw_status create_policy(const jbw_minds *minds, const jbw_world *world, const char *policy,
                                jbw_policy **out, jbw_error *error)
{
    char text[POLICY_SIZE];
    jbw_policy_setting settings[SETTINGS_MOST];
    if (strlen(policy) >= sizeof text) {
        jbw_error_set(error, 0, 0, "the policy's text is too long");
        return JBW_INVALID_ARGUMENT;
    }
    memcpy(text, policy, strlen(policy) + 1);
    // seeds as `jbw run` and `jbw serve` choose them, so that the same seed gives the same life
    const jbw_policy_options options = {.reward = minds->reward,
                                        .seed = jbw_world_seed(world) + minds->count,
                                        .settings = settings,
                                        .setting_count = split_policy(text, settings)};
    return jbw_policy_create(text, jbw_world_model(world), &options, out, error);
}

jbw_status jbw_minds_add(jbw_minds *minds, const jbw_world *world, jbw_agent_id agent,
                         const char *policy, jbw_error *error)
{
    jbw_resident *list = realloc(minds->residents, (minds->count + 1) * sizeof *list);
    if (!list) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    minds->residents = list;
    jbw_resident *resident = &list[minds->count];
    *resident = (jbw_resident){.agent = agent, .reward = minds->reward};
    const jbw_status status = create_policy(minds, world, policy, &resident->policy, error);
    if (!status) minds->count++;
    return status;
}

jbw_status jbw_minds_add_all(jbw_minds *minds, const jbw_world *world, const char *policy,
                             jbw_error *error)
{
    const size_t count = jbw_world_agents(world, NULL, 0);
    jbw_agent_id *agents = calloc(count + 1, sizeof *agents);
    if (!agents) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    jbw_world_agents(world, agents, count);
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (!includes(minds, agents[i]))
            status = jbw_minds_add(minds, world, agents[i], policy, error);
    free(agents);
    return status;
}
