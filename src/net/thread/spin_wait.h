// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Waiting for a moment without sleeping. Who sleeps must be woken, and on a machine with nothing else
/// to do that takes longer than all the rest of a turn: its processors have gone to sleep, too. So
/// whoever waits first looks out by itself, but no longer than that has paid lately, and not at all
/// while others have work for the processor. Who waits for long uses none of it.
#ifndef JBW_NET_THREAD_SPIN_WAIT_H
#define JBW_NET_THREAD_SPIN_WAIT_H

#include "jbw/base.h"

/// Tells the processor that somebody is looking out.
static inline void jbw_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

typedef struct jbw_spin_wait {
    bool is_alone;       ///< there is one processor only: looking out keeps the other from working
    uint64_t length;     ///< nanoseconds to look out for, as of lately
    unsigned skipped;    ///< times that it was not tried
    uint64_t rest;       ///< nanoseconds to rest for when others have work next
    uint64_t rest_since; ///< when that was last
    uint64_t rest_until;
} jbw_spin_wait;

/// Looks whether it is there, for some ten nanoseconds up to a few microseconds.
typedef bool jbw_look_function(void *user);

jbw_spin_wait jbw_spin_wait_make(void);

/// Looks out, at the longest until that time of `jbw_clock_now`; maybe not at all. True if it came.
bool jbw_spin_wait_try(jbw_spin_wait *spin_wait, uint64_t until, jbw_look_function *look,
                       void *user);

#endif
