// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Built-in policies, written against the public API: "greedy" (the paper's), "random", "forward".
/// docs/policies.md describes them. The same seed and perceptions give the same actions everywhere.
#ifndef JBW_POLICY_H
#define JBW_POLICY_H

#include "jbw/agent.h"
#include "jbw/reward.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_policy jbw_policy;

/// Creates a policy by name, for one agent. The reward (may be NULL) tells the greedy policy what
/// to look for and what to avoid; it and the model must outlive the policy. JBW_NOT_FOUND if the
/// name is unknown, JBW_UNSUPPORTED if the world lacks actions that the policy needs; `error` (may
/// be NULL) says more.
JBW_API jbw_status jbw_policy_create(const char *name, const jbw_model *model,
                                     const jbw_reward *reward, uint64_t seed, jbw_policy **out,
                                     jbw_error *error);

/// Destroys a policy. NULL is ignored.
JBW_API void jbw_policy_destroy(jbw_policy *policy);

/// The name of a policy.
JBW_API const char *jbw_policy_get_name(const jbw_policy *policy);

/// Chooses an action, by its index. `vision` is what the agent sees, or NULL for nothing; `time` is
/// that of the world. Allocates nothing.
JBW_API int jbw_policy_act(jbw_policy *policy, uint64_t time, const float *vision);

/// Appends the state of a policy to a buffer: its name, its random number stream and its plan. On
/// failure the buffer is unchanged.
JBW_API jbw_status jbw_policy_save(const jbw_policy *policy, jbw_buffer *out);

/// Creates a policy from the bytes that `jbw_policy_save` wrote. It continues exactly as the saved
/// one would have. Model and reward are as for `jbw_policy_create`, and must be equivalent to those
/// of the saved policy. JBW_INVALID_DATA if the bytes are not a policy, or not one for this model.
JBW_API jbw_status jbw_policy_load(const void *bytes, size_t size, const jbw_model *model,
                                   const jbw_reward *reward, jbw_policy **out, jbw_error *error);

/// The name of the policy with this index; NULL after the last one.
JBW_API const char *jbw_policy_name(size_t index);

JBW_END_DECLS

#endif
