// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/block_cache.h"

#include "base/rng.h"

enum { TYPICAL_BYTES = 1 << 14 };

static size_t block_bytes(const jbw_block *block)
{
    return sizeof(jbw_block) + block->cell_count;
}

bool jbw_block_cache_init(jbw_block_cache *store, const jbw_allocator *allocator, size_t budget)
{
    *store = (jbw_block_cache){.allocator = *allocator, .budget = budget, .slot_count = 16};
    while (store->slot_count < budget / TYPICAL_BYTES && store->slot_count < ((size_t)1 << 20))
        store->slot_count *= 2;
    store->slots = jbw_alloc_zero(allocator, store->slot_count, sizeof *store->slots);
    return store->slots != NULL;
}

static void free_block(const jbw_block_cache *store, jbw_block *block)
{
    jbw_free(&store->allocator, block, block_bytes(block));
}

void jbw_block_cache_deinit(jbw_block_cache *store)
{
    jbw_block *block = store->newest;
    while (block) {
        jbw_block *older = block->older;
        free_block(store, block);
        block = older;
    }
    jbw_free(&store->allocator, store->slots, store->slot_count * sizeof *store->slots);
    *store = (jbw_block_cache){0};
}

size_t jbw_block_cache_bytes(const jbw_block_cache *store)
{
    return store->bytes + store->slot_count * sizeof *store->slots;
}

static jbw_block **find_slot(jbw_block_cache *store, int stage, jbw_position at)
{
    uint64_t name = jbw_mix64((uint64_t)at.x + (uint64_t)stage);
    name = jbw_mix64(name + (uint64_t)at.y);
    return &store->slots[name & (store->slot_count - 1)];
}

static void unlink_block(jbw_block_cache *store, jbw_block *block)
{
    *(block->newer ? &block->newer->older : &store->newest) = block->older;
    *(block->older ? &block->older->newer : &store->oldest) = block->newer;
}

static void link_newest(jbw_block_cache *store, jbw_block *block)
{
    block->newer = NULL;
    block->older = store->newest;
    *(store->newest ? &store->newest->newer : &store->oldest) = block;
    store->newest = block;
}

jbw_block *jbw_block_cache_find(jbw_block_cache *store, int stage, jbw_position at)
{
    jbw_block *block = *find_slot(store, stage, at);
    while (block && (block->stage != stage || block->at.x != at.x || block->at.y != at.y))
        block = block->chained;
    if (block) {
        unlink_block(store, block);
        link_newest(store, block);
    }
    return block;
}

static void take_out(jbw_block_cache *store, jbw_block *block)
{
    jbw_block **slot = find_slot(store, block->stage, block->at);
    while (*slot != block) slot = &(*slot)->chained;
    *slot = block->chained;
    unlink_block(store, block);
    store->bytes -= block_bytes(block);
}

// drops blocks that nobody holds until the rest is within the budget
static void trim(jbw_block_cache *store)
{
    jbw_block *block = store->oldest;
    while (block && store->bytes > store->budget) {
        jbw_block *newer = block->newer;
        if (block->holder_count == 0) {
            take_out(store, block);
            free_block(store, block);
        }
        block = newer;
    }
}

jbw_block *jbw_block_cache_add(jbw_block_cache *store, int stage, jbw_position at,
                               size_t cell_count)
{
    jbw_block *block = jbw_alloc(&store->allocator, sizeof *block + cell_count);
    if (!block) return NULL;
    jbw_block **slot = find_slot(store, stage, at);
    *block = (jbw_block){.at = at,
                         .stage = stage,
                         .state = JBW_BLOCK_GATHERING,
                         .holder_count = 1,
                         .cell_count = cell_count,
                         .chained = *slot};
    *slot = block;
    link_newest(store, block);
    store->bytes += block_bytes(block);
    trim(store);
    return block;
}

void jbw_block_cache_fail(jbw_block_cache *store, jbw_block *block)
{
    take_out(store, block);
    block->state = JBW_BLOCK_FAILED;
}

void jbw_block_cache_release(jbw_block_cache *store, jbw_block *block)
{
    block->holder_count--;
    if (block->state != JBW_BLOCK_FAILED)
        trim(store);
    else if (block->holder_count == 0)
        free_block(store, block);
}
