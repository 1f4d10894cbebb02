// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Frames as RFC 6455 has them:
//
//     bits    1     3         4        1      7, 16 or 64     32        ...
//             last  reserved  opcode   masked length          mask      bytes
//
// Those of a client are masked, those of a server are not.

#include "net/client/websocket.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"

enum {
    CONTINUED = 0,
    BINARY = 2,
    CLOSE = 8,
    PING = 9,
    PONG = 10,

    LAST_FRAME = 0x80,
    RESERVED = 0x70,
    OPCODE = 0x0f,
    MASKED = 0x80,
    LENGTH_16 = 126,
    LENGTH_64 = 127,
    CONTROL_MOST = 125, // bytes
    HEADER_MOST = 14,
    MASK_SIZE = 4,
    READ_SIZE = 1 << 14, // bytes at least, at a time
    KEPT_MOST = 1 << 20, // bytes of memory
};

void jbw_websocket_begin(jbw_websocket *plain, int socket)
{
    plain->socket = socket;
    plain->out.size = 0;
    plain->out_start = 0;
    plain->in.size = 0;
    plain->in_start = 0;
    plain->parts.size = 0;
    plain->is_closed = false;
    plain->problem[0] = 0;
}

void jbw_websocket_deinit(jbw_websocket *plain)
{
    jbw_buffer_free(&plain->out);
    jbw_buffer_free(&plain->in);
    jbw_buffer_free(&plain->parts);
}

// the first reason is the best
static void set_closed(jbw_websocket *plain, const char *text, size_t length)
{
    if (plain->is_closed) return;
    plain->is_closed = true;
    snprintf(plain->problem, sizeof plain->problem, "%.*s", (int)length, text);
}

static void break_off(jbw_websocket *plain, const char *text)
{
    set_closed(plain, text, strlen(text));
}

// ---- sending ----

static bool take_mask(jbw_websocket *plain, uint8_t mask[MASK_SIZE])
{
    if (plain->random_left < MASK_SIZE) {
        if (!plain->get_random(plain->user, plain->random, sizeof plain->random)) return false;
        plain->random_left = sizeof plain->random;
    }
    plain->random_left -= MASK_SIZE;
    memcpy(mask, plain->random + plain->random_left, MASK_SIZE);
    return true;
}

static size_t put_header(uint8_t *to, unsigned opcode, size_t size)
{
    size_t at = 0;
    to[at++] = (uint8_t)(LAST_FRAME | opcode);
    size_t length_bytes = 0;
    if (size < LENGTH_16) {
        to[at++] = (uint8_t)(MASKED | size);
    } else if (size <= UINT16_MAX) {
        to[at++] = MASKED | LENGTH_16;
        length_bytes = 2;
    } else {
        to[at++] = MASKED | LENGTH_64;
        length_bytes = 8;
    }
    for (size_t i = length_bytes; i-- > 0;) to[at++] = (uint8_t)((uint64_t)size >> 8 * i);
    return at;
}

static bool put_frame(jbw_websocket *plain, unsigned opcode, const uint8_t *bytes, size_t size)
{
    uint8_t header[HEADER_MOST];
    size_t header_size = put_header(header, opcode, size);
    uint8_t *mask = header + header_size;
    if (!take_mask(plain, mask)) return false;
    header_size += MASK_SIZE;
    const size_t before = plain->out.size;
    if (!jbw_buffer_append(&plain->out, header, header_size) ||
        !jbw_buffer_append(&plain->out, bytes, size)) {
        plain->out.size = before;
        return false;
    }
    uint8_t *to = plain->out.bytes + before + header_size;
    for (size_t i = 0; i < size; i++) to[i] ^= mask[i % MASK_SIZE];
    return true;
}

bool jbw_websocket_put(jbw_websocket *plain, const uint8_t *bytes, size_t size)
{
    return put_frame(plain, BINARY, bytes, size);
}

