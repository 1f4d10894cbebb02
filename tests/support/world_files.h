// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files in tests: parsing them, the problems that are reported, and what a config says.
#ifndef JBW_TESTS_WORLD_FILES_H
#define JBW_TESTS_WORLD_FILES_H

#include "support/shipped.h"

/// The problems that were reported, one line each: "source:line:column: text".
typedef struct problem_report {
    char text[1 << 18];
    size_t used;
    size_t count;
} problem_report;

/// Of the latest call of one of the functions below.
extern problem_report reported;

/// A callback for jbw_world_file_options that collects problems in `user`, a problem_report.
void collect_problem(const jbw_diagnostic *diagnostic, void *user);

/// Parse a world file named "file". NULL if it has problems. The caller frees the config.
jbw_config *parse_world(const char *text);
jbw_config *parse_world_with(const char *text, jbw_world_file_options options);
jbw_config *parse_world_set(const char *text, const char *key, const char *value);

/// Fails the test unless parsing failed with exactly these problems.
void expect_problems(const jbw_config *config, const char *expected);

/// An item type of a config; fails the test if there is none.
const jbw_item_type *item_named(const jbw_config *config, const char *name);

/// The expression of an interaction; "Zero" if there is none.
const char *interaction_between(const jbw_config *config, const char *name, const char *other);

void expect_vector(const double *found, double a, double b, double c);
void expect_number(double found, double expected);

#endif
