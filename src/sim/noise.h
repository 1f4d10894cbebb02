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
/// with two odd constants A and B. What is counted in x and y depends on the use: cells, tiles, or
/// words of 64 cells.
#ifndef JBW_SIM_NOISE_H
#define JBW_SIM_NOISE_H

#include <stdbool.h>

#include "base/rng.h"

/// What a sheet of noise is for. The numbers are part of every invariant world.
typedef enum jbw_noise_use {
    JBW_NOISE_TILES = 1, ///< draws that are listed by tile
    JBW_NOISE_WORDS = 2, ///< which cells have a draw, 64 at a time
    JBW_NOISE_CELLS = 3, ///< the draws of those cells
    JBW_NOISE_FREE = 4,  ///< items that interact with nothing
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

/// Which of 64 cells have a draw: each bit is set with probability 2 to the minus `halvings`. The
/// words are those numbered `word` on the row.
static inline uint64_t jbw_noise_word(uint64_t row, int64_t word, int halvings)
{
    uint64_t bits = UINT64_MAX;
    uint64_t number = jbw_noise_at(row, word);
    for (int i = 0; i < halvings && bits != 0; i++) {
        bits &= number;
        number = jbw_noise_next(number);
    }
    return bits;
}

#endif
