// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vectors of four floats, for WebAssembly. It has no instruction for a b + c rounded once, so doubles do it.
#ifndef JBW_NN_VECTOR_WASM_H
#define JBW_NN_VECTOR_WASM_H

#include <stdbool.h>
#include <stdint.h>
#include <wasm_simd128.h>

enum { JBW_V_WIDTH = 4 };
typedef v128_t v_float;

static inline v_float v_load(const float *at)
{
    return wasm_v128_load(at);
}

static inline void v_store(float *at, v_float a)
{
    wasm_v128_store(at, a);
}

static inline v_float v_set(float a)
{
    return wasm_f32x4_splat(a);
}

static inline v_float v_add(v_float a, v_float b)
{
    return wasm_f32x4_add(a, b);
}

static inline v_float v_sub(v_float a, v_float b)
{
    return wasm_f32x4_sub(a, b);
}

static inline v_float v_mul(v_float a, v_float b)
{
    return wasm_f32x4_mul(a, b);
}

static inline v_float v_div(v_float a, v_float b)
{
    return wasm_f32x4_div(a, b);
}

/// a b + c for the two lower lanes, as floats in the lower half of the result. The product is exact in
/// doubles. Their sum is rounded to odd: of the two doubles around a sum that is none, the one whose last
/// bit is set. Rounding that to a float is rounding once, since a double has more than two bits to spare.
static inline v128_t v_fma_half(v128_t a, v128_t b, v128_t c)
{
    const v128_t product =
        wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b));
    const v128_t summand = wasm_f64x2_promote_low_f32x4(c);
    const v128_t sum = wasm_f64x2_add(product, summand);
    // what the sum has lost
    const v128_t part = wasm_f64x2_sub(sum, product);
    const v128_t lost = wasm_f64x2_add(wasm_f64x2_sub(product, wasm_f64x2_sub(sum, part)),
                                       wasm_f64x2_sub(summand, part));
    const v128_t zero = wasm_i64x2_splat(0);
    const v128_t is_inexact = wasm_v128_or(wasm_f64x2_lt(lost, zero),
                                           wasm_f64x2_gt(lost, zero)); // not if it is no number
    const v128_t is_even =
        wasm_i64x2_sub(wasm_v128_and(sum, wasm_i64x2_splat(1)), wasm_i64x2_splat(1));
    const v128_t towards =
        wasm_v128_or(wasm_i64x2_shr(wasm_v128_xor(lost, sum), 63), wasm_i64x2_splat(1));
    const v128_t odd =
        wasm_i64x2_add(sum, wasm_v128_and(towards, wasm_v128_and(is_inexact, is_even)));
    return wasm_f32x4_demote_f64x2_zero(odd);
}

static inline v_float v_fma(v_float a, v_float b, v_float c)
{
    const v128_t low = v_fma_half(a, b, c);
    const v128_t high = v_fma_half(wasm_i64x2_shuffle(a, a, 1, 1), wasm_i64x2_shuffle(b, b, 1, 1),
                                   wasm_i64x2_shuffle(c, c, 1, 1));
    return wasm_i64x2_shuffle(low, high, 0, 2);
}

static inline v_float v_sqrt(v_float a)
{
    return wasm_f32x4_sqrt(a);
}

static inline v_float v_max(v_float a, v_float b)
{
    return wasm_v128_bitselect(a, b, wasm_f32x4_gt(a, b));
}

static inline v_float v_min(v_float a, v_float b)
{
    return wasm_v128_bitselect(a, b, wasm_f32x4_lt(a, b));
}

static inline v_float v_if_less(v_float x, v_float y, v_float yes, v_float no)
{
    return wasm_v128_bitselect(yes, no, wasm_f32x4_lt(x, y));
}

static inline bool v_is_zero(v_float a)
{
    return wasm_i32x4_all_true(wasm_f32x4_eq(a, wasm_f32x4_splat(0.0f)));
}

static inline v_float v_abs(v_float a)
{
    return wasm_f32x4_abs(a);
}

static inline v_float v_with_sign(v_float a, v_float b)
{
    return wasm_v128_bitselect(b, a, wasm_i32x4_splat(INT32_MIN));
}

static inline v_float v_scale(v_float a, v_float n)
{
    return wasm_i32x4_add(a, wasm_i32x4_shl(n, 23));
}

static inline void v_transpose(v_float rows[JBW_V_WIDTH])
{
    const v128_t a = wasm_i32x4_shuffle(rows[0], rows[1], 0, 4, 2, 6);
    const v128_t b = wasm_i32x4_shuffle(rows[0], rows[1], 1, 5, 3, 7);
    const v128_t c = wasm_i32x4_shuffle(rows[2], rows[3], 0, 4, 2, 6);
    const v128_t d = wasm_i32x4_shuffle(rows[2], rows[3], 1, 5, 3, 7);
    rows[0] = wasm_i64x2_shuffle(a, c, 0, 2);
    rows[1] = wasm_i64x2_shuffle(b, d, 0, 2);
    rows[2] = wasm_i64x2_shuffle(a, c, 1, 3);
    rows[3] = wasm_i64x2_shuffle(b, d, 1, 3);
}

#endif
