// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Time in nanoseconds, from the monotonic clock.
#ifndef JBW_NET_THREAD_CLOCK_H
#define JBW_NET_THREAD_CLOCK_H

#include "jbw/base.h"

#define JBW_SECOND UINT64_C(1000000000)
#define JBW_MILLISECOND UINT64_C(1000000)

/// Nanoseconds of a clock that never jumps.
uint64_t jbw_clock_now(void);

/// Processor time of the calling thread, in nanoseconds. Time spent yielded or preempted does not
/// count.
uint64_t jbw_clock_thread_cpu(void);

static inline uint64_t jbw_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
