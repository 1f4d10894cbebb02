// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// libwebsockets opens all connections. Unencrypted ones are then handled by websocket.c, encrypted
// ones by libwebsockets. There, a message is written in the call that sends it. Only when the
// kernel does not accept all of it are further messages queued, and sent from the callback that
// reports room again. Always going through that callback would cost each round trip one more turn
// of the loop.

#include "net/client/link.h"

#include <libwebsockets.h>
#include <poll.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text.h"
#include "net/client/websocket.h"
#include "net/thread/clock.h"
#include "net/thread/spin_wait.h"

enum {
    MOST_FDS = 8,                // per context: one connection, one pipe, and libwebsockets' own
    SERVICE_BYTES = 16384,       // read at a time
    MOST_MESSAGE = 64 * 1048576, // larger than any answer
    MOST_QUEUE = 64 * 1048576,   // bytes waiting to be sent
    MOST_URL = 1000,
};

typedef enum link_state {
    LINK_CLOSED,
    LINK_CONNECTING,
    LINK_OPEN,
} link_state;

struct jbw_link {
    jbw_link_options options;
    char url[MOST_URL + 1]; // split into its parts by lws_parse_uri
    char path[MOST_URL + 2];
    char host_port[MOST_URL + 8]; // for the header Host
    const char *host;
    int port;
    bool is_secure;

    struct lws_context *context;
    struct lws *wsi;
    link_state state;
    uintptr_t connection_count; // distinguishes this connection from earlier ones
    char problem[256];

    lws_sorted_usec_list_t timer;
    int64_t timer_due; // zero if none is set

    jbw_spin_wait spin_wait;
    bool is_gathering;
    jbw_websocket websocket; // of an open, unencrypted connection
    jbw_buffer outgoing;     // LWS_PRE bytes of headroom, then the message being built
    jbw_buffer queue;        // messages: u32 size, LWS_PRE bytes of headroom, the message
    size_t queue_start;      // bytes of the queue already sent
    jbw_buffer incoming;     // the fragments so far of a message
};

int64_t jbw_link_now(void)
{
    return (int64_t)lws_now_usecs();
}

// ---- callbacks ----

// keeps the first reason, which is the most specific
static void set_problem(jbw_link *link, const char *text, size_t length)
{
    if (link->problem[0]) return;
    if (length > sizeof link->problem - 1) length = sizeof link->problem - 1;
    memcpy(link->problem, text, length);
    link->problem[length] = 0;
}

static void set_closed(jbw_link *link, const char *problem)
{
    if (link->state == LINK_CLOSED) return;
    set_problem(link, problem, strlen(problem));
    link->state = LINK_CLOSED;
    link->wsi = NULL;
    link->queue.size = 0;
    link->queue_start = 0;
    link->incoming.size = 0;
}

static void receive(jbw_link *link, struct lws *wsi, const void *part, size_t size)
{
    const bool is_whole = lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
    if (is_whole && link->incoming.size == 0) {
        link->options.receive(part, size, link->options.user);
        return;
    }
    if (link->incoming.size + size > MOST_MESSAGE ||
        !jbw_buffer_append(&link->incoming, part, size)) {
        static const char text[] = "a message from the server is too large";
        set_problem(link, text, strlen(text));
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        return;
    }
    if (!is_whole) return;
    link->options.receive(link->incoming.bytes, link->incoming.size, link->options.user);
    link->incoming.size = 0;
}

// sends the oldest queued message; false if the connection is broken
static bool send_queued(jbw_link *link, struct lws *wsi)
{
    if (link->queue_start == link->queue.size) return true;
    uint8_t *at = link->queue.bytes + link->queue_start;
    const size_t size = jbw_get_u32(at);
    if (lws_write(wsi, at + 4 + LWS_PRE, size, LWS_WRITE_BINARY) < (int)size) return false;
    link->queue_start += 4 + LWS_PRE + size;
    if (link->queue_start == link->queue.size) {
        link->queue_start = 0;
        link->queue.size = 0;
    } else {
        lws_callback_on_writable(wsi);
    }
    return true;
}

