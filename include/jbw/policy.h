// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Built-in policies: "greedy" (the paper's), "random", "forward", "oracle", which knows the map, and
/// "ppo" and "dqn", which learn. docs/policies.md describes them. The same seed, settings and perceptions give the same actions
/// everywhere, and the same weights.
///
///     jbw_policy *policy;
///     status = jbw_policy_create("ppo", model, &options, &policy, &error);
///     for (...) status = jbw_policy_step(policy, world, agent, &reward);
///
/// A step observes what the policy wants to see, lets it choose an action, acts, and tells the
/// policy its reward. Do these one by one where the world is not at hand, as in a batch or a client:
///
///     const jbw_observation wanted = jbw_policy_wants(policy);
///     status = jbw_agent_observe(world, agent, &wanted);
///     const int action = jbw_policy_act(policy, jbw_world_time(world), &wanted);
///     status = jbw_agent_act(world, agent, action, NULL);
///     jbw_policy_reward(policy, jbw_agent_reward(world, agent, reward));
#ifndef JBW_POLICY_H
#define JBW_POLICY_H

#include "jbw/agent.h"
#include "jbw/observation.h"
#include "jbw/reward.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_policy jbw_policy;

/// The version of how policies learn. It changes with the bits of what they learn from the same
/// seed and settings; a policy that was saved with another version is not loaded.
#define JBW_LEARNER_VERSION 1

/// A setting of a policy, such as "learning_rate" with the value "1e-4".
typedef struct jbw_policy_setting {
    const char *name;
    const char *value;
} jbw_policy_setting;

/// How to create a policy. All zero gives the defaults.
typedef struct jbw_policy_options {
    const jbw_reward *reward; ///< what the policy is rewarded for; NULL is zero, always
    uint64_t seed;
    const jbw_policy_setting *settings; ///< copied; the order does not matter
    size_t setting_count;
} jbw_policy_options;

/// Creates a policy by name, for one agent. `options` may be NULL; the reward, which also tells the
/// greedy policy what to look for, and the model must outlive the policy. JBW_NOT_FOUND if the name
/// is unknown, JBW_INVALID_ARGUMENT if a setting is, or has a bad value, JBW_UNSUPPORTED if the
/// world lacks actions or senses that the policy needs; `error` (may be NULL) says more.
JBW_API jbw_status jbw_policy_create(const char *name, const jbw_model *model,
                                     const jbw_policy_options *options, jbw_policy **out,
                                     jbw_error *error);

/// Destroys a policy. NULL is ignored.
JBW_API void jbw_policy_destroy(jbw_policy *policy);

/// The name of a policy.
JBW_API const char *jbw_policy_get_name(const jbw_policy *policy);

// ---- living ----

/// The parts of an observation that the policy looks at, with buffers for them that belong to the
/// policy; all others are NULL. Valid until the policy acts.
JBW_API jbw_observation jbw_policy_wants(jbw_policy *policy);

/// Chooses an action, by its index. `seen` is what the agent perceives: in the buffers that
/// `jbw_policy_wants` returned, or in others; a part that is NULL, or no `seen` at all, is nothing
/// perceived. `time` is that of the world. A policy that learns may do so here, before it chooses.
/// Allocates nothing.
JBW_API int jbw_policy_act(jbw_policy *policy, uint64_t time, const jbw_observation *seen);

/// Tells the policy what its latest action was rewarded with, once for each action. Policies that
/// do not learn ignore it.
JBW_API void jbw_policy_reward(jbw_policy *policy, double reward);

/// Observes what the policy wants to see of an agent's surroundings, and lets it choose an action.
/// "oracle" looks at the world itself, so it needs this function: what it would choose by
/// `jbw_policy_act` is always action 0.
JBW_API jbw_status jbw_policy_choose(jbw_policy *policy, jbw_world *world, jbw_agent_id agent,
                                     int *action);

/// One step of an agent: observes, acts and rewards, with the policy's own reward, which `*reward`
/// (may be NULL) receives. If it fails, the world has not changed. Other active agents must have
/// requested their actions already.
JBW_API jbw_status jbw_policy_step(jbw_policy *policy, jbw_world *world, jbw_agent_id agent,
                                   double *reward);

// ---- one mind for many agents ----

