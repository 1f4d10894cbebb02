// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A connection: its id, its send queue, and its flow control.
//
// Nothing here ever waits for a client. Messages to be sent wait in the connection's queue. While a
// connection has too much in its queue, or too many unanswered requests, the server stops reading
// from it; if the queue still grows, the connection is dropped.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "net/server/listener_internal.h"

enum {
    QUEUE_FULL = 1 << 20,     // bytes: stop reading from the client
    QUEUE_KEPT = 1 << 16,     // bytes: memory that an empty queue keeps
    QUEUE_HOPELESS = 1 << 26, // bytes: drop the connection
};

_Static_assert(JBW_WIRE_HEADROOM >= LWS_PRE, "libwebsockets needs more room before a message");

/// An entry of the send queue, followed by headroom and the message.
typedef struct queue_entry {
    size_t size;
    bool is_final;
} queue_entry;

// ---- ids ----

uint32_t jbw_connection_id(const jbw_listener *l, const jbw_slot *s)
{
    return (uint32_t)s->generation << 16 | (uint32_t)(s - l->slots + 1);
}

jbw_connection *jbw_connection_find(const jbw_listener *l, uint32_t connection)
{
    const size_t index = (connection & 0xffff) - 1;
    if (index >= l->slot_count || l->slots[index].generation != connection >> 16) return NULL;
    return l->slots[index].client;
}

jbw_slot *jbw_slot_find_free(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_slot *s = &l->slots[(l->slot_next + i) % l->slot_count];
        if (s->client || s->is_forget_pending) continue;
        l->slot_next = (size_t)(s - l->slots) + 1;
        s->generation++;
        return s;
    }
    return NULL;
}

// ---- flow control ----

size_t jbw_connection_queued(const jbw_connection *c)
{
    return c->queue.size - c->queue_start;
}

// A turn waits for other agents, maybe for requests queued behind it. So all the turns that a
// client's agents may have pending are allowed on top of its other requests.
static uint32_t in_flight_most(const jbw_connection *c)
{
    const jbw_session *session = &c->session;
    if (session->key < 0) return JBW_IN_FLIGHT_MOST;
    const uint32_t agents = c->listener->shared.keys->keys[session->key].agents_most;
    const uint32_t turns_most = 1 << 20; // far more than fit into the rings
    const uint32_t turns = 1 + JBW_AHEAD_MOST;
    return JBW_IN_FLIGHT_MOST + (agents < turns_most / turns ? agents * turns : turns_most);
}

static bool has_had_turn(const jbw_connection *c)
{
    return c->round == c->listener->round && c->turn_count >= c->listener->read_turn;
}

void jbw_connection_regulate(jbw_connection *c)
{
    // a session that is over is still read from, to notice when the client closes the connection
    const bool is_waiting = !c->session.is_over && (c->is_received || c->is_napping ||
                                                    c->session.in_flight >= in_flight_most(c) ||
                                                    jbw_connection_queued(c) >= QUEUE_FULL);
    if (c->is_waiting && !is_waiting && jbw_connection_has_input(c)) c->listener->has_more = true;
    c->is_waiting = is_waiting;
    c->is_blocked = is_waiting || (!c->session.is_over && has_had_turn(c));
}

// ---- sending ----

// libwebsockets buffers what the socket does not accept, but only one message
bool jbw_connection_can_send(const jbw_connection *c)
{
    return jbw_connection_queued(c) == 0 && !lws_partial_buffered(c->wsi);
}

bool jbw_connection_can_send_frame(const jbw_connection *c)
{
    return jbw_connection_queued(c) == 0 && !lws_send_pipe_choked(c->wsi);
}

bool jbw_connection_write(jbw_connection *c, uint8_t *bytes, size_t size)
{
    jbw_count(&c->listener->server->counters.bytes_sent, size);
    c->progress = jbw_clock_now();
    c->buffered = size;
    return lws_write(c->wsi, bytes, size, LWS_WRITE_BINARY) >= 0;
}

void jbw_connection_drop(jbw_connection *c)
{
    if (c->is_closing && c->session.is_over && jbw_connection_queued(c) == 0) return;
    jbw_count(&c->listener->server->counters.dropped, 1);
    c->is_closing = true;
    jbw_buffer_free(&c->queue);
    c->queue_start = 0;
    jbw_connection_hang_up(c);
}

