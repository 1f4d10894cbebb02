// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The world thread: takes requests from the rings, lets the game carry them out, and sends answers
// and copies to the network thread. With nothing to do it spins briefly, then sleeps.

#include <sched.h>
#include <stdlib.h>

#include "base/text.h"
#include "net/server/server_internal.h"
#include "thread/thread.h"

enum {
    REQUESTS_AT_ONCE = 256,
    WATCH_SHARE = 5, // clients that only watch get at most a fifth of the time
};

// ---- answers ----

static void put_message(uint8_t *at, const uint8_t *bytes, size_t size)
{
    memcpy(at + JBW_WIRE_HEADROOM, bytes, size);
}

static uint8_t *copy_apart(const uint8_t *bytes, size_t size)
{
    uint8_t *memory = malloc(JBW_WIRE_HEADROOM + size);
    if (memory) put_message(memory, bytes, size);
    return memory;
}

void jbw_server_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                       bool is_final)
{
    jbw_server *server = user;
    jbw_reply reply = {.connection = connection,
                       .size = (uint32_t)size,
                       .is_final = is_final,
                       .is_apart = size >= JBW_APART_SIZE};
    if (reply.is_apart && !(reply.apart = copy_apart(bytes, size))) {
        // the client would wait forever for this answer, so close the connection
        reply.is_apart = false;
        reply.is_final = true;
        reply.size = 0;
        size = 0;
    }
    const size_t record_size =
        sizeof reply + (reply.is_apart ? 0 : (size_t)JBW_WIRE_HEADROOM + size);
    uint8_t *record;
    while (!(record = jbw_ring_reserve(&server->answers, record_size))) {
        // the network thread never waits for this one, so it will make room
        jbw_listener_wake(server->listener);
        sched_yield();
    }
    memcpy(record, &reply, sizeof reply);
    if (!reply.is_apart && size > 0) put_message(record + sizeof reply, bytes, size);
    jbw_ring_commit(&server->answers);
    server->has_answered = true;
}

void jbw_server_flush_answers(jbw_server *server)
{
    if (server->has_answered) jbw_listener_wake(server->listener);
    server->has_answered = false;
}

// ---- state and statistics ----

double jbw_server_world_cpu(const jbw_server *server)
{
    struct timespec used;
    if (!atomic_load(&server->has_world_clock) || clock_gettime(server->world_clock, &used) != 0)
        return 0.0;
    const uint64_t idle = atomic_load_explicit(&server->idle_cpu, memory_order_relaxed);
    const double seconds = (double)used.tv_sec + (double)used.tv_nsec / 1e9 - (double)idle / 1e9;
    return seconds > 0.0 ? seconds : 0.0;
}

jbw_game_info jbw_server_info(const jbw_server *server)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)&server->info_mutex;
    pthread_mutex_lock(mutex);
    const jbw_game_info info = server->info;
    pthread_mutex_unlock(mutex);
    return info;
}

void jbw_server_set_info(jbw_server *server, const jbw_game_info *info)
{
    pthread_mutex_lock(&server->info_mutex);
    server->info = *info;
    pthread_mutex_unlock(&server->info_mutex);
}

void jbw_server_add_stats(void *user, jbw_wire_stats *stats)
{
    const jbw_server *server = user;
    const jbw_counters *c = &server->counters;
    stats->uptime = (double)(jbw_clock_now() - server->started) / (double)JBW_SECOND;
    stats->world_cpu = jbw_server_world_cpu(server);
    stats->client_count = (uint32_t)atomic_load(&c->clients);
    stats->subscription_count = (uint32_t)atomic_load(&c->subscriptions);
    stats->bytes_received = atomic_load(&c->bytes_received);
    stats->bytes_sent = atomic_load(&c->bytes_sent);
    stats->refused_count += atomic_load(&c->refused);
    stats->dropped_count = atomic_load(&c->dropped);
}

// keeps the first failure
static void set_failure(jbw_server *server, jbw_status status, const jbw_error *error)
{
    pthread_mutex_lock(&server->info_mutex);
    if (!server->status) {
        server->status = status;
        if (error) server->error = *error;
        if (server->error.text[0] == '\0')
            jbw_error_set(&server->error, 0, 0, "%s", jbw_status_text(status));
    }
    pthread_mutex_unlock(&server->info_mutex);
}

// a recording that has failed is over, but the world goes on without it
static void note_recording(jbw_server *server)
{
    jbw_error error = {0};
    if (!server->recorder || !jbw_recorder_status(server->recorder, &error)) return;
    pthread_mutex_lock(&server->info_mutex);
    server->record_error = error;
    pthread_mutex_unlock(&server->info_mutex);
}

