// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Each field type defines three things: its least size in bytes, how to write it, and how to read
// it. The table composes records and messages from these.

#include "net/wire/message.h"

#include "base/bytes.h"
#include "base/utf8.h"

enum { SPARSE_MOST = 1 << 24 }; // numbers in a field: a few bytes must not expand to gigabytes

// ---- reading lists ----

typedef struct source {
    jbw_reader reader;
    jbw_scratch *scratch;
    bool lacks_memory;
} source;

// Space for a list whose elements take at least `least_size` bytes each. NULL if the list is empty,
// or longer than the bytes that are left, or memory runs out.
static void *list_room(source *s, size_t *count, size_t least_size, size_t size)
{
    const uint32_t wanted = jbw_read_u32(&s->reader);
    *count = 0;
    if (wanted > jbw_reader_left(&s->reader) / least_size) s->reader.ok = false;
    if (!s->reader.ok || wanted == 0) return NULL;
    void *room = jbw_scratch_alloc(s->scratch, wanted, size);
    if (room) {
        *count = wanted;
    } else {
        s->lacks_memory = true;
        s->reader.ok = false;
    }
    return room;
}

static void write_count(jbw_writer *w, size_t count)
{
    if (count > UINT32_MAX) w->ok = false;
    jbw_write_u32(w, (uint32_t)count);
}

// ---- numbers ----

// the least size of each type, as arrays of bytes so that structs of them have no padding
typedef uint8_t least_bool[1];
typedef uint8_t least_u8[1];
typedef uint8_t least_u16[2];
typedef uint8_t least_u32[4];
typedef uint8_t least_u64[8];
typedef uint8_t least_i32[4];
typedef uint8_t least_f32[4];
typedef uint8_t least_f64[8];
typedef uint8_t least_agent[8];
typedef uint8_t least_position[16];
typedef uint8_t least_region[24];
typedef uint8_t least_text[2];
typedef uint8_t least_bytes[4];
typedef uint8_t least_f32s[4];
typedef uint8_t least_sparse[4];
typedef uint8_t least_u64s[4];
typedef uint8_t least_agents[4];

static void write_bool(jbw_writer *w, bool value)
{
    jbw_write_u8(w, value);
}

static bool read_bool(source *s)
{
    const uint8_t value = jbw_read_u8(&s->reader);
    if (value > 1) s->reader.ok = false;
    return value == 1;
}

static void write_u8(jbw_writer *w, uint8_t value)
{
    jbw_write_u8(w, value);
}

static uint8_t read_u8(source *s)
{
    return jbw_read_u8(&s->reader);
}

static void write_u16(jbw_writer *w, uint16_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    jbw_write_bytes(w, bytes, sizeof bytes);
}

static uint16_t read_u16(source *s)
{
    const uint8_t *at = jbw_read_bytes(&s->reader, 2);
    return (uint16_t)(at ? at[0] | at[1] << 8 : 0);
}

static void write_u32(jbw_writer *w, uint32_t value)
{
    jbw_write_u32(w, value);
}

static uint32_t read_u32(source *s)
{
    return jbw_read_u32(&s->reader);
}

static void write_u64(jbw_writer *w, uint64_t value)
{
    jbw_write_u64(w, value);
}

static uint64_t read_u64(source *s)
{
    return jbw_read_u64(&s->reader);
}

static void write_i32(jbw_writer *w, int32_t value)
{
    jbw_write_u32(w, (uint32_t)value);
}

