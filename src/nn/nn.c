// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/nn.h"

#include "base/error.h"
#include "nn/floats.h"

// Handing pieces out and waiting for them takes one or two microseconds.
static const double least_shared = 4000.0;

static size_t scratch_of(int thread_count)
{
    return (size_t)thread_count * jbw_gemm_scratch();
}

bool jbw_nn_init(jbw_nn *nn, const jbw_nn_path *path, size_t column_count,
                 const jbw_allocator *allocator)
{
    *nn = (jbw_nn){.path = path,
                   .thread_count = 1,
                   .least_shared = least_shared,
                   .column_count = column_count};
    nn->product_scratch = jbw_floats_alloc(allocator, scratch_of(1));
    nn->columns = jbw_floats_alloc(allocator, column_count);
    return nn->product_scratch && nn->columns;
}

void jbw_nn_deinit(jbw_nn *nn, const jbw_allocator *allocator)
{
    jbw_crew_destroy(nn->crew);
    jbw_floats_free(allocator, nn->product_scratch, scratch_of(nn->thread_count));
    jbw_floats_free(allocator, nn->columns, nn->column_count);
    *nn = (jbw_nn){0};
}

jbw_status jbw_nn_set_threads(jbw_nn *nn, int thread_count, const jbw_allocator *allocator,
                              jbw_error *error)
{
    if (thread_count == nn->thread_count) return JBW_OK;
    jbw_crew *crew = NULL;
    float *scratch = jbw_floats_alloc(allocator, scratch_of(thread_count));
    jbw_status status = scratch ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status && thread_count > 1) status = jbw_crew_create(allocator, thread_count, &crew);
    if (status) {
        jbw_floats_free(allocator, scratch, scratch_of(thread_count));
        if (status == JBW_UNSUPPORTED)
            jbw_error_set(error, 0, 0,
                          "threads: found %d, but this library was built without threads "
                          "(JBW_BUILD_BATCH=OFF)",
                          thread_count);
        else
            jbw_error_set(error, 0, 0,
                          "threads: %d cannot be started: the system refuses, or memory runs out",
                          thread_count);
        return status;
    }
    jbw_crew_destroy(nn->crew);
    jbw_floats_free(allocator, nn->product_scratch, scratch_of(nn->thread_count));
    nn->crew = crew;
    nn->product_scratch = scratch;
    nn->thread_count = thread_count;
    return JBW_OK;
}
