// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A small neural network library. A layer knows its shape and where its weights are; forward and
/// backward passes are plain functions on rows of floats. Nothing is allocated after the start.
///
///     path          the loops, for each kind of vector, with the same bits on all of them
///     crew  loops   the same on several threads
///     dense  conv  lstm  activation  layer_norm      layers: forward and backward side by side
///     floats        arrays for all of these
///     parameters    weights, their gradients, and what an optimizer remembers of them
///     optimizer     Adam and AMSGrad
#ifndef JBW_NN_NN_H
#define JBW_NN_NN_H

#include "base/alloc.h"
#include "nn/crew.h"
#include "nn/path.h"

/// What all layers work with.
typedef struct jbw_nn {
    const jbw_nn_path *path;
    jbw_crew *crew; // NULL: one thread
    int thread_count;
    double least_shared;    // nanoseconds that a task takes for several threads to share it
    float *product_scratch; // (threads x jbw_gemm_scratch)
    float *columns;         // for convolutions
    size_t column_count;
} jbw_nn;

/// Initializes it for one thread, with room for convolutions that need this many floats. False when memory
/// runs out; deinitialize even then.
bool jbw_nn_init(jbw_nn *nn, const jbw_nn_path *path, size_t column_count,
                 const jbw_allocator *allocator);
void jbw_nn_deinit(jbw_nn *nn, const jbw_allocator *allocator);

/// Computes on so many threads from now on, with the same results. If it fails nothing has changed, and
/// `error` says why: JBW_OUT_OF_MEMORY if memory runs out or the system refuses a thread, JBW_UNSUPPORTED for
/// more than one in a library without threads.
jbw_status jbw_nn_set_threads(jbw_nn *nn, int thread_count, const jbw_allocator *allocator,
                              jbw_error *error);

/// Rows of floats, `stride` apart.
typedef struct jbw_rows {
    float *at; // NULL: not wanted
    ptrdiff_t stride;
} jbw_rows;

/// The same from another row, or another column, on.
static inline jbw_rows jbw_rows_from(jbw_rows rows, int row, int column)
{
    return (jbw_rows){rows.at + row * rows.stride + column, rows.stride};
}

/// The matrix of these rows, and its transpose.
static inline jbw_view jbw_rows_view(jbw_rows rows)
{
    return (jbw_view){rows.at, rows.stride, 1};
}

static inline jbw_view jbw_rows_transposed(jbw_rows rows)
{
    return (jbw_view){rows.at, 1, rows.stride};
}

#endif
