// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Adaptive spinning before a thread sleeps. Waking a sleeping thread takes time, and on an idle
/// machine, whose processors sleep too, it takes longer than everything else in a turn. So a thread
/// first polls for a moment: no longer than has paid off lately, and not at all while other threads
/// need the processor. A thread that waits for long soon stops spinning.
#ifndef JBW_NET_THREAD_SPIN_WAIT_H
#define JBW_NET_THREAD_SPIN_WAIT_H

#include "jbw/base.h"

/// Tells the processor that this is a spin loop.
static inline void jbw_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

typedef struct jbw_spin_wait {
    bool is_single_core; ///< spinning would only keep the other thread from running
    uint64_t length;     ///< nanoseconds to spin, adapted to recent success
    unsigned skipped;    ///< waits in a row without spinning
    uint64_t rest;       ///< nanoseconds without spinning the next time the machine is busy
    uint64_t rest_since; ///< when the latest such rest began
    uint64_t rest_until;
} jbw_spin_wait;

/// True if the awaited event has happened. Takes between tens of nanoseconds and a few
/// microseconds.
typedef bool jbw_poll_function(void *user);

jbw_spin_wait jbw_spin_wait_make(void);

/// Polls until the event happens, spinning no longer pays, or that time of `jbw_clock_now` is
/// reached; maybe not at all. True if the event happened.
bool jbw_spin_wait_try(jbw_spin_wait *spin_wait, uint64_t until, jbw_poll_function *poll,
                       void *user);

#endif
