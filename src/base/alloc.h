// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Memory: a thin layer over the caller's allocator, and an arena for objects freed together.
#ifndef JBW_BASE_ALLOC_H
#define JBW_BASE_ALLOC_H

#include "jbw/base.h"

/// Allocates `size` bytes, at least one, so that NULL always means failure.
void *jbw_alloc(const jbw_allocator *allocator, size_t size);

/// Allocates `count` zeroed elements of `size` bytes. NULL on failure, or if the product overflows.
void *jbw_alloc_zero(const jbw_allocator *allocator, size_t count, size_t size);

/// Frees memory that one of the two above returned for this size. NULL is ignored.
void jbw_free(const jbw_allocator *allocator, void *memory, size_t size);

/// Makes room for `needed` elements in `array`, a pointer that has room for `capacity`, at least
/// doubling it. Both are lvalues and are updated. Returns false, changing nothing, when memory
/// runs out.
#define JBW_GROW(allocator, array, capacity, needed) \
    jbw_grow(allocator, (void *)&(array), &(capacity), needed, sizeof *(array))

/// The elements that an array has room for once it has any.
enum { JBW_GROW_LEAST = 8 };

/// What JBW_GROW calls. `array` is the address of a pointer to any type of object; it is copied as
/// bytes, so that no pointer is read or written as one of another type.
bool jbw_grow(const jbw_allocator *allocator, void *array, size_t *capacity, size_t needed,
              size_t element_size);

typedef struct jbw_arena_block jbw_arena_block;

/// Memory that is freed all at once. An arena that is zero except for its allocator is empty.
typedef struct jbw_arena {
    jbw_allocator allocator;
    jbw_arena_block *blocks; // newest first
} jbw_arena;

/// Allocates `count` zeroed elements of `size` bytes, aligned for any type. NULL on failure.
void *jbw_arena_alloc(jbw_arena *arena, size_t count, size_t size);

/// Copies `length` bytes and adds a terminating zero. NULL on failure.
char *jbw_arena_text(jbw_arena *arena, const char *text, size_t length);

/// The number of bytes the arena has allocated.
size_t jbw_arena_bytes(const jbw_arena *arena);

/// Frees everything. The arena is empty afterwards and can be used again.
void jbw_arena_deinit(jbw_arena *arena);

#endif
