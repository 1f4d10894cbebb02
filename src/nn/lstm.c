// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/lstm.h"

#include <string.h>

#include "nn/dense.h"
#include "nn/loops.h"

jbw_lstm jbw_lstm_make(jbw_parameters *parameters, int in, int size)
{
    const size_t gates = 4 * (size_t)size;
    const size_t weights = jbw_parameters_take(parameters, (size_t)(in + size) * gates);
    const size_t bias = jbw_parameters_take(parameters, gates);
    return (jbw_lstm){.in = in, .size = size, .weights = weights, .bias = bias};
}

void jbw_lstm_begin(const jbw_lstm *lstm, jbw_parameters *parameters, bool gates_share,
                    jbw_rng *rng)
{
    const int gates = 4 * lstm->size;
    const int in = lstm->in + lstm->size;
    jbw_parameters_glorot(parameters, lstm->weights, (size_t)in * (size_t)gates, in,
                          gates_share ? gates : lstm->size, rng);
    memset(parameters->weights + lstm->bias, 0, (size_t)gates * sizeof(float));
}

size_t jbw_lstm_packed_size(const jbw_lstm *lstm)
{
    const size_t forward = jbw_packed_size(lstm->size, 4 * lstm->size);
    const size_t backward = jbw_packed_size(4 * lstm->size, lstm->size);
    return forward > backward ? forward : backward;
}

// ---- forward ----

// the states of one row, from its sums
static void step_row(const jbw_nn *nn, const jbw_lstm *lstm, const jbw_lstm_pass *pass, int row,
                     bool lacks_hidden)
{
    const ptrdiff_t at = (ptrdiff_t)row * lstm->size;
    nn->path->lstm(lstm->size, &(jbw_lstm_row){.gates = pass->gates + 4 * at,
                                               .cell_before = pass->cell_before + at,
                                               .cell = pass->cell + at,
                                               .cell_tanh = pass->cell_tanh + at,
                                               .hidden = lacks_hidden ? NULL : pass->hidden + at});
}

// hands the states behind a row on to the next
static void pass_on(const jbw_lstm *lstm, const jbw_lstm_pass *pass, int row)
{
    const size_t bytes = (size_t)lstm->size * sizeof(float);
    const ptrdiff_t at = (ptrdiff_t)row * lstm->size;
    memcpy(pass->input.at + (row + 1) * pass->input.stride + lstm->in, pass->hidden + at, bytes);
    memcpy(pass->cell_before + at + lstm->size, pass->cell + at, bytes);
}

// the same step of several sequences, forward or backward
typedef struct lstm_task {
    const jbw_nn *nn;
    const jbw_lstm *lstm;
    const jbw_lstm_pass *pass;
    int step;
    float *hidden_gradient, *cell_gradient, *gate_gradients; // on the way back
} lstm_task;

static double step_time(const jbw_lstm *lstm, int sequences)
{
    return 4.0 * sequences * lstm->size;
}

static void step_some(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const lstm_task *t = task;
    for (size_t i = first; i < first + count; i++) {
        const int row = (int)i * t->pass->length + t->step;
        step_row(t->nn, t->lstm, t->pass, row, t->pass->lacks_hidden);
        if (t->step + 1 < t->pass->length) pass_on(t->lstm, t->pass, row);
    }
}

// Gates that are computed. The gradient of a gate that is left out is zero, and stays so.
static int wanted_gates(const jbw_lstm *lstm, const jbw_lstm_pass *pass)
{
    return (pass->lacks_hidden ? 3 : 4) * lstm->size;
}

void jbw_lstm_forward(const jbw_nn *nn, const jbw_lstm *lstm, const float *weights,
                      const jbw_lstm_pass *pass)
{
    const int gates = 4 * lstm->size;
    const int in = lstm->in + (pass->length == 1 ? lstm->size : 0); // known before the first step
    const jbw_view all = {weights + lstm->weights, gates, 1};
    const jbw_addend bias = {weights + lstm->bias, 0};
    jbw_nn_gemm(nn, pass->rows, wanted_gates(lstm, pass), in, jbw_rows_view(pass->input), all, bias,
                pass->gates, gates);

    // the first steps of all sequences together, then the second ones, and so on
    const int sequences = pass->rows / pass->length;
    const ptrdiff_t apart = pass->length;
    if (pass->length > 1)
        jbw_nn_pack(nn, lstm->size, gates, jbw_view_from(all, lstm->in, 0), pass->packed);
    for (int step = 0; step < pass->length; step++) {
        const jbw_rows before = jbw_rows_from(pass->input, step, lstm->in);
        const jbw_view hidden = {before.at, before.stride * apart, 1};
        float *sums = pass->gates + (ptrdiff_t)step * gates;
        if (pass->length > 1)
            jbw_nn_gemm_packed(nn, sequences, gates, lstm->size, hidden, pass->packed,
                               (jbw_addend){sums, apart * gates}, sums, apart * gates);
        const lstm_task t = {.nn = nn, .lstm = lstm, .pass = pass, .step = step};
        jbw_nn_share(nn, (size_t)sequences, 1, step_time(lstm, sequences), step_some, &t);
    }
}

