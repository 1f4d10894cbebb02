// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Characters as UTF-8: the first and last ones of each length, and bytes that are none.
#include "support/checks.h"

#include <string.h>

#include "base/utf8.h"

static void test_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t code;
    } cases[] = {
        {"\x01", 0x1},
        {"\x7f", 0x7f},
        {"\xc2\x80", 0x80},
        {"\xdf\xbf", 0x7ff},
        {"\xe0\xa0\x80", 0x800},
        {"\xed\x9f\xbf", 0xd7ff},
        {"\xee\x80\x80", 0xe000},
        {"\xef\xbf\xbf", 0xffff},
        {"\xf0\x90\x80\x80", 0x10000},
        {"\xf4\x8f\xbf\xbf", 0x10ffff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t length = strlen(cases[i].text);
        uint32_t code = 0;
        assert_int_equal(jbw_utf8_decode(cases[i].text, length, &code), length);
        assert_int_equal(code, cases[i].code);
        // cut off
        if (length > 1) assert_int_equal(jbw_utf8_decode(cases[i].text, length - 1, &code), 0);
    }
}

static void test_no_characters(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "\x80",                 // the middle of one
        "\xc1\xbf",             // longer than needed
        "\xe0\x9f\xbf",         //
        "\xf0\x8f\xbf\xbf",     //
        "\xed\xa0\x80",         // surrogates
        "\xed\xbf\xbf",         //
        "\xf4\x90\x80\x80",     // beyond the last one
        "\xf8\x88\x80\x80\x80", // five bytes
        "\xc3x",                // the second byte is no part of it
        "\xe2\x82x",            //
        "\xf0\x90\x80\xc0",     //
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code = 77;
        assert_int_equal(jbw_utf8_decode(cases[i], strlen(cases[i]), &code), 0);
        assert_int_equal(code, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_no_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
