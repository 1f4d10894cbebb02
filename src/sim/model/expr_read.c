// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/expr_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

jbw_status jbw_expr_read_number(const jbw_expr *expr, double *out, jbw_error *error)
{
    if (expr->kind != JBW_EXPR_NUMBER) return jbw_expr_fail(expr, "a number", error);
    if (fabs(expr->number) > JBW_EXPR_MAX_NUMBER)
        return jbw_expr_fail(expr, "a number between -1e9 and 1e9", error);
    *out = expr->number;
    return JBW_OK;
}

bool jbw_expr_read_whole(const jbw_expr *expr, uint64_t low, uint64_t high, uint64_t *out)
{
    if (expr->kind != JBW_EXPR_NUMBER) return false;
    if (expr->is_whole) {
        if (expr->whole < 0) return false;
        *out = (uint64_t)expr->whole;
    } else {
        if (!(expr->number >= 0.0 && expr->number < 0x1p63)) return false;
        *out = (uint64_t)expr->number;
        if ((double)*out != expr->number) return false;
    }
    return *out >= low && *out <= high;
}

jbw_status jbw_expr_fail(const jbw_expr *expr, const char *expected, jbw_error *error)
{
    char found[160];
    jbw_expr_describe(expr, found, sizeof found);
    jbw_error_set(error, expr->line, expr->column, "found %s, expected %s", found, expected);
    return JBW_INVALID_EXPRESSION;
}

jbw_status jbw_expr_check_count(const jbw_expr *call, int fewest, int most, const char *usage,
                                jbw_error *error)
{
    const int count = call->child_count;
    if (count >= fewest && (most == JBW_EXPR_ANY_COUNT || count <= most)) return JBW_OK;
    char expected[40];
    if (most == JBW_EXPR_ANY_COUNT)
        snprintf(expected, sizeof expected, "at least %d", fewest);
    else if (most == fewest)
        snprintf(expected, sizeof expected, "%d", fewest);
    else
        snprintf(expected, sizeof expected, "%d or %d", fewest, most);
    jbw_error_set(error, call->line, call->column, "'%s' was given %d argument%s, expected %s: %s",
                  call->name, count, count == 1 ? "" : "s", expected, usage);
    return JBW_INVALID_EXPRESSION;
}

jbw_status jbw_expr_fail_unknown(const jbw_expr *call, const char *what, const char *const *known,
                                 size_t count, jbw_error *error)
{
    const char *nearest = jbw_nearest_name(call->name, strlen(call->name), known, count);
    if (nearest) {
        jbw_error_set(error, call->line, call->column, "unknown %s '%s', did you mean '%s'?", what,
                      call->name, nearest);
        return JBW_INVALID_EXPRESSION;
    }
    char list[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    jbw_error_set(error, call->line, call->column, "unknown %s '%s', expected one of %s", what,
                  call->name, list);
    return JBW_INVALID_EXPRESSION;
}

void jbw_describe_unknown_item(const char *name, const char *const *items, size_t count, char *out,
                               size_t size)
{
    const char *nearest = jbw_nearest_name(name, strlen(name), items, count);
    if (nearest)
        snprintf(out, size, "unknown item '%s', did you mean '%s'?", name, nearest);
    else
        snprintf(out, size, "unknown item '%s', expected the name of an item of this world", name);
}

void jbw_expr_custom_usage(const char *name, int argument_count, char out[JBW_EXPR_USAGE_SIZE])
{
    snprintf(out, JBW_EXPR_USAGE_SIZE, argument_count == 0 ? "%s" : "%s[%d number%s]", name,
             argument_count, argument_count == 1 ? "" : "s");
}
