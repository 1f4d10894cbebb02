// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/poison.h"

void *jbw_alloc(const jbw_allocator *allocator, size_t size)
{
    if (size == 0) size = 1;
    return allocator->allocate ? allocator->allocate(size, allocator->user) : malloc(size);
}

void *jbw_alloc_zero(const jbw_allocator *allocator, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    // large blocks then take memory only where they are used
    if (!allocator->allocate) return calloc(count * size > 0 ? count * size : 1, 1);
    void *memory = jbw_alloc(allocator, count * size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void jbw_free(const jbw_allocator *allocator, void *memory, size_t size)
{
    if (!memory) return;
    if (size == 0) size = 1;
    if (allocator->release)
        allocator->release(memory, size, allocator->user);
    else
        free(memory);
}

bool jbw_grow(const jbw_allocator *allocator, void *array, size_t *capacity, size_t needed,
              size_t element_size)
{
    if (needed <= *capacity) return true;
    if (needed > SIZE_MAX / 2 / element_size) return false;

    size_t larger = *capacity < JBW_GROW_LEAST / 2 ? JBW_GROW_LEAST : *capacity * 2;
    if (larger < needed) larger = needed;
    void *moved = jbw_alloc(allocator, larger * element_size);
    if (!moved) return false;

    void *old;
    memcpy(&old, array, sizeof old);
    if (old) memcpy(moved, old, *capacity * element_size);
    jbw_free(allocator, old, *capacity * element_size);
    memcpy(array, &moved, sizeof moved);
    *capacity = larger;
    return true;
}

struct jbw_arena_block {
    jbw_arena_block *older;
    size_t size; // of the whole block
    size_t used; // including this header
};

enum {
    ARENA_BLOCK_SIZE = 8192,
};

static size_t align_up(size_t size)
{
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

void *jbw_arena_alloc(jbw_arena *arena, size_t count, size_t size)
{
    const size_t header = align_up(sizeof(jbw_arena_block));
    if (size != 0 && count > (SIZE_MAX / 2 - header) / size) return NULL;
    const size_t wanted = align_up(count * size) + JBW_POISON_GAP;

    jbw_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < wanted) {
        // what is left of the older block is given up
        size_t block_size = header + wanted;
        if (block_size < ARENA_BLOCK_SIZE) block_size = ARENA_BLOCK_SIZE;
        block = jbw_alloc(&arena->allocator, block_size);
        if (!block) return NULL;
        *block = (jbw_arena_block){.older = arena->blocks, .size = block_size, .used = header};
        arena->blocks = block;
        JBW_POISON((unsigned char *)block + header, block_size - header);
    }

    void *memory = (unsigned char *)block + block->used;
    block->used += wanted;
    JBW_UNPOISON(memory, count * size);
    memset(memory, 0, count * size);
    return memory;
}

char *jbw_arena_text(jbw_arena *arena, const char *text, size_t length)
{
    char *copy = jbw_arena_alloc(arena, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

size_t jbw_arena_bytes(const jbw_arena *arena)
{
    size_t bytes = 0;
    for (const jbw_arena_block *block = arena->blocks; block; block = block->older)
        bytes += block->size;
    return bytes;
}

void jbw_arena_deinit(jbw_arena *arena)
{
    while (arena->blocks) {
        jbw_arena_block *block = arena->blocks;
        arena->blocks = block->older;
        JBW_UNPOISON(block, block->size);
        jbw_free(&arena->allocator, block, block->size);
    }
}
