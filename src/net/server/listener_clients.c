// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The clients of the network thread: they connect and disconnect, as libwebsockets reports it.

#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/server/listener_internal.h"

enum {
    STUCK_SECONDS = 30,      // without reading anything of what is being sent
    NOT_SENT_MOST = 1 << 17, // bytes the kernel buffers for a connection before it counts as busy
};

// ---- opening and closing ----

void jbw_listener_publish_counters(jbw_listener *l)
{
    jbw_server *server = l->server;
    atomic_store_explicit(&server->counters.refused, l->shared.refused_count, memory_order_relaxed);
    const uint_fast32_t before =
        atomic_exchange(&server->counters.subscriptions, l->shared.subscription_count);
    if (before != l->shared.subscription_count) l->next_frame = 0;
    // the world thread makes no copies while there are no viewers
    if (before == 0 && l->shared.subscription_count > 0) jbw_bell_ring(&server->bell);
}

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
    return jbw_connection_begin_reads(c) ? 0 : -1;
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
    jbw_buffer_free(&c->input);
    jbw_buffer_free(&c->received);
    jbw_buffer_free(&c->queue);
    jbw_connection_forget_memory(c);
    c->listener = NULL;
    l->client_count--;
    jbw_listener_publish_counters(l);
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
    case LWS_CALLBACK_RECEIVE: return 0; // libwebsockets waits for the connection to close
    case LWS_CALLBACK_RAW_RX_FILE: jbw_listener_read(l, 0); return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: {
        if (!c->listener) return -1;
        l->next_frame = 0;
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
