// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/config_checker.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "sim/model/energy_model.h"
#include "sim/model/expr_read.h"

enum { PROBLEM_SIZE = 480 };

void jbw_checker_report(jbw_checker *c, int column, const char *path, const char *format, ...)
{
    if (c->status == JBW_OUT_OF_MEMORY) return;
    c->status = JBW_INVALID_CONFIG;
    if (!c->on_problem) return;
    char text[PROBLEM_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const jbw_problem problem = {.path = path, .column = column, .text = text};
    c->on_problem(&problem, c->user);
}

jbw_checker_path jbw_checker_path_of(const char *format, ...)
{
    jbw_checker_path p;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p.text, sizeof p.text, format, arguments);
    va_end(arguments);
    return p;
}

void jbw_checker_int(jbw_checker *c, const char *where, int64_t value, int64_t low, int64_t high)
{
    if (value < low || value > high)
        jbw_checker_report(c, 0, where, "found %lld, expected a whole number from %lld to %lld",
                           (long long)value, (long long)low, (long long)high);
}

void jbw_checker_number(jbw_checker *c, const char *where, double value, double low, double high,
                        const char *expected)
{
    if (value >= low && value <= high) return;
    char found[JBW_DOUBLE_TEXT_SIZE];
    jbw_format_double(value, found);
    jbw_checker_report(c, 0, where, "found %s, expected %s", found, expected);
}

void jbw_checker_vector(jbw_checker *c, const char *where, const double *values, int count)
{
    if (!values) return;
    for (int i = 0; i < count; i++)
        jbw_checker_number(c, jbw_checker_path_of("%s.%d", where, i).text, values[i],
                           -JBW_MAX_ENERGY, JBW_MAX_ENERGY, "a number between -1e9 and 1e9");
}

static void report_unknown(jbw_checker *c, const char *where, const char *name, bool or_kind)
{
    const jbw_config *config = c->config;
    const char *names[JBW_MAX_ITEM_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < config->item_count && count < JBW_MAX_ITEM_TYPES; i++)
        names[count++] = config->items[i].name;
    for (size_t i = 0; or_kind && i < config->kind_count && count < JBW_MAX_ITEM_NAMES; i++)
        names[count++] = config->kinds[i].name;
    char text[PROBLEM_SIZE];
    jbw_describe_unknown_item(name, names, count, text, sizeof text);
    jbw_checker_report(c, 0, where, "%s", text);
}

void jbw_checker_item(jbw_checker *c, const char *where, const char *name)
{
    if (name && jbw_config_item_index(c->config, name) >= 0) return;
    if (name && jbw_config_kind_index(c->config, name) >= 0)
        jbw_checker_report(c, 0, where, "'%s' is a kind, expected the name of an item", name);
    else
        report_unknown(c, where, name ? name : "", false);
}

void jbw_checker_set(jbw_checker *c, const char *where, const char *name)
{
    if (jbw_config_item_index(c->config, name) < 0 && jbw_config_kind_index(c->config, name) < 0)
        report_unknown(c, where, name, true);
}
