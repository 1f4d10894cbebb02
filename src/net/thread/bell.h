// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Wakes a thread that waits for something to do. Ringing a bell whose owner is awake costs next to
/// nothing.
#ifndef JBW_NET_THREAD_BELL_H
#define JBW_NET_THREAD_BELL_H

#include <pthread.h>
#include <stdatomic.h>

#include "jbw/base.h"

/// Nanoseconds of a clock that never jumps.
uint64_t jbw_clock_now(void);

static inline uint64_t jbw_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

typedef struct jbw_bell {
    pthread_mutex_t mutex;
    pthread_cond_t rung;
    atomic_bool is_rung;
    atomic_bool is_asleep;
} jbw_bell;

bool jbw_bell_init(jbw_bell *bell);
void jbw_bell_deinit(jbw_bell *bell);

/// By any thread.
void jbw_bell_ring(jbw_bell *bell);

/// Sleeps until the bell is rung, or that time has come. A ring that came before counts.
void jbw_bell_wait(jbw_bell *bell, uint64_t until);

#endif
