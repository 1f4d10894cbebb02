// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Activation functions: the nonlinearities between layers.
#ifndef JBW_NN_ACTIVATION_H
#define JBW_NN_ACTIVATION_H

#include "nn/nn.h"

typedef enum jbw_activation {
    JBW_ACTIVATION_RELU, ///< max(x, 0)
    JBW_ACTIVATION_GELU, ///< x times the standard normal CDF at x, approximated
} jbw_activation;

/// y = f(x), (count) each; `x` becomes what the way back needs to know of it. They may be the same array if
/// there is no way back.
static inline void jbw_activation_forward(const jbw_nn *nn, jbw_activation kind, size_t count,
                                          float *x, float *y)
{
    if (kind == JBW_ACTIVATION_RELU)
        nn->path->relu(count, x, y);
    else
        nn->path->gelu(count, x, y);
}

/// dx = f'(x) dy, where `x` is what the way forward left; dy and dx may be the same.
static inline void jbw_activation_backward(const jbw_nn *nn, jbw_activation kind, size_t count,
                                           const float *x, const float *dy, float *dx)
{
    if (kind == JBW_ACTIVATION_RELU)
        nn->path->relu_back(count, x, dy, dx);
    else
        nn->path->multiply(count, x, dy, dx);
}

#endif
