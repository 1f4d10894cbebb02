// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Prints a config as a world file: every key, in one order and one spelling, so that equal configs
// have equal texts. YAML and JSON differ only in line breaks and quotes.

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/worldfile/world_file.h"
#include "jbw/io.h"

enum { INDENT = 2 };

typedef struct printer {
    jbw_buffer *out;
    bool as_json;
    bool failed;
    bool is_first; // the next entry is the first one of the open mapping
    int depth;
} printer;

// --- text ---------------------------------------------------------------------------------------

static void put_bytes(printer *p, const char *text, size_t length)
{
    if (!p->failed) p->failed = !jbw_buffer_append(p->out, text, length);
}

static void put(printer *p, const char *text)
{
    put_bytes(p, text, strlen(text));
}

static void put_indent(printer *p)
{
    for (int i = 0; i < INDENT * p->depth; i++) put(p, " ");
}

static void put_quoted(printer *p, const char *text)
{
    put(p, "\"");
    for (const char *at = text; *at; at++) {
        char escaped[8];
        if (*at == '"' || *at == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *at);
        else if ((unsigned char)*at < ' ' || *at == 0x7f)
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*at);
        else
            snprintf(escaped, sizeof escaped, "%c", *at);
        put(p, escaped);
    }
    put(p, "\"");
}

// words that YAML, or some of its parsers, take for something other than text
static bool is_special(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = 0;
        while (words[i][k] && (text[k] | 0x20) == words[i][k]) k++;
        if (!words[i][k] && !text[k]) return true;
    }
    return false;
}