static int32_t read_i32(source *s)
{
    return (int32_t)jbw_read_u32(&s->reader);
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void write_f32(jbw_writer *w, float value)
{
    jbw_write_u32(w, bits_of_float(value));
}

static float read_f32(source *s)
{
    return float_of_bits(jbw_read_u32(&s->reader));
}

static void write_f64(jbw_writer *w, double value)
{
    jbw_write_double(w, value);
}

static double read_f64(source *s)
{
    return jbw_read_double(&s->reader);
}

// ---- positions and agents ----

static uint64_t pack_agent(jbw_agent_id agent)
{
    return (uint64_t)agent.generation << 32 | agent.index1;
}

static jbw_agent_id unpack_agent(uint64_t packed)
{
    return (jbw_agent_id){.index1 = (uint32_t)packed, .generation = (uint32_t)(packed >> 32)};
}

static void write_agent(jbw_writer *w, jbw_agent_id agent)
{
    jbw_write_u64(w, pack_agent(agent));
}

static jbw_agent_id read_agent(source *s)
{
    return unpack_agent(jbw_read_u64(&s->reader));
}

static void write_position(jbw_writer *w, jbw_position position)
{
    jbw_write_u64(w, (uint64_t)position.x);
    jbw_write_u64(w, (uint64_t)position.y);
}

static jbw_position read_position(source *s)
{
    const int64_t x = (int64_t)jbw_read_u64(&s->reader);
    const int64_t y = (int64_t)jbw_read_u64(&s->reader);
    return (jbw_position){x, y};
}

static void write_region(jbw_writer *w, jbw_region region)
{
    if (region.width < 0 || region.width > UINT32_MAX) w->ok = false;
    if (region.height < 0 || region.height > UINT32_MAX) w->ok = false;
    jbw_write_u64(w, (uint64_t)region.x);
    jbw_write_u64(w, (uint64_t)region.y);
    jbw_write_u32(w, (uint32_t)region.width);
    jbw_write_u32(w, (uint32_t)region.height);
}

static jbw_region read_region(source *s)
{
    const jbw_position corner = read_position(s);
    const uint32_t width = jbw_read_u32(&s->reader);
    const uint32_t height = jbw_read_u32(&s->reader);
    return (jbw_region){corner.x, corner.y, width, height};
}

// ---- texts and lists of numbers ----

// printable characters only: nothing that could upset a terminal or a log
static bool is_text(const char *at, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t character;
        const size_t step = jbw_utf8_decode(at + i, length - i, &character);
        if (step == 0 || character < 0x20 || character == 0x7f) return false;
        i += step;
    }
    return true;
}

static void write_text(jbw_writer *w, jbw_field_text text)
{
    if (text.length > JBW_MAX_WIRE_TEXT) w->ok = false;
    write_u16(w, (uint16_t)text.length);
    jbw_write_bytes(w, text.at, text.length);
}

static jbw_field_text read_text(source *s)
{
    const uint16_t length = read_u16(s);
    const char *at = (const char *)jbw_read_bytes(&s->reader, length);
    if (length > JBW_MAX_WIRE_TEXT || (at && !is_text(at, length))) s->reader.ok = false;
    return s->reader.ok ? (jbw_field_text){at, length} : (jbw_field_text){"", 0};
}

static void write_bytes(jbw_writer *w, jbw_field_bytes bytes)
{
    write_count(w, bytes.count);
    jbw_write_bytes(w, bytes.at, bytes.count);
}

static jbw_field_bytes read_bytes(source *s)
{
    const uint32_t count = jbw_read_u32(&s->reader);
    const uint8_t *at = jbw_read_bytes(&s->reader, count);
    return at ? (jbw_field_bytes){at, count} : (jbw_field_bytes){NULL, 0};
}

static void write_f32s(jbw_writer *w, jbw_field_f32s list)
{
    write_count(w, list.count);
    if (list.count > SIZE_MAX / 4) w->ok = false;
    uint8_t *at = w->ok ? jbw_writer_room(w, 4 * list.count) : NULL;
    if (!at) return;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (list.count > 0) memcpy(at, list.at, 4 * list.count);
#else
    for (size_t i = 0; i < list.count; i++) jbw_put_u32(at + 4 * i, bits_of_float(list.at[i]));
#endif
    jbw_writer_advance(w, at + 4 * list.count);
}

static jbw_field_f32s read_f32s(source *s)
{
    size_t count;
    float *list = list_room(s, &count, 4, sizeof *list);
    const uint8_t *at = jbw_read_bytes(&s->reader, 4 * count);
    for (size_t i = 0; at && i < count; i++) list[i] = float_of_bits(jbw_get_u32(at + 4 * i));
    return (jbw_field_f32s){list, count};
}

// one bit per number, then the numbers that are not zero
static void write_sparse(jbw_writer *w, jbw_field_sparse list)
{
    write_count(w, list.count);
    if (list.count > SPARSE_MOST) w->ok = false;
    const size_t bits = (list.count + 7) / 8;
    uint8_t *at = w->ok ? jbw_writer_room(w, bits + 4 * list.count) : NULL;
    if (!at) return;
    memset(at, 0, bits);
    uint8_t *end = at + bits;
    for (size_t i = 0; i < list.count; i++) {
        const uint32_t value = bits_of_float(list.at[i]);
        if (value == 0) continue;
        at[i / 8] |= (uint8_t)(1U << i % 8);
        jbw_put_u32(end, value);
        end += 4;
    }
    jbw_writer_advance(w, end);
}

