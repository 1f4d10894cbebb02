// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/config_code.h"

#include "base/text.h"
#include "sim/model/body.h"
#include "sim/model/config.h"

// flags of an item type
enum { BLOCKS_MOVEMENT = 1, IS_UNCOLLECTABLE = 2 };

// sections after the generation, each with what was added later
enum {
    SECTION_SEASONS = 1,
    SECTION_REGROWTH = 2,
    SECTION_KINDS = 3,
    SECTION_EVER = 4,
    SECTION_DROPS = 5,
    // the maturity of worlds that had other cells: neither their snapshots nor their stored patches
    // belong to the worlds of today, so it is refused
    SECTION_FORMER_MATURITY = 6,
    SECTION_BODIES = 7,
    SECTION_TOOLS = 8,
    SECTION_TEXTS = 9,
    SECTION_VOICE = 10,
    SECTION_MATURITY = 11,
    SECTION_LAST = SECTION_MATURITY,
};

// flags of a tool
enum { HAS_RANGE = 1, HAS_FIELD = 2, HAS_OCCLUSION = 4, IS_OCCLUDED = 8, ALL_TOOL_FLAGS = 15 };

// ---- writing ----

static void write_vector(jbw_writer *writer, const double *values, int count)
{
    for (int i = 0; i < count; i++) jbw_write_double(writer, values ? values[i] : 0.0);
}

static void write_counts(jbw_writer *writer, const jbw_item_count *counts, size_t count)
{
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < count; i++) {
        jbw_write_text(writer, counts[i].item);
        jbw_write_varint(writer, counts[i].count);
    }
}

static const char *expression_of(const char *text)
{
    return text ? text : "Zero";
}

static void write_agent(jbw_writer *writer, const jbw_config *config)
{
    const jbw_agent_config *agent = &config->agent;
    write_vector(writer, agent->color, config->color_dimensions);
    write_vector(writer, agent->scent, config->scent_dimensions);
    jbw_write_varint(writer, (uint64_t)agent->vision_range);
    jbw_write_double(writer, agent->field_of_view);
    jbw_write_u8(writer, agent->visual_occlusion);
    jbw_write_varint(writer, agent->action_count);
    for (size_t i = 0; i < agent->action_count; i++) {
        jbw_write_u8(writer, (uint8_t)agent->actions[i].kind);
        if (agent->actions[i].kind == JBW_ACTION_DROP)
            jbw_write_text(writer, agent->actions[i].item);
    }
}

static void write_item(jbw_writer *writer, const jbw_config *config, const jbw_item_type *item)
{
    jbw_write_text(writer, item->name);
    write_vector(writer, item->color, config->color_dimensions);
    write_vector(writer, item->scent, config->scent_dimensions);
    jbw_write_double(writer, item->occlusion);
    jbw_write_u8(writer, (uint8_t)((item->blocks_movement ? BLOCKS_MOVEMENT : 0) |
                                   (item->is_uncollectable ? IS_UNCOLLECTABLE : 0)));
    jbw_write_text(writer, expression_of(item->intensity));
    jbw_write_varint(writer, item->interaction_count);
    for (size_t i = 0; i < item->interaction_count; i++) {
        jbw_write_text(writer, item->interactions[i].item);
        jbw_write_text(writer, expression_of(item->interactions[i].expression));
    }
    write_counts(writer, item->requirements, item->requirement_count);
    write_counts(writer, item->costs, item->cost_count);
}

static size_t count_seasons(const jbw_config *config)
{
    size_t count = 0;
    for (size_t i = 0; i < config->item_count; i++) count += config->items[i].season.period != 0;
    return count;
}

static void write_seasons(jbw_writer *writer, const jbw_config *config)
{
    jbw_write_u8(writer, SECTION_SEASONS);
    jbw_write_varint(writer, count_seasons(config));
    for (size_t i = 0; i < config->item_count; i++) {
        const jbw_season *season = &config->items[i].season;
        if (season->period == 0) continue;
        jbw_write_varint(writer, i);
        jbw_write_varint(writer, season->period);
        jbw_write_varint(writer, season->from);
        jbw_write_varint(writer, season->to);
    }
}

