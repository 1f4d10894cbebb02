// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random numbers for tests: SplitMix64. The state is a single number, so a test repeats a sequence
/// by starting from the same number. The golden recording depends on these values: do not change
/// them.
#ifndef JBW_TESTS_RANDOM_H
#define JBW_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *random)
{
    uint64_t z = *random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/// From 0 to bound - 1.
static inline uint32_t random_below(uint64_t *random, uint32_t bound)
{
    return (uint32_t)(random_next(random) % bound);
}

/// From low to high, both included.
static inline int random_between(uint64_t *random, int low, int high)
{
    return low + (int)random_below(random, (uint32_t)(high - low + 1));
}

static inline double random_real(uint64_t *random, double low, double high)
{
    return low + (high - low) * ((double)(random_next(random) >> 11) * 0x1p-53);
}

/// True in `percent` of 100 cases.
static inline bool random_chance(uint64_t *random, int percent)
{
    return (int)random_below(random, 100) < percent;
}

#endif
