// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes numbers and texts as bytes, the same on every machine: little-endian, no padding.
///
/// Neither side checks each call. A writer that runs out of memory and a reader that runs out of
/// bytes set `ok` to false and ignore all further calls, so callers check once, at the end.
///
///     varint   seven bits a byte, lowest first; all but the last byte have their top bit set
///     signed   a varint of 2 n for n >= 0, of -2 n - 1 for n < 0
///     text     its length as a varint, then that many bytes, none of which is zero
#ifndef JBW_BASE_BYTES_H
#define JBW_BASE_BYTES_H

#include <string.h>

#include "base/alloc.h"

/// The longest varint, in bytes.
enum { JBW_MAX_VARINT = 10 };

// ---- writing ----

typedef struct jbw_writer {
    jbw_buffer *buffer; // grows, unless there is a sink
    bool ok;            // once false, stays false
    jbw_sink sink;      // gets what is in the buffer whenever that is full; all zero: none
} jbw_writer;

static inline jbw_writer jbw_writer_begin(jbw_buffer *buffer)
{
    return (jbw_writer){.buffer = buffer, .ok = true};
}

/// Writes to a sink, through a buffer that is empty and stays small if only small pieces are
/// written.
static inline jbw_writer jbw_writer_begin_sink(jbw_buffer *buffer, jbw_sink sink)
{
    return (jbw_writer){.buffer = buffer, .ok = true, .sink = sink};
}

/// Hands the rest to the sink.
void jbw_writer_finish(jbw_writer *writer);

/// Makes room for everything at once, so that the buffer does not grow several times. Without
/// effect if there is a sink.
void jbw_writer_expect(jbw_writer *writer, size_t size);

/// Makes room for `size` bytes after what is already written, or returns NULL. Pass the end of what
/// you used to `jbw_writer_advance`.
uint8_t *jbw_writer_room(jbw_writer *writer, size_t size);

static inline void jbw_writer_advance(jbw_writer *writer, const uint8_t *end)
{
    writer->buffer->size = (size_t)(end - writer->buffer->bytes);
}

void jbw_write_bytes(jbw_writer *writer, const void *bytes, size_t size);
void jbw_write_u8(jbw_writer *writer, uint8_t value);
void jbw_write_u32(jbw_writer *writer, uint32_t value);
void jbw_write_u64(jbw_writer *writer, uint64_t value);
void jbw_write_double(jbw_writer *writer, double value);
void jbw_write_varint(jbw_writer *writer, uint64_t value);
void jbw_write_signed(jbw_writer *writer, int64_t value);
void jbw_write_text(jbw_writer *writer, const char *text);

/// Stores a number as eight bytes.
static inline void jbw_put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static inline void jbw_put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

/// Stores a varint, for which there must be room, and returns its end.
static inline uint8_t *jbw_put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 128; value >>= 7) *at++ = (uint8_t)(value | 128);
    *at++ = (uint8_t)value;
    return at;
}

// ---- reading ----

typedef struct jbw_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool ok; // once false, stays false; reads then yield zero
} jbw_reader;

static inline jbw_reader jbw_reader_begin(const void *bytes, size_t size)
{
    const uint8_t *first = bytes;
    return (jbw_reader){.at = first, .end = size > 0 ? first + size : first, .ok = true};
}

static inline size_t jbw_reader_left(const jbw_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

/// The next `size` bytes, or NULL.
const uint8_t *jbw_read_bytes(jbw_reader *reader, size_t size);

uint8_t jbw_read_u8(jbw_reader *reader);
uint32_t jbw_read_u32(jbw_reader *reader);
uint64_t jbw_read_u64(jbw_reader *reader);
double jbw_read_double(jbw_reader *reader);

/// An encoding that is longer than necessary, or of more than 64 bits, is an error.
uint64_t jbw_read_varint(jbw_reader *reader);
int64_t jbw_read_signed(jbw_reader *reader);

/// Reads the number of elements that follow, each of at least `least_size` bytes. A number that the
/// remaining bytes cannot hold is an error, so callers can allocate that many elements.
size_t jbw_read_count(jbw_reader *reader, size_t least_size);

/// Reads a text and copies it into the arena with a terminating zero. NULL on failure; if memory
/// ran out, `reader->ok` is still true.
char *jbw_read_text(jbw_reader *reader, jbw_arena *arena);

/// Loads a number of eight bytes.
static inline uint64_t jbw_get_u64(const uint8_t *at)
{
    uint64_t value = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, at, sizeof value); // one load; compilers do not recognise the loop
#else
    for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << (8 * i);
#endif
    return value;
}

static inline uint32_t jbw_get_u32(const uint8_t *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value |= (uint32_t)at[i] << (8 * i);
    return value;
}

#endif
