// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The slow twin: the paper's point process and its sampler, as plain loops over items in double
/// precision, a reference for tests and benchmarks. It shares no code with the library and has its
/// own random numbers, so the two generate different worlds of the same distribution.
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
    TWIN_NOISE,
    TWIN_BIOME,
    TWIN_CUSTOM,
} twin_kind;

/// A parsed expression such as "Cross[20, 40, 8, -1000, -1000, -1]", or a term of a sum.
typedef struct twin_function {
    twin_kind kind;
    double *numbers; // its arguments, from left to right
    size_t number_count;
    const jbw_intensity_function *custom_intensity; // user-defined, or NULL
    const jbw_interaction_function *custom_interaction;
    struct twin_function *next; // another term of the same intensity, or NULL
} twin_function;

/// The intensity and interaction functions of all item types.
typedef struct twin_law {
    int type_count;
    uint64_t seed;               // of the world whose places they describe; zero unless set
    twin_function *intensities;  // (type_count)
    twin_function *interactions; // (type_count x type_count), first item's type first
} twin_law;

typedef struct twin_item {
    int64_t x;
    int64_t y;
    int type;
} twin_item;

/// Takes the functions from a config, whose user-defined functions must outlive the law. False if
/// memory runs out or an expression cannot be parsed.
bool twin_law_init(twin_law *law, const jbw_config *config);
void twin_law_deinit(twin_law *law);

/// Noise between -1 and 1, and the number of the region of biomes, at a cell (twin_space.c).
double twin_noise(uint64_t seed, int64_t scale, int64_t layer, int64_t x, int64_t y);
double twin_biome(uint64_t seed, int64_t scale, int64_t layer, int64_t x, int64_t y);

/// The finalizer of 32-bit MurmurHash3.
uint32_t twin_murmur(uint32_t h);

/// f of an item, and g of an ordered pair of different items.
double twin_intensity(const twin_law *law, twin_item item);
double twin_interaction(const twin_law *law, twin_item first, twin_item second);

/// The exponent in the paper's equation: the sum over all items and all ordered pairs of them.
double twin_energy(const twin_law *law, const twin_item *items, size_t count);

// --- worlds -------------------------------------------------------------------------------------

typedef struct twin_patch {
    int64_t x; // in units of patches
    int64_t y;
    bool is_final;
    twin_item *items; // (patch_size x patch_size), of which `count` are in use
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

/// An empty world, or NULL. Of the config, only items, patch_size and mh_iterations matter.
twin_world *twin_world_create(const jbw_config *config, uint64_t seed);
void twin_world_destroy(twin_world *world);

/// Makes the patches that agents at these cells need final. False when memory runs out; the world
/// cannot be used any more.
bool twin_world_explore(twin_world *world, const jbw_position *cells, size_t count);

/// The patch at a position in units of patches, or NULL.
const twin_patch *twin_world_patch(const twin_world *world, int64_t x, int64_t y);

/// The number of items of a type in final patches; -1 means all types.
size_t twin_world_item_count(const twin_world *world, int type);

#endif
