// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Generalized advantage estimation in a single continuing life, without episodes.
#ifndef JBW_AGENTS_LEARN_ADVANTAGE_H
#define JBW_AGENTS_LEARN_ADVANTAGE_H

/// From (count) rewards, the values before each step and the value after the last:
///
///     delta(t) = reward(t) + gamma value(t + 1) - value(t)
///     advantage(t) = delta(t) + gamma lambda advantage(t + 1)
///     target(t) = advantage(t) + value(t)
void jbw_advantages(int count, const double *rewards, const double *values, double next_value,
                    double gamma, double lambda, double *advantages, double *targets);

/// Lets advantages have mean 0 and standard deviation 1.
void jbw_advantages_normalise(int count, double *advantages);

#endif
