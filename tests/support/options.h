// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The command line of tests.
#ifndef JBW_TESTS_OPTIONS_H
#define JBW_TESTS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/// What the command line asks of a test that samples. Without options a test always does the same,
/// so it either always passes or never does.
typedef struct test_options {
    bool is_long;  // --long: more samples, and a table of the results
    uint64_t seed; // --seed N: another sample; 1 by default
} test_options;

/// Reads the command line; exits with 2 and a message on bad usage.
test_options test_options_read(int argc, char **argv);

/// Reads a whole number; false if the text is none.
bool read_number(const char *text, uint64_t *out);

#endif
