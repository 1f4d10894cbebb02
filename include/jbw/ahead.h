// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Threads that generate an invariant world ahead of its agents. They predict from the agents'
/// paths what will be needed next; when much is needed at once, all of them work on it together.
/// They change how long you wait, and nothing else: worlds are bit-identical with any number of
/// threads.
#ifndef JBW_AHEAD_H
#define JBW_AHEAD_H

#include "jbw/world.h"

JBW_BEGIN_DECLS

#define JBW_MAX_GENERATION_THREADS 64

/// Sets the number of threads that generate a world's map besides the caller's: 0, as in a new
/// world, to JBW_MAX_GENERATION_THREADS. Each thread takes a few megabytes beyond the world's
/// `memory_budget`. Threads that would find no room for their blocks in that budget (1.5 megabytes
/// each) are not started. In a world with `frontier` generation, or whose items do not interact,
/// threads are of no use, and the call has no effect.
///
/// Threads are not part of the world's state: copies and loaded worlds have none. The world itself
/// still belongs to one thread at a time. The threads allocate memory from the model's allocator. A
/// process that forks must not use the world in the child.
///
/// Returns JBW_INVALID_ARGUMENT if the number is out of range, and JBW_OUT_OF_MEMORY, without any
/// threads left, if memory or threads run out.
JBW_API jbw_status jbw_world_set_generation_threads(jbw_world *world, int count);

/// The number of threads that generate a world's map besides the caller's.
JBW_API int jbw_world_generation_threads(const jbw_world *world);

JBW_END_DECLS

#endif
