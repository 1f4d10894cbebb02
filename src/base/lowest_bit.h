// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The lowest bit of a word.
#ifndef JBW_BASE_LOWEST_BIT_H
#define JBW_BASE_LOWEST_BIT_H

#include <stdint.h>

/// The number of the lowest bit of a word that is not zero.
static inline int jbw_lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int number = 0;
    while ((word >> number & 1) == 0) number++;
    return number;
#endif
}

#endif
