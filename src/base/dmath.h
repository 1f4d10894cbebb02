// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Mathematics that gives the same bits on every platform: only +, -, * and / in a fixed order.
/// The C library's own functions differ in the last bit from one system to the next.
#ifndef JBW_BASE_DMATH_H
#define JBW_BASE_DMATH_H

/// e to the power x; 0 below -745, infinity above 709. Within 1 ulp for normal results.
double jbw_exp(double x);

/// The natural logarithm of a positive, finite, normal number. Within 2 ulp.
double jbw_log(double x);

#endif
