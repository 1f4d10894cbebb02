// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/bell.h"

#include <time.h>

#include "net/thread/clock.h"

bool jbw_bell_init(jbw_bell *bell)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return false;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    const bool has_condition = pthread_cond_init(&bell->rung, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!has_condition) return false;
    atomic_init(&bell->is_rung, false);
    atomic_init(&bell->is_asleep, false);
    if (pthread_mutex_init(&bell->mutex, NULL) == 0) return true;
    pthread_cond_destroy(&bell->rung);
    return false;
}

void jbw_bell_deinit(jbw_bell *bell)
{
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->mutex);
}

void jbw_bell_ring(jbw_bell *bell)
{
    // either the sleeper sees the flag before it sleeps, or we see that it sleeps
    atomic_store(&bell->is_rung, true);
    if (!atomic_load(&bell->is_asleep)) return;
    // Having held the mutex once, we know that the sleeper is waiting or has seen the flag.
    // Signalling after releasing it saves the sleeper from waking up only to wait for the mutex.
    pthread_mutex_lock(&bell->mutex);
    pthread_mutex_unlock(&bell->mutex);
    pthread_cond_signal(&bell->rung);
}

void jbw_bell_wait(jbw_bell *bell, uint64_t until)
{
    const uint64_t longest = 3600 * JBW_SECOND;
    const uint64_t now = jbw_clock_now();
    if (until <= now) return;
    if (until - now > longest) until = now + longest;
    const struct timespec end = {.tv_sec = (time_t)(until / JBW_SECOND),
                                 .tv_nsec = (long)(until % JBW_SECOND)};
    pthread_mutex_lock(&bell->mutex);
    atomic_store(&bell->is_asleep, true);
    while (!atomic_load(&bell->is_rung))
        if (pthread_cond_timedwait(&bell->rung, &bell->mutex, &end) != 0) break;
    atomic_store(&bell->is_asleep, false);
    atomic_store(&bell->is_rung, false);
    pthread_mutex_unlock(&bell->mutex);
}
