// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Adam, and AMSGrad, its variant that never forgets how large a gradient has been.
#ifndef JBW_NN_OPTIMIZER_H
#define JBW_NN_OPTIMIZER_H

#include "nn/nn.h"
#include "nn/parameters.h"

typedef struct jbw_optimizer {
    double rate;
    double mean_decay;
    double square_decay;
    double epsilon;
    double largest_norm; // gradients with a larger norm are scaled down to it; 0: never
    bool is_amsgrad;
    uint64_t step_count;
    double mean_power; // mean_decay and square_decay to the power of step_count: 1 at the beginning
    double square_power;
} jbw_optimizer;

/// Takes a step against the gradients. Returns their norm; if that is not finite, there is no step.
double jbw_optimizer_step(const jbw_nn *nn, jbw_optimizer *optimizer, jbw_parameters *parameters);

#endif
