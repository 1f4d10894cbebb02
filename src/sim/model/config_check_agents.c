// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Finds what is wrong with agents, their tools and their bodies.

#include <float.h>
#include <string.h>

#include "base/text.h"
#include "sim/model/body.h"
#include "sim/model/config_checker.h"

// ---- eyes ----

static bool check_range(jbw_checker *c, const char *where, int range)
{
    const int patch_size = c->config->patch_size;
    const int farthest = patch_size > 0 ? (patch_size - 1) / 2 : JBW_MAX_PATCH_SIZE;
    if (range >= 0 && range <= farthest) return true;
    jbw_checker_report(
        c, 0, where,
        "found %d, expected 0 to %d: agents see at most half a patch, and patch_size is %d", range,
        farthest, patch_size);
    return false;
}

static void check_field_of_view(jbw_checker *c, const char *where, double field_of_view)
{
    jbw_checker_number(c, where, field_of_view, DBL_TRUE_MIN, 360.0,
                       "an angle above 0, up to 360 degrees");
}

// false if the range is wrong
static bool check_sight(jbw_checker *c, const char *where, const jbw_sight_keys *keys)
{
    if (keys->has_field_of_view)
        check_field_of_view(c, jbw_checker_path_of("%s.field_of_view", where).text,
                            keys->field_of_view);
    return !keys->has_vision_range ||
           check_range(c, jbw_checker_path_of("%s.vision_range", where).text, keys->vision_range);
}

static bool are_too_far(jbw_eyes eyes)
{
    return eyes.has_occlusion && eyes.range > JBW_MAX_OCCLUDED_RANGE;
}

// the key that is to blame: the one that a person would change
static void report_too_far(jbw_checker *c, const char *where, const jbw_sight_keys *keys,
                           jbw_eyes eyes)
{
    const char *key = keys->has_vision_range ? "vision_range" : "visual_occlusion";
    const jbw_checker_path path = jbw_checker_path_of("%s.%s", where, key);
    if (keys->has_vision_range)
        jbw_checker_report(c, 0, path.text, "found %d, expected at most %d with visual_occlusion",
                           eyes.range, JBW_MAX_OCCLUDED_RANGE);
    else
        jbw_checker_report(c, 0, path.text,
                           "found true, expected a vision_range of at most %d with it, but it can "
                           "be %d",
                           JBW_MAX_OCCLUDED_RANGE, eyes.range);
}

// What agents with any body and any tools see. Tools come in the order of the config, each carried
// or not; eyes that are too far are reported where they first are.
static void check_eyes(jbw_checker *c)
{
    const jbw_config *config = c->config;
    jbw_eyes list[JBW_MAX_VIEWS];
    int count = 0;
    bool has_room = true;
    for (size_t b = 0; b <= config->body_count && has_room; b++) {
        const jbw_eyes eyes = jbw_eyes_of_body(config, b);
        has_room = jbw_eyes_add(list, &count, eyes);
        if (!are_too_far(eyes)) continue;
        static const jbw_sight_keys all = {.has_vision_range = true};
        if (b == 0) {
            report_too_far(c, "agent", &all, eyes);
            return; // the others have inherited it
        }
        report_too_far(c, jbw_checker_path_of("bodies.%s", config->bodies[b - 1].name).text,
                       &config->bodies[b - 1].sight, eyes);
    }
    for (size_t t = 0; t < config->agent.tool_count && has_room; t++) {
        const jbw_tool *tool = &config->agent.tools[t];
        const int before = count;
        bool is_reported = false;
        for (int i = 0; i < before && has_room; i++) {
            const jbw_eyes eyes = jbw_eyes_with(list[i], &tool->sight);
            has_room = jbw_eyes_add(list, &count, eyes);
            if (is_reported || are_too_far(list[i]) || !are_too_far(eyes)) continue;
            report_too_far(c, jbw_checker_path_of("agent.tools.%s", tool->item).text, &tool->sight,
                           eyes);
            is_reported = true;
        }
    }
    if (!has_room)
        jbw_checker_report(c, 0, config->agent.tool_count > 0 ? "agent.tools" : "bodies",
                           "bodies and tools make more than %d different combinations of "
                           "vision_range, field_of_view and visual_occlusion, expected fewer",
                           JBW_MAX_VIEWS);
}

// ---- actions ----

static void check_action(jbw_checker *c, const char *where, const jbw_action *actions, size_t index)
{
    const jbw_action *action = &actions[index];
    if ((int)action->kind < 0 || action->kind > JBW_ACTION_DROP)
        jbw_checker_report(c, 0, where, "found %d, expected an action", (int)action->kind);
    for (size_t i = 0; i < index; i++) {
        if (!jbw_actions_are_same(action, &actions[i])) continue;
        jbw_checker_report(c, 0, where, "'%s' is listed twice", jbw_action_kind_name(action->kind));
        return;
    }
}

static void check_actions(jbw_checker *c)
{
    const jbw_agent_config *agent = &c->config->agent;
    if (agent->action_count < 1 || agent->action_count > JBW_MAX_ACTIONS) {
        jbw_checker_report(c, 0, "agent.actions", "found %zu actions, expected 1 to %d",
                           agent->action_count, JBW_MAX_ACTIONS);
        return;
    }
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_checker_path where = jbw_checker_path_of("agent.actions.%zu", i);
        const jbw_action *action = &agent->actions[i];
        if (action->kind == JBW_ACTION_DROP) jbw_checker_item(c, where.text, action->item);
        check_action(c, where.text, agent->actions, i);
    }
}