/// How many agents the policy acts for, each in a world of its own: one, unless it was created with
/// the setting "worlds", which ppo has. The functions above are for one agent: for more,
/// `jbw_policy_act` returns -1, `jbw_policy_reward` does nothing, and `jbw_policy_step` fails with
/// JBW_INVALID_ARGUMENT. `jbw_batch_share` in batch.h does all of the following.
JBW_API size_t jbw_policy_agent_count(const jbw_policy *policy);

/// What `jbw_policy_wants` returns, for one of the agents, by its number; all NULL after the last.
JBW_API jbw_observation jbw_policy_wants_for(jbw_policy *policy, size_t agent);

/// Chooses the next actions of all agents. `seen` (agents) is what they perceive, `actions` (agents)
/// receives what they shall do.
JBW_API void jbw_policy_act_all(jbw_policy *policy, uint64_t time, const jbw_observation *seen,
                                int *actions);

/// Tells the policy what these actions were rewarded with (agents).
JBW_API void jbw_policy_reward_all(jbw_policy *policy, const double *rewards);

// ---- learning ----

/// Whether the policy can learn.
JBW_API bool jbw_policy_is_learner(const jbw_policy *policy);

/// Stops learning, or lets it go on. A policy that has stopped acts with the weights it has. Has no
/// effect on policies that cannot learn.
JBW_API void jbw_policy_set_learning(jbw_policy *policy, bool is_learning);

/// A hash of all weights, the same on every machine; zero if the policy has none.
JBW_API uint64_t jbw_policy_hash(const jbw_policy *policy);

/// Weights of one layer. They belong to the policy and change when it learns.
typedef struct jbw_policy_weights {
    const char *name; ///< such as "lstm"
    int rank;
    size_t shape[4]; ///< (rank), the last axis varies fastest
    const float *values;
} jbw_policy_weights;

/// The weights with this index; false after the last ones.
JBW_API bool jbw_policy_get_weights(const jbw_policy *policy, size_t index,
                                    jbw_policy_weights *out);

/// A figure about how learning goes, such as "entropy".
typedef struct jbw_policy_metric {
    const char *name;
    double value;
} jbw_policy_metric;

/// The figure with this index, as of the latest update; false after the last one.
JBW_API bool jbw_policy_get_metric(const jbw_policy *policy, size_t index, jbw_policy_metric *out);

// ---- settings ----

/// What can be set.
typedef struct jbw_policy_setting_info {
    const char *name;
    const char *about; ///< for a person to read
    char allowed[80];  ///< values or range, such as "0 to 1"
    bool is_saved;     ///< false: of this process alone, such as "threads"; it affects no result
} jbw_policy_setting_info;

/// Describes the setting with this index of the policies with this name; false after the last one.
JBW_API bool jbw_policy_describe_setting(const char *policy_name, size_t index,
                                         jbw_policy_setting_info *out);

/// Writes the value of the setting with this index as text, with a terminating zero and at most
/// `capacity` bytes. False after the last setting.
JBW_API bool jbw_policy_get_setting(const jbw_policy *policy, size_t index, char *out,
                                    size_t capacity);

/// Changes a setting of a policy that lives, one that is not saved: "threads" of learners, which is
/// 1 after loading. On failure, as if the system refuses a thread, nothing has changed.
JBW_API jbw_status jbw_policy_change_setting(jbw_policy *policy, const jbw_policy_setting *setting,
                                             jbw_error *error);

// ---- saving ----

/// Appends the state of a policy to a buffer: its name, settings, random number streams, plans, and
/// all that it has learnt and is about to learn from. On failure the buffer is unchanged.
JBW_API jbw_status jbw_policy_save(const jbw_policy *policy, jbw_buffer *out);

/// Sends the same bytes to a sink. A learner has tens of megabytes, which need not be in memory a
/// second time for that. JBW_WRITE_FAILED if the sink does not take them.
JBW_API jbw_status jbw_policy_send(const jbw_policy *policy, jbw_sink sink);

/// Creates a policy from the bytes that `jbw_policy_save` wrote. It continues exactly as the saved
/// one would have. The model must be equivalent to that of the saved policy; the reward (may be
/// NULL) may be another one. JBW_INVALID_DATA if the bytes are not a policy, or not one for this
/// model.
JBW_API jbw_status jbw_policy_load(const void *bytes, size_t size, const jbw_model *model,
                                   const jbw_reward *reward, jbw_policy **out, jbw_error *error);

/// The name of the policy with this index; NULL after the last one.
JBW_API const char *jbw_policy_name(size_t index);

JBW_END_DECLS

#endif
