// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Frames as in RFC 6455:
//
//     bits    1     3         4        1      7, 16 or 64     32        ...
//             last  reserved  opcode   masked length          mask      bytes
//
// A client masks its frames, a server does not.

#include "net/client/websocket.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "net/wire/frame.h"

enum {
    READ_SIZE = 1 << 14, // least number of bytes to read at a time
    KEPT_MOST = 1 << 20, // a larger input buffer is freed when it is empty
};

void jbw_websocket_begin(jbw_websocket *ws, int socket)
{
    ws->socket = socket;
    ws->out.size = 0;
    ws->out_start = 0;
    ws->in.size = 0;
    ws->in_start = 0;
    ws->parts.size = 0;
    ws->is_closed = false;
    ws->problem[0] = 0;
}

void jbw_websocket_deinit(jbw_websocket *ws)
{
    jbw_buffer_free(&ws->out);
    jbw_buffer_free(&ws->in);
    jbw_buffer_free(&ws->parts);
}

// keeps the first reason, which is the most specific
static void set_closed(jbw_websocket *ws, const char *text, size_t length)
{
    if (ws->is_closed) return;
    ws->is_closed = true;
    snprintf(ws->problem, sizeof ws->problem, "%.*s", (int)length, text);
}

static void fail(jbw_websocket *ws, const char *text)
{
    set_closed(ws, text, strlen(text));
}

// ---- sending ----

static bool take_mask(jbw_websocket *ws, uint8_t mask[JBW_WS_MASK_SIZE])
{
    if (ws->random_left < JBW_WS_MASK_SIZE) {
        if (!ws->get_random(ws->user, ws->random, sizeof ws->random)) return false;
        ws->random_left = sizeof ws->random;
    }
    ws->random_left -= JBW_WS_MASK_SIZE;
    memcpy(mask, ws->random + ws->random_left, JBW_WS_MASK_SIZE);
    return true;
}

static size_t put_header(uint8_t *to, unsigned opcode, size_t size)
{
    size_t at = 0;
    to[at++] = (uint8_t)(JBW_WS_LAST_FRAME | opcode);
    size_t length_bytes = 0;
    if (size < JBW_WS_LENGTH_16) {
        to[at++] = (uint8_t)(JBW_WS_MASKED | size);
    } else if (size <= UINT16_MAX) {
        to[at++] = JBW_WS_MASKED | JBW_WS_LENGTH_16;
        length_bytes = 2;
    } else {
        to[at++] = JBW_WS_MASKED | JBW_WS_LENGTH_64;
        length_bytes = 8;
    }
    for (size_t i = length_bytes; i-- > 0;) to[at++] = (uint8_t)((uint64_t)size >> 8 * i);
    return at;
}

static bool put_frame(jbw_websocket *ws, unsigned opcode, const uint8_t *bytes, size_t size)
{
    uint8_t header[JBW_WS_HEADER_MOST];
    size_t header_size = put_header(header, opcode, size);
    uint8_t *mask = header + header_size;
    if (!take_mask(ws, mask)) return false;
    header_size += JBW_WS_MASK_SIZE;
    const size_t before = ws->out.size;
    if (!jbw_buffer_append(&ws->out, header, header_size) ||
        !jbw_buffer_append(&ws->out, bytes, size)) {
        ws->out.size = before;
        return false;
    }
    uint8_t *to = ws->out.bytes + before + header_size;
    for (size_t i = 0; i < size; i++) to[i] ^= mask[i % JBW_WS_MASK_SIZE];
    return true;
}

bool jbw_websocket_put(jbw_websocket *ws, const uint8_t *bytes, size_t size)
{
    return put_frame(ws, JBW_WS_BINARY, bytes, size);
}

