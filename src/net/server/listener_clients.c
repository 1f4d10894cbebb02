// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The clients of the network thread: they connect, send messages and disconnect, as libwebsockets
// reports it.

#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/server/listener_internal.h"

#define NAP_LEAST (16 * JBW_MILLISECOND / 1000)
#define NAP_MOST JBW_MILLISECOND

enum {
    CROWD = 4,               // clients among which nobody may talk without end
    NAP_DOUBLINGS = 6,       // from the shortest to the longest nap
    STUCK_SECONDS = 30,      // without reading anything of what is being sent
    NOT_SENT_MOST = 1 << 17, // bytes the kernel buffers for a connection before it counts as busy
};

// ---- receiving ----

static void publish_counters(jbw_listener *l)
{
    jbw_server *server = l->server;
    atomic_store_explicit(&server->counters.refused, l->shared.refused_count, memory_order_relaxed);
    const uint_fast32_t before =
        atomic_exchange(&server->counters.subscriptions, l->shared.subscription_count);
    // the world thread makes no copies while there are no viewers
    if (before == 0 && l->shared.subscription_count > 0) jbw_bell_ring(&server->bell);
}

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
    publish_counters(l);
    jbw_connection_regulate(c);
    jbw_connection_note_memory(c);
}

// acting is what a world is for; it has its own limits
static bool is_action(const jbw_connection *c)
{
    if (c->received.size < 2) return false;
    const unsigned type = c->received.bytes[0] | (unsigned)c->received.bytes[1] << 8;
    return type == JBW_MESSAGE_ACT || type == JBW_MESSAGE_ACT_MANY || type == JBW_MESSAGE_ACT_NEXT;
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

static int receive(jbw_connection *c, const uint8_t *bytes, size_t size)
{
    jbw_listener *l = c->listener;
    jbw_count(&l->server->counters.bytes_received, size);
    c->heard = jbw_clock_now();
    if (lws_is_first_fragment(c->wsi)) {
        c->received.size = 0;
        c->is_too_long = false;
    }
    if (c->received.size + size > JBW_MESSAGE_MOST) c->is_too_long = true;
    if (!c->is_too_long && size > 0 && !jbw_buffer_append(&c->received, bytes, size)) return -1;
    const bool is_last = lws_is_final_fragment(c->wsi) && lws_remaining_packet_payload(c->wsi) == 0;
    if (c->is_too_long) {
        jbw_session_end(&c->session, &l->shared, 0, JBW_ERROR_TOO_LARGE);
        publish_counters(l);
        return 0;
    }
    if (!is_last || c->session.is_over) return 0;
    if (c->round != l->round) {
        c->round = l->round;
        c->turn_count = 0;
    }
    if (++c->turn_count == l->read_turn) l->resting_count++;
    if (l->inside_count >= CROWD && !is_action(c)) begin_nap(c);
    // text frames are not part of the protocol: an empty message is malformed
    if (!lws_frame_is_binary(c->wsi)) c->received.size = 0;
    take_message(c);
    return 0;
}

// Otherwise a connection that sends without end would delay everyone else's turns.
uint64_t jbw_listener_go_round(jbw_listener *l, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    const bool are_many = l->inside_count >= JBW_READ_MOST;
    l->round++;
    // a lone client may send much at once; the more there are, the less each
    l->read_turn = are_many ? 1 : (unsigned)(JBW_READ_MOST / (l->inside_count + 1));
    if (l->resting_count + l->napping_count == 0) return next;
    l->resting_count = 0;
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (!c || !c->is_blocked) continue;
        if (c->is_napping && now >= c->nap_end) {
            c->is_napping = false;
            l->napping_count--;
        }
        if (c->is_napping) next = jbw_earlier(next, c->nap_end);
        jbw_connection_regulate(c);
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

// ---- opening and closing ----

static int open_client(jbw_listener *l, jbw_connection *c, struct lws *wsi)
{
    *c = (jbw_connection){.wsi = wsi};
    jbw_slot *s = jbw_slot_find_free(l);
    if (!s) return -1;
    c->listener = l;
    c->connected = jbw_clock_now();
    c->progress = c->connected;
    c->heard = c->connected;
    s->client = c;
    jbw_session_init(&c->session, jbw_connection_id(l, s));
    l->client_count++;
    jbw_count(&l->server->counters.connections, 1);

    const int most = NOT_SENT_MOST;
    setsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most, sizeof most);
    return 0;
}

static void close_client(jbw_connection *c)
{
    jbw_listener *l = c->listener;
    if (!l) return;
    jbw_slot *s = &l->slots[(c->session.connection & 0xffff) - 1];
    s->client = NULL;
    if (c->is_napping) l->napping_count--;
    if (c->is_received) l->held_count--;
    if (c->session.has_said_hello && !jbw_listener_forward_forget(l, s, c->session.key)) {
        s->is_forget_pending = true;
        s->key = c->session.key;
        l->held_count++;
    }
    jbw_listener_leave(c);
    jbw_session_deinit(&c->session, &l->shared);
    jbw_buffer_free(&c->received);
    jbw_buffer_free(&c->queue);
    jbw_connection_forget_memory(c);
    c->listener = NULL;
    l->client_count--;
    publish_counters(l);
}

// returns memory to the system once a burst is over; the C library would keep most of it
static void give_back(jbw_listener *l)
{
    enum { WORTHWHILE = 1 << 24 };
    if (l->freed < WORTHWHILE) return;
    l->freed = 0;
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void jbw_listener_sweep(jbw_listener *l, uint64_t now)
{
    if (now < l->next_sweep) return;
    l->next_sweep = now + JBW_SECOND;
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (!c) continue;
        // `now` is a moment old: these times may be later
        const bool is_silent =
            !c->session.has_said_hello && now > c->connected + JBW_HELLO_SECONDS * JBW_SECOND;
        const bool is_busy = jbw_connection_queued(c) > 0 || lws_partial_buffered(c->wsi);
        const bool is_stuck = is_busy && now > c->progress + STUCK_SECONDS * JBW_SECOND;
        if (is_silent || is_stuck) jbw_connection_drop(c);
        jbw_connection_note_memory(c);
    }
    give_back(l);
}

// ---- libwebsockets ----

int jbw_listener_on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                          size_t size)
{
    if (!wsi) return 0;
    jbw_listener *l = lws_context_user(lws_get_context(wsi));
    jbw_connection *c = user;
    if (!l) return 0;
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return jbw_listener_may_come(l) ? 0 : -1;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: return jbw_listener_come(l, wsi);
    case LWS_CALLBACK_WSI_DESTROY: jbw_door_leave(&l->door, wsi); return 0;
    case LWS_CALLBACK_HTTP: return jbw_listener_serve_page(l, wsi, in);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return jbw_listener_may_upgrade(wsi) ? 0 : -1;
    case LWS_CALLBACK_RAW_ADOPT: return -1; // the method CONNECT
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        if (jbw_listener_may_connect(l, wsi)) return 0;
        jbw_count(&l->server->counters.dropped, 1);
        lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL);
        return -1;
    case LWS_CALLBACK_ESTABLISHED: return open_client(l, c, wsi);
    case LWS_CALLBACK_RECEIVE: return receive(c, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE: {
        if (!c->listener) return -1;
        const int result = jbw_connection_send_queued(c);
        if (result != 0) return result;
        jbw_connection_regulate(c);
        // the loop sends frames
        if (jbw_connection_queued(c) > 0) lws_callback_on_writable(wsi);
        return 0;
    }
    case LWS_CALLBACK_CLOSED:
        if (c) close_client(c);
        return 0;
    default: return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}