// names and expressions are printed without quotes, unless the format or the context needs them
static void put_text(printer *p, const char *text, bool is_in_list)
{
    bool is_plain = !p->as_json && !is_special(text) &&
                    ((text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z'));
    const char *allowed = is_in_list ? "_" : "_.,+-[]() ";
    for (const char *at = text; is_plain && *at; at++) {
        const bool is_word =
            (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9');
        is_plain = is_word || strchr(allowed, *at) != NULL;
    }
    if (is_plain)
        put(p, text);
    else
        put_quoted(p, text);
}

// --- mappings -----------------------------------------------------------------------------------

static void put_key(printer *p, const char *key)
{
    if (p->as_json) put(p, p->is_first ? "\n" : ",\n");
    p->is_first = false;
    put_indent(p);
    put_text(p, key, true);
    put(p, ":");
}

static void open_mapping(printer *p, const char *key)
{
    if (key) put_key(p, key);
    if (p->as_json)
        put(p, key ? " {" : "{");
    else if (key)
        put(p, "\n");
    if (key || p->as_json) p->depth++;
    p->is_first = true;
}

static void close_mapping(printer *p)
{
    if (p->depth > 0) p->depth--;
    p->is_first = false;
    if (!p->as_json) return;
    put(p, "\n");
    put_indent(p);
    put(p, "}");
}

static void begin_value(printer *p, const char *key)
{
    put_key(p, key);
    put(p, " ");
}

static void end_value(printer *p)
{
    if (!p->as_json) put(p, "\n");
}

// --- values -------------------------------------------------------------------------------------

static void put_number(printer *p, double value)
{
    char text[JBW_DOUBLE_TEXT_SIZE];
    jbw_format_double(value, text);
    // JSON parsers take "-0" for an integer, which has no negative zero
    put(p, strcmp(text, "-0") == 0 ? "-0.0" : text);
}

static void put_whole(printer *p, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put(p, text);
}

static void print_number(printer *p, const char *key, double value)
{
    begin_value(p, key);
    put_number(p, value);
    end_value(p);
}

static void print_whole(printer *p, const char *key, uint64_t value)
{
    begin_value(p, key);
    put_whole(p, value);
    end_value(p);
}

static void print_bool(printer *p, const char *key, bool value)
{
    begin_value(p, key);
    put(p, value ? "true" : "false");
    end_value(p);
}

static void print_text(printer *p, const char *key, const char *text)
{
    begin_value(p, key);
    put_text(p, text, false);
    end_value(p);
}

// NULL means all zero
static void print_vector(printer *p, const char *key, const double *values, int count)
{
    begin_value(p, key);
    put(p, "[");
    for (int i = 0; i < count; i++) {
        if (i > 0) put(p, ", ");
        put_number(p, values ? values[i] : 0);
    }
    put(p, "]");
    end_value(p);
}

// --- expressions --------------------------------------------------------------------------------

static bool is_number_part(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-';
}

static bool is_name_part(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Normalises an expression that was checked: spaces only after commas and around '&', numbers as
// short as possible.
static bool spell_expression(const char *text, jbw_buffer *out)
{
    static const char wedge[] = "\xe2\x88\xa7"; // U+2227, an alternative to '&'
    bool done = true;
    for (const char *at = text; done && *at;) {
        char number[JBW_DOUBLE_TEXT_SIZE];
        double value;
        size_t length = 1;
        if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
            at++;
            continue;
        }
        if (*at == '&' || strncmp(at, wedge, strlen(wedge)) == 0) {
            length = *at == '&' ? 1 : strlen(wedge);
            done = jbw_buffer_append(out, " & ", 3);
        } else if (*at == ',') {
            done = jbw_buffer_append(out, ", ", 2);
        } else if (is_number_part(*at)) {
            while (is_number_part(at[length]) || at[length] == 'e' || at[length] == 'E') length++;
            if (jbw_parse_double(at, length, &value)) {
                jbw_format_double(value, number);
                done = jbw_buffer_append(out, number, strlen(number));
            } else {
                done = jbw_buffer_append(out, at, length);
            }
        } else {
            while (is_name_part(*at) && is_name_part(at[length])) length++;
            done = jbw_buffer_append(out, at, length);
        }
        at += length;
    }
    return done && jbw_buffer_append(out, "", 1);
}

static void print_expression(printer *p, const char *key, const char *expression)
{
    jbw_buffer spelt = {.allocator = p->out->allocator};
    if (spell_expression(expression ? expression : "Zero", &spelt))
        print_text(p, key, (const char *)spelt.bytes);
    else
        p->failed = true;
    jbw_buffer_free(&spelt);
}

// --- the parts of a config ----------------------------------------------------------------------

static bool has_action(const jbw_body *body, const jbw_action *action)
{
    for (size_t i = 0; i < body->action_count; i++) {
        const jbw_action *own = &body->actions[i];
        if (own->kind == action->kind && (!own->item || strcmp(own->item, action->item) == 0))
            return true;
    }
    return !body->actions;
}

// all actions of agents, or those that a body has
static void print_actions(printer *p, const jbw_agent_config *agent, const jbw_body *body)
{
    bool is_first = true;
    begin_value(p, "actions");
    put(p, "[");
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_action *action = &agent->actions[i];
        if (body && !has_action(body, action)) continue;
        char text[160];
        snprintf(text, sizeof text, action->item ? "%s[%s]" : "%s",
                 jbw_action_kind_name(action->kind), action->item);
        if (!is_first) put(p, ", ");
        is_first = false;
        put_text(p, text, true);
    }
    put(p, "]");
    end_value(p);
}

static void print_tools(printer *p, const jbw_agent_config *agent)
{
    if (agent->tool_count == 0) return;
    open_mapping(p, "tools");
    for (size_t t = 0; t < agent->tool_count; t++) {
        const jbw_sight_keys *keys = &agent->tools[t].sight;
        open_mapping(p, agent->tools[t].item);
        if (keys->has_vision_range) print_whole(p, "vision_range", (uint64_t)keys->vision_range);
        if (keys->has_field_of_view) print_number(p, "field_of_view", keys->field_of_view);
        if (keys->has_visual_occlusion) print_bool(p, "visual_occlusion", keys->visual_occlusion);
        close_mapping(p);
    }
    close_mapping(p);
}

static void print_agent(printer *p, const jbw_config *config)
{
    const jbw_agent_config *agent = &config->agent;
    open_mapping(p, "agent");
    print_vector(p, "color", agent->color, config->color_dimensions);
    print_vector(p, "scent", agent->scent, config->scent_dimensions);
    print_whole(p, "vision_range", (uint64_t)agent->vision_range);
    print_number(p, "field_of_view", agent->field_of_view);
    print_bool(p, "visual_occlusion", agent->visual_occlusion);
    print_actions(p, agent, NULL);
    if (agent->voice.symbols > 0) {
        open_mapping(p, "voice");
        print_whole(p, "symbols", (uint64_t)agent->voice.symbols);
        print_whole(p, "range", (uint64_t)agent->voice.range);
        close_mapping(p);
    }
    print_tools(p, agent);
    close_mapping(p);
}

// what a body leaves out is printed as what it stands for
static void print_body(printer *p, const jbw_config *config, const jbw_body *body)
{
    const jbw_agent_config *agent = &config->agent;
    const jbw_sight_keys *keys = &body->sight;
    open_mapping(p, body->name);
    print_vector(p, "color", body->color ? body->color : agent->color, config->color_dimensions);
    print_vector(p, "scent", body->scent ? body->scent : agent->scent, config->scent_dimensions);
    print_whole(p, "vision_range",
                (uint64_t)(keys->has_vision_range ? keys->vision_range : agent->vision_range));
    print_number(p, "field_of_view",
                 keys->has_field_of_view ? keys->field_of_view : agent->field_of_view);
    print_bool(p, "visual_occlusion",
               keys->has_visual_occlusion ? keys->visual_occlusion : agent->visual_occlusion);
    print_actions(p, agent, body);
    close_mapping(p);
}

static void print_bodies(printer *p, const jbw_config *config)
{
    if (config->body_count == 0) return;
    open_mapping(p, "bodies");
    for (size_t b = 0; b < config->body_count; b++) print_body(p, config, &config->bodies[b]);
    close_mapping(p);
}

static void print_kinds(printer *p, const jbw_config *config)
{
    if (config->kind_count == 0) return;
    open_mapping(p, "kinds");
    for (size_t k = 0; k < config->kind_count; k++) {
        const jbw_kind *kind = &config->kinds[k];
        begin_value(p, kind->name);
        put(p, "[");
        for (size_t i = 0; i < kind->member_count; i++) {
            if (i > 0) put(p, ", ");
            put_text(p, kind->members[i], true);
        }
        put(p, "]");
        end_value(p);
    }
    close_mapping(p);
}

static void print_counts(printer *p, const char *key, const jbw_item_count *counts, size_t count)
{
    if (count == 0) return;
    open_mapping(p, key);
    for (size_t i = 0; i < count; i++) print_whole(p, counts[i].item, counts[i].count);
    close_mapping(p);
}

static void print_season(printer *p, const jbw_season *season)
{
    if (season->period == 0) return;
    open_mapping(p, "season");
    print_whole(p, "period", season->period);
    print_whole(p, "from", season->from);
    print_whole(p, "to", season->to);
    close_mapping(p);
}

static void print_item(printer *p, const jbw_config *config, const jbw_item_type *item)
{
    open_mapping(p, item->name);
    print_vector(p, "color", item->color, config->color_dimensions);
    print_vector(p, "scent", item->scent, config->scent_dimensions);
    print_number(p, "occlusion", item->occlusion);
    print_bool(p, "blocks_movement", item->blocks_movement);
    print_bool(p, "collectable", !item->is_uncollectable);
    print_expression(p, "intensity", item->intensity);
    if (item->interaction_count > 0) {
        open_mapping(p, "interactions");
        for (size_t i = 0; i < item->interaction_count; i++)
            print_expression(p, item->interactions[i].item, item->interactions[i].expression);
        close_mapping(p);
    }
    print_counts(p, "requires", item->requirements, item->requirement_count);
    print_counts(p, "costs", item->costs, item->cost_count);
    print_counts(p, "requires_ever", item->ever_requirements, item->ever_requirement_count);
    print_counts(p, "drops", item->drops, item->drop_count);
    print_season(p, &item->season);
    if (item->regrows) print_expression(p, "regrows", item->regrows);
    if (item->has_text) print_bool(p, "text", true);
    close_mapping(p);
}

jbw_status jbw_world_file_print(const jbw_config *config, bool as_json, jbw_buffer *out)
{
    const size_t size = out->size;
    const jbw_status status = jbw_config_check(config, NULL, NULL);
    if (status) return status;

    printer p = {.out = out, .as_json = as_json};
    open_mapping(&p, NULL);
    print_whole(&p, "scent_dimensions", (uint64_t)config->scent_dimensions);
    print_whole(&p, "color_dimensions", (uint64_t)config->color_dimensions);
    print_whole(&p, "patch_size", (uint64_t)config->patch_size);
    print_whole(&p, "mh_iterations", (uint64_t)config->mh_iterations);
    print_number(&p, "scent_decay", config->scent_decay);
    print_number(&p, "scent_diffusion", config->scent_diffusion);
    print_text(&p, "collision", jbw_collision_words[config->collision]);
    print_text(&p, "collection", jbw_collection_words[config->collection]);
    print_text(&p, "generation", jbw_generation_words[config->generation]);
    print_whole(&p, "memory_budget", (uint64_t)config->memory_budget);
    if (config->maturity != 1.0) print_number(&p, "maturity", config->maturity);
    print_agent(&p, config);
    print_bodies(&p, config);
    print_kinds(&p, config);
    if (config->item_count > 0) {
        open_mapping(&p, "items");
        for (size_t i = 0; i < config->item_count; i++) print_item(&p, config, &config->items[i]);
        close_mapping(&p);
    }
    if (as_json) {
        close_mapping(&p);
        put(&p, "\n");
    }
    if (!p.failed) return JBW_OK;
    out->size = size;
    return JBW_OUT_OF_MEMORY;
}
