// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What decides the cells of an invariant world, as bytes: a config in which everything that decides
// nothing has its default value. What is added to configs later counts as deciding until it is
// named here, which costs a store some hits and never a cell.

#include "base/bytes.h"
#include "base/error.h"
#include "jbw/patch_store.h"
#include "sim/generate/invariant/invariant.h"
#include "sim/model/config_code.h"
#include "sim/model/model.h"

static bool strip_items(jbw_config *config, jbw_arena *arena)
{
    jbw_item_type *items = jbw_arena_alloc(arena, config->item_count, sizeof *items);
    if (!items) return false;
    for (size_t i = 0; i < config->item_count; i++) {
        items[i] = config->items[i];
        items[i].color = NULL;
        items[i].scent = NULL;
        items[i].occlusion = 0.0;
        items[i].blocks_movement = false;
        items[i].is_uncollectable = false;
        items[i].requirements = NULL;
        items[i].requirement_count = 0;
        items[i].costs = NULL;
        items[i].cost_count = 0;
        items[i].ever_requirements = NULL;
        items[i].ever_requirement_count = 0;
        items[i].drops = NULL;
        items[i].drop_count = 0;
        items[i].season = (jbw_season){0};
        items[i].regrows = NULL;
        items[i].has_text = false;
    }
    config->items = items;
    return true;
}

// kinds decide nothing but interactions
static void strip_kinds(jbw_config *config)
{
    for (size_t i = 0; i < config->item_count; i++)
        for (size_t k = 0; k < config->items[i].interaction_count; k++)
            if (jbw_config_kind_index(config, config->items[i].interactions[k].item) >= 0) return;
    config->kinds = NULL;
    config->kind_count = 0;
}

static bool strip(jbw_config *config, jbw_arena *arena)
{
    const jbw_config plain = jbw_config_default();
    config->scent_dimensions = 0;
    config->color_dimensions = 1;
    config->mh_iterations = plain.mh_iterations; // of frontier
    config->scent_decay = plain.scent_decay;
    config->scent_diffusion = plain.scent_diffusion;
    config->collision = plain.collision;
    config->collection = plain.collection;
    config->memory_budget = plain.memory_budget;
    config->agent = plain.agent;
    config->agent.vision_range = 0; // fits into every patch
    config->bodies = NULL;
    config->body_count = 0;
    strip_kinds(config);
    return strip_items(config, arena);
}

static jbw_status write_stripped(const jbw_model *model, jbw_arena *arena, jbw_buffer *out,
                                 jbw_error *error)
{
    jbw_config config;
    jbw_status status = jbw_config_decode(model->config, model->config_size, arena, &config);
    if (!status) status = jbw_config_find_functions(&config, arena, error);
    if (status == JBW_INVALID_CONFIG) {
        jbw_error_set(error, 0, 0,
                      "a world with user-defined functions cannot be recognised by its config");
        return JBW_UNSUPPORTED;
    }
    if (!status && !strip(&config, arena)) status = JBW_OUT_OF_MEMORY;
    if (status) return jbw_error_set_status(error, status);

    const size_t size = out->size;
    jbw_writer writer = jbw_writer_begin(out);
    jbw_write_varint(&writer, JBW_INVARIANT_VERSION);
    jbw_config_encode(&config, &writer);
    if (writer.ok) return JBW_OK;
    out->size = size;
    return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
}

jbw_status jbw_model_write_generation(const jbw_model *model, jbw_buffer *out, jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    if (model->generation != JBW_GENERATION_INVARIANT) {
        jbw_error_set(error, 0, 0,
                      "only worlds with `generation: invariant` are the same each time");
        return JBW_UNSUPPORTED;
    }
    jbw_arena arena = {.allocator = model->allocator};
    const jbw_status status = write_stripped(model, &arena, out, error);
    jbw_arena_deinit(&arena);
    return status;
}

static jbw_status read_config(const uint8_t *bytes, size_t size, jbw_arena *arena, jbw_config *out)
{
    jbw_reader reader = jbw_reader_begin(bytes, size);
    const uint64_t version = jbw_read_varint(&reader);
    if (!reader.ok) return JBW_INVALID_DATA;
    if (version != JBW_INVARIANT_VERSION) return JBW_UNSUPPORTED;
    const jbw_status status = jbw_config_decode(reader.at, jbw_reader_left(&reader), arena, out);
    if (!status && out->generation != JBW_GENERATION_INVARIANT) return JBW_INVALID_DATA;
    return status;
}

jbw_status jbw_model_read_generation(const uint8_t *bytes, size_t size,
                                     const jbw_allocator *allocator, jbw_model **out,
                                     jbw_error *error)
{
    *out = NULL;
    if (error) *error = (jbw_error){0};
    jbw_arena arena = {.allocator = allocator ? *allocator : (jbw_allocator){0}};
    jbw_config config;
    jbw_status status = read_config(bytes, size, &arena, &config);
    if (status) {
        jbw_error_set_status(error, status);
    } else {
        config.allocator = arena.allocator;
        status = jbw_model_create(&config, out, error);
        if (status == JBW_INVALID_CONFIG) status = JBW_INVALID_DATA;
    }
    jbw_arena_deinit(&arena);
    return status;
}
