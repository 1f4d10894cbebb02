// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Proximal Policy Optimization in a single continuing life, without episodes: live for some steps, learn
/// from them, continue.
///
///     observe -> act -> reward     `rows` times; each row of the pass is a step
///     learn                        `iterations` times over all rows: forward, loss, backward, step
///
/// The loss of a row, with r = p(action) / p_before(action) and advantage A:
///
///     - min(r A, clip(r, 1 - e, 1 + e) A)
///     + value_weight max((v - target)^2, (clipped v - target)^2)
///     - entropy_weight entropy + divergence_weight KL
///     + 1000 max(mean KL - divergence_cutoff, 0)^2, once
///
/// The first iteration needs no forward pass: it was done while living, with the same bits.
#ifndef JBW_AGENTS_LEARN_PPO_H
#define JBW_AGENTS_LEARN_PPO_H

#include "agents/learn/network.h"
#include "nn/optimizer.h"

typedef struct jbw_ppo_options {
    jbw_network_options network;
    int rows;       // steps between two updates
    int iterations; // over all of them, in each update
    int length;     // of the sequences that gradients flow through; divides `rows`
    double learning_rate;
    double gradient_norm; // the largest; 0: any
    bool is_amsgrad;
    double gamma;
    double lambda;
    double clip;
    double value_clip; // 0: none
    double value_weight;
    double entropy_weight;
    double divergence_weight;
    double divergence_cutoff; // 0: none
    bool has_normal_advantages;
} jbw_ppo_options;

/// What an update was like; means over all its iterations.
typedef struct jbw_ppo_report {
    double policy_loss;
    double value_loss;
    double entropy;
    double divergence;
    double gradient_norm;
} jbw_ppo_report;

typedef struct jbw_ppo {
    jbw_ppo_options options;
    jbw_allocator allocator;
    jbw_nn nn;
    jbw_network network;
    jbw_network_packed packed;
    jbw_network_pass pass; // one row more than steps: what comes after the last
    jbw_optimizer optimizer;
    jbw_rng rng;
    int count; // rows that were lived since the latest update
    uint64_t update_count;
    jbw_ppo_report report; // of the latest update

    // (rows) each
    int *actions;
    double *rewards;
    double *values;
    double *advantages;
    double *targets;
    double *probabilities; // (rows x actions)
    double *logarithms;    // of those
} jbw_ppo;

/// The settings of the paper's authors, and faster ones.
jbw_ppo_options jbw_ppo_authors(const jbw_network_options *senses);
jbw_ppo_options jbw_ppo_fast(const jbw_network_options *senses);

/// False when memory runs out; deinitialize even then.
bool jbw_ppo_init(jbw_ppo *ppo, const jbw_ppo_options *options, const jbw_nn_path *path,
                  uint64_t seed, const jbw_allocator *allocator);
void jbw_ppo_deinit(jbw_ppo *ppo);

/// Where the next observation is to be written; NULL for a sense that the network lacks.
float *jbw_ppo_vision(jbw_ppo *ppo);
float *jbw_ppo_scent(jbw_ppo *ppo);

/// Chooses an action for the observation that was just written; `moved` is part of it. Learns first, if
/// enough steps were lived.
int jbw_ppo_act(jbw_ppo *ppo, bool moved);

/// Tells what the action was rewarded with.
void jbw_ppo_reward(jbw_ppo *ppo, double reward);

// ---- the parts of learning, one by one ----

/// Advantages and targets of all rows, after the observation that follows the last row has been written.
void jbw_ppo_estimate(jbw_ppo *ppo);

/// The loss of all rows as they stand in the pass. Fills the gradients of the heads.
double jbw_ppo_loss(jbw_ppo *ppo, jbw_ppo_report *report);

/// The gradients of all parameters: forward, unless that was done while living, loss and backward.
double jbw_ppo_differentiate(jbw_ppo *ppo, bool is_first, jbw_ppo_report *report);

#endif
