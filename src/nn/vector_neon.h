// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vectors of four floats: aarch64. See vector_plain.h.
#ifndef JBW_NN_VECTOR_NEON_H
#define JBW_NN_VECTOR_NEON_H

#include <arm_neon.h>
#include <stdbool.h>

enum { JBW_V_WIDTH = 4 };
typedef float32x4_t v_float;

static inline v_float v_load(const float *at)
{
    return vld1q_f32(at);
}

static inline void v_store(float *at, v_float a)
{
    vst1q_f32(at, a);
}

static inline v_float v_set(float a)
{
    return vdupq_n_f32(a);
}

static inline v_float v_add(v_float a, v_float b)
{
    return vaddq_f32(a, b);
}

static inline v_float v_sub(v_float a, v_float b)
{
    return vsubq_f32(a, b);
}

static inline v_float v_mul(v_float a, v_float b)
{
    return vmulq_f32(a, b);
}

static inline v_float v_div(v_float a, v_float b)
{
    return vdivq_f32(a, b);
}

static inline v_float v_fma(v_float a, v_float b, v_float c)
{
    return vfmaq_f32(c, a, b);
}

static inline v_float v_sqrt(v_float a)
{
    return vsqrtq_f32(a);
}

static inline v_float v_max(v_float a, v_float b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline v_float v_min(v_float a, v_float b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

static inline v_float v_if_less(v_float x, v_float y, v_float yes, v_float no)
{
    return vbslq_f32(vcltq_f32(x, y), yes, no);
}

static inline bool v_is_zero(v_float a)
{
    return vminvq_u32(vceqq_f32(a, vdupq_n_f32(0.0f))) != 0;
}

static inline v_float v_abs(v_float a)
{
    return vabsq_f32(a);
}

static inline v_float v_with_sign(v_float a, v_float b)
{
    return vbslq_f32(vdupq_n_u32(UINT32_C(0x80000000)), b, a);
}

static inline v_float v_scale(v_float a, v_float n)
{
    const uint32x4_t power = vshlq_n_u32(vreinterpretq_u32_f32(n), 23);
    return vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(a), power));
}

static inline void v_transpose(v_float rows[JBW_V_WIDTH])
{
    const float32x4x2_t a = vtrnq_f32(rows[0], rows[1]);
    const float32x4x2_t b = vtrnq_f32(rows[2], rows[3]);
    rows[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    rows[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    rows[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    rows[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}

#endif
