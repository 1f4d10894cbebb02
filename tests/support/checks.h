// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// cmocka, and the headers that it needs before it; and checks that it lacks.
#ifndef JBW_TESTS_CHECKS_H
#define JBW_TESTS_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/// Fails the test unless `part` occurs in `text`.
static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' does not contain '%s'", text, part);
}

/// Appends to a zero-terminated text; fails the test if it does not fit into `size` bytes.
static inline void append_text(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);
    assert_true(length + strlen(more) < size);
    memcpy(text + length, more, strlen(more) + 1);
}

#endif
