// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reading values from expressions, and messages about expressions that parse but make no sense.
/// Item functions and rewards share them, so that all messages are worded alike. Failures return
/// JBW_INVALID_EXPRESSION.
#ifndef JBW_SIM_MODEL_EXPR_READ_H
#define JBW_SIM_MODEL_EXPR_READ_H

#include "sim/model/expr.h"

/// The largest absolute value of a number in an expression.
#define JBW_EXPR_MAX_NUMBER 1e9

enum {
    JBW_EXPR_ANY_COUNT = -1,   // of arguments
    JBW_EXPR_USAGE_SIZE = 160, // bytes of a usage text
};

/// Reads a number of at most JBW_EXPR_MAX_NUMBER.
jbw_status jbw_expr_read_number(const jbw_expr *expr, double *out, jbw_error *error);

/// Reads a whole number in [low, high], which may also be written as 1e6. False if it is none.
bool jbw_expr_read_whole(const jbw_expr *expr, uint64_t low, uint64_t high, uint64_t *out);

/// "found the number 3, expected a name"
jbw_status jbw_expr_fail(const jbw_expr *expr, const char *expected, jbw_error *error);

/// Checks the number of arguments of a call: "'Cross' was given 5 arguments, expected 6: Cross[U,
/// V, u, v, alpha, beta]". `most` may be JBW_EXPR_ANY_COUNT.
jbw_status jbw_expr_check_count(const jbw_expr *call, int fewest, int most, const char *usage,
                                jbw_error *error);

/// "unknown intensity function 'Konstant', did you mean 'Constant'?", or a list of all names if
/// none is close. `what` is "intensity function" here.
jbw_status jbw_expr_fail_unknown(const jbw_expr *call, const char *what, const char *const *known,
                                 size_t count, jbw_error *error);

/// Writes "unknown item 'Jellybean', did you mean 'JellyBean'?"; `items` are the names of all
/// items.
void jbw_describe_unknown_item(const char *name, const char *const *items, size_t count, char *out,
                               size_t size);

/// Writes the usage of a user-defined function, such as "Ring[2 numbers]".
void jbw_expr_custom_usage(const char *name, int argument_count, char out[JBW_EXPR_USAGE_SIZE]);

#endif
