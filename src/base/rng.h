// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random number streams. A stream is identified by its name and never shared: its numbers depend
/// only on the seed, the position and the purpose, so a new use of randomness never changes an old
/// one.
///
/// A stream is a SplitMix64 generator whose initial state and step both derive from its name. Only
/// `state` changes, so a stream is saved as one number.
#ifndef JBW_BASE_RNG_H
#define JBW_BASE_RNG_H

#include <stdint.h>

typedef struct jbw_rng {
    uint64_t state;
    uint64_t step; // odd
} jbw_rng;

/// What a stream is for. The numbers are part of every saved world: never change or reuse one.
typedef enum jbw_purpose {
    JBW_PURPOSE_SAMPLE = 1,    ///< Metropolis-Hastings proposals of a patch
    JBW_PURPOSE_COPY = 2,      ///< which patch a new patch is copied from
    JBW_PURPOSE_COLLISION = 3, ///< which of several agents gets a cell
    JBW_PURPOSE_SCHEDULE = 4,  ///< which reward the schedule Random selects
    JBW_PURPOSE_POLICY = 5,    ///< random choices of a built-in policy
    JBW_PURPOSE_INVARIANT = 6, ///< the noise of an invariant map
    JBW_PURPOSE_LEARNER = 7,   ///< a learning policy: first weights, actions, batches
    JBW_PURPOSE_DRIFT = 8,     ///< a reward's number that drifts with time
    JBW_PURPOSE_REGROWTH = 9,  ///< after how many steps an item grows back
    JBW_PURPOSE_NOISE = 16,    ///< the intensity Noise
    JBW_PURPOSE_BIOME = 17,    ///< the intensity Biome
} jbw_purpose;

/// Mixes the bits of a number; a bijection. Variant 13 of Stafford's mixers.
static inline uint64_t jbw_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/// Opens the stream named (seed, x, y, purpose) at its start.
jbw_rng jbw_rng_open(uint64_t seed, int64_t x, int64_t y, jbw_purpose purpose);

/// Opens the stream named (seed, time, x, y, purpose) at its start.
jbw_rng jbw_rng_open_at(uint64_t seed, uint64_t time, int64_t x, int64_t y, jbw_purpose purpose);

/// 64 random bits.
static inline uint64_t jbw_rng_next(jbw_rng *rng)
{
    rng->state += rng->step;
    return jbw_mix64(rng->state);
}

/// Uniform in [0, 1), with 53 random bits.
static inline double jbw_rng_unit(jbw_rng *rng)
{
    return (double)(jbw_rng_next(rng) >> 11) * 0x1p-53;
}

/// Exactly uniform in [0, bound); `bound` must not be zero. Lemire's method: the high half of a
/// product, drawn again in the rare case that would bias the result.
static inline uint32_t jbw_rng_below(jbw_rng *rng, uint32_t bound)
{
    uint64_t product = (jbw_rng_next(rng) >> 32) * bound;
    if ((uint32_t)product < bound) {
        const uint32_t threshold = (0 - bound) % bound;
        while ((uint32_t)product < threshold) product = (jbw_rng_next(rng) >> 32) * bound;
    }
    return (uint32_t)(product >> 32);
}

#endif
