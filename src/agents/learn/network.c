// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/network.h"

#include <string.h>

#include "agents/learn/network_repeats.h"
#include "nn/floats.h"
#include "nn/loops.h"

enum { CONV1_OUTPUTS = 16, CONV2_OUTPUTS = 16, DENSE = 512, SCENT_HIDDEN = 32 };

// ---- planning ----

// behind all other parameters, which are where they are without them
static void make_norms(jbw_network *network)
{
    jbw_parameters *p = &network->parameters;
    jbw_layer_norm *norms = network->norms;
    if (network->options.vision_side > 0) {
        const int places1 = jbw_conv_out_count(&network->conv1) / CONV1_OUTPUTS;
        const int places2 = jbw_conv_out_count(&network->conv2) / CONV2_OUTPUTS;
        norms[JBW_LAYER_CONV1] = jbw_layer_norm_make(p, CONV1_OUTPUTS, places1);
        norms[JBW_LAYER_CONV2] = jbw_layer_norm_make(p, CONV2_OUTPUTS, places2);
        norms[JBW_LAYER_VISION] = jbw_layer_norm_make(p, network->dense_size, 1);
    }
    if (network->options.scents > 0) {
        norms[JBW_LAYER_SCENT1] = jbw_layer_norm_make(p, SCENT_HIDDEN, 1);
        norms[JBW_LAYER_SCENT2] = jbw_layer_norm_make(p, network->dense_size, 1);
    }
}

bool jbw_network_init(jbw_network *network, const jbw_network_options *options,
                      const jbw_allocator *allocator)
{
    *network = (jbw_network){.options = *options,
                             .dense_size = options->dense_size > 0 ? options->dense_size : DENSE};
    jbw_parameters *p = &network->parameters;
    if (options->vision_side > 0) {
        network->conv1 = jbw_conv_make(p, options->vision_side, options->vision_side,
                                       options->colors, 3, 2, CONV1_OUTPUTS);
        network->conv2 = jbw_conv_make(p, network->conv1.out_height, network->conv1.out_width,
                                       CONV1_OUTPUTS, 2, 1, CONV2_OUTPUTS);
        network->vision =
            jbw_dense_make(p, jbw_conv_out_count(&network->conv2), network->dense_size);
        network->feature_count += network->dense_size;
    }
    if (options->scents > 0) {
        network->scent1 = jbw_dense_make(p, options->scents, SCENT_HIDDEN);
        network->scent2 = jbw_dense_make(p, SCENT_HIDDEN, network->dense_size);
        network->feature_count += network->dense_size;
    }
    network->feature_count += options->has_moved;
    if (options->lstm_size > 0)
        network->lstm = jbw_lstm_make(p, network->feature_count, options->lstm_size);
    const bool heads_see_features = options->heads_see_features || options->lstm_size == 0;
    const int seen = heads_see_features ? network->feature_count : 0;
    network->heads = jbw_dense_make(p, seen + options->lstm_size,
                                    options->actions + (options->lacks_value ? 0 : 1));
    if (options->has_layer_norm) make_norms(network);
    return jbw_parameters_init(p, allocator);
}

void jbw_network_deinit(jbw_network *network, const jbw_allocator *allocator)
{
    jbw_parameters_deinit(&network->parameters, allocator);
}

// both heads are one layer; each has the weights that it would have by itself
static void begin_heads(jbw_network *network, jbw_rng *rng)
{
    const jbw_dense *heads = &network->heads;
    float *weights = network->parameters.weights + heads->weights;
    const int actions = network->options.actions;
    const double policy_limit = jbw_glorot_limit(heads->in, actions);
    const double value_limit = jbw_glorot_limit(heads->in, 1);
    for (int i = 0; i < heads->in; i++)
        for (int j = 0; j < actions; j++)
            weights[i * heads->out + j] = jbw_glorot_draw(policy_limit, rng);
    for (int i = 0; i < heads->in && !network->options.lacks_value; i++)
        weights[i * heads->out + actions] = jbw_glorot_draw(value_limit, rng);
}

