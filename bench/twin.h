// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The slow twin: the paper's point process and its sampling once more, by plain loops over items
/// in double precision, for comparing and for timing against. It shares no code with the library
/// and has random numbers of its own, so the two make different worlds of the same law.
#ifndef JBW_BENCH_TWIN_H
#define JBW_BENCH_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jbw/config.h"

// --- the law ------------------------------------------------------------------------------------

typedef enum twin_kind {
    TWIN_ZERO,
    TWIN_CONSTANT,
    TWIN_RADIAL_HASH,
    TWIN_PIECEWISE_BOX,
    TWIN_CROSS,
    TWIN_CROSS_HASH,
    TWIN_TABLE,
    TWIN_CUSTOM,
} twin_kind;

/// An expression such as "Cross[20, 40, 8, -1000, -1000, -1]", taken apart.
typedef struct twin_function {
    twin_kind kind;
    double *numbers; // all that stand in it, from left to right
    size_t number_count;
    const jbw_intensity_function *custom_intensity; // the user's own, or NULL
    const jbw_interaction_function *custom_interaction;
} twin_function;

/// What decides about items: the functions of all types.
typedef struct twin_law {
    int type_count;
    twin_function *intensities;  // (type_count)
    twin_function *interactions; // (type_count x type_count), first item's type first
} twin_law;

typedef struct twin_item {
    int64_t x;
    int64_t y;
    int type;
} twin_item;

/// Takes the functions from a config, whose user's own functions must outlive it. False if there
/// is no memory or an expression is not understood.
bool twin_law_init(twin_law *law, const jbw_config *config);
void twin_law_deinit(twin_law *law);

/// The last mixing step of MurmurHash3 for 32 bits.
uint32_t twin_murmur(uint32_t h);

/// f of an item, and g of an ordered pair of different items.
double twin_intensity(const twin_law *law, twin_item item);
double twin_interaction(const twin_law *law, twin_item first, twin_item second);

/// The exponent in the paper's equation: over all items, and all ordered pairs of them.
double twin_energy(const twin_law *law, const twin_item *items, size_t count);

// --- worlds -------------------------------------------------------------------------------------

typedef struct twin_patch {
    int64_t x; // in units of patches
    int64_t y;
    bool is_final;
    twin_item *items; // (patch_size x patch_size), of which `count` are used
    size_t count;
} twin_patch;

typedef struct twin_world {
    twin_law law;
    int patch_size;
    int mh_iterations;
    uint64_t random;
    twin_patch **patches; // in order of creation
    size_t patch_count;
    uint64_t proposal_count;
    uint64_t accepted_count;
} twin_world;

/// An empty world, or NULL. Only items, patch_size and mh_iterations of the config matter.
twin_world *twin_world_create(const jbw_config *config, uint64_t seed);
void twin_world_destroy(twin_world *world);

/// Makes final what agents at these cells need. False when memory runs out; the world is then of
/// no more use.
bool twin_world_explore(twin_world *world, const jbw_position *cells, size_t count);

/// The patch at a place, in units of patches, or NULL.
const twin_patch *twin_world_patch(const twin_world *world, int64_t x, int64_t y);

/// The items of one type in final patches, or of all types for a type of -1.
size_t twin_world_item_count(const twin_world *world, int type);

#endif