static size_t count_regrowing(const jbw_config *config)
{
    size_t count = 0;
    for (size_t i = 0; i < config->item_count; i++) count += config->items[i].regrows != NULL;
    return count;
}

static void write_regrowth(jbw_writer *writer, const jbw_config *config)
{
    jbw_write_u8(writer, SECTION_REGROWTH);
    jbw_write_varint(writer, count_regrowing(config));
    for (size_t i = 0; i < config->item_count; i++) {
        if (!config->items[i].regrows) continue;
        jbw_write_varint(writer, i);
        jbw_write_text(writer, config->items[i].regrows);
    }
}

static void write_kinds(jbw_writer *writer, const jbw_config *config)
{
    jbw_write_u8(writer, SECTION_KINDS);
    jbw_write_varint(writer, config->kind_count);
    for (size_t k = 0; k < config->kind_count; k++) {
        const jbw_kind *kind = &config->kinds[k];
        jbw_write_text(writer, kind->name);
        jbw_write_varint(writer, kind->member_count);
        for (size_t i = 0; i < kind->member_count; i++) jbw_write_text(writer, kind->members[i]);
    }
}

// what the item types ask for in one of two ways; nothing if none does
static void write_count_section(jbw_writer *writer, const jbw_config *config, int section)
{
    size_t type_count = 0;
    for (int is_written = 0; is_written < 2; is_written++) {
        for (size_t i = 0; i < config->item_count; i++) {
            const jbw_item_type *item = &config->items[i];
            const bool is_ever = section == SECTION_EVER;
            const size_t count = is_ever ? item->ever_requirement_count : item->drop_count;
            if (count == 0) continue;
            type_count += !is_written;
            if (!is_written) continue;
            jbw_write_varint(writer, i);
            write_counts(writer, is_ever ? item->ever_requirements : item->drops, count);
        }
        if (type_count == 0) return;
        if (is_written) return;
        jbw_write_u8(writer, (uint8_t)section);
        jbw_write_varint(writer, type_count);
    }
}

// what a body leaves out is written as what it stands for
static void write_body(jbw_writer *writer, const jbw_config *config, size_t index)
{
    const jbw_body *body = &config->bodies[index];
    const jbw_eyes eyes = jbw_eyes_of_body(config, index + 1);
    jbw_write_text(writer, body->name);
    write_vector(writer, body->color ? body->color : config->agent.color, config->color_dimensions);
    write_vector(writer, body->scent ? body->scent : config->agent.scent, config->scent_dimensions);
    jbw_write_varint(writer, (uint64_t)eyes.range);
    jbw_write_double(writer, eyes.field_of_view);
    jbw_write_u8(writer, eyes.has_occlusion);
    for (size_t i = 0; i < config->agent.action_count; i++)
        jbw_write_u8(writer, jbw_config_body_can(config, body, i));
}

static void write_bodies(jbw_writer *writer, const jbw_config *config)
{
    jbw_write_u8(writer, SECTION_BODIES);
    jbw_write_varint(writer, config->body_count);
    for (size_t b = 0; b < config->body_count; b++) write_body(writer, config, b);
}

static void write_tools(jbw_writer *writer, const jbw_config *config)
{
    jbw_write_u8(writer, SECTION_TOOLS);
    jbw_write_varint(writer, config->agent.tool_count);
    for (size_t t = 0; t < config->agent.tool_count; t++) {
        const jbw_sight_keys *keys = &config->agent.tools[t].sight;
        const bool is_occluded = keys->has_visual_occlusion && keys->visual_occlusion;
        jbw_write_text(writer, config->agent.tools[t].item);
        jbw_write_u8(writer, (uint8_t)((keys->has_vision_range ? HAS_RANGE : 0) |
                                       (keys->has_field_of_view ? HAS_FIELD : 0) |
                                       (keys->has_visual_occlusion ? HAS_OCCLUSION : 0) |
                                       (is_occluded ? IS_OCCLUDED : 0)));
        if (keys->has_vision_range) jbw_write_varint(writer, (uint64_t)keys->vision_range);
        if (keys->has_field_of_view) jbw_write_double(writer, keys->field_of_view);
    }
}

