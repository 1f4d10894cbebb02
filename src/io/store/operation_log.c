// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/operation_log.h"

#include <limits.h>
#include <string.h>

// Codes from 1 are kinds of operations; codes from FIRST_ACTION are actions of the agent that acted
// last. A few between them are used only where recordings need them, so that others stay as they are:
// for operations with words, and for agents with bodies of their own. The other codes are unused.
enum {
    CODE_HASH = 0,
    CODE_REQUEST = 11,          // JBW_OPERATION_ACT with what is said and written
    CODE_REQUEST_TOGETHER = 12, // JBW_OPERATION_ACT_TOGETHER, likewise
    CODE_PLACE_TEXT = 13,       // JBW_OPERATION_PLACE_ITEM with a text
    CODE_ADD_WITH_BODY = 20,
    FIRST_ACTION = 64,
    LAST_ACTION = 255,
};

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

static void write_words(jbw_writer *writer, int say, const char *text)
{
    jbw_write_varint(writer, (uint64_t)say);
    jbw_write_text(writer, text ? text : "");
}

static int said_by(const jbw_requests *requests, size_t i)
{
    return requests->say ? requests->say[i] : 0;
}

static const char *written_by(const jbw_requests *requests, size_t i)
{
    return requests->texts ? requests->texts[i] : NULL;
}

static void write_together(jbw_writer *writer, const jbw_operation *operation, bool has_words)
{
    const jbw_requests *requests = &operation->requests;
    jbw_write_varint(writer, operation->count);
    for (size_t i = 0; i < operation->count; i++) {
        write_agent(writer, operation->agents[i]);
        jbw_write_varint(writer, (uint64_t)requests->actions[i]);
        if (has_words) write_words(writer, said_by(requests, i), written_by(requests, i));
    }
}

