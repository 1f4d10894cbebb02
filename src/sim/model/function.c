// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/function.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/// A built-in function.
typedef struct signature {
    const char *name;
    int kind;
    int argument_count;
    const char *usage; // for messages
} signature;

// To add a function, add a kind in function.h, a row here, and a case in each of the switches of
// intensity.c or coupling.c.
static const signature intensities[] = {
    {"Zero", JBW_INTENSITY_CONSTANT, 0, "Zero"},
    {"Constant", JBW_INTENSITY_CONSTANT, 1, "Constant[v]"},
    {"RadialHash", JBW_INTENSITY_RADIAL_HASH, 4, "RadialHash[shift, scale, c, k]"},
    {"Noise", JBW_INTENSITY_NOISE, 4, "Noise[scale, layer, low, high]"},
    {"Biome", JBW_INTENSITY_BIOME, -1, "Biome[scale, layer, (share, value), ...]"},
};
static const signature couplings[] = {
    {"Zero", JBW_COUPLING_ZERO, 0, "Zero"},
    {"PiecewiseBox", JBW_COUPLING_PIECEWISE_BOX, 4, "PiecewiseBox[U, V, u, v]"},
    {"Cross", JBW_COUPLING_CROSS, 6, "Cross[U, V, u, v, alpha, beta]"},
    {"CrossHash", JBW_COUPLING_CROSS_HASH, 8, "CrossHash[scale, c, k, delta, u, v, alpha, beta]"},
    {"Table", JBW_COUPLING_TABLE, -1, "Table[(row), (row), ...]"},
};
enum {
    INTENSITY_COUNT = sizeof intensities / sizeof *intensities,
    COUPLING_COUNT = sizeof couplings / sizeof *couplings,
    MAX_SUGGESTED = 256, // names considered for "did you mean"
};

