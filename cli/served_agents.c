// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "served_agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents_reward.h"
#include "net/game/notes.h"
#include "run.h"

/// What is asked for.
typedef struct request {
    const char *verb;
    const jbw_texts *names;
    const jbw_settings *settings;
} request;

static jbw_verb_status fail_memory(const request *q)
{
    return jbw_verb_fail(q->verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
}

static bool has_setting(const char *policy, const char *name)
{
    jbw_policy_setting_info info;
    for (size_t i = 0; jbw_policy_describe_setting(policy, i, &info); i++)
        if (strcmp(info.name, name) == 0) return true;
    return false;
}

// ---- agents that a world was saved with ----

// the one active agent of a saved run goes on, if --agent asks for its policy first
static jbw_verb_status adopt_run(jbw_served_agents *agents, const request *q,
                                 const jbw_world_source *source)
{
    const jbw_note *name = jbw_loaded_note(&source->loaded, JBW_RUN_NOTE_AGENT);
    const jbw_note *policy = jbw_loaded_note(&source->loaded, JBW_RUN_NOTE_POLICY);
    if (!name || !policy || q->names->count == 0) return JBW_VERB_OK;
    if (strcmp(name->bytes, q->names->texts[0]) != 0) return JBW_VERB_OK; // notes end in a zero
    const size_t count = jbw_world_agents(source->world, NULL, 0);
    jbw_agent_id *ids = calloc(count + 1, sizeof *ids);
    agents->list = calloc(1, sizeof *agents->list);
    if (!ids || !agents->list) {
        free(ids);
        return fail_memory(q);
    }
    jbw_world_agents(source->world, ids, count);
    size_t active_count = 0;
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        if (jbw_agent_get_state(source->world, ids[i], &state) || !state.is_active) continue;
        agents->list[0] = (jbw_resident){.agent = ids[i], .reward = agents->reward};
        active_count++;
    }
    free(ids);
    if (active_count != 1) return JBW_VERB_OK;
    jbw_error error = {0};
    const jbw_status status =
        jbw_policy_load(policy->bytes, policy->size, jbw_world_model(source->world), agents->reward,
                        &agents->list[0].policy, &error);
    if (status) return jbw_verb_reject(q->verb, "the saved agent: %s", error.text);
    agents->count = 1;
    return JBW_VERB_OK;
}

static jbw_verb_status load_agents(jbw_served_agents *agents, const request *q,
                                   const jbw_world_source *source)
{
    jbw_error error = {0};
    const jbw_status status = jbw_residents_load(source->loaded.notes, source->loaded.note_count,
                                                 jbw_world_model(source->world), agents->reward,
                                                 &agents->list, &agents->count, &error);
    if (status == JBW_OUT_OF_MEMORY) return fail_memory(q);
    if (status) return jbw_verb_reject(q->verb, "%s", error.text);
    if (agents->count == 0) {
        jbw_residents_free(agents->list, 0);
        agents->list = NULL;
        return adopt_run(agents, q, source);
    }
    return JBW_VERB_OK;
}

// --agent names the saved agents again, or none of them
static jbw_verb_status check_names(const jbw_served_agents *agents, const request *q)
{
    char saved[500];
    if (q->names->count == 0) return JBW_VERB_OK;
    bool is_same = q->names->count >= agents->count;
    for (size_t i = 0; i < agents->count && is_same; i++)
        is_same = strcmp(q->names->texts[i], jbw_policy_get_name(agents->list[i].policy)) == 0;
    if (is_same) return JBW_VERB_OK;
    jbw_served_agents_print(agents, saved, sizeof saved);
    return jbw_verb_reject(q->verb,
                           "--agent: the world has the agents %s already; leave out --agent, or "
                           "name these first and more after them",
                           saved);
}

// ---- new agents ----

