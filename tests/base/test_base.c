// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What everything stands on: random streams, mathematics, text, memory, hashes.
#include "support/allocations.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dmath.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"
#include "support/statistics.h"

// --- random streams -----------------------------------------------------------------------------

static void test_rng_known_values(void **state)
{
    (void)state;
    // Stafford's variant 13, as in SplitMix64 from zero
    jbw_rng rng = {0, UINT64_C(0x9e3779b97f4a7c15)};
    assert_int_equal(jbw_rng_next(&rng), UINT64_C(0xe220a8397b1dcdaf));
    assert_int_equal(jbw_rng_next(&rng), UINT64_C(0x6e789e6aa1b965f4));
    assert_int_equal(jbw_rng_next(&rng), UINT64_C(0x06c45d188009454f));

    // how streams are named is part of every world
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
    // the first numbers of neighbouring streams have nothing in common: no two are the same, and
    // each bit is set half of the time
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
        double chi_square = 0;
        const double expected = (double)DRAWS / bounds[i];
        for (uint32_t k = 0; k < bounds[i]; k++)
            chi_square += (counts[k] - expected) * (counts[k] - expected) / expected;
        if (bounds[i] > 1) assert_true(chi_square_z(chi_square, bounds[i] - 1) < 4.5);
    }

    // Where the bound is three quarters of 2^32, a quarter of the draws must be thrown away, or
    // some numbers are twice as likely: all thirds of the range get the same.
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

// --- mathematics --------------------------------------------------------------------------------

// how many representable numbers lie between two of the same sign
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
    // the same on every machine, so they can be written down
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

// --- text ---------------------------------------------------------------------------------------

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
        {"9007199254740993", 9007199254740992.0}, // between two, to the even one
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value = -77;
        if (!jbw_parse_double(good[i].text, strlen(good[i].text), &value))
            fail_msg("'%s' is refused", good[i].text);
        if (value != good[i].value) fail_msg("'%s' is %.17g", good[i].text, value);
    }
    static const char *const bad[] = {"",    "-",     "+",   ".",     "e5",    "1e",     "1e+",
                                      "1x",  " 1",    "1 ",  "1,5",   "0x10",  "nan",    "inf",
                                      "INF", "1e999", "--1", "1.2.3", "1e5.5", "-1e999", "1_0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value;
        if (jbw_parse_double(bad[i], strlen(bad[i]), &value))
            fail_msg("'%s' is taken for %g", bad[i], value);
    }
    // the length counts, not a zero behind it
    double value;
    assert_true(jbw_parse_double("12345", 2, &value) && value == 12);
    assert_false(jbw_parse_double("1\0002", 3, &value));
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
        if (jbw_parse_int64(bad[i], strlen(bad[i]), &value)) fail_msg("'%s' is taken", bad[i]);
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

    // all bit patterns come back, and no text is longer than it must be
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
        if (!jbw_parse_double(text, strlen(text), &back)) fail_msg("'%s' is not read", text);
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
    assert_int_equal(jbw_name_distance("Bananaa", 7, "Banana"), one); // one more
    assert_int_equal(jbw_name_distance("Bamana", 6, "Banana"), one);  // another
    assert_int_equal(jbw_name_distance("baNana", 6, "Banana"), one);  // two letters' case
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

    // long names are far from everything, and do no harm
    char long_name[300];
    memset(long_name, 'x', sizeof long_name);
    long_name[299] = 0;
    assert_true(jbw_name_distance(long_name, 299, "Banana") > 20);
    assert_true(jbw_name_distance("Banana", 6, long_name) > 20);
    assert_null(jbw_nearest_name(long_name, 299, names, 6));
}

static void test_error_set(void **state)
{
    (void)state;
    jbw_error error;
    jbw_error_set(&error, 3, 4, "%s is %d", "it", 5);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 4);
    assert_string_equal(error.text, "it is 5");
    jbw_error_set(NULL, 1, 1, "nobody listens");
    char long_text[2000];
    memset(long_text, 'y', sizeof long_text);
    long_text[1999] = 0;
    jbw_error_set(&error, 1, 1, "%s", long_text);
    assert_true(strlen(error.text) < sizeof error.text && strlen(error.text) > 400);
}

// --- memory -------------------------------------------------------------------------------------

static void test_alloc(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    void *none = jbw_alloc(&allocator, 0);
    assert_non_null(none);
    jbw_free(&allocator, none, 0);
    jbw_free(&allocator, NULL, 10);
    assert_int_equal(counting.block_count, 0);

    uint8_t *zeros = jbw_alloc_zero(&allocator, 10, 7);
    for (int i = 0; i < 70; i++) assert_int_equal(zeros[i], 0);
    jbw_free(&allocator, zeros, 70);
    assert_null(jbw_alloc_zero(&allocator, SIZE_MAX / 2, 3));
    assert_int_equal(counting.block_count, 0);

    // without functions it is malloc's
    const jbw_allocator plain = {0};
    void *memory = jbw_alloc(&plain, 100);
    assert_non_null(memory);
    jbw_free(&plain, memory, 100);
}