static const signature *find_signature(const signature *rows, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

bool jbw_function_name_is_taken(const char *name)
{
    return find_signature(intensities, INTENSITY_COUNT, name) ||
           find_signature(couplings, COUPLING_COUNT, name);
}

// ---- arguments ----

static jbw_status read_arguments(const jbw_expr *call, int count, const char *usage,
                                 double *arguments, jbw_error *error)
{
    jbw_status status = jbw_expr_check_count(call, count, count, usage, error);
    for (const jbw_expr *child = call->first_child; child && !status; child = child->next)
        status = jbw_expr_read_number(child, arguments++, error);
    return status;
}

static jbw_status read_custom_arguments(const jbw_expr *call, int count, double *arguments,
                                        jbw_error *error)
{
    char usage[JBW_EXPR_USAGE_SIZE];
    jbw_expr_custom_usage(call->name, count, usage);
    return read_arguments(call, count, usage, arguments, error);
}

static jbw_status check_scale(const jbw_expr *call, int index, double scale, jbw_error *error)
{
    if (scale > 0.0) return JBW_OK;
    const jbw_expr *child = call->first_child;
    while (index-- > 0) child = child->next;
    return jbw_expr_fail(child, "a scale above zero", error);
}

// ---- intensities ----

static jbw_status fail_unknown_intensity(const jbw_expr *call, const jbw_function_set *functions,
                                         jbw_error *error)
{
    const char *known[MAX_SUGGESTED];
    size_t count = 0;
    for (int i = 0; i < INTENSITY_COUNT; i++) known[count++] = intensities[i].name;
    for (size_t i = 0; i < functions->intensity_count && count < MAX_SUGGESTED; i++)
        known[count++] = functions->intensities[i].name;
    return jbw_expr_fail_unknown(call, "intensity function", known, count, error);
}

// the scale and the layer of Noise and Biome
static jbw_status read_scale_and_layer(const jbw_expr *call, jbw_intensity_part *out,
                                       jbw_error *error)
{
    uint64_t scale;
    uint64_t layer;
    const jbw_expr *child = call->first_child;
    if (!jbw_expr_read_whole(child, JBW_LEAST_SCALE, JBW_MOST_SCALE, &scale))
        return jbw_expr_fail(child, "a scale: a whole number of cells from 2 to 1000000", error);
    if (!jbw_expr_read_whole(child->next, 0, JBW_MOST_LAYER, &layer))
        return jbw_expr_fail(child->next, "a layer: a whole number from 0 to 1000000", error);
    out->scale = (int)scale;
    out->layer = (int)layer;
    return JBW_OK;
}

static jbw_status check_noise(const jbw_expr *call, jbw_intensity_part *out, jbw_error *error)
{
    const jbw_status status = read_scale_and_layer(call, out, error);
    if (status || out->arguments[2] <= out->arguments[3]) return status;
    return jbw_expr_fail(call->first_child->next->next->next,
                         "a highest value that is not below the lowest", error);
}

static bool is_never(const jbw_expr *expr)
{
    return expr->kind == JBW_EXPR_CALL && !expr->has_brackets && strcmp(expr->name, "never") == 0;
}

static jbw_status read_biome_value(const jbw_expr *pair, double *share, double *value,
                                   jbw_error *error)
{
    if (pair->kind != JBW_EXPR_TUPLE || pair->child_count != 2)
        return jbw_expr_fail(pair, "a share and a value, such as (0.5, -3) or (0.5, never)", error);
    const jbw_expr *first = pair->first_child;
    const jbw_status status = jbw_expr_read_number(first, share, error);
    if (status) return status;
    if (!(*share > 0.0 && *share <= 1.0))
        return jbw_expr_fail(first, "a share above 0 and at most 1", error);
    *value = JBW_INTENSITY_NEVER;
    if (is_never(first->next)) return JBW_OK;
    if (first->next->kind != JBW_EXPR_NUMBER)
        return jbw_expr_fail(first->next, "a number or 'never'", error);
    return jbw_expr_read_number(first->next, value, error);
}

static jbw_status read_biome(const jbw_expr *call, const char *usage, jbw_arena *arena,
                             jbw_intensity_part *out, jbw_error *error)
{
    const int count = call->child_count - 2;
    jbw_status status = jbw_expr_check_count(call, 3, JBW_EXPR_ANY_COUNT, usage, error);
    if (!status) status = read_scale_and_layer(call, out, error);
    if (status) return status;
    if (count > JBW_MAX_BIOME_VALUES) {
        jbw_error_set(error, call->line, call->column,
                      "'Biome' was given %d shares, expected at most %d", count,
                      JBW_MAX_BIOME_VALUES);
        return JBW_INVALID_EXPRESSION;
    }
    jbw_biome_value *values = jbw_arena_alloc(arena, (size_t)count, sizeof *values);
    if (!values) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    out->values = values;
    double sum = 0.0;
    for (const jbw_expr *pair = call->first_child->next->next; pair; pair = pair->next) {
        double share = 0.0;
        jbw_biome_value *value = &values[out->value_count++];
        status = read_biome_value(pair, &share, &value->value, error);
        if (status) return status;
        sum += share;
        value->end = sum;
    }
    if (fabs(sum - 1.0) > 1e-9) {
        char text[JBW_DOUBLE_TEXT_SIZE];
        jbw_format_double(sum, text);
        jbw_error_set(error, call->line, call->column,
                      "the shares of 'Biome' add up to %s, expected 1", text);
        return JBW_INVALID_EXPRESSION;
    }
    values[count - 1].end = 2.0; // whatever rounding has left
    return JBW_OK;
}

static jbw_status compile_term(const jbw_expr *expr, const jbw_function_set *functions,
                               jbw_arena *arena, jbw_intensity_part *out, jbw_error *error)
{
    *out = (jbw_intensity_part){.kind = JBW_INTENSITY_CONSTANT};
    if (expr->kind != JBW_EXPR_CALL)
        return jbw_expr_fail(expr, "an intensity function such as Constant[1.5]", error);

    const signature *row = find_signature(intensities, INTENSITY_COUNT, expr->name);
    if (row) {
        out->kind = (jbw_intensity_kind)row->kind;
        if (out->kind == JBW_INTENSITY_BIOME)
            return read_biome(expr, row->usage, arena, out, error);
        jbw_status status =
            read_arguments(expr, row->argument_count, row->usage, out->arguments, error);
        if (!status && out->kind == JBW_INTENSITY_RADIAL_HASH)
            status = check_scale(expr, 1, out->arguments[1], error);
        if (!status && out->kind == JBW_INTENSITY_NOISE) status = check_noise(expr, out, error);
        return status;
    }
    for (size_t i = 0; i < functions->intensity_count; i++) {
        const jbw_intensity_function *custom = &functions->intensities[i];
        if (strcmp(custom->name, expr->name) != 0) continue;
        out->kind = JBW_INTENSITY_CUSTOM;
        out->custom = *custom;
        return read_custom_arguments(expr, custom->argument_count, out->arguments, error);
    }
    return fail_unknown_intensity(expr, functions, error);
}

jbw_status jbw_intensity_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                 jbw_arena *arena, jbw_intensity *out, jbw_error *error)
{
    *out = (jbw_intensity){.is_zonal = true};
    const bool is_sum = expr->kind == JBW_EXPR_SUM;
    if (is_sum && expr->child_count > JBW_MAX_INTENSITY_TERMS) {
        jbw_error_set(error, expr->line, expr->column, "a sum of %d terms, expected at most %d",
                      expr->child_count, JBW_MAX_INTENSITY_TERMS);
        return JBW_INVALID_EXPRESSION;
    }
    jbw_intensity_part *parts =
        jbw_arena_alloc(arena, is_sum ? (size_t)expr->child_count : 1, sizeof *parts);
    if (!parts) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    out->parts = parts;
    for (const jbw_expr *term = is_sum ? expr->first_child : expr; term;
         term = is_sum ? term->next : NULL) {
        jbw_intensity_part *part = &parts[out->part_count];
        const jbw_status status = compile_term(term, functions, arena, part, error);
        if (status) return status;
        if (part->kind == JBW_INTENSITY_CONSTANT)
            out->constant += part->arguments[0];
        else
            out->part_count++;
        if (part->kind != JBW_INTENSITY_CONSTANT && part->kind != JBW_INTENSITY_BIOME)
            out->is_zonal = false;
        for (int i = 0; i < part->value_count; i++)
            if (jbw_intensity_is_never(part->values[i].value)) out->has_never = true;
    }
    return JBW_OK;
}

