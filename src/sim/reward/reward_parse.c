// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Parses a reward: from text to a compiled reward. sim/model/expr.c parses the syntax; here names get
// their meaning. All functions of the language are in one table near the end.

#include <string.h>

#include "base/text.h"
#include "sim/model/expr_read.h"
#include "sim/model/function.h"
#include "sim/model/model.h"
#include "sim/reward/reward.h"

typedef struct compiler {
    const jbw_model *model;
    const jbw_reward_function *functions;
    size_t function_count;
    jbw_reward *reward; // with room for all nodes and parts that the text can need
    uint32_t node_count;
    uint32_t part_count;
    bool is_in_team; // what is being compiled is inside Team[ ]
    jbw_error *error;
} compiler;

/// A function of the language.
typedef struct reward_signature {
    const char *name;
    int fewest; // arguments
    int most;
    const char *usage; // for messages
    jbw_status (*compile)(compiler *c, const jbw_expr *call, jbw_reward_node *node);
} reward_signature;

enum {
    ANY_COUNT = JBW_EXPR_ANY_COUNT, // of arguments
    MAX_SUGGESTED = 300,            // names considered for "did you mean"
};

static const reward_signature *find_signature(const char *name);
static jbw_status compile_node(compiler *c, const jbw_expr *expr, jbw_reward_node *node);

// ---- arguments ----

// the amount of a node, or its factor
static jbw_status read_value(compiler *c, const jbw_expr *expr, jbw_reward_node *node,
                             bool is_negated)
{
    jbw_changing_number *changing;
    const jbw_status status =
        jbw_reward_read_number(expr, &c->reward->arena, &node->value, &changing, c->error);
    if (is_negated && changing) jbw_changing_negate(changing);
    if (is_negated) node->value = 0.0 - node->value; // there is only one zero
    node->changing = changing;
    return status;
}

static jbw_status fail_unknown_item(compiler *c, const jbw_expr *expr)
{
    const char *names[JBW_MAX_ITEM_NAMES];
    size_t count = 0;
    for (int t = 0; t < c->model->type_count; t++) names[count++] = c->model->items[t].name;
    for (int k = 0; k < c->model->kind_count; k++) names[count++] = c->model->kind_names[k];
    char text[300];
    jbw_describe_unknown_item(expr->name, names, count, text, sizeof text);
    jbw_error_set(c->error, expr->line, expr->column, "%s", text);
    return JBW_INVALID_EXPRESSION;
}

static jbw_status read_kind(compiler *c, const jbw_expr *expr, jbw_reward_node *node)
{
    const int kind = jbw_model_kind(c->model, expr->name);
    if (kind < 0) return fail_unknown_item(c, expr);
    const jbw_type_set *set = &c->model->kinds.sets[kind];
    bool *is_member =
        jbw_arena_alloc(&c->reward->arena, (size_t)c->model->type_count, sizeof *is_member);
    if (!is_member) return JBW_OUT_OF_MEMORY;
    for (int i = 0; i < set->count; i++) is_member[set->types[i]] = true;
    node->kind = JBW_REWARD_COLLECT_KIND;
    node->is_member = is_member;
    return JBW_OK;
}

// what a COLLECT is about: an item type, or all those of a kind
static jbw_status read_item(compiler *c, const jbw_expr *expr, jbw_reward_node *node)
{
    if (expr->kind != JBW_EXPR_CALL || expr->has_brackets)
        return jbw_expr_fail(expr, "the name of an item", c->error);
    node->item_type = jbw_model_item_type(c->model, expr->name);
    if (node->item_type < 0) {
        const jbw_status status = read_kind(c, expr, node);
        if (status) return status;
    }
    node->item = jbw_arena_text(&c->reward->arena, expr->name, strlen(expr->name));
    return node->item ? JBW_OK : JBW_OUT_OF_MEMORY;
}

// ---- nodes with parts ----

static void reserve_parts(compiler *c, jbw_reward_node *node, uint32_t count)
{
    node->part = c->part_count;
    node->part_count = count;
    c->part_count += count;
}

// `part` is an index into all parts
static jbw_status compile_part(compiler *c, const jbw_expr *expr, uint32_t part)
{
    const uint32_t index = c->node_count++;
    c->reward->parts[part].node = index;
    return compile_node(c, expr, &c->reward->nodes[index]);
}

// what is inside Fixed[...] and ( )
static const jbw_expr *unwrap(const jbw_expr *expr)
{
    while (expr->child_count == 1 &&
           (expr->kind == JBW_EXPR_TUPLE ||
            (expr->kind == JBW_EXPR_CALL && strcmp(expr->name, "Fixed") == 0)))
        expr = expr->first_child;
    return expr;
}