void jbw_network_begin(jbw_network *network, jbw_rng *rng)
{
    jbw_parameters *p = &network->parameters;
    if (network->options.vision_side > 0) {
        jbw_conv_begin(&network->conv1, p, rng);
        jbw_conv_begin(&network->conv2, p, rng);
        jbw_dense_begin(&network->vision, p, rng);
    }
    if (network->options.scents > 0) {
        jbw_dense_begin(&network->scent1, p, rng);
        jbw_dense_begin(&network->scent2, p, rng);
    }
    if (network->options.lstm_size > 0)
        jbw_lstm_begin(&network->lstm, p, network->options.gates_share_glorot, rng);
    begin_heads(network, rng);
    for (int i = 0; i < JBW_LAYER_COUNT; i++)
        if (network->norms[i].count > 0) jbw_layer_norm_begin(&network->norms[i], p);
}

size_t jbw_network_columns(const jbw_network *network)
{
    if (network->options.vision_side == 0) return 0;
    const size_t a = jbw_conv_scratch(&network->conv1);
    const size_t b = jbw_conv_scratch(&network->conv2);
    return a > b ? a : b;
}

// ---- rows ----

// hands out parts of one block of memory; with `block` NULL it only counts
typedef struct carver {
    float *block;
    size_t used;
} carver;

static float *carve(carver *c, size_t rows, int count)
{
    float *at = c->block ? c->block + c->used : NULL;
    c->used += (rows * (size_t)count + JBW_NN_LANES - 1) / JBW_NN_LANES * JBW_NN_LANES;
    return at;
}

static void carve_pass(jbw_network_pass *pass, const jbw_network *network, bool has_gradients,
                       carver *c)
{
    const jbw_network_options *o = &network->options;
    const size_t rows = (size_t)pass->rows;
    const int size = o->lstm_size;
    const int input = network->feature_count + size;
    if (o->vision_side > 0) {
        const int conv1 = jbw_conv_out_count(&network->conv1);
        const int conv2 = jbw_conv_out_count(&network->conv2);
        pass->vision = carve(c, rows, o->vision_side * o->vision_side * o->colors);
        pass->conv1_sums = carve(c, rows, conv1);
        pass->conv1 = carve(c, rows, conv1);
        pass->conv2_sums = carve(c, rows, conv2);
        pass->conv2 = carve(c, rows, conv2);
        pass->vision_sums = carve(c, rows, network->dense_size);
        if (has_gradients) pass->conv1_back = carve(c, rows, conv1);
        if (has_gradients) pass->conv2_back = carve(c, rows, conv2);
    }
    if (o->scents > 0) {
        pass->scent = carve(c, rows, o->scents);
        pass->scent1_sums = carve(c, rows, SCENT_HIDDEN);
        pass->scent1 = carve(c, rows, SCENT_HIDDEN);
        pass->scent2_sums = carve(c, rows, network->dense_size);
        if (has_gradients) pass->scent1_back = carve(c, rows, SCENT_HIDDEN);
    }
    for (int i = 0; i < JBW_LAYER_COUNT; i++)
        if (network->norms[i].count > 0)
            pass->raw[i] = carve(c, rows, network->norms[i].groups * network->norms[i].count);
    pass->moved = carve(c, rows, 1);
    pass->memory.input = (jbw_rows){carve(c, rows, input), input};
    pass->memory.cell_before = carve(c, rows, size);
    pass->memory.gates = carve(c, rows, 4 * size);
    pass->memory.cell = carve(c, rows, size);
    pass->memory.cell_tanh = carve(c, rows, size);
    pass->memory.hidden = carve(c, rows, size);
    pass->heads = carve(c, rows, network->heads.out);
    if (rows > 1) pass->memory.packed = carve(c, jbw_lstm_packed_size(&network->lstm), 1);
    if (!has_gradients) return;
    pass->heads_back = carve(c, rows, network->heads.out);
    pass->hidden_back = carve(c, rows, size);
    pass->cell_back = carve(c, rows, size);
    pass->gates_back = carve(c, rows, 4 * size);
    pass->features_back = carve(c, rows, network->feature_count);
}

