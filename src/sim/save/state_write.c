// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Writes everything that a world's future depends on and what can be queried about its past, but no
// caches.

#include <string.h>

#include "jbw/state.h"
#include "sim/map/change.h"
#include "sim/map/growth.h"
#include "sim/save/state.h"

static void write_position(jbw_writer *writer, jbw_position position)
{
    jbw_write_signed(writer, position.x);
    jbw_write_signed(writer, position.y);
}

// ---- the map ----

static void write_undo(jbw_writer *writer, const jbw_map *map, const jbw_content *content)
{
    uint64_t count = 0;
    for (size_t i = 0; i < content->undo_count; i++)
        count += !jbw_growth_is_back(map, content, content->undo[i].cell);
    jbw_write_varint(writer, count);
    int next = 0;
    for (size_t i = 0; i < content->undo_count; i++) {
        const jbw_undo *undo = &content->undo[i];
        if (jbw_growth_is_back(map, content, undo->cell)) continue;
        jbw_write_varint(writer, (uint64_t)(undo->cell - next));
        jbw_write_u8(writer, undo->generated);
        next = undo->cell + 1;
    }
}

static void write_cells(jbw_writer *writer, const jbw_model *model, const uint8_t *cells)
{
    uint8_t *at = jbw_writer_room(writer, jbw_cells_room(model));
    if (at) jbw_writer_advance(writer, jbw_cells_put(model, cells, at));
}

// the cells of a patch that is not settled, with what grew back in them
static void write_settled_cells(jbw_writer *writer, const jbw_map *map, const jbw_patch *patch)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t size = (size_t)map->model->patch_size;
    const size_t bytes = size * size + JBW_CELLS_PADDING; // as the cells of a patch
    uint8_t *cells = jbw_alloc_zero(allocator, bytes, 1);
    uint8_t buffer[JBW_MAX_PATCH_SIZE];
    writer->ok = writer->ok && cells;
    if (!cells) return;
    for (size_t row = 0; row < size; row++)
        memcpy(cells + row * size, jbw_growth_row(map, patch, (int)row, buffer), size);
    write_cells(writer, map->model, cells);
    jbw_free(allocator, cells, bytes);
}

static void write_patch(jbw_writer *writer, const jbw_map *map, const jbw_patch *patch)
{
    write_position(writer, patch->at);
    jbw_write_u8(writer, patch->is_final ? JBW_STATE_IS_FINAL : 0);
    // the stream of a final patch is never used again
    if (!patch->is_final) jbw_write_u64(writer, patch->stream.state);
    if (patch->content->settle_time <= map->time)
        write_settled_cells(writer, map, patch);
    else
        write_cells(writer, map->model, patch->cells);
    if (patch->is_final) write_undo(writer, map, patch->content);
}

static void write_map(jbw_writer *writer, const jbw_world *world)
{
    const jbw_generator_stats stats = jbw_generator_get_stats(&world->generator);
    jbw_write_varint(writer, stats.sampling_count);
    jbw_write_varint(writer, stats.proposal_count);
    jbw_write_varint(writer, stats.accepted_count);
    jbw_write_varint(writer, world->map.patch_count);
    for (size_t i = 0; i < world->map.patch_count; i++)
        write_patch(writer, &world->map, world->map.patches[i]);
}

// the oldest event that can still be smelled
static uint64_t first_event(const jbw_world *world)
{
    const jbw_events *events = &world->map.events;
    const uint64_t memory = (uint64_t)world->model->scent.memory;
    uint64_t ticket = events->first;
    while (ticket < events->end && world->time - jbw_events_get(events, ticket)->time >= memory)
        ticket++;
    return ticket;
}

static void write_events(jbw_writer *writer, const jbw_world *world)
{
    const jbw_events *events = &world->map.events;
    const uint64_t first = first_event(world);
    jbw_write_varint(writer, events->end - first);
    for (uint64_t ticket = first; ticket < events->end; ticket++) {
        const jbw_event *event = jbw_events_get(events, ticket);
        jbw_write_varint(writer, world->time - event->time);
        if (jbw_generator_has_history(&world->generator))
            jbw_write_varint(writer, event->patch);
        else
            write_position(writer, world->map.patches[event->patch]->at);
        jbw_write_varint(writer, event->cell);
        jbw_write_u8(writer, event->source);
        jbw_write_u8(writer, event->sign > 0);
    }
}

