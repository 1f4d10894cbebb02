// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/advantage.h"

#include "base/dmath.h"

void jbw_advantages_normalise(int count, double *advantages)
{
    double mean = 0.0;
    for (int t = 0; t < count; t++) mean += advantages[t];
    mean /= count;
    double variance = 0.0;
    for (int t = 0; t < count; t++) variance += (advantages[t] - mean) * (advantages[t] - mean);
    const double deviation = jbw_sqrt(variance / count);
    for (int t = 0; t < count; t++) advantages[t] = (advantages[t] - mean) / (deviation + 1e-8);
}

void jbw_advantages(int count, const double *rewards, const double *values, double next_value,
                    double gamma, double lambda, double *advantages, double *targets)
{
    double advantage = 0.0;
    for (int t = count; t-- > 0;) {
        const double next = t + 1 < count ? values[t + 1] : next_value;
        const double delta = rewards[t] + gamma * next - values[t];
        advantage = delta + gamma * lambda * advantage;
        advantages[t] = advantage;
        targets[t] = advantage + values[t];
    }
}
