// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches: many worlds that a pool of threads steps together, straight into your buffers. A world
/// is always stepped by a single thread, so results do not depend on the number of threads. A batch
/// may be used by one thread at a time. A call that returns JBW_INVALID_ARGUMENT has changed
/// nothing.
#ifndef JBW_BATCH_H
#define JBW_BATCH_H

#include "jbw/agent.h"
#include "jbw/observation.h"
#include "jbw/policy.h"
#include "jbw/reward.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_batch jbw_batch;

/// One world of a batch.
typedef struct jbw_batch_world {
    const jbw_model *model; ///< may differ between worlds, but not in shapes, actions and items
    uint64_t seed;
    int agent_count;          ///< at least one; added at their default places, one by one
    const int *bodies;        ///< (agent_count): their bodies, as in jbw_agent_options; NULL: all 0
    const jbw_reward *reward; ///< for all its agents; NULL means that the reward is zero
    /// (agent_count) the reward of each agent instead, NULL for none; Team[r] of one is paid for what the
    /// others do by its own r. NULL: all have `reward`. Copied.
    const jbw_reward *const *rewards;
    const int
        *teams; ///< (agent_count) the team of each agent, for Team[r]; NULL: all are one. Copied.
    /// Called for each new world, also after a reset, before agents are added: `jbw_atlas_attach` gives
    /// it an atlas. May be called in any thread of the batch. NULL: nothing to prepare.
    jbw_status (*prepare)(jbw_world *world, void *user);
    void *prepare_user;
} jbw_batch_world;

/// Where a batch writes, with one row per agent: first the agents of world 0 in the order in which
/// they were added, then those of world 1, and so on. Unwanted buffers are NULL.
typedef struct jbw_batch_buffers {
    jbw_observation parts; ///< (agents, ...): row r of a part starts at pointer + r * count
    double *reward;        ///< (agents)
} jbw_batch_buffers;

/// Creates the worlds with their agents and writes the first observations; `reward` and `moved` are
/// 0 then, and `collected` is -1. `thread_count` includes the calling thread, which takes part in
/// synchronous steps; 0 means one per processor, and there are never more threads than worlds.
/// `buffers` (may be NULL) is copied; the buffers themselves stay yours and must outlive the batch,
/// as must models, rewards and lists of bodies. Memory comes from the first world's model. On failure `*out` is
/// NULL, and `error` (may be NULL) says why.
JBW_API jbw_status jbw_batch_create(const jbw_batch_world *worlds, size_t world_count,
                                    int thread_count, const jbw_batch_buffers *buffers,
                                    jbw_batch **out, jbw_error *error);

/// Destroys a batch and its worlds, after waiting for steps in progress. NULL is fine.
JBW_API void jbw_batch_destroy(jbw_batch *batch);

JBW_API size_t jbw_batch_world_count(const jbw_batch *batch);

/// The number of agents in all worlds, which is the number of rows.
JBW_API size_t jbw_batch_agent_count(const jbw_batch *batch);

/// A world of the batch, to look at between steps. A reset replaces it. NULL if there is no such
/// world, or it was sent and not received yet.
JBW_API jbw_world *jbw_batch_get_world(jbw_batch *batch, size_t index);

/// The agent of a row; all zero if there is no such row.
JBW_API jbw_agent_id jbw_batch_agent(const jbw_batch *batch, size_t row);

/// Writes parts of the observations of all agents as they are now, in rows, to buffers other than
/// those of the batch. JBW_INVALID_ARGUMENT if a world was sent and not received yet.
JBW_API jbw_status jbw_batch_observe(jbw_batch *batch, const jbw_observation *parts);

/// Steps all worlds. `actions`: (agents), by row. JBW_INVALID_ARGUMENT if an action does not exist,
/// or a world was sent and not received yet. If a world runs out of memory, it and its rows stay as
/// they were, all others step, and the status of the first world that failed is returned.
JBW_API jbw_status jbw_batch_step(jbw_batch *batch, const int32_t *actions);

/// The same, but writes to other buffers this time, whatever those of the batch are. `buffers` may
/// not want a part that the batch does not have. After a failure they are incomplete.
JBW_API jbw_status jbw_batch_step_into(jbw_batch *batch, const int32_t *actions,
                                       const jbw_batch_buffers *buffers);

/// What the agents of some worlds say with the actions of their next step: `worlds` (count) are
/// indexes, NULL for the first `count`; `say` has the symbols of their agents, in that order, or 0 for
/// silence. Copied, and over after that step. JBW_INVALID_ARGUMENT if there is no such symbol or world,
/// or one was sent and not received yet.
JBW_API jbw_status jbw_batch_say(jbw_batch *batch, const size_t *worlds, size_t count,
                                 const int32_t *say);

