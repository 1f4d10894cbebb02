// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/regrowth.h"

#include <math.h>
#include <string.h>

#include "base/dmath.h"
#include "base/rng.h"
#include "base/text.h"
#include "sim/model/expr_read.h"

static const char *const law_names[] = {"Constant", "Uniform", "Geometric"};
static const char *const law_usages[] = {"Constant[steps]", "Uniform[least, most]",
                                         "Geometric[mean]"};
enum { LAW_COUNT = sizeof law_names / sizeof *law_names };

// ---- reading ----

static jbw_status read_steps(const jbw_expr *expr, uint64_t *out, jbw_error *error)
{
    if (jbw_expr_read_whole(expr, 1, JBW_MAX_REGROWTH, out)) return JBW_OK;
    return jbw_expr_fail(expr, "a whole number of steps from 1 to 1000000000", error);
}

static jbw_status read_law(const jbw_expr *expr, jbw_regrowth *out, jbw_error *error)
{
    if (expr->kind != JBW_EXPR_CALL)
        return jbw_expr_fail(expr, "a number of steps such as Uniform[100, 900]", error);
    int index = 0;
    while (index < LAW_COUNT && strcmp(law_names[index], expr->name) != 0) index++;
    if (index == LAW_COUNT)
        return jbw_expr_fail_unknown(expr, "law of regrowth", law_names, LAW_COUNT, error);
    out->law = (jbw_regrowth_law)(index + 1);
    const int count = out->law == JBW_REGROWTH_UNIFORM ? 2 : 1;
    jbw_status status = jbw_expr_check_count(expr, count, count, law_usages[index], error);
    if (!status) status = read_steps(expr->first_child, &out->least, error);
    if (status) return status;
    if (out->law != JBW_REGROWTH_UNIFORM) {
        out->most = out->least;
        return JBW_OK;
    }
    const jbw_expr *most = expr->first_child->next;
    status = read_steps(most, &out->most, error);
    if (!status && out->most < out->least)
        status = jbw_expr_fail(most, "at least as many steps as the first number", error);
    return status;
}

jbw_status jbw_regrowth_compile(const char *text, jbw_arena *arena, jbw_regrowth *out,
                                jbw_error *error)
{
    *out = (jbw_regrowth){.law = JBW_REGROWTH_NEVER};
    if (!text) return JBW_OK;
    jbw_expr *expr;
    jbw_regrowth found = {.law = JBW_REGROWTH_NEVER};
    jbw_status status = jbw_expr_parse(text, strlen(text), arena, &expr, error);
    if (!status) status = read_law(expr, &found, error);
    if (!status) *out = found;
    return status;
}

jbw_status jbw_regrowth_parse(const char *text, jbw_regrowth *out, jbw_error *error)
{
    jbw_arena arena = {0};
    if (error) *error = (jbw_error){0};
    const jbw_status status = jbw_regrowth_compile(text, &arena, out, error);
    jbw_arena_deinit(&arena);
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, status);
    return status;
}

// ---- drawing ----

// -log(1 - 1 / mean), where the difference would lose digits: log((1 + z) / (1 - z)) for
// z = 1 / (2 mean - 1)
static double rate_of(uint64_t mean)
{
    if (mean == 1) return INFINITY;
    enum { TERMS = 20 }; // z is at most 1/3, so the last one is below 2^-64
    const double z = 1.0 / (double)(2 * mean - 1);
    double sum = 0.0;
    for (int i = TERMS; i >= 0; i--) sum = sum * (z * z) + 1.0 / (double)(2 * i + 1);
    return 2.0 * z * sum;
}

jbw_regrowth_model jbw_regrowth_model_of(jbw_regrowth law)
{
    const bool is_geometric = law.law == JBW_REGROWTH_GEOMETRIC;
    return (jbw_regrowth_model){.law = law, .rate = is_geometric ? rate_of(law.least) : 0.0};
}

uint64_t jbw_regrowth_draw(const jbw_regrowth_model *regrowth, uint64_t seed, jbw_position cell,
                           uint64_t time)
{
    const jbw_regrowth *law = &regrowth->law;
    if (law->law == JBW_REGROWTH_CONSTANT) return law->least;
    jbw_rng rng = jbw_rng_open_at(seed, time, cell.x, cell.y, JBW_PURPOSE_REGROWTH);
    if (law->law == JBW_REGROWTH_UNIFORM)
        return law->least + jbw_rng_below(&rng, (uint32_t)(law->most - law->least + 1));
    // The probability of more than k steps is exp(-k rate), up to 2^-53: that of u below it, for u
    // uniform in (0, 1].
    const double u = 1.0 - jbw_rng_unit(&rng);
    return 1 + (uint64_t)(-jbw_log(u) / regrowth->rate);
}
