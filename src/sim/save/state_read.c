// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Reads worlds from untrusted bytes. Every number is checked before it is used, and every count
// against the bytes that are left and the memory that may be allocated. Everything that stepping
// relies on is checked, too, so a world that was read is as safe as one that was never saved.

#include <string.h>

#include "base/limit.h"
#include "base/text.h"
#include "jbw/place.h"
#include "jbw/state.h"
#include "sim/model/config_code.h"
#include "sim/save/state.h"
#include "sim/save/state_reader.h"

// ---- failing ----

bool jbw_state_fail(jbw_state_reader *r, const char *problem)
{
    if (r->status) return false;
    r->status = JBW_INVALID_DATA;
    // reading past the end yields zeros, which cause misleading problems
    jbw_error_set(r->error, 0, 0, "invalid world state: %s",
                  r->in.ok ? problem : "it ends too early, or a number is malformed");
    return false;
}

bool jbw_state_fail_memory(jbw_state_reader *r)
{
    if (r->status) return false;
    r->status = jbw_error_set_status(r->error, JBW_OUT_OF_MEMORY);
    return false;
}

static bool fail_limit(jbw_state_reader *r)
{
    if (r->status) return false;
    r->status = JBW_OUT_OF_MEMORY;
    jbw_error_set(r->error, 0, 0,
                  "the world needs more memory than the limit of %llu bytes; " JBW_LIMIT_ADVICE,
                  (unsigned long long)r->limit);
    return false;
}

bool jbw_state_charge(jbw_state_reader *r, uint64_t count, uint64_t size)
{
    if (size != 0 && count > r->left / size) return fail_limit(r);
    r->left -= count * size;
    return true;
}

jbw_position jbw_state_read_position(jbw_state_reader *r)
{
    const int64_t x = jbw_read_signed(&r->in);
    const int64_t y = jbw_read_signed(&r->in);
    return (jbw_position){x, y};
}

// ---- config and model ----

// reports a problem of the config as one of the state
static jbw_status blame_config(jbw_error *error)
{
    const jbw_error found = error ? *error : (jbw_error){0};
    jbw_error_set(error, 0, 0, "invalid world state: in its config, %s", found.text);
    return JBW_INVALID_DATA;
}

static bool make_model(jbw_state_reader *r, const uint8_t *bytes, size_t size,
                       const jbw_load_options *options)
{
    jbw_limit limit = {.from = options->allocator, .left = r->left};
    jbw_arena arena = {.allocator = jbw_limit_allocator(&limit)};
    jbw_config config;
    jbw_status status = jbw_config_decode(bytes, size, &arena, &config);
    if (status == JBW_INVALID_DATA) jbw_state_fail(r, "its config is malformed");
    config.allocator = arena.allocator;
    if (options->memory_budget > 0) config.memory_budget = options->memory_budget;
    config.intensity_functions = options->intensity_functions;
    config.intensity_function_count = options->intensity_function_count;
    config.interaction_functions = options->interaction_functions;
    config.interaction_function_count = options->interaction_function_count;
    if (!status) status = jbw_config_find_functions(&config, &arena, r->error);
    if (!status) {
        status = jbw_model_create(&config, &r->made_model, r->error);
        // without user-defined functions, only the bytes can be the cause
        const bool has_functions =
            config.intensity_function_count + config.interaction_function_count > 0;
        if (status == JBW_INVALID_CONFIG && !has_functions) status = blame_config(r->error);
    }
    jbw_arena_deinit(&arena);
    if (status == JBW_OUT_OF_MEMORY)
        return limit.was_hit ? fail_limit(r) : jbw_state_fail_memory(r);
    if (status) {
        r->status = status;
        return false;
    }
    // from now on, it allocates without the limit
    r->made_model->allocator = options->allocator;
    r->made_model->arena.allocator = options->allocator;
    r->model = r->made_model;
    r->left = limit.left;
    return true;
}

