// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the built-in policies have in common. A policy's own struct begins with a `jbw_policy`.
#ifndef JBW_AGENTS_POLICY_H
#define JBW_AGENTS_POLICY_H

#include "base/bytes.h"
#include "base/rng.h"
#include "jbw/policy.h"

typedef struct jbw_policy_kind {
    const char *name;
    size_t size; // of the policy's own struct
    // Completes a policy of which the common part is there and the rest is zero. May be NULL.
    jbw_status (*init)(jbw_policy *policy, const jbw_reward *reward, jbw_error *error);
    // Frees what `init` made, also if that failed half-way. May be NULL.
    void (*deinit)(jbw_policy *policy);
    int (*act)(jbw_policy *policy, uint64_t time, const float *vision);
    // Writes and reads what it remembers besides the common part. Reading must expect any bytes;
    // what is wrong makes the reader bad. May be NULL.
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

/// The number of the first action of that kind, or -1.
int jbw_policy_find_action(const jbw_model *model, jbw_action_kind kind);

#endif
