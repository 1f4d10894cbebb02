// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Wakes a thread that waits for something to do. Ringing a bell whose owner is awake costs next to
/// nothing; and its owner, before it sleeps, looks out for a moment by itself, if that has paid lately.
#ifndef JBW_NET_BELL_H
#define JBW_NET_BELL_H

#include <pthread.h>
#include <stdatomic.h>

#include "jbw/base.h"

/// Nanoseconds of a clock that never jumps.
uint64_t jbw_clock_now(void);

/// How long it pays to look out before sleeping: whether it did is told by who looks out.
typedef struct jbw_patience {
    uint64_t longest; ///< nanoseconds; zero: never look out
    uint64_t now;     ///< as of lately
    unsigned skipped;
} jbw_patience;

/// For a machine with that many processors free for it.
jbw_patience jbw_patience_make(void);

/// How long to look out this time, maybe not at all.
uint64_t jbw_patience_take(jbw_patience *patience);
void jbw_patience_learn(jbw_patience *patience, bool has_paid);

/// Tells the processor that somebody is looking out.
static inline void jbw_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
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
