// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Makes the blocks of an invariant map (invariant.h), with one worker or many.
///
/// A worker is the memory that one thread needs to make blocks. All workers share one cache. The
/// builder starts no threads; code that does provides thread hooks to lock, wait and wake. The
/// cache is accessed only under the lock. The lock is free while a worker makes a block.
///
///     stage 3            o         The owner's worker starts at the top and makes missing blocks
///                       / \        on the way. Helpers start at the bottom, with a block that can
///     stage 2          o   +       be made at once. A block that another worker is making (+) is
///                     / \ / \      never made twice: a worker that needs it first does work that
///     stage 1        +   .   .     nobody else is doing, and then waits.
///
/// A worker waits only for a block of an earlier stage than all blocks that it has begun, so there
/// are no deadlocks. The cells of a block do not depend on who makes it, or when.
#ifndef JBW_SIM_GENERATE_INVARIANT_BLOCK_BUILDER_H
#define JBW_SIM_GENERATE_INVARIANT_BLOCK_BUILDER_H

#include "sim/generate/invariant/block_cache.h"
#include "sim/generate/invariant/dynamics.h"

/// Synchronises the threads that share a builder. All zero if there is only one thread.
typedef struct jbw_thread_hooks {
    void *user;
    void (*lock)(void *user);
    void (*unlock)(void *user);
    void (*wait)(void *user); ///< sleeps, with the lock released, until woken; may return early
    void (*wake)(void *user); ///< wakes all threads that wait
    void (*end)(void *user);  ///< ends the threads; called once, unlocked, before the builder ends
} jbw_thread_hooks;

typedef struct jbw_block_worker {
    jbw_dynamics dynamics;
    uint8_t *inputs[JBW_STAGES];   // by stage: the cells that a block is made from
    bool is_helper;                // works ahead, and stops when `is_ending`
    uint64_t gave_up_at;           // the `want_number` at which memory ran out; idle until the next
    size_t bytes;                  // of memory, when last noted
    struct jbw_block_worker *next; // of the same builder
} jbw_block_worker;

enum { JBW_MOST_WANTS = 128 };

typedef struct jbw_block_builder {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_block_cache cache;
    jbw_thread_hooks hooks;
    jbw_block_worker *workers;
    jbw_region wants[JBW_MOST_WANTS]; // regions of the map that will be needed, the next one first
    size_t want_count;
    size_t sure_count;    // how many of those are practically certain
    uint64_t want_number; // counts updates of `wants`, from one
    bool is_ending;       // helpers must stop
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_block_builder;

/// The plan must have stages. False when memory runs out; it must be deinitialised even then.
bool jbw_block_builder_init(jbw_block_builder *builder, const jbw_invariant_plan *plan,
                            uint64_t seed, size_t budget);

/// Removes all workers. Their threads must have ended.
void jbw_block_builder_deinit(jbw_block_builder *builder);

/// Adds a worker, which the builder owns. NULL when memory runs out.
jbw_block_worker *jbw_block_builder_add_worker(jbw_block_builder *builder, bool is_helper);
void jbw_block_builder_remove_worker(jbw_block_builder *builder, jbw_block_worker *worker);

/// Bytes of the cache and of all workers, as last noted.
size_t jbw_block_builder_bytes(jbw_block_builder *builder);

/// Bytes of the largest block of a plan.
size_t jbw_block_builder_largest(const jbw_invariant_plan *plan);

/// How many draws all workers have looked at, and how many of those changed a cell.
uint64_t jbw_block_builder_proposals(jbw_block_builder *builder);
uint64_t jbw_block_builder_accepted(jbw_block_builder *builder);

/// Fills a region (height x width) with the state at the end of the last stage. False when memory
/// runs out.
bool jbw_block_builder_load(jbw_block_builder *builder, jbw_block_worker *worker, jbw_region region,
                            uint8_t *cells);

/// Replaces the list of regions that will be needed: at most JBW_MOST_WANTS, the next one first.
/// Helpers make all of them. A worker that has to wait makes the first `sure_count` meanwhile.
void jbw_block_builder_want(jbw_block_builder *builder, const jbw_region *wants, size_t count,
                            size_t sure_count);

/// Makes one wanted block that can be made at once. False if there is none.
bool jbw_block_builder_help(jbw_block_builder *builder, jbw_block_worker *worker);

/// The main function of a helper thread: helps until `jbw_block_builder_end_work` is called.
void jbw_block_builder_work(jbw_block_builder *builder, jbw_block_worker *worker);
void jbw_block_builder_end_work(jbw_block_builder *builder);

#endif
