// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers as text, and similar names.
#include "support/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

static void test_parse_double(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"1", 1},
        {"-1.5e3", -1500},
        {"+2.5", 2.5},
        {"1e-3", 0.001},
        {"1E5", 1e5},
        {"1e+5", 1e5},
        {"123456789.125", 123456789.125},
        {"0.1", 0.1},
        {"1e308", 1e308},
        {"1e-320", 1e-320},
        {"1e-400", 0},
        {"007", 7},
        {"179769313486231570000000000000000000000e270", 1.7976931348623157e308},
        {"9007199254740993", 9007199254740992.0}, // halfway, rounded to even
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value = -77;
        if (!jbw_parse_double(good[i].text, strlen(good[i].text), &value))
            fail_msg("'%s' is rejected", good[i].text);
        if (value != good[i].value) fail_msg("'%s' is %.17g", good[i].text, value);
    }
    static const char *const bad[] = {"",    "-",     "+",   ".",     "e5",    "1e",     "1e+",
                                      "1x",  " 1",    "1 ",  "1,5",   "0x10",  "nan",    "inf",
                                      "INF", "1e999", "--1", "1.2.3", "1e5.5", "-1e999", "1_0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value;
        if (jbw_parse_double(bad[i], strlen(bad[i]), &value))
            fail_msg("'%s' is accepted as %g", bad[i], value);
    }
    // the length counts, not a terminating zero
    double value;
    assert_true(jbw_parse_double("12345", 2, &value) && value == 12);
    assert_false(jbw_parse_double("1\0002", 3, &value));
    char digits[128];
    memset(digits, '0', sizeof digits);
    assert_true(jbw_parse_double(digits, 127, &value) && value == 0.0);
    assert_false(jbw_parse_double(digits, 128, &value));
}

static void test_parse_int64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"42", 42},
                {"-42", -42},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"000123", 123}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t value = -77;
        assert_true(jbw_parse_int64(good[i].text, strlen(good[i].text), &value));
        assert_int_equal(value, good[i].value);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "1.0",
                                      "1e3",
                                      " 1",
                                      "1 ",
                                      "0x1",
                                      "a",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t value;
        if (jbw_parse_int64(bad[i], strlen(bad[i]), &value)) fail_msg("'%s' is accepted", bad[i]);
    }
}

static void test_format_double(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.3, "0.3"},
                 {100, "100"},
                 {1.0 / 3, "0.3333333333333333"}};
    char text[JBW_DOUBLE_TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_format_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }

    // every bit pattern round-trips, and no text is longer than necessary
    jbw_rng rng = jbw_rng_open(3, 0, 0, JBW_PURPOSE_SAMPLE);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = jbw_rng_next(&rng);
        if (i % 2) bits &= UINT64_C(0xfffff00000000000);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 5 == 0) value = (double)(bits >> 40) / 1000;
        if (!isfinite(value)) continue;
        jbw_format_double(value, text);
        assert_true(strlen(text) < JBW_DOUBLE_TEXT_SIZE);
        double back;
        if (!jbw_parse_double(text, strlen(text), &back)) fail_msg("'%s' cannot be parsed", text);
        if (back != value || signbit(back) != signbit(value))
            fail_msg("'%s' is not %.17g", text, value);
        int digits = 1;
        char shorter[400];
        do {
            snprintf(shorter, sizeof shorter, "%.*g", digits++, value);
        } while (strtod(shorter, NULL) != value);
        if (strlen(text) > strlen(shorter)) fail_msg("'%s' is longer than '%s'", text, shorter);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(jbw_name_distance("Banana", 6, "Banana"), 0);
    const int one = jbw_name_distance("Banan", 5, "Banana");
    assert_true(one > 0);
    assert_int_equal(jbw_name_distance("Banaan", 6, "Banana"), one);  // swapped
    assert_int_equal(jbw_name_distance("Bananaa", 7, "Banana"), one); // one letter more
    assert_int_equal(jbw_name_distance("Bamana", 6, "Banana"), one);  // another letter
    assert_int_equal(jbw_name_distance("baNana", 6, "Banana"), one);  // case of two letters
    assert_true(jbw_name_distance("BANANA", 6, "Banana") <= 3 * one);
    assert_true(jbw_name_distance("banana", 6, "Banana") > 0);
    assert_int_equal(jbw_name_distance("Banana and more", 6, "Banana"), 0);

    static const char *const names[] = {"JellyBean", "Banana", "Onion", "Wall", "Tree", "Truffle"};
    static const struct {
        const char *name;
        const char *nearest;
    } cases[] = {{"Jellybean", "JellyBean"}, {"JelyBean", "JellyBean"},
                 {"onoin", "Onion"},         {"Walls", "Wall"},
                 {"Tere", "Tree"},           {"Truffel", "Truffle"},
                 {"Helicopter", NULL},       {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *nearest = jbw_nearest_name(cases[i].name, strlen(cases[i].name), names, 6);
        if (!cases[i].nearest) {
            assert_null(nearest);
            continue;
        }
        assert_non_null(nearest);
        assert_string_equal(nearest, cases[i].nearest);
    }
    assert_null(jbw_nearest_name("Wall", 4, names, 0));
    static const char *const alike[] = {"Bananas", "Bananab"}; // the first one counts
    assert_ptr_equal(jbw_nearest_name("Banana", 6, alike, 2), alike[0]);

    // long names are far from everything and do no harm
    char long_name[300];
    memset(long_name, 'x', sizeof long_name);
    long_name[299] = 0;
    assert_true(jbw_name_distance(long_name, 299, "Banana") > 20);
    assert_true(jbw_name_distance("Banana", 6, long_name) > 20);
    assert_null(jbw_nearest_name(long_name, 299, names, 6));
}

static void test_what_is_a_name(void **state)
{
    (void)state;
    char longest[102] = {0};
    memset(longest, 'n', 100);
    static const char *const names[] = {"a", "z", "A", "Z", "_", "a0", "Z9", "_a_Z_0"};
    static const char *const others[] = {"", "0", "9a", "`", "{", "@", "[", "a/", "a:", "a b", "-"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_true(jbw_is_name(names[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(jbw_is_name(others[i]));
    assert_true(jbw_is_name(longest));
    longest[100] = 'n';
    assert_false(jbw_is_name(longest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_double),   cmocka_unit_test(test_parse_int64),
        cmocka_unit_test(test_format_double),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
