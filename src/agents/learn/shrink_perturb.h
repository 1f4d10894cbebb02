// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Shrink and perturb (Ash and Adams 2020): now and then all weights shrink, and a bit of a network that has
/// not learnt yet is added to them.
///
///     w = shrink w + perturb w_new
#ifndef JBW_AGENTS_LEARN_SHRINK_PERTURB_H
#define JBW_AGENTS_LEARN_SHRINK_PERTURB_H

#include "agents/learn/network.h"

/// `fresh` has room for all weights.
void jbw_shrink_perturb(double shrink, double perturb, jbw_network *network, float *fresh,
                        jbw_rng *rng);

#endif
