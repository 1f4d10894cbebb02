// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vectors of sixteen floats: x86 with AVX-512. See vector_plain.h.
#ifndef JBW_NN_VECTOR_AVX512_H
#define JBW_NN_VECTOR_AVX512_H

#include <immintrin.h>

enum { JBW_V_WIDTH = 16 };
typedef __m512 v_float;

static inline v_float v_load(const float *at)
{
    return _mm512_loadu_ps(at);
}

static inline void v_store(float *at, v_float a)
{
    _mm512_storeu_ps(at, a);
}

static inline v_float v_set(float a)
{
    return _mm512_set1_ps(a);
}

static inline v_float v_add(v_float a, v_float b)
{
    return _mm512_add_ps(a, b);
}

static inline v_float v_sub(v_float a, v_float b)
{
    return _mm512_sub_ps(a, b);
}

static inline v_float v_mul(v_float a, v_float b)
{
    return _mm512_mul_ps(a, b);
}

static inline v_float v_div(v_float a, v_float b)
{
    return _mm512_div_ps(a, b);
}

static inline v_float v_fma(v_float a, v_float b, v_float c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static inline v_float v_sqrt(v_float a)
{
    return _mm512_sqrt_ps(a);
}

static inline v_float v_max(v_float a, v_float b)
{
    return _mm512_max_ps(a, b);
}

static inline v_float v_min(v_float a, v_float b)
{
    return _mm512_min_ps(a, b);
}

static inline v_float v_if_less(v_float x, v_float y, v_float yes, v_float no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, y, _CMP_LT_OQ), no, yes);
}

static inline v_float v_abs(v_float a)
{
    return _mm512_castsi512_ps(
        _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7fffffff)));
}

static inline v_float v_with_sign(v_float a, v_float b)
{
    const __m512i sign = _mm512_castps_si512(_mm512_set1_ps(-0.0f));
    return _mm512_castsi512_ps(
        _mm512_or_si512(_mm512_castps_si512(a), _mm512_and_si512(sign, _mm512_castps_si512(b))));
}

static inline v_float v_scale(v_float a, v_float n)
{
    const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), power));
}

#endif