// an id of the current connection, for its callbacks
static void *connection_id(const jbw_link *link)
{
    return (void *)link->connection_count;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t length)
{
    (void)user;
    jbw_link *link = wsi ? lws_context_user(lws_get_context(wsi)) : NULL;
    // an earlier connection may still be closing
    if (!link || lws_get_opaque_user_data(wsi) != connection_id(link)) return 0;
    switch ((int)reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        link->state = LINK_OPEN;
        if (!link->is_secure) jbw_websocket_begin(&link->websocket, lws_get_socket_fd(wsi));
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE: receive(link, wsi, in, length); return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE: return send_queued(link, wsi) ? 0 : -1;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        if (in) set_problem(link, in, length);
        set_closed(link, "connection refused");
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        // a code of two bytes, then a reason
        if (length > 2) set_problem(link, (const char *)in + 2, length - 2);
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_WSI_DESTROY: set_closed(link, "the server closed the connection"); return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "jbw", .callback = on_event},
    {0},
};

// lws_service runs expired timers and then waits for events: after ours, it must not wait.
static void on_timer(lws_sorted_usec_list_t *timer)
{
    jbw_link *link = lws_container_of(timer, jbw_link, timer);
    link->timer_due = 0;
    lws_cancel_service(link->context);
}

static bool get_random(void *user, uint8_t *bytes, size_t size)
{
    const jbw_link *link = user;
    return lws_get_random(link->context, bytes, size) == size;
}

static void receive_message(const void *bytes, size_t size, void *user)
{
    const jbw_link *link = user;
    link->options.receive(bytes, size, link->options.user);
}

// ---- creation ----

static bool parse_url(jbw_link *link, const char *url, jbw_error *error)
{
    link->is_secure = strncmp(url, "wss://", 6) == 0;
    if ((!link->is_secure && strncmp(url, "ws://", 5) != 0) || strlen(url) > MOST_URL) {
        jbw_error_set(error, 0, 0, "'%.200s' is not a ws:// or wss:// address", url);
        return false;
    }
    lws_strncpy(link->url, url, sizeof link->url);
    const char *scheme;
    const char *path;
    if (lws_parse_uri(link->url, &scheme, &link->host, &link->port, &path) || !link->host[0] ||
        link->port <= 0 || link->port > 65535) {
        jbw_error_set(error, 0, 0, "'%.200s' is not a ws:// or wss:// address", url);
        return false;
    }
    if (path[0] == '/') path++; // the value for an empty path
    link->path[0] = '/';
    lws_strncpy(link->path + 1, path[0] ? path : "ws", sizeof link->path - 1);
    lws_snprintf(link->host_port, sizeof link->host_port, "%s:%d", link->host, link->port);
    return true;
}

static bool make_context(jbw_link *link, jbw_error *error)
{
    lws_set_log_level(0, NULL); // the library never prints
    const struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .protocols = protocols,
        .options = link->is_secure ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0,
        .client_ssl_ca_filepath = link->options.ca_file,
        .user = link,
        .fd_limit_per_thread = MOST_FDS,
        .pt_serv_buf_size = SERVICE_BYTES,
        .gid = -1,
        .uid = -1,
    };
    link->context = lws_create_context(&info);
    if (!link->context) jbw_error_set(error, 0, 0, "cannot start libwebsockets");
    return link->context != NULL;
}

jbw_status jbw_link_create(const char *url, const jbw_link_options *options, jbw_link **out,
                           jbw_error *error)
{
    *out = NULL;
    jbw_link *link = jbw_alloc_zero(&options->allocator, 1, sizeof *link);
    if (!link) return JBW_OUT_OF_MEMORY;
    link->options = *options;
    link->outgoing.allocator = options->allocator;
    link->queue.allocator = options->allocator;
    link->incoming.allocator = options->allocator;
    link->timer.cb = on_timer;
    link->spin_wait = jbw_spin_wait_make();
    link->websocket = (jbw_websocket){.get_random = get_random,
                                      .receive = receive_message,
                                      .user = link,
                                      .message_most = MOST_MESSAGE,
                                      .out.allocator = options->allocator,
                                      .in.allocator = options->allocator,
                                      .parts.allocator = options->allocator};
    jbw_status status = JBW_OK;
    if (!parse_url(link, url, error))
        status = JBW_INVALID_ARGUMENT;
    else if (!make_context(link, error))
        status = JBW_NO_CONNECTION;
    if (status) {
        jbw_link_destroy(link);
        return status;
    }
    *out = link;
    return JBW_OK;
}

