// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Wakes the one thread that sleeps on it. Ringing is cheap while that thread is awake: no lock, no
/// system call.
#ifndef JBW_NET_THREAD_BELL_H
#define JBW_NET_THREAD_BELL_H

#include <pthread.h>
#include <stdatomic.h>

#include "jbw/base.h"

typedef struct jbw_bell {
    pthread_mutex_t mutex;
    pthread_cond_t rung;
    atomic_bool is_rung;
    atomic_bool is_asleep;
} jbw_bell;

bool jbw_bell_init(jbw_bell *bell);
void jbw_bell_deinit(jbw_bell *bell);

/// May be called from any thread.
void jbw_bell_ring(jbw_bell *bell);

/// Sleeps until the bell rings or that time of `jbw_clock_now` is reached. Returns at once if the
/// bell has rung since the last wait.
void jbw_bell_wait(jbw_bell *bell, uint64_t until);

#endif
