// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Messages between server and clients: their structs and their encoding. Everything here is
/// generated from the table in messages.inl; docs/protocol.md documents it.
///
///     u16 type | u32 request | the fields in order
///
/// A message is written and read through its union:
///
///     jbw_message message = {.type = JBW_MESSAGE_ACT, .request = 7, .act = {.agent = id}};
///     jbw_message_encode(&message, &buffer);
///     jbw_message_decode(bytes, size, &scratch, &message);
#ifndef JBW_NET_WIRE_MESSAGE_H
#define JBW_NET_WIRE_MESSAGE_H

#include <string.h>

#include "jbw/base.h"
#include "jbw/types.h"
#include "net/wire/scratch.h"

enum {
#define VERSION(number) JBW_PROTOCOL_VERSION = (number),
#include "net/wire/messages.inl"
    JBW_PROTOCOL_WITHOUT_WORDS = 1, ///< knows no bodies, voices and texts; the oldest one served
    JBW_MESSAGE_HEADER_SIZE = 6,
    JBW_MAX_WIRE_TEXT = 1000, ///< bytes in a text field
};

/// The values of the field `code` of an error.
typedef enum jbw_error_code {
#define ERROR(number, name, text) JBW_ERROR_##name = (number),
#include "net/wire/messages.inl"
} jbw_error_code;

/// Bits of flag fields (JBW_PERMISSION_WATCH, JBW_WANT_VISION) and topics (JBW_TOPIC_ALL).
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

// ---- field types ----

/// Characters, not zero-terminated.
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

typedef jbw_field_f32s jbw_field_sparse; ///< zeros are not sent

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
typedef jbw_region jbw_field_region; ///< width and height from 0 to 2^32 - 1

/// A zero-terminated string as a field. It is not copied.
static inline jbw_field_text jbw_text_field(const char *text)
{
    return (jbw_field_text){.at = text, .length = strlen(text)};
}

// ---- records and messages ----

/// A list is a pair of members: `name` points to `name_count` records.
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
#define FIELDS_OF(message, name) jbw_wire_##message name;
#include "net/wire/messages.inl"

typedef struct jbw_message {
    jbw_message_type type;
    uint32_t request; ///< chosen by the client, repeated in the answer
    union {
#define MESSAGE(number, upper, name, sender, needs, answer, text) jbw_wire_##name name;
#include "net/wire/messages.inl"
    };
} jbw_message;

// ---- encoding ----

/// Appends a message. False when memory runs out or a text is too long; the buffer is then
/// unchanged.
bool jbw_message_encode(const jbw_message *message, jbw_buffer *out);

/// Decodes a message that takes up all of `bytes`. JBW_INVALID_DATA if it is malformed,
/// JBW_UNSUPPORTED if its type is unknown; `type` and `request` are then those of the header, or
/// zero. Lists are valid until `scratch` is reset; texts and bytes point into `bytes`.
jbw_status jbw_message_decode(const void *bytes, size_t size, jbw_scratch *scratch,
                              jbw_message *out);

// ---- names ----

/// One entry of the table.
typedef struct jbw_message_info {
    jbw_message_type type;
    const char *name;
    jbw_sender sender;
    uint8_t needs; ///< the permission bit it requires; zero for none
} jbw_message_info;

/// The entry of a message type, or NULL if there is none.
const jbw_message_info *jbw_message_find(unsigned type);

/// The name of an error code, such as "NOT_PERMITTED", and its text for people. Never NULL.
const char *jbw_error_code_name(unsigned code);
const char *jbw_error_code_text(unsigned code);

#endif
