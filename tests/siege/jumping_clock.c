// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Preloaded into servers under siege: the time of day jumps by up to a day, back and forth, each
// time someone asks for it. Clocks that must not jump are as they are.
//
// NOLINTBEGIN: the names are those of the system
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

static long jump(void)
{
    static atomic_uint calls;
    return (long)(calls++ * 2654435761u % 172800u) - 86400;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    typedef int function(clockid_t, struct timespec *);
    static _Atomic(function *) real; // which takes no system call
    if (!real) real = (function *)dlsym(RTLD_NEXT, "clock_gettime");
    const int result = real(clock, out);
    if (result == 0 && clock == CLOCK_REALTIME) out->tv_sec += jump();
    return result;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
// NOLINTEND
