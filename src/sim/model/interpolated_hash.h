// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The paper's M-hat: hashes of whole numbers scaled to [0, 1], interpolated linearly in between.
/// RadialHash and CrossHash are made of it.
#ifndef JBW_SIM_MODEL_INTERPOLATED_HASH_H
#define JBW_SIM_MODEL_INTERPOLATED_HASH_H

#include <math.h>
#include <stdint.h>

/// The 32-bit finalizer of MurmurHash3.
static inline uint32_t jbw_murmur_mix(uint32_t h)
{
    h ^= h >> 16;
    h *= UINT32_C(0x85ebca6b);
    h ^= h >> 13;
    h *= UINT32_C(0xc2b2ae35);
    return h ^ (h >> 16);
}

/// The largest whole number not above t, modulo 2^32, and the fraction that is left.
static inline uint32_t jbw_split_whole(double t, double *fraction)
{
    double whole;
    uint32_t index;
    if (t > -0x1p62 && t < 0x1p62) {
        int64_t number = (int64_t)t;
        if ((double)number > t) number--;
        whole = (double)number;
        index = (uint32_t)(uint64_t)number;
    } else {
        whole = t; // numbers this large are whole
        double wrapped = fmod(t, 0x1p32);
        if (wrapped < 0.0) wrapped += 0x1p32;
        index = (uint32_t)wrapped;
    }
    *fraction = t - whole;
    return index;
}

static inline double jbw_interpolated_hash(double t)
{
    double fraction;
    const uint32_t index = jbw_split_whole(t, &fraction);
    const double here = (double)jbw_murmur_mix(index) / 4294967295.0;
    const double there = (double)jbw_murmur_mix(index + 1) / 4294967295.0;
    return here + (there - here) * fraction;
}

#endif
