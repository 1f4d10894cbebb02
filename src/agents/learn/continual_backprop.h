// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Continual backpropagation (Dohare et al. 2024): units that contribute least are replaced by new ones, a
/// few at a time and for ever. After each step of the optimizer, for each unit of each layer that ends in an
/// activation (not the LSTM):
///
///     utility = decay utility + (1 - decay) mean |activation| sum |weights out of it|
///
/// where the mean is over the rows of the batch and, for a convolution, over all places. `rate` of the units
/// that are older than `maturity` steps are replaced, the least useful first; fractions add up until they
/// make a unit. A new unit has new weights into it, none out of it (so it disturbs nothing), and is not
/// replaced before it has matured.
#ifndef JBW_AGENTS_LEARN_CONTINUAL_BACKPROP_H
#define JBW_AGENTS_LEARN_CONTINUAL_BACKPROP_H

#include "agents/learn/network.h"

typedef struct jbw_continual_backprop {
    double rate;
    double decay;
    int maturity;
    jbw_rng rng; // draws weights of new units
    size_t unit_count;
    double *utilities;            // (unit_count) each, layer by layer
    uint64_t *ages;               // in steps of the optimizer
    double owed[JBW_LAYER_COUNT]; // units to replace, by layer; mostly less than one
    uint64_t replaced;            // units, in all its life
} jbw_continual_backprop;

/// False when memory runs out; deinitialize even then.
bool jbw_continual_backprop_init(jbw_continual_backprop *cbp, const jbw_network *network,
                                 const jbw_allocator *allocator);
void jbw_continual_backprop_deinit(jbw_continual_backprop *cbp, const jbw_allocator *allocator);

/// After a step of the optimizer, with these rows of the pass.
void jbw_continual_backprop_step(jbw_continual_backprop *cbp, jbw_network *network,
                                 const jbw_network_pass *pass, int rows);

#endif
