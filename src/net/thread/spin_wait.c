// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/spin_wait.h"

#include <sched.h>
#include <unistd.h>

#include "net/thread/bell.h"

enum {
    SHORTEST = 2000, // nanoseconds: less is not worth it
    LONGEST = 100000,
    SKIPPED_MOST = 64,    // times in a row, when it has not paid
    CROWDED = 200000,     // away from the processor for so long: somebody else has used it
    REST_LEAST = 1 << 23, // about 8 milliseconds, then twice as long, and so on
    REST_MOST = 1 << 30,
};

jbw_spin_wait jbw_spin_wait_make(void)
{
    return (jbw_spin_wait){.is_alone = sysconf(_SC_NPROCESSORS_ONLN) < 2, .length = LONGEST};
}

static uint64_t take_length(jbw_spin_wait *spin_wait, uint64_t now)
{
    if (spin_wait->is_alone || now < spin_wait->rest_until) return 0;
    if (spin_wait->length >= SHORTEST) return spin_wait->length;
    // it has not paid; try again now and then
    if (++spin_wait->skipped < SKIPPED_MOST) return 0;
    spin_wait->skipped = 0;
    return LONGEST;
}

// Yielding to somebody with much to do costs far more than being woken: leave it for a while.
static void rest(jbw_spin_wait *spin_wait, uint64_t now)
{
    const bool is_again = now - spin_wait->rest_since < 4 * spin_wait->rest;
    spin_wait->rest = is_again ? 2 * spin_wait->rest : REST_LEAST;
    if (spin_wait->rest > REST_MOST) spin_wait->rest = REST_MOST;
    spin_wait->rest_since = now;
    spin_wait->rest_until = now + spin_wait->rest;
}

bool jbw_spin_wait_try(jbw_spin_wait *spin_wait, uint64_t until, jbw_look_function *look,
                       void *user)
{
    uint64_t now = jbw_clock_now();
    const uint64_t length = take_length(spin_wait, now);
    if (length == 0) return false;
    const uint64_t end = now + length;
    bool is_there = look(user);
    while (!is_there && now < end && now < until) {
        const uint64_t before = now;
        sched_yield(); // to who could use the processor, such as the one that is waited for
        is_there = look(user);
        now = jbw_clock_now();
        if (now - before > CROWDED) {
            rest(spin_wait, now);
            break;
        }
    }
    if (is_there)
        spin_wait->length = LONGEST;
    else if (now >= end)
        spin_wait->length /= 2;
    return is_there;
}
