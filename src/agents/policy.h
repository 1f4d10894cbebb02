// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the built-in policies have in common. The struct of each policy begins with a `jbw_policy`.
///
///     policy      jbw/policy.h: create, act, save and load, for all kinds
///     greedy      the policy of the paper; path finds its shortest paths
///     random, forward
///     learn/      the paper's network and its learner, PPO; not offered as a policy yet
#ifndef JBW_AGENTS_POLICY_H
#define JBW_AGENTS_POLICY_H

#include "base/bytes.h"
#include "base/rng.h"
#include "jbw/policy.h"

typedef struct jbw_policy_kind {
    const char *name;
    size_t size; // of the policy's struct
    // Initialises a policy whose common part is set and the rest zero. May be NULL.
    jbw_status (*init)(jbw_policy *policy, const jbw_reward *reward, jbw_error *error);
    // Frees what `init` allocated, even if that failed halfway. May be NULL.
    void (*deinit)(jbw_policy *policy);
    int (*act)(jbw_policy *policy, uint64_t time, const float *vision);
    // Write and read the state besides the common part. Reading must cope with any bytes, and sets
    // `reader->ok` to false if they are invalid. May be NULL.
    void (*save)(const jbw_policy *policy, jbw_writer *writer);
    void (*load)(jbw_policy *policy, jbw_reader *reader);
} jbw_policy_kind;

struct jbw_policy {
    const jbw_policy_kind *kind;
    const jbw_model *model;
    jbw_allocator allocator;
    jbw_rng rng; // the stream named (seed, policy)
};

extern const jbw_policy_kind jbw_policy_greedy;
extern const jbw_policy_kind jbw_policy_random;
extern const jbw_policy_kind jbw_policy_forward;

/// The index of the first action of this kind, or -1.
int jbw_policy_find_action(const jbw_model *model, jbw_action_kind kind);

#endif
