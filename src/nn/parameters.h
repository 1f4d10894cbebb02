// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// All parameters of a network in one contiguous array. Layers reserve their parts one after the other,
/// and the optimizer sees a single long array.
#ifndef JBW_NN_PARAMETERS_H
#define JBW_NN_PARAMETERS_H

#include "base/alloc.h"
#include "base/rng.h"

typedef struct jbw_parameters {
    size_t count;
    float *weights;   // (count) each
    float *gradients; // of the loss
    float *mean;      // of the gradients, for the optimizer
    float *square;    // mean of their squares
    float *largest;   // running maximum of `square`, for AMSGrad
} jbw_parameters;

/// Reserves the next `count` parameters and returns the index of the first. Call it before
/// `jbw_parameters_init`.
size_t jbw_parameters_take(jbw_parameters *parameters, size_t count);

/// Allocates the reserved parameters, set to zero. False when memory runs out; deinitialize even then.
bool jbw_parameters_init(jbw_parameters *parameters, const jbw_allocator *allocator);
void jbw_parameters_deinit(jbw_parameters *parameters, const jbw_allocator *allocator);

/// Glorot's rule: weights are uniform on [-limit, limit], limit = sqrt(6 / (fan_in + fan_out)).
double jbw_glorot_limit(int fan_in, int fan_out);
float jbw_glorot_draw(double limit, jbw_rng *rng);
void jbw_parameters_glorot(jbw_parameters *parameters, size_t first, size_t count, int fan_in,
                           int fan_out, jbw_rng *rng);

/// A hash of the weights.
uint64_t jbw_parameters_hash(const jbw_parameters *parameters);

#endif
