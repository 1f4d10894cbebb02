// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Deep Q-learning in a single continuing life: the network says what each action is worth, and learns from
/// steps drawn at random from its memory of the latest ones.
///
///     observe -> act -> reward     into the replay; now and then an action at random
///     learn                        every few steps, from a batch: forward, loss, backward, step
///
/// The loss of a step s with action a is Huber's of Q(s, a) - target, and
///
///     target = r(s) + gamma r(s + 1) + ... + gamma^n Q'(s + n, b)
///
/// where Q' is the target network, a copy of the network that is renewed from time to time, and b the best
/// action by Q', or by Q (double Q-learning).
///
/// Without LSTM a batch is single steps, and those n steps later. With LSTM it is sequences of `length`
/// steps, each followed by n more for their targets. A sequence begins with the state that was remembered
/// for its first step, which counts as a constant, in both networks.
///
///     rows of `now`     | s_1 | s_2 | ...            | s_1  s_1 + 1  ...  s_1 + length + n - 1 | s_2 ...
///     rows of `next`    | s_1 + n | s_2 + n | ...    the same
#ifndef JBW_AGENTS_LEARN_DQN_H
#define JBW_AGENTS_LEARN_DQN_H

#include "agents/learn/network.h"
#include "agents/learn/remedies.h"
#include "agents/learn/replay.h"
#include "nn/optimizer.h"

/// The table in dqn_settings.c says what each of them means.
typedef struct jbw_dqn_options {
    jbw_senses senses;
    jbw_network_options network; // which lacks a value
    bool is_learning;
    int threads; // that the policy computes on, see jbw_nn_set_threads
    int replay_steps;
    int replay_megabytes;
    int warm_up;     // steps before the first update
    int interval;    // of updates, in steps
    int batch;       // steps, or sequences, of an update
    int length;      // of sequences; 1 without LSTM
    int ahead;       // n: rewards that a target sums up
    int target_life; // updates between two renewals of the target network
    bool is_double;
    double largest_error; // of squared loss; beyond, it is linear
    double gamma;
    double exploration; // probability of an action at random: at first,
    double exploration_floor;
    int exploration_steps; // after so many steps, and for ever
    double learning_rate;
    double mean_decay;
    double square_decay;
    double epsilon;
    double gradient_norm; // the largest; 0: any
    bool is_amsgrad;
    jbw_remedy_options remedies;
} jbw_dqn_options;

/// What the latest update was like.
typedef struct jbw_dqn_report {
    double loss;
    double value;  // mean of Q(s, a)
    double target; // mean of targets
    double gradient_norm;
} jbw_dqn_report;

typedef struct jbw_dqn {
    jbw_dqn_options options;
    jbw_allocator allocator;
    jbw_nn nn;
    jbw_network network;
    jbw_network target;         // the same layers with other weights, and nothing to learn them
    jbw_network_pass live;      // one row
    jbw_network_pass now, next; // batches
    jbw_optimizer optimizer;
    jbw_remedies remedies;
    jbw_replay replay;
    jbw_rng explorer; // draws actions
    jbw_rng sampler;  // draws batches
    bool has_acted;   // and waits for a reward
    uint64_t update_count;
    jbw_dqn_report report;

    float *state;     // hidden state and cell, for the replay
    uint64_t *starts; // (batch) first steps
    int *actions;     // (rows of a batch) what was done in each step
    int *best;        // what would be best n steps later
    double *returns;  // r(s) + gamma r(s + 1) + ..., n of them
} jbw_dqn;

/// The defaults, for a network with these senses and actions.
jbw_dqn_options jbw_dqn_default_options(const jbw_network_options *senses);

/// False when memory runs out; deinitialize even then.
bool jbw_dqn_init(jbw_dqn *dqn, const jbw_dqn_options *options, const jbw_nn_path *path,
                  uint64_t seed, const jbw_allocator *allocator);
void jbw_dqn_deinit(jbw_dqn *dqn);

/// How its replay is made.
jbw_replay_options jbw_dqn_replay_options(const jbw_dqn_options *options);

/// Where the next observation is to be written; NULL for a sense that the network lacks.
float *jbw_dqn_vision(jbw_dqn *dqn);
float *jbw_dqn_scent(jbw_dqn *dqn);

/// Chooses an action for the observation that was just written; `moved` is part of it. Learns first, if it
/// is time to. If the latest action was not rewarded, its reward was zero.
int jbw_dqn_act(jbw_dqn *dqn, bool moved);

/// Tells what the action was rewarded with. Ignored if there was none since the latest reward.
void jbw_dqn_reward(jbw_dqn *dqn, double reward);

/// The probability of an action at random in the next step.
double jbw_dqn_exploration(const jbw_dqn *dqn);

// ---- the parts of learning, one by one ----

/// Draws a batch and recalls it. False if the replay does not hold enough yet.
bool jbw_dqn_sample(jbw_dqn *dqn);

/// The gradients of all parameters for this batch. Returns the loss.
double jbw_dqn_differentiate(jbw_dqn *dqn);

/// Copies the network to the target network.
void jbw_dqn_renew_target(jbw_dqn *dqn);

#endif
