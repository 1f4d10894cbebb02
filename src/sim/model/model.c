// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/model.h"

#include <string.h>

#include "base/text.h"
#include "sim/model/config.h"
#include "sim/model/config_code.h"

// keeps only the first problem
static void keep_problem(const jbw_problem *problem, void *user)
{
    jbw_error *error = user;
    if (!error || error->text[0] != '\0') return;
    jbw_error_set(error, problem->column > 0 ? 1 : 0, problem->column, "%s: %s", problem->path,
                  problem->text);
}

static const double *copy_vector(jbw_arena *arena, const double *values, int count)
{
    double *copy = jbw_arena_alloc(arena, (size_t)count, sizeof *copy);
    if (copy && values) memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

static bool build_kinds(jbw_model *model, const jbw_config *config)
{
    if (!jbw_kinds_build(config, &model->arena, &model->kinds, NULL)) return false;
    model->kind_names =
        jbw_arena_alloc(&model->arena, config->kind_count, sizeof *model->kind_names);
    if (!model->kind_names) return false;
    model->kind_count = (int)config->kind_count;
    for (size_t k = 0; k < config->kind_count; k++) {
        const char *name = config->kinds[k].name;
        model->kind_names[k] = jbw_arena_text(&model->arena, name, strlen(name));
        if (!model->kind_names[k]) return false;
    }
    return true;
}

static jbw_status build_items(jbw_model *model, const jbw_config *config, jbw_error *error)
{
    model->items = jbw_arena_alloc(&model->arena, config->item_count, sizeof *model->items);
    if (!model->items) return JBW_OUT_OF_MEMORY;
    for (size_t t = 0; t < config->item_count; t++) {
        const jbw_item_type *from = &config->items[t];
        jbw_model_item *to = &model->items[t];
        to->name = jbw_arena_text(&model->arena, from->name, strlen(from->name));
        to->color = copy_vector(&model->arena, from->color, config->color_dimensions);
        to->scent = copy_vector(&model->arena, from->scent, config->scent_dimensions);
        to->occlusion = from->occlusion;
        to->blocks_movement = from->blocks_movement;
        to->is_collectable = !from->is_uncollectable;
        to->has_text = from->has_text;
        if (to->has_text) model->has_texts = true;
        to->season = from->season;
        if (to->season.period != 0) model->is_timed = true;
        if (!to->name || !to->color || !to->scent ||
            !jbw_terms_build(config, &model->kinds, from, &model->arena, &to->terms))
            return JBW_OUT_OF_MEMORY;
        jbw_status status = jbw_config_compile_intensity(config, from->intensity, &model->arena,
                                                         &to->intensity, error);
        jbw_regrowth law;
        if (!status) status = jbw_regrowth_compile(from->regrows, &model->arena, &law, error);
        if (status) return status;
        to->regrowth = jbw_regrowth_model_of(law);
        if (from->ever_requirement_count > 0) model->counts_ever = true;
        if (from->drop_count > 0) model->has_drops = true;
        if (law.law != JBW_REGROWTH_NEVER) model->is_timed = model->is_growing = true;
    }
    model->inventory_size = model->counts_ever ? 2 * model->type_count : model->type_count;
    return JBW_OK;
}

static jbw_status build_agents(jbw_model *model, const jbw_config *config)
{
    const jbw_agent_config *agent = &config->agent;
    jbw_model_action *actions =
        jbw_arena_alloc(&model->arena, agent->action_count, sizeof *actions);
    model->actions = actions;
    model->action_count = (int)agent->action_count;
    model->collision = config->collision;
    model->collection = config->collection;
    model->voice = agent->voice;
    if (!actions || !jbw_bodies_build(model, config)) return JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_action *action = &agent->actions[i];
        actions[i].kind = action->kind;
        actions[i].item_type =
            action->kind == JBW_ACTION_DROP ? jbw_config_item_index(config, action->item) : -1;
    }
    if (!jbw_vision_model_build(model, config)) return JBW_OUT_OF_MEMORY;
    return jbw_scent_model_build(model, config);
}

