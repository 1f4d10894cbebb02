// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What making an invariant map needs of a model, worked out once: which types take part in the
/// dynamics and how often they are drawn, and the stages in which a map is made.
#ifndef JBW_SIM_GENERATE_INVARIANT_PLAN_H
#define JBW_SIM_GENERATE_INVARIANT_PLAN_H

#include "sim/generate/invariant/independent_types.h"
#include "sim/generate/invariant/noise.h"
#include "sim/generate/invariant/row_deltas.h"
#include "sim/model/model.h"

/// How a type takes part.
typedef enum jbw_invariant_role {
    JBW_ROLE_INDEPENDENT, ///< it interacts with nothing: sampled exactly, when all else is done
    JBW_ROLE_NORMAL, ///< it is drawn once per unit of time in each cell, or, if patchy, more often
    JBW_ROLE_SLOW,   ///< it hardly ever appears on its own, so it is drawn much more often
    JBW_ROLE_FIRST,  ///< the same, and it knows nothing of types that are not slow: it comes first
} jbw_invariant_role;

typedef struct jbw_invariant_type {
    jbw_invariant_role role;
    bool is_constant;  // f is the same in all cells
    double constant;   // then that, lowered for the free types
    double strongest;  // the most that it, lowered, is in any cell
    int low;           // a draw is low if its number is below two to the minus this
    double low_bound;  // that
    double low_factor; // one over that
    double low_energy; // where e^x / (1 + e^x) is the bound
    jbw_few few;       // how many of 64 draws are low
    bool comes_first;
    int period;     // in late slices, it is drawn in every so many
    bool is_patchy; // in some places it hardly ever appears on its own
} jbw_invariant_type;

/// Around an item, where an energy goes up, or down: how far away, and how far to both sides in each
/// row, the item's own cell always included.
typedef struct jbw_invariant_extent {
    int reach;
    int16_t *widths; // (2 reach + 1), lowest row first, -1 is nowhere; or NULL
} jbw_invariant_extent;

/// How an item of one type changes the energy of another. Widths are known of slow types with
/// themselves.
typedef struct jbw_invariant_effect {
    jbw_invariant_extent up;
    jbw_invariant_extent down;
} jbw_invariant_effect;

/// The time of the dynamics is cut into slices. In an early slice each normal type is drawn with a
/// probability of 2^-4, 2^-3 or 2^-2 in each cell; the very first slices may be open,
/// see dynamics.c. In a late slice it is drawn once in each cell, if its turn has come: in every
/// slice, or in every second. Patchy types have PATCHY_TURNS draws more: where they are rare, it takes
/// long until enough of them meet. In every fourth late slice slow types are drawn, too, in so many
/// subslices that there are 2^-SLOW low draws in each cell, with 2^-SUBSLICE draws in each subslice.
///
/// Types that come first have slices of their own before all others, numbered from FIRST on, and one
/// more, HEALING, when the others begin.
enum {
    JBW_FIRST_SLICE = 1000,
    JBW_HEALING_SLICE = 2000,
    JBW_OPEN_SLICES = 2,
    JBW_EARLY_SLICES = 6,
    JBW_OPEN_HALVINGS = 4,
    JBW_PATCHY_TURNS = 10,
    JBW_SLOW_PERIOD = 4,
    JBW_SLOW_HALVINGS = 10,
    JBW_SUBSLICE_HALVINGS = 4,
    JBW_LEAST_LOW_HALVINGS = 6, // of normal types
    JBW_STRONG_LOW_HALVINGS = 9,
    JBW_MAX_LOW_HALVINGS = 20,
    JBW_STAGES = 4,
};

/// A stage makes blocks: a window around the block, so much larger on each side, lives from one
/// slice to another, while its active part shrinks.
typedef struct jbw_invariant_stage {
    int side;  // of a block
    int shift; // of its lattice of blocks, in both axes
    int first_slice;
    int end_slice;
    int first_margin;
    int last_margin;
} jbw_invariant_stage;

typedef struct jbw_invariant_plan {
    const jbw_model *model;
    jbw_arena arena;               // holds what follows
    jbw_invariant_type *types;     // (type_count)
    jbw_invariant_effect *effects; // (type_count x type_count), by type that acts
    jbw_row_deltas **edges;        // (type_count x its kernels)
    jbw_invariant_stage stages[JBW_STAGES];
    int first_stage;  // the first that is needed
    int stage_count;  // zero if all types are free
    int most_side;    // of a window
    int reach;        // of all types but those that come first
    bool is_crowding; // some type appears soon in most empty cells: the first slices are open
    bool is_restless; // some type is drawn more often than others in late slices
    jbw_independent_types independent_types;
} jbw_invariant_plan;

/// False when memory runs out.
bool jbw_invariant_plan_init(jbw_invariant_plan *plan, const jbw_model *model);
void jbw_invariant_plan_deinit(jbw_invariant_plan *plan);

/// f of a type in a cell, lowered for the free types.
double jbw_invariant_intensity(const jbw_invariant_plan *plan, int type, jbw_position cell);

/// Bounds of that in a square of cells.
void jbw_invariant_intensity_bounds(const jbw_invariant_plan *plan, int type, jbw_position origin,
                                    int size, double *least, double *most);

#endif
