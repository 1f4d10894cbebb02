// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The paper's network.
///
///     vision -- conv 3x3, stride 2, 16 -- conv 2x2, 16 -- dense 512 --+
///     scent ------------ dense 32 ---------------------- dense 512 ---+-- features -- LSTM --+-- logits
///     moved (1 or -1) ------------------------------------------------+       |              |   value
///                                                                             +--------------+
///
/// Each sense is optional. Options choose whether the heads also see the features, and which LSTM state
/// they see. Rows are steps in the order of time: one row at a time while the agent lives, all rows at
/// once when it learns, with the same bits.
#ifndef JBW_AGENTS_LEARN_NETWORK_H
#define JBW_AGENTS_LEARN_NETWORK_H

#include "agents/learn/repeats.h"
#include "nn/activation.h"
#include "nn/conv.h"
#include "nn/dense.h"
#include "nn/layer_norm.h"
#include "nn/lstm.h"

#include "jbw/policy.h"

/// What a network perceives.
typedef enum jbw_senses { JBW_SENSES_BOTH, JBW_SENSES_VISION, JBW_SENSES_SCENT } jbw_senses;

typedef struct jbw_network_options {
    int vision_side; // of the visual field, at least 5; 0: the network does not see
    int colors;
    int scents; // 0: the network does not smell
    int actions;
    int dense_size; // of the last layer of each sense, a multiple of 16; 0: 512
    int lstm_size;  // a multiple of 16; 0: no memory, the heads see the features
    jbw_activation activation;
    bool has_moved;          // `moved` is a feature
    bool moved_is_activated; // it goes through the activation, as the others do
    bool heads_see_features;
    bool heads_see_cell;     // the LSTM's cell instead of its output
    bool gates_share_glorot; // one Glorot matrix for all gates, not one for each
    bool lacks_value;        // the heads are one number for each action, and nothing else
    bool has_layer_norm;     // before each activation
} jbw_network_options;

/// Numbers in what a row sees.
static inline int jbw_vision_count(const jbw_network_options *options)
{
    return options->vision_side * options->vision_side * options->colors;
}

/// The layers that end in an activation.
typedef enum jbw_layer {
    JBW_LAYER_CONV1,
    JBW_LAYER_CONV2,
    JBW_LAYER_VISION,
    JBW_LAYER_SCENT1,
    JBW_LAYER_SCENT2,
    JBW_LAYER_COUNT,
} jbw_layer;

typedef struct jbw_network {
    jbw_network_options options;
    jbw_parameters parameters;
    jbw_conv conv1, conv2;
    jbw_dense vision;
    jbw_dense scent1, scent2;
    jbw_lstm lstm;
    jbw_dense heads;                       // logits, then the value if there is one
    int dense_size;                        // of the last layer of each sense
    int feature_count;                     // vision, scent, moved
    jbw_layer_norm norms[JBW_LAYER_COUNT]; // if there are any
} jbw_network;

/// What the network computes for some rows; (rows) of each.
typedef struct jbw_network_pass {
    int rows;      // there is room for
    float *vision; // (side x side x colors), as the agent sees it
    float *scent;  // (scents)
    float *moved;  // 1 or -1
    // sums before each activation, or what it leaves of them (activation.h), and what it makes of them
    float *conv1_sums, *conv1;
    float *conv2_sums, *conv2;
    float *vision_sums;
    float *scent1_sums, *scent1;
    float *scent2_sums;
    float *raw[JBW_LAYER_COUNT]; // sums before layer normalisation, if there is any
    jbw_lstm_pass memory;        // its input is features, then the hidden state before
    float *heads;                // (network's heads.out)

    // rows that may be found again, and what their gates' sums were on the way (4 lstm_size each)
    jbw_repeats repeats;
    float *sums_by_vision;   // after bias and vision
    float *sums_by_features; // and after all features
    size_t kept_float_count; // of both

    // gradients on the way back
    float *heads_back; // to be filled before `jbw_network_backward`
    float *hidden_back, *cell_back, *gates_back, *features_back;
    float *conv1_back, *conv2_back, *scent1_back;

    float *memory_block; // all of the above
    size_t float_count;
} jbw_network_pass;

/// Plans the layers and allocates their parameters. False when memory runs out; deinitialize even then.
bool jbw_network_init(jbw_network *network, const jbw_network_options *options,
                      const jbw_allocator *allocator);
void jbw_network_deinit(jbw_network *network, const jbw_allocator *allocator);

/// Draws the first weights.
void jbw_network_begin(jbw_network *network, jbw_rng *rng);

/// The weights with this index, as of the public API; false after the last ones.
bool jbw_network_get_weights(const jbw_network *network, size_t index, jbw_policy_weights *out);

/// Multiplications that a row takes in products, forward or backward, in sequences of this length.
double jbw_network_products(const jbw_network *network, bool is_backward, int length);

/// Units of a layer that ends in an activation, and the weights around them. Unit u of place p has the
/// activation p units + u of a row; a picture has many places, others have one.
typedef struct jbw_units {
    jbw_layer layer;
    int units;
    int places;
    jbw_rows activations;
    int in; // weights into a unit, at in_weights + i units + u
    size_t in_weights;
    size_t bias;
    double glorot_limit; // of those weights, when they were drawn
    // weights out of a unit, to one or two other layers: at first + (place units + u) count + k
    struct {
        size_t first;
        int places, count;
    } out[2];
    int out_count;
} jbw_units;

/// The units of all layers that this network has. Returns how many layers those are.
int jbw_network_units(const jbw_network *network, const jbw_network_pass *pass,
                      jbw_units out[JBW_LAYER_COUNT]);

/// The mean size of a unit's activations in these rows, over all places.
double jbw_units_activity(const jbw_units *layer, int rows, int unit);

/// Floats that `jbw_nn` needs for convolutions.
size_t jbw_network_columns(const jbw_network *network);

/// Makes room for some rows, whose gradients are wanted or not.
bool jbw_network_pass_init(jbw_network_pass *pass, const jbw_network *network, int rows,
                           bool has_gradients, const jbw_allocator *allocator);
void jbw_network_pass_deinit(jbw_network_pass *pass, const jbw_allocator *allocator);

/// Makes room for rows that may be found again, see repeats.h, in a pass that has been initialized. False
/// when memory runs out.
bool jbw_network_pass_keep_rows(jbw_network_pass *pass, const jbw_network *network,
                                const jbw_allocator *allocator);

/// Must be called when weights have changed, or before rows are computed another time.
void jbw_network_pass_forget(jbw_network_pass *pass);

/// Computes rows [0, rows), in sequences of `length` rows; `vision`, `scent`, `moved` and the states
/// before each sequence are there.
void jbw_network_forward(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass,
                         int rows, int length);

/// Sets the gradients of the parameters, given `heads_back` of these rows.
void jbw_network_backward(const jbw_nn *nn, jbw_network *network, jbw_network_pass *pass, int rows,
                          int length);

/// Computes one row, or copies what it shares with an earlier one; the state before it is there.
void jbw_network_forward_one(const jbw_nn *nn, const jbw_network *network, jbw_network_pass *pass,
                             int row);

/// Copies the LSTM state after row `from` to the state before row `to`.
void jbw_network_pass_on(const jbw_network *network, jbw_network_pass *pass, int from, int to);

#endif
