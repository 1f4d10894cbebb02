// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Threads that make an invariant world ahead of its agents. They follow the ways that agents go, and
/// make what will be needed there; when much is needed at once, all of them make it together. What a
/// world is does not depend on them, in no bit: only how long one waits.
#ifndef JBW_AHEAD_H
#define JBW_AHEAD_H

#include "jbw/world.h"

JBW_BEGIN_DECLS

#define JBW_MAX_GENERATION_THREADS 64

/// Sets how many threads, besides the caller's, make the map of a world; 0, as in a new world, is
/// none. At most JBW_MAX_GENERATION_THREADS. Each takes some megabytes of its own, beyond the world's
/// `memory_budget`. Those that would find no room for their work in that budget (1.5 megabytes each)
/// are not started. A world of `frontier` has no use for threads, nor has one whose items do not
/// interact: there nothing happens.
///
/// They are no part of the world's state. Copies have none, nor have worlds that are loaded. The world still belongs to one
/// thread at a time. Memory comes from the model's allocator, also in these threads. A process
/// that forks must not use such a world in the child.
///
/// On failure, for want of memory or of threads, there are none.
JBW_API jbw_status jbw_world_set_generation_threads(jbw_world *world, int count);

/// How many threads are at work for a world.
JBW_API int jbw_world_generation_threads(const jbw_world *world);

JBW_END_DECLS

#endif
