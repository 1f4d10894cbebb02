// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The network's thread: libwebsockets, its connections, and what waits to be sent on them.
//
// Nothing here ever waits for one client. What is to be sent stands in the queue of its connection; a
// connection that has too much in its queue, or too many requests under way, is not read from until that
// is better, and is dropped if it does not get better. Frames never stand in a queue: they are made when
// the connection can take one, from the newest picture.

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"
#include "net/origin.h"
#include "net/server_parts.h"
#include "net/session.h"

enum {
    QUEUE_FULL = 1 << 20,     // bytes: then nothing more is read
    QUEUE_HOPELESS = 1 << 26, // bytes: then the connection is dropped
    HELLO_SECONDS = 10,       // to say who is there
    STUCK_SECONDS = 30,       // without taking anything of what is to be sent
    NOT_SENT_MOST = 1 << 17,  // bytes that the system keeps for a connection before it is busy
    READ_SIZE = 4096,         // bytes that are read at once
    SHUT_DOWN_SECONDS = 2,    // for the last words
    FAREWELLS = 10,           // a second's part: for them to be answered
    KEEP_ALIVE_SECONDS = 30,  // before the system asks whether a silent host is still there
    KEEP_ALIVE_PROBES = 3,
    KEEP_ALIVE_INTERVAL = 10,
};

_Static_assert(JBW_WIRE_HEADROOM >= LWS_PRE, "libwebsockets needs more room before a message");

static const uint64_t second = 1000000000;

/// What stands in the queue of a connection, followed by headroom and the message.
typedef struct queue_entry {
    size_t size;
    bool is_final;
} queue_entry;

/// A connection; libwebsockets makes room for it.
typedef struct client {
    jbw_listener *listener;
    struct lws *wsi;
    jbw_session session;
    jbw_buffer received; // a message, as far as it has come
    bool is_received;    // all of it has; it waits for room in a ring
    bool is_too_long;
    bool is_blocked;  // not read from
    bool is_closing;  // behind what is in the queue
    bool is_answered; // stands in the list of those whose answers go out together
    jbw_buffer queue;
    size_t queue_start;
    uint64_t connected;
    uint64_t progress; // when something was sent last, or the queue was empty
} client;

/// A place for a connection. Its number and how often it was used make the connection's name.
typedef struct slot {
    client *client; // NULL: free, or gone and the world was not told yet
    uint16_t generation;
    bool is_forgotten_later;
    int key; // of the client that is forgotten later
} slot;

struct jbw_listener {
    jbw_server *server;
    struct lws_context *context;
    struct lws_vhost *vhost;
    pthread_t thread;
    bool has_thread;
    atomic_bool is_asleep;
    atomic_bool is_ending;

    jbw_host host;
    slot *slots; // (clients_most)
    size_t slot_count;
    size_t slot_next; // where to look for a free one
    size_t client_count;
    client **answered; // (clients_most) whose answers go out together
    size_t answered_count;
    size_t held_count; // clients with a message that waits for room, and goodbyes to be told
    jbw_picture *picture;
    jbw_buffer page;
    jbw_buffer frame;
    jbw_lookout answer_lookout; // for the world
    jbw_lookout news_lookout;   // for clients
    uint64_t forwarded;         // jobs
    uint64_t told;              // of those, how many the world was woken for
    lws_sorted_usec_list_t timer;
    uint64_t next_sweep;
    uint64_t next_peek; // at an attached world
};

// ---- names of connections ----

static uint32_t connection_of(const jbw_listener *l, const slot *s)
{
    return (uint32_t)s->generation << 16 | (uint32_t)(s - l->slots + 1);
}

static client *find_client(const jbw_listener *l, uint32_t connection)
{
    const size_t index = (connection & 0xffff) - 1;
    if (index >= l->slot_count || l->slots[index].generation != connection >> 16) return NULL;
    return l->slots[index].client;
}

