// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vectors of eight floats: x86 with AVX2 and FMA. See vector_plain.h.
#ifndef JBW_NN_VECTOR_AVX2_H
#define JBW_NN_VECTOR_AVX2_H

#include <immintrin.h>
#include <stdbool.h>

enum { JBW_V_WIDTH = 8 };
typedef __m256 v_float;

static inline v_float v_load(const float *at)
{
    return _mm256_loadu_ps(at);
}

static inline void v_store(float *at, v_float a)
{
    _mm256_storeu_ps(at, a);
}

static inline v_float v_set(float a)
{
    return _mm256_set1_ps(a);
}

static inline v_float v_add(v_float a, v_float b)
{
    return _mm256_add_ps(a, b);
}

static inline v_float v_sub(v_float a, v_float b)
{
    return _mm256_sub_ps(a, b);
}

static inline v_float v_mul(v_float a, v_float b)
{
    return _mm256_mul_ps(a, b);
}

static inline v_float v_div(v_float a, v_float b)
{
    return _mm256_div_ps(a, b);
}

static inline v_float v_fma(v_float a, v_float b, v_float c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static inline v_float v_sqrt(v_float a)
{
    return _mm256_sqrt_ps(a);
}

static inline v_float v_max(v_float a, v_float b)
{
    return _mm256_max_ps(a, b);
}

static inline v_float v_min(v_float a, v_float b)
{
    return _mm256_min_ps(a, b);
}

static inline v_float v_if_less(v_float x, v_float y, v_float yes, v_float no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(x, y, _CMP_LT_OQ));
}

static inline bool v_is_zero(v_float a)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_NEQ_UQ)) == 0;
}

static inline v_float v_abs(v_float a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline v_float v_with_sign(v_float a, v_float b)
{
    return _mm256_or_ps(a, _mm256_and_ps(_mm256_set1_ps(-0.0f), b));
}

static inline v_float v_scale(v_float a, v_float n)
{
    const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), power));
}

static inline void v_transpose(v_float rows[JBW_V_WIDTH])
{
    // pairs, then fours within halves, then halves
    __m256 a[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
    }
    __m256 b[8];
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            b[i + 2 * j] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0x44);
            b[i + 2 * j + 1] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        rows[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}

#endif
