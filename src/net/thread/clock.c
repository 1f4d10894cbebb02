// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/clock.h"

#include <time.h>

static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * JBW_SECOND + (uint64_t)time.tv_nsec;
}

uint64_t jbw_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return nanoseconds(now);
}

uint64_t jbw_clock_thread_cpu(void)
{
    struct timespec used;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0 ? nanoseconds(used) : 0;
}
