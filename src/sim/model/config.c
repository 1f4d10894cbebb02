// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/config.h"

#include <string.h>

static const jbw_action paper_actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_LEFT, NULL},
    {JBW_ACTION_TURN_RIGHT, NULL},
};

jbw_config jbw_config_default(void)
{
    return (jbw_config){
        .cookie = JBW_CONFIG_COOKIE,
        .scent_dimensions = 3,
        .color_dimensions = 3,
        .patch_size = 64,
        .mh_iterations = 10000,
        .scent_decay = 0.4,
        .scent_diffusion = 0.14,
        .collision = JBW_COLLISION_FIRST,
        .collection = JBW_COLLECTION_AUTOMATIC,
        .generation = JBW_GENERATION_FRONTIER,
        .memory_budget = 64,
        .maturity = 1.0,
        .agent =
            {
                .vision_range = 8,
                .field_of_view = 360.0,
                .actions = paper_actions,
                .action_count = sizeof paper_actions / sizeof *paper_actions,
            },
    };
}

const char *jbw_action_kind_name(jbw_action_kind kind)
{
    switch (kind) {
    case JBW_ACTION_NO_OP: return "NoOp";
    case JBW_ACTION_MOVE_FORWARD: return "MoveForward";
    case JBW_ACTION_MOVE_BACKWARD: return "MoveBackward";
    case JBW_ACTION_MOVE_LEFT: return "MoveLeft";
    case JBW_ACTION_MOVE_RIGHT: return "MoveRight";
    case JBW_ACTION_TURN_LEFT: return "TurnLeft";
    case JBW_ACTION_TURN_RIGHT: return "TurnRight";
    case JBW_ACTION_TURN_AROUND: return "TurnAround";
    case JBW_ACTION_COLLECT: return "Collect";
    case JBW_ACTION_DROP: return "Drop";
    }
    return "Unknown";
}

jbw_function_set jbw_config_functions(const jbw_config *config)
{
    return (jbw_function_set){
        .intensities = config->intensity_functions,
        .intensity_count = config->intensity_function_count,
        .interactions = config->interaction_functions,
        .interaction_count = config->interaction_function_count,
    };
}

jbw_status jbw_config_compile_intensity(const jbw_config *config, const char *text,
                                        jbw_arena *arena, jbw_intensity *out, jbw_error *error)
{
    if (!text) text = "Zero";
    const jbw_function_set functions = jbw_config_functions(config);
    jbw_expr *expr;
    jbw_status status = jbw_expr_parse_sum(text, strlen(text), arena, &expr, error);
    return status ? status : jbw_intensity_compile(expr, &functions, arena, out, error);
}

jbw_status jbw_config_compile_coupling(const jbw_config *config, const char *text, jbw_arena *arena,
                                       jbw_coupling *out, jbw_error *error)
{
    if (!text) text = "Zero";
    const jbw_function_set functions = jbw_config_functions(config);
    jbw_expr *expr;
    jbw_status status = jbw_expr_parse(text, strlen(text), arena, &expr, error);
    return status ? status : jbw_coupling_compile(expr, &functions, arena, out, error);
}

bool jbw_config_has_things(const jbw_config *config)
{
    bool has_any = config->kind_count + config->body_count + config->agent.tool_count > 0 ||
                   config->agent.voice.symbols > 0;
    for (size_t i = 0; i < config->item_count; i++)
        has_any |= config->items[i].ever_requirement_count + config->items[i].drop_count > 0 ||
                   config->items[i].has_text;
    return has_any;
}

int jbw_config_item_index(const jbw_config *config, const char *name)
{
    for (size_t i = 0; i < config->item_count; i++)
        if (strcmp(config->items[i].name, name) == 0) return (int)i;
    return -1;
}
