// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Division that rounds down, where C rounds towards zero. Divisors must be positive.
#ifndef JBW_BASE_DIVIDE_H
#define JBW_BASE_DIVIDE_H

#include <stdint.h>

static inline int64_t jbw_floor_divide(int64_t value, int64_t divisor)
{
    // not, divide, not: towards minus infinity without a second division
    return value >= 0 ? value / divisor : ~(~value / divisor);
}

/// The largest whole number not above a value, whose magnitude is below 2^63.
static inline int64_t jbw_floor(double value)
{
    const int64_t whole = (int64_t)value;
    return whole - (value < (double)whole);
}

static inline int64_t jbw_floor_modulo(int64_t value, int64_t divisor)
{
    const int64_t rest = value % divisor;
    return rest < 0 ? rest + divisor : rest;
}

#endif
