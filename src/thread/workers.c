// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A step of a world can take as little as half a microsecond. So a run takes no lock per job,
// threads take several jobs at a time, and waiting threads spin briefly before they sleep.
//
// In a run, each thread has a lane of jobs, the same every time, so that a world stays in the cache
// of one processor. A thread that has finished its own lane helps with the others. Jobs that are
// done are counted per lane, so that threads that finish together do not contend for one counter.
//
//     lane 0             lane 1             lane 2 (the caller's)
//     |xxxxxxxxxx....|   |xxxx..........|   |xxxxxxx.......|      x: taken by a thread
//
// Counters are never reset: in round r, a lane of n jobs has r n tickets, and ticket t is job t mod
// n. So a thread that wakes up late finds the current round or nothing to do, never an old round.
//
// Posted jobs wait in a ring under the lock. Finished ones go to a ring of slots, each claimed by a
// ticket without a lock, so the order of tickets is the order of finishing. No job is posted again
// before it is collected, so neither ring can overflow.

#include "thread/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "thread/thread.h"

enum {
    SPINS = 2000, // tens of microseconds
    YIELD_EVERY = 100,
    SHARES = 2,       // a thread takes one of this many parts of the jobs that are left
    MOST_AT_ONCE = 32 // posted jobs that a thread takes at once
};

enum { CACHE_LINE = 64 }; // data that different threads write is kept this far apart

/// The jobs of a thread in a run.
typedef struct lane {
    size_t first;
    size_t count;
    atomic_uint_fast64_t taken; // tickets of all rounds
    char gap_between[CACHE_LINE];
    atomic_uint_fast64_t done; // jobs of all rounds
    char gap_behind[CACHE_LINE];
} lane;

typedef struct pool_thread {
    jbw_workers *pool;
    pthread_t thread;
    size_t index; // also of its lane, except for the last thread: the last lane is the caller's
    uint_fast64_t seen_round;
} pool_thread;

struct jbw_workers {
    jbw_allocator allocator;
    jbw_job_function *function;
    jbw_foresee_function *foresee; // or NULL
    void *user;
    size_t job_count;
    size_t thread_count;  // in a round, including the caller
    pool_thread *threads; // (thread_count): the last one is started when a job is first posted
    size_t started_count;
    bool spins; // there are enough processors for waiting threads to spin

    pthread_mutex_t lock;
    pthread_cond_t has_work;   // threads of the pool sleep here
    pthread_cond_t has_result; // the caller sleeps here
    bool is_ready;             // the three above exist
    atomic_bool is_ending;
    atomic_size_t sleeper_count; // threads that sleep, or are about to

    // rounds
    lane *lanes; // (thread_count)
    char gap_before[CACHE_LINE];
    atomic_uint_fast64_t round;
    atomic_bool caller_sleeps; // until the round is done
    char gap_behind[CACHE_LINE];

    // posted jobs: two rings of (job_count)
    size_t *queue;
    size_t queue_head;
    atomic_size_t queue_count;       // written under the lock, read without it
    atomic_size_t *finished;         // job + 1, or 0
    atomic_uint_fast64_t finishings; // tickets for slots that were claimed
    uint64_t collected;              // tickets that were collected
    size_t posted_count;             // not yet collected
    atomic_uint_fast64_t awaited;    // the ticket that the sleeping caller waits for, plus one
};

// ---- waiting ----

// Yields the processor from time to time: the thread that is waited for may need it.
static void pause_briefly(int turn)
{
    if (turn % YIELD_EVERY == YIELD_EVERY - 1) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool has_round(const pool_thread *me)
{
    return me->index + 1 < me->pool->thread_count &&
           atomic_load(&me->pool->round) != me->seen_round;
}

static bool has_work(const pool_thread *me)
{
    return has_round(me) || atomic_load(&me->pool->queue_count) > 0 ||
           atomic_load(&me->pool->is_ending);
}

// A thread that offers work publishes it and then looks for sleepers; a thread that goes to sleep
// announces it and then looks for work. So at least one of the two sees the other.
static void wake_threads(jbw_workers *pool)
{
    if (atomic_load(&pool->sleeper_count) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->has_work);
    pthread_mutex_unlock(&pool->lock);
}

static void wait_for_work(pool_thread *me)
{
    jbw_workers *pool = me->pool;
    for (int i = 0; i < SPINS && pool->spins; i++) {
        if (has_work(me)) return;
        pause_briefly(i);
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeper_count, 1);
    while (!has_work(me)) pthread_cond_wait(&pool->has_work, &pool->lock);
    atomic_fetch_sub(&pool->sleeper_count, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void wake_caller(jbw_workers *pool)
{
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->has_result);
    pthread_mutex_unlock(&pool->lock);
}

// ---- rounds ----

static bool is_round_done(jbw_workers *pool)
{
    const uint_fast64_t round = atomic_load(&pool->round);
    for (size_t i = 0; i < pool->thread_count; i++)
        if (atomic_load(&pool->lanes[i].done) != round * pool->lanes[i].count) return false;
    return true;
}

// takes a fraction 1 / `parts` of what is left of a lane, but at least one; returns how many
// tickets
static uint_fast64_t take_tickets(jbw_workers *pool, lane *from, size_t parts, uint_fast64_t *first)
{
    uint_fast64_t count;
    *first = atomic_load(&from->taken);
    do {
        const uint_fast64_t end = atomic_load(&pool->round) * from->count;
        if (*first >= end) return 0;
        count = (end - *first) / parts;
        if (count == 0) count = 1;
    } while (!atomic_compare_exchange_weak(&from->taken, first, *first + count));
    return count;
}

// does some jobs, one after the other
static void do_jobs(const jbw_workers *pool, size_t first, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t d = 1; pool->foresee && d <= JBW_WORKERS_AHEAD && k + d < count; d++)
            pool->foresee(pool->user, first + k + d, d);
        pool->function(pool->user, first + k);
    }
}

