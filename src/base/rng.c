// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/rng.h"

// mixes one more word into a name; the odd constant is 2^64 divided by the golden ratio
static uint64_t absorb(uint64_t name, uint64_t word)
{
    return jbw_mix64((name ^ word) + UINT64_C(0x9e3779b97f4a7c15));
}

jbw_rng jbw_rng_open(uint64_t seed, int64_t x, int64_t y, jbw_purpose purpose)
{
    uint64_t name = absorb(0, seed);
    name = absorb(name, (uint64_t)x);
    name = absorb(name, (uint64_t)y);
    name = absorb(name, (uint64_t)purpose);
    return (jbw_rng){.state = name, .step = absorb(name, 1) | 1};
}

jbw_rng jbw_rng_open_at(uint64_t seed, uint64_t time, int64_t x, int64_t y, jbw_purpose purpose)
{
    return jbw_rng_open(absorb(absorb(0, seed), time), x, y, purpose);
}
