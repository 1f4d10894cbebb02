// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds in memory of your own, for programs that step thousands of worlds in turn: those that lie side
/// by side share pages, which processors then find faster.
#ifndef JBW_PLACE_H
#define JBW_PLACE_H

#include "jbw/world.h"

JBW_BEGIN_DECLS

/// The bytes of a world of this model that most steps use. Maps and so on are not included.
JBW_API size_t jbw_world_size(const jbw_model *model);

/// As `jbw_world_create`, but these bytes lie at `place`, which is aligned for any type. The place must
/// outlive the world; `jbw_world_destroy` leaves it to you. Batches (batch.h) do this by themselves.
JBW_API jbw_status jbw_world_create_at(const jbw_model *model, uint64_t seed, void *place,
                                       jbw_world **out);

/// An address in the memory of a world's map, which lies elsewhere; NULL if the map is empty.
JBW_API const void *jbw_world_map_place(const jbw_world *world);

JBW_END_DECLS

#endif
