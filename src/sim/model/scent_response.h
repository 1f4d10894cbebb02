// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How scent spreads, worked out before the world begins.
///
/// The paper's equation is linear: S(t) = C(t) + A S(t - 1), where A keeps a part of the scent in
/// its cell and hands a part to each neighbour. So what one source of strength one has response is
/// G(k) = A^k (one cell), k steps later, and a perception is a sum of such responses:
///
///     steady      G(0) + G(1) + G(2) + ...    a source that has always been there
///     fading(m)   G(m) + G(m + 1) + ...       one that was there always, until m steps ago
///
/// A source that appeared m - 1 steps ago has response steady - fading(m). So scent is the steady
/// state of what is there now, corrected by the fading of what has changed lately. Both are cut
/// where everything left out, even on a grid full of the strongest source, stays below the
/// tolerance: steady beyond `reach`, fading after `memory` steps. Both are whole numbers of a small
/// unit, so that sums do not depend on their order.
#ifndef JBW_SIM_MODEL_SCENT_RESPONSE_H
#define JBW_SIM_MODEL_SCENT_RESPONSE_H

#include "base/alloc.h"

enum {
    JBW_MAX_SPREAD_BYTES = 64 << 20,

    /// How much stronger than its source scent may become, on a grid full of it; beyond, neither
    /// our units nor the floats of a perception could keep the tolerance.
    JBW_MAX_SPREAD_TOTAL = 1000,
};

typedef struct jbw_scent_response {
    int reach;  // in cells, Chebyshev
    int memory; // in steps
    double unit;
    const int32_t *steady; // (octant_count)
    const int32_t *fading; // (memory x octant_count), of m = 1 first
    int octant_count;
} jbw_scent_response;

/// The index of an offset in one eighth of the plane, which the others mirror.
static inline int jbw_octant(int dx, int dy)
{
    const int a = dx < 0 ? -dx : dx;
    const int b = dy < 0 ? -dy : dy;
    const int far = a > b ? a : b;
    return far * (far + 1) / 2 + (a + b - far);
}

/// How far a source is smelled and how long a change, for |decay| + 4 |diffusion| < 1. Returns
/// false if scent fades too slowly for that.
bool jbw_scent_response_extent(double decay, double diffusion, int *reach, int *memory);

/// Fills the tables. The extent must be good. False when memory runs out.
bool jbw_scent_response_init(jbw_scent_response *response, double decay, double diffusion,
                             jbw_arena *arena);

#endif
