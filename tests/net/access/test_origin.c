// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Which web pages may connect.
#include "support/checks.h"

#include <stdio.h>

#include "net/access/origin.h"

static bool is_allowed(const char *origin, const char *host)
{
    static const char *const listed[] = {"https://class.example.org"};
    return jbw_origin_is_allowed(origin, host, "beans.example.org", listed, 1);
}

static void test_foreign_pages_are_refused(void **state)
{
    (void)state;
    assert_true(is_allowed("", "127.0.0.1:8765"));
    assert_true(is_allowed("http://127.0.0.1:8765", "127.0.0.1:8765"));
    assert_true(is_allowed("http://localhost:8765", "localhost:8765"));
    assert_true(is_allowed("https://[::1]:8765", "[::1]:8765"));
    assert_true(is_allowed("https://beans.example.org", "beans.example.org"));
    assert_true(is_allowed("https://class.example.org", "127.0.0.1:8765"));
    assert_false(is_allowed("http://evil.example.org", "127.0.0.1:8765"));
    assert_false(is_allowed("http://127.0.0.1:9999", "127.0.0.1:8765"));
    assert_false(is_allowed("null", "127.0.0.1:8765"));
    assert_false(is_allowed("https://class.example.org.evil", "127.0.0.1:8765"));
    // hosts that are none
    static const char *const malformed[] = {"127.0.0.1/evil",
                                            "127.0.0.1:8765/evil",
                                            "127.0.0.1:x",
                                            "127.0.0.1@evil",
                                            "[::1",
                                            "[::1]evil",
                                            "localhost:1:2",
                                            "127.0.0.1 evil",
                                            "",
                                            "127.0.0.1:8765?",
                                            "[localhost]"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char origin[100];
        snprintf(origin, sizeof origin, "http://%s", malformed[i]);
        assert_false(is_allowed(origin, malformed[i]));
    }
    // a foreign name that resolves to this server
    assert_false(is_allowed("http://evil.example.org:8765", "evil.example.org:8765"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_pages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
