// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Takes the place of workers.c in a library without threads: no pool can be created, and the rest is there
// to be linked with.

#include "thread/workers.h"

jbw_status jbw_workers_create(const jbw_allocator *allocator, int thread_count, size_t job_count,
                              jbw_job_function *function, void *user, jbw_workers **out)
{
    (void)allocator;
    (void)thread_count;
    (void)job_count;
    (void)function;
    (void)user;
    *out = NULL;
    return JBW_UNSUPPORTED;
}

void jbw_workers_destroy(jbw_workers *pool)
{
    (void)pool;
}

void jbw_workers_run(jbw_workers *pool)
{
    (void)pool;
}