void jbw_connection_hang_up(jbw_connection *c)
{
    c->session.is_over = true;
    c->is_deaf = true;
    jbw_listener_leave(c);
    lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

bool jbw_connection_enqueue(jbw_connection *c, const uint8_t *bytes, size_t size, bool is_final)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    const queue_entry entry = {.size = size, .is_final = is_final};
    if (jbw_connection_queued(c) == 0) {
        c->queue.size = 0;
        c->queue_start = 0;
        c->progress = jbw_clock_now();
    }
    // a queue that never becomes empty must not grow without end
    if (c->queue_start > c->queue.size / 2 && c->queue_start > QUEUE_FULL) {
        memmove(c->queue.bytes, c->queue.bytes + c->queue_start, jbw_connection_queued(c));
        c->queue.size -= c->queue_start;
        c->queue_start = 0;
    }
    return jbw_buffer_append(&c->queue, &entry, sizeof entry) &&
           jbw_buffer_append(&c->queue, headroom, sizeof headroom) &&
           jbw_buffer_append(&c->queue, bytes, size);
}

void jbw_connection_close(jbw_connection *c, int code)
{
    c->is_deaf = true;
    if (c->is_closing) return;
    c->session.is_over = true;
    c->is_closing = true;
    c->close_code = code;
    jbw_buffer_free(&c->queue);
    c->queue_start = 0;
    jbw_listener_leave(c);
    const uint8_t nothing = 0;
    if (jbw_connection_enqueue(c, &nothing, 0, true))
        lws_callback_on_writable(c->wsi);
    else
        jbw_connection_drop(c);
}

void jbw_connection_send(jbw_connection *c, uint8_t *bytes, size_t size, bool is_final)
{
    if (c->is_closing) return;
    if (is_final) {
        c->session.is_over = true;
        c->is_closing = true;
    }
    bool is_good = true;
    if (!is_final && jbw_connection_can_send(c)) {
        is_good = jbw_connection_write(c, bytes, size);
    } else {
        is_good = jbw_connection_enqueue(c, bytes, size, is_final) &&
                  jbw_connection_queued(c) < QUEUE_HOPELESS;
        lws_callback_on_writable(c->wsi);
    }
    if (!is_good) jbw_connection_drop(c);
    jbw_connection_note_memory(c);
}

static queue_entry first_entry(const jbw_connection *c)
{
    queue_entry entry;
    memcpy(&entry, c->queue.bytes + c->queue_start, sizeof entry);
    return entry;
}

static size_t entry_length(const queue_entry *entry)
{
    return sizeof *entry + JBW_WIRE_HEADROOM + entry->size;
}

int jbw_connection_send_queued(jbw_connection *c)
{
    if (jbw_connection_queued(c) == 0) return 0;
    const queue_entry entry = first_entry(c);
    uint8_t *bytes = c->queue.bytes + c->queue_start + sizeof entry + JBW_WIRE_HEADROOM;
    c->queue_start += entry_length(&entry);
    if (entry.size > 0 && !jbw_connection_write(c, bytes, entry.size)) return -1;
    if (entry.is_final) {
        jbw_connection_end_reads(c); // libwebsockets waits for the client to close its side
        const int code = c->close_code ? c->close_code : LWS_CLOSE_STATUS_NORMAL;
        lws_close_reason(c->wsi, (enum lws_close_status)code, NULL, 0);
        return -1;
    }
    if (jbw_connection_queued(c) == 0) {
        c->queue.size = 0;
        c->queue_start = 0;
        if (c->queue.capacity > QUEUE_KEPT) jbw_buffer_free(&c->queue); // the memory of a burst
    }
    return 0;
}

// while corked, the kernel collects what is written
static void set_corked(jbw_connection *c, bool is_corked)
{
    const int value = is_corked;
    setsockopt(lws_get_socket_fd(c->wsi), IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

// Answers to one connection leave in one piece: a client that has queued several actions gets
// several answers at once.
void jbw_connection_send_queue(jbw_connection *c)
{
    c->is_answered = false;
    if (jbw_connection_queued(c) == 0) return; // dropped meanwhile
    const queue_entry entry = first_entry(c);
    const bool are_many = jbw_connection_queued(c) > entry_length(&entry);
    if (are_many) set_corked(c, true);
    int result = 0;
    // a final message is left to the writable callback, which closes the connection after it
    while (result == 0 && jbw_connection_queued(c) > 0 && !first_entry(c).is_final &&
           !lws_partial_buffered(c->wsi))
        result = jbw_connection_send_queued(c);
    if (are_many) set_corked(c, false);
    if (result != 0)
        jbw_connection_drop(c);
    else if (jbw_connection_queued(c) > 0)
        lws_callback_on_writable(c->wsi);
    jbw_connection_regulate(c);
    jbw_connection_note_memory(c);
}
