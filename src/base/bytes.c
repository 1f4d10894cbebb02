// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/bytes.h"

#include <string.h>

// ---- writing ----

enum { PIECE = 1 << 16 }; // how much a sink gets at a time

void jbw_writer_finish(jbw_writer *writer)
{
    jbw_buffer *buffer = writer->buffer;
    if (!writer->ok || !writer->sink.take || buffer->size == 0) return;
    writer->ok = writer->sink.take(writer->sink.user, buffer->bytes, buffer->size);
    buffer->size = 0;
}

void jbw_writer_expect(jbw_writer *writer, size_t size)
{
    if (!writer->sink.take) jbw_writer_room(writer, size);
}

uint8_t *jbw_writer_room(jbw_writer *writer, size_t size)
{
    jbw_buffer *buffer = writer->buffer;
    const size_t used = buffer->size;
    if (writer->sink.take && used > 0 && (used >= PIECE || size > PIECE - used))
        jbw_writer_finish(writer);
    if (!writer->ok) return NULL;
    const size_t room = size > 0 ? size : 1; // so that NULL always means failure
    writer->ok = room < SIZE_MAX - buffer->size &&
                 JBW_GROW(&buffer->allocator, buffer->bytes, buffer->capacity, buffer->size + room);
    return writer->ok ? buffer->bytes + buffer->size : NULL;
}

void jbw_write_bytes(jbw_writer *writer, const void *bytes, size_t size)
{
    uint8_t *at = jbw_writer_room(writer, size);
    if (!at || size == 0) return;
    memcpy(at, bytes, size);
    jbw_writer_advance(writer, at + size);
}

void jbw_write_u8(jbw_writer *writer, uint8_t value)
{
    jbw_write_bytes(writer, &value, 1);
}

void jbw_write_u32(jbw_writer *writer, uint32_t value)
{
    uint8_t *at = jbw_writer_room(writer, 4);
    if (!at) return;
    jbw_put_u32(at, value);
    jbw_writer_advance(writer, at + 4);
}

void jbw_write_u64(jbw_writer *writer, uint64_t value)
{
    uint8_t *at = jbw_writer_room(writer, 8);
    if (!at) return;
    jbw_put_u64(at, value);
    jbw_writer_advance(writer, at + 8);
}

void jbw_write_double(jbw_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    jbw_write_u64(writer, bits);
}

void jbw_write_varint(jbw_writer *writer, uint64_t value)
{
    uint8_t *at = jbw_writer_room(writer, JBW_MAX_VARINT);
    if (at) jbw_writer_advance(writer, jbw_put_varint(at, value));
}

void jbw_write_signed(jbw_writer *writer, int64_t value)
{
    const uint64_t twice = (uint64_t)value << 1;
    jbw_write_varint(writer, value < 0 ? ~twice : twice);
}

void jbw_write_text(jbw_writer *writer, const char *text)
{
    const size_t length = strlen(text);
    jbw_write_varint(writer, length);
    jbw_write_bytes(writer, text, length);
}

// ---- reading ----

const uint8_t *jbw_read_bytes(jbw_reader *reader, size_t size)
{
    if (size > jbw_reader_left(reader)) reader->ok = false;
    if (!reader->ok) return NULL;
    const uint8_t *at = reader->at;
    if (size > 0) reader->at += size;
    return at;
}

uint8_t jbw_read_u8(jbw_reader *reader)
{
    const uint8_t *at = jbw_read_bytes(reader, 1);
    return at ? *at : 0;
}

uint32_t jbw_read_u32(jbw_reader *reader)
{
    const uint8_t *at = jbw_read_bytes(reader, 4);
    return at ? jbw_get_u32(at) : 0;
}

uint64_t jbw_read_u64(jbw_reader *reader)
{
    const uint8_t *at = jbw_read_bytes(reader, 8);
    return at ? jbw_get_u64(at) : 0;
}

double jbw_read_double(jbw_reader *reader)
{
    const uint64_t bits = jbw_read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t jbw_read_varint(jbw_reader *reader)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 7 * JBW_MAX_VARINT; shift += 7) {
        const uint8_t byte = jbw_read_u8(reader);
        const uint64_t bits = byte & 127;
        if (shift == 63 && bits > 1) break; // too large
        value |= bits << shift;
        if (byte >= 128) continue;
        if (byte == 0 && shift > 0) break; // longer than needed
        return reader->ok ? value : 0;
    }
    reader->ok = false;
    return 0;
}

int64_t jbw_read_signed(jbw_reader *reader)
{
    const uint64_t bits = jbw_read_varint(reader);
    const int64_t half = (int64_t)(bits >> 1);
    return bits & 1 ? -half - 1 : half;
}

size_t jbw_read_count(jbw_reader *reader, size_t least_size)
{
    const uint64_t count = jbw_read_varint(reader);
    if (count <= jbw_reader_left(reader) / least_size) return (size_t)count;
    reader->ok = false;
    return 0;
}

char *jbw_read_text(jbw_reader *reader, jbw_arena *arena)
{
    const size_t length = jbw_read_count(reader, 1);
    const uint8_t *bytes = jbw_read_bytes(reader, length);
    if (bytes && length > 0 && memchr(bytes, 0, length)) reader->ok = false;
    if (!reader->ok) return NULL;
    return jbw_arena_text(arena, (const char *)bytes, length);
}
