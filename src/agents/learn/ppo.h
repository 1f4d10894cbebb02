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
///     + value_weight max((v - target)^2, (clipped v - target)^2), or half of that
///     - entropy_weight entropy + divergence_weight KL
///     + cutoff_weight max(mean KL - cutoff, 0)^2, once
///
/// A mind may live in several worlds at once, step by step in all of them; rows are then steps of one
/// world after the other:
///
///     row    0 ... T - 1 | T ... 2 T - 1 | ... | rows ... rows + worlds - 1
///            world 0       world 1             what comes after the last step of each
///
/// The first iteration needs no forward pass: it was done while living, with the same bits.
#ifndef JBW_AGENTS_LEARN_PPO_H
#define JBW_AGENTS_LEARN_PPO_H

#include "agents/learn/network.h"
#include "agents/learn/remedies.h"
#include "nn/optimizer.h"

typedef enum jbw_ppo_preset { JBW_PPO_AUTHORS, JBW_PPO_FAST, JBW_PPO_TINY } jbw_ppo_preset;

/// The table in ppo_settings.c says what each of them means.
typedef struct jbw_ppo_options {
    jbw_ppo_preset preset; // where the others come from
    jbw_senses senses;
    jbw_network_options network;
    bool is_learning;
    int threads;    // that the policy computes on, see jbw_nn_set_threads
    int worlds;     // that it lives in at once; divides `rows`
    int rows;       // steps between two updates, of all worlds together
    int iterations; // over all of them, in each update
    int length;     // of the sequences that gradients flow through; divides the rows of a world
    double learning_rate;
    double mean_decay;
    double square_decay;
    double epsilon;
    double gradient_norm; // the largest; 0: any
    bool is_amsgrad;
    double gamma;
    double lambda;
    bool has_normal_advantages;
    double clip;
    double value_clip; // 0: none
    double value_weight;
    bool halves_value_loss;
    double entropy_weight;
    double divergence_weight; // at the beginning, if it adapts
    double divergence_target;
    double divergence_cutoff;        // times the target; 0: none
    double divergence_cutoff_weight; // of what is beyond the cutoff, squared
    bool divergence_adapts;
    jbw_remedy_options remedies;
} jbw_ppo_options;

/// What an update was like; means over all its iterations.
typedef struct jbw_ppo_report {
    double policy_loss;
    double value_loss;
    double entropy;
    double divergence; // KL(before || now), before each step of the optimizer
    double gradient_norm;
} jbw_ppo_report;

typedef struct jbw_ppo {
    jbw_ppo_options options;
    jbw_allocator allocator;
    jbw_nn nn;
    jbw_network network;
    jbw_network_pass pass; // (rows + worlds)
    jbw_optimizer optimizer;
    jbw_remedies remedies;
    jbw_rng rng;
    double divergence_weight; // the current one
    int count;                // steps in each world since the latest update
    bool has_acted;           // and waits for the rewards of another one
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

/// The settings of the paper's authors, faster ones, or those of a tiny network, for a network with these senses and actions.
jbw_ppo_options jbw_ppo_preset_options(jbw_ppo_preset preset, const jbw_network_options *senses);

/// False when memory runs out; deinitialize even then.
bool jbw_ppo_init(jbw_ppo *ppo, const jbw_ppo_options *options, const jbw_nn_path *path,
                  uint64_t seed, const jbw_allocator *allocator);
void jbw_ppo_deinit(jbw_ppo *ppo);

/// Where the next observation in a world is to be written; NULL for a sense that the network lacks.
float *jbw_ppo_vision(jbw_ppo *ppo, int world);
float *jbw_ppo_scent(jbw_ppo *ppo, int world);

/// Chooses actions for the observations that were just written, one for each world; `moved`, of each
/// world, is part of them. Learns first, if enough steps were lived.
void jbw_ppo_act(jbw_ppo *ppo, const bool *moved, int *actions);

/// Tells what the actions were rewarded with. Ignored if there were none since the latest rewards.
void jbw_ppo_reward(jbw_ppo *ppo, const double *rewards);

/// Computes the first `count` steps of each world again, from what was perceived and the states before
/// them: for a learner that was loaded. The bits are those of the first time.
void jbw_ppo_recall(jbw_ppo *ppo, int count);

// ---- the parts of learning, one by one ----

/// Advantages and targets of all rows, after the observations that follow the last steps were written.
void jbw_ppo_estimate(jbw_ppo *ppo);

/// The loss of all rows as they stand in the pass. Fills the gradients of the heads.
double jbw_ppo_loss(jbw_ppo *ppo, jbw_ppo_report *report);

/// The gradients of all parameters: forward, unless that was done while living, loss and backward.
double jbw_ppo_differentiate(jbw_ppo *ppo, bool is_first, jbw_ppo_report *report);

#endif
