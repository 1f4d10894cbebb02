// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The module's own text functions, held against the C library's.
#include "playground/small_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/checks.h"

static int small(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = jbw_small_vsnprintf(out, size, format, arguments);
    va_end(arguments);
    return length;
}

#define SAME(size, ...)                                               \
    do {                                                              \
        char mine[400], theirs[400];                                  \
        const int expected = snprintf(theirs, (size), __VA_ARGS__);   \
        assert_int_equal(small(mine, (size), __VA_ARGS__), expected); \
        assert_string_equal(mine, theirs);                            \
    } while (0)

static uint64_t random_state = 1;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double draw_double(void)
{
    const uint64_t bits = draw();
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_texts_and_whole_numbers(void **state)
{
    (void)state;
    SAME(400, "nothing to do");
    SAME(400, "%s and '%.*s', %.3s, %.9s, %5s|", "text", 2, "abc", "abcdef", "short", "ab");
    SAME(400, "%d %d %d %i %c %%", 0, -17, INT32_MIN, INT32_MAX, 'x');
    SAME(400, "%u %zu %zu %lu", UINT32_MAX, (size_t)0, SIZE_MAX, 12345UL);
    SAME(400, "%" PRId64 " %" PRIu64 " %jd", INT64_MIN, UINT64_MAX, (intmax_t)-5);
    SAME(400, "%02x %04X %04x %x %3d|%03d", 7U, 0xabU, 0x12345U, UINT32_MAX, 5, -5);
    for (size_t size = 1; size < 12; size++) SAME(size, "%s%d", "cut", 1234567);
    assert_int_equal(small(NULL, 0, "%d", 1234), 4);
    // what is not known stays as it is
    char out[20];
    small(out, sizeof out, "%f %q %");
    assert_string_equal(out, "%f %q %");
}

static void check_number(double value)
{
    for (int digits = 0; digits <= 17; digits++) SAME(400, "%.*g", digits, value);
    SAME(400, "%g", value);
    SAME(400, "%.40g", value);
}

static void check_text(const char *text)
{
    char *mine, *theirs;
    const double expected = strtod(text, &theirs);
    const double value = jbw_small_strtod(text, &mine);
    assert_memory_equal(&value, &expected, sizeof value);
    assert_ptr_equal(mine, theirs);
}

static void test_numbers(void **state)
{
    (void)state;
    const double some[] = {0.0,  -0.0,    1.0,     0.5,     2.5,    3.5,       9.5,        99.5,
                           0.1,  1e5,     1e6,     123456., 1e-4,   1e-5,      9.9995,     1e22,
                           1e23, DBL_MAX, DBL_MIN, 5e-324,  1.5e-5, 999999.5,  -1234.5,    0.3,
                           1e15, 1e16,    1e17,    -0.25,   900.0,  1.0 / 3.0, 0.000999999};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) check_number(some[i]);
    SAME(400, "%g %g %g", INFINITY, -INFINITY, (double)NAN);
    for (int i = 0; i < 2000; i++) {
        const double value = draw_double();
        if (isfinite(value)) check_number(value);
        check_number((double)(int64_t)(draw() % 2000001 - 1000000) / 1000.0);
    }
}

static void test_reading(void **state)
{
    (void)state;
    static const char *const some[] = {"0",
                                       "-0",
                                       "1",
                                       "+1.5",
                                       ".5",
                                       "5.",
                                       "1e3",
                                       "1E-3x",
                                       "1e",
                                       "1e+",
                                       "1.2.3",
                                       "",
                                       "-",
                                       ".",
                                       "abc",
                                       "1e400",
                                       "-1e400",
                                       "1e-400",
                                       "1e99999999999",
                                       "1e-99999999999",
                                       "0e99999",
                                       "000.000e9",
                                       "4.9406564584124654e-324",
                                       "2.4703282292062327e-324",
                                       "2.4703282292062328e-324",
                                       "2.2250738585072011e-308",
                                       "2.2250738585072014e-308",
                                       "1.7976931348623157e308",
                                       "1.7976931348623158e308",
                                       "1.7976931348623159e308",
                                       "9007199254740993",
                                       "9007199254740992.5",
                                       "9007199254740993.0000000000000000000000000000000000001",
                                       "0.1",
                                       "123456789012345678901234567890",
                                       "0.00000000000000000000000000000000000000000123e50"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) check_text(some[i]);
    for (int i = 0; i < 3000; i++) {
        // doubles, with their digits cut and rounded, and halves between two of them
        char text[200];
        const double value = draw_double();
        snprintf(text, sizeof text, "%.*g", (int)(draw() % 30) + 1, value);
        if (isfinite(value)) check_text(text);
        const double whole = (double)(draw() >> 11);
        snprintf(text, sizeof text, "%.1fe%d", whole + 0.5, (int)(draw() % 60) - 30);
        check_text(text);
        snprintf(text, sizeof text, "%" PRIu64 "%" PRIu64 "e%d", draw(), draw(),
                 (int)(draw() % 700) - 370);
        check_text(text);
    }
    // ties: exactly between two doubles
    for (int i = 0; i < 300; i++) {
        const uint64_t even = (draw() >> 10 | (uint64_t)1 << 53) & ~(uint64_t)1;
        char text[200];
        snprintf(text, sizeof text, "%" PRIu64, even + 1);
        check_text(text);
    }
    assert_true(jbw_small_strtod("12", NULL) == 12.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_and_whole_numbers),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
