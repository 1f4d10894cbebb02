// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// exp, log and others: within two units in the last place of libm, and the same bits on every machine.
#include "support/checks.h"

#include <float.h>
#include <math.h>

#include "base/dmath.h"
#include "base/rng.h"

// how many representable numbers lie between two numbers of the same sign
static double ulps_apart(double a, double b)
{
    if (a == b) return 0;
    const double larger = fmax(fabs(a), fabs(b));
    return fabs(a - b) / (nextafter(larger, INFINITY) - larger);
}

static double random_double(jbw_rng *rng, double low, double high)
{
    return low + (high - low) * jbw_rng_unit(rng);
}

static void test_exp(void **state)
{
    (void)state;
    jbw_rng rng = jbw_rng_open(1, 0, 0, JBW_PURPOSE_SAMPLE);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        double x = random_double(&rng, -708, 709);
        if (i % 4 == 1) x = random_double(&rng, -1, 1);
        if (i % 4 == 2) x = random_double(&rng, -40, 40);
        if (i % 4 == 3) x = ldexp(random_double(&rng, -1, 1), -(i % 60));
        worst = fmax(worst, ulps_apart(jbw_exp(x), exp(x)));
    }
    assert_true(worst <= 2);

    assert_true(jbw_exp(0) == 1);
    assert_true(jbw_exp(-0.0) == 1);
    assert_true(jbw_exp(-746) == 0);
    assert_true(jbw_exp(-1e308) == 0);
    assert_true(jbw_exp(-INFINITY) == 0);
    assert_true(isinf(jbw_exp(710)));
    assert_true(isinf(jbw_exp(1e308)));
    assert_true(isinf(jbw_exp(INFINITY)));
    for (int i = 0; i < 360; i++) { // small results lose digits, not their size
        const double x = -745 + 0.125 * i;
        const double mine = jbw_exp(x);
        assert_true(fabs(mine - exp(x)) <= 2 * DBL_EPSILON * exp(x) + 2 * 0x1p-1074);
    }
    for (int i = -30000; i < 30000; i++) assert_true(jbw_exp(0.001 * i) < jbw_exp(0.001 * (i + 1)));
}

static void test_log(void **state)
{
    (void)state;
    jbw_rng rng = jbw_rng_open(2, 0, 0, JBW_PURPOSE_SAMPLE);
    double worst = 0;
    for (int i = 0; i < 400000; i++) {
        double x = ldexp(random_double(&rng, 1, 2), i % 2000 - 1000);
        if (i % 4 == 1) x = random_double(&rng, 0.5, 2);
        if (i % 4 == 2) x = 1 + ldexp(random_double(&rng, -1, 1), -(i % 52) - 1);
        if (i % 4 == 3) x = jbw_rng_unit(&rng) + 0x1p-60;
        worst = fmax(worst, ulps_apart(jbw_log(x), log(x)));
    }
    assert_true(worst <= 2);
    assert_true(jbw_log(1) == 0);
    assert_true(ulps_apart(jbw_log(DBL_MIN), log(DBL_MIN)) <= 2);
    assert_true(ulps_apart(jbw_log(DBL_MAX), log(DBL_MAX)) <= 2);
    for (int i = 1; i < 4096; i++) assert_true(jbw_log(i) < jbw_log(i + 1));
}

static void test_math_known_bits(void **state)
{
    (void)state;
    // equal on every machine, so the values can be listed here
    static const struct {
        double x;
        double exp;
        double log;
    } cases[] = {
        {0x1.999999999999ap-4, 0x1.1aec7b35a00d4p+0, -0x1.26bb1bbb55515p+1},
        {0x1p-1, 0x1.a61298e1e069cp+0, -0x1.62e42fefa39efp-1},
        {0x1.5555555555555p-2, 0x1.6546db1ba2d13p+0, -0x1.193ea7aad030bp+0},
        {0x1p+1, 0x1.d8e64b8d4ddaep+2, 0x1.62e42fefa39efp-1},
        {0x1.4p+3, 0x1.5829dcf95056p+14, 0x1.26bb1bbb55516p+1},
        {0x1.edd2f1a9fbe77p+6, 0x1.1428e1cbc0143p+178, 0x1.343774f3e2362p+2},
        {0x1.5e2p+9, 0x1.2fd8e4cbfa413p+1010, 0x1.a34ac026e1799p+2},
        {0x1.4f8b588e368f1p-17, 0x1.0000a7c5e340ep+0, -0x1.7069e2aa2aa5bp+3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(jbw_exp(cases[i].x) == cases[i].exp);
        assert_true(jbw_log(cases[i].x) == cases[i].log);
    }
}

static void test_atan2(void **state)
{
    (void)state;
    assert_true(jbw_atan2(0.0, 0.0) == 0.0);
    for (int y = -3; y <= 3; y++)
        for (int x = -3; x <= 3; x++) {
            if (y == 0 && x < 0) assert_true(jbw_atan2(0.0, x) == acos(-1.0));
            assert_true(fabs(jbw_atan2(y, x) - atan2(y, x)) < 1e-15);
        }
}

static void test_sin_turns(void **state)
{
    (void)state;
    static const double quarters[] = {0, 1, 0, -1, 0};
    for (int i = 0; i < 5; i++) assert_true(jbw_sin_turns(0.25 * i) == quarters[i]);
    double worst = 0;
    const long double turn = 2 * acosl(-1);
    for (int i = 0; i <= 1000000; i++) {
        const double turns = (double)i / 1000000;
        worst = fmax(worst, (double)fabsl(jbw_sin_turns(turns) - sinl(turn * turns)));
    }
    assert_true(worst < 3e-16);
    // equal on every machine
    assert_true(jbw_sin_turns(0x1.999999999999ap-4) == 0x1.2cf2304755a5ep-1);
    assert_true(jbw_sin_turns(0x1.5555555555555p-2) == 0x1.bb67ae8584cabp-1);
    assert_true(jbw_sin_turns(0x1.edd2f1a9fbe77p-1) == -0x1.c508bfa1283b3p-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_math_known_bits),
        cmocka_unit_test(test_atan2),
        cmocka_unit_test(test_sin_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
