// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers and names as text, the same under every locale.
#ifndef JBW_BASE_TEXT_H
#define JBW_BASE_TEXT_H

#include "jbw/base.h"

enum { JBW_DOUBLE_TEXT_SIZE = 32 };

/// Reads all of `text` as a decimal number such as "-1.5e3". False if it is none, or too large.
bool jbw_parse_double(const char *text, size_t length, double *out);

/// Reads all of `text` as a whole number. False if it is none, or does not fit.
bool jbw_parse_int64(const char *text, size_t length, int64_t *out);

/// Writes the shortest decimal text that reads back as the same number.
void jbw_format_double(double value, char out[JBW_DOUBLE_TEXT_SIZE]);

/// True for what can be a name in expressions: letters, digits and '_', no digit first, at most 100.
bool jbw_is_name(const char *text);

/// How many letters differ between two names: insertions, deletions, replacements and swaps of
/// neighbours count one each, and so does a letter's case at half. Names longer than 64 letters
/// are very far from everything.
int jbw_name_distance(const char *a, size_t a_length, const char *b);

/// The candidate nearest to a misspelt name, or NULL if none is near.
const char *jbw_nearest_name(const char *name, size_t length, const char *const *candidates,
                             size_t count);

/// Fills an error, cutting the text where it gets too long. `error` may be NULL.
void jbw_error_set(jbw_error *error, int line, int column, const char *format, ...)
    JBW_PRINTF(4, 5);

#endif
