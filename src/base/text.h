// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers and names as text, independent of the locale.
#ifndef JBW_BASE_TEXT_H
#define JBW_BASE_TEXT_H

#include "base/error.h"

enum { JBW_DOUBLE_TEXT_SIZE = 32 };

/// Reads all of `text` as a decimal number such as "-1.5e3". False if it is not one, or too large.
bool jbw_parse_double(const char *text, size_t length, double *out);

/// Reads all of `text` as an integer. False if it is not one, or does not fit.
bool jbw_parse_int64(const char *text, size_t length, int64_t *out);

/// Writes the shortest decimal text that reads back as the same number.
void jbw_format_double(double value, char out[JBW_DOUBLE_TEXT_SIZE]);

/// Whether `text` can be a name in expressions: up to 100 letters, digits and '_', not starting
/// with a digit.
bool jbw_is_name(const char *text);

/// The edit distance between two names: an insertion, deletion, replacement or swap of neighbours
/// counts one, a difference in case one half; the sum is rounded up. Names of more than 64 letters
/// are far from everything.
int jbw_name_distance(const char *a, size_t a_length, const char *b);

/// The candidate closest to a misspelt name, or NULL if none is close.
const char *jbw_nearest_name(const char *name, size_t length, const char *const *candidates,
                             size_t count);

#endif
