// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Errors: their position and text, and texts that are too long.
#include "support/checks.h"

#include "base/error.h"

static void test_error_set(void **state)
{
    (void)state;
    jbw_error error;
    jbw_error_set(&error, 3, 4, "%s is %d", "it", 5);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 4);
    assert_string_equal(error.text, "it is 5");
    jbw_error_set(NULL, 1, 1, "there is no one to tell");
    char long_text[2000];
    memset(long_text, 'y', sizeof long_text);
    long_text[1999] = 0;
    jbw_error_set(&error, 1, 1, "%s", long_text);
    assert_true(strlen(error.text) < sizeof error.text && strlen(error.text) > 400);
}

static void test_error_set_path(void **state)
{
    (void)state;
    jbw_error error;
    assert_int_equal(jbw_error_set_status(&error, JBW_OUT_OF_MEMORY), JBW_OUT_OF_MEMORY);
    assert_string_equal(error.text, jbw_status_text(JBW_OUT_OF_MEMORY));
    jbw_error_set(&error, 3, 4, "is bad");
    jbw_error_set_path(&error, "a/file");
    assert_string_equal(error.text, "a/file: is bad");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    jbw_error_set_path(NULL, "a/file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_set),
        cmocka_unit_test(test_error_set_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
