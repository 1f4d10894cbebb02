// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards: text in the paper's notation, compiled once, evaluated at each step without allocating.
/// docs/rewards.md describes the language. A compiled reward is read-only: any number of worlds, in
/// any threads, share it.
#ifndef JBW_REWARD_H
#define JBW_REWARD_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_reward jbw_reward;

/// What a reward is paid for: one agent's part in one step.
typedef struct jbw_reward_step {
    uint64_t time;  ///< before the step
    bool has_acted; ///< it asked for something other than NoOp, blocked or not
    int collected;  ///< the item type, or -1
    jbw_position start;
    jbw_position position_before;
    jbw_position position;
} jbw_reward_step;

/// A user's own reward function, used in reward texts by its name. Must be a pure function of what
/// it is given.
typedef struct jbw_reward_function {
    const char *name;   ///< letters, digits and '_', and none that the language has
    int argument_count; ///< numbers, 0 to 16
    double (*value)(const double *arguments, const jbw_reward_step *step, void *user);
    void *user;
} jbw_reward_function;

/// Compiles a text such as "Collect[JellyBean] & Avoid[Onion]". Item names are those of the model,
/// which is not kept, though its allocator is. `functions` are the user's own and may be NULL; they
/// are copied, so only what `user` points at must outlive the reward. On failure `*out` is NULL and
/// `error` (may be NULL) says what was found and expected, and where: JBW_INVALID_EXPRESSION for
/// the text, JBW_INVALID_ARGUMENT for a function that cannot be one.
JBW_API jbw_status jbw_reward_compile(const jbw_model *model, const char *text,
                                      const jbw_reward_function *functions, size_t function_count,
                                      jbw_reward **out, jbw_error *error);

/// Ends a reward. NULL is fine.
JBW_API void jbw_reward_destroy(jbw_reward *reward);

/// The reward for a step.
JBW_API double jbw_reward_evaluate(const jbw_reward *reward, const jbw_reward_step *step);

/// The reward of an agent for the latest step; zero if it has not seen one, or is gone.
JBW_API double jbw_agent_reward(const jbw_world *world, jbw_agent_id agent,
                                const jbw_reward *reward);

/// Writes the reward as text that compiles to the same program; as with snprintf, returns the
/// length that it has, and cuts what does not fit.
JBW_API size_t jbw_reward_print(const jbw_reward *reward, char *out, size_t capacity);

/// The same for what is in force at `time`: schedules are replaced by what they have chosen. That
/// pays the same at every time, up to rounding.
JBW_API size_t jbw_reward_print_at(const jbw_reward *reward, uint64_t time, char *out,
                                   size_t capacity);

/// What the reward in force at `time` pays for collecting an item of this type, all else equal: the
/// sum over its Collect terms. The user's own functions are not asked.
JBW_API double jbw_reward_of_collecting(const jbw_reward *reward, uint64_t time, int item_type);

JBW_END_DECLS

#endif
