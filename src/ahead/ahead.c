// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Each thread has a worker of the builder. One mutex protects the builder; it is held only briefly,
// and never while a block is being made.

#include "ahead/ahead.h"

#include <pthread.h>

#include "jbw/ahead.h"
#include "sim/world/world.h"
#include "thread/thread.h"

enum {
    BLOCKS_PER_THREAD = 24
}; // with less room, threads drop blocks that others are about to need

typedef struct helper_thread {
    jbw_block_builder *builder;
    jbw_block_worker *worker;
    pthread_t thread;
} helper_thread;

typedef struct helper_pool {
    jbw_allocator allocator;
    jbw_block_builder *builder;
    pthread_mutex_t mutex;
    pthread_cond_t change;
    size_t thread_count; // in `threads`
    size_t started_count;
    helper_thread threads[];
} helper_pool;

// ---- hooks ----

static void lock(void *user)
{
    pthread_mutex_lock(&((helper_pool *)user)->mutex);
}

static void unlock(void *user)
{
    pthread_mutex_unlock(&((helper_pool *)user)->mutex);
}

static void wait(void *user)
{
    helper_pool *pool = user;
    pthread_cond_wait(&pool->change, &pool->mutex);
}

static void wake(void *user)
{
    pthread_cond_broadcast(&((helper_pool *)user)->change);
}

static void end(void *user)
{
    helper_pool *pool = user;
    jbw_block_builder *builder = pool->builder;
    jbw_block_builder_end_work(builder);
    for (size_t i = 0; i < pool->started_count; i++) pthread_join(pool->threads[i].thread, NULL);
    for (size_t i = 0; i < pool->thread_count; i++)
        if (pool->threads[i].worker)
            jbw_block_builder_remove_worker(builder, pool->threads[i].worker);
    builder->hooks = (jbw_thread_hooks){0};
    builder->is_ending = false;
    pthread_cond_destroy(&pool->change);
    pthread_mutex_destroy(&pool->mutex);
    const jbw_allocator allocator = pool->allocator;
    jbw_free(&allocator, pool, sizeof *pool + pool->thread_count * sizeof *pool->threads);
}

// ---- threads ----

static void *work(void *argument)
{
    const helper_thread *me = argument;
    jbw_block_builder_work(me->builder, me->worker);
    return NULL;
}

static bool add_workers(helper_pool *pool)
{
    for (size_t i = 0; i < pool->thread_count; i++) {
        pool->threads[i] = (helper_thread){
            .builder = pool->builder, .worker = jbw_block_builder_add_worker(pool->builder, true)};
        if (!pool->threads[i].worker) return false;
    }
    return true;
}

static bool start_threads(helper_pool *pool)
{
    for (; pool->started_count < pool->thread_count; pool->started_count++) {
        helper_thread *next = &pool->threads[pool->started_count];
        if (!jbw_thread_start(&next->thread, work, next)) break;
    }
    return pool->started_count == pool->thread_count;
}

static bool init_lock(helper_pool *pool)
{
    if (pthread_mutex_init(&pool->mutex, NULL)) return false;
    if (!pthread_cond_init(&pool->change, NULL)) return true;
    pthread_mutex_destroy(&pool->mutex);
    return false;
}

jbw_status jbw_ahead_start(jbw_block_builder *builder, size_t count)
{
    const jbw_allocator *allocator = &builder->plan->model->allocator;
    const size_t bytes = sizeof(helper_pool) + count * sizeof(helper_thread);
    helper_pool *pool = jbw_alloc_zero(allocator, 1, bytes);
    if (!pool) return JBW_OUT_OF_MEMORY;
    pool->allocator = *allocator;
    pool->builder = builder;
    pool->thread_count = count;
    if (!init_lock(pool)) {
        jbw_free(allocator, pool, bytes);
        return JBW_OUT_OF_MEMORY;
    }
    builder->hooks = (jbw_thread_hooks){
        .user = pool, .lock = lock, .unlock = unlock, .wait = wait, .wake = wake, .end = end};
    if (add_workers(pool) && start_threads(pool)) return JBW_OK;
    end(pool);
    return JBW_OUT_OF_MEMORY;
}

// ---- worlds ----

int jbw_world_generation_threads(const jbw_world *world)
{
    const jbw_block_builder *builder = jbw_generator_blocks(&world->generator);
    if (!builder || !builder->hooks.user) return 0;
    return (int)((helper_pool *)builder->hooks.user)->started_count;
}

jbw_status jbw_world_set_generation_threads(jbw_world *world, int count)
{
    if (count < 0 || count > JBW_MAX_GENERATION_THREADS) return JBW_INVALID_ARGUMENT;
    const jbw_status status = count > 0 ? jbw_generator_prepare_blocks(&world->generator) : JBW_OK;
    if (status) return status;
    jbw_block_builder *builder = jbw_generator_blocks(&world->generator);
    if (!builder) return JBW_OK;
    if (builder->hooks.end) builder->hooks.end(builder->hooks.user);
    const size_t room = jbw_generator_block_budget(&world->generator) /
                        (BLOCKS_PER_THREAD * jbw_block_builder_largest(builder->plan));
    const size_t wanted = (size_t)count < room ? (size_t)count : room;
    return wanted > 0 ? jbw_ahead_start(builder, wanted) : JBW_OK;
}
