// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The network's thread: libwebsockets, its connections, and what they say.

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "net/server/listener_parts.h"

enum {
    HELLO_SECONDS = 10,      // to say who is there
    STUCK_SECONDS = 30,      // without taking anything of what is to be sent
    NOT_SENT_MOST = 1 << 17, // bytes that the system keeps for a connection before it is busy
    READ_SIZE = 4096,        // bytes that are read at once
    SHUT_DOWN_SECONDS = 2,   // for the last words
    FAREWELLS = 10,          // a second's part: for them to be answered
    KEEP_ALIVE_SECONDS = 30, // before the system asks whether a silent host is still there
    KEEP_ALIVE_PROBES = 3,
    KEEP_ALIVE_INTERVAL = 10,
};

static const uint64_t second = 1000000000;

// Timers that are due are served first, and then lws_service waits for the next one: without this it
// would sleep through the one that has just come.
static void on_timer(lws_sorted_usec_list_t *timer)
{
    const jbw_listener *l = lws_container_of(timer, jbw_listener, timer);
    lws_cancel_service(l->context);
}

static void set_timer(jbw_listener *l, uint64_t now, uint64_t until)
{
    const uint64_t wait = until > now ? (until - now) / 1000 + 1 : 1;
    lws_sul_schedule(l->context, 0, &l->timer, on_timer, (lws_usec_t)wait);
}

// ---- what a client says ----

static void note_session(jbw_listener *l)
{
    jbw_server *server = l->server;
    atomic_store_explicit(&server->counters.refused, l->host.refused_count, memory_order_relaxed);
    const uint_fast32_t before =
        atomic_exchange(&server->counters.subscriptions, l->host.subscription_count);
    // the world does not make pictures while nobody looks
    if (before == 0 && l->host.subscription_count > 0) jbw_bell_ring(&server->bell);
}

static void take_message(jbw_connection *c)
{
    jbw_listener *l = c->listener;
    const bool was_received = c->is_received;
    if (!l->picture) l->host.world_time = jbw_server_info(l->server).time;
    const bool is_taken =
        jbw_session_receive(&c->session, &l->host, c->received.bytes, c->received.size);
    c->is_received = !is_taken;
    if (c->is_received && !was_received) l->held_count++;
    if (!c->is_received && was_received) l->held_count--;
    if (is_taken) c->received.size = 0;
    note_session(l);
    jbw_connection_regulate(c);
}

static int receive(jbw_connection *c, const uint8_t *bytes, size_t size)
{
    jbw_listener *l = c->listener;
    jbw_count(&l->server->counters.bytes_received, size);
    if (lws_is_first_fragment(c->wsi)) {
        c->received.size = 0;
        c->is_too_long = false;
    }
    // one byte more than may be is kept, so that the session sees that it is too long
    if (c->received.size + size > JBW_MESSAGE_MOST) c->is_too_long = true;
    if (!c->is_too_long && size > 0 && !jbw_buffer_append(&c->received, bytes, size)) return -1;
    const bool is_last = lws_is_final_fragment(c->wsi) && lws_remaining_packet_payload(c->wsi) == 0;
    if (c->is_too_long) {
        jbw_session_end(&c->session, &l->host, 0, JBW_ERROR_TOO_LARGE);
        note_session(l);
        return 0;
    }
    if (!is_last || c->session.is_over) return 0;
    // a text is no message of ours, whatever it says
    if (!lws_frame_is_binary(c->wsi)) c->received.size = 0;
    take_message(c);
    return 0;
}

// messages that found no room in a ring, and goodbyes
static void try_again(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count && l->held_count > 0; i++) {
        jbw_slot *s = &l->slots[i];
        if (s->client && s->client->is_received) take_message(s->client);
        if (s->is_forgotten_later && jbw_listener_tell_gone(l, s, s->key)) {
            s->is_forgotten_later = false;
            l->held_count--;
        }
    }
}

// ---- connections ----

static int open_client(jbw_listener *l, jbw_connection *c, struct lws *wsi)
{
    *c = (jbw_connection){.wsi = wsi};
    jbw_slot *s = jbw_slot_find_free(l);
    if (!s) return -1;
    c->listener = l;
    c->connected = jbw_clock_now();
    c->progress = c->connected;
    s->client = c;
    jbw_session_init(&c->session, jbw_connection_name(l, s));
    l->client_count++;
    jbw_count(&l->server->counters.connections, 1);
    atomic_store(&l->server->counters.clients, (uint_fast32_t)l->client_count);

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
    if (c->is_received) l->held_count--;
    const bool may_act = c->session.permissions & JBW_PERMISSION_ACT;
    if (may_act && !l->server->is_view && !jbw_listener_tell_gone(l, s, c->session.key)) {
        s->is_forgotten_later = true;
        s->key = c->session.key;
        l->held_count++;
    }
    jbw_session_deinit(&c->session, &l->host);
    jbw_buffer_free(&c->received);
    jbw_buffer_free(&c->queue);
    c->listener = NULL;
    l->client_count--;
    atomic_store(&l->server->counters.clients, (uint_fast32_t)l->client_count);
    note_session(l);
}

