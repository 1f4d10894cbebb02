// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Each thread has a worker, and all take turns by one lock. A turn is short: blocks are made while
// others have theirs.

#include "ahead/ahead.h"

#include <pthread.h>
#include <signal.h>

#include "jbw/ahead.h"
#include "sim/world/world.h"

enum { BLOCKS_OF_A_THREAD = 24 }; // with fewer, threads drop what others are about to need

typedef struct worker {
    jbw_block_builder *blocks;
    jbw_block_worker *worker;
    pthread_t thread;
} worker;

typedef struct hooks {
    jbw_allocator allocator;
    jbw_block_builder *blocks;
    pthread_mutex_t lock;
    pthread_cond_t change;
    size_t worker_count; // that were asked for
    size_t started_count;
    worker workers[];
} hooks;

// ---- turns ----

static void lock(void *user)
{
    pthread_mutex_lock(&((hooks *)user)->lock);
}

static void unlock(void *user)
{
    pthread_mutex_unlock(&((hooks *)user)->lock);
}

static void wait(void *user)
{
    hooks *c = user;
    pthread_cond_wait(&c->change, &c->lock);
}

static void wake(void *user)
{
    pthread_cond_broadcast(&((hooks *)user)->change);
}

// ---- threads ----

static void *work(void *argument)
{
    const worker *me = argument;
    jbw_block_builder_work(me->blocks, me->worker);
    return NULL;
}

static void end(void *user)
{
    hooks *c = user;
    jbw_block_builder *blocks = c->blocks;
    jbw_block_builder_end_work(blocks);
    for (size_t i = 0; i < c->started_count; i++) pthread_join(c->workers[i].thread, NULL);
    for (size_t i = 0; i < c->worker_count; i++)
        if (c->workers[i].worker) jbw_block_builder_remove_worker(blocks, c->workers[i].worker);
    blocks->hooks = (jbw_thread_hooks){0};
    blocks->is_ending = false;
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->lock);
    const jbw_allocator allocator = c->allocator;
    jbw_free(&allocator, c, sizeof *c + c->worker_count * sizeof *c->workers);
}

static bool start_all(hooks *c)
{
    for (size_t i = 0; i < c->worker_count; i++) {
        c->workers[i] =
            (worker){.blocks = c->blocks, .worker = jbw_block_builder_add_worker(c->blocks, true)};
        if (!c->workers[i].worker) return false;
    }
    // signals are for the threads of the program
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; c->started_count < c->worker_count; c->started_count++) {
        worker *next = &c->workers[c->started_count];
        if (pthread_create(&next->thread, NULL, work, next)) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c->started_count == c->worker_count;
}

static bool init_lock(hooks *c)
{
    if (pthread_mutex_init(&c->lock, NULL)) return false;
    if (!pthread_cond_init(&c->change, NULL)) return true;
    pthread_mutex_destroy(&c->lock);
    return false;
}

jbw_status jbw_ahead_start(jbw_block_builder *blocks, size_t count)
{
    const jbw_allocator *allocator = &blocks->plan->model->allocator;
    const size_t bytes = sizeof(hooks) + count * sizeof(worker);
    hooks *c = jbw_alloc_zero(allocator, 1, bytes);
    if (!c) return JBW_OUT_OF_MEMORY;
    c->allocator = *allocator;
    c->blocks = blocks;
    c->worker_count = count;
    if (!init_lock(c)) {
        jbw_free(allocator, c, bytes);
        return JBW_OUT_OF_MEMORY;
    }
    blocks->hooks = (jbw_thread_hooks){
        .user = c, .lock = lock, .unlock = unlock, .wait = wait, .wake = wake, .end = end};
    if (start_all(c)) return JBW_OK;
    end(c);
    return JBW_OUT_OF_MEMORY;
}

// ---- worlds ----

int jbw_world_generation_threads(const jbw_world *world)
{
    const jbw_block_builder *blocks = jbw_generator_blocks(&world->generator);
    return blocks && blocks->hooks.user ? (int)((hooks *)blocks->hooks.user)->started_count : 0;
}

jbw_status jbw_world_set_generation_threads(jbw_world *world, int count)
{
    if (count < 0 || count > JBW_MAX_GENERATION_THREADS) return JBW_INVALID_ARGUMENT;
    const jbw_status status = count > 0 ? jbw_generator_prepare_blocks(&world->generator) : JBW_OK;
    if (status) return status;
    jbw_block_builder *blocks = jbw_generator_blocks(&world->generator);
    if (!blocks) return JBW_OK;
    if (blocks->hooks.end) blocks->hooks.end(blocks->hooks.user);
    const size_t room = jbw_generator_block_budget(&world->generator) /
                        (BLOCKS_OF_A_THREAD * jbw_block_builder_largest(blocks->plan));
    const size_t wanted = (size_t)count < room ? (size_t)count : room;
    return wanted > 0 ? jbw_ahead_start(blocks, wanted) : JBW_OK;
}
