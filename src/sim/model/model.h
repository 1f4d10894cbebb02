// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The compiled config: everything that can be worked out before the first cell is sampled.
/// Read-only once made, so worlds in any number of threads share it.
#ifndef JBW_SIM_MODEL_MODEL_H
#define JBW_SIM_MODEL_MODEL_H

#include "base/alloc.h"
#include "jbw/world.h"
#include "sim/model/energy_model.h"
#include "sim/model/kernel.h"
#include "sim/model/scent_model.h"
#include "sim/model/vision_model.h"

typedef struct jbw_model_item {
    const char *name;
    const double *color; // (color_dimensions)
    const double *scent; // (scent_dimensions)
    double occlusion;
    bool blocks_movement;
    bool is_collectable;
    const uint32_t *requirements; // (type_count): how many of each must be carried, or NULL
    const uint32_t *costs;        // (type_count): how many of each are destroyed, or NULL
    jbw_intensity intensity;
    int energy_bits; // one unit of its field is worth two to the minus this

    const jbw_kernel *kernels; // what an item of this type adds to the fields of others
    int kernel_count;
    int reach; // of those kernels
} jbw_model_item;

/// One allowed action.
typedef struct jbw_model_action {
    jbw_action_kind kind;
    int item_type; // to drop, or -1
} jbw_model_action;

struct jbw_model {
    jbw_allocator allocator;
    jbw_arena arena;       // holds everything below, and the model itself does not lie in it
    const uint8_t *config; // as bytes (config_code.h), for worlds to be saved with
    size_t config_size;
    int scent_dimensions;
    int color_dimensions;
    int patch_size;
    int patch_cells; // patch_size squared
    int mh_iterations;
    int reach; // the farthest that any two items interact
    jbw_generation generation;
    size_t memory_budget; // bytes of what an invariant world keeps, though it can be made again

    // an agent needs the patches that the square [x - near_low, x + near_high] around it touches
    int near_low;
    int near_high;

    int type_count;
    jbw_model_item *items;    // (type_count)
    jbw_energy_scale *scales; // (type_count)
    int field_count; // one for each type that interacts, and those that are shared; at least one

    const jbw_coupling **column_functions; // the CrossHash interactions, by number
    int column_function_count;

    // log(patch_cells type_count / m) for m = 1 .. patch_cells: how much likelier it is to propose
    // the removal of one of m items than to propose adding just that one, inverted
    const double *log_add_odds; // (patch_cells + 2), the first and the last are not used

    // agents
    jbw_collision collision;
    jbw_collection collection;
    const double *agent_color; // (color_dimensions)
    const double *agent_scent; // (scent_dimensions)
    const jbw_model_action *actions;
    int action_count;
    jbw_vision_model vision;
    jbw_scent_model scent;
};

/// As `jbw_model_create`; with `force_generic` every interaction goes the way of the user's own
/// functions, slower and with the same result.
jbw_status jbw_model_build(const jbw_config *config, bool force_generic, jbw_model **out,
                           jbw_error *error);

#endif
