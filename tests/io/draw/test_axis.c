// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Axes: round numbers, labels, and ranges of every size.
#include "support/checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "io/draw/axis.h"

// the labels of an axis, separated by spaces
static const char *labels(double low, double high, int most_ticks, bool is_loose)
{
    static char text[1024];
    const jbw_axis axis = jbw_axis_make(low, high, most_ticks, is_loose);
    text[0] = '\0';
    for (int i = 0; i < axis.tick_count; i++) {
        char label[JBW_AXIS_LABEL_SIZE];
        jbw_axis_label(&axis, i, label);
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? " " : "", label);
    }
    return text;
}

static void test_labels(void **state)
{
    (void)state;
    assert_string_equal(labels(0, 1, 5, false), "0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(labels(0, 1.2e6, 7, false), "0 200k 400k 600k 800k 1M 1.2M");
    assert_string_equal(labels(0, 5e6, 10, false), "0 500k 1M 1.5M 2M 2.5M 3M 3.5M 4M 4.5M 5M");
    assert_string_equal(labels(0, 2000, 5, false), "0 500 1000 1500 2000");
    assert_string_equal(labels(0, 20000, 5, false), "0 5k 10k 15k 20k");
    assert_string_equal(labels(0, 3e9, 4, false), "0 1G 2G 3G");
    assert_string_equal(labels(-0.3, 0.17, 6, true), "-0.3 -0.2 -0.1 0 0.1 0.2");
    assert_string_equal(labels(0.012, 0.049, 5, true), "0.01 0.02 0.03 0.04 0.05");
    assert_string_equal(labels(-30, -10, 2, true), "-30 -20 -10");
    assert_string_equal(labels(0, 2.5e13, 5, false), "0 5e12 1e13 1.5e13 2e13 2.5e13");
    assert_string_equal(labels(0, 3e-7, 3, false), "0 1e-7 2e-7 3e-7");
    assert_string_equal(labels(-1e300, 1e300, 4, true), "-1e300 -5e299 0 5e299 1e300");
    assert_string_equal(labels(1e6, 1000010, 2, false), "1M 1.000005M 1.00001M");

    // round numbers that are almost reached
    assert_string_equal(labels(1, 999999, 5, false), "0 200k 400k 600k 800k 1M");
    assert_string_equal(labels(3, 97, 5, false), "20 40 60 80");
}

static void test_degenerate_axes(void **state)
{
    (void)state;
    assert_string_equal(labels(DBL_MAX, -DBL_MAX, 5, true), "0 0.2 0.4 0.6 0.8 1.0"); // no data
    assert_string_equal(labels(0, 0, 4, true), "-1.0 -0.5 0 0.5 1.0");
    assert_string_equal(labels(5e-324, 5e-324, 4, true), "-1.0 -0.5 0 0.5 1.0");
    assert_string_equal(labels(10, 10, 4, true), "9.0 9.5 10.0 10.5 11.0");
    assert_string_equal(labels(-1e300, -1e300, 2, true), "-1.1e300 -1e300 -9e299");

    // a range of one bit around a million is a constant as far as drawing is concerned
    const jbw_axis axis = jbw_axis_make(1e6, nextafter(1e6, 2e6), 5, true);
    assert_true(axis.high - axis.low > 1e5);
}

// every range gives an increasing axis that contains it, with a limited number of ticks
static void test_many_axes(void **state)
{
    (void)state;
    for (int exponent = -320; exponent <= 300; exponent++) {
        const double size = pow(10.0, exponent);
        for (int i = 0; i < 40; i++) {
            const double low = size * (i % 8 - 3) * 0.37;
            const double high = low + size * (i + 1) * 0.02;
            for (int most = -1; most < 14; most++) {
                const bool is_loose = most % 2 == 0;
                if (high > JBW_AXIS_LIMIT || low < -JBW_AXIS_LIMIT) continue;
                const jbw_axis axis = jbw_axis_make(low, high, most, is_loose);
                assert_true(axis.low < axis.high && axis.low <= low && axis.high >= high);
                assert_true(axis.tick_count >= 0 && axis.tick_count <= (most > 1 ? most : 1) + 2);
                for (int k = 0; k < axis.tick_count; k++) {
                    const double place = jbw_axis_place(&axis, jbw_axis_tick(&axis, k));
                    assert_true(place > -1e-5 && place < 1.00001);
                    char label[JBW_AXIS_LABEL_SIZE];
                    jbw_axis_label(&axis, k, label);
                    assert_true(strlen(label) > 0 && strlen(label) < 20);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_degenerate_axes),
        cmocka_unit_test(test_many_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