static jbw_verb_status make_policy(jbw_served_agents *agents, const request *q, jbw_world *world,
                                   jbw_resident *out)
{
    const char *name = q->names->texts[agents->count];
    jbw_policy_setting settings[sizeof q->settings->overrides / sizeof *q->settings->overrides];
    size_t setting_count = 0;
    for (size_t i = 0; i < q->settings->count; i++) {
        const jbw_override *o = &q->settings->overrides[i];
        if (has_setting(name, o->key))
            settings[setting_count++] = (jbw_policy_setting){o->key, o->value};
    }
    // the first one lives as that of `jbw run` does
    const jbw_policy_options options = {.reward = agents->reward,
                                        .seed = jbw_world_seed(world) + agents->count,
                                        .settings = settings,
                                        .setting_count = setting_count};
    jbw_error error = {0};
    const jbw_status status =
        jbw_policy_create(name, jbw_world_model(world), &options, &out->policy, &error);
    if (!status && jbw_policy_agent_count(out->policy) != 1) {
        jbw_policy_destroy(out->policy);
        out->policy = NULL;
        return jbw_verb_reject(q->verb, "--agent-set: worlds: there is one world");
    }
    if (!status) return JBW_VERB_OK;
    if (status == JBW_INVALID_ARGUMENT)
        return jbw_verb_reject(q->verb, "--agent-set: %s", error.text);
    if (status == JBW_NOT_FOUND || status == JBW_UNSUPPORTED)
        return jbw_verb_reject(q->verb, "--agent %s: %s", name, error.text);
    return jbw_verb_fail(q->verb, "--agent %s: %s", name, error.text);
}

static jbw_verb_status add_agent(jbw_served_agents *agents, const request *q, jbw_world *world)
{
    jbw_resident *resident = &agents->list[agents->count];
    *resident = (jbw_resident){.reward = agents->reward};
    const jbw_verb_status result = make_policy(agents, q, world, resident);
    if (result) return result;
    const jbw_status status = jbw_world_add_agent(world, NULL, &resident->agent);
    agents->count++; // now its policy is freed with the others
    if (status) return jbw_verb_fail(q->verb, "an agent: %s", jbw_status_text(status));
    return JBW_VERB_OK;
}

static jbw_verb_status check_settings(const request *q, size_t first)
{
    for (size_t i = 0; i < q->settings->count; i++) {
        const char *key = q->settings->overrides[i].key;
        bool is_known = false;
        for (size_t j = first; j < q->names->count && !is_known; j++)
            is_known = has_setting(q->names->texts[j], key);
        if (!is_known)
            return jbw_verb_reject(q->verb, "--agent-set: no new agent has a setting '%s'", key);
    }
    return JBW_VERB_OK;
}

static jbw_verb_status add_agents(jbw_served_agents *agents, const request *q, jbw_world *world)
{
    jbw_verb_status status = JBW_VERB_OK;
    if (agents->count < q->names->count) {
        jbw_resident *list = realloc(agents->list, q->names->count * sizeof *list);
        if (!list) return fail_memory(q);
        agents->list = list;
    }
    while (!status && agents->count < q->names->count) status = add_agent(agents, q, world);
    return status;
}

// ---- all of them ----

jbw_verb_status jbw_served_agents_open(jbw_served_agents *agents, const char *verb,
                                       jbw_world_source *source, const jbw_texts *names,
                                       const jbw_settings *settings, const char *reward)
{
    const request q = {.verb = verb, .names = names, .settings = settings};
    if (names->count == 0 && !jbw_loaded_note(&source->loaded, JBW_NOTE_RESIDENTS))
        return check_settings(&q, 0);
    const jbw_note *saved = jbw_loaded_note(&source->loaded, JBW_RUN_NOTE_REWARD);
    jbw_verb_status status = jbw_reward_for_agents(verb, jbw_world_model(source->world),
                                                   reward  ? reward
                                                   : saved ? saved->bytes
                                                           : NULL,
                                                   &agents->reward, &agents->reward_text);
    if (!status) status = load_agents(agents, &q, source);
    if (!status) status = check_names(agents, &q);
    const size_t saved_count = agents->count;
    if (!status) status = add_agents(agents, &q, source->world);
    if (!status) status = check_settings(&q, saved_count);
    return status;
}

void jbw_served_agents_close(jbw_served_agents *agents)
{
    jbw_residents_free(agents->list, agents->count);
    jbw_reward_destroy(agents->reward);
    free(agents->reward_text);
    *agents = (jbw_served_agents){0};
}

void jbw_served_agents_print(const jbw_served_agents *agents, char *out, size_t capacity)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < agents->count && used < capacity; i++)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "",
                                 jbw_policy_get_name(agents->list[i].policy));
}
