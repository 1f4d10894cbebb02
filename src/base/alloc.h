// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Memory: a thin layer over the user's allocator, and an arena for things that die together.
#ifndef JBW_BASE_ALLOC_H
#define JBW_BASE_ALLOC_H

#include "jbw/base.h"

/// `size` bytes, or NULL. Zero bytes are one byte, so NULL always means failure.
void *jbw_alloc(const jbw_allocator *allocator, size_t size);

/// `count` zeroed elements of `size` bytes, or NULL, also when the product overflows.
void *jbw_alloc_zero(const jbw_allocator *allocator, size_t count, size_t size);

/// Gives back what one of the two above returned for that size. NULL is fine.
void jbw_free(const jbw_allocator *allocator, void *memory, size_t size);

/// Makes room for `needed` elements in `array`, a pointer that has room for `capacity`, at least
/// doubling it. Both are lvalues and are updated. Returns false, changing nothing, when memory
/// runs out.
#define JBW_GROW(allocator, array, capacity, needed) \
    jbw_grow(allocator, (void *)&(array), &(capacity), needed, sizeof *(array))

/// What JBW_GROW calls. `array` is the address of a pointer to any type of object; it is copied as
/// bytes, so that no pointer is read or written as one of another type.
bool jbw_grow(const jbw_allocator *allocator, void *array, size_t *capacity, size_t needed,
              size_t element_size);

typedef struct jbw_arena_block jbw_arena_block;

/// Memory that is freed all at once. All zero but for the allocator is an empty arena.
typedef struct jbw_arena {
    jbw_allocator allocator;
    jbw_arena_block *blocks; // newest first
} jbw_arena;

/// `size` zeroed bytes aligned for anything, or NULL.
void *jbw_arena_alloc(jbw_arena *arena, size_t count, size_t size);

/// A copy of `length` bytes with a zero behind them, or NULL.
char *jbw_arena_text(jbw_arena *arena, const char *text, size_t length);

/// Bytes that it takes.
size_t jbw_arena_bytes(const jbw_arena *arena);

/// Frees everything. The arena is empty afterwards, and can be used again.
void jbw_arena_deinit(jbw_arena *arena);

#endif
