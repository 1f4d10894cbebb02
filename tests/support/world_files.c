// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/world_files.h"

#include <stdio.h>

problem_report reported;

void collect_problem(const jbw_diagnostic *diagnostic, void *user)
{
    problem_report *r = user;
    r->count++;
    r->used += (size_t)snprintf(r->text + r->used, sizeof r->text - r->used, "%s:%d:%d: %s\n",
                                diagnostic->source, diagnostic->line, diagnostic->column,
                                diagnostic->text);
    assert_true(r->used < sizeof r->text);
}

jbw_config *parse_world_with(const char *text, jbw_world_file_options options)
{
    reported = (problem_report){0};
    options.report = collect_problem;
    options.report_user = &reported;
    jbw_config *config;
    const jbw_status status =
        jbw_world_file_parse(text, strlen(text), "file", &options, &config, NULL);
    assert_int_equal(status == JBW_OK, config != NULL);
    assert_int_equal(status == JBW_OK, reported.count == 0);
    return config;
}

jbw_config *parse_world(const char *text)
{
    return parse_world_with(text, (jbw_world_file_options){0});
}

jbw_config *parse_world_set(const char *text, const char *key, const char *value)
{
    const jbw_override override = {key, value};
    return parse_world_with(text,
                            (jbw_world_file_options){.overrides = &override, .override_count = 1});
}

void expect_problems(const jbw_config *config, const char *expected)
{
    assert_null(config);
    assert_string_equal(reported.text, expected);
}

const jbw_item_type *item_named(const jbw_config *config, const char *name)
{
    for (size_t i = 0; i < config->item_count; i++)
        if (strcmp(config->items[i].name, name) == 0) return &config->items[i];
    fail_msg("no item %s", name);
    return NULL;
}

const char *interaction_between(const jbw_config *config, const char *name, const char *other)
{
    const jbw_item_type *type = item_named(config, name);
    for (size_t i = 0; i < type->interaction_count; i++)
        if (strcmp(type->interactions[i].item, other) == 0) return type->interactions[i].expression;
    return "Zero";
}

void expect_vector(const double *found, double a, double b, double c)
{
    assert_non_null(found);
    if (found[0] != a || found[1] != b || found[2] != c)
        fail_msg("found %g %g %g, expected %g %g %g", found[0], found[1], found[2], a, b, c);
}

void expect_number(double found, double expected)
{
    if (found != expected) fail_msg("found %.17g, expected %.17g", found, expected);
}
