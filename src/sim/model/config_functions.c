// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The user-defined functions that a config which was read from bytes calls.

#include <string.h>

#include "base/error.h"
#include "sim/model/config.h"
#include "sim/model/config_code.h"

typedef enum function_kind { INTENSITY, INTERACTION } function_kind;

static bool is_known(const jbw_config *config, function_kind kind, const char *name)
{
    if (jbw_function_name_is_taken(name)) return true;
    const jbw_function_set set = jbw_config_functions(config);
    for (size_t i = 0; kind == INTENSITY && i < set.intensity_count; i++)
        if (set.intensities[i].name && strcmp(set.intensities[i].name, name) == 0) return true;
    for (size_t i = 0; kind == INTERACTION && i < set.interaction_count; i++)
        if (set.interactions[i].name && strcmp(set.interactions[i].name, name) == 0) return true;
    return false;
}

// the name of a function that an expression calls and that is unknown, or NULL if there is none
static jbw_status find_unknown(const jbw_config *config, function_kind kind, const char *text,
                               jbw_arena *arena, const char **name)
{
    *name = NULL;
    jbw_expr *expr;
    const jbw_status status = jbw_expr_parse_sum(text, strlen(text), arena, &expr, NULL);
    if (status) return status == JBW_OUT_OF_MEMORY ? status : JBW_OK;
    for (const jbw_expr *term = expr->kind == JBW_EXPR_SUM ? expr->first_child : expr; term;
         term = expr->kind == JBW_EXPR_SUM ? term->next : NULL)
        if (term->kind == JBW_EXPR_CALL && !is_known(config, kind, term->name)) *name = term->name;
    return JBW_OK;
}

static jbw_status check_called(const jbw_config *config, const jbw_item_type *item,
                               const jbw_interaction *interaction, jbw_arena *arena,
                               jbw_error *error)
{
    const char *name;
    const function_kind kind = interaction ? INTERACTION : INTENSITY;
    const jbw_status status = find_unknown(
        config, kind, interaction ? interaction->expression : item->intensity, arena, &name);
    if (status || !name) return status;
    jbw_error_set(
        error, 0, 0, "items.%s.%s%s: unknown %s function '%s', pass it when loading this world",
        item->name, interaction ? "interactions." : "intensity",
        interaction ? interaction->item : "", interaction ? "interaction" : "intensity", name);
    return JBW_INVALID_CONFIG;
}

jbw_status jbw_config_find_functions(const jbw_config *config, jbw_arena *arena, jbw_error *error)
{
    for (size_t i = 0; i < config->item_count; i++) {
        const jbw_item_type *item = &config->items[i];
        jbw_status status = check_called(config, item, NULL, arena, error);
        for (size_t j = 0; !status && j < item->interaction_count; j++)
            status = check_called(config, item, &item->interactions[j], arena, error);
        if (status) return status;
    }
    return JBW_OK;
}
