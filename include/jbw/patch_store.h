// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where an invariant world looks before it makes a patch, and what it tells of patches that it
/// made. A patch is a function of the model, the seed and its place, so a store changes how long
/// you wait, and nothing else. The atlas (atlas.h) is such a store, in files; this header is for
/// writing others.
#ifndef JBW_PATCH_STORE_H
#define JBW_PATCH_STORE_H

#include "jbw/world.h"

JBW_BEGIN_DECLS

/// The patches of one model and seed. Places are in units of patches; cells are (patch_size x
/// patch_size), lowest row first: 0 is an empty cell, otherwise the item type plus one. A world
/// calls these functions from the thread that uses it; its copies may do so in other threads.
typedef struct jbw_patch_store {
    void *user;
    /// Fills `cells` with what was generated in a patch, and returns true; or returns false, and then
    /// `cells` may hold anything. What it fills in is believed.
    bool (*find)(void *user, jbw_position patch, uint8_t *cells);
    /// Whether it is likely to be found. Asked often, so it should be fast rather than right.
    bool (*has)(void *user, jbw_position patch);
    /// Takes note of a patch that was generated because it had not been found.
    void (*offer)(void *user, jbw_position patch, const uint8_t *cells);
    /// A world, and each copy of it, holds a reference.
    void (*retain)(void *user);
    void (*release)(void *user);
} jbw_patch_store;

/// Sets the store of an invariant world, which retains it; NULL for none. Copies of the world have
/// it, too; loaded worlds have none. JBW_UNSUPPORTED if the world is not invariant.
JBW_API jbw_status jbw_world_set_patch_store(jbw_world *world, const jbw_patch_store *store);

/// The store of a world, or NULL. Valid until it is set again.
JBW_API const jbw_patch_store *jbw_world_patch_store(const jbw_world *world);

/// Appends to a buffer what decides the cells of an invariant world, apart from its seed: the version
/// of the algorithm, and the config without what makes no difference to them (colors, scents,
/// agents, ...). Models for which these bytes are equal have equal cells. JBW_UNSUPPORTED if the
/// model is not invariant, or has user-defined functions, about which bytes can say nothing; `error`
/// (may be NULL) then says so.
JBW_API jbw_status jbw_model_write_generation(const jbw_model *model, jbw_buffer *out,
                                              jbw_error *error);

/// Creates a model from such bytes, with the same cells and with agents that perceive nothing.
/// JBW_INVALID_DATA if they are damaged, JBW_UNSUPPORTED if they are of another version of the
/// algorithm.
JBW_API jbw_status jbw_model_read_generation(const uint8_t *bytes, size_t size,
                                             const jbw_allocator *allocator, jbw_model **out,
                                             jbw_error *error);

JBW_END_DECLS

#endif
