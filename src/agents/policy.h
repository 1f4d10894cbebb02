// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the built-in policies have in common. The struct of each policy begins with a `jbw_policy`.
///
///     policy      jbw/policy.h: create, act, save and load, for all kinds
///     settings    settings by name
///     greedy      the policy of the paper; path finds its shortest paths
///     oracle      knows the map; route plans its way
///     random, forward
///     learn/      policies that learn: the paper's network, PPO and deep Q-learning
#ifndef JBW_AGENTS_POLICY_H
#define JBW_AGENTS_POLICY_H

#include "agents/settings.h"
#include "base/bytes.h"
#include "base/rng.h"
#include "jbw/policy.h"

/// A kind of policy. What may be NULL does nothing.
typedef struct jbw_policy_kind {
    const char *name;
    size_t size; // of the policy's struct
    bool sees;   // wants vision, in a buffer that `jbw_policy_create` makes
    bool is_learner;
    // what can be set, in the struct at `settings_offset` of the policy's; NULL: nothing
    const jbw_setting *settings;
    size_t settings_offset;
    // Initialises a policy whose common part is set and the rest zero. May be NULL.
    jbw_status (*init)(jbw_policy *policy, const jbw_policy_options *options, jbw_error *error);
    // Does what local settings say, after they have changed; if it fails, all is as before. May be NULL if
    // there are none.
    jbw_status (*apply_local)(jbw_policy *policy, jbw_error *error);
    // Frees what `init` allocated, even if that failed halfway. May be NULL.
    void (*deinit)(jbw_policy *policy);
    // How many agents it acts for; NULL: one.
    size_t (*agent_count)(const jbw_policy *policy);
    // Where observations go, if not only vision is wanted. May be NULL.
    jbw_observation (*wants)(jbw_policy *policy, size_t agent);
    int (*act)(jbw_policy *policy, uint64_t time, const jbw_observation *seen);
    // Looks at the world instead of observing it, and chooses. May be NULL.
    jbw_status (*choose)(jbw_policy *policy, jbw_world *world, jbw_agent_id agent, int *action);
    // For all agents at once, if there may be several.
    void (*act_all)(jbw_policy *policy, const jbw_observation *seen, int *actions);
    // Write and read the state besides the common part. Reading must cope with any bytes, and sets
    // `reader->ok` to false if they are invalid. May be NULL.
    void (*save)(const jbw_policy *policy, jbw_writer *writer);
    void (*load)(jbw_policy *policy, jbw_reader *reader);
    // Learning; NULL if the policy does not.
    void (*reward)(jbw_policy *policy, const double *rewards); // of all agents
    void (*set_learning)(jbw_policy *policy, bool is_learning);
    uint64_t (*hash)(const jbw_policy *policy);
    bool (*weights)(const jbw_policy *policy, size_t index, jbw_policy_weights *out);
    bool (*metric)(const jbw_policy *policy, size_t index, jbw_policy_metric *out);
} jbw_policy_kind;

struct jbw_policy {
    const jbw_policy_kind *kind;
    const jbw_model *model;
    const jbw_reward *reward; // may be NULL
    jbw_allocator allocator;
    float *vision; // if the kind sees
    uint8_t body;  // where the observation of the agent's body goes, if there are several
    jbw_rng rng;   // the stream named (seed, policy)
};

extern const jbw_policy_kind jbw_policy_greedy;
extern const jbw_policy_kind jbw_policy_random;
extern const jbw_policy_kind jbw_policy_forward;
extern const jbw_policy_kind jbw_policy_oracle;
extern const jbw_policy_kind jbw_policy_ppo;
extern const jbw_policy_kind jbw_policy_dqn;

/// The index of the first action of this kind, or -1.
int jbw_policy_find_action(const jbw_model *model, jbw_action_kind kind);

/// The same, or -1 if the body lacks it.
int jbw_policy_find_able(const jbw_model *model, int body, jbw_action_kind kind);

/// The first action that a body has.
int jbw_policy_first_able(const jbw_model *model, int body);

/// Where to observe the agent's body: NULL if all agents of the model have the same.
uint8_t *jbw_policy_body(jbw_policy *policy);

/// The body that was observed, or 0.
int jbw_policy_body_of(const jbw_policy *policy, const jbw_observation *seen);

#endif