bool jbw_network_pass_init(jbw_network_pass *pass, const jbw_network *network, int rows,
                           bool has_gradients, const jbw_allocator *allocator)
{
    *pass = (jbw_network_pass){.rows = rows};
    carver c = {0};
    carve_pass(pass, network, has_gradients, &c);
    pass->float_count = c.used;
    pass->memory_block = jbw_floats_alloc(allocator, c.used);
    if (!pass->memory_block) return false;
    c = (carver){.block = pass->memory_block};
    carve_pass(pass, network, has_gradients, &c);
    return true;
}

void jbw_network_pass_deinit(jbw_network_pass *pass, const jbw_allocator *allocator)
{
    jbw_repeats_deinit(&pass->repeats, allocator);
    jbw_floats_free(allocator, pass->sums_by_vision, pass->kept_float_count);
    jbw_floats_free(allocator, pass->memory_block, pass->float_count);
    *pass = (jbw_network_pass){0};
}

bool jbw_network_pass_keep_rows(jbw_network_pass *pass, const jbw_network *network,
                                const jbw_allocator *allocator)
{
    const size_t sums = 4 * (size_t)network->options.lstm_size * (size_t)pass->rows;
    pass->kept_float_count = 2 * sums;
    pass->sums_by_vision = jbw_floats_alloc(allocator, pass->kept_float_count);
    if (!pass->sums_by_vision) return false;
    pass->sums_by_features = pass->sums_by_vision + sums;
    return jbw_repeats_init(&pass->repeats, pass->rows, allocator);
}

void jbw_network_pass_forget(jbw_network_pass *pass)
{
    jbw_repeats_forget(&pass->repeats);
}

void jbw_network_pass_on(const jbw_network *network, jbw_network_pass *pass, int from, int to)
{
    const int size = network->options.lstm_size;
    const size_t bytes = (size_t)size * sizeof(float);
    const jbw_rows input = pass->memory.input;
    memcpy(input.at + to * input.stride + network->feature_count,
           pass->memory.hidden + (ptrdiff_t)from * size, bytes);
    memcpy(pass->memory.cell_before + (ptrdiff_t)to * size,
           pass->memory.cell + (ptrdiff_t)from * size, bytes);
}

// ---- forward ----

// what the heads see of the memory
static float *memory_seen(const jbw_network *network, const jbw_network_pass *pass)
{
    return network->options.heads_see_cell ? pass->memory.cell : pass->memory.hidden;
}

static void put_moved(const jbw_nn *nn, const jbw_network *network, const jbw_network_pass *pass,
                      int row)
{
    if (!network->options.has_moved) return;
    float *to =
        pass->memory.input.at + row * pass->memory.input.stride + network->feature_count - 1;
    *to = pass->moved[row];
    if (network->options.moved_is_activated)
        jbw_activation_forward(nn, network->options.activation, 1, 1, (jbw_rows){to, 1},
                               (jbw_rows){to, 1});
}

// activates rows of sums into a column of the features
static void activate_features(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass,
                              int first, int rows, float *sums, int column)
{
    const jbw_rows x = {sums, network->dense_size};
    jbw_activation_forward(nn, network->options.activation, rows, network->dense_size,
                           jbw_rows_from(x, first, 0),
                           jbw_rows_from(pass->memory.input, first, column));
}

// where a layer writes its sums: `sums`, or behind them what is to be normalised
static float *sums_of(const jbw_network *network, const jbw_network_pass *pass, jbw_layer layer,
                      int row, float *sums)
{
    const jbw_layer_norm *norm = &network->norms[layer];
    return norm->count > 0 ? pass->raw[layer] + (ptrdiff_t)row * norm->groups * norm->count : sums;
}

