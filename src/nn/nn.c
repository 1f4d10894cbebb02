// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/nn.h"

#include "nn/floats.h"

bool jbw_nn_init(jbw_nn *nn, const jbw_nn_path *path, size_t column_count,
                 const jbw_allocator *allocator)
{
    *nn = (jbw_nn){.path = path, .column_count = column_count};
    nn->product_scratch = jbw_floats_alloc(allocator, jbw_gemm_scratch());
    nn->columns = jbw_floats_alloc(allocator, column_count);
    return nn->product_scratch && nn->columns;
}

void jbw_nn_deinit(jbw_nn *nn, const jbw_allocator *allocator)
{
    jbw_floats_free(allocator, nn->product_scratch, jbw_gemm_scratch());
    jbw_floats_free(allocator, nn->columns, nn->column_count);
    *nn = (jbw_nn){0};
}
