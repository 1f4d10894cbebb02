// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Waiting, in tests of threads, processes and connections. Nothing is asserted about how long it
/// takes.
#ifndef JBW_TESTS_WAITING_H
#define JBW_TESTS_WAITING_H

#include <stdbool.h>
#include <time.h>

static inline void pause_for(long milliseconds)
{
    const struct timespec pause = {.tv_sec = milliseconds / 1000,
                                   .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/// Sanitizers make programs up to ten times slower: timeouts should be longer, and samples smaller.
static inline bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#endif
#endif
    return false;
}

#endif
