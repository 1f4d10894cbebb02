// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/block_cache.h"

#include "base/rng.h"

enum { TYPICAL_BYTES = 1 << 14 };

static size_t block_bytes(const jbw_block *block)
{
    return sizeof(jbw_block) + block->cell_count;
}

bool jbw_block_cache_init(jbw_block_cache *cache, const jbw_allocator *allocator, size_t budget)
{
    *cache = (jbw_block_cache){.allocator = *allocator, .budget = budget, .slot_count = 16};
    while (cache->slot_count < budget / TYPICAL_BYTES && cache->slot_count < ((size_t)1 << 20))
        cache->slot_count *= 2;
    cache->slots = jbw_alloc_zero(allocator, cache->slot_count, sizeof *cache->slots);
    return cache->slots != NULL;
}

static void free_block(const jbw_block_cache *cache, jbw_block *block)
{
    jbw_free(&cache->allocator, block, block_bytes(block));
}

void jbw_block_cache_deinit(jbw_block_cache *cache)
{
    jbw_block *block = cache->newest;
    while (block) {
        jbw_block *older = block->older;
        free_block(cache, block);
        block = older;
    }
    jbw_free(&cache->allocator, cache->slots, cache->slot_count * sizeof *cache->slots);
    *cache = (jbw_block_cache){0};
}

size_t jbw_block_cache_bytes(const jbw_block_cache *cache)
{
    return cache->bytes + cache->slot_count * sizeof *cache->slots;
}

static jbw_block **find_slot(jbw_block_cache *cache, int stage, jbw_position at)
{
    uint64_t name = jbw_mix64((uint64_t)at.x + (uint64_t)stage);
    name = jbw_mix64(name + (uint64_t)at.y);
    return &cache->slots[name & (cache->slot_count - 1)];
}

static void unlink_block(jbw_block_cache *cache, jbw_block *block)
{
    *(block->newer ? &block->newer->older : &cache->newest) = block->older;
    *(block->older ? &block->older->newer : &cache->oldest) = block->newer;
}

static void link_newest(jbw_block_cache *cache, jbw_block *block)
{
    block->newer = NULL;
    block->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = block;
    cache->newest = block;
}

jbw_block *jbw_block_cache_find(jbw_block_cache *cache, int stage, jbw_position at)
{
    jbw_block *block = *find_slot(cache, stage, at);
    while (block && (block->stage != stage || block->at.x != at.x || block->at.y != at.y))
        block = block->chained;
    if (block) {
        unlink_block(cache, block);
        link_newest(cache, block);
    }
    return block;
}

static void take_out(jbw_block_cache *cache, jbw_block *block)
{
    jbw_block **slot = find_slot(cache, block->stage, block->at);
    while (*slot != block) slot = &(*slot)->chained;
    *slot = block->chained;
    unlink_block(cache, block);
    cache->bytes -= block_bytes(block);
}

// drops the oldest blocks without holders until the rest is within the budget
static void trim(jbw_block_cache *cache)
{
    jbw_block *block = cache->oldest;
    while (block && cache->bytes > cache->budget) {
        jbw_block *newer = block->newer;
        if (block->holder_count == 0) {
            take_out(cache, block);
            free_block(cache, block);
        }
        block = newer;
    }
}

jbw_block *jbw_block_cache_add(jbw_block_cache *cache, int stage, jbw_position at,
                               size_t cell_count)
{
    jbw_block *block = jbw_alloc(&cache->allocator, sizeof *block + cell_count);
    if (!block) return NULL;
    jbw_block **slot = find_slot(cache, stage, at);
    *block = (jbw_block){.at = at,
                         .stage = stage,
                         .state = JBW_BLOCK_GATHERING,
                         .holder_count = 1,
                         .cell_count = cell_count,
                         .chained = *slot};
    *slot = block;
    link_newest(cache, block);
    cache->bytes += block_bytes(block);
    trim(cache);
    return block;
}

void jbw_block_cache_fail(jbw_block_cache *cache, jbw_block *block)
{
    take_out(cache, block);
    block->state = JBW_BLOCK_FAILED;
}

void jbw_block_cache_release(jbw_block_cache *cache, jbw_block *block)
{
    block->holder_count--;
    if (block->state != JBW_BLOCK_FAILED)
        trim(cache);
    else if (block->holder_count == 0)
        free_block(cache, block);
}
