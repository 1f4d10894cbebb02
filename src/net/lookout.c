// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/lookout.h"

#include <sched.h>
#include <unistd.h>

#include "net/bell.h"

enum {
    SHORTEST = 2000, // nanoseconds: less is not worth it
    LONGEST = 100000,
    SKIPPED_MOST = 64,    // times in a row, when it has not paid
    CROWDED = 200000,     // away from the processor for so long: somebody else has used it
    REST_LEAST = 1 << 23, // about 8 milliseconds, then twice as long, and so on
    REST_MOST = 1 << 30,
};

jbw_lookout jbw_lookout_make(void)
{
    return (jbw_lookout){.is_alone = sysconf(_SC_NPROCESSORS_ONLN) < 2, .length = LONGEST};
}

static uint64_t take_length(jbw_lookout *lookout, uint64_t now)
{
    if (lookout->is_alone || now < lookout->rest_until) return 0;
    if (lookout->length >= SHORTEST) return lookout->length;
    // it has not paid; try again now and then
    if (++lookout->skipped < SKIPPED_MOST) return 0;
    lookout->skipped = 0;
    return LONGEST;
}

// Yielding to somebody with much to do costs far more than being woken: leave it for a while.
static void rest(jbw_lookout *lookout, uint64_t now)
{
    const bool is_again = now - lookout->rest_since < 4 * lookout->rest;
    lookout->rest = is_again ? 2 * lookout->rest : REST_LEAST;
    if (lookout->rest > REST_MOST) lookout->rest = REST_MOST;
    lookout->rest_since = now;
    lookout->rest_until = now + lookout->rest;
}

bool jbw_lookout_try(jbw_lookout *lookout, uint64_t until, jbw_look_function *look, void *user)
{
    uint64_t now = jbw_clock_now();
    const uint64_t length = take_length(lookout, now);
    if (length == 0) return false;
    const uint64_t end = now + length;
    bool is_there = look(user);
    while (!is_there && now < end && now < until) {
        const uint64_t before = now;
        sched_yield(); // to who could use the processor, such as the one that is waited for
        is_there = look(user);
        now = jbw_clock_now();
        if (now - before > CROWDED) {
            rest(lookout, now);
            break;
        }
    }
    if (is_there)
        lookout->length = LONGEST;
    else if (now >= end)
        lookout->length /= 2;
    return is_there;
}
