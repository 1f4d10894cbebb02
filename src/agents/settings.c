// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

// ---- describing ----

void jbw_setting_allowed(const jbw_setting *setting, char *out, size_t capacity)
{
    char least[JBW_DOUBLE_TEXT_SIZE];
    char most[JBW_DOUBLE_TEXT_SIZE];
    size_t used = 0;
    switch (setting->kind) {
    case JBW_SETTING_FLAG: snprintf(out, capacity, "true or false"); break;
    case JBW_SETTING_CHOICE:
        out[0] = '\0';
        for (int i = 0; i < JBW_SETTING_MAX_CHOICES && setting->choices[i]; i++) {
            const char *before = i == 0 ? "" : " or ";
            used +=
                (size_t)snprintf(out + used, capacity - used, "%s%s", before, setting->choices[i]);
            if (used >= capacity) return;
        }
        break;
    case JBW_SETTING_INTEGER:
    case JBW_SETTING_NUMBER:
        jbw_format_double(setting->least, least);
        jbw_format_double(setting->most, most);
        if (setting->multiple > 1)
            snprintf(out, capacity, "a multiple of %d from %s to %s", setting->multiple, least,
                     most);
        else
            snprintf(out, capacity, "%s%s to %s",
                     setting->kind == JBW_SETTING_INTEGER ? "an integer from " : "", least, most);
        break;
    }
}

void jbw_setting_print(const jbw_setting *setting, const void *fields,
                       char out[JBW_SETTING_TEXT_SIZE])
{
    const char *at = (const char *)fields + setting->offset;
    int integer = 0;
    double number = 0.0;
    bool flag = false;
    switch (setting->kind) {
    case JBW_SETTING_FLAG:
        memcpy(&flag, at, sizeof flag);
        snprintf(out, JBW_SETTING_TEXT_SIZE, "%s", flag ? "true" : "false");
        break;
    case JBW_SETTING_CHOICE:
        memcpy(&integer, at, sizeof integer);
        snprintf(out, JBW_SETTING_TEXT_SIZE, "%s", setting->choices[integer]);
        break;
    case JBW_SETTING_INTEGER:
        memcpy(&integer, at, sizeof integer);
        snprintf(out, JBW_SETTING_TEXT_SIZE, "%d", integer);
        break;
    case JBW_SETTING_NUMBER:
        memcpy(&number, at, sizeof number);
        jbw_format_double(number, out);
        break;
    }
}

// ---- reading ----

size_t jbw_setting_count(const jbw_setting *table)
{
    size_t count = 0;
    while (table[count].name) count++;
    return count;
}

static jbw_status reject_name(const jbw_setting *table, const char *name, jbw_error *error)
{
    const char *names[JBW_MAX_SETTINGS];
    const size_t count = jbw_setting_count(table);
    for (size_t i = 0; i < count; i++) names[i] = table[i].name;
    const char *near = jbw_nearest_name(name, strlen(name), names, count);
    if (near)
        jbw_error_set(error, 0, 0, "unknown setting '%.100s', did you mean '%s'?", name, near);
    else
        jbw_error_set(error, 0, 0, "unknown setting '%.100s'", name);
    return JBW_INVALID_ARGUMENT;
}

static bool read_flag(const char *text, void *at)
{
    const bool is_true = strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0) return false;
    memcpy(at, &is_true, sizeof is_true);
    return true;
}

static bool read_choice(const jbw_setting *setting, const char *text, void *at)
{
    for (int i = 0; i < JBW_SETTING_MAX_CHOICES && setting->choices[i]; i++) {
        if (strcmp(setting->choices[i], text) != 0) continue;
        memcpy(at, &i, sizeof i);
        return true;
    }
    return false;
}

static bool read_integer(const jbw_setting *setting, const char *text, void *at)
{
    int64_t number;
    if (!jbw_parse_int64(text, strlen(text), &number)) return false;
    if ((double)number < setting->least || (double)number > setting->most) return false;
    if (setting->multiple > 1 && number % setting->multiple != 0) return false;
    const int value = (int)number;
    memcpy(at, &value, sizeof value);
    return true;
}

static bool read_number(const jbw_setting *setting, const char *text, void *at)
{
    double number;
    if (!jbw_parse_double(text, strlen(text), &number)) return false;
    if (number < setting->least || number > setting->most) return false;
    memcpy(at, &number, sizeof number);
    return true;
}

jbw_status jbw_setting_read(const jbw_setting *table, const jbw_policy_setting *setting,
                            void *fields, jbw_error *error)
{
    const char *name = setting->name ? setting->name : "";
    const char *value = setting->value ? setting->value : "";
    const jbw_setting *found = NULL;
    for (const jbw_setting *s = table; s->name; s++)
        if (strcmp(s->name, name) == 0) found = s;
    if (!found) return reject_name(table, name, error);
    void *at = (char *)fields + found->offset;
    const bool is_good = found->kind == JBW_SETTING_FLAG      ? read_flag(value, at)
                         : found->kind == JBW_SETTING_CHOICE  ? read_choice(found, value, at)
                         : found->kind == JBW_SETTING_INTEGER ? read_integer(found, value, at)
                                                              : read_number(found, value, at);
    if (is_good) return JBW_OK;
    char allowed[80];
    jbw_setting_allowed(found, allowed, sizeof allowed);
    jbw_error_set(error, 0, 0, "%s: found '%.100s', expected %s", found->name, value, allowed);
    return JBW_INVALID_ARGUMENT;
}
