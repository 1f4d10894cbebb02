// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random numbers that belong to places and times. A number is a pure function of its place and
/// time: neither the order of queries nor earlier queries matter.
///
/// A plane of noise is named by (seed, time, type, use). Each of its rows has a number, and so has
/// each place in a row:
///
///     row(y)     = mix(plane + y A)
///     at(x, y)   = mix(row(y) + x B)
///
/// A and B are odd constants. The use determines what x and y count: cells, tiles, or words of
/// 64 cells.
#ifndef JBW_SIM_GENERATE_INVARIANT_NOISE_H
#define JBW_SIM_GENERATE_INVARIANT_NOISE_H

#include <stdbool.h>

#include "base/rng.h"

/// What a plane of noise is for. The values are part of every invariant world.
typedef enum jbw_noise_use {
    JBW_NOISE_TILES = 1,       ///< draws that are listed tile by tile
    JBW_NOISE_CELLS = 2,       ///< draws of single cells
    JBW_NOISE_LOW = 3,         ///< which of those are low, 64 cells at a time
    JBW_NOISE_ORDER = 4,       ///< the order of a sweep
    JBW_NOISE_INDEPENDENT = 5, ///< items of independent types
} jbw_noise_use;

static inline uint64_t jbw_noise_plane(uint64_t seed, uint64_t time, uint64_t type,
                                       jbw_noise_use use)
{
    const jbw_rng stream =
        jbw_rng_open_at(seed, time, (int64_t)type, (int64_t)use, JBW_PURPOSE_INVARIANT);
    return stream.state;
}

static inline uint64_t jbw_noise_row(uint64_t plane, int64_t y)
{
    return jbw_mix64(plane + (uint64_t)y * UINT64_C(0xd1342543de82ef95));
}

static inline uint64_t jbw_noise_at(uint64_t row, int64_t x)
{
    return jbw_mix64(row + (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15));
}

/// Derives a further number from one that is already used.
static inline uint64_t jbw_noise_next(uint64_t number)
{
    return jbw_mix64(number + UINT64_C(0xa0761d6478bd642f));
}

/// The number in [0, 1) that consists of the highest 53 bits.
static inline double jbw_noise_fraction(uint64_t number)
{
    return (double)(int64_t)(number >> 11) * 0x1p-53;
}

/// Derives a number in [0, 1), with 53 bits, from one that is already used.
static inline double jbw_noise_unit(uint64_t number)
{
    return jbw_noise_fraction(jbw_mix64(number + UINT64_C(0xe7037ed1a0b428db)));
}

/// A Poisson variate with mean one, cut off at 12.
static inline int jbw_noise_poisson(uint64_t number)
{
    // 2^32 times the probability of at most 0, 1, 2, ...
    static const uint32_t at_most[12] = {
        0x5e2d58d9, 0xbc5ab1b1, 0xeb715e1e, 0xfb239797, 0xff1025f6, 0xffd90f3c,
        0xfffa8b72, 0xffff540c, 0xffffed1f, 0xfffffe21, 0xffffffd5, 0xfffffffc,
    };
    const uint32_t high = (uint32_t)(number >> 32);
    int count = 0;
    while (count < 12 && high >= at_most[count]) count++;
    return count;
}

/// The binomial distribution of how many of 64 cells are chosen, cut off at 12.
enum { JBW_BINOMIAL_TERMS = 12 };
typedef struct jbw_binomial {
    uint32_t at_most[JBW_BINOMIAL_TERMS]; // 2^32 times the probability of at most 0, 1, 2, ...
} jbw_binomial;

/// The distribution if each cell is chosen with the same small probability.
static inline jbw_binomial jbw_binomial_of(double probability)
{
    jbw_binomial binomial = {0};
    double term = 1.0;
    for (int i = 0; i < 64; i++) term *= 1.0 - probability;
    double sum = 0.0;
    for (int k = 0; k < JBW_BINOMIAL_TERMS; k++) {
        sum += term;
        binomial.at_most[k] = sum * 0x1p32 < 0xffffffffp0 ? (uint32_t)(sum * 0x1p32) : UINT32_MAX;
        term *= (64.0 - k) / (k + 1.0) * probability / (1.0 - probability);
    }
    return binomial;
}

/// A random subset of 64 cells whose size has the given distribution.
static inline uint64_t jbw_noise_subset(uint64_t number, const jbw_binomial *size)
{
    const uint32_t high = (uint32_t)(number >> 32);
    uint64_t bits = 0;
    for (int i = 0; i < JBW_BINOMIAL_TERMS && high >= size->at_most[i]; i++) {
        uint64_t bit;
        do {
            number = jbw_noise_next(number);
            bit = UINT64_C(1) << (number >> 58);
        } while ((bits & bit) != 0);
        bits |= bit;
    }
    return bits;
}

#endif
