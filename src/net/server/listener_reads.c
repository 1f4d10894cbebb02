// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Reading from clients. libwebsockets accepts connections, speaks HTTP and TLS, and sends; it is told
// not to read from WebSockets, because it accepts frames that the standard forbids, and because it
// looks at all sockets to find those that are ready. Here the kernel tells who is ready, through one
// descriptor that libwebsockets waits for among its own:
//
//     sockets --> `readable` --> jbw_listener_read --> frames --> messages --> sessions
//
// The kernel tells of new bytes once. Whoever may not be read yet is remembered as readable, and read
// when its next turn comes.

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/server/listener_internal.h"
#include "net/server/ready_set.h"

#define NAP_LEAST (16 * JBW_MILLISECOND / 1000)
#define NAP_MOST JBW_MILLISECOND

enum {
    CROWD = 4,         // clients among which nobody may talk without end
    NAP_DOUBLINGS = 6, // from the shortest to the longest nap
    READS_MOST = 4,    // of one connection, until others are read
    READY_MOST = 64,   // connections that the kernel tells of at once
};

// ---- messages ----

static void take_message(jbw_connection *c)
{
    jbw_listener *l = c->listener;
    const bool was_received = c->is_received;
    if (!l->copy) l->shared.world_time = jbw_server_info(l->server).time;
    const bool is_taken =
        jbw_session_receive(&c->session, &l->shared, c->received.bytes, c->received.size);
    c->is_received = !is_taken;
    if (c->is_received && !was_received) l->held_count++;
    if (!c->is_received && was_received) l->held_count--;
    if (is_taken) c->received.size = 0;
    jbw_listener_publish_counters(l);
    jbw_connection_regulate(c);
    jbw_connection_note_memory(c);
}

// acting is what a world is for; it has its own limits
static bool is_action(const jbw_connection *c)
{
    if (c->received.size < 2) return false;
    const unsigned type = c->received.bytes[0] | (unsigned)c->received.bytes[1] << 8;
    return type == JBW_MESSAGE_ACT || type == JBW_MESSAGE_ACT_MANY ||
           type == JBW_MESSAGE_ACT_NEXT || type == JBW_MESSAGE_ACT_WORDS;
}

// Whoever asks for other things again and again, in a crowd, waits longer and longer in between, up
// to a millisecond: turns go first.
static void begin_nap(jbw_connection *c)
{
    const uint64_t now = c->heard;
    const bool is_again = now < c->nap_end + NAP_MOST;
    c->nap_count = is_again ? c->nap_count + 1 : 0;
    const uint64_t length = c->nap_count < NAP_DOUBLINGS ? NAP_LEAST << c->nap_count : NAP_MOST;
    c->nap_end = now + length;
    if (!c->is_napping) c->listener->napping_count++;
    c->is_napping = true;
}

// a message or a control frame of a connection counts for its turn in this round
static void count_turn(jbw_connection *c, bool is_action)
{
    jbw_listener *l = c->listener;
    if (c->round != l->round) {
        c->round = l->round;
        c->turn_count = 0;
    }
    c->turn_count++;
    if (l->inside_count >= CROWD && !is_action) begin_nap(c);
}

static void take_data(jbw_connection *c, const jbw_frame_part *part)
{
    jbw_listener *l = c->listener;
    jbw_count(&l->server->counters.bytes_received, part->size);
    if (c->session.is_over) return;
    if (part->left > JBW_MESSAGE_MOST ||
        c->received.size + part->size + part->left > JBW_MESSAGE_MOST) {
        jbw_session_end(&c->session, &l->shared, 0, JBW_ERROR_TOO_LARGE);
        jbw_listener_publish_counters(l);
        return;
    }
    if (part->size > 0 && !jbw_buffer_append(&c->received, part->bytes, part->size)) {
        jbw_connection_drop(c);
        return;
    }
    if (!part->is_end_of_message) return;
    count_turn(c, is_action(c));
    // text frames are not part of the protocol: an empty message is malformed
    if (part->is_text) c->received.size = 0;
    take_message(c);
}

// ---- frames ----

// the answer to a ping; it is left out while the connection does not keep up
static void send_pong(jbw_connection *c, const jbw_frame_part *part)
{
    uint8_t bytes[LWS_PRE + JBW_WS_CONTROL_MOST];
    if (c->session.is_over || !jbw_connection_can_send(c)) return;
    memcpy(bytes + LWS_PRE, part->bytes, part->size);
    if (lws_write(c->wsi, bytes + LWS_PRE, part->size, LWS_WRITE_PONG) < 0) jbw_connection_drop(c);
}

static void take_part(jbw_connection *c, const jbw_frame_part *part)
{
    if (part->kind != JBW_FRAME_INCOMPLETE && part->kind != JBW_FRAME_DATA) count_turn(c, false);
    switch (part->kind) {
    case JBW_FRAME_INCOMPLETE: return;
    case JBW_FRAME_DATA: take_data(c, part); return;
    case JBW_FRAME_PING: send_pong(c, part); break;
    case JBW_FRAME_PONG: lws_validity_confirmed(c->wsi); break;
    case JBW_FRAME_CLOSE: jbw_connection_close(c, LWS_CLOSE_STATUS_NORMAL); break;
    case JBW_FRAME_WRONG: jbw_connection_close(c, LWS_CLOSE_STATUS_PROTOCOL_ERR); break;
    }
    jbw_connection_regulate(c);
}

