// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are attached to places and times: whoever asks for the draws of a place gets
/// the same ones, in whatever order, however many others were asked for before.
///
/// A sheet of noise is named by (seed, time, type, use). On it, each row has a number, and each
/// place of a row has one:
///
///     row(y)     = mix(sheet + y A)
///     at(x, y)   = mix(row(y) + x B)
///
/// with two odd constants A and B. What is counted in x and y depends on the use: cells,
/// tiles, or words of 64 cells.
#ifndef JBW_SIM_GENERATE_INVARIANT_NOISE_H
#define JBW_SIM_GENERATE_INVARIANT_NOISE_H

#include <stdbool.h>

#include "base/rng.h"

/// What a sheet of noise is for. The numbers are part of every invariant world.
typedef enum jbw_noise_use {
    JBW_NOISE_TILES = 1, ///< draws that are listed by tile
    JBW_NOISE_CELLS = 2, ///< draws of cells
    JBW_NOISE_LOW = 3,   ///< which of them are low, 64 cells at a time
    JBW_NOISE_ORDER = 4, ///< in which order places have their turn
    JBW_NOISE_FREE = 5,  ///< items that interact with nothing
} jbw_noise_use;

static inline uint64_t jbw_noise_sheet(uint64_t seed, uint64_t time, uint64_t type,
                                       jbw_noise_use use)
{
    const jbw_rng stream =
        jbw_rng_open_at(seed, time, (int64_t)type, (int64_t)use, JBW_PURPOSE_INVARIANT);
    return stream.state;
}

static inline uint64_t jbw_noise_row(uint64_t sheet, int64_t y)
{
    return jbw_mix64(sheet + (uint64_t)y * UINT64_C(0xd1342543de82ef95));
}

static inline uint64_t jbw_noise_at(uint64_t row, int64_t x)
{
    return jbw_mix64(row + (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15));
}

/// Another number from one that was used already, for another end.
static inline uint64_t jbw_noise_next(uint64_t number)
{
    return jbw_mix64(number + UINT64_C(0xa0761d6478bd642f));
}

/// A number in [0, 1) from one that was used already, 53 bits.
static inline double jbw_noise_unit(uint64_t number)
{
    const uint64_t bits = jbw_mix64(number + UINT64_C(0xe7037ed1a0b428db));
    return (double)(int64_t)(bits >> 11) * 0x1p-53;
}

/// How many draws a tile has: Poisson's law with mean one, cut at 12.
static inline int jbw_noise_count(uint64_t number)
{
    // 2^32 times the probability of at most 0, 1, 2, ... draws
    static const uint32_t at_most[12] = {
        0x5e2d58d9, 0xbc5ab1b1, 0xeb715e1e, 0xfb239797, 0xff1025f6, 0xffd90f3c,
        0xfffa8b72, 0xffff540c, 0xffffed1f, 0xfffffe21, 0xffffffd5, 0xfffffffc,
    };
    const uint32_t high = (uint32_t)(number >> 32);
    int count = 0;
    while (count < 12 && high >= at_most[count]) count++;
    return count;
}

/// How likely it is that so many of 64 cells, or fewer, are chosen, in units of 2^-32.
enum { JBW_MOST_FEW = 12 };
typedef struct jbw_few {
    uint32_t at_most[JBW_MOST_FEW];
} jbw_few;

/// Prepares choosing cells with a small probability each.
static inline jbw_few jbw_few_of(double probability)
{
    jbw_few few = {0};
    double term = 1.0; // of the binomial law
    for (int i = 0; i < 64; i++) term *= 1.0 - probability;
    double sum = 0.0;
    for (int k = 0; k < JBW_MOST_FEW; k++) {
        sum += term;
        few.at_most[k] = sum * 0x1p32 < 0xffffffffp0 ? (uint32_t)(sum * 0x1p32) : UINT32_MAX;
        term *= (64.0 - k) / (k + 1.0) * probability / (1.0 - probability);
    }
    return few;
}

/// Chooses some of 64 cells: as many as the binomial law says, all different.
static inline uint64_t jbw_noise_few(uint64_t number, const jbw_few *few)
{
    const uint32_t high = (uint32_t)(number >> 32);
    uint64_t bits = 0;
    for (int i = 0; i < JBW_MOST_FEW && high >= few->at_most[i]; i++) {
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
