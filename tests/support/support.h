// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What several tests share: options of the long forms, small configs, a little statistics.
#ifndef JBW_TESTS_SUPPORT_H
#define JBW_TESTS_SUPPORT_H

// cmocka wants these first
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jbw/config.h"
#include "jbw/policy.h"

/// What the command line asks of a statistical test. Without options it always does the same, so
/// that it passes always or never.
typedef struct test_options {
    bool is_long;  // --long: more samples, and a table of what was found
    uint64_t seed; // --seed N: another sample; 1 unless said
} test_options;

/// Reads the command line; on bad usage says so and exits with 2.
test_options test_options_read(int argc, char **argv);

/// The defaults for patches of that size: without scent and vision, one colour. Items are to be added.
jbw_config small_config(int patch_size, int mh_iterations, const jbw_item_type *items,
                        size_t item_count);

/// These fail the test, with the error's text, if they cannot be made.
jbw_model *model_of(const jbw_config *config);
jbw_reward *reward_of(const jbw_model *model, const char *text);
jbw_policy *policy_of(const char *name, const jbw_model *model, const jbw_reward *reward,
                      uint64_t seed);

/// How many standard deviations a chi-square value lies above its expectation, by Wilson's and
/// Hilferty's cube root.
double chi_square_z(double chi_square, double degrees);

/// Counts what is asked for and given back, and fails where it is told to.
typedef struct counting_allocator {
    size_t call_count;
    size_t fail_at;    // the number of the first call that fails, counted from one; zero: none
    size_t fail_count; // so many in a row
    size_t block_count;
    size_t byte_count;
    size_t most_byte_count; // at any time
} counting_allocator;

jbw_allocator counting_allocator_make(counting_allocator *counting);

#endif
