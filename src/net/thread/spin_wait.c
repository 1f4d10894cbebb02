// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/spin_wait.h"

#include <sched.h>
#include <unistd.h>

#include "net/thread/clock.h"

enum {
    SHORTEST = 2000, // nanoseconds, like all of these; a shorter spin is not worth it
    LONGEST = 100000,
    SKIPPED_MOST = 64,    // waits without spinning before it is tried again
    CROWDED = 200000,     // off the processor for this long: another thread has used it
    REST_LEAST = 1 << 23, // about 8 milliseconds; doubles each time
    REST_MOST = 1 << 30,
};

jbw_spin_wait jbw_spin_wait_make(void)
{
    return (jbw_spin_wait){.is_single_core = sysconf(_SC_NPROCESSORS_ONLN) < 2, .length = LONGEST};
}

static uint64_t take_length(jbw_spin_wait *spin_wait, uint64_t now)
{
    if (spin_wait->is_single_core || now < spin_wait->rest_until) return 0;
    if (spin_wait->length >= SHORTEST) return spin_wait->length;
    // it has not paid off lately: try again now and then
    if (++spin_wait->skipped < SKIPPED_MOST) return 0;
    spin_wait->skipped = 0;
    return LONGEST;
}

// Yielding to a busy thread costs far more than being woken, so stop spinning for a while.
static void rest(jbw_spin_wait *spin_wait, uint64_t now)
{
    const bool is_again = now - spin_wait->rest_since < 4 * spin_wait->rest;
    spin_wait->rest = is_again ? 2 * spin_wait->rest : REST_LEAST;
    if (spin_wait->rest > REST_MOST) spin_wait->rest = REST_MOST;
    spin_wait->rest_since = now;
    spin_wait->rest_until = now + spin_wait->rest;
}

bool jbw_spin_wait_try(jbw_spin_wait *spin_wait, uint64_t until, jbw_poll_function *poll,
                       void *user)
{
    uint64_t now = jbw_clock_now();
    const uint64_t length = take_length(spin_wait, now);
    if (length == 0) return false;
    const uint64_t end = now + length;
    bool has_happened = poll(user);
    while (!has_happened && now < end && now < until) {
        const uint64_t before = now;
        sched_yield(); // the awaited thread may need this very processor
        has_happened = poll(user);
        now = jbw_clock_now();
        if (now - before > CROWDED) {
            rest(spin_wait, now);
            break;
        }
    }
    if (has_happened)
        spin_wait->length = LONGEST;
    else if (now >= end)
        spin_wait->length /= 2;
    return has_happened;
}
