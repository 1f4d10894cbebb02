// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The model: a config, checked and compiled into everything that can be computed before the first
/// cell is generated. It is read-only, so any number of worlds in any number of threads share it.
/// (Only the pool of samplers changes, which is made for that.)
///
///     config, config_check, config_code   defaults, problems, and configs as bytes
///     expr, expr_read                     the syntax of expressions; reading arguments from them
///     function, intensity, coupling       item functions: compiling and evaluating them
///     energy_model, kernel, kernel_stamp  what items add to the energies around them
///     planes, plane_kernels, plane_stamp  the same in fewer bits, where that is exact
///     body                                bodies and tools
///     vision_model                        fields of view and occlusion
///     scent_model, scent_response         how scent spreads
///     season                              when items are there for agents
///     regrowth                            after how many steps collected items are there again
///     kinds                               names for sets of item types
///     terms                               what agents need to collect an item, and what it costs
///
/// All other parts of sim depend on the model; it depends on none of them.
#ifndef JBW_SIM_MODEL_MODEL_H
#define JBW_SIM_MODEL_MODEL_H

#include "base/alloc.h"
#include "jbw/world.h"
#include "sim/model/body.h"
#include "sim/model/energy_model.h"
#include "sim/model/kernel.h"
#include "sim/model/kinds.h"
#include "sim/model/planes.h"
#include "sim/model/pool.h"
#include "sim/model/regrowth.h"
#include "sim/model/scent_model.h"
#include "sim/model/terms.h"
#include "sim/model/vision_model.h"
#include "sim/model/zones.h"

typedef struct jbw_model_item {
    const char *name;
    const double *color; // (color_dimensions)
    const double *scent; // (scent_dimensions)
    double occlusion;
    bool blocks_movement;
    bool is_collectable;
    bool has_text;          // when dropped or placed, it may carry a text
    const jbw_terms *terms; // of collecting it; NULL if there are none
    jbw_season season;
    jbw_regrowth_model regrowth;
    jbw_intensity intensity;
    int energy_bits; // one unit of its field is 2^-energy_bits

    const jbw_kernel *kernels; // what an item of this type adds to the fields of others
    int kernel_count;
    int reach;                             // of these kernels
    const jbw_plane_kernel *plane_kernels; // the same for planes
    int plane_kernel_count;
} jbw_model_item;

/// One allowed action.
typedef struct jbw_model_action {
    jbw_action_kind kind;
    int item_type; // to drop, or -1
} jbw_model_action;

struct jbw_model {
    jbw_allocator allocator;
    jbw_arena arena;       // owns everything below, but not the model itself
    const uint8_t *config; // as bytes (config_code.h), to save worlds with
    size_t config_size;
    int scent_dimensions;
    int color_dimensions;
    int patch_size;
    int patch_cells; // patch_size squared
    int mh_iterations;
    int reach; // the largest distance at which any two items interact
    jbw_generation generation;
    double maturity;      // of an invariant world
    size_t memory_budget; // bytes that an invariant world may use for what can be generated again

    // an agent needs all patches that intersect the square [x - near_low, x + near_high]
    int near_low;
    int near_high;

    int type_count;
    bool is_timed;           // some types have seasons or grow back
    bool is_growing;         // some types grow back
    jbw_model_item *items;   // (type_count)
    const char **kind_names; // (kind_count)
    int kind_count;
    jbw_kinds kinds;
    int inventory_size; // numbers per agent: carried and, if counts_ever, ever collected, by type
    bool counts_ever;   // some types ask for what was ever collected
    bool has_drops;     // collecting some types puts items down
    bool has_texts;     // some types may carry a text
    bool has_things;    // the config has keys that came after those of time and space
    jbw_energy_scale *scales;  // (type_count)
    int field_count;           // one for each type that interacts, plus shared ones; at least one
    jbw_pool *samplers;        // what sampling needs, shared by worlds (sim/generate/frontier)
    int plane_count;           // that fields are split into (planes.h), or zero
    jbw_plane *planes;         // (plane_count)
    jbw_plane_sum *plane_sums; // (type_count)
    jbw_biome_layer *layers;   // (layer_count): all biomes that zonal intensities name
    int layer_count;
    bool has_never; // somewhere there are no items of some type

    const jbw_coupling **column_functions; // the CrossHash interactions, by number
    int column_function_count;

    // log(patch_cells type_count / m) for m = 1 .. patch_cells: the log of the ratio of proposing
    // to remove a certain one of m items to proposing to add it
    const double *log_add_odds; // (patch_cells + 2), the first is huge, the last is unused

    // agents
    jbw_collision collision;
    jbw_collection collection;
    const jbw_model_action *actions;
    int action_count;
    jbw_body_model *bodies; // (body_count): that of `agent` first
    int body_count;
    jbw_tool_model *tools; // (tool_count): later ones win
    int tool_count;
    jbw_voice voice;
    jbw_vision_model vision;
    jbw_scent_model scent;
};

/// What tests of the generators ask for.
typedef struct jbw_model_options {
    bool
        force_generic; // evaluate every interaction as if it were user-defined: slower, same results
    bool force_fields; // no planes, which makes frontier slower, with the same results
    bool allows_tiny;  // patches of one or two cells a side, in which no agent can live
} jbw_model_options;

/// As `jbw_model_create`, with options.
jbw_status jbw_model_build(const jbw_config *config, jbw_model_options options, jbw_model **out,
                           jbw_error *error);

#endif
