// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The network thread: an event loop over libwebsockets.

#include <netdb.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/server/listener_internal.h"
#include "net/server/ready_set.h"
#include "thread/thread.h"

enum {
    HEAD_SIZE = 4096,        // bytes of HTTP read at once
    CLOSING_SIZE = 256,      // bytes read at once from a WebSocket that is being closed
    SERVICE_PAUSE = 1000000, // nanoseconds between the turns of libwebsockets in busy times
    BUSY_TIME = 4000000,     // nanoseconds since a client was heard
    FEW_CLIENTS = 4,
    SHUT_DOWN_SECONDS = 2,    // for sending the last answers
    CLOSE_MILLISECONDS = 100, // then, for clients to close their side
    KEEP_ALIVE_SECONDS = 30,  // of silence before the kernel probes a connection
    KEEP_ALIVE_PROBES = 3,
    KEEP_ALIVE_INTERVAL = 10,
};

// ---- the loop ----

// lws_service runs the timers that are due, then waits for the next event: without this it would
// sleep even though our timer has just expired.
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

static bool has_results(const jbw_listener *l)
{
    return jbw_ring_length(&l->server->answers) > 0 || atomic_load(&l->server->copy) ||
           atomic_load(&l->is_ending);
}

// checks several times, which costs less than reading the clock once
static bool has_answers(void *user)
{
    enum { CHECKS = 16 };
    const jbw_listener *l = user;
    for (int i = 0; i < CHECKS; i++) {
        if (jbw_ring_length(&l->server->answers) > 0) return true;
        jbw_spin_pause();
    }
    return false;
}

// processes what clients have sent
static bool has_client_data(void *user)
{
    jbw_listener *l = user;
    if (!has_results(l)) jbw_listener_read(l, 0);
    return l->forwarded != l->woken_for || l->has_more || has_results(l);
}

// Many clients often act at about the same time, and the world cannot step before the last of them
// has. So what has arrived meanwhile is read before the world thread is woken.
static void gather(jbw_listener *l)
{
    enum { ROUNDS = 8 };
    uint64_t before = l->woken_for;
    for (int i = 0;
         i < ROUNDS && l->client_count >= FEW_CLIENTS && l->forwarded != before && !l->has_more;
         i++) {
        before = l->forwarded;
        jbw_listener_read(l, 0);
    }
}

// libwebsockets accepts connections, serves pages, and sends what sockets did not accept before
static void service(jbw_listener *l, bool may_wait)
{
    lws_service(l->context, may_wait ? 0 : -1);
    l->next_service = jbw_clock_now() + SERVICE_PAUSE;
}

// Waits for something to do. libwebsockets looks at all its sockets each time it waits, which takes
// longer than a turn if there are many. So in busy times this only waits for clients.
static void sleep_until(jbw_listener *l, uint64_t now, uint64_t next)
{
    const bool is_busy = l->client_count >= FEW_CLIENTS && now < l->heard + BUSY_TIME;
    const bool can_wait = next >= now + JBW_MILLISECOND;
    if (!is_busy) set_timer(l, now, next);
    atomic_store(&l->sleep, is_busy ? JBW_DROWSY : JBW_ASLEEP);
    if (has_results(l) || l->has_more)
        jbw_listener_read(l, 0);
    else if (is_busy)
        jbw_listener_read(l, can_wait ? 1 : 0);
    else
        service(l, true);
    atomic_store(&l->sleep, JBW_AWAKE);
}

static void serve_once(jbw_listener *l)
{
    uint64_t now = jbw_clock_now();
    if (now >= l->next_service) service(l, false);
    const uint64_t next_nap = jbw_listener_go_round(l, now);
    jbw_listener_take_answers(l);
    if (l->held_count > 0) jbw_listener_retry(l);
    uint64_t next_request = jbw_listener_request_copy(l, now);
    jbw_listener_take_copy(l);
    if (l->server->is_view) {
        next_request = jbw_earlier(next_request, jbw_game_tick(l->server->game, now));
        jbw_listener_take_answers(l);
    }
    jbw_listener_sweep(l, now);
    // frames and naps are not so precise that each should wake the thread
    uint64_t next = jbw_earlier(jbw_listener_send_frames(l, now), next_nap);
    if (next < now + JBW_MILLISECOND) next = now + JBW_MILLISECOND;
    next = jbw_earlier(next, jbw_earlier(l->next_sweep, next_request));
    if (l->held_count > 0) next = jbw_earlier(next, now + JBW_MILLISECOND);
    if (l->forwarded != l->woken_for) {
        gather(l);
        jbw_bell_ring(&l->server->bell);
        l->woken_for = l->forwarded;
        if (jbw_spin_wait_try(&l->answer_spin, next, has_answers, l)) return;
    }
    if (jbw_spin_wait_try(&l->client_spin, next, has_client_data, l)) return;
    sleep_until(l, now, next);
}

static bool has_unsent(const jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        const jbw_connection *c = l->slots[i].client;
        if (c && (jbw_connection_queued(c) > 0 || lws_partial_buffered(c->wsi))) return true;
    }
    return false;
}

