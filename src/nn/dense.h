// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A dense layer: y = x W + b.
#ifndef JBW_NN_DENSE_H
#define JBW_NN_DENSE_H

#include "nn/nn.h"
#include "nn/parameters.h"

typedef struct jbw_dense {
    int in;
    int out;
    size_t weights; // (in x out), the index of the first parameter
    size_t bias;    // (out)
} jbw_dense;

/// A layer whose parameters are the next ones.
jbw_dense jbw_dense_make(jbw_parameters *parameters, int in, int out);

/// Glorot weights, biases of zero.
void jbw_dense_begin(const jbw_dense *dense, jbw_parameters *parameters, jbw_rng *rng);

/// x (rows x in) -> y (rows x out). One row has the same bits as it has among others.
void jbw_dense_forward(const jbw_nn *nn, const jbw_dense *dense, const float *weights, int rows,
                       jbw_rows x, jbw_rows y);

/// Sets the gradients, given dy (rows x out). `dx` (rows x in) receives the gradient with respect to x;
/// its `at` may be NULL.
void jbw_dense_backward(const jbw_nn *nn, const jbw_dense *dense, jbw_parameters *parameters,
                        int rows, jbw_rows x, jbw_rows dy, jbw_rows dx);

/// Adds rows up into the gradient of a bias.
void jbw_bias_backward(const jbw_nn *nn, int rows, int count, jbw_rows dy, float *gradient);

#endif