void jbw_websocket_flush(jbw_websocket *ws)
{
    while (!ws->is_closed && !jbw_websocket_is_flushed(ws)) {
        const ssize_t sent = send(ws->socket, ws->out.bytes + ws->out_start,
                                  ws->out.size - ws->out_start, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (sent < 0) fail(ws, "the server closed the connection");
        if (sent > 0) ws->out_start += (size_t)sent;
    }
    ws->out.size = 0;
    ws->out_start = 0;
}

bool jbw_websocket_is_flushed(const jbw_websocket *ws)
{
    return ws->out_start == ws->out.size;
}

// ---- receiving ----

typedef struct frame {
    bool is_last;
    unsigned opcode;
    const uint8_t *bytes;
    size_t size;
} frame;

// Parses the header of a frame and returns its size, or zero if it is incomplete. An invalid header
// closes the connection.
static size_t get_header(jbw_websocket *ws, const uint8_t *from, size_t available, frame *out)
{
    if (available < 2) return 0;
    size_t length_bytes = 0;
    uint64_t size = from[1] & ~(unsigned)JBW_WS_MASKED;
    if (size == JBW_WS_LENGTH_16) length_bytes = 2;
    if (size == JBW_WS_LENGTH_64) length_bytes = 8;
    if (available < 2 + length_bytes) return 0;
    if (length_bytes > 0) size = 0;
    for (size_t i = 0; i < length_bytes; i++) size = size << 8 | from[2 + i];
    out->is_last = from[0] & JBW_WS_LAST_FRAME;
    out->opcode = from[0] & JBW_WS_OPCODE;
    const bool is_control = out->opcode >= JBW_WS_CLOSE;
    if ((from[0] & JBW_WS_RESERVED) || (from[1] & JBW_WS_MASKED) ||
        (is_control && (!out->is_last || size > JBW_WS_CONTROL_MOST))) {
        fail(ws, "the server violates the WebSocket protocol");
        return 0;
    }
    if (size > ws->message_most) {
        fail(ws, "a message from the server is too large");
        return 0;
    }
    out->size = (size_t)size;
    return 2 + length_bytes;
}

// the next frame, if all of it has arrived
static bool next_frame(jbw_websocket *ws, frame *out)
{
    const uint8_t *from = ws->in.bytes + ws->in_start;
    const size_t available = ws->in.size - ws->in_start;
    const size_t header_size = get_header(ws, from, available, out);
    if (header_size == 0 || available - header_size < out->size) return false;
    out->bytes = from + header_size;
    ws->in_start += header_size + out->size;
    return true;
}

// true if the frame completes a message
static bool take_data(jbw_websocket *ws, const frame *f)
{
    if (f->is_last && ws->parts.size == 0) {
        ws->receive(f->bytes, f->size, ws->user);
        return true;
    }
    if (ws->parts.size + f->size > ws->message_most ||
        !jbw_buffer_append(&ws->parts, f->bytes, f->size)) {
        fail(ws, "a message from the server is too large");
        return false;
    }
    if (!f->is_last) return false;
    ws->receive(ws->parts.bytes, ws->parts.size, ws->user);
    ws->parts.size = 0;
    return true;
}

static bool take_frame(jbw_websocket *ws, const frame *f)
{
    switch (f->opcode) {
    case JBW_WS_CONTINUED:
    case JBW_WS_BINARY: return take_data(ws, f);
    case JBW_WS_PING:
        if (put_frame(ws, JBW_WS_PONG, f->bytes, f->size)) jbw_websocket_flush(ws);
        return false;
    case JBW_WS_PONG: return false;
    case JBW_WS_CLOSE:
        // a code of two bytes, then a reason
        if (f->size > 2) set_closed(ws, (const char *)f->bytes + 2, f->size - 2);
        fail(ws, "the server closed the connection");
        return false;
    default: fail(ws, "the server violates the WebSocket protocol"); return false;
    }
}

// reserves space for the rest of an incomplete frame and for a read; false when memory runs out
static bool make_room(jbw_websocket *ws)
{
    // discard what has been processed
    const size_t left = ws->in.size - ws->in_start;
    if (ws->in_start > 0 && left > 0) memmove(ws->in.bytes, ws->in.bytes + ws->in_start, left);
    ws->in.size = left;
    ws->in_start = 0;
    frame f;
    const size_t header_size = left > 0 ? get_header(ws, ws->in.bytes, left, &f) : 0;
    const size_t wanted = header_size > 0 ? header_size + f.size : left;
    // free the memory of a large message
    if (left == 0 && ws->in.capacity > KEPT_MOST) jbw_buffer_free(&ws->in);
    jbw_writer writer = jbw_writer_begin(&ws->in);
    return jbw_writer_room(&writer, (wanted > left ? wanted - left : 0) + READ_SIZE) != NULL;
}

bool jbw_websocket_read(jbw_websocket *ws)
{
    bool has_message = false;
    while (!ws->is_closed) {
        if (!make_room(ws)) {
            fail(ws, "out of memory");
            break;
        }
        const size_t room = ws->in.capacity - ws->in.size;
        const ssize_t got = recv(ws->socket, ws->in.bytes + ws->in.size, room, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (got <= 0) {
            fail(ws, "the server closed the connection");
            break;
        }
        ws->in.size += (size_t)got;
        frame f;
        while (!ws->is_closed && next_frame(ws, &f)) has_message |= take_frame(ws, &f);
        if ((size_t)got < room) break; // the socket is drained
    }
    return has_message;
}

void jbw_websocket_wait(jbw_websocket *ws, int64_t microseconds)
{
    struct pollfd p = {.fd = ws->socket, .events = POLLIN};
    if (!jbw_websocket_is_flushed(ws)) p.events |= POLLOUT;
    const int64_t milliseconds = microseconds / 1000 + 1;
    poll(&p, 1, milliseconds < INT_MAX ? (int)milliseconds : INT_MAX);
    if (p.revents & POLLOUT) jbw_websocket_flush(ws);
    if (p.revents & (POLLIN | POLLHUP | POLLERR)) jbw_websocket_read(ws);
}
