// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How scent spreads from a single source, computed when the model is built.
///
/// The paper's equation is linear: S(t) = C(t) + A S(t - 1), where A keeps a part of the scent in
/// its cell and passes a part to each neighbor. So a source of strength one contributes G(k) = A^k
/// (one cell) after k steps, and a scent is a sum of such responses:
///
///     steady      G(0) + G(1) + G(2) + ...    a source that has always been there
///     fading(m)   G(m) + G(m + 1) + ...       one that was always there until m steps ago
///
/// A source that appeared m - 1 steps ago contributes steady - fading(m). So scent is the steady
/// state of what is there now, corrected by the fading of recent changes. Both are cut off where
/// everything left out stays below the tolerance, even on a grid full of the strongest source:
/// steady beyond `reach` cells, fading after `memory` steps. Both are whole numbers of a small
/// unit, so sums do not depend on their order.
#ifndef JBW_SIM_MODEL_SCENT_RESPONSE_H
#define JBW_SIM_MODEL_SCENT_RESPONSE_H

#include "base/alloc.h"

enum {
    JBW_MAX_RESPONSE_BYTES = 64 << 20, ///< of the tables

    /// The largest ratio of scent to source strength on a grid full of sources. With larger ones,
    /// neither our units nor the floats of a perception could keep the tolerance.
    JBW_MAX_SCENT_GAIN = 1000,
};

typedef struct jbw_scent_response {
    int reach;  // in cells, Chebyshev
    int memory; // in steps
    double unit;
    const int32_t *steady; // (octant_count)
    const int32_t *fading; // (memory x octant_count), starting with m = 1
    int octant_count;
} jbw_scent_response;

/// The index of an offset in one eighth of the plane; the other eighths mirror it.
static inline int jbw_octant(int dx, int dy)
{
    const int a = dx < 0 ? -dx : dx;
    const int b = dy < 0 ? -dy : dy;
    const int far = a > b ? a : b;
    return far * (far + 1) / 2 + (a + b - far);
}

/// How far a source can be smelled and for how many steps a change, for |decay| + 4 |diffusion| <
/// 1. False if scent fades so slowly that the tables would be too large.
bool jbw_scent_response_extent(double decay, double diffusion, int *reach, int *memory);

/// Fills the tables; `jbw_scent_response_extent` must have returned true. False when memory runs
/// out.
bool jbw_scent_response_init(jbw_scent_response *response, double decay, double diffusion,
                             jbw_arena *arena);

#endif