// those who never say hello, and those who never listen
static void sweep(jbw_listener *l, uint64_t now)
{
    if (now < l->next_sweep) return;
    l->next_sweep = now + second;
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (!c) continue;
        // what is noted may be later than `now`, which was asked for a moment ago
        const bool is_silent =
            !c->session.has_said_hello && now > c->connected + HELLO_SECONDS * second;
        const bool is_busy = jbw_connection_queued(c) > 0 || lws_partial_buffered(c->wsi);
        const bool is_stuck = is_busy && now > c->progress + STUCK_SECONDS * second;
        if (is_silent || is_stuck) jbw_connection_drop(c);
    }
}

// ---- libwebsockets ----

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size)
{
    if (!wsi) return 0;
    jbw_listener *l = lws_context_user(lws_get_context(wsi));
    jbw_connection *c = user;
    if (!l) return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return jbw_listener_serve_page(l, wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        if (jbw_listener_is_welcome(l, wsi)) return 0;
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
        if (jbw_connection_queued(c) > 0)
            lws_callback_on_writable(wsi);
        else
            jbw_connection_send_frames(c, jbw_clock_now());
        return 0;
    }
    case LWS_CALLBACK_CLOSED:
        if (c) close_client(c);
        return 0;
    default: return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

static bool has_mail(const jbw_listener *l)
{
    return jbw_ring_length(&l->server->answers) > 0 || atomic_load(&l->server->picture) ||
           atomic_load(&l->is_ending);
}

// a few glances, which cost less than one look at the clock
static bool has_answers(void *user)
{
    enum { GLANCES = 16 };
    const jbw_listener *l = user;
    for (int i = 0; i < GLANCES; i++) {
        if (jbw_ring_length(&l->server->answers) > 0) return true;
        jbw_pause();
    }
    return false;
}

// takes in what clients have sent
static bool has_news(void *user)
{
    jbw_listener *l = user;
    if (!has_mail(l)) lws_service(l->context, -1);
    return l->forwarded != l->told || has_mail(l);
}

// Many clients often ask at about the same time, and the world cannot take its step before the last of
// them has: what else is there is read before the world is woken.
static void gather(jbw_listener *l)
{
    enum { ROUNDS = 8, FEW_CLIENTS = 4 };
    uint64_t before = l->told;
    for (int i = 0; i < ROUNDS && l->client_count >= FEW_CLIENTS && l->forwarded != before; i++) {
        before = l->forwarded;
        lws_service(l->context, -1);
    }
}

static void serve_once(jbw_listener *l)
{
    uint64_t now = jbw_clock_now();
    jbw_listener_take_answers(l);
    if (l->held_count > 0) try_again(l);
    const uint64_t next_want = jbw_listener_want_picture(l, now);
    jbw_listener_take_picture(l);
    sweep(l, now);
    uint64_t next =
        jbw_earlier(jbw_listener_send_frames(l, now), jbw_earlier(l->next_sweep, next_want));
    if (l->held_count > 0) next = jbw_earlier(next, now + second / 1000);
    if (l->forwarded != l->told) {
        gather(l);
        jbw_bell_ring(&l->server->bell);
        l->told = l->forwarded;
        if (jbw_spin_wait_try(&l->answer_lookout, next, has_answers, l)) return;
    }
    if (jbw_spin_wait_try(&l->news_lookout, next, has_news, l)) return;
    set_timer(l, now, next);
    atomic_store(&l->is_asleep, true);
    lws_service(l->context, has_mail(l) ? -1 : 0);
    atomic_store(&l->is_asleep, false);
}

static bool has_last_words(const jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        const jbw_connection *c = l->slots[i].client;
        if (c && (jbw_connection_queued(c) > 0 || lws_partial_buffered(c->wsi))) return true;
    }
    return false;
}

static void say_goodbye(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (c) jbw_session_end(&c->session, &l->host, 0, JBW_ERROR_CLOSING);
    }
    uint64_t now = jbw_clock_now();
    uint64_t end = now + SHUT_DOWN_SECONDS * second;
    for (; l->client_count > 0 && now < end; now = jbw_clock_now()) {
        set_timer(l, 0, second / 100);
        lws_service(l->context, 0);
        // what was sent arrives; whoever does not say goodbye in turn need not
        if (!has_last_words(l)) end = jbw_earlier(end, now + second / FAREWELLS);
    }
}

static void *run(void *user)
{
    jbw_listener *l = user;
    while (!atomic_load(&l->is_ending)) serve_once(l);
    jbw_listener_take_answers(l);
    say_goodbye(l);
    lws_sul_schedule(l->context, 0, &l->timer, on_timer, LWS_SET_TIMER_USEC_CANCEL);
    return NULL;
}

void jbw_listener_wake(jbw_listener *listener)
{
    if (atomic_exchange(&listener->is_asleep, false)) lws_cancel_service(listener->context);
}

