// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/categorical.h"

#include "base/dmath.h"

void jbw_categorical(int count, const float *logits, double *probabilities, double *logarithms)
{
    double most = (double)logits[0];
    for (int i = 1; i < count; i++)
        if ((double)logits[i] > most) most = (double)logits[i];
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        logarithms[i] = (double)logits[i] - most;
        probabilities[i] = jbw_exp(logarithms[i]);
        sum += probabilities[i];
    }
    const double log_sum = jbw_log(sum);
    for (int i = 0; i < count; i++) {
        probabilities[i] /= sum;
        logarithms[i] -= log_sum;
    }
}

int jbw_categorical_draw(int count, const double *probabilities, jbw_rng *rng)
{
    double left = jbw_rng_unit(rng);
    for (int i = 0; i + 1 < count; i++) {
        if (left < probabilities[i]) return i;
        left -= probabilities[i];
    }
    return count - 1;
}

double jbw_categorical_entropy(int count, const double *probabilities, const double *logarithms)
{
    double entropy = 0.0;
    for (int i = 0; i < count; i++) entropy -= probabilities[i] * logarithms[i];
    return entropy;
}

double jbw_categorical_divergence(int count, const double *before, const double *before_logarithms,
                                  const double *logarithms)
{
    double divergence = 0.0;
    for (int i = 0; i < count; i++)
        divergence += before[i] * (before_logarithms[i] - logarithms[i]);
    return divergence;
}
