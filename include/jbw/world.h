// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Models and worlds. A model is a config that was checked and prepared once; it is read-only, so
/// any number of worlds, in any threads, share it. A world is what changes, and belongs to one
/// thread at a time.
#ifndef JBW_WORLD_H
#define JBW_WORLD_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/types.h"

JBW_BEGIN_DECLS

typedef struct jbw_model jbw_model;
typedef struct jbw_world jbw_world;

/// Compiles a config. On failure `*out` is NULL and `error` (may be NULL) tells the first problem;
/// `jbw_config_check` tells them all. Destroy with `jbw_model_destroy`, after its worlds.
JBW_API jbw_status jbw_model_create(const jbw_config *config, jbw_model **out, jbw_error *error);

/// Ends a model. NULL is fine. No world that uses it may be left.
JBW_API void jbw_model_destroy(jbw_model *model);

JBW_API int jbw_model_patch_size(const jbw_model *model);
JBW_API jbw_generation jbw_model_generation(const jbw_model *model);
JBW_API int jbw_model_color_dimensions(const jbw_model *model);

/// The largest Chebyshev distance at which any two items of the model interact.
JBW_API int jbw_model_reach(const jbw_model *model);

JBW_API int jbw_model_item_type_count(const jbw_model *model);

/// The name of an item type, or NULL if there is no such type. Lives as long as the model.
JBW_API const char *jbw_model_item_name(const jbw_model *model, int item_type);

/// The index of the item type with that name, or -1.
JBW_API int jbw_model_item_type(const jbw_model *model, const char *name);

/// The colour of an item type: `color_dimensions` values that live as long as the model.
JBW_API const double *jbw_model_item_color(const jbw_model *model, int item_type);

/// True if agents cannot enter cells with an item of this type.
JBW_API bool jbw_model_item_blocks(const jbw_model *model, int item_type);

/// The shape of what agents perceive: vision is (side, side, color_dimensions), `side` being twice
/// the vision range and one.
JBW_API int jbw_model_vision_side(const jbw_model *model);
JBW_API int jbw_model_scent_dimensions(const jbw_model *model);

/// How much of each cell of the frame lies in the field of view: (side x side) numbers from 0 to 1
/// that live as long as the model.
JBW_API const double *jbw_model_field_of_view(const jbw_model *model);

/// The number of actions, and what each is. Its item is the type to drop, or -1.
JBW_API int jbw_model_action_count(const jbw_model *model);
JBW_API jbw_action_kind jbw_model_action_kind(const jbw_model *model, int action);
JBW_API int jbw_model_action_item(const jbw_model *model, int action);

/// Where a model's memory comes from; what is made with it uses the same.
JBW_API jbw_allocator jbw_model_allocator(const jbw_model *model);

/// How fine the energies of an item type are kept: multiples of two to the minus this many.
JBW_API int jbw_model_energy_bits(const jbw_model *model, int item_type);

/// Begins an empty world at time zero. The model must outlive it.
JBW_API jbw_status jbw_world_create(const jbw_model *model, uint64_t seed, jbw_world **out);

/// Ends a world. NULL is fine.
JBW_API void jbw_world_destroy(jbw_world *world);

JBW_API const jbw_model *jbw_world_model(const jbw_world *world);
JBW_API uint64_t jbw_world_seed(const jbw_world *world);

/// Makes final what agents standing at these cells would need, in one sampling for all of them.
/// On failure the world is as it was. All patches of an invariant world are final from the
/// beginning, so there it changes nothing, but what is near these cells stands ready.
JBW_API jbw_status jbw_world_explore(jbw_world *world, const jbw_position *positions, size_t count);

/// Makes one patch final, if it is not: a sampling for that patch alone. `patch` counts patches.
/// On failure the world is as it was.
JBW_API jbw_status jbw_world_finalize_patch(jbw_world *world, jbw_position patch);

/// The patch that holds a cell.
JBW_API jbw_position jbw_world_patch_of(const jbw_world *world, jbw_position cell);

JBW_API jbw_patch_state jbw_world_patch_state(const jbw_world *world, jbw_position patch);

/// Reads what is in a region, without changing anything, be it as far as it may: (height x width) bytes, the row with the
/// lowest y first; 0 is an empty cell, otherwise the item's type plus one. Cells of missing
/// patches are empty. `states` may be NULL; else it gets the state of each cell's patch in the
/// same shape.
JBW_API jbw_status jbw_world_read_region(const jbw_world *world, jbw_region region, uint8_t *items,
                                         uint8_t *states);

/// True if a patch can be read at once. In an invariant world it may have to be made first, which
/// takes a while.
JBW_API bool jbw_world_patch_is_ready(const jbw_world *world, jbw_position patch);

/// A number for what is in a patch: another one when that is different. It costs little, also where
/// the patch is not ready; zero where nothing is known. Comparable between worlds that are copies.
JBW_API uint64_t jbw_world_patch_mark(const jbw_world *world, jbw_position patch);

/// Hands what one world has worked out about the places that were looked at to another one of the
/// same model and seed, which is then faster; neither changes. Does nothing if it does not fit.
JBW_API void jbw_world_pass_on(jbw_world *from, jbw_world *to);

/// What is in a cell, and since when.
typedef struct jbw_cell_info {
    jbw_patch_state state; ///< of its patch
    int item;              ///< the type, or -1
    bool is_generated;     ///< it has always been so, or the patch is not final
    bool is_since_known;   ///< else `since` is only the latest time that it can be
    uint64_t since;        ///< the time since which it is so, if it was not generated so
} jbw_cell_info;

/// Looks at a cell, without changing anything. The time of a change is known for as long as the
/// change can be smelled.
JBW_API jbw_status jbw_world_inspect(const jbw_world *world, jbw_position cell, jbw_cell_info *out);

/// What a world has done and holds.
typedef struct jbw_world_stats {
    uint64_t patch_count; ///< of an invariant world, those that are in memory now
    uint64_t final_patch_count;
    uint64_t sampling_count; ///< calls that sampled something; of an invariant world, patches made
    uint64_t proposal_count; ///< Metropolis-Hastings proposals made
    uint64_t accepted_count; ///< of those, accepted
    uint64_t map_bytes;      ///< memory of patches and their index
    uint64_t scratch_bytes;  ///< memory kept for sampling, bounded
} jbw_world_stats;

JBW_API jbw_world_stats jbw_world_get_stats(const jbw_world *world);

/// A hash of everything that can make a difference to the future of a world. Equal for equal
/// worlds on every platform.
JBW_API uint64_t jbw_world_hash(const jbw_world *world);

JBW_END_DECLS

#endif
