// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Looking at a network from outside: what it computes, its weights and its units.

#include "agents/learn/network.h"

#include <math.h>

// ---- how much it computes ----

static double products_of_conv(const jbw_conv *conv)
{
    return (double)conv->out_height * conv->out_width * conv->column * conv->outputs;
}

static double products_of_dense(const jbw_dense *dense)
{
    return (double)dense->in * dense->out;
}

double jbw_network_products(const jbw_network *n, bool is_backward, int length)
{
    // backward, a layer computes the gradients of its weights and, if there are layers before, of its input
    const double deep = is_backward ? 2.0 : 1.0;
    double count = 0.0;
    if (n->options.vision_side > 0)
        count += products_of_conv(&n->conv1) +
                 deep * (products_of_conv(&n->conv2) + products_of_dense(&n->vision));
    if (n->options.scents > 0)
        count += products_of_dense(&n->scent1) + deep * products_of_dense(&n->scent2);
    // where nothing depends on the output, its gate is left out
    const double gates = (n->options.heads_see_cell && length == 1 ? 3.0 : 4.0) * n->lstm.size;
    count += deep * gates * n->lstm.in + gates * n->lstm.size;
    if (is_backward && length > 1) count += gates * n->lstm.size * (length - 1) / length;
    return count + deep * products_of_dense(&n->heads);
}

// ---- weights ----

static jbw_policy_weights of_dense(const jbw_dense *dense, const char *name, const float *weights)
{
    return (jbw_policy_weights){.name = name,
                                .rank = 2,
                                .shape = {(size_t)dense->in, (size_t)dense->out},
                                .values = weights + dense->weights};
}

static jbw_policy_weights of_conv(const jbw_conv *conv, const char *name, const float *weights)
{
    const size_t size = (size_t)conv->size;
    return (jbw_policy_weights){
        .name = name,
        .rank = 4,
        .shape = {size, size, (size_t)conv->channels, (size_t)conv->outputs},
        .values = weights + conv->weights};
}

static jbw_policy_weights of_bias(size_t bias, int count, const char *name, const float *weights)
{
    return (jbw_policy_weights){
        .name = name, .rank = 1, .shape = {(size_t)count}, .values = weights + bias};
}

bool jbw_network_get_weights(const jbw_network *n, size_t index, jbw_policy_weights *out)
{
    const float *w = n->parameters.weights;
    jbw_policy_weights all[14 + 2 * JBW_LAYER_COUNT];
    size_t count = 0;
    if (n->options.vision_side > 0) {
        all[count++] = of_conv(&n->conv1, "conv1", w);
        all[count++] = of_bias(n->conv1.bias, n->conv1.outputs, "conv1.bias", w);
        all[count++] = of_conv(&n->conv2, "conv2", w);
        all[count++] = of_bias(n->conv2.bias, n->conv2.outputs, "conv2.bias", w);
        all[count++] = of_dense(&n->vision, "vision", w);
        all[count++] = of_bias(n->vision.bias, n->vision.out, "vision.bias", w);
    }
    if (n->options.scents > 0) {
        all[count++] = of_dense(&n->scent1, "scent1", w);
        all[count++] = of_bias(n->scent1.bias, n->scent1.out, "scent1.bias", w);
        all[count++] = of_dense(&n->scent2, "scent2", w);
        all[count++] = of_bias(n->scent2.bias, n->scent2.out, "scent2.bias", w);
    }
    if (n->options.lstm_size > 0) {
        const jbw_lstm *lstm = &n->lstm;
        const jbw_dense gates = {lstm->in + lstm->size, 4 * lstm->size, lstm->weights, lstm->bias};
        all[count++] = of_dense(&gates, "lstm", w);
        all[count++] = of_bias(gates.bias, gates.out, "lstm.bias", w);
    }
    all[count++] = of_dense(&n->heads, "heads", w);
    all[count++] = of_bias(n->heads.bias, n->heads.out, "heads.bias", w);
    for (int i = 0; i < JBW_LAYER_COUNT; i++) {
        static const char *const names[][2] = {{"conv1.gain", "conv1.offset"},
                                               {"conv2.gain", "conv2.offset"},
                                               {"vision.gain", "vision.offset"},
                                               {"scent1.gain", "scent1.offset"},
                                               {"scent2.gain", "scent2.offset"}};
        const jbw_layer_norm *norm = &n->norms[i];
        if (norm->count == 0) continue;
        all[count++] = of_bias(norm->gain, norm->count, names[i][0], w);
        all[count++] = of_bias(norm->offset, norm->count, names[i][1], w);
    }
    if (index >= count) return false;
    *out = all[index];
    return true;
}