static slot *find_free_slot(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        slot *s = &l->slots[(l->slot_next + i) % l->slot_count];
        if (s->client || s->is_forgotten_later) continue;
        l->slot_next = (size_t)(s - l->slots) + 1;
        s->generation++;
        return s;
    }
    return NULL;
}

// ---- reading is stopped when a client asks faster than it listens ----

static size_t queue_length(const client *c)
{
    return c->queue.size - c->queue_start;
}

// Turns wait for others, maybe for requests that stand behind them: as many as its agents may have come
// on top of what else may be under way.
static uint32_t in_flight_most(const client *c)
{
    const jbw_session *session = &c->session;
    if (session->key < 0) return JBW_IN_FLIGHT_MOST;
    const uint32_t agents = c->listener->host.keys->keys[session->key].agents_most;
    const uint32_t turns_most = 1 << 20; // far more than the rings hold
    const uint32_t turns = 1 + JBW_AHEAD_MOST;
    return JBW_IN_FLIGHT_MOST + (agents < turns_most / turns ? agents * turns : turns_most);
}

static void regulate(client *c)
{
    // who is done is read from, and not listened to: that is how its end is noticed
    const bool is_blocked =
        !c->session.is_over && (c->is_received || c->session.in_flight >= in_flight_most(c) ||
                                queue_length(c) >= QUEUE_FULL);
    if (is_blocked == c->is_blocked) return;
    c->is_blocked = is_blocked;
    lws_rx_flow_control(c->wsi, is_blocked ? 0 : 1);
}

// ---- sending ----

// libwebsockets keeps what the socket does not take, but only once
static bool can_send(const client *c)
{
    return queue_length(c) == 0 && !lws_partial_buffered(c->wsi);
}

// also looks whether the socket is far behind
static bool can_send_frame(const client *c)
{
    return queue_length(c) == 0 && !lws_send_pipe_choked(c->wsi);
}

// hands a message to libwebsockets, which keeps what the socket does not take; has headroom
static bool write_message(client *c, uint8_t *bytes, size_t size)
{
    jbw_count(&c->listener->server->counters.bytes_sent, size);
    c->progress = jbw_clock_now();
    return lws_write(c->wsi, bytes, size, LWS_WRITE_BINARY) >= 0;
}

static void drop(client *c)
{
    if (c->is_closing && c->session.is_over && queue_length(c) == 0) return;
    jbw_count(&c->listener->server->counters.dropped, 1);
    c->session.is_over = true;
    c->is_closing = true;
    c->queue_start = c->queue.size;
    lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static bool enqueue(client *c, const uint8_t *bytes, size_t size, bool is_final)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    const queue_entry entry = {.size = size, .is_final = is_final};
    if (queue_length(c) == 0) {
        c->queue.size = 0;
        c->queue_start = 0;
        c->progress = jbw_clock_now();
    }
    return jbw_buffer_append(&c->queue, &entry, sizeof entry) &&
           jbw_buffer_append(&c->queue, headroom, sizeof headroom) &&
           jbw_buffer_append(&c->queue, bytes, size);
}

// sends at once if that is possible; `bytes` have headroom
static void send_message(client *c, uint8_t *bytes, size_t size, bool is_final)
{
    if (c->is_closing) return;
    if (is_final) {
        c->session.is_over = true;
        c->is_closing = true;
    }
    bool is_good = true;
    if (!is_final && can_send(c)) {
        is_good = write_message(c, bytes, size);
    } else {
        is_good = enqueue(c, bytes, size, is_final) && queue_length(c) < QUEUE_HOPELESS;
        lws_callback_on_writable(c->wsi);
    }
    if (!is_good) drop(c);
}

// a session's own answer
static void answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                   bool is_final)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    jbw_listener *l = user;
    client *c = find_client(l, connection);
    if (!c) return;
    l->frame.size = 0;
    if (jbw_buffer_append(&l->frame, headroom, sizeof headroom) &&
        jbw_buffer_append(&l->frame, bytes, size))
        send_message(c, l->frame.bytes + JBW_WIRE_HEADROOM, size, is_final);
}

