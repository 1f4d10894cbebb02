// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Takes any action, all equally likely: the baseline that every agent should beat.

#include "agents/policy.h"

// one of the actions that the agent's body has
static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    (void)time;
    const int body = jbw_policy_body_of(policy, seen);
    const int count = jbw_model_action_count(policy->model);
    int able_count = 0;
    for (int i = 0; i < count; i++) able_count += jbw_model_body_can(policy->model, body, i);
    int left = (int)jbw_rng_below(&policy->rng, (uint32_t)able_count);
    int action = 0;
    while (!jbw_model_body_can(policy->model, body, action) || left-- > 0) action++;
    return action;
}

const jbw_policy_kind jbw_policy_random = {
    .name = "random", .size = sizeof(jbw_policy), .act = act};