static void write_texts(jbw_writer *writer, const jbw_config *config)
{
    size_t count = 0;
    for (size_t i = 0; i < config->item_count; i++) count += config->items[i].has_text;
    if (count == 0) return;
    jbw_write_u8(writer, SECTION_TEXTS);
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < config->item_count; i++)
        if (config->items[i].has_text) jbw_write_varint(writer, i);
}

static void write_voice(jbw_writer *writer, const jbw_voice *voice)
{
    if (voice->symbols == 0) return;
    jbw_write_u8(writer, SECTION_VOICE);
    jbw_write_varint(writer, (uint64_t)voice->symbols);
    jbw_write_varint(writer, (uint64_t)voice->range);
}

void jbw_config_encode(const jbw_config *config, jbw_writer *writer)
{
    jbw_write_varint(writer, (uint64_t)config->scent_dimensions);
    jbw_write_varint(writer, (uint64_t)config->color_dimensions);
    jbw_write_varint(writer, (uint64_t)config->patch_size);
    jbw_write_varint(writer, (uint64_t)config->mh_iterations);
    jbw_write_double(writer, config->scent_decay);
    jbw_write_double(writer, config->scent_diffusion);
    jbw_write_u8(writer, (uint8_t)config->collision);
    jbw_write_u8(writer, (uint8_t)config->collection);
    write_agent(writer, config);
    jbw_write_varint(writer, config->item_count);
    for (size_t i = 0; i < config->item_count; i++) write_item(writer, config, &config->items[i]);
    // added later, so the original value is not written unless something follows; the memory budget
    // never is, because it does not affect what happens
    const bool has_seasons = count_seasons(config) > 0;
    const bool has_regrowth = count_regrowing(config) > 0;
    const bool has_section = has_seasons || has_regrowth || jbw_config_has_things(config);
    if (config->generation != JBW_GENERATION_FRONTIER || has_section)
        jbw_write_u8(writer, (uint8_t)config->generation);
    if (has_seasons) write_seasons(writer, config);
    if (has_regrowth) write_regrowth(writer, config);
    if (config->kind_count > 0) write_kinds(writer, config);
    write_count_section(writer, config, SECTION_EVER);
    write_count_section(writer, config, SECTION_DROPS);
    if (config->body_count > 0) write_bodies(writer, config);
    if (config->agent.tool_count > 0) write_tools(writer, config);
    write_texts(writer, config);
    write_voice(writer, &config->agent.voice);
    if (config->maturity != 1.0) { // an invariant world
        jbw_write_u8(writer, SECTION_MATURITY);
        jbw_write_double(writer, config->maturity);
    }
}

// ---- reading ----

typedef struct decoder {
    jbw_reader in;
    jbw_arena *arena;
    bool has_memory; // once false, stays false
} decoder;

static bool is_good(const decoder *d)
{
    return d->in.ok && d->has_memory;
}

static void *make_room(decoder *d, size_t count, size_t size)
{
    void *memory = is_good(d) ? jbw_arena_alloc(d->arena, count, size) : NULL;
    if (!memory) d->has_memory = d->has_memory && !d->in.ok;
    return memory;
}

static const char *read_text(decoder *d)
{
    const char *text = is_good(d) ? jbw_read_text(&d->in, d->arena) : NULL;
    if (!text && d->in.ok) d->has_memory = false;
    return text ? text : "";
}

// the name of an item type
static const char *read_name(decoder *d)
{
    const char *name = read_text(d);
    if (is_good(d) && !jbw_is_name(name)) d->in.ok = false;
    return name;
}

// a varint from 0 to `most`
static int read_int(decoder *d, int most)
{
    const uint64_t value = jbw_read_varint(&d->in);
    if (value <= (uint64_t)most) return (int)value;
    d->in.ok = false;
    return 0;
}

// the number of elements that follow: of at least `least_size` bytes each, and at most `most`
static size_t read_count(decoder *d, size_t least_size, size_t most)
{
    const size_t count = jbw_read_count(&d->in, least_size);
    if (count > most) d->in.ok = false;
    return is_good(d) ? count : 0;
}

static bool read_bool(decoder *d)
{
    return read_int(d, 1) != 0;
}