static queue_entry first_entry(const client *c)
{
    queue_entry entry;
    memcpy(&entry, c->queue.bytes + c->queue_start, sizeof entry);
    return entry;
}

static size_t entry_length(const queue_entry *entry)
{
    return sizeof *entry + JBW_WIRE_HEADROOM + entry->size;
}

// the first message of the queue; non-zero ends the connection
static int send_queued(client *c)
{
    if (queue_length(c) == 0) return 0;
    const queue_entry entry = first_entry(c);
    uint8_t *bytes = c->queue.bytes + c->queue_start + sizeof entry + JBW_WIRE_HEADROOM;
    c->queue_start += entry_length(&entry);
    if (entry.size > 0 && !write_message(c, bytes, entry.size)) return -1;
    if (entry.is_final) {
        // what comes now is ignored, but that the other side closes too should be noticed
        lws_rx_flow_control(c->wsi, 1);
        lws_close_reason(c->wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    }
    // give back what a burst has taken
    if (queue_length(c) == 0 && c->queue.capacity > QUEUE_FULL) jbw_buffer_free(&c->queue);
    if (queue_length(c) == 0) {
        c->queue.size = 0;
        c->queue_start = 0;
    }
    return 0;
}

// between the two, what is written gathers in the system
static void set_corked(client *c, bool is_corked)
{
    const int value = is_corked;
    setsockopt(lws_get_socket_fd(c->wsi), IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

// ---- frames ----

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void send_frame(client *c, jbw_watch *watch, uint64_t now)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    jbw_listener *l = c->listener;
    l->frame.size = 0;
    watch->due = now + watch->interval;
    if (!jbw_buffer_append(&l->frame, headroom, sizeof headroom) ||
        !jbw_watch_make_frame(watch, l->picture, &l->host.scratch, &l->frame))
        return;
    jbw_count(&l->server->counters.frames, 1);
    if (!write_message(c, l->frame.bytes + JBW_WIRE_HEADROOM, l->frame.size - JBW_WIRE_HEADROOM))
        drop(c);
}

// Sends the frames that are due, as long as the connection can take them. Returns when to look again.
static uint64_t send_frames(client *c, uint64_t now)
{
    jbw_listener *l = c->listener;
    uint64_t next = UINT64_MAX;
    if (!l->picture || c->session.is_over) return next;
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        jbw_watch *watch = &c->session.watches[i];
        if (!jbw_watch_is_behind(watch, l->picture)) continue;
        if (now < watch->due) {
            next = earlier(next, watch->due);
        } else if (can_send_frame(c)) {
            send_frame(c, watch, now);
            if (jbw_watch_is_behind(watch, l->picture)) next = earlier(next, watch->due);
        } else {
            lws_callback_on_writable(c->wsi);
        }
    }
    return next;
}

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

static uint64_t send_all_frames(jbw_listener *l, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (l->host.subscription_count == 0) return next;
    for (size_t i = 0; i < l->slot_count; i++)
        if (l->slots[i].client) next = earlier(next, send_frames(l->slots[i].client, now));
    return next;
}

static void take_picture(jbw_listener *l)
{
    jbw_server *server = l->server;
    if (!atomic_load_explicit(&server->picture, memory_order_relaxed)) return;
    jbw_picture *picture = atomic_exchange(&server->picture, NULL);
    if (!picture) return;
    if (server->is_view) {
        jbw_game_show(server->game, picture->world);
        const jbw_game_info info = jbw_game_get_info(server->game);
        pthread_mutex_lock(&server->info_mutex);
        server->info = info;
        server->info.steps_per_second = picture->steps_per_second;
        pthread_mutex_unlock(&server->info_mutex);
    }
    jbw_picture_destroy(l->picture);
    l->picture = picture;
    l->host.world_time = jbw_world_time(picture->world);
}

// Asks the owner of an attached world for a picture, when one is due and somebody is there to see it.
// Returns when to ask again.
static uint64_t want_picture(jbw_listener *l, uint64_t now)
{
    jbw_server *server = l->server;
    if (!server->is_view) return UINT64_MAX;
    if (l->client_count == 0) {
        atomic_store_explicit(&server->is_wanted, false, memory_order_relaxed);
        return UINT64_MAX;
    }
    const uint64_t due = earlier(atomic_load(&server->next_picture), now + server->frame_interval);
    if (now < due) return due;
    if (now < l->next_peek) return l->next_peek;
    l->next_peek = now + server->frame_interval;
    atomic_store_explicit(&server->is_wanted, true, memory_order_relaxed);
    if (server->options.peek) server->options.peek(server, server->options.peek_user);
    return l->next_peek;
}

// ---- from and to the world ----

static jbw_ring *ring_of(const jbw_listener *l, int key)
{
    const bool only_watches =
        key < 0 || l->host.keys->keys[key].permissions == JBW_PERMISSION_WATCH;
    return only_watches ? &l->server->looks : &l->server->requests;
}

static bool put_job(jbw_listener *l, const jbw_job *job, const uint8_t *bytes)
{
    jbw_ring *ring = ring_of(l, job->key);
    uint8_t *record = jbw_ring_reserve(ring, sizeof *job + job->size);
    if (!record) return false;
    memcpy(record, job, sizeof *job);
    if (bytes) memcpy(record + sizeof *job, bytes, job->size);
    jbw_ring_commit(ring);
    l->forwarded++;
    return true;
}

// notes that a connection has answers in its queue, which go out when all have been taken
static void note_answered(jbw_listener *l, client *c)
{
    if (c->is_answered) return;
    c->is_answered = true;
    l->answered[l->answered_count++] = c;
}

static void take_answer(jbw_listener *l, client *c, const jbw_reply *reply, uint8_t *bytes)
{
    if (c->session.in_flight > 0) c->session.in_flight--;
    // not if there is something to wait for, or much to copy
    if (reply->is_final || reply->is_apart || c->is_closing || (!c->is_answered && !can_send(c))) {
        send_message(c, bytes, reply->size, reply->is_final);
    } else if (enqueue(c, bytes, reply->size, false)) {
        note_answered(l, c);
    } else {
        drop(c);
    }
}

// Answers to one connection leave in one piece: a client that has asked for several steps ahead gets as
// many answers at once.
static void send_answers(client *c)
{
    c->is_answered = false;
    if (queue_length(c) == 0) return; // it was dropped
    const queue_entry entry = first_entry(c);
    const bool are_many = queue_length(c) > entry_length(&entry);
    if (are_many) set_corked(c, true);
    int result = 0;
    // the last words are left to libwebsockets, which closes behind them
    while (result == 0 && queue_length(c) > 0 && !first_entry(c).is_final &&
           !lws_partial_buffered(c->wsi))
        result = send_queued(c);
    if (are_many) set_corked(c, false);
    if (result != 0)
        drop(c);
    else if (queue_length(c) > 0)
        lws_callback_on_writable(c->wsi);
    regulate(c);
}

static void take_answers(jbw_listener *l)
{
    size_t size;
    uint8_t *record;
    while ((record = jbw_ring_peek(&l->server->answers, &size))) {
        jbw_reply reply;
        memcpy(&reply, record, sizeof reply);
        client *c = find_client(l, reply.connection);
        uint8_t *bytes = (reply.is_apart ? reply.apart : record + sizeof reply) + JBW_WIRE_HEADROOM;
        if (c) take_answer(l, c, &reply, bytes);
        if (reply.is_apart) free(reply.apart);
        jbw_ring_release(&l->server->answers);
    }
    for (size_t i = 0; i < l->answered_count; i++) send_answers(l->answered[i]);
    l->answered_count = 0;
}

static bool forward(void *user, uint32_t connection, int key, const uint8_t *bytes, size_t size)
{
    jbw_listener *l = user;
    if (!l->server->is_view) {
        const jbw_job job = {.connection = connection, .key = key, .size = (uint32_t)size};
        return put_job(l, &job, bytes);
    }
    jbw_game_receive(l->server->game, connection, key, bytes, size, jbw_clock_now());
    take_answers(l);
    return true;
}

static bool tell_gone(jbw_listener *l, slot *s, int key)
{
    const jbw_job job = {.connection = connection_of(l, s), .key = key, .is_forget = true};
    return put_job(l, &job, NULL);
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

static void take_message(client *c)
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
    regulate(c);
}

static int receive(client *c, const uint8_t *bytes, size_t size)
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
        slot *s = &l->slots[i];
        if (s->client && s->client->is_received) take_message(s->client);
        if (s->is_forgotten_later && tell_gone(l, s, s->key)) {
            s->is_forgotten_later = false;
            l->held_count--;
        }
    }
}

