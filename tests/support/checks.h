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

#endif