// the code of an operation: its kind, unless there is more to it
static int code_of(const jbw_operation *operation)
{
    const jbw_requests *requests = &operation->requests;
    bool has_words = operation->say != 0 || operation->text;
    for (size_t i = 0; i < operation->count && !has_words && requests->actions; i++) {
        const char *text = written_by(requests, i);
        has_words = said_by(requests, i) != 0 || (text && *text != '\0');
    }
    if (has_words && operation->kind == JBW_OPERATION_ACT) return CODE_REQUEST;
    if (has_words && operation->kind == JBW_OPERATION_ACT_TOGETHER) return CODE_REQUEST_TOGETHER;
    if (has_words && operation->kind == JBW_OPERATION_PLACE_ITEM) return CODE_PLACE_TEXT;
    if (operation->kind == JBW_OPERATION_ADD_AGENT && operation->options.body != 0)
        return CODE_ADD_WITH_BODY;
    return (int)operation->kind;
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
        operation->action <= LAST_ACTION - FIRST_ACTION && operation->say == 0 &&
        !operation->text) {
        // nearly every entry is one of these, so a byte that fits is stored directly
        jbw_buffer *buffer = writer->buffer;
        const uint8_t code = (uint8_t)(FIRST_ACTION + operation->action);
        if (buffer->size < buffer->capacity)
            buffer->bytes[buffer->size++] = code;
        else
            jbw_write_u8(writer, code);
        return;
    }
    const int code = code_of(operation);
    jbw_write_u8(writer, (uint8_t)code);
    switch (operation->kind) {
    case JBW_OPERATION_ACT:
        write_agent(writer, operation->agent);
        jbw_write_varint(writer, (uint64_t)operation->action);
        if (code == CODE_REQUEST) write_words(writer, operation->say, operation->text);
        state->actor = operation->agent;
        break;
    case JBW_OPERATION_ACT_TOGETHER:
        write_together(writer, operation, code == CODE_REQUEST_TOGETHER);
        break;
    case JBW_OPERATION_STEP: break;
    case JBW_OPERATION_ADD_AGENT:
        write_agent(writer, operation->agent);
        write_options(writer, &operation->options);
        if (code == CODE_ADD_WITH_BODY) jbw_write_varint(writer, (uint64_t)operation->options.body);
        break;
    case JBW_OPERATION_REMOVE_AGENT: write_agent(writer, operation->agent); break;
    case JBW_OPERATION_SET_ACTIVE:
        write_agent(writer, operation->agent);
        jbw_write_u8(writer, operation->is_active);
        break;
    case JBW_OPERATION_PLACE_ITEM:
        jbw_write_varint(writer, (uint64_t)operation->item_type);
        write_position(writer, operation->position);
        if (code == CODE_PLACE_TEXT) jbw_write_text(writer, operation->text);
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
    jbw_free(&arrays->allocator, arrays->say, arrays->say_capacity * sizeof *arrays->say);
    jbw_free(&arrays->allocator, arrays->texts, arrays->text_capacity * sizeof *arrays->texts);
    jbw_free(&arrays->allocator, arrays->text_bytes, arrays->text_byte_capacity);
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

enum { TEXT_ROOM = JBW_MAX_TEXT + 1 };

// Reads a text into room for it, and returns it, or NULL if it is empty. Worlds check what it says.
static const char *read_text(jbw_reader *reader, char *room)
{
    const size_t length = (size_t)read_at_most(reader, JBW_MAX_TEXT);
    const uint8_t *bytes = jbw_read_bytes(reader, length);
    if (!bytes || length == 0) return NULL;
    if (memchr(bytes, 0, length)) reader->ok = false;
    memcpy(room, bytes, length);
    room[length] = '\0';
    return room;
}

// False if memory runs out.
static bool make_room_for_words(jbw_log_arrays *arrays, size_t count)
{
    return JBW_GROW(&arrays->allocator, arrays->say, arrays->say_capacity, count) &&
           JBW_GROW(&arrays->allocator, arrays->texts, arrays->text_capacity, count) &&
           JBW_GROW(&arrays->allocator, arrays->text_bytes, arrays->text_byte_capacity,
                    count * TEXT_ROOM);
}

// False if memory runs out.
static bool read_together(jbw_reader *reader, jbw_log_arrays *arrays, bool has_words,
                          jbw_operation *out)
{
    const size_t count = jbw_read_count(reader, has_words ? 5 : 3);
    if (has_words && !make_room_for_words(arrays, count)) return false;
    if (!JBW_GROW(&arrays->allocator, arrays->agents, arrays->agent_capacity, count) ||
        !JBW_GROW(&arrays->allocator, arrays->actions, arrays->action_capacity, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        arrays->agents[i] = read_agent(reader);
        arrays->actions[i] = (int)read_at_most(reader, INT_MAX);
        if (!has_words) continue;
        arrays->say[i] = (int)read_at_most(reader, INT_MAX);
        arrays->texts[i] = read_text(reader, arrays->text_bytes + i * TEXT_ROOM);
    }
    out->agents = arrays->agents;
    out->requests.actions = arrays->actions;
    if (has_words) out->requests.say = arrays->say;
    if (has_words) out->requests.texts = arrays->texts;
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

// Reads the rest of an operation whose code is known. False if memory runs out.
static bool read_operation(jbw_reader *reader, jbw_log_state *state, jbw_log_arrays *arrays,
                           int code, jbw_operation *out)
{
    const bool has_words =
        code == CODE_REQUEST || code == CODE_REQUEST_TOGETHER || code == CODE_PLACE_TEXT;
    out->kind = code == CODE_REQUEST            ? JBW_OPERATION_ACT
                : code == CODE_REQUEST_TOGETHER ? JBW_OPERATION_ACT_TOGETHER
                : code == CODE_PLACE_TEXT       ? JBW_OPERATION_PLACE_ITEM
                                                : (jbw_operation_kind)code;
    if (has_words && !make_room_for_words(arrays, 1)) return false;
    switch (out->kind) {
    case JBW_OPERATION_ACT:
        out->agent = read_agent(reader);
        out->action = (int)read_at_most(reader, INT_MAX);
        state->actor = out->agent;
        if (!has_words) return true;
        out->say = (int)read_at_most(reader, INT_MAX);
        out->text = read_text(reader, arrays->text_bytes);
        return true;
    case JBW_OPERATION_ACT_TOGETHER: return read_together(reader, arrays, has_words, out);
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
        if (has_words) out->text = read_text(reader, arrays->text_bytes);
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
        if (!read_operation(reader, state, arrays, code, &out->operation)) return JBW_OUT_OF_MEMORY;
    }
    return reader->ok ? JBW_OK : JBW_INVALID_DATA;
}
