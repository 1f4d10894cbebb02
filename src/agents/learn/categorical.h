// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A distribution over actions, given by logits. In double precision: there are few actions.
#ifndef JBW_AGENTS_LEARN_CATEGORICAL_H
#define JBW_AGENTS_LEARN_CATEGORICAL_H

#include "base/rng.h"

/// Writes (count) probabilities and their logarithms.
void jbw_categorical(int count, const float *logits, double *probabilities, double *logarithms);

/// Draws an action.
int jbw_categorical_draw(int count, const double *probabilities, jbw_rng *rng);

/// - sum of p log p
double jbw_categorical_entropy(int count, const double *probabilities, const double *logarithms);

/// KL(before || now), given the probabilities of before and both logarithms.
double jbw_categorical_divergence(int count, const double *before, const double *before_logarithms,
                                  const double *logarithms);

#endif
