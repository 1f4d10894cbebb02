// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Makes the blocks of the stages of an invariant map (invariant.h), by one hand or by many.
///
/// A worker is what one thread needs to make blocks. All workers share one store. There are no threads
/// here: whoever starts some says, in a hooks, how they take turns. The store is touched only by the
/// one whose turn it is; while a block is being made others have theirs.
///
///     stage 3            o         The owner's worker begins at the top and makes what is missing on
///                       / \        the way. Helpers begin at the bottom, with a block that can be
///     stage 2          o   +       made at once. What somebody else makes (+) is never made twice:
///                     / \ / \      whoever needs it does first what nobody does, and then waits.
///     stage 1        +   .   .
///
/// One waits only for a block of an earlier stage than all that one has begun, so two never wait for
/// each other. What is made is the same, whoever makes it and whenever.
#ifndef JBW_SIM_GENERATE_INVARIANT_BLOCK_BUILDER_H
#define JBW_SIM_GENERATE_INVARIANT_BLOCK_BUILDER_H

#include "sim/generate/invariant/block_cache.h"
#include "sim/generate/invariant/dynamics.h"

/// How threads that share blocks take turns. All zero: there is one thread.
typedef struct jbw_thread_hooks {
    void *user;
    void (*lock)(void *user);
    void (*unlock)(void *user);
    void (*wait)(void *user); ///< sleeps, unlocked, until it is woken (or for no reason)
    void (*wake)(void *user); ///< wakes all who wait
    void (*end)(void *user);  ///< ends the threads; called unlocked, once, before the blocks go
} jbw_thread_hooks;

/// Who makes blocks.
typedef struct jbw_block_worker {
    jbw_dynamics runner;
    uint8_t *canvases[JBW_STAGES]; // what the stage before has left, around the block to be made
    bool is_helper;                // works ahead, and stops when that is to end
    uint64_t gave_up;              // the want that it found no memory for; it rests until the next
    size_t bytes;                  // of memory, when it was last noted
    struct jbw_block_worker *next; // of the same blocks
} jbw_block_worker;

enum { JBW_MOST_WANTS = 128 };

typedef struct jbw_block_builder {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_block_cache store;
    jbw_thread_hooks hooks;
    jbw_block_worker *workers;
    jbw_region wants[JBW_MOST_WANTS]; // regions of the map that are needed soon, the next one first
    size_t want_count;
    uint64_t want_number; // how often something else was wanted, counted from one
    size_t sure_count;    // of those, the ones that are as good as certain
    bool is_ending;       // helpers are to stop
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_block_builder;

/// False when memory runs out; then it is to be deinitialised. The plan has stages.
bool jbw_block_builder_init(jbw_block_builder *blocks, const jbw_invariant_plan *plan,
                            uint64_t seed, size_t budget);

/// Ends it with its workers; the hooks has ended.
void jbw_block_builder_deinit(jbw_block_builder *blocks);

/// A new worker, or NULL when memory runs out.
jbw_block_worker *jbw_block_builder_add_worker(jbw_block_builder *blocks, bool is_helper);
void jbw_block_builder_remove_worker(jbw_block_builder *blocks, jbw_block_worker *worker);

/// Bytes that all of it keeps, as far as was noted; the bytes of a large block.
size_t jbw_block_builder_bytes(jbw_block_builder *blocks);
size_t jbw_block_builder_largest(const jbw_invariant_plan *plan);

/// How many draws all workers have looked at, and how many of those changed a cell.
uint64_t jbw_block_builder_proposals(jbw_block_builder *blocks);
uint64_t jbw_block_builder_accepted(jbw_block_builder *blocks);

/// Fills a region (height x width) with the state at the end of the last stage. False when memory
/// runs out.
bool jbw_block_builder_load(jbw_block_builder *blocks, jbw_block_worker *worker, jbw_region region,
                            uint8_t *cells);

/// Says what will be needed, the next first (no more than JBW_MOST_WANTS), instead of what was said
/// before. Helpers make it; who waits for something else makes what is sure.
void jbw_block_builder_want(jbw_block_builder *blocks, const jbw_region *wants, size_t count,
                            size_t sure_count);

/// Makes one wanted block that can be made at once. False if there is none.
bool jbw_block_builder_help(jbw_block_builder *blocks, jbw_block_worker *worker);

/// Helps until `jbw_block_builder_end_work` is called: what the thread of a helper does.
void jbw_block_builder_work(jbw_block_builder *blocks, jbw_block_worker *worker);
void jbw_block_builder_end_work(jbw_block_builder *blocks);

#endif