// ---- backward ----

// from the gradients of a row's outputs to those of its sums, and of the cell before
static void step_row_back(const jbw_nn *nn, const jbw_lstm *lstm, const jbw_lstm_pass *pass,
                          int row, const float *hidden_gradient, float *cell_gradient,
                          float *gate_gradients)
{
    const ptrdiff_t at = (ptrdiff_t)row * lstm->size;
    nn->path->lstm_back(
        lstm->size,
        &(jbw_lstm_row_back){.gates = pass->gates + 4 * at,
                             .cell_before = pass->cell_before + at,
                             .cell_tanh = pass->cell_tanh + at,
                             .hidden_gradient = pass->lacks_hidden ? NULL : hidden_gradient + at,
                             .cell_gradient = cell_gradient + at,
                             .gate_gradients = gate_gradients + 4 * at});
}

static void step_some_back(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const lstm_task *t = task;
    for (size_t i = first; i < first + count; i++) {
        const int row = (int)i * t->pass->length + t->step;
        float *cell = t->cell_gradient + (ptrdiff_t)row * t->lstm->size;
        step_row_back(t->nn, t->lstm, t->pass, row, t->hidden_gradient, t->cell_gradient,
                      t->gate_gradients);
        if (t->step > 0)
            t->nn->path->add_scaled((size_t)t->lstm->size, 1.0f, cell, cell - t->lstm->size);
    }
}

void jbw_lstm_backward(const jbw_nn *nn, const jbw_lstm *lstm, jbw_parameters *parameters,
                       const jbw_lstm_pass *pass, float *hidden_gradient, float *cell_gradient,
                       float *gate_gradients, jbw_rows dx)
{
    const int gates = 4 * lstm->size;
    const float *weights = parameters->weights + lstm->weights;
    const jbw_view recurrent = {weights + (ptrdiff_t)lstm->in * gates, 1, gates}; // transposed
    if (pass->length > 1) jbw_nn_pack(nn, gates, lstm->size, recurrent, pass->packed);
    const int sequences = pass->rows / pass->length;
    const ptrdiff_t apart = pass->length;
    for (int step = pass->length; step-- > 0;) {
        const lstm_task t = {nn, lstm, pass, step, hidden_gradient, cell_gradient, gate_gradients};
        jbw_nn_share(nn, (size_t)sequences, 1, step_time(lstm, sequences), step_some_back, &t);
        if (step == 0) break;
        const jbw_view sums = {gate_gradients + (ptrdiff_t)step * gates, apart * gates, 1};
        float *to = hidden_gradient + (ptrdiff_t)(step - 1) * lstm->size;
        jbw_nn_gemm_packed(nn, sequences, lstm->size, gates, sums, pass->packed,
                           (jbw_addend){to, apart * lstm->size}, to, apart * lstm->size);
    }

    const int wanted = wanted_gates(lstm, pass);
    const jbw_rows dy = {gate_gradients, gates};
    jbw_bias_backward(nn, pass->rows, wanted, dy, parameters->gradients + lstm->bias);
    jbw_nn_gemm(nn, lstm->in + lstm->size, wanted, pass->rows, jbw_rows_transposed(pass->input),
                jbw_rows_view(dy), (jbw_addend){0}, parameters->gradients + lstm->weights, gates);
    if (!dx.at) return;
    const jbw_view transposed = {weights, 1, gates};
    jbw_nn_gemm(nn, pass->rows, lstm->in, wanted, jbw_rows_view(dy), transposed, (jbw_addend){0},
                dx.at, dx.stride);
}

// ---- one row ----

static float *sums_of(const jbw_lstm *lstm, const jbw_lstm_pass *pass, int row)
{
    return pass->gates + 4 * (ptrdiff_t)row * lstm->size;
}

void jbw_lstm_row_begin(const jbw_lstm *lstm, const float *weights, const jbw_lstm_pass *pass,
                        int row)
{
    memcpy(sums_of(lstm, pass, row), weights + lstm->bias, 4 * (size_t)lstm->size * sizeof(float));
}

void jbw_lstm_row_add(const jbw_nn *nn, const jbw_lstm *lstm, const float *weights,
                      const jbw_lstm_pass *pass, int row, int first, int count)
{
    const int gates = 4 * lstm->size;
    jbw_nn_gemv(nn, count, gates, jbw_rows_from(pass->input, row, first).at,
                weights + lstm->weights + (ptrdiff_t)first * gates, sums_of(lstm, pass, row));
}

void jbw_lstm_row_end(const jbw_nn *nn, const jbw_lstm *lstm, const jbw_lstm_pass *pass, int row)
{
    step_row(nn, lstm, pass, row, false); // the next step needs its output
}