static bool is_action_of_agents(const jbw_agent_config *agent, const jbw_action *action)
{
    for (size_t i = 0; i < agent->action_count; i++)
        if (jbw_actions_are_same(&agent->actions[i], action)) return true;
    return false;
}

static void check_body_actions(jbw_checker *c, const jbw_body *body)
{
    if (body->actions && body->action_count < 1)
        jbw_checker_report(c, 0, jbw_checker_path_of("bodies.%s.actions", body->name).text,
                           "found no actions, expected some of agent.actions");
    // without a list a body has all actions, whatever the count says
    for (size_t i = 0; body->actions && i < body->action_count; i++) {
        const jbw_action *action = &body->actions[i];
        const jbw_checker_path where = jbw_checker_path_of("bodies.%s.actions.%zu", body->name, i);
        check_action(c, where.text, body->actions, i);
        if (is_action_of_agents(&c->config->agent, action)) continue;
        const bool has_item = action->kind == JBW_ACTION_DROP && action->item;
        jbw_checker_report(c, 0, where.text, "'%s%s%s%s' is not one of agent.actions",
                           jbw_action_kind_name(action->kind), has_item ? "[" : "",
                           has_item ? action->item : "", has_item ? "]" : "");
    }
}

// ---- tools and bodies ----

// false if its range is wrong
static bool check_tool(jbw_checker *c, size_t index)
{
    const jbw_tool *tools = c->config->agent.tools;
    const jbw_tool *tool = &tools[index];
    const jbw_checker_path where =
        jbw_checker_path_of("agent.tools.%s", tool->item ? tool->item : "");
    jbw_checker_item(c, where.text, tool->item);
    if (!tool->item) return true;
    const int type = jbw_config_item_index(c->config, tool->item);
    if (type >= 0 && c->config->items[type].is_uncollectable)
        jbw_checker_report(c, 0, where.text, "'%s' is never carried: it is not collectable",
                           tool->item);
    for (size_t i = 0; i < index; i++)
        if (tools[i].item && strcmp(tools[i].item, tool->item) == 0)
            jbw_checker_report(c, 0, where.text, "'%s' is listed twice", tool->item);
    const jbw_sight_keys *keys = &tool->sight;
    if (!keys->has_vision_range && !keys->has_field_of_view && !keys->has_visual_occlusion)
        jbw_checker_report(c, 0, where.text,
                           "it changes nothing, expected vision_range, field_of_view or "
                           "visual_occlusion");
    return check_sight(c, where.text, keys);
}

static bool check_body(jbw_checker *c, size_t index)
{
    const jbw_config *config = c->config;
    const jbw_body *body = &config->bodies[index];
    const jbw_checker_path where = jbw_checker_path_of("bodies.%s", body->name);
    if (!jbw_is_name(body->name))
        jbw_checker_report(
            c, 0, where.text,
            "found '%.60s', expected a body's name of at most 100 letters, digits and '_'",
            body->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(config->bodies[i].name, body->name) == 0)
            jbw_checker_report(c, 0, where.text, "'%s' is listed twice", body->name);
    jbw_checker_vector(c, jbw_checker_path_of("%s.color", where.text).text, body->color,
                       config->color_dimensions);
    jbw_checker_vector(c, jbw_checker_path_of("%s.scent", where.text).text, body->scent,
                       config->scent_dimensions);
    check_body_actions(c, body);
    return check_sight(c, where.text, &body->sight);
}

// those who hear each other are in the same patch, or in neighboring ones
static void check_voice(jbw_checker *c)
{
    const jbw_voice *voice = &c->config->agent.voice;
    if (voice->symbols == 0 && voice->range == 0) return;
    jbw_checker_int(c, "agent.voice.symbols", voice->symbols, 1, JBW_MAX_SYMBOLS);
    const int patch_size = c->config->patch_size;
    const int farthest = patch_size > 0 ? patch_size : JBW_MAX_PATCH_SIZE;
    if (voice->range < 1 || voice->range > farthest)
        jbw_checker_report(c, 0, "agent.voice.range",
                           "found %d, expected 1 to %d: a voice reaches at most as far as a patch, "
                           "and patch_size is %d",
                           voice->range, farthest, patch_size);
}

void jbw_checker_agents(jbw_checker *c)
{
    const jbw_config *config = c->config;
    const jbw_agent_config *agent = &config->agent;
    jbw_checker_vector(c, "agent.color", agent->color, config->color_dimensions);
    jbw_checker_vector(c, "agent.scent", agent->scent, config->scent_dimensions);
    bool has_good_ranges = check_range(c, "agent.vision_range", agent->vision_range);
    check_field_of_view(c, "agent.field_of_view", agent->field_of_view);
    check_voice(c);
    check_actions(c);
    for (size_t t = 0; t < agent->tool_count; t++)
        has_good_ranges = check_tool(c, t) && has_good_ranges;
    for (size_t b = 0; b < config->body_count; b++)
        has_good_ranges = check_body(c, b) && has_good_ranges;
    if (has_good_ranges) check_eyes(c);
}
