// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Adding rows of a table of 16-bit numbers to a field of them, the inner loop of both generators. To
/// be called by functions that are compiled for wide vectors (simd.h). Sums may wrap around.
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

// called with constants for the usual widths, so that the inner loops are unrolled
JBW_INLINE void jbw_add_vectors(int16_t *restrict to, ptrdiff_t to_stride,
                                const int16_t *restrict from, ptrdiff_t from_stride, int rows,
                                int vectors, bool is_negative)
{
#ifndef JBW_SMALL
    for (; rows >= 4; rows -= 4) {
        jbw_add_row(to, from, vectors, is_negative);
        jbw_add_row(to + to_stride, from + from_stride, vectors, is_negative);
        jbw_add_row(to + 2 * to_stride, from + 2 * from_stride, vectors, is_negative);
        jbw_add_row(to + 3 * to_stride, from + 3 * from_stride, vectors, is_negative);
        to += 4 * to_stride;
        from += 4 * from_stride;
    }
#endif
    for (; rows > 0; rows--) {
        jbw_add_row(to, from, vectors, is_negative);
        to += to_stride;
        from += from_stride;
    }
}

JBW_INLINE void jbw_add_or_subtract(int16_t *restrict to, ptrdiff_t to_stride,
                                    const int16_t *restrict from, ptrdiff_t from_stride, int rows,
                                    int vectors, bool is_negative)
{
#ifndef JBW_SMALL
    switch (vectors) {
    case 1: jbw_add_vectors(to, to_stride, from, from_stride, rows, 1, is_negative); break;
    case 2: jbw_add_vectors(to, to_stride, from, from_stride, rows, 2, is_negative); break;
    case 3: jbw_add_vectors(to, to_stride, from, from_stride, rows, 3, is_negative); break;
    case 4: jbw_add_vectors(to, to_stride, from, from_stride, rows, 4, is_negative); break;
    case 5: jbw_add_vectors(to, to_stride, from, from_stride, rows, 5, is_negative); break;
    case 6: jbw_add_vectors(to, to_stride, from, from_stride, rows, 6, is_negative); break;
    default: jbw_add_vectors(to, to_stride, from, from_stride, rows, vectors, is_negative); break;
    }
#else
    jbw_add_vectors(to, to_stride, from, from_stride, rows, vectors, is_negative);
#endif
}

/// Adds `rows` rows of `vectors` vectors each.
JBW_INLINE void jbw_add_rows(int16_t *restrict to, ptrdiff_t to_stride,
                             const int16_t *restrict from, ptrdiff_t from_stride, int rows,
                             int vectors)
{
    jbw_add_or_subtract(to, to_stride, from, from_stride, rows, vectors, false);
}

JBW_INLINE void jbw_subtract_rows(int16_t *restrict to, ptrdiff_t to_stride,
                                  const int16_t *restrict from, ptrdiff_t from_stride, int rows,
                                  int vectors)
{
    jbw_add_or_subtract(to, to_stride, from, from_stride, rows, vectors, true);
}

#endif