// worlds are saved together with their config
static bool keep_config(jbw_model *model, const jbw_config *config)
{
    jbw_buffer buffer = {.allocator = model->allocator};
    jbw_writer writer = jbw_writer_begin(&buffer);
    jbw_config_encode(config, &writer);
    uint8_t *bytes = writer.ok ? jbw_arena_alloc(&model->arena, buffer.size, 1) : NULL;
    if (bytes) memcpy(bytes, buffer.bytes, buffer.size);
    model->config = bytes;
    model->config_size = buffer.size;
    jbw_buffer_free(&buffer);
    return bytes != NULL;
}

// What agents need around them: in the paper, a square as large as a patch; in an invariant world,
// what they perceive and the cells that they can step on.
static void find_near(jbw_model *model)
{
    model->near_low = model->patch_size / 2;
    model->near_high = model->patch_size - 1 - model->near_low;
    if (model->generation == JBW_GENERATION_FRONTIER) return;
    int near = 1;
    if (model->vision.range > near) near = model->vision.range;
    if (model->has_drops && near < JBW_DROP_RANGE) near = JBW_DROP_RANGE;
    if (model->scent.is_on && model->scent.response.reach > near)
        near = model->scent.response.reach;
    model->near_low = near;
    model->near_high = near;
}

jbw_status jbw_model_build(const jbw_config *config, jbw_model_options options, jbw_model **out,
                           jbw_error *error)
{
    *out = NULL;
    if (error) *error = (jbw_error){0};
    const int least_patch_size = options.allows_tiny ? 1 : JBW_MIN_PATCH_SIZE;
    jbw_status status = jbw_config_check_from(config, least_patch_size, keep_problem, error);
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, status);
    if (status) return status;

    jbw_model *model = jbw_alloc_zero(&config->allocator, 1, sizeof *model);
    if (model) {
        model->allocator = config->allocator;
        model->arena.allocator = config->allocator;
        model->scent_dimensions = config->scent_dimensions;
        model->color_dimensions = config->color_dimensions;
        model->patch_size = config->patch_size;
        model->patch_cells = config->patch_size * config->patch_size;
        model->mh_iterations = config->mh_iterations;
        model->type_count = (int)config->item_count;
        model->generation = config->generation;
        model->memory_budget = (size_t)config->memory_budget << 20;
        model->maturity = config->maturity;
        model->has_things = jbw_config_has_things(config);
        model->samplers = jbw_arena_alloc(&model->arena, 1, sizeof *model->samplers);
        status = model->samplers && build_kinds(model, config) ? JBW_OK : JBW_OUT_OF_MEMORY;
        if (!status) status = build_items(model, config, error);
        if (!status)
            status = jbw_energy_model_build(model, config, options.force_generic,
                                            options.force_fields, error);
        if (!status) status = build_agents(model, config);
        if (!status) find_near(model);
        if (!status && !keep_config(model, config)) status = JBW_OUT_OF_MEMORY;
    } else {
        status = JBW_OUT_OF_MEMORY;
    }
    if (status) {
        jbw_error_set_status(error, status);
        jbw_model_destroy(model); // accepts a half-built model
        return status;
    }
    *out = model;
    return JBW_OK;
}

jbw_status jbw_model_create(const jbw_config *config, jbw_model **out, jbw_error *error)
{
    return jbw_model_build(config, (jbw_model_options){0}, out, error);
}

void jbw_model_destroy(jbw_model *model)
{
    if (!model) return;
    if (model->samplers) jbw_pool_deinit(model->samplers);
    jbw_arena_deinit(&model->arena);
    const jbw_allocator allocator = model->allocator;
    jbw_free(&allocator, model, sizeof *model);
}

int jbw_model_patch_size(const jbw_model *model)
{
    return model->patch_size;
}