// does jobs of a lane until all are taken, and then counts them as done together
static void work_through(jbw_workers *pool, lane *from, size_t parts)
{
    uint_fast64_t sum = 0;
    uint_fast64_t first;
    for (uint_fast64_t count; (count = take_tickets(pool, from, parts, &first)) > 0; sum += count)
        // what is taken at once is of one round, so its jobs follow each other
        do_jobs(pool, from->first + (size_t)(first % from->count), (size_t)count);
    if (sum == 0) return;
    atomic_fetch_add(&from->done, sum);
    if (atomic_load(&pool->caller_sleeps) && is_round_done(pool)) wake_caller(pool);
}

// Does jobs of the round until all are taken, starting with its own lane.
static void join_round(jbw_workers *pool, size_t home)
{
    work_through(pool, &pool->lanes[home], SHARES);
    for (size_t i = 1; i < pool->thread_count; i++)
        work_through(pool, &pool->lanes[(home + i) % pool->thread_count],
                     SHARES * pool->thread_count);
}

void jbw_workers_run(jbw_workers *pool)
{
    atomic_fetch_add(&pool->round, 1);
    wake_threads(pool);
    join_round(pool, pool->thread_count - 1);

    for (int i = 0; i < SPINS && pool->spins; i++) {
        if (is_round_done(pool)) return;
        pause_briefly(i);
    }
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (!is_round_done(pool)) pthread_cond_wait(&pool->has_result, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

// ---- posted jobs ----

static atomic_size_t *slot_of(jbw_workers *pool, uint64_t ticket)
{
    return &pool->finished[ticket % pool->job_count];
}

// takes some jobs out of the queue; returns how many
static size_t take_posted(jbw_workers *pool, size_t jobs[MOST_AT_ONCE])
{
    if (atomic_load(&pool->queue_count) == 0) return 0;
    pthread_mutex_lock(&pool->lock);
    const size_t queued = atomic_load(&pool->queue_count);
    size_t count = queued / (SHARES * pool->thread_count);
    if (count == 0) count = queued > 0;
    if (count > MOST_AT_ONCE) count = MOST_AT_ONCE;
    for (size_t i = 0; i < count; i++) {
        jobs[i] = pool->queue[pool->queue_head];
        pool->queue_head = (pool->queue_head + 1) % pool->job_count;
    }
    atomic_store(&pool->queue_count, queued - count);
    pthread_mutex_unlock(&pool->lock);
    return count;
}

static bool do_posted(jbw_workers *pool)
{
    size_t jobs[MOST_AT_ONCE];
    const size_t count = take_posted(pool, jobs);
    for (size_t i = 0; i < count && !atomic_load(&pool->is_ending); i++) {
        for (size_t d = 1; pool->foresee && d <= JBW_WORKERS_AHEAD && i + d < count; d++)
            pool->foresee(pool->user, jobs[i + d], d);
        pool->function(pool->user, jobs[i]);
        const uint64_t ticket = atomic_fetch_add(&pool->finishings, 1);
        atomic_store(slot_of(pool, ticket), jobs[i] + 1);
        if (atomic_load(&pool->awaited) == ticket + 1) wake_caller(pool);
    }
    return count > 0;
}

// waits until the slot of a ticket is filled
static void wait_for_ticket(jbw_workers *pool, uint64_t ticket)
{
    atomic_size_t *slot = slot_of(pool, ticket);
    for (int i = 0; i < SPINS && pool->spins; i++) {
        if (atomic_load(slot) != 0) return;
        pause_briefly(i);
    }
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->awaited, ticket + 1);
    while (atomic_load(slot) == 0) pthread_cond_wait(&pool->has_result, &pool->lock);
    atomic_store(&pool->awaited, 0);
    pthread_mutex_unlock(&pool->lock);
}

size_t jbw_workers_collect(jbw_workers *pool, size_t wanted, size_t *jobs, size_t capacity)
{
    if (wanted > pool->posted_count) wanted = pool->posted_count;
    if (wanted > capacity) wanted = capacity;
    // wait for the last one first: then the others are usually done
    for (size_t i = wanted; i-- > 0;) wait_for_ticket(pool, pool->collected + i);

    size_t count = 0;
    for (; count < capacity && pool->posted_count > 0; count++) {
        atomic_size_t *slot = slot_of(pool, pool->collected);
        const size_t job = atomic_load(slot);
        if (job == 0) break;
        jobs[count] = job - 1;
        atomic_store(slot, 0);
        pool->collected++;
        pool->posted_count--;
    }
    return count;
}

// ---- threads ----

static void *work(void *argument)
{
    pool_thread *me = argument;
    jbw_workers *pool = me->pool;
    while (!atomic_load(&pool->is_ending)) {
        if (has_round(me)) {
            me->seen_round = atomic_load(&pool->round);
            join_round(pool, me->index);
        } else if (!do_posted(pool)) {
            wait_for_work(me);
        }
    }
    return NULL;
}

// starts threads until there are `count`
static bool start(jbw_workers *pool, size_t count)
{
    while (pool->started_count < count) {
        pool_thread *next = &pool->threads[pool->started_count];
        *next = (pool_thread){.pool = pool, .index = pool->started_count};
        if (!jbw_thread_start(&next->thread, work, next)) break;
        pool->started_count++;
    }
    return pool->started_count >= count;
}

jbw_status jbw_workers_post(jbw_workers *pool, const size_t *jobs, size_t count)
{
    // in a round the caller works as well; for posted jobs another thread takes its place
    if (!start(pool, pool->thread_count)) return JBW_OUT_OF_MEMORY;
    pthread_mutex_lock(&pool->lock);
    const size_t queued = atomic_load(&pool->queue_count);
    for (size_t i = 0; i < count; i++)
        pool->queue[(pool->queue_head + queued + i) % pool->job_count] = jobs[i];
    atomic_store(&pool->queue_count, queued + count);
    pthread_mutex_unlock(&pool->lock);
    pool->posted_count += count;
    wake_threads(pool);
    return JBW_OK;
}

static bool init_lock(jbw_workers *pool)
{
    if (pthread_mutex_init(&pool->lock, NULL)) return false;
    if (!pthread_cond_init(&pool->has_work, NULL)) {
        if (!pthread_cond_init(&pool->has_result, NULL)) return true;
        pthread_cond_destroy(&pool->has_work);
    }
    pthread_mutex_destroy(&pool->lock);
    return false;
}

jbw_status jbw_workers_create(const jbw_allocator *allocator, int thread_count, size_t job_count,
                              jbw_job_function *function, void *user, jbw_workers **out)
{
    *out = NULL;
    jbw_workers *pool = jbw_alloc_zero(allocator, 1, sizeof *pool);
    if (!pool) return JBW_OUT_OF_MEMORY;

    const size_t processors = jbw_processor_count();
    pool->allocator = *allocator;
    pool->function = function;
    pool->user = user;
    pool->job_count = job_count;
    pool->thread_count = thread_count > 0 ? (size_t)thread_count : processors;
    if (pool->thread_count > job_count) pool->thread_count = job_count;
    pool->spins = pool->thread_count <= processors;
    pool->threads = jbw_alloc_zero(allocator, pool->thread_count, sizeof *pool->threads);
    pool->lanes = jbw_alloc_zero(allocator, pool->thread_count, sizeof *pool->lanes);
    pool->queue = jbw_alloc_zero(allocator, job_count, sizeof *pool->queue);
    pool->finished = jbw_alloc(allocator, job_count * sizeof *pool->finished);
    for (size_t i = 0; pool->finished && i < job_count; i++) atomic_init(&pool->finished[i], 0);
    for (size_t i = 0, first = 0; pool->lanes && i < pool->thread_count; i++) {
        pool->lanes[i].first = first;
        pool->lanes[i].count = (job_count - first) / (pool->thread_count - i);
        first += pool->lanes[i].count;
    }

    pool->is_ready = init_lock(pool);
    if (!pool->threads || !pool->lanes || !pool->queue || !pool->finished || !pool->is_ready ||
        !start(pool, pool->thread_count - 1)) {
        jbw_workers_destroy(pool);
        return JBW_OUT_OF_MEMORY;
    }
    *out = pool;
    return JBW_OK;
}

void jbw_workers_foresee(jbw_workers *pool, jbw_foresee_function *foresee)
{
    pool->foresee = foresee;
}

void jbw_workers_destroy(jbw_workers *pool)
{
    if (!pool) return;
    atomic_store(&pool->is_ending, true);
    if (pool->is_ready) wake_threads(pool);
    for (size_t i = 0; i < pool->started_count; i++) pthread_join(pool->threads[i].thread, NULL);
    if (pool->is_ready) {
        pthread_cond_destroy(&pool->has_result);
        pthread_cond_destroy(&pool->has_work);
        pthread_mutex_destroy(&pool->lock);
    }
    const jbw_allocator allocator = pool->allocator;
    jbw_free(&allocator, pool->finished, pool->job_count * sizeof *pool->finished);
    jbw_free(&allocator, pool->queue, pool->job_count * sizeof *pool->queue);
    jbw_free(&allocator, pool->lanes, pool->thread_count * sizeof *pool->lanes);
    jbw_free(&allocator, pool->threads, pool->thread_count * sizeof *pool->threads);
    jbw_free(&allocator, pool, sizeof *pool);
}