static const double *read_vector(decoder *d, int count)
{
    if (jbw_reader_left(&d->in) / sizeof(double) < (size_t)count) d->in.ok = false;
    double *values = make_room(d, (size_t)count, sizeof *values);
    for (int i = 0; values && i < count; i++) values[i] = jbw_read_double(&d->in);
    return values;
}

static void read_counts(decoder *d, const jbw_item_count **out, size_t *out_count)
{
    const size_t count = read_count(d, 2, JBW_MAX_ITEM_NAMES);
    jbw_item_count *counts = make_room(d, count, sizeof *counts);
    for (size_t i = 0; counts && i < count; i++) {
        counts[i].item = read_name(d);
        counts[i].count = jbw_read_varint(&d->in);
    }
    *out = counts;
    *out_count = count;
}

static void read_actions(decoder *d, jbw_agent_config *agent)
{
    const size_t count = read_count(d, 1, JBW_MAX_ACTIONS);
    jbw_action *actions = make_room(d, count, sizeof *actions);
    for (size_t i = 0; actions && i < count; i++) {
        actions[i].kind = (jbw_action_kind)read_int(d, JBW_ACTION_DROP);
        if (actions[i].kind == JBW_ACTION_DROP) actions[i].item = read_name(d);
    }
    agent->actions = actions;
    agent->action_count = count;
}

static void read_agent(decoder *d, jbw_config *config)
{
    jbw_agent_config *agent = &config->agent;
    agent->color = read_vector(d, config->color_dimensions);
    agent->scent = read_vector(d, config->scent_dimensions);
    agent->vision_range = read_int(d, JBW_MAX_PATCH_SIZE);
    agent->field_of_view = jbw_read_double(&d->in);
    agent->visual_occlusion = read_bool(d);
    read_actions(d, agent);
}

static void read_interactions(decoder *d, jbw_item_type *item)
{
    const size_t count = read_count(d, 2, JBW_MAX_ITEM_NAMES);
    jbw_interaction *interactions = make_room(d, count, sizeof *interactions);
    for (size_t i = 0; interactions && i < count; i++) {
        interactions[i].item = read_name(d);
        interactions[i].expression = read_text(d);
    }
    item->interactions = interactions;
    item->interaction_count = count;
}

static void read_item(decoder *d, const jbw_config *config, jbw_item_type *item)
{
    item->name = read_name(d);
    item->color = read_vector(d, config->color_dimensions);
    item->scent = read_vector(d, config->scent_dimensions);
    item->occlusion = jbw_read_double(&d->in);
    const int flags = read_int(d, BLOCKS_MOVEMENT | IS_UNCOLLECTABLE);
    item->blocks_movement = (flags & BLOCKS_MOVEMENT) != 0;
    item->is_uncollectable = (flags & IS_UNCOLLECTABLE) != 0;
    item->intensity = read_text(d);
    read_interactions(d, item);
    read_counts(d, &item->requirements, &item->requirement_count);
    read_counts(d, &item->costs, &item->cost_count);
}

// the item types with seasons, in their order
static void read_seasons(decoder *d, jbw_item_type *items, size_t item_count)
{
    const size_t count = read_count(d, 4, item_count);
    if (count == 0) d->in.ok = false;
    size_t next = 0;
    for (size_t i = 0; i < count && is_good(d); i++) {
        const uint64_t index = jbw_read_varint(&d->in);
        if (index < next || index >= item_count) d->in.ok = false;
        if (!is_good(d)) return;
        jbw_season *season = &items[index].season;
        season->period = jbw_read_varint(&d->in);
        season->from = jbw_read_varint(&d->in);
        season->to = jbw_read_varint(&d->in);
        if (season->period == 0) d->in.ok = false;
        next = (size_t)index + 1;
    }
}

// the item types that grow back, in their order
static void read_regrowth(decoder *d, jbw_item_type *items, size_t item_count)
{
    const size_t count = read_count(d, 2, item_count);
    if (count == 0) d->in.ok = false;
    size_t next = 0;
    for (size_t i = 0; i < count && is_good(d); i++) {
        const uint64_t index = jbw_read_varint(&d->in);
        if (index < next || index >= item_count) d->in.ok = false;
        if (!is_good(d)) return;
        items[index].regrows = read_text(d);
        next = (size_t)index + 1;
    }
}

