// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Models and worlds. A model is a compiled config. It is read-only, so any number of worlds, in
/// any number of threads, can share it. A world is what changes; only one thread may use it at a
/// time.
#ifndef JBW_WORLD_H
#define JBW_WORLD_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/types.h"

JBW_BEGIN_DECLS

typedef struct jbw_model jbw_model;
typedef struct jbw_world jbw_world;

/// Compiles a config. On failure `*out` is NULL and `error` (may be NULL) is the first problem;
/// `jbw_config_check` finds all of them. Destroy the model with `jbw_model_destroy`, after its
/// worlds.
JBW_API jbw_status jbw_model_create(const jbw_config *config, jbw_model **out, jbw_error *error);

/// Destroys a model; NULL is ignored. All its worlds must have been destroyed before.
JBW_API void jbw_model_destroy(jbw_model *model);

JBW_API int jbw_model_patch_size(const jbw_model *model);
JBW_API jbw_generation jbw_model_generation(const jbw_model *model);
JBW_API int jbw_model_color_dimensions(const jbw_model *model);

/// The largest Chebyshev distance at which any two items of the model interact.
JBW_API int jbw_model_reach(const jbw_model *model);

JBW_API int jbw_model_item_type_count(const jbw_model *model);

/// The name of an item type, or NULL if there is no such type. Valid as long as the model.
JBW_API const char *jbw_model_item_name(const jbw_model *model, int item_type);

/// The item type with this name, or -1.
JBW_API int jbw_model_item_type(const jbw_model *model, const char *name);

/// The color of an item type: (color_dimensions), valid as long as the model.
JBW_API const double *jbw_model_item_color(const jbw_model *model, int item_type);

/// Whether items of this type keep agents from entering their cell.
JBW_API bool jbw_model_item_blocks(const jbw_model *model, int item_type);

/// How agents collect items.
JBW_API jbw_collection jbw_model_collection(const jbw_model *model);

/// Whether an agent could collect an item of this type if it carried these items: (item types).
/// `ever` (item types, may be NULL) are those that it has ever collected; without them, what it
/// carries counts. Whether there would be room for what is put down is another question.
JBW_API bool jbw_model_item_is_payable(const jbw_model *model, int item_type,
                                       const uint64_t *inventory, const uint64_t *ever);

/// Whether items of this type may carry a text.
JBW_API bool jbw_model_item_has_text(const jbw_model *model, int item_type);

/// What agents can say, and how far it is heard; all zero if they have no voice.
JBW_API jbw_voice jbw_model_voice(const jbw_model *model);

/// When items of this type are in season: all zero if always, or if there is no such type.
JBW_API jbw_season jbw_model_item_season(const jbw_model *model, int item_type);

/// After how many steps an item of this type grows back; never, if there is no such type.
JBW_API jbw_regrowth jbw_model_item_regrowth(const jbw_model *model, int item_type);

/// The number of kinds of items, the name of each, or NULL if there is no such kind, and the kind
/// with a name, or -1.
JBW_API int jbw_model_kind_count(const jbw_model *model);
JBW_API const char *jbw_model_kind_name(const jbw_model *model, int kind);
JBW_API int jbw_model_kind(const jbw_model *model, const char *name);

/// The item types of a kind, also those of kinds within it, in the order in which they are taken
/// where the kind is a cost. `*count` is zero if there is no such kind. Valid as long as the model.
JBW_API const uint8_t *jbw_model_kind_types(const jbw_model *model, int kind, size_t *count);

/// The shape of what agents perceive: vision is (side, side, color_dimensions), where `side` is
/// twice the largest vision range of all bodies and tools plus one, and scent is (scent_dimensions).
JBW_API int jbw_model_vision_side(const jbw_model *model);
JBW_API int jbw_model_scent_dimensions(const jbw_model *model);

