// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Expressions: parsed alone, as an intensity and as an interaction.
#include "target.h"

#include "jbw/jbw.h"
#include "sim/model/expr.h"

static void take_problem(const jbw_problem *problem, void *user)
{
    size_t *count = user;
    if (strlen(problem->text) == 0 || problem->column < 0) abort();
    (*count)++;
}

static void check(const jbw_item_type *item)
{
    jbw_config config = jbw_config_default();
    config.items = item;
    config.item_count = 1;
    size_t count = 0;
    const jbw_status status = jbw_config_check(&config, take_problem, &count);
    if ((status == JBW_OK) != (count == 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    if (!text) return 0;

    jbw_arena arena = {0};
    jbw_expr *expr = NULL;
    jbw_error error = {0};
    const jbw_status status = jbw_expr_parse(text, size, &arena, &expr, &error);
    if ((status == JBW_OK) != (expr != NULL)) abort();
    if (status && (error.line < 1 || error.column < 1 || error.text[0] == '\0')) abort();
    jbw_arena_deinit(&arena);

    // configs take zero-terminated texts
    const jbw_interaction interaction = {.item = "Onion", .expression = text};
    check(&(jbw_item_type){.name = "Onion", .intensity = text});
    check(&(jbw_item_type){.name = "Onion", .interactions = &interaction, .interaction_count = 1});
    free(text);
    return 0;
}
