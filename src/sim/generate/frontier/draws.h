// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The random numbers of a patch's next proposals, many at a time.
///
/// A proposal takes two draws from the stream of its patch (sampler.h). A stream advances by the
/// same step each time, so the draws of the next proposals do not depend on each other, and are
/// computed side by side in wide vectors. Only if a draw is rejected, which is rare, all later ones
/// move by one place: these are computed one by one.
#ifndef JBW_SIM_GENERATE_FRONTIER_DRAWS_H
#define JBW_SIM_GENERATE_FRONTIER_DRAWS_H

#include "base/rng.h"

enum {
    JBW_DRAWS = 16,          // proposals at a time
    JBW_MOVE_CELL_BITS = 20, // of a move; the kind has the others
};

/// A move is one number:
///
///     move = 2^20 kind_step kind + row_step y + x
///
/// Kind t adds an item of type t, kind (types + t) removes one. The steps are those of the memory
/// where the sampler looks kinds and cells up.
typedef struct jbw_draw_range {
    uint32_t types;
    uint32_t size;      // of a patch
    uint32_t kind_step; // times 2^20
    uint32_t row_step;
    uint32_t unfair; // 2^32 modulo (2 types size size): the rests of draws that are rejected
} jbw_draw_range;

typedef struct jbw_draws {
    uint64_t after[JBW_DRAWS];    // the state of the stream after each proposal
    uint64_t decide[JBW_DRAWS];   // the second draw
    uint32_t addition[JBW_DRAWS]; // a move; if its kind is not a type, an item is to be removed
    uint32_t rank[JBW_DRAWS];     // 32 bits that choose the item to remove
    double least_log[JBW_DRAWS];  // at most the logarithm of `decide` as a number in [0, 1)
} jbw_draws;

/// All of `kind_step` times (2 types) and `row_step` times `size` have to fit their part of a move.
jbw_draw_range jbw_draw_range_of(int types, int size, int kind_step, int row_step);

/// Begins before the first proposal of a stream.
void jbw_draws_start(jbw_draws *draws, const jbw_rng *stream);

/// Draws the next JBW_DRAWS proposals, those after `after[JBW_DRAWS - 1]`.
void jbw_draws_fill(jbw_draws *draws, const jbw_draw_range *range, uint64_t step);

/// Rejects the first draw of a proposal until `rank` can choose among `choices` items without
/// favouring some. All later proposals of the block are drawn again.
void jbw_draws_choose_fairly(jbw_draws *draws, const jbw_draw_range *range, uint64_t step,
                             int index, uint32_t choices);

#endif
