// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A small pool of threads that hands out whole jobs. Jobs are numbers below `job_count`, and one
/// function does them all; a job is never done by two threads at once. Two ways to hand them out:
///
///     run:   every job once; the caller works too, and gets the word when all are done
///     post:  some jobs, to be collected later, in the order in which they finish
///
/// All functions belong to one calling thread.
#ifndef JBW_BATCH_WORKERS_H
#define JBW_BATCH_WORKERS_H

#include "jbw/base.h"

typedef struct jbw_workers jbw_workers;

/// Does one job.
typedef void jbw_job_function(void *user, size_t job);

/// Starts a pool: `run` shall be done by so many threads (0: one per processor), of which the
/// caller is one. More threads than jobs are not started.
jbw_status jbw_workers_create(const jbw_allocator *allocator, int thread_count, size_t job_count,
                              jbw_job_function *function, void *user, jbw_workers **out);

/// Ends a pool: jobs under way are finished, those that nobody has begun are dropped. NULL is fine.
void jbw_workers_destroy(jbw_workers *pool);

/// Does every job once. No job may be posted and not yet collected.
void jbw_workers_run(jbw_workers *pool);

/// Hands over some jobs and returns at once. None of them may be posted already. On failure, for
/// want of a thread, nothing is handed over.
jbw_status jbw_workers_post(jbw_workers *pool, const size_t *jobs, size_t count);

/// Waits until `wanted` posted jobs are done (no more than are under way) and writes those that
/// are, at most `capacity`, in the order in which they finished. Returns how many.
size_t jbw_workers_collect(jbw_workers *pool, size_t wanted, size_t *jobs, size_t capacity);

#endif