void jbw_link_destroy(jbw_link *link)
{
    if (!link) return;
    if (link->context) lws_context_destroy(link->context);
    jbw_buffer_free(&link->outgoing);
    jbw_buffer_free(&link->queue);
    jbw_buffer_free(&link->incoming);
    jbw_websocket_deinit(&link->websocket);
    const jbw_allocator allocator = link->options.allocator;
    jbw_free(&allocator, link, sizeof *link);
}

// ---- opening and closing ----

static bool begin_connecting(jbw_link *link)
{
    link->connection_count++;
    int flags = 0;
    if (link->is_secure) flags |= LCCSCF_USE_SSL;
    if (link->is_secure && link->options.is_unchecked)
        flags |= LCCSCF_ALLOW_SELFSIGNED | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK |
                 LCCSCF_ALLOW_EXPIRED | LCCSCF_ALLOW_INSECURE;
    const struct lws_client_connect_info info = {
        .context = link->context,
        .address = link->host,
        .port = link->port,
        .ssl_connection = flags,
        .path = link->path,
        .host = link->host_port,
        .protocol = protocols[0].name,
        .local_protocol_name = protocols[0].name,
        .pwsi = &link->wsi,
        .opaque_user_data = connection_id(link),
    };
    link->problem[0] = 0;
    link->state = LINK_CONNECTING;
    // may fail at once, after reporting the reason to the callback
    return lws_client_connect_via_info(&info) != NULL;
}

jbw_status jbw_link_open(jbw_link *link, int64_t deadline, jbw_error *error)
{
    if (link->state != LINK_CLOSED) jbw_link_close(link, jbw_link_now());
    if (!begin_connecting(link)) set_closed(link, "connection refused");
    while (link->state == LINK_CONNECTING && jbw_link_now() < deadline)
        jbw_link_wait(link, deadline);
    if (link->state == LINK_OPEN) return JBW_OK;

    const bool is_late = link->state == LINK_CONNECTING;
    if (is_late) jbw_link_close(link, deadline);
    jbw_error_set(error, 0, 0, "cannot connect to %s: %s", link->host_port,
                  is_late ? "timed out" : link->problem);
    return is_late ? JBW_TIMED_OUT : JBW_NO_CONNECTION;
}

// true if websocket.c handles the connection
static bool is_unencrypted(const jbw_link *link)
{
    return link->state == LINK_OPEN && !link->is_secure;
}

static bool has_unsent(const jbw_link *link)
{
    if (is_unencrypted(link)) return !jbw_websocket_is_flushed(&link->websocket);
    return link->queue.size > 0 || lws_partial_buffered(link->wsi);
}

void jbw_link_close(jbw_link *link, int64_t deadline)
{
    while (link->state == LINK_OPEN && jbw_link_now() < deadline && has_unsent(link))
        jbw_link_wait(link, deadline);
    if (link->state == LINK_CLOSED) return;

    // libwebsockets closes it in its own time; from here on its callbacks are ignored
    struct lws *wsi = link->wsi;
    link->connection_count++;
    set_closed(link, "closed");
    if (!wsi) return;
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    lws_service(link->context, -1);
}

bool jbw_link_is_open(const jbw_link *link)
{
    return link->state == LINK_OPEN;
}

const char *jbw_link_problem(const jbw_link *link)
{
    return link->problem;
}

// ---- sending ----

jbw_buffer *jbw_link_begin(jbw_link *link)
{
    static const uint8_t headroom[LWS_PRE];
    link->outgoing.size = 0;
    if (!jbw_buffer_append(&link->outgoing, headroom, sizeof headroom)) link->outgoing.size = 0;
    return &link->outgoing;
}

static jbw_status enqueue(jbw_link *link, size_t size)
{
    uint8_t head[4];
    jbw_put_u32(head, (uint32_t)size);
    const size_t before = link->queue.size;
    if (before + link->outgoing.size > MOST_QUEUE) return JBW_OUT_OF_MEMORY;
    if (!jbw_buffer_append(&link->queue, head, sizeof head) ||
        !jbw_buffer_append(&link->queue, link->outgoing.bytes, link->outgoing.size)) {
        link->queue.size = before;
        return JBW_OUT_OF_MEMORY;
    }
    lws_callback_on_writable(link->wsi);
    return JBW_OK;
}