jbw_generation jbw_model_generation(const jbw_model *model)
{
    return model->generation;
}

int jbw_model_color_dimensions(const jbw_model *model)
{
    return model->color_dimensions;
}

int jbw_model_reach(const jbw_model *model)
{
    return model->reach;
}

int jbw_model_item_type_count(const jbw_model *model)
{
    return model->type_count;
}

static const jbw_model_item *find_item(const jbw_model *model, int item_type)
{
    return item_type >= 0 && item_type < model->type_count ? &model->items[item_type] : NULL;
}

const char *jbw_model_item_name(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item ? item->name : NULL;
}

int jbw_model_item_type(const jbw_model *model, const char *name)
{
    for (int t = 0; t < model->type_count; t++)
        if (strcmp(model->items[t].name, name) == 0) return t;
    return -1;
}

const double *jbw_model_item_color(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item ? item->color : NULL;
}

int jbw_model_energy_bits(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item ? item->energy_bits : 0;
}

bool jbw_model_item_blocks(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item && item->blocks_movement;
}

jbw_collection jbw_model_collection(const jbw_model *model)
{
    return model->collection;
}

bool jbw_model_item_is_payable(const jbw_model *model, int item_type, const uint64_t *inventory,
                               const uint64_t *ever)
{
    const jbw_model_item *item = find_item(model, item_type);
    if (!item || !item->is_collectable) return false;
    uint64_t left[JBW_MAX_ITEM_TYPES];
    uint8_t drops[JBW_MAX_DROPS];
    memcpy(left, inventory, (size_t)model->type_count * sizeof *left);
    return !item->terms ||
           jbw_terms_pay(item->terms, model->type_count, left, ever ? ever : inventory, drops);
}

bool jbw_model_item_has_text(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item && item->has_text;
}

jbw_voice jbw_model_voice(const jbw_model *model)
{
    return model->voice;
}

jbw_season jbw_model_item_season(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item ? item->season : (jbw_season){0};
}

jbw_regrowth jbw_model_item_regrowth(const jbw_model *model, int item_type)
{
    const jbw_model_item *item = find_item(model, item_type);
    return item ? item->regrowth.law : (jbw_regrowth){0};
}

int jbw_model_kind_count(const jbw_model *model)
{
    return model->kind_count;
}

const char *jbw_model_kind_name(const jbw_model *model, int kind)
{
    return kind >= 0 && kind < model->kind_count ? model->kind_names[kind] : NULL;
}

int jbw_model_kind(const jbw_model *model, const char *name)
{
    for (int k = 0; k < model->kind_count; k++)
        if (strcmp(model->kind_names[k], name) == 0) return k;
    return -1;
}

const uint8_t *jbw_model_kind_types(const jbw_model *model, int kind, size_t *count)
{
    const bool is_known = kind >= 0 && kind < model->kind_count;
    *count = is_known ? (size_t)model->kinds.sets[kind].count : 0;
    return is_known ? model->kinds.sets[kind].types : NULL;
}

int jbw_model_vision_side(const jbw_model *model)
{
    return model->vision.side;
}

int jbw_model_scent_dimensions(const jbw_model *model)
{
    return model->scent_dimensions;
}

const double *jbw_model_field_of_view(const jbw_model *model)
{
    return model->bodies[0].view->mask;
}

int jbw_model_action_count(const jbw_model *model)
{
    return model->action_count;
}

static const jbw_model_action *find_action(const jbw_model *model, int action)
{
    static const jbw_model_action none = {.kind = JBW_ACTION_NO_OP, .item_type = -1};
    return action >= 0 && action < model->action_count ? &model->actions[action] : &none;
}

jbw_action_kind jbw_model_action_kind(const jbw_model *model, int action)
{
    return find_action(model, action)->kind;
}

int jbw_model_action_item(const jbw_model *model, int action)
{
    return find_action(model, action)->item_type;
}

jbw_allocator jbw_model_allocator(const jbw_model *model)
{
    return model->allocator;
}
