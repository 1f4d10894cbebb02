// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The slow twin of the learner: the loss of PPO and its gradient for the paper's network, in double
/// precision, one row and one number after the other. A reference for tests and benchmarks that shares no
/// code with the library.
///
///     vision -- conv 3x3, stride 2, 16 -- conv 2x2, 16 -- dense 512 --+
///     scent --------------- dense 32 ------------------- dense 512 ---+-- LSTM -- logits, value
///     moved ----------------------------------------------------------+
#ifndef JBW_BENCH_TWIN_LEARNER_H
#define JBW_BENCH_TWIN_LEARNER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct twin_network {
    int side; // of the visual field; 0: sees nothing
    int colors;
    int scents; // 0: smells nothing
    int actions;
    int lstm;
    bool is_gelu; // or ReLU
    bool has_moved;
    bool moved_is_activated;
    bool heads_see_features;
    bool heads_see_cell;
} twin_network;

typedef struct twin_loss {
    double clip;
    double value_clip;   // 0: none
    double value_weight; // the square's factor is this, or half of it
    bool halves_value_loss;
    double entropy_weight;
    double kl_weight;
    double kl_cutoff; // 0: none
    double kl_cutoff_weight;
} twin_loss;

/// What was lived, one row per step.
typedef struct twin_rows {
    int count;
    int length;                  // of sequences; divides `count`
    const float *vision;         // (count x side x side x colors)
    const float *scent;          // (count x scents)
    const float *moved;          // (count)
    const int *actions;          // (count)
    const double *advantages;    // (count)
    const double *targets;       // (count)
    const double *values;        // (count), before the update
    const double *probabilities; // (count x actions), before the update
    const double *logarithms;    // of those
    const double *hidden;        // (sequences x lstm), before each sequence
    const double *cell;
} twin_rows;

/// The number of weights. They stand in the order conv1, conv2, vision, scent1, scent2, LSTM, heads, each
/// followed by its biases; inputs come first, outputs vary fastest.
size_t twin_weight_count(const twin_network *network);

/// The loss; `gradients` (may be NULL) receives its gradient. NaN if memory runs out.
double twin_differentiate(const twin_network *network, const twin_loss *loss, const twin_rows *rows,
                          const double *weights, double *gradients);

#endif
