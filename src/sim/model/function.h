// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Item functions: intensities f(cell) and interactions g(first, second), from a text such as
/// "Cross[20, 40, 8, ...]" to something that can be evaluated. A compiled interaction is called a
/// coupling.
///
///     function.c     the tables of built-in functions; compiling expressions
///     intensity.c    values and bounds of intensities
///     coupling.c     values of couplings, and how far and how strongly they act
///
/// User-defined functions come with the config.
#ifndef JBW_SIM_MODEL_FUNCTION_H
#define JBW_SIM_MODEL_FUNCTION_H

#include "base/alloc.h"
#include "jbw/config.h"
#include "sim/model/expr.h"
#include "sim/model/expr_read.h"

enum {
    JBW_MAX_ARGUMENTS = 16,
    JBW_MAX_INTENSITY_TERMS = 16,
    JBW_MAX_BIOME_VALUES = 16,
    JBW_LEAST_SCALE = 2, // of NOISE and BIOME, in cells
    JBW_MOST_SCALE = 1000000,
    JBW_MOST_LAYER = 1000000,
    JBW_MAX_TABLE_REACH = JBW_MAX_PATCH_SIZE,
};

/// The largest absolute value of intensities and interactions.
#define JBW_MAX_ENERGY JBW_EXPR_MAX_NUMBER

// ---- intensities ----

typedef enum jbw_intensity_kind {
    JBW_INTENSITY_CONSTANT,
    JBW_INTENSITY_RADIAL_HASH,
    JBW_INTENSITY_NOISE,
    JBW_INTENSITY_BIOME,
    JBW_INTENSITY_CUSTOM,
} jbw_intensity_kind;

/// A value of BIOME: for regions whose number is below `end`, and not below that of the value
/// before.
typedef struct jbw_biome_value {
    double end; // the sum of shares; more than one for the last value
    double value;
} jbw_biome_value;

/// A term of an intensity that depends on the place.
typedef struct jbw_intensity_part {
    jbw_intensity_kind kind; // not CONSTANT
    double arguments[JBW_MAX_ARGUMENTS];
    int scale;                     // NOISE, BIOME
    int layer;                     // NOISE, BIOME
    const jbw_biome_value *values; // BIOME: (value_count)
    int value_count;
    jbw_intensity_function custom;
} jbw_intensity_part;

/// A compiled intensity: the sum of its constant terms, plus its other terms one by one. It is
/// constant if there are none.
typedef struct jbw_intensity {
    double constant;
    int part_count;
    const jbw_intensity_part *parts; // (part_count)
    bool is_zonal;                   // it is the same in all cells of a region: all parts are BIOME
    bool has_never;                  // somewhere there are no such items
} jbw_intensity;

/// The intensity where there are no such items, or less. Other terms make no difference to it.
#define JBW_INTENSITY_NEVER (-1e30)

static inline bool jbw_intensity_is_never(double value)
{
    return value <= 0.5 * JBW_INTENSITY_NEVER;
}

/// f at a cell of the world with that seed.
double jbw_intensity_value(const jbw_intensity *intensity, uint64_t seed, jbw_position cell);

/// Bounds of f in a square of cells with lower left cell `origin`. True if f is constant there;
/// otherwise the bounds need not be tight.
bool jbw_intensity_bounds(const jbw_intensity *intensity, uint64_t seed, jbw_position origin,
                          int size, double *least, double *most);

/// The value of a BIOME in regions with that number.
double jbw_intensity_biome_value(const jbw_intensity_part *part, double number);

/// A lower bound of f over the whole plane, except where it is never.
double jbw_intensity_least(const jbw_intensity *intensity);

// ---- couplings ----

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
    const double *table; // TABLE: (2 table_reach + 1) x (2 table_reach + 1), highest dy first
    int table_reach;     // TABLE; `reach` is smaller if the border of the table is zero
    jbw_interaction_function custom;

    int column_function; // CROSS_HASH: its number among those of the model, set by the model
    int reach;           // largest Chebyshev distance at which it can be nonzero; 0: it is zero
    double largest;      // upper bound of its absolute value
} jbw_coupling;

/// g(first, second) for two different cells. Zero beyond the reach.
double jbw_coupling_value(const jbw_coupling *coupling, jbw_position first, jbw_position second);

/// Sets `reach` and `largest` of a coupling that is otherwise complete.
void jbw_coupling_set_bounds(jbw_coupling *coupling);

/// Whether the value depends only on the offset between the two cells.
bool jbw_coupling_is_stationary(const jbw_coupling *coupling);

/// The radii U and V of a CrossHash whose first item is in this column, rounded down. Distances are
/// whole numbers, so rounding changes no comparison.
void jbw_cross_hash_radii(const jbw_coupling *coupling, int64_t column, int *inner, int *outer);

/// How far and how strongly items of one type interact with any other: the largest reach, and the
/// largest sum of g in both directions. `couplings` is (type_count x type_count).
void jbw_couplings_extent(const jbw_coupling *couplings, int type_count, int type, int *reach,
                          double *largest);

// ---- compiling ----

/// User-defined functions.
typedef struct jbw_function_set {
    const jbw_intensity_function *intensities;
    size_t intensity_count;
    const jbw_interaction_function *interactions;
    size_t interaction_count;
} jbw_function_set;

/// Compile a parsed expression. On failure `error` tells why and where in the expression. Terms and
/// tables are in the arena.
jbw_status jbw_intensity_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                 jbw_arena *arena, jbw_intensity *out, jbw_error *error);
jbw_status jbw_coupling_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                jbw_arena *arena, jbw_coupling *out, jbw_error *error);

/// Whether this is the name of a built-in function.
bool jbw_function_name_is_taken(const char *name);

#endif