static void test_grow(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(JBW_GROW(&allocator, numbers, capacity, i + 1));
        assert_true(capacity > i);
        numbers[i] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(numbers[i], i);
    assert_true(counting.call_count < 20); // it doubles
    assert_int_equal(counting.block_count, 1);

    // on failure everything is as it was
    counting.fail_at = counting.call_count + 1;
    counting.fail_count = 1;
    const size_t before = capacity;
    uint32_t *same = numbers;
    assert_false(JBW_GROW(&allocator, numbers, capacity, capacity + 1));
    assert_int_equal(capacity, before);
    assert_ptr_equal(numbers, same);
    assert_int_equal(numbers[9999], 9999);
    assert_false(JBW_GROW(&allocator, numbers, capacity, SIZE_MAX / 2));
    assert_ptr_equal(numbers, same);
    jbw_free(&allocator, numbers, capacity * sizeof *numbers);
    assert_int_equal(counting.block_count, 0);
}

static void test_arena(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_arena arena = {.allocator = counting_allocator_make(&counting)};
    for (int round = 0; round < 2; round++) { // it can be used again
        uint8_t *pieces[2000];
        size_t sizes[2000];
        for (size_t i = 0; i < 2000; i++) {
            sizes[i] = i % 97 == 96 ? 100000 : i % 50;
            pieces[i] = jbw_arena_alloc(&arena, sizes[i], 1);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
            for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], 0);
            memset(pieces[i], (int)(i % 255) + 1, sizes[i]);
        }
        for (size_t i = 0; i < 2000; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(pieces[i][k], (uint8_t)(i % 255 + 1));
        char *text = jbw_arena_text(&arena, "hello world", 5);
        assert_string_equal(text, "hello");
        assert_null(jbw_arena_alloc(&arena, SIZE_MAX / 2, 4));
        assert_null(jbw_arena_alloc(&arena, SIZE_MAX, 1));
        jbw_arena_deinit(&arena);
        assert_int_equal(counting.block_count, 0);
    }
    counting.fail_at = counting.call_count + 1;
    counting.fail_count = 1;
    assert_null(jbw_arena_alloc(&arena, 10, 10));
    assert_non_null(jbw_arena_alloc(&arena, 10, 10));
    jbw_arena_deinit(&arena);
    assert_int_equal(counting.block_count, 0);
}

// --- hashes -------------------------------------------------------------------------------------

static void test_hash(void **state)
{
    (void)state;
    // equal for equal input, another for any other
    static const uint64_t numbers[] = {0, 1, 2, UINT64_C(1) << 63, UINT64_MAX};
    uint64_t values[25];
    size_t count = 0;
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++) {
            jbw_hasher hasher = jbw_hash_begin(7);
            jbw_hash_u64(&hasher, numbers[i]);
            jbw_hash_u64(&hasher, numbers[k]);
            jbw_hasher again = jbw_hash_begin(7);
            jbw_hash_u64(&again, numbers[i]);
            jbw_hash_u64(&again, numbers[k]);
            assert_int_equal(hasher.value, again.value);
            for (size_t n = 0; n < count; n++) assert_int_not_equal(values[n], hasher.value);
            values[count++] = hasher.value;
        }
    jbw_hasher one = jbw_hash_begin(1);
    jbw_hasher two = jbw_hash_begin(2);
    jbw_hash_bytes(&one, "abc", 3);
    jbw_hash_bytes(&two, "abc", 3);
    assert_int_not_equal(one.value, two.value);
    jbw_hasher plus = jbw_hash_begin(1);
    jbw_hasher less = jbw_hash_begin(1);
    jbw_hash_double(&plus, 1.5);
    jbw_hash_double(&less, -1.5);
    assert_int_not_equal(plus.value, less.value);

    // pinned, so that it is the same on machines of the other byte order
    jbw_hasher pinned = jbw_hash_begin(42);
    jbw_hash_u64(&pinned, UINT64_C(0x0123456789abcdef));
    jbw_hash_double(&pinned, -0.1);
    jbw_hash_bytes(&pinned, "jelly bean", 10);
    assert_int_equal(pinned.value, UINT64_C(0x0f0f5045b1549b79));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rng_known_values),
        cmocka_unit_test(test_rng_streams_differ),
        cmocka_unit_test(test_rng_below),
        cmocka_unit_test(test_rng_unit),
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_math_known_bits),
        cmocka_unit_test(test_parse_double),
        cmocka_unit_test(test_parse_int64),
        cmocka_unit_test(test_format_double),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_error_set),
        cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
