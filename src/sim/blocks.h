// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Makes the blocks of the stages of an invariant map (invariant.h), by one hand or by many.
///
/// A hand is what one thread needs to make blocks. All hands share one store. There are no threads
/// here: whoever starts some says, in a crew, how they take turns. The store is touched only by the
/// one whose turn it is; while a block is being made others have theirs.
///
///     stage 3            o         The owner's hand begins at the top and makes what is missing on
///                       / \        the way. Helpers begin at the bottom, with a block that can be
///     stage 2          o   +       made at once. What somebody else makes (+) is never made twice:
///                     / \ / \      whoever needs it does first what nobody does, and then waits.
///     stage 1        +   .   .
///
/// One waits only for a block of an earlier stage than all that one has begun, so two never wait for
/// each other. What is made is the same, whoever makes it and whenever.
#ifndef JBW_SIM_BLOCKS_H
#define JBW_SIM_BLOCKS_H

#include "sim/block_store.h"
#include "sim/invariant_run.h"

/// How threads that share blocks take turns. All zero: there is one thread.
typedef struct jbw_crew {
    void *user;
    void (*lock)(void *user);
    void (*unlock)(void *user);
    void (*wait)(void *user); ///< sleeps, unlocked, until it is woken (or for no reason)
    void (*wake)(void *user); ///< wakes all who wait
    void (*end)(void *user);  ///< ends the threads; called unlocked, once, before the blocks go
} jbw_crew;

/// Who makes blocks.
typedef struct jbw_hand {
    jbw_invariant_runner runner;
    uint8_t *canvases[JBW_STAGES]; // what the stage before has left, around the block to be made
    bool is_helper;                // works ahead, and stops when that is to end
    uint64_t gave_up;              // the want that it found no memory for; it rests until the next
    size_t bytes;                  // of memory, when it was last noted
    struct jbw_hand *next;         // of the same blocks
} jbw_hand;

enum { JBW_MOST_WANTS = 128 };

typedef struct jbw_blocks {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_block_store store;
    jbw_crew crew;
    jbw_hand *hands;
    jbw_region wants[JBW_MOST_WANTS]; // regions of the map that are needed soon, the next one first
    size_t want_count;
    uint64_t want_number; // how often something else was wanted, counted from one
    size_t sure_count;    // of those, the ones that are as good as certain
    bool is_ending;       // helpers are to stop
    uint64_t proposal_count;
    uint64_t accepted_count;
} jbw_blocks;

/// False when memory runs out; then it is to be deinitialised. The plan has stages.
bool jbw_blocks_init(jbw_blocks *blocks, const jbw_invariant_plan *plan, uint64_t seed,
                     size_t budget);

/// Ends it with its hands; the crew has ended.
void jbw_blocks_deinit(jbw_blocks *blocks);

/// A new hand, or NULL when memory runs out.
jbw_hand *jbw_blocks_add_hand(jbw_blocks *blocks, bool is_helper);
void jbw_blocks_remove_hand(jbw_blocks *blocks, jbw_hand *hand);

/// Bytes that all of it keeps, as far as was noted; the bytes of a large block.
size_t jbw_blocks_bytes(jbw_blocks *blocks);
size_t jbw_blocks_largest(const jbw_invariant_plan *plan);

/// How many draws all hands have looked at, and how many of those changed a cell.
uint64_t jbw_blocks_proposals(jbw_blocks *blocks);
uint64_t jbw_blocks_accepted(jbw_blocks *blocks);

/// Fills a region (height x width) with the state at the end of the last stage. False when memory
/// runs out.
bool jbw_blocks_load(jbw_blocks *blocks, jbw_hand *hand, jbw_region region, uint8_t *cells);

/// Says what will be needed, the next first (no more than JBW_MOST_WANTS), instead of what was said
/// before. Helpers make it; who waits for something else makes what is sure.
void jbw_blocks_want(jbw_blocks *blocks, const jbw_region *wants, size_t count, size_t sure_count);

/// Makes one wanted block that can be made at once. False if there is none.
bool jbw_blocks_help(jbw_blocks *blocks, jbw_hand *hand);

/// Helps until `jbw_blocks_end_work` is called: what the thread of a helper does.
void jbw_blocks_work(jbw_blocks *blocks, jbw_hand *hand);
void jbw_blocks_end_work(jbw_blocks *blocks);

#endif
