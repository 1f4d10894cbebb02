// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the generation of an invariant map needs to know about a model, computed once: the role of
/// each type in the dynamics, how often it is drawn, and the stages in which the map is made.
///
/// Time is cut into slices. What happens in a slice depends on its phase:
///
///     first    slow types that interact with nothing but each other, before all other types
///     open     slice 0, if some type is crowding: a cell has 2^-5 draws of each normal type on
///              average, in random order
///     early    the other slices up to number 5: 2^-4, 2^-3 or 2^-2 draws, in a sweep
///     late     all other slices: one draw of each normal type in each cell, in a sweep, in every
///              slice or in every second one
///
/// The slices of the first phase are counted separately. Types of that phase get one more slice,
/// the healing slice, before slice 0.
///
/// In late slices some types are drawn more often. Patchy types get JBW_PATCHY_TURNS extra draws:
/// where they are rare, it takes long until enough of them meet. Slow types are drawn in every
/// fourth late slice, in so many subslices that a cell has 2^-JBW_SLOW_HALVINGS low draws
/// (dynamics.h). In a subslice a cell has a draw with probability 2^-JBW_SUBSLICE_HALVINGS.
#ifndef JBW_SIM_GENERATE_INVARIANT_PLAN_H
#define JBW_SIM_GENERATE_INVARIANT_PLAN_H

#include "sim/generate/invariant/independent_types.h"
#include "sim/generate/invariant/narrow.h"
#include "sim/generate/invariant/noise.h"
#include "sim/generate/invariant/row_deltas.h"
#include "sim/model/model.h"

/// How a type takes part. Probabilities of the form 2^-n are given as n halvings.
typedef enum jbw_invariant_role {
    JBW_ROLE_INDEPENDENT, ///< interacts with nothing: sampled exactly, at the end
    JBW_ROLE_NORMAL,      ///< drawn about once per slice in each cell
    JBW_ROLE_SLOW,        ///< hardly ever appears on its own, and is drawn much more often
    JBW_ROLE_FIRST,       ///< slow, and independent of all types that are not: comes first
} jbw_invariant_role;

typedef struct jbw_invariant_type {
    jbw_invariant_role role;
    bool has_constant_intensity; // the intensity, lowered for the independent types, is the same
    double constant_intensity;   // in all cells, and this
    bool is_zonal;               // it depends on biomes only (zones.h)
    double max_intensity;        // the largest lowered intensity in any cell
    int low_halvings;            // a draw is low if its number is below 2^-low_halvings
    double low_bound;            // 2^-low_halvings
    double low_factor;           // 2^low_halvings
    double low_energy;           // the x for which 1 / (1 + e^-x) is the low bound
    uint64_t likely_number;      // in 2^-53; from here on, only low draws change unlikely cells
    jbw_binomial low_counts;     // how many of 64 draws are low
    bool comes_first;
    int period;             // in late slices: drawn in every slice, or in every second
    jbw_narrow_scale scale; // how its energy is read
    bool is_patchy; // in some places it hardly ever appears on its own; if zonal, only those get
                    // extra draws
} jbw_invariant_type;

/// Where around an item an energy goes up, or down: how far away, and how far to both sides in each
/// row. The item's own cell is always included.
typedef struct jbw_invariant_extent {
    int reach;
    int16_t *widths; // (2 reach + 1), lowest row first, -1 is nowhere; or NULL
} jbw_invariant_extent;

/// How an item of one type changes the energy of another. Only the effects of slow types on
/// themselves have widths.
typedef struct jbw_invariant_effect {
    jbw_invariant_extent up;
    jbw_invariant_extent down;
} jbw_invariant_effect;

enum {
    JBW_EARLY_SLICES = 6,      // with the open one
    JBW_CROWDING_HALVINGS = 4, // of a type that soon fills most empty cells
    JBW_OPEN_HALVINGS = 5,
    JBW_PATCHY_TURNS = 10,
    JBW_SLOW_PERIOD = 4,
    JBW_SLOW_HALVINGS = 10,
    JBW_SUBSLICE_HALVINGS = 4,
    JBW_LEAST_LOW_HALVINGS = 6, // of normal types
    JBW_STRONG_LOW_HALVINGS = 9,
    JBW_MAX_LOW_HALVINGS = 20,
    JBW_STAGES = 4,
};

/// A hot cell (gauge.h) is likely to change if it does so with more than this probability, and
/// the x for which 1 / (1 + e^-x) is that.
#define JBW_LIKELY 0.125
#define JBW_LIKELY_ENERGY (-0x1.f2272ae325a57p+0)

/// Which types a stage simulates.
typedef enum jbw_stage_kind {
    JBW_STAGE_MAIN,  ///< all types; those that come first only in the healing slice
    JBW_STAGE_FIRST, ///< only the types that come first
} jbw_stage_kind;

/// A stage makes blocks. It runs the dynamics from its first slice to its last one in a window
/// around each block. The active part of the window shrinks meanwhile, from `first_margin` to
/// `last_margin` cells beyond each side of the block.
typedef struct jbw_invariant_stage {
    jbw_stage_kind kind;
    int side;  // of a block
    int shift; // of the lattice of blocks, along both axes
    int first_slice;
    int end_slice; // one past the last
    int first_margin;
    int last_margin;
} jbw_invariant_stage;

typedef struct jbw_invariant_plan {
    const jbw_model *model;
    uint64_t seed;                      // of intensities that depend on it
    jbw_arena arena;                    // owns the arrays
    jbw_invariant_type *types;          // (type_count)
    jbw_invariant_effect *effects;      // (type_count x type_count), rows by source type
    bool *is_narrow;                    // (field_count): whether a field is narrow (narrow.h)
    jbw_narrow_kernel **narrow_kernels; // (type_count x kernel_count of the type)
    jbw_row_deltas **row_deltas;        // the same, of wide fields
    bool has_plain_kernels;             // some kernels have neither pieces nor row deltas
    int offset_count;                   // of the pieces of all narrow kernels and of all row deltas
    jbw_invariant_stage stages[JBW_STAGES];
    int first_stage;  // the first one that is needed
    int stage_count;  // zero if all types are independent
    int most_side;    // of a window
    int reach;        // of all types except those that come first
    bool is_crowding; // some type soon fills most empty cells: the first slice is open
    bool is_restless; // some type is drawn more often than normal types in late slices
    jbw_independent_types independent_types;
    bool has_zones; // some intensity is zonal
} jbw_invariant_plan;

/// False when memory runs out; the plan must be deinitialised even then.
bool jbw_invariant_plan_init(jbw_invariant_plan *plan, const jbw_model *model, uint64_t seed);
void jbw_invariant_plan_deinit(jbw_invariant_plan *plan);

/// The intensity of a type in a cell, lowered for the independent types.
double jbw_invariant_intensity(const jbw_invariant_plan *plan, int type, jbw_position cell);

/// Whether a type with that lowered intensity hardly ever appears on its own, but may.
bool jbw_invariant_is_rare(double intensity);

/// Bounds of the intensity in a square of cells.
void jbw_invariant_intensity_bounds(const jbw_invariant_plan *plan, int type, jbw_position corner,
                                    int size, double *least, double *most);

#endif
