// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Names and texts of statuses, and the version.
#include "support/checks.h"

#include <stdio.h>

#include "jbw/base.h"

static void test_status_names(void **state)
{
    (void)state;
    assert_string_equal(jbw_status_name(JBW_OK), "OK");
    assert_string_equal(jbw_status_name(JBW_OUT_OF_RANGE), "OUT_OF_RANGE");
    assert_string_equal(jbw_status_text(JBW_OUT_OF_MEMORY), "out of memory");
    assert_non_null(jbw_status_name((jbw_status)1000));
    assert_non_null(jbw_status_text((jbw_status)1000));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", JBW_VERSION_MAJOR, JBW_VERSION_MINOR,
             JBW_VERSION_PATCH);
    assert_string_equal(jbw_version(), version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