static bool is_combination(const jbw_expr *expr)
{
    return expr->kind == JBW_EXPR_AND ||
           (expr->kind == JBW_EXPR_CALL && strcmp(expr->name, "Combined") == 0);
}

// the number of terms of a combination with nested combinations flattened
static uint32_t count_terms(const jbw_expr *expr)
{
    expr = unwrap(expr);
    if (!is_combination(expr)) return 1;
    uint32_t count = 0;
    for (const jbw_expr *child = expr->first_child; child; child = child->next)
        count += count_terms(child);
    return count;
}

static jbw_status compile_terms(compiler *c, const jbw_expr *expr, uint32_t *part)
{
    expr = unwrap(expr);
    if (!is_combination(expr)) return compile_part(c, expr, (*part)++);
    if (expr->kind == JBW_EXPR_CALL) {
        const reward_signature *row = find_signature(expr->name);
        const jbw_status status =
            jbw_expr_check_count(expr, row->fewest, row->most, row->usage, c->error);
        if (status) return status;
    }
    for (const jbw_expr *child = expr->first_child; child; child = child->next) {
        const jbw_status status = compile_terms(c, child, part);
        if (status) return status;
    }
    return JBW_OK;
}

static jbw_status compile_combined(compiler *c, const jbw_expr *expr, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_COMBINED;
    reserve_parts(c, node, count_terms(expr));
    uint32_t part = node->part;
    return compile_terms(c, expr, &part);
}

static jbw_status compile_scaled(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_SCALED;
    reserve_parts(c, node, 1);
    const jbw_status status = compile_part(c, call->first_child, node->part);
    return status ? status : read_value(c, call->first_child->next, node, false);
}

static jbw_status compile_team(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    if (c->is_in_team) {
        jbw_error_set(c->error, call->line, call->column, "a Team cannot be inside another Team");
        return JBW_INVALID_EXPRESSION;
    }
    node->kind = JBW_REWARD_TEAM;
    c->reward->has_team = true;
    reserve_parts(c, node, 1);
    c->is_in_team = true;
    const jbw_status status = compile_part(c, call->first_child, node->part);
    c->is_in_team = false;
    return status;
}

static jbw_status compile_fixed(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    return compile_node(c, call->first_child, node);
}

// ---- schedules ----

// the pairs of Curriculum and Cyclical
static jbw_status compile_stages(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    reserve_parts(c, node, (uint32_t)call->child_count);
    uint32_t part = node->part;
    for (const jbw_expr *pair = call->first_child; pair; pair = pair->next, part++) {
        if (pair->kind != JBW_EXPR_TUPLE)
            return jbw_expr_fail(pair, "a pair (reward, steps)", c->error);
        if (pair->child_count != 2) {
            jbw_error_set(c->error, pair->line, pair->column,
                          "found a tuple of %d, expected a pair (reward, steps)",
                          pair->child_count);
            return JBW_INVALID_EXPRESSION;
        }
        uint64_t steps = 0;
        jbw_status status = compile_part(c, pair->first_child, part);
        if (!status) status = jbw_reward_read_steps(pair->first_child->next, &steps, c->error);
        if (status) return status;
        if (steps > JBW_MAX_SCHEDULE_TOTAL - node->steps) {
            const jbw_expr *number = pair->first_child->next;
            jbw_error_set(c->error, number->line, number->column,
                          "the steps of '%s' add up to more than 2^63", call->name);
            return JBW_INVALID_EXPRESSION;
        }
        node->steps += steps;
        c->reward->parts[part].end = node->steps;
    }
    return JBW_OK;
}

static jbw_status compile_curriculum(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_CURRICULUM;
    return compile_stages(c, call, node);
}

static jbw_status compile_cyclical(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_CYCLICAL;
    return compile_stages(c, call, node);
}

static jbw_status compile_gradual(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_GRADUAL;
    reserve_parts(c, node, 2);
    const jbw_expr *second = call->first_child->next;
    jbw_status status = compile_part(c, call->first_child, node->part);
    if (!status) status = compile_part(c, second, node->part + 1);
    return status ? status : jbw_reward_read_steps(second->next, &node->steps, c->error);
}

static jbw_status compile_random(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_RANDOM;
    const jbw_expr *steps = call->first_child;
    const jbw_expr *seed = steps->next;
    jbw_status status = jbw_reward_read_steps(steps, &node->steps, c->error);
    if (!status) status = jbw_reward_read_seed(seed, &node->seed, c->error);
    reserve_parts(c, node, (uint32_t)call->child_count - 2);
    uint32_t part = node->part;
    for (const jbw_expr *child = seed->next; child && !status; child = child->next)
        status = compile_part(c, child, part++);
    return status;
}

