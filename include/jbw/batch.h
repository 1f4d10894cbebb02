// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Many worlds, stepped together by a pool of threads, straight into buffers of the caller. A thread
/// takes whole worlds, so results do not depend on the number of threads. A batch itself belongs to
/// one thread at a time. A call that returns JBW_INVALID_ARGUMENT has changed nothing.
#ifndef JBW_BATCH_H
#define JBW_BATCH_H

#include "jbw/agent.h"
#include "jbw/reward.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_batch jbw_batch;

/// One world of a batch.
typedef struct jbw_batch_world {
    const jbw_model *model; ///< shared or its own; all must agree in shapes, actions and items
    uint64_t seed;
    int agent_count;          ///< at least one; added at their default places, one by one
    const jbw_reward *reward; ///< of all its agents; NULL pays nothing
} jbw_batch_world;

/// Where results go, one row per agent: world 0's agents first, in the order of adding. Buffers
/// belong to the caller and must stay until the batch ends or others are set. Any may be NULL.
typedef struct jbw_batch_buffers {
    float *vision;       ///< (agents, side, side, color_dimensions)
    float *scent;        ///< (agents, scent_dimensions)
    double *reward;      ///< (agents)
    uint8_t *moved;      ///< (agents): 1 if it is in another cell than before
    int32_t *collected;  ///< (agents): item type, or -1
    int64_t *position;   ///< (agents, 2): x and y
    uint8_t *direction;  ///< (agents): a jbw_direction
    uint64_t *time;      ///< (agents): of its world
    uint64_t *inventory; ///< (agents, item types)
    uint8_t *items;      ///< (agents, side, side): as jbw_agent_see_items
} jbw_batch_buffers;

/// Makes a batch with that many threads (at least one, the caller's own counts when stepping
/// synchronously; 0 means one per processor; never more than there are worlds), adds all agents and
/// writes their first perceptions, zero for `reward` and `moved` and -1 for `collected`. `buffers`
/// is copied and may be NULL. On failure `*out` is NULL, and `error` (may be NULL) says more. Models
/// and rewards must outlive it. Memory comes from the first world's model.
JBW_API jbw_status jbw_batch_create(const jbw_batch_world *worlds, size_t world_count,
                                    int thread_count, const jbw_batch_buffers *buffers,
                                    jbw_batch **out, jbw_error *error);

/// Ends a batch, with all its worlds. Those at work finish their step first. NULL is fine.
JBW_API void jbw_batch_destroy(jbw_batch *batch);

JBW_API size_t jbw_batch_world_count(const jbw_batch *batch);
JBW_API size_t jbw_batch_agent_count(const jbw_batch *batch);

/// A world of the batch, to look at between steps; NULL if there is none, or it was sent and not
/// received yet. A reset replaces it.
JBW_API jbw_world *jbw_batch_get_world(jbw_batch *batch, size_t index);

/// The id of an agent, by its row; no agent if there is no such row.
JBW_API jbw_agent_id jbw_batch_agent(const jbw_batch *batch, size_t row);

/// Steps all worlds: (agents) action numbers, by row. A bad action, or a world that was sent and not
/// received yet, is JBW_INVALID_ARGUMENT. If a world fails for want of memory, it and its rows stay
/// as they were, the others have stepped, and the status of the first that failed is returned.
JBW_API jbw_status jbw_batch_step(jbw_batch *batch, const int32_t *actions);

/// Starts a new life in one world: a new seed, its agents added anew, first perceptions written. On
/// failure the old life goes on.
JBW_API jbw_status jbw_batch_reset(jbw_batch *batch, size_t index, uint64_t seed);

/// Puts a world that was saved, or copied, in the place of another one, which ends; the batch owns it
/// from now on. It must have as many agents as the other began with, in the order of adding, and a
/// model that agrees and outlives the batch. Its rows become what they were after its latest step.
/// JBW_INVALID_ARGUMENT changes nothing, and the world stays the caller's.
JBW_API jbw_status jbw_batch_set_world(jbw_batch *batch, size_t index, jbw_world *world);

/// Hands actions to some worlds and returns at once: `count` worlds by index, and for each, in that
/// order, the actions of its agents; both are copied. A world that was sent and not received yet, or
/// is named twice, is JBW_INVALID_ARGUMENT, and nothing is sent.
JBW_API jbw_status jbw_batch_send(jbw_batch *batch, const size_t *worlds, size_t count,
                                  const int32_t *actions);

/// Waits until at least `wanted` of the worlds that were sent are done, and writes the indexes of
/// those that are, at most `capacity`, in the order in which they finished. Fewer if fewer are
/// under way. More wanted than there is capacity for is JBW_INVALID_ARGUMENT. If some of those
/// received failed, they and their rows are as they were before, and the status of the first such
/// is returned.
JBW_API jbw_status jbw_batch_receive(jbw_batch *batch, size_t wanted, size_t *worlds,
                                     size_t capacity, size_t *count);

JBW_END_DECLS

#endif
