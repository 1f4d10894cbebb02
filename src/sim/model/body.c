// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/body.h"

#include <string.h>

#include "sim/model/config.h"
#include "sim/model/model.h"

// ---- eyes ----

jbw_eyes jbw_eyes_with(jbw_eyes eyes, const jbw_sight_keys *keys)
{
    if (keys->has_vision_range) eyes.range = keys->vision_range;
    if (keys->has_field_of_view) eyes.field_of_view = keys->field_of_view;
    if (keys->has_visual_occlusion) eyes.has_occlusion = keys->visual_occlusion;
    return eyes;
}

jbw_eyes jbw_eyes_of_body(const jbw_config *config, size_t body)
{
    const jbw_agent_config *agent = &config->agent;
    const jbw_eyes eyes = {agent->vision_range, agent->field_of_view, agent->visual_occlusion};
    return body == 0 ? eyes : jbw_eyes_with(eyes, &config->bodies[body - 1].sight);
}

bool jbw_eyes_are_same(jbw_eyes a, jbw_eyes b)
{
    return a.range == b.range && a.field_of_view == b.field_of_view &&
           a.has_occlusion == b.has_occlusion;
}

bool jbw_eyes_add(jbw_eyes list[JBW_MAX_VIEWS], int *count, jbw_eyes eyes)
{
    for (int i = 0; i < *count; i++)
        if (jbw_eyes_are_same(list[i], eyes)) return true;
    if (*count == JBW_MAX_VIEWS) return false;
    list[(*count)++] = eyes;
    return true;
}

bool jbw_eyes_list(const jbw_config *config, jbw_eyes list[JBW_MAX_VIEWS], int *count)
{
    *count = 0;
    for (size_t b = 0; b <= config->body_count; b++)
        if (!jbw_eyes_add(list, count, jbw_eyes_of_body(config, b))) return false;
    // each tool is carried or not, whatever the tools before it have done
    for (size_t t = 0; t < config->agent.tool_count; t++) {
        const int before = *count;
        for (int i = 0; i < before; i++)
            if (!jbw_eyes_add(list, count, jbw_eyes_with(list[i], &config->agent.tools[t].sight)))
                return false;
    }
    return true;
}

// ---- bodies ----

bool jbw_actions_are_same(const jbw_action *a, const jbw_action *b)
{
    return a->kind == b->kind &&
           (a->kind != JBW_ACTION_DROP || (a->item && b->item && strcmp(a->item, b->item) == 0));
}

bool jbw_config_body_can(const jbw_config *config, const jbw_body *body, size_t action)
{
    if (!body->actions) return true;
    for (size_t i = 0; i < body->action_count; i++)
        if (jbw_actions_are_same(&body->actions[i], &config->agent.actions[action])) return true;
    return false;
}

static bool copy_vector(jbw_arena *arena, const double *values, int count, const double **out)
{
    double *copy = jbw_arena_alloc(arena, (size_t)count, sizeof *copy);
    if (copy && values) memcpy(copy, values, (size_t)count * sizeof *copy);
    *out = copy;
    return copy != NULL;
}

static bool build_body(jbw_model *model, const jbw_config *config, size_t index)
{
    static const jbw_body plain = {0};
    const jbw_body *from = index == 0 ? &plain : &config->bodies[index - 1];
    jbw_body_model *to = &model->bodies[index];
    const double *color = from->color ? from->color : config->agent.color;
    const double *scent = from->scent ? from->scent : config->agent.scent;
    bool *can = jbw_arena_alloc(&model->arena, config->agent.action_count, sizeof *can);
    if (!can || !copy_vector(&model->arena, color, config->color_dimensions, &to->color) ||
        !copy_vector(&model->arena, scent, config->scent_dimensions, &to->scent))
        return false;
    for (size_t i = 0; i < config->agent.action_count; i++)
        can[i] = jbw_config_body_can(config, from, i);
    to->can = can;
    to->eyes = jbw_eyes_of_body(config, index);
    if (from->name) to->name = jbw_arena_text(&model->arena, from->name, strlen(from->name));
    return to->name || !from->name;
}

bool jbw_bodies_build(jbw_model *model, const jbw_config *config)
{
    const size_t tool_count = config->agent.tool_count;
    model->bodies = jbw_arena_alloc(&model->arena, config->body_count + 1, sizeof *model->bodies);
    model->tools = jbw_arena_alloc(&model->arena, tool_count, sizeof *model->tools);
    if (!model->bodies || !model->tools) return false;
    model->body_count = (int)config->body_count + 1;
    model->tool_count = (int)tool_count;
    for (size_t t = 0; t < tool_count; t++) {
        const jbw_tool *tool = &config->agent.tools[t];
        model->tools[t] = (jbw_tool_model){jbw_config_item_index(config, tool->item), tool->sight};
    }
    for (size_t b = 0; b <= config->body_count; b++)
        if (!build_body(model, config, b)) return false;
    return true;
}

const jbw_outlook *jbw_bodies_view(const jbw_model *model, int body, const uint64_t *inventory)
{
    jbw_eyes eyes = model->bodies[body].eyes;
    for (int t = 0; t < model->tool_count; t++)
        if (inventory[model->tools[t].item_type] > 0)
            eyes = jbw_eyes_with(eyes, &model->tools[t].sight);
    const jbw_outlook *view = model->vision.views;
    while (!jbw_eyes_are_same(view->eyes, eyes)) view++;
    return view;
}

// ---- queries ----

static const jbw_body_model *find_body(const jbw_model *model, int body)
{
    return body >= 0 && body < model->body_count ? &model->bodies[body] : NULL;
}

const double *jbw_model_view(const jbw_model *model, int body, const uint64_t *inventory)
{
    const jbw_body_model *found = find_body(model, body);
    if (!found) return NULL;
    return inventory ? jbw_bodies_view(model, body, inventory)->mask : found->view->mask;
}

int jbw_model_body_count(const jbw_model *model)
{
    return model->body_count;
}

const char *jbw_model_body_name(const jbw_model *model, int body)
{
    const jbw_body_model *found = find_body(model, body);
    return found ? found->name : NULL;
}

int jbw_model_body(const jbw_model *model, const char *name)
{
    for (int b = 1; b < model->body_count; b++)
        if (strcmp(model->bodies[b].name, name) == 0) return b;
    return -1;
}

const double *jbw_model_body_color(const jbw_model *model, int body)
{
    const jbw_body_model *found = find_body(model, body);
    return found ? found->color : NULL;
}

bool jbw_model_body_can(const jbw_model *model, int body, int action)
{
    const jbw_body_model *found = find_body(model, body);
    return found && action >= 0 && action < model->action_count && found->can[action];
}

bool jbw_model_item_is_tool(const jbw_model *model, int item_type)
{
    for (int t = 0; t < model->tool_count; t++)
        if (model->tools[t].item_type == item_type) return true;
    return false;
}
