// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A small thread pool. Jobs are numbers below `job_count`, done by one function; no two threads do
/// the same job at once. There are two ways to start jobs:
///
///     run:   does every job once; the caller works as well and returns when all are done
///     post:  starts some jobs; the caller collects them later, in the order they finish in
///
/// One thread at a time may call these functions.
#ifndef JBW_THREAD_WORKERS_H
#define JBW_THREAD_WORKERS_H

#include "jbw/base.h"

typedef struct jbw_workers jbw_workers;

/// Does one job.
typedef void jbw_job_function(void *user, size_t job);

/// Starts a pool in which `thread_count` threads, including the caller, do the jobs of a run; 0
/// means one per processor. There are never more threads than jobs. JBW_OUT_OF_MEMORY also if the
/// system refuses a thread; JBW_UNSUPPORTED in a library that was built without threads.
jbw_status jbw_workers_create(const jbw_allocator *allocator, int thread_count, size_t job_count,
                              jbw_job_function *function, void *user, jbw_workers **out);

/// Is told of a job that the same thread will do after `distance` others, at most JBW_WORKERS_AHEAD. No
/// other thread does it.
typedef void jbw_foresee_function(void *user, size_t job, size_t distance);

enum { JBW_WORKERS_AHEAD = 4 };

/// From now on, threads call this function for jobs that come next; NULL for none. No job may be
/// under way.
void jbw_workers_foresee(jbw_workers *pool, jbw_foresee_function *foresee);

/// Destroys a pool. Jobs that have begun are finished, others are dropped. NULL is ignored.
void jbw_workers_destroy(jbw_workers *pool);

/// Does every job once. All posted jobs must have been collected.
void jbw_workers_run(jbw_workers *pool);

/// Starts some jobs, none of which may be posted already, and returns at once. On failure, if a
/// thread cannot be created, none is started.
jbw_status jbw_workers_post(jbw_workers *pool, const size_t *jobs, size_t count);

/// Waits until `wanted` posted jobs, or all if there are fewer, are done. Writes up to `capacity`
/// jobs that are done, in the order they finished in, and returns their number.
size_t jbw_workers_collect(jbw_workers *pool, size_t wanted, size_t *jobs, size_t capacity);

#endif
