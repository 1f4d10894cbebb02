// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/limit.h"

#include "base/alloc.h"

uint64_t jbw_limit_default(uint64_t size, int memory_budget)
{
    enum { DEFAULT_BUDGET = 64, LARGEST_RATIO = 1000 };
    const uint64_t least = UINT64_C(256) << 20;
    const uint64_t scaled =
        size < UINT64_MAX / 4 / LARGEST_RATIO ? LARGEST_RATIO * size : UINT64_MAX / 4;
    const uint64_t budget = (uint64_t)(memory_budget > 0 ? memory_budget : DEFAULT_BUDGET) << 20;
    return (scaled > least ? scaled : least) + budget;
}

static void *allocate(size_t size, void *user)
{
    jbw_limit *limit = user;
    if (size > limit->left) {
        limit->was_hit = true;
        return NULL;
    }
    void *memory = jbw_alloc(&limit->from, size);
    if (memory) limit->left -= size;
    return memory;
}

static void release(void *memory, size_t size, void *user)
{
    jbw_limit *limit = user;
    limit->left += size;
    jbw_free(&limit->from, memory, size);
}

jbw_allocator jbw_limit_allocator(jbw_limit *limit)
{
    return (jbw_allocator){.allocate = allocate, .release = release, .user = limit};
}
