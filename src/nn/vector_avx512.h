// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vectors of sixteen floats: x86 with AVX-512. See vector_plain.h.
#ifndef JBW_NN_VECTOR_AVX512_H
#define JBW_NN_VECTOR_AVX512_H

#include <immintrin.h>
#include <stdbool.h>

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

static inline bool v_is_zero(v_float a)
{
    return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_NEQ_UQ) == 0;
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

static inline void v_transpose(v_float rows[JBW_V_WIDTH])
{
    // pairs, then fours within quarters, then quarters
    __m512 a[16];
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
    }
    __m512 b[16];
    for (int i = 0; i < 16; i += 4)
        for (int j = 0; j < 2; j++) {
            b[i + 2 * j] = _mm512_shuffle_ps(a[i + j], a[i + j + 2], 0x44);
            b[i + 2 * j + 1] = _mm512_shuffle_ps(a[i + j], a[i + j + 2], 0xee);
        }
    // b[4 g + c] has columns c, c + 4, c + 8, c + 12 of rows 4 g to 4 g + 3
    for (int c = 0; c < 4; c++) {
        const __m512 low = _mm512_shuffle_f32x4(b[c], b[c + 4], 0x88);
        const __m512 high = _mm512_shuffle_f32x4(b[c + 8], b[c + 12], 0x88);
        const __m512 low_odd = _mm512_shuffle_f32x4(b[c], b[c + 4], 0xdd);
        const __m512 high_odd = _mm512_shuffle_f32x4(b[c + 8], b[c + 12], 0xdd);
        rows[c] = _mm512_shuffle_f32x4(low, high, 0x88);
        rows[c + 8] = _mm512_shuffle_f32x4(low, high, 0xdd);
        rows[c + 4] = _mm512_shuffle_f32x4(low_odd, high_odd, 0x88);
        rows[c + 12] = _mm512_shuffle_f32x4(low_odd, high_odd, 0xdd);
    }
}

#endif
