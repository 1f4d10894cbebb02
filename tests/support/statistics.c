// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/statistics.h"

#include <math.h>

double chi_square_z(double chi_square, double degrees)
{
    const double spread = 2 / (9 * degrees);
    return (cbrt(chi_square / degrees) - (1 - spread)) / sqrt(spread);
}

double uniform_z(const int *counts, size_t count)
{
    double expected = 0;
    for (size_t i = 0; i < count; i++) expected += counts[i];
    expected /= (double)count;
    double chi_square = 0;
    for (size_t i = 0; i < count; i++)
        chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    return chi_square_z(chi_square, (double)count - 1);
}