void jbw_websocket_flush(jbw_websocket *plain)
{
    while (!plain->is_closed && !jbw_websocket_is_flushed(plain)) {
        const ssize_t sent = send(plain->socket, plain->out.bytes + plain->out_start,
                                  plain->out.size - plain->out_start, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (sent < 0) break_off(plain, "the server has closed the connection");
        if (sent > 0) plain->out_start += (size_t)sent;
    }
    plain->out.size = 0;
    plain->out_start = 0;
}

bool jbw_websocket_is_flushed(const jbw_websocket *plain)
{
    return plain->out_start == plain->out.size;
}

// ---- receiving ----

typedef struct frame {
    bool is_last;
    unsigned opcode;
    const uint8_t *bytes;
    size_t size;
} frame;

// Reads the header of a frame; its size, or zero if not all of it has come. What cannot be ends the
// connection.
static size_t get_header(jbw_websocket *plain, const uint8_t *from, size_t available, frame *out)
{
    if (available < 2) return 0;
    size_t length_bytes = 0;
    uint64_t size = from[1] & ~(unsigned)MASKED;
    if (size == LENGTH_16) length_bytes = 2;
    if (size == LENGTH_64) length_bytes = 8;
    if (available < 2 + length_bytes) return 0;
    if (length_bytes > 0) size = 0;
    for (size_t i = 0; i < length_bytes; i++) size = size << 8 | from[2 + i];
    out->is_last = from[0] & LAST_FRAME;
    out->opcode = from[0] & OPCODE;
    const bool is_control = out->opcode >= CLOSE;
    if ((from[0] & RESERVED) || (from[1] & MASKED) ||
        (is_control && (!out->is_last || size > CONTROL_MOST))) {
        break_off(plain, "the server's bytes are no WebSocket");
        return 0;
    }
    if (size > plain->message_most) {
        break_off(plain, "a message is too large for this client");
        return 0;
    }
    out->size = (size_t)size;
    return 2 + length_bytes;
}

// the whole of the next frame, if it has come
static bool next_frame(jbw_websocket *plain, frame *out)
{
    const uint8_t *from = plain->in.bytes + plain->in_start;
    const size_t available = plain->in.size - plain->in_start;
    const size_t header_size = get_header(plain, from, available, out);
    if (header_size == 0 || available - header_size < out->size) return false;
    out->bytes = from + header_size;
    plain->in_start += header_size + out->size;
    return true;
}

// true if it was the end of a message
static bool take_data(jbw_websocket *plain, const frame *f)
{
    if (f->is_last && plain->parts.size == 0) {
        plain->receive(f->bytes, f->size, plain->user);
        return true;
    }
    if (plain->parts.size + f->size > plain->message_most ||
        !jbw_buffer_append(&plain->parts, f->bytes, f->size)) {
        break_off(plain, "a message is too large for this client");
        return false;
    }
    if (!f->is_last) return false;
    plain->receive(plain->parts.bytes, plain->parts.size, plain->user);
    plain->parts.size = 0;
    return true;
}

static bool take_frame(jbw_websocket *plain, const frame *f)
{
    switch (f->opcode) {
    case CONTINUED:
    case BINARY: return take_data(plain, f);
    case PING:
        if (put_frame(plain, PONG, f->bytes, f->size)) jbw_websocket_flush(plain);
        return false;
    case PONG: return false;
    case CLOSE:
        // a code of two bytes, then a text
        if (f->size > 2) set_closed(plain, (const char *)f->bytes + 2, f->size - 2);
        break_off(plain, "the server has closed the connection");
        return false;
    default: break_off(plain, "the server's bytes are no WebSocket"); return false;
    }
}

// room for the rest of the frame in hand, or for the usual; false when memory runs out
static bool make_room(jbw_websocket *plain)
{
    // what was taken gives way
    const size_t left = plain->in.size - plain->in_start;
    if (plain->in_start > 0 && left > 0)
        memmove(plain->in.bytes, plain->in.bytes + plain->in_start, left);
    plain->in.size = left;
    plain->in_start = 0;
    frame f;
    const size_t header_size =
        left > 0 ? get_header(plain, plain->in.bytes, left, &f) : 0; // at least two bytes, or zero
    const size_t wanted = header_size > 0 ? header_size + f.size : left;
    // give back what a large message has taken
    if (left == 0 && plain->in.capacity > KEPT_MOST) jbw_buffer_free(&plain->in);
    jbw_writer writer = jbw_writer_begin(&plain->in);
    return jbw_writer_room(&writer, (wanted > left ? wanted - left : 0) + READ_SIZE) != NULL;
}

bool jbw_websocket_read(jbw_websocket *plain)
{
    bool has_come = false;
    while (!plain->is_closed) {
        if (!make_room(plain)) {
            break_off(plain, "out of memory");
            break;
        }
        const size_t room = plain->in.capacity - plain->in.size;
        const ssize_t got =
            recv(plain->socket, plain->in.bytes + plain->in.size, room, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (got <= 0) {
            break_off(plain, "the server has closed the connection");
            break;
        }
        plain->in.size += (size_t)got;
        frame f;
        while (!plain->is_closed && next_frame(plain, &f)) has_come |= take_frame(plain, &f);
        if ((size_t)got < room) break; // that was all
    }
    return has_come;
}

void jbw_websocket_wait(jbw_websocket *plain, int64_t microseconds)
{
    struct pollfd p = {.fd = plain->socket, .events = POLLIN};
    if (!jbw_websocket_is_flushed(plain)) p.events |= POLLOUT;
    const int64_t milliseconds = microseconds / 1000 + 1;
    poll(&p, 1, milliseconds < INT_MAX ? (int)milliseconds : INT_MAX);
    if (p.revents & POLLOUT) jbw_websocket_flush(plain);
    if (p.revents & (POLLIN | POLLHUP | POLLERR)) jbw_websocket_read(plain);
}