// ---- connections ----

static int open_client(jbw_listener *l, client *c, struct lws *wsi)
{
    *c = (client){.wsi = wsi};
    slot *s = find_free_slot(l);
    if (!s) return -1;
    c->listener = l;
    c->connected = jbw_clock_now();
    c->progress = c->connected;
    s->client = c;
    jbw_session_init(&c->session, connection_of(l, s));
    l->client_count++;
    jbw_count(&l->server->counters.connections, 1);
    atomic_store(&l->server->counters.clients, (uint_fast32_t)l->client_count);

    const int most = NOT_SENT_MOST;
    setsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most, sizeof most);
    return 0;
}

static void close_client(client *c)
{
    jbw_listener *l = c->listener;
    if (!l) return;
    slot *s = &l->slots[(c->session.connection & 0xffff) - 1];
    s->client = NULL;
    if (c->is_received) l->held_count--;
    const bool may_act = c->session.permissions & JBW_PERMISSION_ACT;
    if (may_act && !l->server->is_view && !tell_gone(l, s, c->session.key)) {
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
        client *c = l->slots[i].client;
        if (!c) continue;
        // what is noted may be later than `now`, which was asked for a moment ago
        const bool is_silent =
            !c->session.has_said_hello && now > c->connected + HELLO_SECONDS * second;
        const bool is_busy = queue_length(c) > 0 || lws_partial_buffered(c->wsi);
        const bool is_stuck = is_busy && now > c->progress + STUCK_SECONDS * second;
        if (is_silent || is_stuck) drop(c);
    }
}

