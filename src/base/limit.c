// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/limit.h"

#include "base/alloc.h"

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
