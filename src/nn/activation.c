// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/activation.h"

#include "nn/loops.h"

typedef struct activation_task {
    const jbw_nn *nn;
    jbw_activation kind;
    size_t count;  // of a row
    jbw_rows x, y; // on the way back, `y` is the gradient
} activation_task;

static void forward(const activation_task *t, size_t count, float *x, float *y)
{
    if (t->kind == JBW_ACTIVATION_RELU)
        t->nn->path->relu(count, x, y);
    else
        t->nn->path->gelu(count, x, y);
}

static void backward(const activation_task *t, size_t count, float *x, float *dy)
{
    if (t->kind == JBW_ACTIVATION_RELU)
        t->nn->path->relu_back(count, x, dy, dy);
    else
        t->nn->path->multiply(count, x, dy, dy);
}

// some rows, all at once if nothing lies between them
static void do_rows(const activation_task *t, size_t first, size_t rows,
                    void (*function)(const activation_task *t, size_t count, float *x, float *y))
{
    const ptrdiff_t whole = (ptrdiff_t)t->count;
    const bool is_one_block = t->x.stride == whole && t->y.stride == whole;
    const size_t at_once = is_one_block ? rows : 1;
    for (size_t i = first; i < first + rows; i += at_once)
        function(t, at_once * t->count, jbw_rows_from(t->x, (int)i, 0).at,
                 jbw_rows_from(t->y, (int)i, 0).at);
}

static void forward_rows(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    do_rows(task, first, count, forward);
}

static void backward_rows(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    do_rows(task, first, count, backward);
}

void jbw_activation_forward(const jbw_nn *nn, jbw_activation kind, int rows, int count, jbw_rows x,
                            jbw_rows y)
{
    const activation_task t = {nn, kind, (size_t)count, x, y};
    // ReLU moves floats, the other one computes a tanh
    const double time = (double)rows * count * (kind == JBW_ACTIVATION_RELU ? 0.25 : 1.0);
    jbw_nn_share(nn, (size_t)rows, 1, time, forward_rows, &t);
}

void jbw_activation_backward(const jbw_nn *nn, jbw_activation kind, int rows, int count, jbw_rows x,
                             jbw_rows dy)
{
    const activation_task t = {nn, kind, (size_t)count, x, dy};
    jbw_nn_share(nn, (size_t)rows, 1, (double)rows * count * 0.25, backward_rows, &t);
}
