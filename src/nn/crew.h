// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Threads that compute one network together. Work is cut into pieces, one for each thread, and the caller
/// does one of them. Results do not depend on where the cuts are: a piece is some elements of a result, each
/// computed as if it were alone (path.h).
#ifndef JBW_NN_CREW_H
#define JBW_NN_CREW_H

#include "jbw/base.h"

typedef struct jbw_crew jbw_crew;

/// Does the part [first, first + count) of a task. `piece` numbers the parts that are done at the same time.
typedef void jbw_piece_function(const void *task, size_t first, size_t count, size_t piece);

/// Starts the threads: `size` of them, including the caller; at least two. JBW_OUT_OF_MEMORY also if the
/// system refuses a thread, JBW_UNSUPPORTED in a library without threads.
jbw_status jbw_crew_create(const jbw_allocator *allocator, int size, jbw_crew **out);
void jbw_crew_destroy(jbw_crew *crew); // NULL is ignored

/// Does the whole of a task, [0, total), in pieces that begin at multiples of `unit`, and returns when all are
/// done. No two threads may call it at once.
void jbw_crew_run(jbw_crew *crew, size_t total, size_t unit, jbw_piece_function *function,
                  const void *task);

#endif
