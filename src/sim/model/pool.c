// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/pool.h"

void jbw_pool_deinit(jbw_pool *pool)
{
    for (int i = 0; i < JBW_POOL_MOST; i++) {
        jbw_pooled *object = atomic_exchange(&pool->waiting[i], NULL);
        if (!object) continue;
        object->destroy(object);
        atomic_fetch_sub(&pool->count, 1);
    }
}

uint64_t jbw_pool_join(jbw_pool *pool)
{
    atomic_fetch_add(&pool->owner_count, 1);
    return atomic_fetch_add(&pool->last_owner, 1) + 1;
}

void jbw_pool_leave(jbw_pool *pool, uint64_t owner)
{
    for (int i = 0; i < JBW_POOL_MOST; i++) {
        uint64_t expected = owner;
        atomic_compare_exchange_strong(&pool->owners[i], &expected, 0);
    }
    if (atomic_fetch_sub(&pool->owner_count, 1) == 1) jbw_pool_deinit(pool);
}

// takes what waits at a place, if the owner seems right
static jbw_pooled *take_of(jbw_pool *pool, uint64_t owner)
{
    for (int i = 0; i < JBW_POOL_MOST; i++) {
        if (atomic_load(&pool->owners[i]) != owner || !atomic_load(&pool->waiting[i])) continue;
        jbw_pooled *object = atomic_exchange(&pool->waiting[i], NULL);
        if (object) return object;
    }
    return NULL;
}

jbw_pooled *jbw_pool_take(jbw_pool *pool, uint64_t owner)
{
    jbw_pooled *object = take_of(pool, owner);
    if (!object) object = take_of(pool, 0);
    if (object) return object;
    if (atomic_load(&pool->count) >= JBW_POOL_SHARED) {
        for (int i = 0; i < JBW_POOL_MOST; i++) {
            object = atomic_exchange(&pool->waiting[i], NULL);
            if (object) return object;
        }
    }
    atomic_fetch_add(&pool->count, 1);
    return NULL;
}

bool jbw_pool_is_shared(jbw_pool *pool)
{
    return atomic_load(&pool->owner_count) > 1;
}

void jbw_pool_give(jbw_pool *pool, uint64_t owner, jbw_pooled *object)
{
    if (object) {
        object->owner = owner;
        for (int i = 0; i < JBW_POOL_MOST; i++) {
            jbw_pooled *expected = NULL;
            if (!atomic_compare_exchange_strong(&pool->waiting[i], &expected, object)) continue;
            atomic_store(&pool->owners[i], owner);
            return;
        }
        object->destroy(object);
    }
    atomic_fetch_sub(&pool->count, 1);
}

bool jbw_pool_keeps(jbw_pool *pool, uint64_t owner)
{
    for (int i = 0; i < JBW_POOL_MOST; i++)
        if (atomic_load(&pool->owners[i]) == owner && atomic_load(&pool->waiting[i])) return true;
    return false;
}