// the cells that were not changed are not saved, and can no longer be generated
static bool refuse_algorithm(jbw_state_reader *r)
{
    r->status = JBW_UNSUPPORTED;
    jbw_error_set(r->error, 0, 0,
                  "the world was saved by an earlier version, which generated other items for "
                  "`generation: invariant`; run it there, or start it anew");
    return false;
}

static bool read_model(jbw_state_reader *r, const jbw_load_options *options)
{
    const uint64_t version = jbw_read_varint(&r->in);
    if (r->in.ok && version > JBW_STATE_VERSION_MOST) {
        r->status = JBW_INVALID_DATA;
        jbw_error_set(r->error, 0, 0,
                      "the world state has version %llu, this library reads versions up to %d",
                      (unsigned long long)version, JBW_STATE_VERSION_MOST);
        return false;
    }
    if (version < JBW_STATE_VERSION) return jbw_state_fail(r, "unknown version");
    const size_t size = jbw_read_count(&r->in, 1);
    const uint8_t *bytes = jbw_read_bytes(&r->in, size);
    if (!bytes) return jbw_state_fail(r, "its config is missing");
    const jbw_model *model = options->model;
    if (model && model->config_size == size && memcmp(model->config, bytes, size) == 0) {
        r->model = model;
    } else if (!make_model(r, bytes, size, options)) {
        return false;
    }
    if (r->model->generation == JBW_GENERATION_INVARIANT && version < jbw_state_version(r->model) &&
        (jbw_state_version(r->model) - version) % JBW_STATE_VERSION_ALGORITHM == 0)
        return refuse_algorithm(r);
    if (version != jbw_state_version(r->model))
        return jbw_state_fail(r, "its version does not match its config");
    return true;
}

// ---- the map ----

bool jbw_state_patch_is_in_world(const jbw_model *model, jbw_position at)
{
    // agents near the end of the world need patches beyond it, and those need neighbors
    const int64_t farthest = JBW_MAX_COORDINATE / model->patch_size + 2;
    return at.x >= -farthest && at.x <= farthest && at.y >= -farthest && at.y <= farthest;
}

static bool read_undo(jbw_state_reader *r, jbw_patch *patch)
{
    const size_t cell_count = (size_t)r->model->patch_cells;
    const size_t count = jbw_read_count(&r->in, 2);
    if (count > cell_count) return jbw_state_fail(r, "a patch has more changes than cells");
    if (count == 0) return true;
    if (!jbw_state_charge(r, 8 + 2 * count, sizeof(jbw_undo))) return false;
    if (!jbw_changes_reserve(&r->world->map, patch, count)) return jbw_state_fail_memory(r);
    size_t cell = 0;
    for (size_t i = 0; i < count; i++, cell++) {
        const uint64_t gap = jbw_read_varint(&r->in);
        const uint8_t generated = jbw_read_u8(&r->in);
        if (gap >= cell_count - cell) return jbw_state_fail(r, "a change is outside of its patch");
        cell += (size_t)gap;
        if (generated > r->model->type_count)
            return jbw_state_fail(r, "a change has an unknown item type");
        if (generated == patch->cells[cell]) return jbw_state_fail(r, "a change changes nothing");
        patch->content->undo[patch->content->undo_count++] =
            (jbw_undo){.cell = (uint16_t)cell, .generated = generated};
    }
    return true;
}

// the patch is already in the map, which frees it in any case
static bool read_patch_content(jbw_state_reader *r, jbw_patch *patch)
{
    const uint8_t flags = jbw_read_u8(&r->in);
    if (flags > JBW_STATE_IS_FINAL) return jbw_state_fail(r, "a patch has an unknown flag");
    patch->is_final = flags != 0;
    if (patch->is_final)
        r->world->map.final_count++;
    else
        patch->stream.state = jbw_read_u64(&r->in);
    if (!jbw_cells_read(r->model, &r->in, patch->cells))
        return jbw_state_fail(r, "the items of a patch do not fit into it");
    return !patch->is_final || read_undo(r, patch);
}