static jbw_field_sparse read_sparse(source *s)
{
    const uint32_t count = jbw_read_u32(&s->reader);
    if (count > SPARSE_MOST) s->reader.ok = false;
    const uint8_t *bits = jbw_read_bytes(&s->reader, ((size_t)count + 7) / 8);
    float *list = bits && count > 0 ? jbw_scratch_alloc(s->scratch, count, sizeof *list) : NULL;
    if (bits && count > 0 && !list) {
        s->lacks_memory = true;
        s->reader.ok = false;
    }
    if (!list) return (jbw_field_sparse){NULL, 0};
    // an encoding is unique: no stored zeros, no stray bits
    for (uint32_t i = 0; i < count; i++) {
        const bool is_there = bits[i / 8] >> i % 8 & 1;
        list[i] = is_there ? read_f32(s) : 0.0F;
        if (is_there && bits_of_float(list[i]) == 0) s->reader.ok = false;
    }
    if (count % 8 != 0 && bits[count / 8] >> count % 8 != 0) s->reader.ok = false;
    return (jbw_field_sparse){list, count};
}

static void write_u64s(jbw_writer *w, jbw_field_u64s list)
{
    write_count(w, list.count);
    for (size_t i = 0; i < list.count; i++) jbw_write_u64(w, list.at[i]);
}

static jbw_field_u64s read_u64s(source *s)
{
    size_t count;
    uint64_t *list = list_room(s, &count, 8, sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = jbw_read_u64(&s->reader);
    return (jbw_field_u64s){list, count};
}

static void write_agents(jbw_writer *w, jbw_field_agents list)
{
    write_count(w, list.count);
    for (size_t i = 0; i < list.count; i++) write_agent(w, list.at[i]);
}

static jbw_field_agents read_agents(source *s)
{
    size_t count;
    jbw_agent_id *list = list_room(s, &count, 8, sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = read_agent(s);
    return (jbw_field_agents){list, count};
}

// ---- records and messages, generated from the table ----

#define RECORD(name, text) struct least_record_##name {
#define END_RECORD(name) \
    }                    \
    ;
#define MESSAGE(number, upper, name, sender, needs, answer, text) struct least_message_##name {
#define END_MESSAGE(name) \
    uint8_t unused;       \
    }                     \
    ;
#define FIELD(type, name, text) least_##type name;
#define LIST(record, name, text) least_bytes name;
#include "net/wire/messages.inl"