// ---- units ----

// of a sense's last layer: its features go into the LSTM and, if they see them, into the heads
static jbw_units feature_units(const jbw_network *n, const jbw_network_pass *pass, jbw_layer layer,
                               const jbw_dense *dense, int column)
{
    jbw_units u = {.layer = layer,
                   .units = dense->out,
                   .places = 1,
                   .activations = jbw_rows_from(pass->memory.input, 0, column),
                   .in = dense->in,
                   .in_weights = dense->weights,
                   .bias = dense->bias,
                   .glorot_limit = jbw_glorot_limit(dense->in, dense->out)};
    const int gates = 4 * n->lstm.size;
    if (gates > 0) {
        u.out[u.out_count].first = n->lstm.weights + (size_t)column * (size_t)gates;
        u.out[u.out_count].places = 1;
        u.out[u.out_count++].count = gates;
    }
    if (n->heads.in > n->options.lstm_size) {
        u.out[u.out_count].first = n->heads.weights + (size_t)column * (size_t)n->heads.out;
        u.out[u.out_count].places = 1;
        u.out[u.out_count++].count = n->heads.out;
    }
    return u;
}

static jbw_units conv_units(const jbw_conv *conv, jbw_layer layer, float *activations)
{
    const int field = conv->size * conv->size;
    const int count = jbw_conv_out_count(conv);
    return (jbw_units){.layer = layer,
                       .units = conv->outputs,
                       .places = count / conv->outputs,
                       .activations = {activations, count},
                       .in = conv->column,
                       .in_weights = conv->weights,
                       .bias = conv->bias,
                       .glorot_limit =
                           jbw_glorot_limit(field * conv->channels, field * conv->outputs),
                       .out_count = 1};
}

int jbw_network_units(const jbw_network *n, const jbw_network_pass *pass,
                      jbw_units out[JBW_LAYER_COUNT])
{
    int count = 0;
    const bool sees = n->options.vision_side > 0;
    if (sees) {
        jbw_units *u = &out[count];
        u[0] = conv_units(&n->conv1, JBW_LAYER_CONV1, pass->conv1);
        u[0].out[0].first = n->conv2.weights;
        u[0].out[0].places = n->conv2.size * n->conv2.size;
        u[0].out[0].count = n->conv2.outputs;
        u[1] = conv_units(&n->conv2, JBW_LAYER_CONV2, pass->conv2);
        u[1].out[0].first = n->vision.weights;
        u[1].out[0].places = u[1].places;
        u[1].out[0].count = n->vision.out;
        u[2] = feature_units(n, pass, JBW_LAYER_VISION, &n->vision, 0);
        count += 3;
    }
    if (n->options.scents > 0) {
        jbw_units *u = &out[count];
        const jbw_dense *dense = &n->scent1;
        u[0] = (jbw_units){.layer = JBW_LAYER_SCENT1,
                           .units = dense->out,
                           .places = 1,
                           .activations = {pass->scent1, dense->out},
                           .in = dense->in,
                           .in_weights = dense->weights,
                           .bias = dense->bias,
                           .glorot_limit = jbw_glorot_limit(dense->in, dense->out),
                           .out_count = 1};
        u[0].out[0].first = n->scent2.weights;
        u[0].out[0].places = 1;
        u[0].out[0].count = n->scent2.out;
        u[1] = feature_units(n, pass, JBW_LAYER_SCENT2, &n->scent2, sees ? n->vision.out : 0);
        count += 2;
    }
    return count;
}

double jbw_units_activity(const jbw_units *layer, int rows, int unit)
{
    double sum = 0.0;
    for (int row = 0; row < rows; row++) {
        const float *at = layer->activations.at + row * layer->activations.stride + unit;
        for (int place = 0; place < layer->places; place++)
            sum += fabs((double)at[(ptrdiff_t)place * layer->units]);
    }
    return sum / ((double)rows * layer->places);
}
