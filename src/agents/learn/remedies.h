// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a learner may do against the loss of plasticity, besides layer normalisation, which is part of the
/// network; and how plastic it is. By default none of it, and then none of it takes time or memory.
///
///     differentiate -> before_step -> step of the optimizer -> after_step     once or several times
///     update done -> after_update
#ifndef JBW_AGENTS_LEARN_REMEDIES_H
#define JBW_AGENTS_LEARN_REMEDIES_H

#include "agents/learn/continual_backprop.h"
#include "agents/learn/network.h"
#include "agents/learn/plasticity.h"
#include "base/bytes.h"

typedef struct jbw_remedy_options {
    double l2_init; // weight; 0: none
    double shrink, perturb;
    int shrink_interval;     // in updates; 0: never
    double replacement_rate; // of continual backpropagation; 0: none
    double utility_decay;
    int maturity;
    int plasticity_interval; // updates between two measurements; 0: never
} jbw_remedy_options;

/// What does nothing.
jbw_remedy_options jbw_remedy_default_options(void);

typedef struct jbw_remedies {
    jbw_remedy_options options;
    size_t count;   // of weights
    float *initial; // (count), for l2_init
    float *fresh;   // (count), scratch for shrink and perturb
    float *before;  // (count), weights before an update that is measured
    jbw_rng rng;    // for shrink and perturb
    jbw_continual_backprop replacement;
    jbw_plasticity plasticity; // as of the latest measurement
} jbw_remedies;

/// For a network that has its first weights. False when memory runs out; deinitialize even then.
bool jbw_remedies_init(jbw_remedies *remedies, const jbw_remedy_options *options,
                       const jbw_network *network, uint64_t seed, const jbw_allocator *allocator);
void jbw_remedies_deinit(jbw_remedies *remedies, const jbw_allocator *allocator);

/// Where the update with this number, counted from zero, begins and ends. `rows` are those of the pass.
void jbw_remedies_before_update(jbw_remedies *remedies, const jbw_network *network,
                                uint64_t update);
void jbw_remedies_before_step(jbw_remedies *remedies, jbw_network *network);
void jbw_remedies_after_step(jbw_remedies *remedies, jbw_network *network,
                             const jbw_network_pass *pass, int rows);
void jbw_remedies_after_update(jbw_remedies *remedies, const jbw_nn *nn, jbw_network *network,
                               const jbw_network_pass *pass, int rows, uint64_t update);

/// The figure with this index; false after the last one, or if nothing is measured.
bool jbw_remedies_metric(const jbw_remedies *remedies, size_t index, jbw_policy_metric *out);

/// As bytes: none at all if there is no remedy.
void jbw_remedies_save(const jbw_remedies *remedies, jbw_writer *writer);
void jbw_remedies_load(jbw_remedies *remedies, jbw_reader *reader);

#endif
