// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the listener share: a connection, and the thread that has them all.
#ifndef JBW_NET_SERVER_LISTENER_PARTS_H
#define JBW_NET_SERVER_LISTENER_PARTS_H

#include <libwebsockets.h>

#include "base/text.h"
#include "net/server/server_parts.h"
#include "net/server/session.h"
#include "net/thread/spin_wait.h"

/// A connection; libwebsockets makes room for it.
typedef struct jbw_connection {
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
} jbw_connection;

/// A place for a connection. Its number and how often it was used make the connection's name.
typedef struct jbw_slot {
    jbw_connection *client; // NULL: free, or gone and the world was not told yet
    uint16_t generation;
    bool is_forgotten_later;
    int key; // of the client that is forgotten later
} jbw_slot;

struct jbw_listener {
    jbw_server *server;
    struct lws_context *context;
    struct lws_vhost *vhost;
    SSL_CTX *no_client; // a server connects to nobody
    pthread_t thread;
    bool has_thread;
    atomic_bool is_asleep;
    atomic_bool is_ending;

    jbw_host host;
    jbw_slot *slots; // (clients_most)
    size_t slot_count;
    size_t slot_next; // where to look for a free one
    size_t client_count;
    jbw_connection **answered; // (clients_most) whose answers go out together
    size_t answered_count;
    size_t held_count; // clients with a message that waits for room, and goodbyes to be told
    jbw_picture *picture;
    jbw_buffer page;
    jbw_buffer frame;
    jbw_spin_wait answer_lookout; // for the world
    jbw_spin_wait news_lookout;   // for clients
    uint64_t forwarded;           // jobs
    uint64_t told;                // of those, how many the world was woken for
    lws_sorted_usec_list_t timer;
    uint64_t next_sweep;
    uint64_t next_peek; // at an attached world
};

// ---- connection.c ----

/// The name of the connection that has a place, and the other way round: NULL if it has gone.
uint32_t jbw_connection_name(const jbw_listener *l, const jbw_slot *s);
jbw_connection *jbw_connection_find(const jbw_listener *l, uint32_t connection);

/// A place for one more, or NULL.
jbw_slot *jbw_slot_find_free(jbw_listener *l);

/// Bytes in its queue.
size_t jbw_connection_queued(const jbw_connection *c);

/// Stops reading from a client that asks faster than it listens, or goes on.
void jbw_connection_regulate(jbw_connection *c);

/// Whether something can be sent now; for frames, also whether the socket is not far behind.
bool jbw_connection_can_send(const jbw_connection *c);
bool jbw_connection_can_send_frame(const jbw_connection *c);

/// Hands a message to libwebsockets, which keeps what the socket does not take; has headroom.
bool jbw_connection_write(jbw_connection *c, uint8_t *bytes, size_t size);

/// Sends at once if that is possible; `bytes` have headroom.
void jbw_connection_send(jbw_connection *c, uint8_t *bytes, size_t size, bool is_final);
bool jbw_connection_enqueue(jbw_connection *c, const uint8_t *bytes, size_t size, bool is_final);

/// Sends the first message of the queue; non-zero ends the connection.
int jbw_connection_send_queued(jbw_connection *c);

/// Sends the queue, in one piece.
void jbw_connection_send_queue(jbw_connection *c);

/// Ends a connection for what it does, or does not.
void jbw_connection_drop(jbw_connection *c);

// ---- listener_frames.c ----

/// Sends the frames that are due, to one or to all. Returns when to look again.
uint64_t jbw_connection_send_frames(jbw_connection *c, uint64_t now);
uint64_t jbw_listener_send_frames(jbw_listener *l, uint64_t now);

/// Takes the newest picture out of the mailbox.
void jbw_listener_take_picture(jbw_listener *l);

/// Asks the owner of an attached world for a picture. Returns when to ask again.
uint64_t jbw_listener_want_picture(jbw_listener *l, uint64_t now);

// ---- listener_world.c ----

/// Hands a request to the world; false if there is no room now.
bool jbw_listener_forward(void *user, uint32_t connection, int key, const uint8_t *bytes,
                          size_t size);
bool jbw_listener_tell_gone(jbw_listener *l, jbw_slot *s, int key);

/// Takes the world's answers and sends them.
void jbw_listener_take_answers(jbw_listener *l);

/// A session's own answer.
void jbw_listener_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                         bool is_final);

// ---- listener_http.c ----

/// Answers a request for a page; non-zero ends the connection.
int jbw_listener_serve_page(jbw_listener *l, struct lws *wsi, const char *path);

/// Whether a WebSocket may be opened: the path, and where the page came from.
bool jbw_listener_is_welcome(jbw_listener *l, struct lws *wsi);

#endif