// ---- beginning and end ----

// the address of a host, as a number; empty means all of them
static bool resolve(const char *host, char out[64], bool *is_six)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, NULL, &hints, &found) != 0) return false;
    *is_six = found->ai_family == AF_INET6;
    const bool is_good =
        getnameinfo(found->ai_addr, found->ai_addrlen, out, 64, NULL, 0, NI_NUMERICHOST) == 0;
    freeaddrinfo(found);
    return is_good;
}

static jbw_status listen_at(jbw_listener *l, jbw_error *error)
{
    static const struct lws_protocols protocols[] = {
        {.name = "jbw",
         .callback = on_event,
         .per_session_data_size = sizeof(jbw_connection),
         .rx_buffer_size = READ_SIZE},
        {0},
    };
    // a client that thinks for hours is not lost: the system notices by itself when its host is gone
    static const lws_retry_bo_t patience = {.secs_since_valid_ping = 43200,
                                            .secs_since_valid_hangup = 65000};
    jbw_server *server = l->server;
    const jbw_server_options *o = &server->options;
    char address[64];
    bool is_six;
    if (!resolve(o->host, address, &is_six)) {
        jbw_error_set(error, 0, 0, "%s is neither an address nor the name of a host", o->host);
        return JBW_INVALID_ARGUMENT;
    }
    const bool is_any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {
        .port = o->port,
        .iface = is_any ? NULL : address,
        .protocols = protocols,
        .user = l,
        .gid = -1,
        .uid = -1,
        .timeout_secs = HELLO_SECONDS,
        .keepalive_timeout = HELLO_SECONDS,
        .ka_time = KEEP_ALIVE_SECONDS,
        .ka_probes = KEEP_ALIVE_PROBES,
        .ka_interval = KEEP_ALIVE_INTERVAL,
        .retry_and_idle_policy = &patience,
        .pt_serv_buf_size = 2 * READ_SIZE,
        .server_string = "jbw",
        .alpn = "http/1.1",
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
    };
    if (!is_six) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    if (o->cert) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = o->cert;
        info.ssl_private_key_filepath = o->key;
        // else libwebsockets makes one that trusts all the system does, and never frees it
        l->no_client = SSL_CTX_new(TLS_client_method());
        info.provided_client_ssl_ctx = l->no_client;
    }
    l->context = lws_create_context(&info);
    l->vhost = l->context ? lws_create_vhost(l->context, &info) : NULL;
    if (!l->vhost) {
        jbw_error_set(error, 0, 0,
                      o->cert ? "cannot listen at %s, port %d, or use the certificate and its key"
                              : "cannot listen at %s, port %d",
                      o->host, o->port);
        return JBW_NO_CONNECTION;
    }
    server->port = lws_get_vhost_listen_port(l->vhost);
    snprintf(server->url, sizeof server->url, is_six ? "%s://[%s]:%d/" : "%s://%s:%d/",
             o->cert ? "https" : "http", is_any ? "localhost" : address, server->port);
    return JBW_OK;
}

jbw_status jbw_listener_create(jbw_server *server, jbw_listener **out, jbw_error *error)
{
    *out = NULL;
    jbw_listener *l = calloc(1, sizeof *l);
    if (!l) return JBW_OUT_OF_MEMORY;
    l->server = server;
    l->answer_lookout = jbw_spin_wait_make();
    l->news_lookout = jbw_spin_wait_make();
    l->slot_count = server->options.clients_most;
    l->slots = calloc(l->slot_count, sizeof *l->slots);
    l->host = (jbw_host){.keys = &server->keys,
                         .model = server->model,
                         .is_view = server->is_view,
                         .is_play = server->player != NULL,
                         .frame_interval = server->frame_interval,
                         .forward = jbw_listener_forward,
                         .answer = jbw_listener_answer,
                         .user = l};
    l->answered = calloc(l->slot_count, sizeof *l->answered);
    jbw_status status = l->slots && l->answered ? listen_at(l, error) : JBW_OUT_OF_MEMORY;
    if (!status) {
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        *out = l; // the thread may look for it
        l->has_thread = pthread_create(&l->thread, NULL, run, l) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!l->has_thread) status = JBW_OUT_OF_MEMORY;
    }
    if (!status) return JBW_OK;
    *out = NULL;
    jbw_listener_destroy(l);
    return status;
}

void jbw_listener_destroy(jbw_listener *listener)
{
    jbw_listener *l = listener;
    if (!l) return;
    if (l->has_thread) {
        atomic_store(&l->is_ending, true);
        lws_cancel_service(l->context);
        pthread_join(l->thread, NULL);
    }
    if (l->context) lws_context_destroy(l->context);
    SSL_CTX_free(l->no_client);
    jbw_picture_destroy(l->picture);
    jbw_host_deinit(&l->host);
    jbw_buffer_free(&l->page);
    jbw_buffer_free(&l->frame);
    free(l->answered);
    free(l->slots);
    free(l);
}
