// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A convolution without padding. Pictures are rows of (height x width x channels) floats, channels last.
///
///     . . . . .      Every place of the filter is a row of (size x size x channels) numbers, its column of
///     . a b . .      the picture: written side by side, these columns turn the convolution into a product
///     . c d . .      with the weights, (size x size x channels) x outputs. Backwards, the gradients of the
///     . . . . .      columns are added up where they came from.
#ifndef JBW_NN_CONV_H
#define JBW_NN_CONV_H

#include "nn/nn.h"
#include "nn/parameters.h"

typedef struct jbw_conv {
    int height, width, channels; // of the input
    int size, stride;            // of the filter
    int out_height, out_width, outputs;
    int column;     // size x size x channels
    size_t weights; // (column x outputs)
    size_t bias;    // (outputs)
} jbw_conv;

/// A layer whose parameters are the next ones. The input is at least as large as the filter.
jbw_conv jbw_conv_make(jbw_parameters *parameters, int height, int width, int channels, int size,
                       int stride, int outputs);

/// Glorot weights, biases of zero.
void jbw_conv_begin(const jbw_conv *conv, jbw_parameters *parameters, jbw_rng *rng);

/// Floats of an output picture, and of the columns that `jbw_nn` needs room for.
int jbw_conv_out_count(const jbw_conv *conv);
size_t jbw_conv_scratch(const jbw_conv *conv);

/// x (rows x height x width x channels) -> y (rows x out_height x out_width x outputs). Rows of y are
/// contiguous.
void jbw_conv_forward(const jbw_nn *nn, const jbw_conv *conv, const float *weights, int rows,
                      jbw_rows x, float *y);

/// Sets the gradients, given dy; `dx.at` may be NULL.
void jbw_conv_backward(const jbw_nn *nn, const jbw_conv *conv, jbw_parameters *parameters, int rows,
                       jbw_rows x, float *dy, jbw_rows dx);

#endif