/// How much of each cell of its frame is in the field of view of an agent without a body of its own
/// and without tools: (side, side) numbers from 0 to 1, valid as long as the model.
JBW_API const double *jbw_model_field_of_view(const jbw_model *model);

/// The same for an agent with this body that carries these items: (item types), or NULL for nothing.
/// NULL if there is no such body.
JBW_API const double *jbw_model_view(const jbw_model *model, int body, const uint64_t *inventory);

/// The number of bodies: body 0 is that of `agent` in the world file, those of `bodies` count from 1.
JBW_API int jbw_model_body_count(const jbw_model *model);

/// The name of a body, NULL for body 0 and if there is no such body; and the body with a name, or -1.
JBW_API const char *jbw_model_body_name(const jbw_model *model, int body);
JBW_API int jbw_model_body(const jbw_model *model, const char *name);

/// The color of a body: (color_dimensions), valid as long as the model. NULL if there is none.
JBW_API const double *jbw_model_body_color(const jbw_model *model, int body);

/// Whether a body has an action. False if there is no such body or action.
JBW_API bool jbw_model_body_can(const jbw_model *model, int body, int action);

/// Whether carrying an item of this type changes what agents see.
JBW_API bool jbw_model_item_is_tool(const jbw_model *model, int item_type);

/// The number of actions, and the kind of each. Its item is the type to drop, or -1.
JBW_API int jbw_model_action_count(const jbw_model *model);
JBW_API jbw_action_kind jbw_model_action_kind(const jbw_model *model, int action);
JBW_API int jbw_model_action_item(const jbw_model *model, int action);

/// The allocator of a model. Everything that is created from the model uses it as well.
JBW_API jbw_allocator jbw_model_allocator(const jbw_model *model);

/// The resolution of the energies of an item type: they are multiples of 2^-bits.
JBW_API int jbw_model_energy_bits(const jbw_model *model, int item_type);

/// Creates an empty world at time zero. The model must outlive it.
JBW_API jbw_status jbw_world_create(const jbw_model *model, uint64_t seed, jbw_world **out);

/// Destroys a world; NULL is ignored.
JBW_API void jbw_world_destroy(jbw_world *world);

JBW_API const jbw_model *jbw_world_model(const jbw_world *world);
JBW_API uint64_t jbw_world_seed(const jbw_world *world);

/// Generates what agents at these cells would need, in one sampling for all of them, and makes it
/// final. On failure the world is unchanged. In an invariant world, where all patches are final
/// from the beginning, this only generates them ahead of time.
JBW_API jbw_status jbw_world_explore(jbw_world *world, const jbw_position *positions, size_t count);

/// Makes one patch final, by a sampling for this patch alone. `patch` is in units of patches. On
/// failure the world is unchanged.
JBW_API jbw_status jbw_world_finalize_patch(jbw_world *world, jbw_position patch);

/// Sets a function that calls on this world ask every few milliseconds while they generate patches;
/// NULL for none. If it returns true, the call ends with JBW_INTERRUPTED and the world is as it was
/// before; the same call gives the same result later. A call without a place for a new agent may
/// have made patches final. The function must not use the world. It is not copied to clones.
JBW_API void jbw_world_on_interrupt(jbw_world *world, jbw_interrupt_function *function, void *user);

/// The patch that contains a cell, in units of patches.
JBW_API jbw_position jbw_world_patch_of(const jbw_world *world, jbw_position cell);

JBW_API jbw_patch_state jbw_world_patch_state(const jbw_world *world, jbw_position patch);

/// Reads the items in a region that agents could see there, however far away, without changing
/// anything: (height x width) bytes, lowest row first; 0 is an empty cell, otherwise the item type
/// plus one. Cells of missing patches are empty. `states` (may be NULL) gets the state of each cell's
/// patch in the same shape.
JBW_API jbw_status jbw_world_read_region(const jbw_world *world, jbw_region region, uint8_t *items,
                                         uint8_t *states);

