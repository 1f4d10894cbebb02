// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Always moves forward, to explore new terrain.

#include "agents/policy.h"

static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    (void)time;
    (void)seen;
    const int forward = jbw_policy_find_action(policy->model, JBW_ACTION_MOVE_FORWARD);
    return forward >= 0 ? forward : 0;
}

const jbw_policy_kind jbw_policy_forward = {
    .name = "forward", .size = sizeof(jbw_policy), .act = act};
