// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/network_repeats.h"

#include <string.h>

#include "base/hash.h"

// ---- rows of arrays, (count) each; an array may be missing ----

static size_t bytes_of(int count)
{
    return (size_t)count * sizeof(float);
}

static float *row_at(float *array, int row, int count)
{
    return array + (ptrdiff_t)row * count;
}

static void copy_row(float *array, int from, int to, int count)
{
    memcpy(row_at(array, to, count), row_at(array, from, count), bytes_of(count));
}

static bool is_same(float *array, int a, int b, int count)
{
    return !array || memcmp(row_at(array, a, count), row_at(array, b, count), bytes_of(count)) == 0;
}

static void hash_row(jbw_hasher *hasher, float *array, int row, int count)
{
    if (array) jbw_hash_bytes(hasher, row_at(array, row, count), bytes_of(count));
}

// ---- what a row begins with ----

// the hidden state before a row
static const float *hidden_before(const jbw_network *network, const jbw_network_pass *pass, int row)
{
    return jbw_rows_from(pass->memory.input, row, network->feature_count).at;
}

static jbw_row_key key_of(const jbw_network *network, const jbw_network_pass *pass, int row)
{
    const jbw_network_options *o = &network->options;
    jbw_row_key key;
    jbw_hasher hasher = jbw_hash_begin(0);
    hash_row(&hasher, pass->vision, row, jbw_vision_count(&network->options));
    key.vision = hasher.value;
    hash_row(&hasher, pass->scent, row, o->scents);
    hash_row(&hasher, pass->moved, row, 1);
    key.perception = hasher.value;
    jbw_hash_bytes(&hasher, hidden_before(network, pass, row), bytes_of(o->lstm_size));
    hash_row(&hasher, pass->memory.cell_before, row, o->lstm_size);
    key.all = hasher.value;
    return key;
}

// whether two rows share what their hashes say they do
static bool is_repeat(const jbw_network *network, const jbw_network_pass *pass, jbw_repeat same,
                      int row)
{
    const jbw_network_options *o = &network->options;
    const int other = same.row;
    if (!is_same(pass->vision, other, row, jbw_vision_count(&network->options))) return false;
    if (same.sameness == JBW_SAME_VISION) return true;
    if (!is_same(pass->scent, other, row, o->scents)) return false;
    if (!is_same(pass->moved, other, row, 1)) return false;
    if (same.sameness == JBW_SAME_PERCEPTION) return true;
    return is_same(pass->memory.cell_before, other, row, o->lstm_size) &&
           memcmp(hidden_before(network, pass, other), hidden_before(network, pass, row),
                  bytes_of(o->lstm_size)) == 0;
}

jbw_repeat jbw_network_find_repeat(const jbw_network *network, jbw_network_pass *pass, int row)
{
    jbw_repeat same = {.sameness = JBW_SAME_NOTHING};
    if (pass->repeats.capacity == 0) return same;
    const jbw_row_key key = key_of(network, pass, row);
    same = jbw_repeats_find(&pass->repeats, &key);
    if (same.sameness > JBW_SAME_NOTHING && !is_repeat(network, pass, same, row))
        same.sameness = JBW_SAME_NOTHING;
    jbw_repeats_add(&pass->repeats, &key, row);
    return same;
}

// ---- what follows from it ----

static void copy_raw(const jbw_network *network, const jbw_network_pass *pass, jbw_layer layer,
                     int from, int to)
{
    const jbw_layer_norm *norm = &network->norms[layer];
    if (norm->count > 0) copy_row(pass->raw[layer], from, to, norm->groups * norm->count);
}

static void copy_features(const jbw_network *network, const jbw_network_pass *pass, int from,
                          int to, int column)
{
    const jbw_rows input = pass->memory.input;
    memcpy(jbw_rows_from(input, to, column).at, jbw_rows_from(input, from, column).at,
           bytes_of(network->dense_size));
}

void jbw_network_see_again(const jbw_network *network, const jbw_network_pass *pass, int from,
                           int to)
{
    const int conv1 = jbw_conv_out_count(&network->conv1);
    const int conv2 = jbw_conv_out_count(&network->conv2);
    copy_raw(network, pass, JBW_LAYER_CONV1, from, to);
    copy_row(pass->conv1_sums, from, to, conv1);
    copy_row(pass->conv1, from, to, conv1);
    copy_raw(network, pass, JBW_LAYER_CONV2, from, to);
    copy_row(pass->conv2_sums, from, to, conv2);
    copy_row(pass->conv2, from, to, conv2);
    copy_raw(network, pass, JBW_LAYER_VISION, from, to);
    copy_row(pass->vision_sums, from, to, network->dense_size);
    copy_features(network, pass, from, to, 0);
}

void jbw_network_smell_again(const jbw_network *network, const jbw_network_pass *pass, int from,
                             int to)
{
    copy_raw(network, pass, JBW_LAYER_SCENT1, from, to);
    copy_row(pass->scent1_sums, from, to, network->scent1.out);
    copy_row(pass->scent1, from, to, network->scent1.out);
    copy_raw(network, pass, JBW_LAYER_SCENT2, from, to);
    copy_row(pass->scent2_sums, from, to, network->dense_size);
    copy_features(network, pass, from, to, pass->vision ? network->dense_size : 0);
}

void jbw_network_remember_again(const jbw_network *network, const jbw_network_pass *pass,
                                jbw_repeat same, int row)
{
    const jbw_lstm_pass *memory = &pass->memory;
    const int size = network->options.lstm_size;
    const int gates = 4 * size;
    float *sums = row_at(memory->gates, row, gates);
    if (same.sameness >= JBW_SAME_VISION) {
        copy_row(pass->sums_by_vision, same.row, row, gates);
        memcpy(sums, row_at(pass->sums_by_vision, row, gates), bytes_of(gates));
    }
    if (same.sameness >= JBW_SAME_PERCEPTION) {
        copy_row(pass->sums_by_features, same.row, row, gates);
        memcpy(sums, row_at(pass->sums_by_features, row, gates), bytes_of(gates));
    }
    if (same.sameness < JBW_SAME_ALL) return;
    copy_row(memory->gates, same.row, row, gates);
    copy_row(memory->cell, same.row, row, size);
    copy_row(memory->cell_tanh, same.row, row, size);
    copy_row(memory->hidden, same.row, row, size);
}

void jbw_network_keep_sums(const jbw_network *network, const jbw_network_pass *pass, int row,
                           float *kept)
{
    const int gates = 4 * network->options.lstm_size;
    if (kept)
        memcpy(row_at(kept, row, gates), row_at(pass->memory.gates, row, gates), bytes_of(gates));
}