/// What to read about a region, in the shape of `jbw_world_read_region`. Any of them may be NULL.
typedef struct jbw_region_planes {
    uint8_t *items;   ///< as agents could see them
    uint8_t *hidden;  ///< items that are out of season; 0 where there is none
    uint8_t *growing; ///< items that grow back, also below others; 0 where there is none
    uint8_t *states;  ///< of the patches
} jbw_region_planes;

/// Reads a region, as `jbw_world_read_region` does, and also what agents cannot see now.
JBW_API jbw_status jbw_world_read_planes(const jbw_world *world, jbw_region region,
                                         const jbw_region_planes *planes);

/// Whether reading a patch is fast. In an invariant world, a patch that is not in memory has to be
/// generated first, which takes a while.
JBW_API bool jbw_world_patch_is_ready(const jbw_world *world, jbw_position patch);

/// Puts what was generated in a patch (patch_size x patch_size: the items that `jbw_world_read_planes`
/// reads from a new world of the same model and seed, hidden or not) into the memory of an invariant world, which then
/// need not generate it. The state of the world stays the same. So another thread can generate
/// what a world will be asked for. JBW_UNSUPPORTED if the world is not invariant.
JBW_API jbw_status jbw_world_put_patch(jbw_world *world, jbw_position patch, const uint8_t *cells);

/// The first and the last of the patches, along both axes, that agents in a region of cells need:
/// what is smelled there depends on these.
JBW_API void jbw_world_patches_near(const jbw_world *world, jbw_region region, jbw_position *first,
                                    jbw_position *last);

/// A number that changes when what agents could see or read in a patch does, or where something grows
/// back in it; zero if the patch is missing.
/// Getting it is fast even if the patch is not ready. Comparable between copies of a world.
JBW_API uint64_t jbw_world_patch_mark(const jbw_world *world, jbw_position patch);

/// Hands cached results of generation to another world of the same model and seed, which saves it
/// from computing them again. The state of both worlds stays the same. Does nothing if there is
/// nothing to hand over.
JBW_API void jbw_world_pass_on(jbw_world *from, jbw_world *to);

/// What is in a cell, and since when.
typedef struct jbw_cell_info {
    jbw_patch_state state; ///< of its patch
    int item;              ///< the type, in season or not, or -1
    bool is_hidden;        ///< the item is out of season
    bool is_generated;     ///< the cell is as it was generated, or its patch is not final
    bool is_since_known;   ///< if false, the change may have been earlier than `since`
    uint64_t since;        ///< time of the latest change, if it is not as it was generated
    int growing;           ///< the type of the item that grows back there, or -1
    uint64_t due; ///< when that item is there, or as soon as the cell is empty after that time
    char text[JBW_MAX_TEXT + 1]; ///< that the item carries, or an empty one
} jbw_cell_info;

/// Looks at a cell without changing anything. The time of a change is known for as long as the
/// change can be smelled.
JBW_API jbw_status jbw_world_inspect(const jbw_world *world, jbw_position cell, jbw_cell_info *out);

/// Statistics of a world.
typedef struct jbw_world_stats {
    uint64_t patch_count; ///< in an invariant world, those in memory now
    uint64_t final_patch_count;
    uint64_t
        sampling_count; ///< calls that sampled something; in an invariant world, patches generated
    uint64_t proposal_count; ///< Metropolis-Hastings proposals
    uint64_t accepted_count; ///< accepted proposals
    uint64_t map_bytes;      ///< memory of the map
    uint64_t scratch_bytes;  ///< memory of the generator, bounded; many worlds share most of it
} jbw_world_stats;

JBW_API jbw_world_stats jbw_world_get_stats(const jbw_world *world);

/// A hash of everything that the future of a world depends on. Equal worlds have equal hashes on
/// every platform.
JBW_API uint64_t jbw_world_hash(const jbw_world *world);

JBW_END_DECLS

#endif
