// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards: texts in the paper's notation, compiled once and evaluated at every step without
/// allocating. docs/rewards.md describes the language. A compiled reward is read-only, so any
/// number of worlds, in any number of threads, can share it.
#ifndef JBW_REWARD_H
#define JBW_REWARD_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_reward jbw_reward;

/// What a reward depends on: what one agent did in one step.
typedef struct jbw_reward_step {
    uint64_t time;  ///< before the step
    bool has_acted; ///< its action was not NoOp, whether or not it was blocked
    int collected;  ///< the item type, or -1
    jbw_position start;
    jbw_position position_before;
    jbw_position position;
} jbw_reward_step;

/// A user-defined reward function. Texts refer to it by its name.
typedef struct jbw_reward_function {
    const char *name;   ///< letters, digits and '_'; not the name of a built-in function
    int argument_count; ///< from 0 to 16, all numbers
    /// The reward for a step. Must be a pure function of its parameters.
    double (*value)(const double *arguments, const jbw_reward_step *step, void *user);
    void *user;
} jbw_reward_function;

/// Parses and compiles a text such as "Collect[JellyBean] & Avoid[Onion]". The model provides item
/// names and the allocator; it need not outlive the reward. `functions` are user-defined and may be
/// NULL; they are copied, so only what `user` points to must outlive the reward. On failure `*out` is
/// NULL and `error` (may be NULL) tells what was found and expected, and where:
/// JBW_INVALID_EXPRESSION for the text, JBW_INVALID_ARGUMENT for an invalid function.
JBW_API jbw_status jbw_reward_compile(const jbw_model *model, const char *text,
                                      const jbw_reward_function *functions, size_t function_count,
                                      jbw_reward **out, jbw_error *error);

/// Destroys a reward; NULL is ignored.
JBW_API void jbw_reward_destroy(jbw_reward *reward);

/// The reward for a step.
JBW_API double jbw_reward_evaluate(const jbw_reward *reward, const jbw_reward_step *step);

/// The reward of an agent for the latest step. Zero if there was no step since the agent was added,
/// or if there is no such agent.
JBW_API double jbw_agent_reward(const jbw_world *world, jbw_agent_id agent,
                                const jbw_reward *reward);

/// Whether a reward has a term Team[r], which is paid to all agents of a team.
JBW_API bool jbw_reward_has_team(const jbw_reward *reward);

/// The rewards of several agents of a world for the latest step, to `out` (count). An agent of a team
/// is paid what it earns outside Team[ ], and what each member, itself included, earns inside; sums are
/// in the order of `agents`. `teams` (count) are numbers, equal for members of the same team; NULL
/// means that all these agents are one team. `jbw_agent_reward` treats an agent as a team of its own.
JBW_API void jbw_team_rewards(const jbw_world *world, const jbw_reward *reward,
                              const jbw_agent_id *agents, const int *teams, size_t count,
                              double *out);

/// Writes a reward as a text that compiles to the same reward. As with snprintf, the text is
/// truncated if it does not fit, and the result is the length of the whole text.
JBW_API size_t jbw_reward_print(const jbw_reward *reward, char *out, size_t capacity);

/// The same for the reward at `time`: schedules are replaced by the part that applies then. Up to
/// rounding, the text evaluates to the same reward at that time.
JBW_API size_t jbw_reward_print_at(const jbw_reward *reward, uint64_t time, char *out,
                                   size_t capacity);

/// The reward at `time` for collecting an item of this type, everything else being equal: the sum
/// of its Collect terms. User-defined functions are not called.
JBW_API double jbw_reward_of_collecting(const jbw_reward *reward, uint64_t time, int item_type);

JBW_END_DECLS

#endif
