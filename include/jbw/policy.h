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

/// Makes a policy by name for one agent. The reward (may be NULL) tells the greedy one what to look
/// for and what to avoid; it and the model must outlive the policy. An unknown name is
/// JBW_NOT_FOUND, a world that lacks actions the policy needs JBW_UNSUPPORTED; `error` (may be
/// NULL) says more.
JBW_API jbw_status jbw_policy_create(const char *name, const jbw_model *model,
                                     const jbw_reward *reward, uint64_t seed, jbw_policy **out,
                                     jbw_error *error);

/// Ends a policy. NULL is fine.
JBW_API void jbw_policy_destroy(jbw_policy *policy);

/// The name that a policy was made by.
JBW_API const char *jbw_policy_get_name(const jbw_policy *policy);

/// What to do now, as an action's number: `vision` is what the agent sees (NULL: nothing), `time`
/// the world's. Allocates nothing.
JBW_API int jbw_policy_act(jbw_policy *policy, uint64_t time, const float *vision);

/// Appends what a policy remembers to a buffer: its name, where its chance stands, what it is about
/// to do. On failure the buffer is as it was.
JBW_API jbw_status jbw_policy_save(const jbw_policy *policy, jbw_buffer *out);

/// Makes a policy from the bytes that `jbw_policy_save` wrote; it goes on as the one that was saved
/// would have. Model and reward are as for `jbw_policy_create`, and must mean the same as those of
/// the saved one. Bytes that are not such a policy, or not for this model, are JBW_INVALID_DATA.
JBW_API jbw_status jbw_policy_load(const void *bytes, size_t size, const jbw_model *model,
                                   const jbw_reward *reward, jbw_policy **out, jbw_error *error);

/// The names of the policies; NULL beyond the last.
JBW_API const char *jbw_policy_name(size_t index);

JBW_END_DECLS

#endif