// fills `sums` from there, if they are not there already
static void normalise(const jbw_network *network, const jbw_network_pass *pass, jbw_layer layer,
                      int row, int rows, float *sums)
{
    if (network->norms[layer].count > 0)
        jbw_layer_norm_forward(&network->norms[layer], network->parameters.weights, rows,
                               sums_of(network, pass, layer, row, sums), sums);
}

static void see(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass, int first,
                int rows)
{
    const float *weights = network->parameters.weights;
    const jbw_activation kind = network->options.activation;
    const int conv1 = jbw_conv_out_count(&network->conv1);
    const int conv2 = jbw_conv_out_count(&network->conv2);
    const int side = jbw_vision_count(&network->options);
    const jbw_rows x = {pass->vision + (ptrdiff_t)first * side, side};
    float *sums1 = pass->conv1_sums + (ptrdiff_t)first * conv1;
    float *out1 = pass->conv1 + (ptrdiff_t)first * conv1;
    float *sums2 = pass->conv2_sums + (ptrdiff_t)first * conv2;
    float *out2 = pass->conv2 + (ptrdiff_t)first * conv2;
    float *sums3 = pass->vision_sums + (ptrdiff_t)first * network->dense_size;
    jbw_conv_forward(nn, &network->conv1, weights, rows, x,
                     sums_of(network, pass, JBW_LAYER_CONV1, first, sums1));
    normalise(network, pass, JBW_LAYER_CONV1, first, rows, sums1);
    jbw_activation_forward(nn, kind, rows, conv1, (jbw_rows){sums1, conv1},
                           (jbw_rows){out1, conv1});
    jbw_conv_forward(nn, &network->conv2, weights, rows, (jbw_rows){out1, conv1},
                     sums_of(network, pass, JBW_LAYER_CONV2, first, sums2));
    normalise(network, pass, JBW_LAYER_CONV2, first, rows, sums2);
    jbw_activation_forward(nn, kind, rows, conv2, (jbw_rows){sums2, conv2},
                           (jbw_rows){out2, conv2});
    float *raw3 = sums_of(network, pass, JBW_LAYER_VISION, first, sums3);
    jbw_dense_forward(nn, &network->vision, weights, rows, (jbw_rows){out2, conv2},
                      (jbw_rows){raw3, network->dense_size});
    normalise(network, pass, JBW_LAYER_VISION, first, rows, sums3);
    activate_features(nn, network, pass, first, rows, pass->vision_sums, 0);
}

static void smell(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass, int first,
                  int rows)
{
    const float *weights = network->parameters.weights;
    const int scents = network->options.scents;
    float *x = pass->scent + (ptrdiff_t)first * scents;
    float *sums1 = pass->scent1_sums + (ptrdiff_t)first * SCENT_HIDDEN;
    float *out1 = pass->scent1 + (ptrdiff_t)first * SCENT_HIDDEN;
    float *sums2 = pass->scent2_sums + (ptrdiff_t)first * network->dense_size;
    float *raw1 = sums_of(network, pass, JBW_LAYER_SCENT1, first, sums1);
    float *raw2 = sums_of(network, pass, JBW_LAYER_SCENT2, first, sums2);
    jbw_dense_forward(nn, &network->scent1, weights, rows, (jbw_rows){x, scents},
                      (jbw_rows){raw1, SCENT_HIDDEN});
    normalise(network, pass, JBW_LAYER_SCENT1, first, rows, sums1);
    jbw_activation_forward(nn, network->options.activation, rows, SCENT_HIDDEN,
                           (jbw_rows){sums1, SCENT_HIDDEN}, (jbw_rows){out1, SCENT_HIDDEN});
    jbw_dense_forward(nn, &network->scent2, weights, rows, (jbw_rows){out1, SCENT_HIDDEN},
                      (jbw_rows){raw2, network->dense_size});
    normalise(network, pass, JBW_LAYER_SCENT2, first, rows, sums2);
    activate_features(nn, network, pass, first, rows, pass->scent2_sums,
                      network->options.vision_side > 0 ? network->dense_size : 0);
}