// ---- HTTP ----

static int refuse_http(struct lws *wsi, unsigned code)
{
    if (lws_return_http_status(wsi, code, NULL) != 0) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// pages are small: headers and bytes are sent in one go
static int serve_page(jbw_listener *l, struct lws *wsi, const char *path)
{
    const char *bytes;
    size_t size;
    const char *type = jbw_page_find(l->server, path, &l->page, &bytes, &size);
    if (!type) return refuse_http(wsi, HTTP_STATUS_NOT_FOUND);
    uint8_t headers[LWS_PRE + 1024];
    uint8_t *start = headers + LWS_PRE;
    uint8_t *at = start;
    uint8_t *end = headers + sizeof headers - 1;
    static const char policy[] = "default-src 'self'; connect-src 'self' ws: wss:; "
                                 "img-src 'self' data: blob:; frame-ancestors 'none'";
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, size, &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"content-security-policy:",
                                    (const unsigned char *)policy, (int)strlen(policy), &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"x-content-type-options:",
                                    (const unsigned char *)"nosniff", 7, &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"cache-control:",
                                    (const unsigned char *)"no-cache", 8, &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end))
        return -1;
    uint8_t *body = malloc(LWS_PRE + size + 1);
    if (!body) return -1;
    memcpy(body + LWS_PRE, bytes, size);
    const int written = lws_write(wsi, body + LWS_PRE, size, LWS_WRITE_HTTP_FINAL);
    free(body);
    if (written < 0) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// whether a WebSocket may be opened: the path and where the page came from
