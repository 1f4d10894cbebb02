// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A cache of the blocks of an invariant map, found by stage and place: those that are being made
/// and those that were made recently. When they take more bytes than the budget, the least recently
/// used ones are dropped. A block with holders is never dropped. Not thread-safe.
#ifndef JBW_SIM_GENERATE_INVARIANT_BLOCK_CACHE_H
#define JBW_SIM_GENERATE_INVARIANT_BLOCK_CACHE_H

#include "base/alloc.h"
#include "jbw/types.h"

typedef enum jbw_block_state {
    JBW_BLOCK_GATHERING, ///< a worker gathers the blocks that it is made from
    JBW_BLOCK_RUNNING,   ///< a worker runs its dynamics
    JBW_BLOCK_READY,     ///< its cells are valid
    JBW_BLOCK_FAILED,    ///< memory ran out; it is no longer in the cache
} jbw_block_state;

typedef struct jbw_block {
    jbw_position at; // in units of blocks
    int stage;
    jbw_block_state state;
    int holder_count;
    size_t cell_count;
    struct jbw_block *chained; // the next one in the same slot
    struct jbw_block *newer;   // by last use
    struct jbw_block *older;
    uint8_t cells[]; // (cell_count): type + 1, 0 is empty
} jbw_block;

typedef struct jbw_block_cache {
    jbw_allocator allocator;
    size_t budget; // in bytes
    size_t bytes;  // of all blocks
    jbw_block **slots;
    size_t slot_count; // a power of two
    jbw_block *newest;
    jbw_block *oldest;
} jbw_block_cache;

/// False when memory runs out.
bool jbw_block_cache_init(jbw_block_cache *cache, const jbw_allocator *allocator, size_t budget);
void jbw_block_cache_deinit(jbw_block_cache *cache);
size_t jbw_block_cache_bytes(const jbw_block_cache *cache);

/// The block, or NULL. To keep it beyond the next call, increment its `holder_count`.
jbw_block *jbw_block_cache_find(jbw_block_cache *cache, int stage, jbw_position at);

/// Adds a block where there is none, in state GATHERING and with one holder. NULL when memory runs
/// out.
jbw_block *jbw_block_cache_add(jbw_block_cache *cache, int stage, jbw_position at,
                               size_t cell_count);

/// Removes a block that could not be made. Its holders still have to release it.
void jbw_block_cache_fail(jbw_block_cache *cache, jbw_block *block);

/// Gives up one holder's claim to a block.
void jbw_block_cache_release(jbw_block_cache *cache, jbw_block *block);

#endif