// the heads' layer reads two places: the features, if at all, and the memory
typedef struct head_parts {
    int features;        // how many
    jbw_view by_feature; // weights
    jbw_view by_memory;
} head_parts;

static head_parts parts_of_heads(const jbw_network *network)
{
    const jbw_dense *heads = &network->heads;
    const float *weights = network->parameters.weights + heads->weights;
    const int features = heads->in - network->options.lstm_size;
    return (head_parts){
        .features = features,
        .by_feature = {weights, heads->out, 1},
        .by_memory = {weights + (ptrdiff_t)features * heads->out, heads->out, 1},
    };
}

static void set_sequences(const jbw_network *network, jbw_network_pass *pass, int rows, int length)
{
    pass->memory.rows = rows;
    pass->memory.length = length;
    pass->memory.lacks_hidden = network->options.heads_see_cell && length == 1;
}

void jbw_network_forward(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass,
                         int rows, int length)
{
    const jbw_network_options *o = &network->options;
    const float *weights = network->parameters.weights;
    if (o->vision_side > 0) see(nn, network, pass, 0, rows);
    if (o->scents > 0) smell(nn, network, pass, 0, rows);
    for (int i = 0; i < rows; i++) put_moved(nn, network, pass, i);
    set_sequences(network, pass, rows, length);
    if (o->lstm_size > 0) jbw_lstm_forward(nn, &network->lstm, weights, &pass->memory);

    const head_parts parts = parts_of_heads(network);
    const int outputs = network->heads.out;
    const jbw_addend bias = {weights + network->heads.bias, 0};
    jbw_nn_gemm(nn, rows, outputs, parts.features, jbw_rows_view(pass->memory.input),
                parts.by_feature, bias, pass->heads, outputs);
    const jbw_view memory = {memory_seen(network, pass), o->lstm_size, 1};
    jbw_nn_gemm(nn, rows, outputs, o->lstm_size, memory, parts.by_memory,
                (jbw_addend){pass->heads, outputs}, pass->heads, outputs);
}

// ---- backward ----

static void heads_backward(const jbw_nn *nn, jbw_network *network, jbw_network_pass *pass, int rows)
{
    const jbw_network_options *o = &network->options;
    const head_parts parts = parts_of_heads(network);
    const int outputs = network->heads.out;
    const int size = o->lstm_size;
    const jbw_rows dy = {pass->heads_back, outputs};
    float *gradients = network->parameters.gradients + network->heads.weights;
    jbw_bias_backward(nn, rows, outputs, dy, network->parameters.gradients + network->heads.bias);
    if (parts.features > 0)
        jbw_nn_gemm(nn, parts.features, outputs, rows, jbw_rows_transposed(pass->memory.input),
                    jbw_rows_view(dy), (jbw_addend){0}, gradients, outputs);
    const jbw_view memory = {memory_seen(network, pass), 1, size}; // transposed
    jbw_nn_gemm(nn, size, outputs, rows, memory, jbw_rows_view(dy), (jbw_addend){0},
                gradients + (ptrdiff_t)parts.features * outputs, outputs);

    // what the loss says of the memory: of its cell, or of its output; of the other, nothing
    float *said = o->heads_see_cell ? pass->cell_back : pass->hidden_back;
    float *unsaid = o->heads_see_cell ? pass->hidden_back : pass->cell_back;
    const jbw_view transposed = {parts.by_memory.at, 1, outputs};
    jbw_nn_gemm(nn, rows, size, outputs, jbw_rows_view(dy), transposed, (jbw_addend){0}, said,
                size);
    if (!pass->memory.lacks_hidden) // then nobody asks
        memset(unsaid, 0, (size_t)rows * (size_t)size * sizeof(float));
}