// ---- couplings ----

static jbw_status fail_unknown_coupling(const jbw_expr *call, const jbw_function_set *functions,
                                        jbw_error *error)
{
    const char *known[MAX_SUGGESTED];
    size_t count = 0;
    for (int i = 0; i < COUPLING_COUNT; i++) known[count++] = couplings[i].name;
    for (size_t i = 0; i < functions->interaction_count && count < MAX_SUGGESTED; i++)
        known[count++] = functions->interactions[i].name;
    return jbw_expr_fail_unknown(call, "interaction function", known, count, error);
}

static jbw_status read_row(const jbw_expr *row, int side, double *numbers, jbw_error *error)
{
    if (row->kind != JBW_EXPR_TUPLE) return jbw_expr_fail(row, "a row such as (0, 1, 0)", error);
    if (row->child_count != side) {
        jbw_error_set(error, row->line, row->column,
                      "this row has %d number%s, expected %d, as many as there are rows",
                      row->child_count, row->child_count == 1 ? "" : "s", side);
        return JBW_INVALID_EXPRESSION;
    }
    jbw_status status = JBW_OK;
    for (const jbw_expr *child = row->first_child; child && !status; child = child->next)
        status = jbw_expr_read_number(child, numbers++, error);
    return status;
}

static jbw_status read_table(const jbw_expr *call, jbw_arena *arena, jbw_coupling *out,
                             jbw_error *error)
{
    const int side = call->child_count;
    if (side % 2 == 0 || side > 2 * JBW_MAX_TABLE_REACH + 1) {
        jbw_error_set(error, call->line, call->column,
                      "'Table' was given %d row%s, expected an odd number of rows up to %d", side,
                      side == 1 ? "" : "s", 2 * JBW_MAX_TABLE_REACH + 1);
        return JBW_INVALID_EXPRESSION;
    }
    double *table = jbw_arena_alloc(arena, (size_t)side * (size_t)side, sizeof *table);
    if (!table) return JBW_OUT_OF_MEMORY;
    out->table = table;
    out->table_reach = side / 2;
    for (const jbw_expr *row = call->first_child; row; row = row->next, table += side) {
        const jbw_status status = read_row(row, side, table, error);
        if (status) return status;
    }
    return JBW_OK;
}

static jbw_status compile_builtin(const jbw_expr *call, const signature *row, jbw_arena *arena,
                                  jbw_coupling *out, jbw_error *error)
{
    out->kind = (jbw_coupling_kind)row->kind;
    if (out->kind == JBW_COUPLING_TABLE) return read_table(call, arena, out, error);
    const jbw_status status =
        read_arguments(call, row->argument_count, row->usage, out->arguments, error);
    if (status || out->kind != JBW_COUPLING_CROSS_HASH) return status;
    return check_scale(call, 0, out->arguments[0], error);
}

static jbw_status compile_coupling(const jbw_expr *expr, const jbw_function_set *functions,
                                   jbw_arena *arena, jbw_coupling *out, jbw_error *error)
{
    if (expr->kind != JBW_EXPR_CALL)
        return jbw_expr_fail(expr, "an interaction function such as PiecewiseBox[10, 100, 2, -100]",
                             error);
    const signature *row = find_signature(couplings, COUPLING_COUNT, expr->name);
    if (row) return compile_builtin(expr, row, arena, out, error);
    for (size_t i = 0; i < functions->interaction_count; i++) {
        const jbw_interaction_function *custom = &functions->interactions[i];
        if (strcmp(custom->name, expr->name) != 0) continue;
        out->kind = JBW_COUPLING_CUSTOM;
        out->custom = *custom;
        return read_custom_arguments(expr, custom->argument_count, out->arguments, error);
    }
    return fail_unknown_coupling(expr, functions, error);
}

jbw_status jbw_coupling_compile(const jbw_expr *expr, const jbw_function_set *functions,
                                jbw_arena *arena, jbw_coupling *out, jbw_error *error)
{
    *out = (jbw_coupling){.kind = JBW_COUPLING_ZERO};
    const jbw_status status = compile_coupling(expr, functions, arena, out, error);
    if (!status) jbw_coupling_set_bounds(out);
    return status;
}
