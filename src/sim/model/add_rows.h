// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Adding a row of 16-bit numbers to another one. To be called by functions that are compiled for
/// wide vectors (simd.h). Sums may wrap around.
#ifndef JBW_SIM_MODEL_ADD_ROWS_H
#define JBW_SIM_MODEL_ADD_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/simd.h"

enum { JBW_ROW_LANES = 16 };

JBW_INLINE void jbw_add_row(int16_t *restrict to, const int16_t *restrict from, int vectors,
                            bool is_negative)
{
    for (int i = 0; i < vectors * JBW_ROW_LANES; i += JBW_ROW_LANES) {
#if JBW_HAS_I32X8
        if (is_negative)
            *(jbw_u16x16 *)(to + i) -= *(const jbw_u16x16 *)(from + i);
        else
            *(jbw_u16x16 *)(to + i) += *(const jbw_u16x16 *)(from + i);
#else
        for (int j = i; j < i + JBW_ROW_LANES; j++)
            to[j] = (int16_t)(is_negative ? to[j] - from[j] : to[j] + from[j]);
#endif
    }
}

#endif