// ---- rewards ----

// an optional amount
static jbw_status read_amount(compiler *c, const jbw_expr *expr, jbw_reward_node *node)
{
    node->value = 1.0;
    return expr ? read_value(c, expr, node, false) : JBW_OK;
}

static jbw_status compile_zero(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    (void)c;
    (void)call;
    node->kind = JBW_REWARD_ZERO;
    return JBW_OK;
}

static jbw_status compile_action(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_ACTION;
    return read_amount(c, call->first_child, node);
}

static jbw_status compile_explore(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_EXPLORE;
    return read_amount(c, call->first_child, node);
}

static jbw_status compile_collect(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_COLLECT;
    const jbw_status status = read_item(c, call->first_child, node);
    return status ? status : read_amount(c, call->first_child->next, node);
}

static jbw_status compile_avoid(compiler *c, const jbw_expr *call, jbw_reward_node *node)
{
    node->kind = JBW_REWARD_COLLECT;
    node->value = -1.0;
    const jbw_expr *item = call->first_child;
    const jbw_status status = read_item(c, item, node);
    return status || !item->next ? status : read_value(c, item->next, node, true);
}

static jbw_status compile_custom(compiler *c, const jbw_expr *call,
                                 const jbw_reward_function *function, jbw_reward_node *node)
{
    const int count = function->argument_count;
    char usage[JBW_EXPR_USAGE_SIZE];
    jbw_expr_custom_usage(function->name, count, usage);
    jbw_status status = jbw_expr_check_count(call, count, count, usage, c->error);
    if (status) return status;

    jbw_arena *arena = &c->reward->arena;
    jbw_reward_function *copy = jbw_arena_alloc(arena, 1, sizeof *copy);
    const char *name = jbw_arena_text(arena, function->name, strlen(function->name));
    double *arguments = jbw_arena_alloc(arena, (size_t)count, sizeof *arguments);
    if (!copy || !name || !arguments) return JBW_OUT_OF_MEMORY;
    *copy = *function;
    copy->name = name;
    node->kind = JBW_REWARD_CUSTOM;
    node->custom = copy;
    node->arguments = arguments;
    for (const jbw_expr *child = call->first_child; child && !status; child = child->next)
        status = jbw_reward_read_fixed(child, arguments++, c->error);
    return status;
}

// ---- the language ----

// To add a function, add a kind in reward.h, a row here with a function that reads its arguments,
// and a case in each of the switches of reward_eval.c and reward_print.c. Schedules are the last
// kinds.
static const reward_signature signatures[] = {
    {"Action", 0, 1, "Action[v]", compile_action},
    {"Collect", 1, 2, "Collect[item, v]", compile_collect},
    {"Avoid", 1, 2, "Avoid[item, v]", compile_avoid},
    {"Explore", 0, 1, "Explore[v]", compile_explore},
    {"Zero", 0, 0, "Zero", compile_zero},
    {"Combined", 2, ANY_COUNT, "Combined[a, b, ...]", compile_combined},
    {"Scaled", 2, 2, "Scaled[r, c]", compile_scaled},
    {"Team", 1, 1, "Team[r]", compile_team},
    {"Fixed", 1, 1, "Fixed[r]", compile_fixed},
    {"Curriculum", 1, ANY_COUNT, "Curriculum[(a, steps), (b, steps), ...]", compile_curriculum},
    {"Cyclical", 1, ANY_COUNT, "Cyclical[(a, steps), (b, steps), ...]", compile_cyclical},
    {"Gradual", 3, 3, "Gradual[a, b, steps]", compile_gradual},
    {"Random", 3, ANY_COUNT, "Random[steps, seed, a, b, ...]", compile_random},
};
enum { SIGNATURE_COUNT = sizeof signatures / sizeof *signatures };

static const reward_signature *find_signature(const char *name)
{
    for (int i = 0; i < SIGNATURE_COUNT; i++)
        if (strcmp(signatures[i].name, name) == 0) return &signatures[i];
    return NULL;
}

static jbw_status fail_unknown(compiler *c, const jbw_expr *call)
{
    // an easy slip
    const bool is_item = jbw_model_item_type(c->model, call->name) >= 0;
    if (is_item || jbw_model_kind(c->model, call->name) >= 0) {
        jbw_error_set(c->error, call->line, call->column,
                      "'%s' is %s, expected a reward such as Collect[%s]", call->name,
                      is_item ? "an item" : "a kind", call->name);
        return JBW_INVALID_EXPRESSION;
    }
    const char *known[MAX_SUGGESTED];
    size_t count = 0;
    for (int i = 0; i < SIGNATURE_COUNT; i++) known[count++] = signatures[i].name;
    for (size_t i = 0; i < c->function_count && count < MAX_SUGGESTED; i++)
        known[count++] = c->functions[i].name;
    return jbw_expr_fail_unknown(call, "reward function", known, count, c->error);
}

