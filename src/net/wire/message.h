// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Messages between server and clients: structs, and their bytes. All of it follows from the table in
/// messages.inl; docs/protocol.md tells people what it says.
///
///     u16 type | u32 request | the fields in order
///
/// A message is filled or read through the union:
///
///     jbw_message message = {.type = JBW_MESSAGE_ACT, .request = 7, .act = {.agent = id}};
///     jbw_message_encode(&message, &buffer);
///     jbw_message_decode(bytes, size, &scratch, &message);
#ifndef JBW_NET_WIRE_MESSAGE_H
#define JBW_NET_WIRE_MESSAGE_H

#include <string.h>

#include "jbw/base.h"
#include "jbw/types.h"

enum {
#define VERSION(number) JBW_PROTOCOL_VERSION = (number),
#include "net/wire/messages.inl"
    JBW_MESSAGE_HEADER_SIZE = 6,
    JBW_MAX_WIRE_TEXT = 1000, ///< bytes of a text
};

/// What stands in the field `code` of an error.
typedef enum jbw_error_code {
#define ERROR(number, name, text) JBW_ERROR_##name = (number),
#include "net/wire/messages.inl"
} jbw_error_code;

/// Bits of fields: JBW_PERMISSION_WATCH, JBW_WANT_VISION; and topics: JBW_TOPIC_ALL.
enum {
#define FLAG(group, value, name, text) JBW_##name = (value),
#include "net/wire/messages.inl"
};

typedef enum jbw_message_type {
#define MESSAGE(number, upper, name, sender, needs, answer, text) JBW_MESSAGE_##upper = (number),
#include "net/wire/messages.inl"
} jbw_message_type;

/// Who sends a message.
typedef enum jbw_sender {
    JBW_SENDER_CLIENT,
    JBW_SENDER_SERVER,
} jbw_sender;

// ---- the types of fields ----

/// Characters, without a zero behind them.
typedef struct jbw_field_text {
    const char *at;
    size_t length;
} jbw_field_text;

typedef struct jbw_field_bytes {
    const uint8_t *at;
    size_t count;
} jbw_field_bytes;

typedef struct jbw_field_f32s {
    const float *at;
    size_t count;
} jbw_field_f32s;

typedef jbw_field_f32s jbw_field_sparse; ///< only what is not zero goes over the wire

typedef struct jbw_field_u64s {
    const uint64_t *at;
    size_t count;
} jbw_field_u64s;

typedef struct jbw_field_agents {
    const jbw_agent_id *at;
    size_t count;
} jbw_field_agents;

typedef bool jbw_field_bool;
typedef uint8_t jbw_field_u8;
typedef uint16_t jbw_field_u16;
typedef uint32_t jbw_field_u32;
typedef uint64_t jbw_field_u64;
typedef int32_t jbw_field_i32;
typedef float jbw_field_f32;
typedef double jbw_field_f64;
typedef jbw_agent_id jbw_field_agent;
typedef jbw_position jbw_field_position;
typedef jbw_region jbw_field_region; ///< its sizes are from 0 to 2^32 - 1

/// The text that ends in a zero. It is not copied.
static inline jbw_field_text jbw_text_field(const char *text)
{
    return (jbw_field_text){.at = text, .length = strlen(text)};
}

// ---- records and messages ----

/// Lists: `name` holds `name_count` records.
#define RECORD(name, text) typedef struct jbw_wire_##name {
#define END_RECORD(name) \
    }                    \
    jbw_wire_##name;
#define MESSAGE(number, upper, name, sender, needs, answer, text) typedef struct jbw_wire_##name {
#define END_MESSAGE(name)                        \
    char unused; /* a struct may not be empty */ \
    }                                            \
    jbw_wire_##name;
#define FIELD(type, name, text) jbw_field_##type name;
#define LIST(record, name, text)   \
    const jbw_wire_##record *name; \
    size_t name##_count;
#include "net/wire/messages.inl"

typedef struct jbw_message {
    jbw_message_type type;
    uint32_t request; ///< chosen by the client; the answer has the same
    union {
#define MESSAGE(number, upper, name, sender, needs, answer, text) jbw_wire_##name name;
#include "net/wire/messages.inl"
    };
} jbw_message;

// ---- bytes ----

/// Where lists of decoded messages live. All zero is empty; it keeps its memory from message to
/// message, so that after a while none is asked for.
typedef struct jbw_scratch {
    jbw_allocator allocator;
    struct jbw_scratch_block *blocks; // newest first, the one in use
} jbw_scratch;

/// Room for `count` elements of `size` bytes, until it is reset. NULL when memory runs out.
void *jbw_scratch_alloc(jbw_scratch *scratch, size_t count, size_t size);

/// Forgets everything in it, and keeps the memory.
void jbw_scratch_reset(jbw_scratch *scratch);

void jbw_scratch_deinit(jbw_scratch *scratch);

/// Appends a message. False when memory runs out, or a text is too long: then the buffer is as it
/// was.
bool jbw_message_encode(const jbw_message *message, jbw_buffer *out);

/// Reads a message, to the last byte. JBW_INVALID_DATA if it is none, JBW_UNSUPPORTED if its type is
/// not known; `type` and `request` are then what the header says, or zero. Lists live in `scratch`
/// until it is reset; texts and bytes point into `bytes`.
jbw_status jbw_message_decode(const void *bytes, size_t size, jbw_scratch *scratch,
                              jbw_message *out);

// ---- names ----

/// A message of the table.
typedef struct jbw_message_info {
    jbw_message_type type;
    const char *name;
    jbw_sender sender;
    uint8_t needs; ///< the permission that it needs, a bit; zero for none
} jbw_message_info;

/// What is known of a type of message, or NULL if there is none.
const jbw_message_info *jbw_message_find(unsigned type);

/// Such as "NOT_PERMITTED", and what it means to a person. Never NULL.
const char *jbw_error_code_name(unsigned code);
const char *jbw_error_code_text(unsigned code);

#endif