static bool read_patch(jbw_state_reader *r)
{
    jbw_map *map = &r->world->map;
    const jbw_position at = jbw_state_read_position(r);
    if (!r->in.ok || !jbw_state_patch_is_in_world(r->model, at))
        return jbw_state_fail(r, "a patch is outside of the world");
    if (jbw_map_find(map, at)) return jbw_state_fail(r, "two patches have the same position");
    jbw_patch *patch = jbw_map_new_patch(map, at, r->world->seed);
    if (!patch) return jbw_state_fail_memory(r);
    jbw_map_insert(map, patch);
    return read_patch_content(r, patch);
}

// a final patch was sampled together with all its neighbors
static bool check_neighbors(jbw_state_reader *r)
{
    const jbw_map *map = &r->world->map;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (!map->patches[i]->is_final) continue;
        jbw_patch *around[9];
        jbw_map_find_around(map, map->patches[i]->at, around);
        for (int j = 0; j < 9; j++)
            if (!around[j]) return jbw_state_fail(r, "a final patch lacks a neighbor");
    }
    return true;
}

static bool read_map(jbw_state_reader *r)
{
    enum { LEAST_PATCH_BYTES = 5, INDEX_BYTES = 32 };
    jbw_map *map = &r->world->map;
    const size_t count = jbw_read_count(&r->in, LEAST_PATCH_BYTES);
    if (!jbw_state_charge(r, count, jbw_map_patch_bytes(map) + INDEX_BYTES)) return false;
    if (!jbw_map_reserve(map, count)) return jbw_state_fail_memory(r);
    for (size_t i = 0; i < count; i++)
        if (!read_patch(r)) return false;
    return check_neighbors(r);
}

// ---- events ----

static bool check_event(jbw_state_reader *r, const jbw_event *event, uint64_t age, uint64_t sign)
{
    const jbw_model *model = r->model;
    const jbw_map *map = &r->world->map;
    if (age >= (uint64_t)model->scent.memory || age > r->world->time)
        return jbw_state_fail(r, "an event is too old");
    if (event->patch >= map->patch_count || !map->patches[event->patch]->is_final)
        return jbw_state_fail(r, "an event is not in a final patch");
    if (event->cell >= model->patch_cells)
        return jbw_state_fail(r, "an event is outside of its patch");
    const bool is_agent =
        model->scent.agents_smell && event->source > JBW_SOURCE_AGENT - model->body_count;
    if (sign > 1 || (!is_agent && event->source >= model->type_count))
        return jbw_state_fail(r, "an event has an invalid source or sign");
    return true;
}

// the number of an event's patch; an invariant world saves the position instead
static uint64_t read_event_patch(jbw_state_reader *r)
{
    if (jbw_generator_has_history(&r->world->generator)) return jbw_read_varint(&r->in);
    const jbw_position at = jbw_state_read_position(r);
    if (!r->in.ok || !jbw_state_make_patch(r, at)) return UINT64_MAX;
    return jbw_map_find(&r->world->map, at)->number;
}

static bool read_events(jbw_state_reader *r)
{
    enum { LEAST_EVENT_BYTES = 5 };
    jbw_map *map = &r->world->map;
    const size_t count = jbw_read_count(&r->in, LEAST_EVENT_BYTES);
    if (count > 0 && !r->model->scent.is_on)
        return jbw_state_fail(r, "there are events, but nothing has a scent");
    if (!jbw_state_charge(r, 16 + 2 * (uint64_t)count, sizeof(jbw_event))) return false;
    if (!jbw_events_reserve(&map->events, count, &r->model->allocator))
        return jbw_state_fail_memory(r);

    uint64_t age_before = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t age = jbw_read_varint(&r->in);
        const uint64_t patch = read_event_patch(r);
        const uint64_t cell = jbw_read_varint(&r->in);
        const uint8_t source = jbw_read_u8(&r->in);
        const uint8_t sign = jbw_read_u8(&r->in);
        const jbw_event event = {
            .time = r->world->time - age,
            .patch = patch < UINT32_MAX ? (uint32_t)patch : UINT32_MAX,
            .cell = cell < UINT16_MAX ? (uint16_t)cell : UINT16_MAX,
            .source = source,
            .sign = sign != 0 ? 1 : -1,
        };
        if (!r->in.ok || !check_event(r, &event, age, sign))
            return jbw_state_fail(r, "invalid event");
        if (age > age_before) return jbw_state_fail(r, "events are not ordered by time");
        age_before = age;
        jbw_events_add(map, map->patches[event.patch], event);
    }
    return true;
}

