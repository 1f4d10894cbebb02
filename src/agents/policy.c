// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/policy.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const jbw_policy_kind *const kinds[] = {
    &jbw_policy_greedy,
    &jbw_policy_random,
    &jbw_policy_forward,
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const jbw_policy_kind *find_kind(const char *name, jbw_error *error)
{
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i]->name;
        if (strcmp(names[i], name) == 0) return kinds[i];
    }
    const char *near = jbw_nearest_name(name, strlen(name), names, KIND_COUNT);
    if (near)
        jbw_error_set(error, 0, 0, "there is no policy '%s', did you mean '%s'?", name, near);
    else
        jbw_error_set(error, 0, 0, "there is no policy '%s'", name);
    return NULL;
}

jbw_status jbw_policy_create(const char *name, const jbw_model *model, const jbw_reward *reward,
                             uint64_t seed, jbw_policy **out, jbw_error *error)
{
    if (!out) return JBW_INVALID_ARGUMENT;
    *out = NULL;
    if (!name || !model) {
        jbw_error_set(error, 0, 0, "a policy needs a name and a model");
        return JBW_INVALID_ARGUMENT;
    }
    const jbw_policy_kind *kind = find_kind(name, error);
    if (!kind) return JBW_NOT_FOUND;

    const jbw_allocator allocator = jbw_model_allocator(model);
    jbw_policy *policy = jbw_alloc_zero(&allocator, 1, kind->size);
    jbw_status status = JBW_OUT_OF_MEMORY;
    if (policy) {
        policy->kind = kind;
        policy->model = model;
        policy->allocator = allocator;
        policy->rng = jbw_rng_open(seed, 0, 0, JBW_PURPOSE_POLICY);
        status = kind->init ? kind->init(policy, reward, error) : JBW_OK;
    }
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set(error, 0, 0, "%s", jbw_status_text(status));
    if (status) {
        jbw_policy_destroy(policy);
        return status;
    }
    *out = policy;
    return JBW_OK;
}

void jbw_policy_destroy(jbw_policy *policy)
{
    if (!policy) return;
    if (policy->kind->deinit) policy->kind->deinit(policy);
    const jbw_allocator allocator = policy->allocator;
    jbw_free(&allocator, policy, policy->kind->size);
}

int jbw_policy_act(jbw_policy *policy, uint64_t time, const float *vision)
{
    return policy->kind->act(policy, time, vision);
}

const char *jbw_policy_name(size_t index)
{
    return index < KIND_COUNT ? kinds[index]->name : NULL;
}

int jbw_policy_find_action(const jbw_model *model, jbw_action_kind kind)
{
    for (int i = 0; i < jbw_model_action_count(model); i++)
        if (jbw_model_action_kind(model, i) == kind) return i;
    return -1;
}