/// What the agent of a row writes: the next item it asks to drop that may carry a text carries this
/// one. NULL or an empty text takes it back, and so does a reset. JBW_INVALID_ARGUMENT if the text is
/// not UTF-8 of at most JBW_MAX_TEXT bytes, if no items carry texts, or if the world is under way.
JBW_API jbw_status jbw_batch_write(jbw_batch *batch, size_t row, const char *text);

/// The text of a row that waits for its item; empty if there is none, or no such row. Valid until the
/// next call.
JBW_API const char *jbw_batch_written(const jbw_batch *batch, size_t row);

/// Lets all agents live for some steps, each with a policy of its own: `policies` (agents), by row,
/// all different. A world, its agents and their policies stay on one thread, so learners learn what
/// they would have learnt alone. The reward is that of the world. `totals` (agents; may be NULL)
/// receives sums of rewards; the rows of the batch are written at the end. If a world runs out of
/// memory, it stops there, and the status of the first world that failed is returned.
JBW_API jbw_status jbw_batch_live(jbw_batch *batch, jbw_policy *const *policies, uint64_t steps,
                                  double *totals);

/// Lets one policy, made for as many agents as there are rows, look at what all of them perceive and
/// choose their next actions: `actions` (agents). Tell it of the rewards with
/// `jbw_policy_reward_all`.
JBW_API jbw_status jbw_batch_choose(jbw_batch *batch, jbw_policy *policy, int32_t *actions);

/// Lets all agents live for some steps with one such policy. Worlds step on all threads, the policy
/// thinks on this one; how many threads there are makes no difference to what it learns. `totals` is
/// as above. If a world runs out of memory, that status is returned after the step in which it did.
JBW_API jbw_status jbw_batch_share(jbw_batch *batch, jbw_policy *policy, uint64_t steps,
                                   double *totals);

/// Replaces one world by a new one with another seed, adds its agents, and writes their first
/// observations. On failure the old world stays.
JBW_API jbw_status jbw_batch_reset(jbw_batch *batch, size_t index, uint64_t seed);

/// Removes the agent of a row from its world, together with what it carries. The row stays, empty:
/// all its parts are zero, but `collected` is -1, and its action is ignored. The rows of
/// that world are written again. JBW_NO_SUCH_AGENT if the row is empty, JBW_INVALID_ARGUMENT if there is
/// no such row or its world was sent and not received yet. `jbw_batch_reset` fills all rows again; a
/// policy that all agents share needs them all.
JBW_API jbw_status jbw_batch_leave(jbw_batch *batch, size_t row);

/// Adds an agent to the world of an empty row; `options` are those of `jbw_world_add_agent`. The rows
/// of that world are written again. JBW_INVALID_ARGUMENT if the row is not empty.
JBW_API jbw_status jbw_batch_join(jbw_batch *batch, size_t row, const jbw_agent_options *options);

/// Replaces one world by a world that was loaded or cloned; the batch then owns it. It must have as
/// many agents as the world that it replaces started with, and its model must have the same shapes,
/// actions and items and outlive the batch. Its rows become what they were after its latest step.
/// On JBW_INVALID_ARGUMENT the world stays yours.
JBW_API jbw_status jbw_batch_set_world(jbw_batch *batch, size_t index, jbw_world *world);

/// The same, and says which agent belongs to each row of the world: `agents`, all zero for a row that
/// is empty. JBW_INVALID_ARGUMENT if one is listed twice or is not in the world.
JBW_API jbw_status jbw_batch_seat_world(jbw_batch *batch, size_t index, jbw_world *world,
                                        const jbw_agent_id *agents);

/// Starts a step of some worlds and returns at once. `worlds`: (count) indexes; `actions`: those of
/// their agents, in that order. Both are copied. If a world is listed twice, or was sent and not
/// received yet, the call is JBW_INVALID_ARGUMENT and nothing is sent.
JBW_API jbw_status jbw_batch_send(jbw_batch *batch, const size_t *worlds, size_t count,
                                  const int32_t *actions);

/// Waits until at least `wanted` of the worlds that were sent are done, or all of them if fewer are
/// in progress. Writes the indexes of the worlds that are done, at most `capacity`, in the order in
/// which they finished. If some of these failed, they and their rows are as they were before, and
/// the status of the first of them is returned. `wanted` above `capacity` is JBW_INVALID_ARGUMENT.
JBW_API jbw_status jbw_batch_receive(jbw_batch *batch, size_t wanted, size_t *worlds,
                                     size_t capacity, size_t *count);

JBW_END_DECLS

#endif
