// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/server/frame_reader.h"

#include <string.h>

// bytes of a length that does not fit into the second byte
static size_t length_bytes(const jbw_frame_reader *r)
{
    const unsigned length = r->header[1] & ~(unsigned)JBW_WS_MASKED;
    return length == JBW_WS_LENGTH_64 ? 8 : length == JBW_WS_LENGTH_16 ? 2 : 0;
}

// judges the first two bytes
static bool is_allowed(const jbw_frame_reader *r)
{
    const unsigned opcode = r->header[0] & JBW_WS_OPCODE;
    if ((r->header[0] & JBW_WS_RESERVED) || !(r->header[1] & JBW_WS_MASKED)) return false;
    switch (opcode) {
    case JBW_WS_CONTINUED: return r->is_continued;
    case JBW_WS_TEXT:
    case JBW_WS_BINARY: return !r->is_continued;
    case JBW_WS_CLOSE:
    case JBW_WS_PING:
    case JBW_WS_PONG: return (r->header[0] & JBW_WS_LAST_FRAME) && length_bytes(r) == 0;
    default: return false;
    }
}

static bool is_control(const jbw_frame_reader *r)
{
    return (r->header[0] & JBW_WS_OPCODE) >= JBW_WS_CLOSE;
}

// returns how many bytes were taken
static size_t take_header(jbw_frame_reader *r, const uint8_t *bytes, size_t size)
{
    size_t used = 0;
    while (used < size && !r->is_inside && !r->is_wrong) {
        r->header[r->header_size++] = bytes[used++];
        if (r->header_size == 2 && !is_allowed(r)) r->is_wrong = true;
        r->is_inside =
            r->header_size > 1 && r->header_size == 2 + length_bytes(r) + JBW_WS_MASK_SIZE;
    }
    return used;
}

static void begin_payload(jbw_frame_reader *r)
{
    const size_t count = length_bytes(r);
    r->size = count > 0 ? 0 : r->header[1] & ~(unsigned)JBW_WS_MASKED;
    for (size_t i = 0; i < count; i++) r->size = r->size << 8 | r->header[2 + i];
    r->done = 0;
    if (r->size > INT64_MAX) r->is_wrong = true;
    if (is_control(r)) return;
    if ((r->header[0] & JBW_WS_OPCODE) != JBW_WS_CONTINUED)
        r->is_text = (r->header[0] & JBW_WS_OPCODE) == JBW_WS_TEXT;
    r->is_continued = !(r->header[0] & JBW_WS_LAST_FRAME);
}

static void unmask(jbw_frame_reader *r, uint8_t *bytes, size_t size)
{
    const uint8_t *mask = r->header + 2 + length_bytes(r);
    for (size_t i = 0; i < size; i++) bytes[i] ^= mask[(r->done + i) % JBW_WS_MASK_SIZE];
    if (is_control(r) && size > 0) memcpy(r->control + r->done, bytes, size);
    r->done += size;
}

static jbw_frame_kind kind_of_control(const jbw_frame_reader *r)
{
    switch (r->header[0] & JBW_WS_OPCODE) {
    case JBW_WS_CLOSE: return JBW_FRAME_CLOSE;
    case JBW_WS_PING: return JBW_FRAME_PING;
    default: return JBW_FRAME_PONG;
    }
}

size_t jbw_frame_reader_take(jbw_frame_reader *reader, uint8_t *bytes, size_t size,
                             jbw_frame_part *out)
{
    jbw_frame_reader *r = reader;
    *out = (jbw_frame_part){.kind = JBW_FRAME_INCOMPLETE};
    size_t used = 0;
    if (!r->is_inside && !r->is_wrong) {
        used = take_header(r, bytes, size);
        if (r->is_inside) begin_payload(r);
    }
    if (r->is_wrong) {
        out->kind = JBW_FRAME_WRONG;
        return used;
    }
    if (!r->is_inside) return used;
    const uint64_t left = r->size - r->done;
    const size_t part = left < size - used ? (size_t)left : size - used;
    if (part == 0 && left > 0) return used;
    unmask(r, bytes + used, part);
    const bool is_end = r->done == r->size;
    if (is_control(r)) {
        if (is_end)
            *out = (jbw_frame_part){
                .kind = kind_of_control(r), .bytes = r->control, .size = (size_t)r->size};
    } else {
        *out = (jbw_frame_part){.kind = JBW_FRAME_DATA,
                                .bytes = bytes + used,
                                .size = part,
                                .left = r->size - r->done,
                                .is_end_of_message = is_end && !r->is_continued,
                                .is_text = r->is_text};
    }
    if (is_end) {
        r->is_inside = false;
        r->header_size = 0;
    }
    return used + part;
}