// takes frames until the connection has had its turn; returns how many bytes were used
static size_t take_frames(jbw_connection *c, uint8_t *bytes, size_t size)
{
    size_t used = 0;
    while (used < size && !c->is_blocked && !c->is_deaf) {
        jbw_frame_part part;
        used += jbw_frame_reader_take(&c->reader, bytes + used, size - used, &part);
        take_part(c, &part);
    }
    return c->is_deaf ? size : used;
}

// ---- bytes ----

// Reads without waiting. Returns zero if there is nothing to read now; a connection that has ended
// is closed.
static size_t read_bytes(jbw_connection *c, uint8_t *bytes, size_t size)
{
    SSL *tls = lws_get_ssl(c->wsi);
    ssize_t got = 0;
    bool is_over = false;
    if (tls) {
        ERR_clear_error();
        got = SSL_read(tls, bytes, (int)size);
        const int problem = got > 0 ? SSL_ERROR_NONE : SSL_get_error(tls, (int)got);
        is_over = got <= 0 && problem != SSL_ERROR_WANT_READ && problem != SSL_ERROR_WANT_WRITE;
        c->is_readable = got > 0;
    } else {
        do {
            got = recv(lws_get_socket_fd(c->wsi), bytes, size, MSG_DONTWAIT);
        } while (got < 0 && errno == EINTR);
        is_over = got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
        // otherwise the kernel tells when there is more, but only once that there will be no more
        c->is_readable = got == (ssize_t)size || c->has_ended;
    }
    if (is_over) jbw_connection_hang_up(c);
    return got > 0 ? (size_t)got : 0;
}

// what could not be taken yet
static void keep_input(jbw_connection *c, const uint8_t *bytes, size_t size)
{
    if (size > 0 && !jbw_buffer_append(&c->input, bytes, size)) jbw_connection_drop(c);
}

static void take_input(jbw_connection *c)
{
    c->input_start +=
        take_frames(c, c->input.bytes + c->input_start, c->input.size - c->input_start);
    if (c->input_start < c->input.size) return;
    jbw_buffer_free(&c->input);
    c->input_start = 0;
}

static void read_connection(jbw_connection *c)
{
    jbw_listener *l = c->listener;
    jbw_connection_regulate(c); // there may be another round since
    if (!c->is_blocked) l->heard = c->heard = jbw_clock_now();
    for (int i = 0; i < READS_MOST && !c->is_blocked && jbw_connection_has_input(c); i++) {
        if (c->input.size > 0) {
            take_input(c);
            continue;
        }
        const size_t size = read_bytes(c, l->bytes, sizeof l->bytes);
        const size_t used = take_frames(c, l->bytes, size);
        keep_input(c, l->bytes + used, size - used);
    }
    if (!c->is_waiting && jbw_connection_has_input(c)) l->has_more = true;
}

bool jbw_listener_open_reads(jbw_listener *l)
{
    l->readable = jbw_ready_set_open();
    if (l->readable < 0) return false;
    // from now on it belongs to libwebsockets, which closes it
    const lws_sock_file_fd_type descriptor = {.filefd = l->readable};
    if (!lws_adopt_descriptor_vhost(l->vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, "jbw", NULL)) {
        close(l->readable);
        return false;
    }
    l->call = jbw_ready_set_open_call(l->readable);
    return l->call >= 0;
}

bool jbw_connection_begin_reads(jbw_connection *c)
{
    lws_rx_flow_control(c->wsi, 0);
    return jbw_ready_set_add(c->listener->readable, lws_get_socket_fd(c->wsi),
                             c->session.connection);
}

void jbw_connection_end_reads(jbw_connection *c)
{
    c->is_deaf = true;
    lws_rx_flow_control(c->wsi, 1);
}

void jbw_listener_read(jbw_listener *l, int milliseconds)
{
    jbw_ready ready[READY_MOST];
    const int count = jbw_ready_set_find(l->readable, ready, READY_MOST, milliseconds);
    for (int i = 0; i < count; i++) {
        jbw_connection *c = jbw_connection_find(l, ready[i].name);
        if (!c) continue;
        c->is_readable = true;
        c->has_ended |= ready[i].has_ended;
        read_connection(c);
    }
}

// Otherwise a connection that sends without end would delay everyone else's turns.
uint64_t jbw_listener_go_round(jbw_listener *l, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    const bool are_many = l->inside_count >= JBW_READ_MOST;
    l->round++;
    // a lone client may send much at once; the more there are, the less each
    l->read_turn = are_many ? 1 : (unsigned)(JBW_READ_MOST / (l->inside_count + 1));
    if (!l->has_more && l->napping_count == 0) return next;
    l->has_more = false;
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (!c) continue;
        if (c->is_napping && now >= c->nap_end) {
            c->is_napping = false;
            l->napping_count--;
        }
        if (c->is_napping) next = jbw_earlier(next, c->nap_end);
        if (jbw_connection_has_input(c)) read_connection(c);
    }
    return next;
}

void jbw_listener_retry(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count && l->held_count > 0; i++) {
        jbw_slot *s = &l->slots[i];
        if (s->client && s->client->is_received) take_message(s->client);
        if (s->is_forget_pending && jbw_listener_forward_forget(l, s, s->key)) {
            s->is_forget_pending = false;
            l->held_count--;
        }
    }
}
