// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/wire/look.h"

#include <stdio.h>

#include "jbw/config.h"

size_t jbw_look_observation_size(const jbw_model *model, unsigned wants)
{
    enum { FIXED_SIZE = 100 };
    size_t size = FIXED_SIZE;
#define ADD_SIZE(NAME, name) \
    if (wants & JBW_WANT_##NAME) size += jbw_model_part(model, JBW_PART_##NAME).size;
    JBW_WIRE_PART_LIST(ADD_SIZE)
#undef ADD_SIZE
    if (wants & JBW_WANT_WORDS)
        size += jbw_model_part(model, JBW_PART_HEARD).size + 2 * (JBW_MAX_TEXT + 1);
    return size;
}

// ---- agents ----

static jbw_status look_inventory(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                                 jbw_field_u64s *out)
{
    const uint64_t *inventory = jbw_agent_inventory(world, agent);
    const size_t count = (size_t)jbw_model_item_type_count(jbw_world_model(world));
    if (!inventory) return JBW_NO_SUCH_AGENT;
    uint64_t *copy = jbw_scratch_alloc(scratch, count, sizeof *copy);
    if (!copy) return JBW_OUT_OF_MEMORY;
    if (count > 0) memcpy(copy, inventory, count * sizeof *copy);
    *out = (jbw_field_u64s){copy, count};
    return JBW_OK;
}

static jbw_status look_parts(jbw_world *world, jbw_agent_id agent, unsigned wants,
                             jbw_scratch *scratch, jbw_wire_observation *out)
{
    const jbw_model *model = jbw_world_model(world);
    jbw_observation wanted = {0};
#define MAKE_ROOM(NAME, name)                                                 \
    if (wants & JBW_WANT_##NAME) {                                            \
        const size_t count = jbw_model_part(model, JBW_PART_##NAME).count;    \
        wanted.name = jbw_scratch_alloc(scratch, count, sizeof *wanted.name); \
        if (!wanted.name) return JBW_OUT_OF_MEMORY;                           \
        out->name.at = wanted.name;                                           \
        out->name.count = count;                                              \
    }
    JBW_WIRE_PART_LIST(MAKE_ROOM)
#undef MAKE_ROOM
    return jbw_agent_observe(world, agent, &wanted);
}

jbw_status jbw_look_observation(jbw_world *world, jbw_agent_id agent, unsigned wants,
                                jbw_scratch *scratch, jbw_wire_observation *out)
{
    jbw_agent_state state;
    jbw_agent_result result;
    jbw_status status = jbw_agent_get_state(world, agent, &state);
    if (!status) status = jbw_agent_get_result(world, agent, &result);
    if (status) return status;
    *out = (jbw_wire_observation){
        .agent = agent,
        .position = state.position,
        .direction = (uint8_t)state.direction,
        .is_active = state.is_active,
        .result_time = result.time,
        .action = result.action,
        .outcome = (uint8_t)result.outcome,
        .moved = result.moved,
        .item_outcome = (uint8_t)result.item,
        .collected = result.collected,
        .dropped = result.dropped,
        .position_before = result.position_before,
    };
    return look_parts(world, agent, wants, scratch, out);
}

static bool look_heard(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                       jbw_field_sparse *out)
{
    const uint32_t *heard = jbw_agent_heard(world, agent);
    if (!heard) return true;
    const size_t count = (size_t)jbw_model_voice(jbw_world_model(world)).symbols;
    float *list = jbw_scratch_alloc(scratch, count, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < count; i++) list[i] = (float)heard[i];
    *out = (jbw_field_sparse){list, count};
    return true;
}

jbw_status jbw_look_words(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                          jbw_wire_words *out)
{
    jbw_agent_state state;
    jbw_agent_result result;
    jbw_status status = jbw_agent_get_state(world, agent, &state);
    if (!status) status = jbw_agent_get_result(world, agent, &result);
    if (status) return status;
    *out = (jbw_wire_words){.body = (uint8_t)state.body, .said = (uint8_t)result.said};
    char *text = jbw_scratch_alloc(scratch, JBW_MAX_TEXT + 1, 1);
    if (!text || !look_heard(world, agent, scratch, &out->heard)) return JBW_OUT_OF_MEMORY;
    status = jbw_agent_read(world, agent, text);
    if (!status) out->text = (jbw_field_bytes){(const uint8_t *)text, strlen(text)};
    return status;
}

jbw_status jbw_look_agent(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                          jbw_wire_agent_info *out)
{
    jbw_agent_state state;
    const jbw_status status = jbw_agent_get_state(world, agent, &state);
    if (status) return status;
    *out = (jbw_wire_agent_info){
        .agent = agent,
        .owner = {"", 0},
        .is_active = state.is_active,
        .position = state.position,
        .direction = (uint8_t)state.direction,
        .start = state.start,
        .request = state.has_request ? state.request : -1,
    };
    return look_inventory(world, agent, scratch, &out->inventory);
}

jbw_status jbw_look_mark(const jbw_world *world, jbw_agent_id agent, jbw_wire_agent_mark *out,
                         jbw_wire_words *words)
{
    jbw_agent_state state;
    jbw_agent_result result;
    jbw_status status = jbw_agent_get_state(world, agent, &state);
    if (!status) status = jbw_agent_get_result(world, agent, &result);
    if (status) return status;
    const bool is_fresh = result.time == jbw_world_time(world) && result.time > 0;
    *out = (jbw_wire_agent_mark){
        .agent = agent,
        .position = state.position,
        .direction = (uint8_t)state.direction,
        .is_active = state.is_active,
        .action = is_fresh ? result.action : -1,
        .collected = is_fresh ? result.collected : -1,
    };
    *words = (jbw_wire_words){.body = (uint8_t)state.body, .said = (uint8_t)result.said};
    return JBW_OK;
}

// ---- models ----

static bool look_floats(const double *from, size_t count, jbw_scratch *scratch, jbw_field_f32s *out)
{
    float *list = jbw_scratch_alloc(scratch, count, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < count; i++) list[i] = (float)from[i];
    *out = (jbw_field_f32s){list, count};
    return true;
}

static bool look_items(const jbw_model *model, jbw_scratch *scratch, jbw_wire_welcome *out)
{
    const size_t count = (size_t)jbw_model_item_type_count(model);
    const size_t colors = (size_t)jbw_model_color_dimensions(model);
    jbw_wire_item *items = jbw_scratch_alloc(scratch, count, sizeof *items);
    if (!items) return false;
    for (size_t i = 0; i < count; i++) {
        items[i] = (jbw_wire_item){.name = jbw_text_field(jbw_model_item_name(model, (int)i)),
                                   .blocks = jbw_model_item_blocks(model, (int)i)};
        if (!look_floats(jbw_model_item_color(model, (int)i), colors, scratch, &items[i].color))
            return false;
    }
    out->items = items;
    out->items_count = count;
    return true;
}

static bool look_actions(const jbw_model *model, jbw_scratch *scratch, jbw_wire_welcome *out)
{
    enum { NAME_SIZE = 160 };
    const size_t count = (size_t)jbw_model_action_count(model);
    jbw_wire_action *actions = jbw_scratch_alloc(scratch, count, sizeof *actions);
    if (!actions) return false;
    for (size_t i = 0; i < count; i++) {
        const jbw_action_kind kind = jbw_model_action_kind(model, (int)i);
        const int item = jbw_model_action_item(model, (int)i);
        char *name = jbw_scratch_alloc(scratch, NAME_SIZE, 1);
        if (!name) return false;
        const bool drops = item >= 0;
        snprintf(name, NAME_SIZE, "%s%s%s%s", jbw_action_kind_name(kind), drops ? "[" : "",
                 drops ? jbw_model_item_name(model, item) : "", drops ? "]" : "");
        actions[i] =
            (jbw_wire_action){.name = jbw_text_field(name), .kind = (uint8_t)kind, .item = item};
    }
    out->actions = actions;
    out->actions_count = count;
    return true;
}

jbw_status jbw_look_model(const jbw_model *model, jbw_scratch *scratch, jbw_wire_welcome *out)
{
    out->patch_size = (uint32_t)jbw_model_patch_size(model);
    out->vision_side = (uint32_t)jbw_model_vision_side(model);
    out->color_dimensions = (uint32_t)jbw_model_color_dimensions(model);
    out->scent_dimensions = (uint32_t)jbw_model_scent_dimensions(model);
    const size_t cells = jbw_model_part(model, JBW_PART_SEEN).count;
    const bool is_good =
        look_items(model, scratch, out) && look_actions(model, scratch, out) &&
        look_floats(jbw_model_field_of_view(model), cells, scratch, &out->field_of_view);
    return is_good ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_look_calendar(const jbw_model *model, jbw_scratch *scratch, jbw_wire_calendar *out)
{
    const size_t count = (size_t)jbw_model_item_type_count(model);
    jbw_wire_item_season *items = jbw_scratch_alloc(scratch, count, sizeof *items);
    if (!items) return JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const jbw_season season = jbw_model_item_season(model, (int)i);
        const jbw_regrowth regrowth = jbw_model_item_regrowth(model, (int)i);
        items[i] = (jbw_wire_item_season){.period = season.period,
                                          .from = season.from,
                                          .to = season.to,
                                          .regrowth = (uint8_t)regrowth.law,
                                          .least = regrowth.least,
                                          .most = regrowth.most};
    }
    *out = (jbw_wire_calendar){.items = items, .items_count = count};
    return JBW_OK;
}

static bool look_body(const jbw_model *model, int body, jbw_scratch *scratch, jbw_wire_body *out)
{
    const size_t colors = (size_t)jbw_model_color_dimensions(model);
    const size_t count = (size_t)jbw_model_action_count(model);
    uint8_t *actions = jbw_scratch_alloc(scratch, count, 1);
    if (!actions) return false;
    for (size_t i = 0; i < count; i++) actions[i] = jbw_model_body_can(model, body, (int)i);
    const char *name = jbw_model_body_name(model, body);
    *out = (jbw_wire_body){.name = jbw_text_field(name ? name : ""), .actions = {actions, count}};
    return look_floats(jbw_model_body_color(model, body), colors, scratch, &out->color);
}

jbw_status jbw_look_features(const jbw_model *model, jbw_scratch *scratch, jbw_wire_features *out)
{
    const jbw_voice voice = jbw_model_voice(model);
    const size_t items = (size_t)jbw_model_item_type_count(model);
    const int count = jbw_model_body_count(model);
    uint8_t *carries = jbw_scratch_alloc(scratch, items, 1);
    jbw_wire_body *bodies = jbw_scratch_alloc(scratch, (size_t)count, sizeof *bodies);
    if (!carries || !bodies) return JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < items; i++) carries[i] = jbw_model_item_has_text(model, (int)i);
    for (int i = 0; i < count; i++)
        if (!look_body(model, i, scratch, &bodies[i])) return JBW_OUT_OF_MEMORY;
    *out = (jbw_wire_features){.symbols = (uint32_t)voice.symbols,
                               .voice_range = (uint32_t)voice.range,
                               .carries_text = {carries, items},
                               .bodies = bodies,
                               .bodies_count = (size_t)count};
    return JBW_OK;
}

bool jbw_look_has_words(const jbw_model *model)
{
    bool has_texts = false;
    for (int i = 0; i < jbw_model_item_type_count(model); i++)
        has_texts |= jbw_model_item_has_text(model, i);
    return has_texts || jbw_model_voice(model).symbols > 0 || jbw_model_body_count(model) > 1;
}

// ---- errors ----

jbw_error_code jbw_look_error(jbw_status status)
{
    switch (status) {
    case JBW_OUT_OF_MEMORY: return JBW_ERROR_OUT_OF_MEMORY;
    case JBW_INVALID_ARGUMENT: return JBW_ERROR_INVALID_ARGUMENT;
    case JBW_NOT_FOUND: return JBW_ERROR_NOT_FOUND;
    case JBW_OUT_OF_RANGE: return JBW_ERROR_OUT_OF_RANGE;
    case JBW_NO_SUCH_AGENT: return JBW_ERROR_NO_SUCH_AGENT;
    case JBW_CELL_BLOCKED: return JBW_ERROR_CELL_BLOCKED;
    case JBW_UNSUPPORTED: return JBW_ERROR_UNSUPPORTED;
    default: return JBW_ERROR_FAILED;
    }
}