// ---- agents ----

// an index from -1, saved plus one
static void write_index(jbw_writer *writer, int index)
{
    jbw_write_varint(writer, index < 0 ? 0 : (uint64_t)index + 1);
}

static void write_result(jbw_writer *writer, const jbw_agent_result *result)
{
    jbw_write_varint(writer, result->time);
    write_index(writer, result->action);
    jbw_write_u8(writer, (uint8_t)result->outcome);
    jbw_write_u8(writer, result->moved);
    jbw_write_u8(writer, (uint8_t)result->item);
    write_index(writer, result->collected);
    write_index(writer, result->dropped);
    write_position(writer, result->position_before);
    write_position(writer, result->position);
}

// what an agent said, heard and read in the latest step
static void write_words(jbw_writer *writer, const jbw_agents *agents, const jbw_agent *agent)
{
    if (agents->heard) {
        const uint32_t *heard = jbw_agents_heard(agents, agent);
        jbw_write_varint(writer, (uint64_t)agent->result.said);
        for (int s = 0; s < agents->model->voice.symbols; s++) jbw_write_varint(writer, heard[s]);
    }
    if (agents->texts) jbw_write_text(writer, jbw_agents_texts(agents, agent)->collected);
}

static void write_slot(jbw_writer *writer, const jbw_agents *agents, const jbw_agent *agent)
{
    jbw_write_varint(writer, agent->generation);
    jbw_write_u8(writer,
                 (uint8_t)((agent->is_alive ? JBW_STATE_IS_ALIVE : 0) |
                           (agent->is_alive && agent->is_active ? JBW_STATE_IS_ACTIVE : 0)));
    if (!agent->is_alive) return;
    write_position(writer, agent->position);
    write_position(writer, agent->start);
    jbw_write_u8(writer, (uint8_t)agent->direction);
    write_result(writer, &agent->result);
    const uint64_t *inventory = jbw_agents_inventory(agents, agent);
    for (int t = 0; t < agents->model->inventory_size; t++) jbw_write_varint(writer, inventory[t]);
    if (agents->model->body_count > 1) jbw_write_u8(writer, agent->body);
    write_words(writer, agents, agent);
}

static void write_requests(jbw_writer *writer, const jbw_agents *agents)
{
    size_t count = 0;
    for (size_t i = 0; i < agents->request_count; i++)
        count += jbw_agents_request_is_current(agents, &agents->requests[i]);
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < agents->request_count; i++) {
        const jbw_queued_request *request = &agents->requests[i];
        if (!jbw_agents_request_is_current(agents, request)) continue;
        jbw_write_varint(writer, request->slot);
        const jbw_agent *agent = &agents->slots[request->slot];
        jbw_write_varint(writer, (uint64_t)agent->request);
        if (agents->heard) jbw_write_varint(writer, agent->say);
        if (agents->texts) jbw_write_text(writer, jbw_agents_request_text(agents, agent));
    }
}

static void write_agents(jbw_writer *writer, const jbw_agents *agents)
{
    jbw_write_varint(writer, agents->slot_count);
    for (size_t i = 0; i < agents->slot_count; i++) write_slot(writer, agents, &agents->slots[i]);
    for (size_t i = 0; i < agents->count; i++) jbw_write_varint(writer, agents->order[i]);
    write_requests(writer, agents);
}

// ---- worlds ----

jbw_status jbw_world_encode(const jbw_world *world, jbw_buffer *out)
{
    const size_t size_before = out->size;
    const jbw_model *model = world->model;
    jbw_writer writer = jbw_writer_begin(out);
    const bool has_history = jbw_generator_has_history(&world->generator);
    jbw_write_varint(&writer, jbw_state_version(model));
    jbw_write_varint(&writer, model->config_size);
    jbw_write_bytes(&writer, model->config, model->config_size);
    jbw_write_u64(&writer, world->seed);
    jbw_write_varint(&writer, world->time);
    if (has_history)
        write_map(&writer, world);
    else
        jbw_state_write_changes(&writer, world);
    if (model->is_growing) jbw_state_write_growth(&writer, world);
    if (model->has_texts) jbw_state_write_texts(&writer, world);
    write_events(&writer, world);
    write_agents(&writer, &world->agents);
    if (writer.ok) return JBW_OK;
    out->size = size_before;
    return JBW_OUT_OF_MEMORY;
}