// closes the link if its websocket has closed; libwebsockets does not know yet
static void check_websocket(jbw_link *link)
{
    if (!is_unencrypted(link) || !link->websocket.is_closed) return;
    set_problem(link, link->websocket.problem, strlen(link->websocket.problem));
    link->websocket.out.size = 0;
    link->websocket.out_start = 0;
    jbw_link_close(link, 0);
}

static jbw_status send_unencrypted(jbw_link *link, size_t size)
{
    if (link->websocket.out.size + size > MOST_QUEUE ||
        !jbw_websocket_put(&link->websocket, link->outgoing.bytes + LWS_PRE, size))
        return JBW_OUT_OF_MEMORY;
    if (!link->is_gathering) jbw_websocket_flush(&link->websocket);
    check_websocket(link);
    return link->state == LINK_OPEN ? JBW_OK : JBW_NO_CONNECTION;
}

void jbw_link_gather(jbw_link *link, bool is_gathering)
{
    link->is_gathering = is_gathering;
    if (is_gathering || !is_unencrypted(link)) return;
    jbw_websocket_flush(&link->websocket);
    check_websocket(link);
}

jbw_status jbw_link_send(jbw_link *link)
{
    if (link->state != LINK_OPEN) return JBW_NO_CONNECTION;
    if (link->outgoing.size < LWS_PRE) return JBW_OUT_OF_MEMORY;
    const size_t size = link->outgoing.size - LWS_PRE;
    if (is_unencrypted(link)) return send_unencrypted(link, size);
    if (link->queue.size > 0 || lws_partial_buffered(link->wsi)) return enqueue(link, size);
    if (lws_write(link->wsi, link->outgoing.bytes + LWS_PRE, size, LWS_WRITE_BINARY) >= (int)size)
        return JBW_OK;
    jbw_link_close(link, jbw_link_now());
    return JBW_NO_CONNECTION;
}

// ---- waiting ----

void jbw_link_peek(jbw_link *link)
{
    if (link->state != LINK_OPEN) return;
    if (!link->is_secure) {
        jbw_websocket_read(&link->websocket);
        check_websocket(link);
        return;
    }
    struct lws_pollfd readable = {
        .fd = lws_get_socket_fd(link->wsi), .events = LWS_POLLIN, .revents = LWS_POLLIN};
    lws_service_fd(link->context, &readable);
}

// Makes waiting end at the deadline. An earlier timer is left alone: one spurious wake-up is
// cheaper than setting a timer for every call.
static void set_timer(jbw_link *link, int64_t now, int64_t deadline)
{
    if (link->timer_due != 0 && link->timer_due <= deadline) return;
    link->timer_due = deadline;
    lws_sul_schedule(link->context, 0, &link->timer, on_timer, deadline - now);
}

static bool has_arrived(void *user)
{
    jbw_link *link = user;
    if (!link->is_secure) return jbw_websocket_read(&link->websocket) || link->websocket.is_closed;
    struct pollfd readable = {.fd = lws_get_socket_fd(link->wsi), .events = POLLIN};
    if (poll(&readable, 1, 0) <= 0) return false;
    jbw_link_peek(link);
    return true;
}

// answers often arrive sooner than a sleeping thread wakes up
static bool spin(jbw_link *link, int64_t now, int64_t deadline)
{
    if (link->state != LINK_OPEN || has_unsent(link)) return false;
    const uint64_t until = jbw_clock_now() + 1000 * (uint64_t)(deadline - now);
    return jbw_spin_wait_try(&link->spin_wait, until, has_arrived, link);
}

static void sleep_until(jbw_link *link, int64_t now, int64_t deadline)
{
    if (is_unencrypted(link)) {
        jbw_websocket_wait(&link->websocket, deadline - now);
        return;
    }
    set_timer(link, now, deadline);
    lws_service(link->context, 0);
}

static void run_websocket(jbw_link *link)
{
    jbw_websocket_flush(&link->websocket);
    jbw_websocket_read(&link->websocket);
}

void jbw_link_wait(jbw_link *link, int64_t deadline)
{
    const int64_t now = jbw_link_now();
    if (deadline <= now && !is_unencrypted(link))
        lws_service(link->context, -1);
    else if (deadline <= now)
        run_websocket(link);
    else if (!spin(link, now, deadline))
        sleep_until(link, now, deadline);
    check_websocket(link);
}
