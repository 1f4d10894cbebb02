// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How far a sample lies from its expectation.
#ifndef JBW_TESTS_STATISTICS_H
#define JBW_TESTS_STATISTICS_H

#include <stddef.h>

/// How many standard deviations a chi-square value lies above its expectation, by the cube root of
/// Wilson and Hilferty.
double chi_square_z(double chi_square, double degrees);

/// The same for counts that are all expected to be equal.
double uniform_z(const int *counts, size_t count);

#endif
