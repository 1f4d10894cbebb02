// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Settings by name: a table says which fields of a struct have which names and which values are
/// allowed. Reading, describing and printing all use the table, which ends with a name of NULL.
#ifndef JBW_AGENTS_SETTINGS_H
#define JBW_AGENTS_SETTINGS_H

#include "base/error.h"
#include "jbw/policy.h"

enum { JBW_SETTING_TEXT_SIZE = 40, JBW_SETTING_MAX_CHOICES = 4, JBW_MAX_SETTINGS = 64 };

typedef enum jbw_setting_kind {
    JBW_SETTING_INTEGER, // int, from `least` to `most`, a multiple of `multiple`
    JBW_SETTING_NUMBER,  // double, from `least` to `most`
    JBW_SETTING_FLAG,    // bool
    JBW_SETTING_CHOICE,  // int, or an enum: an index of `choices`
} jbw_setting_kind;

typedef struct jbw_setting {
    const char *name;
    jbw_setting_kind kind;
    size_t offset; // of the field
    double least, most;
    int multiple;                                 // 0 is 1
    const char *choices[JBW_SETTING_MAX_CHOICES]; // NULL after the last one
    const char *about;
    bool is_local; // of this process alone: it affects no result, and is not saved
} jbw_setting;

/// Sets one field of `fields` from text. JBW_INVALID_ARGUMENT, with the nearest name or what is
/// allowed, if there is no such setting or its value is bad.
jbw_status jbw_setting_read(const jbw_setting *table, const jbw_policy_setting *setting,
                            void *fields, jbw_error *error);

size_t jbw_setting_count(const jbw_setting *table);

/// Writes the value of a field as text that reads back as the same value.
void jbw_setting_print(const jbw_setting *setting, const void *fields,
                       char out[JBW_SETTING_TEXT_SIZE]);

/// Says which values are allowed, such as "0 to 1".
void jbw_setting_allowed(const jbw_setting *setting, char *out, size_t capacity);

#endif
