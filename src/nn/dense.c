// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/dense.h"

#include <string.h>

#include "nn/loops.h"

jbw_dense jbw_dense_make(jbw_parameters *parameters, int in, int out)
{
    const size_t weights = jbw_parameters_take(parameters, (size_t)in * (size_t)out);
    const size_t bias = jbw_parameters_take(parameters, (size_t)out);
    return (jbw_dense){.in = in, .out = out, .weights = weights, .bias = bias};
}

void jbw_dense_begin(const jbw_dense *dense, jbw_parameters *parameters, jbw_rng *rng)
{
    jbw_parameters_glorot(parameters, dense->weights, (size_t)dense->in * (size_t)dense->out,
                          dense->in, dense->out, rng);
    memset(parameters->weights + dense->bias, 0, (size_t)dense->out * sizeof(float));
}

// ---- y = x W + b ----

void jbw_dense_forward(const jbw_nn *nn, const jbw_dense *dense, const float *weights, int rows,
                       jbw_rows x, jbw_rows y)
{
    if (rows == 1) {
        memcpy(y.at, weights + dense->bias, (size_t)dense->out * sizeof(float));
        jbw_nn_gemv(nn, dense->in, dense->out, x.at, weights + dense->weights, y.at);
        return;
    }
    const jbw_view w = {weights + dense->weights, dense->out, 1};
    const jbw_addend bias = {weights + dense->bias, 0};
    jbw_nn_gemm(nn, rows, dense->out, dense->in, jbw_rows_view(x), w, bias, y.at, y.stride);
}

// ---- dW = x^T dy, db = sum of dy, dx = dy W^T ----

void jbw_bias_backward(const jbw_nn *nn, int rows, int count, jbw_rows dy, float *gradient)
{
    jbw_nn_sum_rows(nn, rows, count, dy, gradient);
}

void jbw_dense_backward(const jbw_nn *nn, const jbw_dense *dense, jbw_parameters *parameters,
                        int rows, jbw_rows x, jbw_rows dy, jbw_rows dx)
{
    jbw_bias_backward(nn, rows, dense->out, dy, parameters->gradients + dense->bias);
    jbw_nn_gemm(nn, dense->in, dense->out, rows, jbw_rows_transposed(x), jbw_rows_view(dy),
                (jbw_addend){0}, parameters->gradients + dense->weights, dense->out);
    if (!dx.at) return;
    const jbw_view transposed = {parameters->weights + dense->weights, 1, dense->out};
    jbw_nn_gemm(nn, rows, dense->in, dense->out, jbw_rows_view(dy), transposed, (jbw_addend){0},
                dx.at, dx.stride);
}
