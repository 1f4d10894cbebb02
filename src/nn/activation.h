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

/// y = f(x), (rows x count) each; `x` becomes what the way back needs to know of it. They may be the same
/// array if there is no way back.
void jbw_activation_forward(const jbw_nn *nn, jbw_activation kind, int rows, int count, jbw_rows x,
                            jbw_rows y);

/// The gradient `dy` (rows x count) becomes f'(x) dy, where `x` is what the way forward left.
void jbw_activation_backward(const jbw_nn *nn, jbw_activation kind, int rows, int count, jbw_rows x,
                             jbw_rows dy);

#endif
