// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Takes any action, all equally likely: the baseline that every agent should beat.

#include "agents/policy.h"

static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    (void)time;
    (void)seen;
    return (int)jbw_rng_below(&policy->rng, (uint32_t)jbw_model_action_count(policy->model));
}

const jbw_policy_kind jbw_policy_random = {
    .name = "random", .size = sizeof(jbw_policy), .act = act};
