// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Intensity and interaction functions: from an expression such as "Cross[20, 40, 8, ...]" to
/// something that can be evaluated, with its reach and its largest value. The paper's functions
/// stand in one table at the end of function.c; a user's own come with the config.
#ifndef JBW_SIM_MODEL_FUNCTION_H
#define JBW_SIM_MODEL_FUNCTION_H

#include "base/alloc.h"
#include "jbw/config.h"
#include "sim/model/expr.h"

enum {
    JBW_MAX_ARGUMENTS = 16,
    JBW_MAX_TABLE_REACH = JBW_MAX_PATCH_SIZE,
};

/// No intensity and no interaction is larger than this, in absolute value.
#define JBW_MAX_ENERGY 1e9

typedef enum jbw_intensity_kind {
    JBW_INTENSITY_CONSTANT,
    JBW_INTENSITY_RADIAL_HASH,
    JBW_INTENSITY_CUSTOM,
} jbw_intensity_kind;

/// A compiled intensity.
typedef struct jbw_intensity {
    jbw_intensity_kind kind;
    double arguments[JBW_MAX_ARGUMENTS];
    jbw_intensity_function custom;
} jbw_intensity;

typedef enum jbw_coupling_kind {
    JBW_COUPLING_ZERO,
    JBW_COUPLING_PIECEWISE_BOX,
    JBW_COUPLING_CROSS,
    JBW_COUPLING_CROSS_HASH,
    JBW_COUPLING_TABLE,
    JBW_COUPLING_CUSTOM,
} jbw_coupling_kind;

/// A compiled interaction g(first, second).
typedef struct jbw_coupling {
    jbw_coupling_kind kind;
    double arguments[JBW_MAX_ARGUMENTS];
    const double *table; // (2 reach + 1) x (2 reach + 1), of TABLE; top row is the highest dy
    int table_reach;     // of TABLE; `reach` may be less, where its border is zero
    jbw_interaction_function custom;

    int column_function; // of CROSS_HASH: its number among the model's, set by the model
    int reach;           // largest Chebyshev distance at which it can be non-zero; 0: it is zero
    double largest;      // no absolute value of it is larger
} jbw_coupling;

/// What the functions may be chosen from, besides the paper's.
typedef struct jbw_function_set {
    const jbw_intensity_function *intensities;
    size_t intensity_count;
    const jbw_interaction_function *interactions;
    size_t interaction_count;
} jbw_function_set;

/// Compile a parsed expression. On failure `error` says why, with the place in the expression.
/// Tables are copied into the arena.
jbw_status jbw_intensity_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                 jbw_intensity *out, jbw_error *error);
jbw_status jbw_coupling_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                jbw_arena *arena, jbw_coupling *out, jbw_error *error);

/// f at a cell.
double jbw_intensity_value(const jbw_intensity *intensity, jbw_position cell);

/// Bounds of f in a square of cells, of which `origin` is the lowest in both axes. True if f is
/// constant; otherwise the bounds need not be tight.
bool jbw_intensity_bounds(const jbw_intensity *intensity, jbw_position origin, int size,
                          double *least, double *most);

/// g(first, second) for two different cells. Zero beyond the reach.
double jbw_coupling_value(const jbw_coupling *coupling, jbw_position first, jbw_position second);

/// True if the value depends on nothing but the offset between the two cells.
bool jbw_coupling_is_stationary(const jbw_coupling *coupling);

/// The radii U and V of a CrossHash whose first item is in this column, rounded down: distances
/// are whole numbers, so rounding changes no comparison.
void jbw_cross_hash_radii(const jbw_coupling *coupling, int64_t column, int *inner, int *outer);

/// True if the paper's functions already use that name.
bool jbw_function_name_is_taken(const char *name);

#endif