static void read_kinds(decoder *d, jbw_config *config)
{
    const size_t count = read_count(d, 2, JBW_MAX_KINDS);
    if (count == 0) d->in.ok = false;
    jbw_kind *kinds = make_room(d, count, sizeof *kinds);
    for (size_t k = 0; kinds && k < count && is_good(d); k++) {
        kinds[k].name = read_name(d);
        kinds[k].member_count = read_count(d, 1, JBW_MAX_ITEM_NAMES);
        const char **members = make_room(d, kinds[k].member_count, sizeof *members);
        for (size_t i = 0; members && i < kinds[k].member_count; i++) members[i] = read_name(d);
        kinds[k].members = members;
    }
    config->kinds = kinds;
    config->kind_count = count;
}

// the item types with such counts, in their order
static void read_count_section(decoder *d, jbw_item_type *items, size_t item_count, int section)
{
    const size_t count = read_count(d, 2, item_count);
    if (count == 0) d->in.ok = false;
    size_t next = 0;
    for (size_t i = 0; i < count && is_good(d); i++) {
        const uint64_t index = jbw_read_varint(&d->in);
        if (index < next || index >= item_count) d->in.ok = false;
        if (!is_good(d)) return;
        jbw_item_type *item = &items[index];
        size_t *found = section == SECTION_EVER ? &item->ever_requirement_count : &item->drop_count;
        read_counts(d, section == SECTION_EVER ? &item->ever_requirements : &item->drops, found);
        if (*found == 0) d->in.ok = false;
        next = (size_t)index + 1;
    }
}

// the original value is not written
static void read_maturity(decoder *d, jbw_config *config)
{
    config->maturity = jbw_read_double(&d->in);
    if (config->maturity == 1.0) d->in.ok = false;
}

// of the actions of agents, each or not
static void read_body_actions(decoder *d, const jbw_agent_config *agent, jbw_body *body)
{
    if (jbw_reader_left(&d->in) < agent->action_count) d->in.ok = false;
    jbw_action *actions = make_room(d, agent->action_count, sizeof *actions);
    for (size_t i = 0; actions && i < agent->action_count; i++)
        if (read_bool(d)) actions[body->action_count++] = agent->actions[i];
    body->actions = actions;
}

static void read_bodies(decoder *d, jbw_config *config)
{
    const size_t count = read_count(d, 12, JBW_MAX_SOURCES);
    if (count == 0) d->in.ok = false;
    jbw_body *bodies = make_room(d, count, sizeof *bodies);
    for (size_t b = 0; bodies && b < count && is_good(d); b++) {
        jbw_sight_keys *sight = &bodies[b].sight;
        *sight = (jbw_sight_keys){
            .has_vision_range = true, .has_field_of_view = true, .has_visual_occlusion = true};
        bodies[b].name = read_name(d);
        bodies[b].color = read_vector(d, config->color_dimensions);
        bodies[b].scent = read_vector(d, config->scent_dimensions);
        sight->vision_range = read_int(d, JBW_MAX_PATCH_SIZE);
        sight->field_of_view = jbw_read_double(&d->in);
        sight->visual_occlusion = read_bool(d);
        read_body_actions(d, &config->agent, &bodies[b]);
    }
    config->bodies = bodies;
    config->body_count = count;
}

static void read_tools(decoder *d, jbw_agent_config *agent)
{
    const size_t count = read_count(d, 2, JBW_MAX_ITEM_TYPES);
    if (count == 0) d->in.ok = false;
    jbw_tool *tools = make_room(d, count, sizeof *tools);
    for (size_t t = 0; tools && t < count && is_good(d); t++) {
        jbw_sight_keys *sight = &tools[t].sight;
        tools[t].item = read_name(d);
        const int flags = read_int(d, ALL_TOOL_FLAGS);
        sight->has_vision_range = (flags & HAS_RANGE) != 0;
        sight->has_field_of_view = (flags & HAS_FIELD) != 0;
        sight->has_visual_occlusion = (flags & HAS_OCCLUSION) != 0;
        sight->visual_occlusion = (flags & IS_OCCLUDED) != 0;
        if (sight->visual_occlusion && !sight->has_visual_occlusion) d->in.ok = false;
        if (sight->has_vision_range) sight->vision_range = read_int(d, JBW_MAX_PATCH_SIZE);
        if (sight->has_field_of_view) sight->field_of_view = jbw_read_double(&d->in);
    }
    agent->tools = tools;
    agent->tool_count = count;
}