static jbw_status compile_node(compiler *c, const jbw_expr *expr, jbw_reward_node *node)
{
    if (expr->kind == JBW_EXPR_AND) return compile_combined(c, expr, node);
    if (expr->kind == JBW_EXPR_TUPLE && expr->child_count == 1)
        return compile_node(c, expr->first_child, node);
    if (expr->kind != JBW_EXPR_CALL)
        return jbw_expr_fail(expr, "a reward such as Collect[item] or Action[v]", c->error);

    const reward_signature *row = find_signature(expr->name);
    if (row) {
        const jbw_status status =
            jbw_expr_check_count(expr, row->fewest, row->most, row->usage, c->error);
        return status ? status : row->compile(c, expr, node);
    }
    for (size_t i = 0; i < c->function_count; i++)
        if (strcmp(c->functions[i].name, expr->name) == 0)
            return compile_custom(c, expr, &c->functions[i], node);
    return fail_unknown(c, expr);
}

// ---- user-defined functions ----

// what is wrong with a user-defined function, or NULL
static const char *find_fault(const jbw_reward_function *functions, size_t index)
{
    const jbw_reward_function *function = &functions[index];
    if (!function->name || !jbw_is_name(function->name))
        return "its name must be at most 100 letters, digits and '_'";
    if (find_signature(function->name)) return "its name is that of a built-in function";
    for (size_t i = 0; i < index; i++)
        if (strcmp(functions[i].name, function->name) == 0) return "its name is used twice";
    if (function->argument_count < 0 || function->argument_count > JBW_MAX_ARGUMENTS)
        return "it must have 0 to 16 arguments";
    return function->value ? NULL : "it needs a callback";
}

static jbw_status check_functions(const jbw_reward_function *functions, size_t count,
                                  jbw_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *fault = find_fault(functions, i);
        if (!fault) continue;
        jbw_error_set(error, 0, 0, "reward function '%.100s': %s",
                      functions[i].name ? functions[i].name : "", fault);
        return JBW_INVALID_ARGUMENT;
    }
    return JBW_OK;
}

// ---- whole texts ----

static size_t count_expressions(const jbw_expr *expr)
{
    size_t count = 1;
    for (const jbw_expr *child = expr->first_child; child; child = child->next)
        count += count_expressions(child);
    return count;
}

static jbw_status compile_text(compiler *c, const char *text, jbw_arena *scratch)
{
    jbw_expr *expr = NULL;
    const jbw_status status = jbw_expr_parse(text, strlen(text), scratch, &expr, c->error);
    if (status) return status;

    // every expression becomes at most one node and one part
    jbw_reward *reward = c->reward;
    const size_t count = count_expressions(expr);
    if (count > UINT32_MAX) return JBW_OUT_OF_MEMORY;
    reward->nodes = jbw_arena_alloc(&reward->arena, count, sizeof *reward->nodes);
    reward->parts = jbw_arena_alloc(&reward->arena, count, sizeof *reward->parts);
    if (!reward->nodes || !reward->parts) return JBW_OUT_OF_MEMORY;
    c->node_count = 1;
    return compile_node(c, expr, &reward->nodes[0]);
}

jbw_status jbw_reward_compile(const jbw_model *model, const char *text,
                              const jbw_reward_function *functions, size_t function_count,
                              jbw_reward **out, jbw_error *error)
{
    *out = NULL;
    if (error) *error = (jbw_error){0};
    jbw_status status = check_functions(functions, function_count, error);
    if (status) return status;

    jbw_reward *reward = jbw_alloc_zero(&model->allocator, 1, sizeof *reward);
    if (reward) {
        reward->allocator = model->allocator;
        reward->arena.allocator = model->allocator;
        jbw_arena scratch = {.allocator = model->allocator};
        compiler c = {
            .model = model,
            .functions = functions,
            .function_count = function_count,
            .reward = reward,
            .error = error,
        };
        status = compile_text(&c, text, &scratch);
        jbw_arena_deinit(&scratch);
    } else {
        status = JBW_OUT_OF_MEMORY;
    }
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, status);
    if (status) {
        jbw_reward_destroy(reward);
        return status;
    }
    *out = reward;
    return JBW_OK;
}

void jbw_reward_destroy(jbw_reward *reward)
{
    if (!reward) return;
    jbw_arena_deinit(&reward->arena);
    const jbw_allocator allocator = reward->allocator;
    jbw_free(&allocator, reward, sizeof *reward);
}
