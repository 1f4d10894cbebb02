// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Layer normalisation: each group of numbers gets mean 0 and deviation 1, then a gain and an offset for
/// each of its members.
///
///     y = gain (x - mean) / sqrt(variance + 1e-5) + offset
///
/// A row is one or several groups: the units of a dense layer, or the channels of each place of a picture.
/// Sums are of doubles, one after the other, so all kinds of vectors give the same bits.
#ifndef JBW_NN_LAYER_NORM_H
#define JBW_NN_LAYER_NORM_H

#include "nn/nn.h"
#include "nn/parameters.h"

enum { JBW_LAYER_NORM_MOST = 512 };

typedef struct jbw_layer_norm {
    int count;   // of a group, at most JBW_LAYER_NORM_MOST
    int groups;  // of a row
    size_t gain; // (count), the index of the first parameter
    size_t offset;
} jbw_layer_norm;

/// A layer whose parameters are the next ones.
jbw_layer_norm jbw_layer_norm_make(jbw_parameters *parameters, int count, int groups);

/// Gains of one, offsets of zero.
void jbw_layer_norm_begin(const jbw_layer_norm *norm, jbw_parameters *parameters);

/// x -> y, (rows x groups x count) each; they may be the same.
void jbw_layer_norm_forward(const jbw_layer_norm *norm, const float *weights, int rows,
                            const float *x, float *y);

/// Sets the gradients. `dy` (rows x groups x count) becomes the gradient with respect to x.
void jbw_layer_norm_backward(const jbw_layer_norm *norm, jbw_parameters *parameters, int rows,
                             const float *x, jbw_rows dy);

#endif