// gradients of sums become those of what was normalised, in place
static void normalise_back(jbw_network *network, const jbw_network_pass *pass, jbw_layer layer,
                           int rows, jbw_rows back)
{
    if (network->norms[layer].count > 0)
        jbw_layer_norm_backward(&network->norms[layer], &network->parameters, rows,
                                pass->raw[layer], back);
}

// gradients of a sense's features, through their activation, in place
static jbw_rows feature_gradients(const jbw_nn *nn, const jbw_network *network,
                                  jbw_network_pass *pass, int rows, float *sums, int column)
{
    const jbw_rows all = {pass->features_back, network->feature_count};
    const jbw_rows part = jbw_rows_from(all, 0, column);
    const jbw_rows x = {sums, network->dense_size};
    jbw_activation_backward(nn, network->options.activation, rows, network->dense_size, x, part);
    return part;
}

static void see_backward(const jbw_nn *nn, jbw_network *network, jbw_network_pass *pass, int rows)
{
    const jbw_activation kind = network->options.activation;
    const int conv1 = jbw_conv_out_count(&network->conv1);
    const int conv2 = jbw_conv_out_count(&network->conv2);
    const int side = jbw_vision_count(&network->options);
    const jbw_rows dy = feature_gradients(nn, network, pass, rows, pass->vision_sums, 0);
    normalise_back(network, pass, JBW_LAYER_VISION, rows, dy);
    jbw_dense_backward(nn, &network->vision, &network->parameters, rows,
                       (jbw_rows){pass->conv2, conv2}, dy, (jbw_rows){pass->conv2_back, conv2});
    jbw_activation_backward(nn, kind, rows, conv2, (jbw_rows){pass->conv2_sums, conv2},
                            (jbw_rows){pass->conv2_back, conv2});
    normalise_back(network, pass, JBW_LAYER_CONV2, rows, (jbw_rows){pass->conv2_back, conv2});
    jbw_conv_backward(nn, &network->conv2, &network->parameters, rows,
                      (jbw_rows){pass->conv1, conv1}, pass->conv2_back,
                      (jbw_rows){pass->conv1_back, conv1});
    jbw_activation_backward(nn, kind, rows, conv1, (jbw_rows){pass->conv1_sums, conv1},
                            (jbw_rows){pass->conv1_back, conv1});
    normalise_back(network, pass, JBW_LAYER_CONV1, rows, (jbw_rows){pass->conv1_back, conv1});
    jbw_conv_backward(nn, &network->conv1, &network->parameters, rows,
                      (jbw_rows){pass->vision, side}, pass->conv1_back, (jbw_rows){0});
}

static void smell_backward(const jbw_nn *nn, jbw_network *network, jbw_network_pass *pass, int rows)
{
    const jbw_activation kind = network->options.activation;
    const int column = network->options.vision_side > 0 ? network->dense_size : 0;
    const jbw_rows dy = feature_gradients(nn, network, pass, rows, pass->scent2_sums, column);
    normalise_back(network, pass, JBW_LAYER_SCENT2, rows, dy);
    jbw_dense_backward(nn, &network->scent2, &network->parameters, rows,
                       (jbw_rows){pass->scent1, SCENT_HIDDEN}, dy,
                       (jbw_rows){pass->scent1_back, SCENT_HIDDEN});
    jbw_activation_backward(nn, kind, rows, SCENT_HIDDEN,
                            (jbw_rows){pass->scent1_sums, SCENT_HIDDEN},
                            (jbw_rows){pass->scent1_back, SCENT_HIDDEN});
    normalise_back(network, pass, JBW_LAYER_SCENT1, rows,
                   (jbw_rows){pass->scent1_back, SCENT_HIDDEN});
    jbw_dense_backward(nn, &network->scent1, &network->parameters, rows,
                       (jbw_rows){pass->scent, network->options.scents},
                       (jbw_rows){pass->scent1_back, SCENT_HIDDEN}, (jbw_rows){0});
}