// the item types that may carry a text, in their order
static void read_texts(decoder *d, jbw_item_type *items, size_t item_count)
{
    const size_t count = read_count(d, 1, item_count);
    if (count == 0) d->in.ok = false;
    size_t next = 0;
    for (size_t i = 0; i < count && is_good(d); i++) {
        const uint64_t index = jbw_read_varint(&d->in);
        if (index < next || index >= item_count) d->in.ok = false;
        if (!is_good(d)) return;
        items[index].has_text = true;
        next = (size_t)index + 1;
    }
}

static void read_voice(decoder *d, jbw_voice *voice)
{
    voice->symbols = read_int(d, JBW_MAX_SYMBOLS);
    voice->range = read_int(d, JBW_MAX_PATCH_SIZE);
    if (voice->symbols == 0) d->in.ok = false;
}

// each section at most once, in the order of their numbers; at least one if anything is left
static void read_sections(decoder *d, jbw_config *config, jbw_item_type *items)
{
    int before = 0;
    while (is_good(d) && d->in.at != d->in.end) {
        const int section = read_int(d, SECTION_LAST);
        if (section <= before || section == SECTION_FORMER_MATURITY) d->in.ok = false;
        if (!is_good(d)) return;
        if (section == SECTION_SEASONS) read_seasons(d, items, config->item_count);
        if (section == SECTION_REGROWTH) read_regrowth(d, items, config->item_count);
        if (section == SECTION_KINDS) read_kinds(d, config);
        if (section == SECTION_EVER || section == SECTION_DROPS)
            read_count_section(d, items, config->item_count, section);
        if (section == SECTION_BODIES) read_bodies(d, config);
        if (section == SECTION_TOOLS) read_tools(d, &config->agent);
        if (section == SECTION_TEXTS) read_texts(d, items, config->item_count);
        if (section == SECTION_VOICE) read_voice(d, &config->agent.voice);
        if (section == SECTION_MATURITY) read_maturity(d, config);
        before = section;
    }
}

jbw_status jbw_config_decode(const uint8_t *bytes, size_t size, jbw_arena *arena, jbw_config *out)
{
    decoder d = {.in = jbw_reader_begin(bytes, size), .arena = arena, .has_memory = true};
    *out = jbw_config_default();
    out->scent_dimensions = read_int(&d, JBW_MAX_DIMENSIONS);
    out->color_dimensions = read_int(&d, JBW_MAX_DIMENSIONS);
    out->patch_size = read_int(&d, JBW_MAX_PATCH_SIZE);
    out->mh_iterations = read_int(&d, JBW_MAX_MH_ITERATIONS);
    out->scent_decay = jbw_read_double(&d.in);
    out->scent_diffusion = jbw_read_double(&d.in);
    out->collision = (jbw_collision)read_int(&d, JBW_COLLISION_ALLOW);
    out->collection = (jbw_collection)read_int(&d, JBW_COLLECTION_MANUAL);
    read_agent(&d, out);

    const size_t count = read_count(&d, 1, JBW_MAX_ITEM_TYPES);
    jbw_item_type *items = make_room(&d, count, sizeof *items);
    for (size_t i = 0; items && i < count && is_good(&d); i++) read_item(&d, out, &items[i]);
    out->items = items;
    out->item_count = count;
    if (d.in.ok && d.in.at != d.in.end) {
        out->generation = (jbw_generation)read_int(&d, JBW_GENERATION_INVARIANT);
        const bool has_section = d.in.ok && d.in.at != d.in.end;
        if (out->generation == JBW_GENERATION_FRONTIER && !has_section) d.in.ok = false;
        read_sections(&d, out, items);
    }
    if (!d.has_memory) return JBW_OUT_OF_MEMORY;
    return d.in.ok ? JBW_OK : JBW_INVALID_DATA;
}
