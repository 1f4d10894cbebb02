// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Blocks of an invariant map, found by stage and place: those that are being made, and those that
/// were made lately. When they take too many bytes, those that nobody asked for the longest are
/// dropped. A block that somebody holds stays. One thread at a time.
#ifndef JBW_SIM_GENERATE_INVARIANT_BLOCK_CACHE_H
#define JBW_SIM_GENERATE_INVARIANT_BLOCK_CACHE_H

#include "base/alloc.h"
#include "jbw/types.h"

typedef enum jbw_block_state {
    JBW_BLOCK_GATHERING, ///< somebody looks for the blocks that it is made from
    JBW_BLOCK_RUNNING,   ///< it is being made
    JBW_BLOCK_READY,     ///< it has its cells
    JBW_BLOCK_FAILED,    ///< memory ran out: not in the store any more, and never will be
} jbw_block_state;

typedef struct jbw_block {
    jbw_position at; // in units of blocks
    int stage;
    jbw_block_state state;
    int holder_count;
    size_t cell_count;
    struct jbw_block *chained; // in the same slot
    struct jbw_block *newer;   // by when they were asked for
    struct jbw_block *older;
    uint8_t cells[]; // type + 1, zero is empty
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
bool jbw_block_cache_init(jbw_block_cache *store, const jbw_allocator *allocator, size_t budget);
void jbw_block_cache_deinit(jbw_block_cache *store);
size_t jbw_block_cache_bytes(const jbw_block_cache *store);

/// The block, or NULL. Who wants to keep it for a while must hold it.
jbw_block *jbw_block_cache_find(jbw_block_cache *store, int stage, jbw_position at);

/// A new block, gathering and held once, or NULL when memory runs out. There is none in this place.
jbw_block *jbw_block_cache_add(jbw_block_cache *store, int stage, jbw_position at,
                               size_t cell_count);

/// Takes a block that could not be made out of the store. Those who hold it have to release it.
void jbw_block_cache_fail(jbw_block_cache *store, jbw_block *block);

/// Ends holding a block.
void jbw_block_cache_release(jbw_block_cache *store, jbw_block *block);

#endif
