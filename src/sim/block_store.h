// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Blocks of an invariant map that were made lately, found by stage and place. Those that nobody
/// asked for the longest are dropped when they take too many bytes.
#ifndef JBW_SIM_BLOCK_STORE_H
#define JBW_SIM_BLOCK_STORE_H

#include "base/alloc.h"
#include "jbw/types.h"

typedef struct jbw_block {
    jbw_position at; // in units of blocks
    int stage;
    size_t cell_count;
    struct jbw_block *chained; // in the same slot
    struct jbw_block *newer;   // by when they were asked for
    struct jbw_block *older;
    uint8_t cells[]; // type + 1, zero is empty
} jbw_block;

typedef struct jbw_block_store {
    jbw_allocator allocator;
    size_t budget; // in bytes
    size_t bytes;  // of all blocks
    jbw_block **slots;
    size_t slot_count; // a power of two
    jbw_block *newest;
    jbw_block *oldest;
} jbw_block_store;

/// False when memory runs out.
bool jbw_block_store_init(jbw_block_store *store, const jbw_allocator *allocator, size_t budget);
void jbw_block_store_deinit(jbw_block_store *store);
size_t jbw_block_store_bytes(const jbw_block_store *store);

/// The block, or NULL.
jbw_block *jbw_block_store_find(jbw_block_store *store, int stage, jbw_position at);

/// A new block that is not in the store, or NULL when memory runs out.
jbw_block *jbw_block_store_new(const jbw_block_store *store, int stage, jbw_position at,
                               size_t cell_count);

/// Ends a block that is not in the store.
void jbw_block_store_free(const jbw_block_store *store, jbw_block *block);

/// Keeps a new block, or frees it if there is room for none.
void jbw_block_store_keep(jbw_block_store *store, jbw_block *block);

#endif
