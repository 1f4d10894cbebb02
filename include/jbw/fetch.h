// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Asking for memory ahead of time, for programs that step thousands of worlds in turn.
#ifndef JBW_FETCH_H
#define JBW_FETCH_H

#include "jbw/world.h"

JBW_BEGIN_DECLS

enum {
    JBW_FETCH_STAGES = 4, // of `jbw_world_fetch`
};

/// Asks the processor to load what the next step of a world is likely to use. There are
/// JBW_FETCH_STAGES stages, from 0; each of them reads what the one before has asked for, so step
/// other worlds in between. `size` is the world's `jbw_world_size` (place.h), or more. Changes nothing.
/// Batches (batch.h) do this by themselves.
JBW_API void jbw_world_fetch(const jbw_world *world, size_t size, int stage);

JBW_END_DECLS

#endif
