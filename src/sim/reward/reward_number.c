// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/reward/reward_number.h"

#include <string.h>

#include "base/dmath.h"
#include "base/rng.h"
#include "sim/model/expr_read.h"

// ---- values ----

// from low to high; exact at both ends
static double between(double low, double high, double weight)
{
    return low * (1.0 - weight) + high * weight;
}

// where a time lies within its period, from 0 to 1
static double phase(uint64_t time, uint64_t period)
{
    return (double)(time % period) / (double)period;
}

// a number of [0, 1) for each multiple of the steps
static double knot(uint64_t seed, uint64_t index)
{
    jbw_rng rng = jbw_rng_open_at(seed, index, 0, 0, JBW_PURPOSE_DRIFT);
    return jbw_rng_unit(&rng);
}

// level at the knots and smooth in between
static double drift(const jbw_changing_number *n, uint64_t time)
{
    const uint64_t index = time / n->steps;
    const double u = phase(time, n->steps);
    const double weight = u * u * (3.0 - 2.0 * u);
    return between(knot(n->seed, index), knot(n->seed, index + 1), weight);
}

// the last stage that has begun
static double stage_at(const jbw_changing_number *n, uint64_t time)
{
    uint32_t low = 0;
    uint32_t high = n->stage_count - 1;
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (time < n->stages[middle].begin)
            high = middle - 1;
        else
            low = middle;
    }
    return n->stages[low].value;
}

double jbw_changing_at(const jbw_changing_number *n, uint64_t time)
{
    switch (n->kind) {
    case JBW_CHANGING_WAVE: {
        const double height = 0.5 + 0.5 * jbw_sin_turns(phase(time, n->steps));
        return between(n->low, n->high, height);
    }
    case JBW_CHANGING_SQUARE: return 2 * (time % n->steps) < n->steps ? n->low : n->high;
    case JBW_CHANGING_STEPS: return stage_at(n, time);
    case JBW_CHANGING_DRIFT: return between(n->low, n->high, drift(n, time));
    }
    return 0.0;
}

static double negative(double value)
{
    return 0.0 - value; // there is only one zero
}

void jbw_changing_negate(jbw_changing_number *n)
{
    n->low = negative(n->low);
    n->high = negative(n->high);
    for (uint32_t i = 0; i < n->stage_count; i++) n->stages[i].value = negative(n->stages[i].value);
}

// ---- reading ----

jbw_status jbw_reward_read_fixed(const jbw_expr *expr, double *out, jbw_error *error)
{
    const jbw_status status = jbw_expr_read_number(expr, out, error);
    if (!status) *out += 0.0; // there is only one zero
    return status;
}

jbw_status jbw_reward_read_steps(const jbw_expr *expr, uint64_t *out, jbw_error *error)
{
    if (jbw_expr_read_whole(expr, 1, JBW_MAX_SCHEDULE_STEPS, out)) return JBW_OK;
    return jbw_expr_fail(expr, "a number of steps, a whole number from 1 to 4611686018427387904",
                         error);
}

jbw_status jbw_reward_read_seed(const jbw_expr *expr, uint64_t *out, jbw_error *error)
{
    if (jbw_expr_read_whole(expr, 0, INT64_MAX, out)) return JBW_OK;
    return jbw_expr_fail(expr, "a seed, a whole number from 0 to 9223372036854775807", error);
}

// the last arguments of Wave, Square and Drift: steps, low, high
static jbw_status read_range(const jbw_expr *steps, jbw_changing_number *n, jbw_error *error)
{
    jbw_status status = jbw_reward_read_steps(steps, &n->steps, error);
    if (!status) status = jbw_reward_read_fixed(steps->next, &n->low, error);
    return status ? status : jbw_reward_read_fixed(steps->next->next, &n->high, error);
}