static bool is_welcome(jbw_listener *l, struct lws *wsi)
{
    char path[64] = "";
    char origin[300] = "";
    char host[300] = "";
    const jbw_server_options *o = &l->server->options;
    if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) < 0) return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0 &&
        lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) < 0)
        return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HOST) > 0 &&
        lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) < 0)
        return false;
    return (strcmp(path, "/ws") == 0 || strcmp(path, "/") == 0) &&
           l->client_count < l->slot_count &&
           jbw_origin_is_allowed(origin, host, o->host, o->origins, o->origin_count);
}

// ---- libwebsockets ----

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size)
{
    if (!wsi) return 0;
    jbw_listener *l = lws_context_user(lws_get_context(wsi));
    client *c = user;
    if (!l) return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return serve_page(l, wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        if (is_welcome(l, wsi)) return 0;
        jbw_count(&l->server->counters.dropped, 1);
        lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL);
        return -1;
    case LWS_CALLBACK_ESTABLISHED: return open_client(l, c, wsi);
    case LWS_CALLBACK_RECEIVE: return receive(c, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE: {
        if (!c->listener) return -1;
        const int result = send_queued(c);
        if (result != 0) return result;
        regulate(c);
        if (queue_length(c) > 0)
            lws_callback_on_writable(wsi);
        else
            send_frames(c, jbw_clock_now());
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
    take_answers(l);
    if (l->held_count > 0) try_again(l);
    const uint64_t next_want = want_picture(l, now);
    take_picture(l);
    sweep(l, now);
    uint64_t next = earlier(send_all_frames(l, now), earlier(l->next_sweep, next_want));
    if (l->held_count > 0) next = earlier(next, now + second / 1000);
    if (l->forwarded != l->told) {
        gather(l);
        jbw_bell_ring(&l->server->bell);
        l->told = l->forwarded;
        if (jbw_lookout_try(&l->answer_lookout, next, has_answers, l)) return;
    }
    if (jbw_lookout_try(&l->news_lookout, next, has_news, l)) return;
    set_timer(l, now, next);
    atomic_store(&l->is_asleep, true);
    lws_service(l->context, has_mail(l) ? -1 : 0);
    atomic_store(&l->is_asleep, false);
}

static bool has_last_words(const jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        const client *c = l->slots[i].client;
        if (c && (queue_length(c) > 0 || lws_partial_buffered(c->wsi))) return true;
    }
    return false;
}

static void say_goodbye(jbw_listener *l)
{
    for (size_t i = 0; i < l->slot_count; i++) {
        client *c = l->slots[i].client;
        if (c) jbw_session_end(&c->session, &l->host, 0, JBW_ERROR_CLOSING);
    }
    uint64_t now = jbw_clock_now();
    uint64_t end = now + SHUT_DOWN_SECONDS * second;
    for (; l->client_count > 0 && now < end; now = jbw_clock_now()) {
        set_timer(l, 0, second / 100);
        lws_service(l->context, 0);
        // what was sent arrives; whoever does not say goodbye in turn need not
        if (!has_last_words(l)) end = earlier(end, now + second / FAREWELLS);
    }
}

static void *run(void *user)
{
    jbw_listener *l = user;
    while (!atomic_load(&l->is_ending)) serve_once(l);
    take_answers(l);
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
         .per_session_data_size = sizeof(client),
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
    l->answer_lookout = jbw_lookout_make();
    l->news_lookout = jbw_lookout_make();
    l->slot_count = server->options.clients_most;
    l->slots = calloc(l->slot_count, sizeof *l->slots);
    l->host = (jbw_host){.keys = &server->keys,
                         .model = server->model,
                         .is_view = server->is_view,
                         .is_play = server->player != NULL,
                         .frame_interval = server->frame_interval,
                         .forward = forward,
                         .answer = answer,
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
    jbw_picture_destroy(l->picture);
    jbw_host_deinit(&l->host);
    jbw_buffer_free(&l->page);
    jbw_buffer_free(&l->frame);
    free(l->answered);
    free(l->slots);
    free(l);
}