void jbw_network_backward(const jbw_nn *nn, jbw_network *network, jbw_network_pass *pass, int rows,
                          int length)
{
    set_sequences(network, pass, rows, length);
    heads_backward(nn, network, pass, rows);
    const jbw_rows features = {pass->features_back, network->feature_count};
    const bool has_memory = network->options.lstm_size > 0;
    if (has_memory)
        jbw_lstm_backward(nn, &network->lstm, &network->parameters, &pass->memory,
                          pass->hidden_back, pass->cell_back, pass->gates_back, features);
    const head_parts parts = parts_of_heads(network);
    if (parts.features > 0) {
        const jbw_view transposed = {parts.by_feature.at, 1, network->heads.out};
        const jbw_view dy = {pass->heads_back, network->heads.out, 1};
        const jbw_addend by_memory = {has_memory ? features.at : NULL, features.stride};
        jbw_nn_gemm(nn, rows, parts.features, network->heads.out, dy, transposed, by_memory,
                    features.at, features.stride);
    }
    if (network->options.vision_side > 0) see_backward(nn, network, pass, rows);
    if (network->options.scents > 0) smell_backward(nn, network, pass, rows);
}

// ---- one row ----

static void perceive(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass, int row,
                     jbw_repeat same)
{
    const jbw_network_options *o = &network->options;
    if (o->vision_side > 0) {
        if (same.sameness >= JBW_SAME_VISION)
            jbw_network_see_again(network, pass, same.row, row);
        else
            see(nn, network, pass, row, 1);
    }
    if (o->scents > 0) {
        if (same.sameness >= JBW_SAME_PERCEPTION)
            jbw_network_smell_again(network, pass, same.row, row);
        else
            smell(nn, network, pass, row, 1);
    }
    put_moved(nn, network, pass, row);
}

// One chain of sums for each gate: bias, vision, other features, state. It goes on from where an earlier row
// was when they parted.
static void remember(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass, int row,
                     jbw_sameness same)
{
    const jbw_lstm *lstm = &network->lstm;
    const jbw_lstm_pass *memory = &pass->memory;
    const float *weights = network->parameters.weights;
    const int seen = network->options.vision_side > 0 ? network->dense_size : 0;
    if (same < JBW_SAME_VISION) {
        jbw_lstm_row_begin(lstm, weights, memory, row);
        jbw_lstm_row_add(nn, lstm, weights, memory, row, 0, seen);
        jbw_network_keep_sums(network, pass, row, pass->sums_by_vision);
    }
    if (same < JBW_SAME_PERCEPTION) {
        jbw_lstm_row_add(nn, lstm, weights, memory, row, seen, lstm->in - seen);
        jbw_network_keep_sums(network, pass, row, pass->sums_by_features);
    }
    jbw_lstm_row_add(nn, lstm, weights, memory, row, lstm->in, lstm->size);
    jbw_lstm_row_end(nn, lstm, memory, row);
}

void jbw_network_forward_one(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass,
                             int row)
{
    const jbw_network_options *o = &network->options;
    const float *weights = network->parameters.weights;
    const jbw_repeat same = jbw_network_find_repeat(network, pass, row);
    perceive(nn, network, pass, row, same);
    if (o->lstm_size > 0) {
        jbw_network_remember_again(network, pass, same, row);
        if (same.sameness < JBW_SAME_ALL) remember(nn, network, pass, row, same.sameness);
    }

    const int outputs = network->heads.out;
    const head_parts parts = parts_of_heads(network);
    float *heads = pass->heads + (ptrdiff_t)row * outputs;
    memcpy(heads, weights + network->heads.bias, (size_t)outputs * sizeof(float));
    jbw_nn_gemv(nn, parts.features, outputs,
                pass->memory.input.at + row * pass->memory.input.stride, parts.by_feature.at,
                heads);
    jbw_nn_gemv(nn, o->lstm_size, outputs,
                memory_seen(network, pass) + (ptrdiff_t)row * o->lstm_size, parts.by_memory.at,
                heads);
}
