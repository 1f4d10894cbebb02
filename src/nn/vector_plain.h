// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vectors of one float: the path for every processor, and the reference that defines the others.
///
/// Each path offers the same operations on JBW_V_WIDTH floats side by side. All of them are exactly
/// rounded by IEEE 754, so a lane holds the same bits whatever the width is.
#ifndef JBW_NN_VECTOR_PLAIN_H
#define JBW_NN_VECTOR_PLAIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { JBW_V_WIDTH = 1 };
typedef float v_float;

static inline v_float v_load(const float *at)
{
    return *at;
}

static inline void v_store(float *at, v_float a)
{
    *at = a;
}

static inline v_float v_set(float a)
{
    return a;
}

static inline v_float v_add(v_float a, v_float b)
{
    return a + b;
}

static inline v_float v_sub(v_float a, v_float b)
{
    return a - b;
}

static inline v_float v_mul(v_float a, v_float b)
{
    return a * b;
}

static inline v_float v_div(v_float a, v_float b)
{
    return a / b;
}

/// a b + c, rounded once. Without such an instruction the C library does it, slowly.
static inline v_float v_fma(v_float a, v_float b, v_float c)
{
    return fmaf(a, b, c);
}

static inline v_float v_sqrt(v_float a)
{
    return sqrtf(a);
}

/// a if it is larger, else b.
static inline v_float v_max(v_float a, v_float b)
{
    return a > b ? a : b;
}

/// a if it is smaller, else b.
static inline v_float v_min(v_float a, v_float b)
{
    return a < b ? a : b;
}

/// yes where x < y, else no.
static inline v_float v_if_less(v_float x, v_float y, v_float yes, v_float no)
{
    return x < y ? yes : no;
}

/// Whether all lanes are zero, of either sign.
static inline bool v_is_zero(v_float a)
{
    return a == 0.0f;
}

static inline v_float v_abs(v_float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits &= UINT32_C(0x7fffffff);
    memcpy(&a, &bits, sizeof bits);
    return a;
}

/// a, which is not negative, with the sign of b.
static inline v_float v_with_sign(v_float a, v_float b)
{
    uint32_t bits;
    uint32_t sign;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&sign, &b, sizeof sign);
    bits |= sign & UINT32_C(0x80000000);
    memcpy(&a, &bits, sizeof bits);
    return a;
}

/// a times two to the power of the whole number in the low bits of n: see v_exp.
static inline v_float v_scale(v_float a, v_float n)
{
    uint32_t bits;
    uint32_t power;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&power, &n, sizeof power);
    bits += power << 23;
    memcpy(&a, &bits, sizeof bits);
    return a;
}

/// Lane j of rows[i] changes places with lane i of rows[j].
static inline void v_transpose(v_float rows[JBW_V_WIDTH])
{
    (void)rows;
}

#endif
