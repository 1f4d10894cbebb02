// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random streams: known values, independence, and uniform numbers.
#include "support/checks.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/statistics.h"

static void test_rng_known_values(void **state)
{
    (void)state;
    // Stafford's variant 13, as in SplitMix64 from zero
    jbw_rng rng = {0, UINT64_C(0x9e3779b97f4a7c15)};
    assert_int_equal(jbw_rng_next(&rng), UINT64_C(0xe220a8397b1dcdaf));
    assert_int_equal(jbw_rng_next(&rng), UINT64_C(0x6e789e6aa1b965f4));
    assert_int_equal(jbw_rng_next(&rng), UINT64_C(0x06c45d188009454f));

    // every world depends on how streams are named
    static const struct {
        uint64_t seed;
        int64_t x;
        int64_t y;
        jbw_purpose purpose;
        uint64_t first;
        uint64_t second;
    } cases[] = {
        {0, 0, 0, JBW_PURPOSE_SAMPLE, UINT64_C(0x3964fe818cf6a75a), UINT64_C(0x5789811193e63ea7)},
        {0, 0, 0, JBW_PURPOSE_COPY, UINT64_C(0xd1aa5ac5a1381c72), UINT64_C(0x008bf6db1daebc59)},
        {1, 0, 0, JBW_PURPOSE_SAMPLE, UINT64_C(0xee276af2d8f48118), UINT64_C(0x947c698aad206d2a)},
        {0, 1, 0, JBW_PURPOSE_SAMPLE, UINT64_C(0x328dd9dbe5430d50), UINT64_C(0xc23a788094779802)},
        {0, 0, 1, JBW_PURPOSE_SAMPLE, UINT64_C(0x5cf7c6e63c7cecf3), UINT64_C(0x56766d8f4518cf54)},
        {UINT64_MAX, -1, -2, JBW_PURPOSE_SAMPLE, UINT64_C(0xd6ba74dda72b60a2),
         UINT64_C(0x0b8f0703f29be128)},
        {UINT64_C(0xfedcba9876543210), INT64_C(1) << 54, -(INT64_C(1) << 54), JBW_PURPOSE_COPY,
         UINT64_C(0x0d632b191ad531fe), UINT64_C(0x24c2297895e31012)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rng = jbw_rng_open(cases[i].seed, cases[i].x, cases[i].y, cases[i].purpose);
        assert_int_equal(rng.step & 1, 1);
        assert_int_equal(jbw_rng_next(&rng), cases[i].first);
        assert_int_equal(jbw_rng_next(&rng), cases[i].second);
    }
}

static void test_rng_streams_differ(void **state)
{
    (void)state;
    // the first numbers of neighbouring streams are unrelated: no two are equal, and each bit is
    // set half of the time
    enum { SIDE = 24, COUNT = 2 * SIDE * SIDE * 2 };
    static uint64_t firsts[COUNT];
    size_t count = 0;
    for (uint64_t seed = 0; seed < 2; seed++)
        for (int64_t y = -SIDE / 2; y < SIDE / 2; y++)
            for (int64_t x = -SIDE / 2; x < SIDE / 2; x++)
                for (int purpose = 1; purpose <= 2; purpose++) {
                    jbw_rng rng = jbw_rng_open(seed, x, y, (jbw_purpose)purpose);
                    firsts[count++] = jbw_rng_next(&rng);
                }
    assert_int_equal(count, COUNT);
    int set[64] = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) assert_int_not_equal(firsts[i], firsts[k]);
        for (int bit = 0; bit < 64; bit++) set[bit] += (int)(firsts[i] >> bit & 1);
    }
    for (int bit = 0; bit < 64; bit++)
        assert_true(abs(2 * set[bit] - COUNT) < 5 * (int)sqrt(COUNT)); // five deviations
}

static void test_rng_below(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 3, 7, 10, 64, 100};
    jbw_rng rng = jbw_rng_open(5, 6, 7, JBW_PURPOSE_SAMPLE);
    enum { DRAWS = 100000 };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        int counts[100] = {0};
        for (int k = 0; k < DRAWS; k++) {
            const uint32_t value = jbw_rng_below(&rng, bounds[i]);
            assert_true(value < bounds[i]);
            counts[value]++;
        }
        if (bounds[i] > 1) assert_true(uniform_z(counts, bounds[i]) < 4.5);
    }

    // With a bound of three quarters of 2^32, a quarter of the draws must be rejected, or some
    // numbers are twice as likely as others: every third of the range must get an equal share.
    const uint32_t large = UINT32_C(3) << 30;
    int thirds[3] = {0};
    for (int k = 0; k < DRAWS; k++) thirds[jbw_rng_below(&rng, large) >> 30]++;
    for (int k = 0; k < 3; k++) assert_true(abs(thirds[k] - DRAWS / 3) < 750);
    int remainders[3] = {0};
    for (int k = 0; k < DRAWS; k++) remainders[jbw_rng_below(&rng, large) % 3]++;
    for (int k = 0; k < 3; k++) assert_true(abs(remainders[k] - DRAWS / 3) < 750);
}

static void test_rng_unit(void **state)
{
    (void)state;
    jbw_rng rng = jbw_rng_open(1, 2, 3, JBW_PURPOSE_COPY);
    double sum = 0;
    double squares = 0;
    int tenths[10] = {0};
    enum { DRAWS = 200000 };
    for (int i = 0; i < DRAWS; i++) {
        const double unit = jbw_rng_unit(&rng);
        assert_true(unit >= 0 && unit < 1);
        sum += unit;
        squares += unit * unit;
        tenths[(int)(unit * 10)]++;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * 0.2887 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 1.0 / 3) < 5 * 0.2981 / sqrt(DRAWS));
    for (int i = 0; i < 10; i++) assert_true(abs(tenths[i] - DRAWS / 10) < 5 * 135);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rng_known_values),
        cmocka_unit_test(test_rng_streams_differ),
        cmocka_unit_test(test_rng_below),
        cmocka_unit_test(test_rng_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
