// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/wire/scratch.h"

#include "base/alloc.h"

enum { FIRST_BLOCK_SIZE = 4096 };

struct jbw_scratch_block {
    struct jbw_scratch_block *next;
    size_t used;
    size_t capacity;
    max_align_t memory[];
};

typedef struct jbw_scratch_block scratch_block;

static void free_block(const jbw_scratch *scratch, scratch_block *block)
{
    jbw_free(&scratch->allocator, block, sizeof *block + block->capacity);
}

void jbw_scratch_reset(jbw_scratch *scratch)
{
    scratch_block *block = scratch->blocks;
    if (!block) return;
    // blocks double, so the newest alone is as large as all the others
    while (block->next) {
        scratch_block *old = block->next;
        block->next = old->next;
        free_block(scratch, old);
    }
    block->used = 0;
}

void jbw_scratch_deinit(jbw_scratch *scratch)
{
    jbw_scratch_reset(scratch);
    if (scratch->blocks) free_block(scratch, scratch->blocks);
    scratch->blocks = NULL;
}

void *jbw_scratch_alloc(jbw_scratch *scratch, size_t count, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    if (count > (SIZE_MAX / 4) / size) return NULL;
    const size_t wanted = (count * size + unit - 1) / unit * unit;
    scratch_block *block = scratch->blocks;
    if (!block || wanted > block->capacity - block->used) {
        size_t capacity = block ? 2 * block->capacity : FIRST_BLOCK_SIZE;
        while (capacity < wanted) capacity *= 2;
        block = jbw_alloc(&scratch->allocator, sizeof *block + capacity);
        if (!block) return NULL;
        *block = (scratch_block){.next = scratch->blocks, .capacity = capacity};
        scratch->blocks = block;
    }
    void *memory = (uint8_t *)block->memory + block->used;
    block->used += wanted;
    return memory;
}