#define RECORD(name, text)                                                      \
    static void write_record_##name(jbw_writer *w, const jbw_wire_##name *from) \
    {
#define END_RECORD(name) }
#define MESSAGE(number, upper, name, sender, needs, answer, text)                \
    static void write_message_##name(jbw_writer *w, const jbw_wire_##name *from) \
    {
#define END_MESSAGE(name) \
    (void)w;              \
    (void)from;           \
    }
#define FIELD(type, name, text) write_##type(w, from->name);
#define LIST(record, name, text)        \
    write_count(w, from->name##_count); \
    for (size_t i = 0; i < from->name##_count; i++) write_record_##record(w, &from->name[i]);
#define FIELDS_OF(message, name) write_message_##message(w, &from->name);
#include "net/wire/messages.inl"

#define RECORD(name, text)                                         \
    static void read_record_##name(source *s, jbw_wire_##name *to) \
    {
#define END_RECORD(name) }
#define MESSAGE(number, upper, name, sender, needs, answer, text)   \
    static void read_message_##name(source *s, jbw_wire_##name *to) \
    {
#define END_MESSAGE(name) \
    (void)s;              \
    to->unused = 0;       \
    }
#define FIELD(type, name, text) to->name = read_##type(s);
#define LIST(record, name, text)                                                                 \
    {                                                                                            \
        jbw_wire_##record *list =                                                                \
            list_room(s, &to->name##_count, sizeof(struct least_record_##record), sizeof *list); \
        for (size_t i = 0; i < to->name##_count && s->reader.ok; i++)                            \
            read_record_##record(s, &list[i]);                                                   \
        to->name = list;                                                                         \
    }
#define FIELDS_OF(message, name) read_message_##message(s, &to->name);
#include "net/wire/messages.inl"

// The playground only serves, and only the page: it leaves out what clients do, and what other programs
// ask for (src/net/game/game_programs.c).
#ifdef JBW_WIRE_ONLY_SERVES
static inline bool is_left_out(jbw_message_type type)
{
    switch (type) {
    case JBW_MESSAGE_GOODBYE:
    case JBW_MESSAGE_GET_STATS:
    case JBW_MESSAGE_REMOVE_AGENT:
    case JBW_MESSAGE_ACT_MANY:
    case JBW_MESSAGE_PERCEIVE:
    case JBW_MESSAGE_LIST_AGENTS:
    case JBW_MESSAGE_GET_WORLD_FILE:
    case JBW_MESSAGE_INSPECT:
    case JBW_MESSAGE_ACT_NEXT:
    case JBW_MESSAGE_EXAMINE:
    case JBW_MESSAGE_JOIN:
    case JBW_MESSAGE_ACT_WORDS:
    case JBW_MESSAGE_PLACE_TEXT:
    case JBW_MESSAGE_STATS:
    case JBW_MESSAGE_WORLD_FILE:
    case JBW_MESSAGE_CELL:
    case JBW_MESSAGE_CELL_DETAILS:
    case JBW_MESSAGE_PERCEIVED: return true;
    default: return false;
    }
}
#define READS(type, sender) (JBW_SENDER_##sender == JBW_SENDER_CLIENT && !is_left_out(type))
#define WRITES(type, sender) (JBW_SENDER_##sender == JBW_SENDER_SERVER && !is_left_out(type))
#else
#define READS(type, sender) true
#define WRITES(type, sender) true
#endif

static void write_fields(jbw_writer *w, const jbw_message *message)
{
    switch (message->type) {
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    case number:                                                  \
        if (!WRITES(number, sender)) break;                       \
        write_message_##name(w, &message->name);                  \
        return;
#include "net/wire/messages.inl"
    }
    w->ok = false;
}

static void read_fields(source *s, jbw_message *message)
{
    switch (message->type) {
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    case number:                                                  \
        if (!READS(number, sender)) break;                        \
        read_message_##name(s, &message->name);                   \
        return;
#include "net/wire/messages.inl"
    }
    s->reader.ok = false;
}

bool jbw_message_encode(const jbw_message *message, jbw_buffer *out)
{
    const size_t size_before = out->size;
    jbw_writer w = jbw_writer_begin(out);
    write_u16(&w, (uint16_t)message->type);
    jbw_write_u32(&w, message->request);
    write_fields(&w, message);
    if (!w.ok) out->size = size_before;
    return w.ok;
}

jbw_status jbw_message_decode(const void *bytes, size_t size, jbw_scratch *scratch,
                              jbw_message *out)
{
    source s = {.reader = jbw_reader_begin(bytes, size), .scratch = scratch};
    const unsigned type = read_u16(&s);
    out->type = (jbw_message_type)type;
    out->request = jbw_read_u32(&s.reader);
    if (!s.reader.ok) {
        out->type = (jbw_message_type)0;
        return JBW_INVALID_DATA;
    }
    if (!jbw_message_find(type)) return JBW_UNSUPPORTED;
    read_fields(&s, out);
    if (s.lacks_memory) return JBW_OUT_OF_MEMORY;
    return s.reader.ok && jbw_reader_left(&s.reader) == 0 ? JBW_OK : JBW_INVALID_DATA;
}

// ---- names ----

enum {
    NEEDS_NOTHING = 0,
    NEEDS_WATCH = JBW_PERMISSION_WATCH,
    NEEDS_ACT = JBW_PERMISSION_ACT,
    NEEDS_EDIT = JBW_PERMISSION_EDIT,
    NEEDS_CONTROL = JBW_PERMISSION_CONTROL,
    NEEDS_SAVE = JBW_PERMISSION_SAVE,
};

const jbw_message_info *jbw_message_find(unsigned type)
{
    static const jbw_message_info infos[] = {
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    [number] = {JBW_MESSAGE_##upper, #name, JBW_SENDER_##sender, NEEDS_##needs},
#include "net/wire/messages.inl"
    };
    return type < sizeof infos / sizeof *infos && infos[type].name ? &infos[type] : NULL;
}

typedef struct error_info {
    const char *name;
    const char *text;
} error_info;

static error_info find_error(unsigned code)
{
    static const error_info infos[] = {
#define ERROR(number, name, text) [number] = {#name, text},
#include "net/wire/messages.inl"
    };
    if (code < sizeof infos / sizeof *infos && infos[code].name) return infos[code];
    return (error_info){"UNKNOWN", "an error unknown to this version"};
}

const char *jbw_error_code_name(unsigned code)
{
    return find_error(code).name;
}

const char *jbw_error_code_text(unsigned code)
{
    return find_error(code).text;
}
