// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A layer with a memory: a Long Short-Term Memory cell, unrolled over sequences.
///
///     sums = [x, hidden before] W + b            (4 size): input, candidate, forget, output
///     cell = forget * cell before + input * candidate
///     hidden = output * tanh(cell)
///
/// Rows are steps in the order of time, cut into sequences of `length` steps. A sequence begins with the
/// state that was stored for its first step, which counts as a constant; inside of it gradients flow back
/// through time. With a length of 1 there is no flow through time at all, and all rows are one product.
#ifndef JBW_NN_LSTM_H
#define JBW_NN_LSTM_H

#include "nn/nn.h"
#include "nn/parameters.h"

typedef struct jbw_lstm {
    int in;
    int size;       // a multiple of JBW_NN_LANES
    size_t weights; // ((in + size) x 4 size)
    size_t bias;    // (4 size)
} jbw_lstm;

/// What a pass keeps of each row. Rows of `input` hold x, and behind it the hidden state before the step.
typedef struct jbw_lstm_pass {
    int rows;
    int length;         // of a sequence; divides `rows`
    bool lacks_hidden;  // nobody looks at `hidden`: the output gate, which is last, is left out
    jbw_rows input;     // (rows x (in + size))
    float *cell_before; // (rows x size)
    float *gates;       // (rows x 4 size)
    float *cell;        // (rows x size) each
    float *cell_tanh;
    float *hidden;
    float *packed; // (jbw_lstm_packed_size), not used if `length` is 1
} jbw_lstm_pass;

/// Floats that a pass needs for packed weights.
size_t jbw_lstm_packed_size(const jbw_lstm *lstm);

/// A layer whose parameters are the next ones.
jbw_lstm jbw_lstm_make(jbw_parameters *parameters, int in, int size);

/// Glorot weights, biases of zero. The gates share one matrix with 4 size outputs, or each is a matrix of
/// its own with `size` outputs and so has larger weights.
void jbw_lstm_begin(const jbw_lstm *lstm, jbw_parameters *parameters, bool gates_share,
                    jbw_rng *rng);

/// Fills `gates`, `cell`, `cell_tanh` and `hidden`, and the states before the rows that do not begin a
/// sequence. With `lacks_hidden` (then the length is 1) neither `hidden` nor the output gate is meaningful.
void jbw_lstm_forward(const jbw_nn *nn, const jbw_lstm *lstm, const float *weights,
                      const jbw_lstm_pass *pass);

/// Sets the gradients. On entry, `hidden_gradient` and `cell_gradient` (rows x size) are the gradients
/// with respect to the outputs themselves; those that flow back from later steps are added to them.
/// `gate_gradients` (rows x 4 size) is filled. `dx` (rows x in) receives the gradient with respect to x;
/// its `at` may be NULL.
void jbw_lstm_backward(const jbw_nn *nn, const jbw_lstm *lstm, jbw_parameters *parameters,
                       const jbw_lstm_pass *pass, float *hidden_gradient, float *cell_gradient,
                       float *gate_gradients, jbw_rows dx);

/// One row of a pass, with its output, in parts: its sums begin with the bias, then come its inputs in their
/// order, some at a time, then what follows from the sums. The bits are equal.
void jbw_lstm_row_begin(const jbw_lstm *lstm, const float *weights, const jbw_lstm_pass *pass,
                        int row);
void jbw_lstm_row_add(const jbw_nn *nn, const jbw_lstm *lstm, const float *weights,
                      const jbw_lstm_pass *pass, int row, int first, int count);
void jbw_lstm_row_end(const jbw_nn *nn, const jbw_lstm *lstm, const jbw_lstm_pass *pass, int row);

#endif
