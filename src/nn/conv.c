// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/conv.h"

#include <string.h>

#include "nn/dense.h"
#include "nn/loops.h"

enum { ROWS_AT_ONCE = 64 }; // their columns stay in the caches

jbw_conv jbw_conv_make(jbw_parameters *parameters, int height, int width, int channels, int size,
                       int stride, int outputs)
{
    jbw_conv conv = {
        .height = height,
        .width = width,
        .channels = channels,
        .size = size,
        .stride = stride,
        .out_height = (height - size) / stride + 1,
        .out_width = (width - size) / stride + 1,
        .outputs = outputs,
        .column = size * size * channels,
    };
    conv.weights = jbw_parameters_take(parameters, (size_t)conv.column * (size_t)outputs);
    conv.bias = jbw_parameters_take(parameters, (size_t)outputs);
    return conv;
}

void jbw_conv_begin(const jbw_conv *conv, jbw_parameters *parameters, jbw_rng *rng)
{
    const int field = conv->size * conv->size;
    jbw_parameters_glorot(parameters, conv->weights, (size_t)conv->column * (size_t)conv->outputs,
                          field * conv->channels, field * conv->outputs, rng);
    memset(parameters->weights + conv->bias, 0, (size_t)conv->outputs * sizeof(float));
}

static int place_count(const jbw_conv *conv)
{
    return conv->out_height * conv->out_width;
}

int jbw_conv_out_count(const jbw_conv *conv)
{
    return place_count(conv) * conv->outputs;
}

size_t jbw_conv_scratch(const jbw_conv *conv)
{
    return (size_t)ROWS_AT_ONCE * (size_t)place_count(conv) * (size_t)conv->column;
}

// ---- columns ----

// where the first number of a place of the filter is in a picture
static ptrdiff_t corner_of(const jbw_conv *conv, int place)
{
    const int y = place / conv->out_width * conv->stride;
    const int x = place % conv->out_width * conv->stride;
    return ((ptrdiff_t)y * conv->width + x) * conv->channels;
}

static void gather(const jbw_conv *conv, const float *picture, float *columns)
{
    const size_t length = (size_t)conv->size * (size_t)conv->channels;
    for (int place = 0; place < place_count(conv); place++) {
        const float *from = picture + corner_of(conv, place);
        for (int row = 0; row < conv->size; row++, columns += length)
            memcpy(columns, from + (ptrdiff_t)row * conv->width * conv->channels,
                   length * sizeof(float));
    }
}

static void scatter(const jbw_nn *nn, const jbw_conv *conv, const float *columns, float *picture)
{
    const size_t length = (size_t)conv->size * (size_t)conv->channels;
    const size_t whole = (size_t)conv->height * (size_t)conv->width * (size_t)conv->channels;
    memset(picture, 0, whole * sizeof(float));
    for (int place = 0; place < place_count(conv); place++) {
        float *to = picture + corner_of(conv, place);
        for (int row = 0; row < conv->size; row++, columns += length)
            nn->path->add_scaled(length, 1.0f, columns,
                                 to + (ptrdiff_t)row * conv->width * conv->channels);
    }
}

// pictures and their columns, (nn->columns)
typedef struct picture_task {
    const jbw_nn *nn;
    const jbw_conv *conv;
    jbw_rows pictures;
} picture_task;

static float *columns_of(const picture_task *t, size_t row)
{
    return t->nn->columns + row * (size_t)place_count(t->conv) * (size_t)t->conv->column;
}

static void gather_some(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const picture_task *t = task;
    for (size_t i = first; i < first + count; i++)
        gather(t->conv, jbw_rows_from(t->pictures, (int)i, 0).at, columns_of(t, i));
}

static void scatter_some(const void *task, size_t first, size_t count, size_t piece)
{
    (void)piece;
    const picture_task *t = task;
    for (size_t i = first; i < first + count; i++)
        scatter(t->nn, t->conv, columns_of(t, i), jbw_rows_from(t->pictures, (int)i, 0).at);
}

static void share_pictures(const jbw_nn *nn, const jbw_conv *conv, int rows, jbw_rows pictures,
                           jbw_piece_function *function)
{
    const picture_task t = {nn, conv, pictures};
    const double time = (double)rows * place_count(conv) * conv->column / 4.0;
    jbw_nn_share(nn, (size_t)rows, 1, time, function, &t);
}

// ---- forward and backward, some rows at a time ----

static int rows_from(int first, int rows)
{
    return rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
}

void jbw_conv_forward(const jbw_nn *nn, const jbw_conv *conv, const float *weights, int rows,
                      jbw_rows x, float *y)
{
    const int places = place_count(conv);
    const jbw_view w = {weights + conv->weights, conv->outputs, 1};
    for (int first = 0; first < rows; first += ROWS_AT_ONCE) {
        const int count = rows_from(first, rows);
        share_pictures(nn, conv, count, jbw_rows_from(x, first, 0), gather_some);
        const jbw_rows to = {y + (ptrdiff_t)first * places * conv->outputs, conv->outputs};
        const jbw_addend bias = {weights + conv->bias, 0};
        const jbw_view columns = {nn->columns, conv->column, 1};
        jbw_nn_gemm(nn, count * places, conv->outputs, conv->column, columns, w, bias, to.at,
                    to.stride);
    }
}

void jbw_conv_backward(const jbw_nn *nn, const jbw_conv *conv, jbw_parameters *parameters, int rows,
                       jbw_rows x, float *dy, jbw_rows dx)
{
    const int places = place_count(conv);
    jbw_bias_backward(nn, rows * places, conv->outputs, (jbw_rows){dy, conv->outputs},
                      parameters->gradients + conv->bias);
    for (int first = 0; first < rows; first += ROWS_AT_ONCE) {
        const int count = rows_from(first, rows);
        const int n = count * places;
        const jbw_rows from = {dy + (ptrdiff_t)first * places * conv->outputs, conv->outputs};
        share_pictures(nn, conv, count, jbw_rows_from(x, first, 0), gather_some);
        const jbw_view transposed = {nn->columns, 1, conv->column};
        float *gradients = parameters->gradients + conv->weights;
        const jbw_addend before = {first > 0 ? gradients : NULL, conv->outputs};
        jbw_nn_gemm(nn, conv->column, conv->outputs, n, transposed, jbw_rows_view(from), before,
                    gradients, conv->outputs);
        if (!dx.at) continue;
        const jbw_view w = {parameters->weights + conv->weights, 1, conv->outputs};
        jbw_nn_gemm(nn, n, conv->column, conv->outputs, jbw_rows_view(from), w, (jbw_addend){0},
                    nn->columns, conv->column);
        share_pictures(nn, conv, count, jbw_rows_from(dx, first, 0), scatter_some);
    }
}
