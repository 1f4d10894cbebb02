// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/operation_log.h"

#include <limits.h>

// Codes from 1 are kinds of operations; codes from FIRST_ACTION are actions of the agent that acted
// last. An agent that is added with a body has a code of its own, so that recordings without bodies
// stay as they are. The other codes are unused.
enum { CODE_HASH = 0, CODE_ADD_WITH_BODY = 20, FIRST_ACTION = 64, LAST_ACTION = 255 };

// flags of an agent that is added
enum { HAS_POSITION = 1, IS_FORCED = 2, DIRECTION_SHIFT = 2 };

// ---- writing ----

static void write_agent(jbw_writer *writer, jbw_agent_id agent)
{
    jbw_write_varint(writer, agent.index1);
    jbw_write_varint(writer, agent.generation);
}

static void write_position(jbw_writer *writer, jbw_position position)
{
    jbw_write_signed(writer, position.x);
    jbw_write_signed(writer, position.y);
}

static bool is_same_agent(jbw_agent_id a, jbw_agent_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static void write_options(jbw_writer *writer, const jbw_agent_options *options)
{
    const int flags = (options->has_position ? HAS_POSITION : 0) |
                      (options->is_forced ? IS_FORCED : 0) |
                      (int)options->direction << DIRECTION_SHIFT;
    jbw_write_u8(writer, (uint8_t)flags);
    if (options->has_position) write_position(writer, options->position);
}

static void write_together(jbw_writer *writer, const jbw_operation *operation)
{
    jbw_write_varint(writer, operation->count);
    for (size_t i = 0; i < operation->count; i++) {
        write_agent(writer, operation->agents[i]);
        jbw_write_varint(writer, (uint64_t)operation->actions[i]);
    }
}

static void write_positions(jbw_writer *writer, const jbw_operation *operation)
{
    jbw_write_varint(writer, operation->count);
    for (size_t i = 0; i < operation->count; i++) write_position(writer, operation->positions[i]);
}

void jbw_log_write_operation(jbw_writer *writer, jbw_log_state *state,
                             const jbw_operation *operation)
{
    if (operation->kind == JBW_OPERATION_ACT && is_same_agent(operation->agent, state->actor) &&
        operation->action <= LAST_ACTION - FIRST_ACTION) {
        // nearly every entry is one of these, so a byte that fits is stored directly
        jbw_buffer *buffer = writer->buffer;
        const uint8_t code = (uint8_t)(FIRST_ACTION + operation->action);
        if (buffer->size < buffer->capacity)
            buffer->bytes[buffer->size++] = code;
        else
            jbw_write_u8(writer, code);
        return;
    }
    const bool has_body =
        operation->kind == JBW_OPERATION_ADD_AGENT && operation->options.body != 0;
    jbw_write_u8(writer, has_body ? (uint8_t)CODE_ADD_WITH_BODY : (uint8_t)operation->kind);
    switch (operation->kind) {
    case JBW_OPERATION_ACT:
        write_agent(writer, operation->agent);
        jbw_write_varint(writer, (uint64_t)operation->action);
        state->actor = operation->agent;
        break;
    case JBW_OPERATION_ACT_TOGETHER: write_together(writer, operation); break;
    case JBW_OPERATION_STEP: break;
    case JBW_OPERATION_ADD_AGENT:
        write_agent(writer, operation->agent);
        write_options(writer, &operation->options);
        if (has_body) jbw_write_varint(writer, (uint64_t)operation->options.body);
        break;
    case JBW_OPERATION_REMOVE_AGENT: write_agent(writer, operation->agent); break;
    case JBW_OPERATION_SET_ACTIVE:
        write_agent(writer, operation->agent);
        jbw_write_u8(writer, operation->is_active);
        break;
    case JBW_OPERATION_PLACE_ITEM:
        jbw_write_varint(writer, (uint64_t)operation->item_type);
        write_position(writer, operation->position);
        break;
    case JBW_OPERATION_REMOVE_ITEM: write_position(writer, operation->position); break;
    case JBW_OPERATION_EXPLORE: write_positions(writer, operation); break;
    case JBW_OPERATION_FINALIZE_PATCH: write_position(writer, operation->position); break;
    }
}

void jbw_log_write_hash(jbw_writer *writer, uint64_t hash)
{
    jbw_write_u8(writer, CODE_HASH);
    jbw_write_u64(writer, hash);
}

// ---- reading ----

void jbw_log_arrays_free(jbw_log_arrays *arrays)
{
    jbw_free(&arrays->allocator, arrays->agents, arrays->agent_capacity * sizeof *arrays->agents);
    jbw_free(&arrays->allocator, arrays->actions,
             arrays->action_capacity * sizeof *arrays->actions);
    jbw_free(&arrays->allocator, arrays->positions,
             arrays->position_capacity * sizeof *arrays->positions);
    *arrays = (jbw_log_arrays){.allocator = arrays->allocator};
}

// a varint that must not exceed a limit
static uint64_t read_at_most(jbw_reader *reader, uint64_t largest)
{
    const uint64_t value = jbw_read_varint(reader);
    if (value > largest) reader->ok = false;
    return value <= largest ? value : 0;
}

static jbw_agent_id read_agent(jbw_reader *reader)
{
    jbw_agent_id agent;
    agent.index1 = (uint32_t)read_at_most(reader, UINT32_MAX);
    agent.generation = (uint32_t)read_at_most(reader, UINT32_MAX);
    return agent;
}

static jbw_position read_position(jbw_reader *reader)
{
    jbw_position position;
    position.x = jbw_read_signed(reader);
    position.y = jbw_read_signed(reader);
    return position;
}

static jbw_agent_options read_options(jbw_reader *reader)
{
    const int flags = jbw_read_u8(reader);
    if (flags >> DIRECTION_SHIFT > JBW_LEFT) reader->ok = false;
    jbw_agent_options options = {
        .has_position = (flags & HAS_POSITION) != 0,
        .is_forced = (flags & IS_FORCED) != 0,
        .direction = (jbw_direction)(flags >> DIRECTION_SHIFT & 3),
    };
    if (options.has_position) options.position = read_position(reader);
    return options;
}

// False if memory runs out.
static bool read_together(jbw_reader *reader, jbw_log_arrays *arrays, jbw_operation *out)
{
    const size_t count = jbw_read_count(reader, 3);
    if (!JBW_GROW(&arrays->allocator, arrays->agents, arrays->agent_capacity, count) ||
        !JBW_GROW(&arrays->allocator, arrays->actions, arrays->action_capacity, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        arrays->agents[i] = read_agent(reader);
        arrays->actions[i] = (int)read_at_most(reader, INT_MAX);
    }
    out->agents = arrays->agents;
    out->actions = arrays->actions;
    out->count = count;
    return true;
}

// False if memory runs out.
static bool read_positions(jbw_reader *reader, jbw_log_arrays *arrays, jbw_operation *out)
{
    const size_t count = jbw_read_count(reader, 2);
    if (!JBW_GROW(&arrays->allocator, arrays->positions, arrays->position_capacity, count))
        return false;
    for (size_t i = 0; i < count; i++) arrays->positions[i] = read_position(reader);
    out->positions = arrays->positions;
    out->count = count;
    return true;
}

static bool read_flag(jbw_reader *reader)
{
    const uint8_t value = jbw_read_u8(reader);
    if (value > 1) reader->ok = false;
    return value == 1;
}

// Reads the rest of an operation whose kind is known. False if memory runs out.
static bool read_operation(jbw_reader *reader, jbw_log_state *state, jbw_log_arrays *arrays,
                           jbw_operation *out)
{
    switch (out->kind) {
    case JBW_OPERATION_ACT:
        out->agent = read_agent(reader);
        out->action = (int)read_at_most(reader, INT_MAX);
        state->actor = out->agent;
        return true;
    case JBW_OPERATION_ACT_TOGETHER: return read_together(reader, arrays, out);
    case JBW_OPERATION_STEP: return true;
    case JBW_OPERATION_ADD_AGENT:
        out->agent = read_agent(reader);
        out->options = read_options(reader);
        return true;
    case JBW_OPERATION_REMOVE_AGENT: out->agent = read_agent(reader); return true;
    case JBW_OPERATION_SET_ACTIVE:
        out->agent = read_agent(reader);
        out->is_active = read_flag(reader);
        return true;
    case JBW_OPERATION_PLACE_ITEM:
        out->item_type = (int)read_at_most(reader, INT_MAX);
        out->position = read_position(reader);
        return true;
    case JBW_OPERATION_REMOVE_ITEM:
    case JBW_OPERATION_FINALIZE_PATCH: out->position = read_position(reader); return true;
    case JBW_OPERATION_EXPLORE: return read_positions(reader, arrays, out);
    }
    reader->ok = false; // an unknown code
    return true;
}

bool jbw_log_has_hash(const jbw_reader *reader)
{
    return jbw_reader_left(reader) > 0 && *reader->at == CODE_HASH;
}

jbw_status jbw_log_read(jbw_reader *reader, jbw_log_state *state, jbw_log_arrays *arrays,
                        jbw_log_entry *out)
{
    *out = (jbw_log_entry){0};
    const int code = jbw_read_u8(reader);
    if (code == CODE_HASH) {
        out->is_hash = true;
        out->hash = jbw_read_u64(reader);
    } else if (code >= FIRST_ACTION) {
        out->operation.kind = JBW_OPERATION_ACT;
        out->operation.agent = state->actor;
        out->operation.action = code - FIRST_ACTION;
        if (state->actor.index1 == 0) reader->ok = false; // nobody has acted
    } else if (code == CODE_ADD_WITH_BODY) {
        out->operation.kind = JBW_OPERATION_ADD_AGENT;
        out->operation.agent = read_agent(reader);
        out->operation.options = read_options(reader);
        out->operation.options.body = (int)read_at_most(reader, JBW_MAX_SOURCES);
        if (out->operation.options.body == 0) reader->ok = false; // has another code
    } else {
        out->operation.kind = (jbw_operation_kind)code;
        if (!read_operation(reader, state, arrays, &out->operation)) return JBW_OUT_OF_MEMORY;
    }
    return reader->ok ? JBW_OK : JBW_INVALID_DATA;
}
