// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Prints names and values for a person, as lines, or for a script, as one JSON object.
#ifndef JBW_CLI_DESCRIBE_H
#define JBW_CLI_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jbw_description {
    bool is_json;
    bool has_field; // the open object has a field: the next one needs a comma
} jbw_description;

void jbw_describe_begin(jbw_description *description, bool is_json);
void jbw_describe_end(jbw_description *description);

void jbw_describe_number(jbw_description *description, const char *name, uint64_t value);
void jbw_describe_text(jbw_description *description, const char *name, const char *text);

/// Prints bytes as text if they are printable, otherwise only their number.
void jbw_describe_bytes(jbw_description *description, const char *name, const void *bytes,
                        size_t size);

/// JSON only: an array or an object, other kinds of values. In an array, the name is NULL.
void jbw_describe_open(jbw_description *description, const char *name, char bracket);
void jbw_describe_close(jbw_description *description, char bracket);
void jbw_describe_signed(jbw_description *description, const char *name, int64_t value);
void jbw_describe_real(jbw_description *description, const char *name, double value);
void jbw_describe_flag(jbw_description *description, const char *name, bool value);

#endif
