// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The policies that learn, for a module without them: creating one says so.

#include "agents/policy.h"
#include "base/error.h"

static jbw_status refuse(jbw_policy *policy, const jbw_policy_options *options, jbw_error *error)
{
    (void)options;
    jbw_error_set(error, 0, 0, "the policy '%s' is not part of this build", policy->kind->name);
    return JBW_UNSUPPORTED;
}

const jbw_policy_kind jbw_policy_ppo = {.name = "ppo", .size = sizeof(jbw_policy), .init = refuse};
const jbw_policy_kind jbw_policy_dqn = {.name = "dqn", .size = sizeof(jbw_policy), .init = refuse};
