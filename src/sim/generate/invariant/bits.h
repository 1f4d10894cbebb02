// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Bit masks of cells: 64 cells of a row to a word, the leftmost one in the lowest bit.
#ifndef JBW_SIM_GENERATE_INVARIANT_BITS_H
#define JBW_SIM_GENERATE_INVARIANT_BITS_H

#include <stdint.h>

#include "base/lowest_bit.h"

enum { JBW_WORD = 64 }; // cells

/// The number of the highest bit of a word that is not zero.
static inline int jbw_bits_highest(uint64_t word)
{
#if defined(__GNUC__)
    return 63 - __builtin_clzll(word);
#else
    int number = 63;
    while ((word >> number & 1) == 0) number--;
    return number;
#endif
}

/// The 64 bits of a row from column x on. Reads one word further, even if it needs none of it: two
/// shifts are faster than a branch.
static inline uint64_t jbw_bits_from(const uint64_t *row, int x)
{
    const unsigned word = (unsigned)x / JBW_WORD;
    const unsigned shift = (unsigned)x % JBW_WORD;
    return row[word] >> shift | row[word + 1] << 1 << (JBW_WORD - 1 - shift);
}

#endif