// tells all clients that the server is shutting down
static void say_goodbye(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (c) jbw_session_end(&c->session, &l->shared, 0, JBW_ERROR_CLOSING);
    }
    uint64_t now = jbw_clock_now();
    uint64_t end = now + SHUT_DOWN_SECONDS * JBW_SECOND;
    for (; l->client_count > 0 && now < end; now = jbw_clock_now()) {
        set_timer(l, 0, JBW_SECOND / 100);
        lws_service(l->context, 0);
        // once everything is sent, clients get a moment to close their side
        if (!has_unsent(l)) end = jbw_earlier(end, now + CLOSE_MILLISECONDS * JBW_MILLISECOND);
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
    switch (atomic_exchange(&listener->sleep, JBW_AWAKE)) {
    case JBW_ASLEEP: lws_cancel_service(listener->context); break;
    case JBW_DROWSY: jbw_ready_set_call(listener->call); break;
    default: break;
    }
}

// ---- starting and stopping ----

// resolves a host to a numeric address
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
         .callback = jbw_listener_on_event,
         .per_session_data_size = sizeof(jbw_connection),
         .rx_buffer_size = CLOSING_SIZE},
        {0},
    };
    // A client may be silent for hours. TCP keep-alive detects hosts that are gone, so
    // libwebsockets need not ping.
    static const lws_retry_bo_t patience = {.secs_since_valid_ping = 43200,
                                            .secs_since_valid_hangup = 65000};
    jbw_server *server = l->server;
    const jbw_server_options *o = &server->options;
    char address[64];
    bool is_six;
    if (!resolve(o->host, address, &is_six)) {
        jbw_error_set(error, 0, 0, "cannot resolve host %s", o->host);
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
        .timeout_secs = JBW_HELLO_SECONDS,
        .keepalive_timeout = JBW_HELLO_SECONDS,
        .ka_time = KEEP_ALIVE_SECONDS,
        .ka_probes = KEEP_ALIVE_PROBES,
        .ka_interval = KEEP_ALIVE_INTERVAL,
        .retry_and_idle_policy = &patience,
        .pt_serv_buf_size = 2 * HEAD_SIZE,
        .server_string = "jbw",
        .alpn = "http/1.1",
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
    };
    if (!is_six) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    if (o->cert) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = o->cert;
        info.ssl_private_key_filepath = o->key;
        // otherwise libwebsockets creates one with the system's certificates and never frees it
        l->no_client = SSL_CTX_new(TLS_client_method());
        info.provided_client_ssl_ctx = l->no_client;
    }
    l->context = lws_create_context(&info);
    l->vhost = l->context ? lws_create_vhost(l->context, &info) : NULL;
    if (!l->vhost) {
        jbw_error_set(error, 0, 0,
                      o->cert
                          ? "cannot listen on %s, port %d, or cannot use the certificate and key"
                          : "cannot listen on %s, port %d",
                      o->host, o->port);
        return JBW_NO_CONNECTION;
    }
    server->port = lws_get_vhost_listen_port(l->vhost);
    snprintf(server->url, sizeof server->url, is_six ? "%s://[%s]:%d/" : "%s://%s:%d/",
             o->cert ? "https" : "http", is_any ? "localhost" : address, server->port);
    return jbw_listener_open_reads(l) ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_listener_create(jbw_server *server, jbw_listener **out, jbw_error *error)
{
    *out = NULL;
    jbw_listener *l = calloc(1, sizeof *l);
    if (!l) return JBW_OUT_OF_MEMORY;
    l->server = server;
    l->read_turn = 1;
    l->call = -1;
    l->answer_spin = jbw_spin_wait_make();
    l->client_spin = jbw_spin_wait_make();
    l->slot_count = jbw_listener_visitors_most(server);
    const size_t clients_most = l->slot_count - l->slot_count / 4; // the others have not said hello
    if (server->options.clients_most > clients_most)
        server->options.clients_most = (uint32_t)clients_most;
    const size_t waiting_most = (l->slot_count - server->options.clients_most) / 2;
    l->slots = calloc(l->slot_count, sizeof *l->slots);
    l->shared = (jbw_session_shared){.keys = &server->keys,
                                     .model = server->model,
                                     .is_view = server->is_view,
                                     .is_play = server->player != NULL,
                                     .frame_interval = server->frame_interval,
                                     .maker = server->maker,
                                     .forward = jbw_listener_forward,
                                     .answer = jbw_listener_answer,
                                     .enter = jbw_listener_enter,
                                     .user = l};
    l->answered = calloc(l->slot_count, sizeof *l->answered);
    const bool has_memory = l->slots && l->answered && jbw_session_shared_init(&l->shared) &&
                            jbw_door_init(&l->door, l->slot_count, waiting_most);
    jbw_status status = has_memory ? listen_at(l, error) : JBW_OUT_OF_MEMORY;
    if (!status) {
        *out = l; // the thread may use it at once
        l->has_thread = jbw_thread_start(&l->thread, run, l);
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
    if (l->call >= 0) close(l->call);
    SSL_CTX_free(l->no_client);
    jbw_door_deinit(&l->door);
    jbw_view_copy_destroy(l->copy);
    jbw_session_shared_deinit(&l->shared);
    jbw_buffer_free(&l->page);
    jbw_buffer_free(&l->frame);
    free(l->answered);
    free(l->slots);
    free(l);
}
