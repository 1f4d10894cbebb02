// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/failing_memory.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "net/wire/scratch.h"

// the allocations up to and including the one that fails; zero and less: none fails
static atomic_long left;

void memory_fails_at(size_t n)
{
    atomic_store(&left, (long)n);
}

bool memory_works_again(void)
{
    return atomic_exchange(&left, 0) < 0;
}

static bool must_fail(void)
{
    if (atomic_load(&left) <= 0) return false;
    if (atomic_fetch_sub(&left, 1) != 1) return false;
    atomic_store(&left, -1);
    return true;
}

// The linker calls these instead: see its option --wrap. It chooses their names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_jbw_scratch_alloc(jbw_scratch *scratch, size_t count, size_t size);
bool __real_jbw_grow(const jbw_allocator *allocator, void *array, size_t *capacity, size_t needed,
                     size_t element_size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_jbw_scratch_alloc(jbw_scratch *scratch, size_t count, size_t size);
bool __wrap_jbw_grow(const jbw_allocator *allocator, void *array, size_t *capacity, size_t needed,
                     size_t element_size);

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_jbw_scratch_alloc(jbw_scratch *scratch, size_t count, size_t size)
{
    return must_fail() ? NULL : __real_jbw_scratch_alloc(scratch, count, size);
}

// only if there is no room yet: callers may rely on what they have reserved
bool __wrap_jbw_grow(const jbw_allocator *allocator, void *array, size_t *capacity, size_t needed,
                     size_t element_size)
{
    if (needed > *capacity && must_fail()) return false;
    return __real_jbw_grow(allocator, array, capacity, needed, element_size);
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