static jbw_status read_stage(const jbw_expr *pair, jbw_changing_stage *out, jbw_error *error)
{
    if (pair->kind != JBW_EXPR_TUPLE || pair->child_count != 2)
        return jbw_expr_fail(pair, "a pair (time, value)", error);
    const jbw_expr *begin = pair->first_child;
    if (!jbw_expr_read_whole(begin, 0, JBW_MAX_SCHEDULE_STEPS, &out->begin))
        return jbw_expr_fail(begin, "a time, a whole number from 0 to 4611686018427387904", error);
    return jbw_reward_read_fixed(begin->next, &out->value, error);
}

static jbw_status read_stages(const jbw_expr *call, jbw_arena *arena, jbw_changing_number *n,
                              jbw_error *error)
{
    n->stages = jbw_arena_alloc(arena, (size_t)call->child_count, sizeof *n->stages);
    if (!n->stages) return JBW_OUT_OF_MEMORY;
    for (const jbw_expr *pair = call->first_child; pair; pair = pair->next) {
        jbw_changing_stage *stage = &n->stages[n->stage_count];
        const jbw_status status = read_stage(pair, stage, error);
        if (status) return status;
        const jbw_expr *begin = pair->first_child;
        if (n->stage_count == 0 && stage->begin != 0)
            return jbw_expr_fail(begin, "0, the time at which the first value begins", error);
        if (n->stage_count > 0 && stage->begin <= stage[-1].begin)
            return jbw_expr_fail(begin, "a later time than that of the value before", error);
        n->stage_count++;
    }
    return JBW_OK;
}

static const struct {
    const char *name;
    int fewest; // arguments
    int most;
    const char *usage;
    jbw_changing_kind kind;
} signatures[] = {
    {"Wave", 3, 3, "Wave[period, low, high]", JBW_CHANGING_WAVE},
    {"Square", 3, 3, "Square[period, low, high]", JBW_CHANGING_SQUARE},
    {"Steps", 1, JBW_EXPR_ANY_COUNT, "Steps[(0, value), (time, value), ...]", JBW_CHANGING_STEPS},
    {"Drift", 4, 4, "Drift[seed, steps, low, high]", JBW_CHANGING_DRIFT},
};
enum { SIGNATURE_COUNT = sizeof signatures / sizeof *signatures };

static jbw_status fail_unknown(const jbw_expr *expr, jbw_error *error)
{
    const char *known[SIGNATURE_COUNT];
    for (int i = 0; i < SIGNATURE_COUNT; i++) known[i] = signatures[i].name;
    return jbw_expr_fail_unknown(expr, "function of time", known, SIGNATURE_COUNT, error);
}

static jbw_status read_changing(const jbw_expr *call, jbw_arena *arena, jbw_changing_number *n,
                                jbw_error *error)
{
    int i = 0;
    while (i < SIGNATURE_COUNT && strcmp(signatures[i].name, call->name) != 0) i++;
    if (i == SIGNATURE_COUNT) return fail_unknown(call, error);
    const jbw_status status = jbw_expr_check_count(call, signatures[i].fewest, signatures[i].most,
                                                   signatures[i].usage, error);
    if (status) return status;
    n->kind = signatures[i].kind;
    const jbw_expr *first = call->first_child;
    if (n->kind == JBW_CHANGING_STEPS) return read_stages(call, arena, n, error);
    if (n->kind != JBW_CHANGING_DRIFT) return read_range(first, n, error);
    const jbw_status seeded = jbw_reward_read_seed(first, &n->seed, error);
    return seeded ? seeded : read_range(first->next, n, error);
}

jbw_status jbw_reward_read_number(const jbw_expr *expr, jbw_arena *arena, double *value,
                                  jbw_changing_number **changing, jbw_error *error)
{
    *changing = NULL;
    if (expr->kind != JBW_EXPR_CALL || !expr->has_brackets)
        return jbw_reward_read_fixed(expr, value, error);
    jbw_changing_number *number = jbw_arena_alloc(arena, 1, sizeof *number);
    if (!number) return JBW_OUT_OF_MEMORY;
    *number = (jbw_changing_number){0};
    *changing = number;
    return read_changing(expr, arena, number, error);
}
