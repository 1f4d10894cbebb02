// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Figures that tell whether a network can still learn.
#ifndef JBW_AGENTS_LEARN_PLASTICITY_H
#define JBW_AGENTS_LEARN_PLASTICITY_H

#include "agents/learn/network.h"

typedef struct jbw_plasticity {
    double dormant;        // share of units whose mean size is at most 0.025 of their layer's mean
    double effective_rank; // exp of the entropy of the features' singular values, which sum up to 1
    double stable_rank;    // number of largest singular values that make up 99 % of their sum
    double weight_norm;
    double update_norm; // of how the weights changed
} jbw_plasticity;

/// Of these rows of a pass, and of weights that were `before` an update. Ranks are those of at most 64 rows,
/// evenly chosen.
jbw_plasticity jbw_plasticity_measure(const jbw_nn *nn, const jbw_network *network,
                                      const jbw_network_pass *pass, int rows, const float *before);

/// The singular values of a matrix of at most 64 rows, largest first, into `out`; (rows) of them.
void jbw_singular_values(int rows, int columns, const float *const *matrix, double *out);

#endif