static void publish_info(jbw_server *server)
{
    const jbw_game_info info = jbw_game_get_info(server->game);
    jbw_server_set_info(server, &info);
    // nobody waits for the world if nobody acts
    atomic_store_explicit(&server->looking.all.is_unlimited, info.active_count == 0,
                          memory_order_relaxed);
    if (info.status) set_failure(server, info.status, NULL);
    note_recording(server);
}

// ---- requests ----

static void do_job(jbw_server *server, const uint8_t *record, uint64_t now)
{
    jbw_job job;
    memcpy(&job, record, sizeof job);
    if (job.is_forget)
        jbw_game_forget(server->game, job.connection, job.key, now);
    else
        jbw_game_receive(server->game, job.connection, job.key, record + sizeof job, job.size, now);
}

static bool do_requests(jbw_server *server, uint64_t now)
{
    size_t size;
    const uint8_t *record;
    size_t count = 0;
    for (; count < REQUESTS_AT_ONCE && (record = jbw_ring_peek(&server->requests, &size));
         count++) {
        do_job(server, record, now);
        jbw_ring_release(&server->requests);
    }
    jbw_count(&server->counters.requests, count);
    return count > 0;
}

// carries out one request of a watching client, then pauses these until the world has had its share
static bool do_watch_request(jbw_server *server, uint64_t now)
{
    size_t size;
    if (now < server->watch_pause_until) return false;
    const uint8_t *record = jbw_ring_peek(&server->watch_requests, &size);
    if (!record) return false;
    do_job(server, record, now);
    jbw_ring_release(&server->watch_requests);
    const uint64_t end = jbw_clock_now();
    server->watch_pause_until = end + (WATCH_SHARE - 1) * (end - now);
    jbw_count(&server->counters.requests, 1);
    return true;
}

// ---- the loop ----

// checks several times, which costs less than reading the clock once
static bool has_work(void *user)
{
    enum { CHECKS = 16 };
    jbw_server *server = user;
    for (int i = 0; i < CHECKS; i++) {
        if (jbw_ring_length(&server->requests) > 0 || atomic_load(&server->is_stopping))
            return true;
        jbw_spin_pause();
    }
    return false;
}

// spins for work, and does not count that as processor time of the world; false if none came
static bool spin_for_work(jbw_server *server, uint64_t until)
{
    const uint64_t cpu = jbw_clock_thread_cpu();
    const bool has_come = jbw_spin_wait_try(&server->spin_wait, until, has_work, server);
    atomic_fetch_add_explicit(&server->idle_cpu, jbw_clock_thread_cpu() - cpu,
                              memory_order_relaxed);
    return has_come;
}

// makes a copy for viewers if something has changed; returns when to try again
static uint64_t copy_for_viewers(jbw_server *server, uint64_t now)
{
    if (atomic_load_explicit(&server->counters.subscriptions, memory_order_relaxed) == 0)
        return UINT64_MAX;
    const jbw_game_info info = jbw_game_get_info(server->game);
    if (info.change_count == server->change_shown && server->copy_number > 0) return UINT64_MAX;
    if (now >= server->next_copy)
        jbw_server_send_copy(server, jbw_game_world(server->game), now, &info);
    return server->next_copy;
}

static void *run(void *user)
{
    jbw_server *server = user;
    uint64_t next_info = 0;
    if (pthread_getcpuclockid(pthread_self(), &server->world_clock) == 0)
        atomic_store(&server->has_world_clock, true);
    while (!atomic_load(&server->is_stopping)) {
        uint64_t now = jbw_clock_now();
        bool is_busy = do_requests(server, now);
        is_busy |= do_watch_request(server, now);
        uint64_t next = jbw_game_tick(server->game, now);
        jbw_server_flush_answers(server);
        next = jbw_earlier(next, copy_for_viewers(server, now));
        if (now >= next_info) {
            publish_info(server);
            next_info = now + 50 * JBW_MILLISECOND;
        }
        if (is_busy) continue;
        if (jbw_ring_length(&server->watch_requests) > 0)
            next = jbw_earlier(next, server->watch_pause_until);
        now = jbw_clock_now();
        next = jbw_earlier(next, next_info + JBW_SECOND);
        if (now < next && !spin_for_work(server, next)) jbw_bell_wait(&server->bell, next);
    }
    jbw_game_close(server->game);
    jbw_server_flush_answers(server);
    atomic_store(&server->has_world_clock, false);
    return NULL;
}

bool jbw_world_thread_start(jbw_server *server)
{
    server->has_world_thread = jbw_thread_start(&server->world_thread, run, server);
    return server->has_world_thread;
}

void jbw_world_thread_stop(jbw_server *server)
{
    if (!server->has_world_thread) return;
    atomic_store(&server->is_stopping, true);
    jbw_bell_ring(&server->bell);
    pthread_join(server->world_thread, NULL);
    server->has_world_thread = false;
}
