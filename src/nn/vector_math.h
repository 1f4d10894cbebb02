// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The functions of a neural network that are not products, for vectors of any width. Include it after
/// one of the headers vector_*.h.
///
/// Accurate to about two units in the last place. Everything is sums, products and fused products in a
/// fixed order, so the bits are the same for every width and on every processor.
#ifndef JBW_NN_VECTOR_MATH_H
#define JBW_NN_VECTOR_MATH_H

/// e^x, for x limited to [-87, 88], where the result is a normal number.
///
///     x = n ln 2 + r,  |r| <= ln 2 / 2;  e^x = 2^n (1 + r + r^2 q(r)), q a polynomial of degree 4
static inline v_float v_exp(v_float x)
{
    x = v_max(v_min(x, v_set(88.0f)), v_set(-87.0f));
    // adding 1.5 2^23 rounds to a whole number, which then stands in the low bits
    const v_float magic = v_set(12582912.0f);
    const v_float shifted = v_fma(x, v_set(0x1.715476p+0f), magic);
    const v_float n = v_sub(shifted, magic);
    // ln 2 in two parts; the first has few bits, so its multiples are exact
    v_float r = v_fma(n, v_set(-0.693359375f), x);
    r = v_fma(n, v_set(0x1.bd0106p-13f), r);
    v_float q = v_set(0x1.6d7534p-10f);
    q = v_fma(q, r, v_set(0x1.120b66p-7f));
    q = v_fma(q, r, v_set(0x1.5554b8p-5f));
    q = v_fma(q, r, v_set(0x1.5554dcp-3f));
    q = v_fma(q, r, v_set(0.5f));
    const v_float y = v_add(v_fma(v_mul(r, r), q, r), v_set(1.0f));
    return v_scale(y, shifted);
}

/// 1 / (1 + e^-x)
static inline v_float v_sigmoid(v_float x)
{
    const v_float one = v_set(1.0f);
    return v_div(one, v_add(one, v_exp(v_sub(v_set(0.0f), x))));
}

/// Near zero x + x^3 q(x^2), q a polynomial of degree 4; elsewhere by e^2x.
static inline v_float v_tanh(v_float x)
{
    const v_float one = v_set(1.0f);
    const v_float a = v_abs(x);
    const v_float square = v_mul(x, x);
    v_float q = v_set(-0x1.90a248p-8f);
    q = v_fma(q, square, v_set(0x1.583aa8p-6f));
    q = v_fma(q, square, v_set(-0x1.b92c2cp-5f));
    q = v_fma(q, square, v_set(0x1.110e3ep-3f));
    q = v_fma(q, square, v_set(-0x1.555552p-2f));
    const v_float near = v_fma(v_mul(a, square), q, a);
    const v_float far = v_sub(one, v_div(v_set(2.0f), v_add(v_exp(v_add(a, a)), one)));
    return v_with_sign(v_if_less(a, v_set(0.625f), near, far), x);
}

#endif
