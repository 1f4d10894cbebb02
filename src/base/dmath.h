// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Mathematical functions with bit-identical results on every platform: they only add, subtract,
/// multiply and divide, in a fixed order. Those of the C library differ in the last bit.
#ifndef JBW_BASE_DMATH_H
#define JBW_BASE_DMATH_H

/// e to the power x; 0 below -745, infinity above 709. Within 1 ulp for normal results.
double jbw_exp(double x);

/// The natural logarithm of a positive, finite, normal number. Within 2 ulp.
double jbw_log(double x);

/// The square root, correctly rounded on every platform.
double jbw_sqrt(double x);

/// The angle whose sine is x, for 0 <= x <= 0.5. Within 2 ulp.
double jbw_asin(double x);

/// The angle of the point (x, y), in (-pi, pi]; 0 for the origin. Within 1e-15.
double jbw_atan2(double y, double x);

/// The sine of an angle from 0 to 1, in full turns: exact at every quarter. Within 2e-16.
double jbw_sin_turns(double turns);

#define JBW_PI 0x1.921fb54442d18p+1

#endif