// ---- worlds ----

// caches of an invariant world count against the limit as well
static bool budget_memory(jbw_state_reader *r)
{
    const uint64_t most = r->left / 2;
    uint64_t budget = r->model->memory_budget;
    if (budget > most) {
        budget = most;
        jbw_generator_set_budget(&r->world->generator, (size_t)budget);
    }
    return jbw_state_charge(r, 1, budget);
}

static bool read_world(jbw_state_reader *r)
{
    // an empty world
    if (!jbw_state_charge(r, (uint64_t)r->model->vision.cells,
                          64 + sizeof(uint32_t) * (uint64_t)r->model->body_count) ||
        !jbw_state_charge(r, 2, jbw_world_size(r->model)))
        return false;
    const uint64_t seed = jbw_read_u64(&r->in);
    if (jbw_world_create(r->model, seed, &r->world)) return jbw_state_fail_memory(r);
    const bool has_history = jbw_generator_has_history(&r->world->generator);
    const uint64_t time = jbw_read_varint(&r->in);
    if (time <= JBW_MAX_TIME) jbw_world_set_time(r->world, time);
    if (has_history) {
        jbw_generator_stats stats;
        stats.sampling_count = jbw_read_varint(&r->in);
        stats.proposal_count = jbw_read_varint(&r->in);
        stats.accepted_count = jbw_read_varint(&r->in);
        jbw_generator_set_stats(&r->world->generator, stats);
    }
    if (!r->in.ok || time > JBW_MAX_TIME) return jbw_state_fail(r, "invalid time");
    if (!(has_history ? read_map(r) : budget_memory(r) && jbw_state_read_changes(r))) return false;
    if (r->model->is_growing && !jbw_state_read_growth(r)) return false;
    if (r->model->has_texts && !jbw_state_read_texts(r)) return false;
    if (!read_events(r) || !jbw_state_read_agents(r)) return false;
    if (!r->in.ok || r->in.at != r->in.end)
        return jbw_state_fail(r, "there are bytes after its end");
    return true;
}

jbw_status jbw_world_decode(const void *bytes, size_t size, const jbw_load_options *options,
                            jbw_model **model, jbw_world **world, jbw_error *error)
{
    static const jbw_load_options default_options = {0};
    if (!options) options = &default_options;
    if (error) *error = (jbw_error){0};
    *model = NULL;
    *world = NULL;
    if (options->memory_budget < 0 || options->memory_budget > JBW_MAX_MEMORY_BUDGET) {
        jbw_error_set(error, 0, 0, "memory_budget: found %d, expected 1 to %d megabytes",
                      options->memory_budget, JBW_MAX_MEMORY_BUDGET);
        return JBW_INVALID_ARGUMENT;
    }
    const uint64_t limit = options->memory_limit ? options->memory_limit
                                                 : jbw_limit_default(size, options->memory_budget);
    jbw_state_reader r = {
        .in = jbw_reader_begin(bytes, size), .limit = limit, .left = limit, .error = error};
    if (read_model(&r, options) && read_world(&r)) {
        *model = r.made_model;
        *world = r.world;
        return JBW_OK;
    }
    jbw_world_destroy(r.world);
    jbw_model_destroy(r.made_model);
    return r.status;
}
