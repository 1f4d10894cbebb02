// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Says what something is, to a person or to a script: lines of names and values, or one JSON
/// object of the same.
#ifndef JBW_CLI_DESCRIBE_H
#define JBW_CLI_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jbw_description {
    bool is_json;
    bool has_field; // of the object that is open: a comma is due
} jbw_description;

void jbw_describe_begin(jbw_description *description, bool is_json);
void jbw_describe_end(jbw_description *description);

void jbw_describe_number(jbw_description *description, const char *name, uint64_t value);
void jbw_describe_text(jbw_description *description, const char *name, const char *text);

/// Bytes that may be a text; others are only counted.
void jbw_describe_bytes(jbw_description *description, const char *name, const void *bytes,
                        size_t size);

/// JSON only: an array or an object, in an array or under a name; a signed number; true or false.
void jbw_describe_open(jbw_description *description, const char *name, char bracket);
void jbw_describe_close(jbw_description *description, char bracket);
void jbw_describe_signed(jbw_description *description, const char *name, int64_t value);
void jbw_describe_flag(jbw_description *description, const char *name, bool value);

#endif
