// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/dmath.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// ln 2 in two parts: the first has trailing zeros, so small multiples of it are exact
#define LN2_HIGH 0x1.62e42fefa0000p-1
#define LN2_LOW 0x1.cf79abc9e3b3ap-40

static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double jbw_exp(double x)
{
    if (x > 709.0) return INFINITY;
    if (x < -745.0) return 0.0;

    // x = k ln 2 + r with |r| <= ln 2 / 2
    const double scaled = x * 0x1.71547652b82fep+0;
    const int k = (int)(scaled + (scaled < 0.0 ? -0.5 : 0.5));
    const double r = (x - (double)k * LN2_HIGH) - (double)k * LN2_LOW;

    // the Taylor series of e^r; the first omitted term is below 2^-60
    double sum = 1.0 / 6227020800.0;
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    const double value = 1.0 + (r + r * r * sum);

    // two factors, so that neither leaves the range of normal numbers
    const int half = k / 2;
    return value * power_of_two(half) * power_of_two(k - half);
}

double jbw_log(double x)
{
    // x = m 2^k with m in [sqrt(1/2), sqrt(2))
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        k++;
    }

    // ln m = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.1716
    const double s = (m - 1.0) / (m + 1.0);
    const double z = s * s;
    double sum = 1.0 / 23.0;
    sum = sum * z + 1.0 / 21.0;
    sum = sum * z + 1.0 / 19.0;
    sum = sum * z + 1.0 / 17.0;
    sum = sum * z + 1.0 / 15.0;
    sum = sum * z + 1.0 / 13.0;
    sum = sum * z + 1.0 / 11.0;
    sum = sum * z + 1.0 / 9.0;
    sum = sum * z + 1.0 / 7.0;
    sum = sum * z + 1.0 / 5.0;
    sum = sum * z + 1.0 / 3.0;
    const double log_m = 2.0 * s + 2.0 * s * z * sum;
    return (double)k * LN2_HIGH + ((double)k * LN2_LOW + log_m);
}

double jbw_sqrt(double x)
{
    return sqrt(x); // IEEE 754 requires the nearest result
}

// x - x^3/3 + x^5/5 - ..., for |x| <= tan(pi / 16)
static double atan_series(double x)
{
    const double z = x * x;
    double sum = 1.0 / 23.0;
    sum = 1.0 / 21.0 - z * sum;
    sum = 1.0 / 19.0 - z * sum;
    sum = 1.0 / 17.0 - z * sum;
    sum = 1.0 / 15.0 - z * sum;
    sum = 1.0 / 13.0 - z * sum;
    sum = 1.0 / 11.0 - z * sum;
    sum = 1.0 / 9.0 - z * sum;
    sum = 1.0 / 7.0 - z * sum;
    sum = 1.0 / 5.0 - z * sum;
    sum = 1.0 / 3.0 - z * sum;
    return x - x * z * sum;
}

// atan of x in [0, 1]: half the angle twice, then the series
static double atan_unit(double x)
{
    const double half = x / (1.0 + jbw_sqrt(1.0 + x * x));
    const double quarter = half / (1.0 + jbw_sqrt(1.0 + half * half));
    return 4.0 * atan_series(quarter);
}

double jbw_atan2(double y, double x)
{
    const double ax = fabs(x);
    const double ay = fabs(y);
    if (ax == 0.0 && ay == 0.0) return 0.0;
    double angle = ay <= ax ? atan_unit(ay / ax) : JBW_PI / 2.0 - atan_unit(ax / ay);
    if (x < 0.0) angle = JBW_PI - angle;
    return y < 0.0 ? -angle : angle;
}

double jbw_asin(double x)
{
    return jbw_atan2(x, jbw_sqrt((1.0 - x) * (1.0 + x)));
}

// the sine of x, for 0 <= x <= pi / 4
static double sin_series(double x)
{
    const double z = x * x;
    double sum = 1.0 / 1307674368000.0;
    sum = 1.0 / 6227020800.0 - z * sum;
    sum = 1.0 / 39916800.0 - z * sum;
    sum = 1.0 / 362880.0 - z * sum;
    sum = 1.0 / 5040.0 - z * sum;
    sum = 1.0 / 120.0 - z * sum;
    sum = 1.0 / 6.0 - z * sum;
    return x - x * z * sum;
}

// the cosine of x, for 0 <= x <= pi / 4
static double cos_series(double x)
{
    const double z = x * x;
    double sum = 1.0 / 20922789888000.0;
    sum = 1.0 / 87178291200.0 - z * sum;
    sum = 1.0 / 479001600.0 - z * sum;
    sum = 1.0 / 3628800.0 - z * sum;
    sum = 1.0 / 40320.0 - z * sum;
    sum = 1.0 / 720.0 - z * sum;
    sum = 1.0 / 24.0 - z * sum;
    return 1.0 - (0.5 * z - z * z * sum);
}

double jbw_sin_turns(double turns)
{
    // the nearest quarter, and what is left, both exact
    const int quarter = (int)(4.0 * turns + 0.5);
    const double left = turns - 0.25 * quarter;
    const double angle = 2.0 * JBW_PI * fabs(left);
    const bool is_cosine = quarter % 2 == 1;
    const double size = is_cosine ? cos_series(angle) : sin_series(angle);
    const bool is_negative =
        quarter == 3 || (quarter == 2 && left > 0.0) || (quarter % 4 == 0 && left < 0.0);
    return is_negative ? -size : size;
}
