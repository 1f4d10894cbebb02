// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The structs of the network thread: its connections, and the thread itself.
#ifndef JBW_NET_SERVER_LISTENER_INTERNAL_H
#define JBW_NET_SERVER_LISTENER_INTERNAL_H

#include <libwebsockets.h>

#include "base/text.h"
#include "net/server/door.h"
#include "net/server/frame_reader.h"
#include "net/server/server_internal.h"
#include "net/server/session.h"
#include "net/thread/spin_wait.h"

enum {
    JBW_HELLO_SECONDS = 10,  ///< until a connection must have sent `hello`
    JBW_READ_MOST = 16,      ///< messages in a round of the network thread, shared by connections
    JBW_READ_SIZE = 1 << 14, ///< bytes read at once
};

/// What the network thread waits for.
typedef enum jbw_listener_sleep {
    JBW_AWAKE,
    JBW_ASLEEP, ///< anything
    JBW_DROWSY, ///< something to read, or the next turn of libwebsockets
} jbw_listener_sleep;

/// A connection. libwebsockets allocates it.
typedef struct jbw_connection {
    jbw_listener *listener;
    struct lws *wsi;
    jbw_session session;
    bool is_readable; // the socket may have more to read
    bool has_ended;   // the client has hung up, after what there is to read
    jbw_buffer input; // what was read and not taken yet
    size_t input_start;
    jbw_frame_reader reader;
    jbw_buffer received; // the part of a message that has arrived
    bool is_received;    // the message is complete, and waits for space in a ring
    unsigned turn_count; // messages in this round
    uint64_t round;      // that this is about
    bool is_napping;     // not read until `nap_end`, because it talks without end
    unsigned nap_count;  // naps in a row
    uint64_t nap_end;
    bool is_waiting;   // we do not read from it until something has happened
    bool is_blocked;   // the same, or it has had its turn in this round
    bool is_deaf;      // we never read from it again
    bool is_closing;   // once the queue is sent
    int close_code;    // then; 0: the usual one
    bool is_answered;  // in the list `answered`
    size_t watch_turn; // the watch that gets the next frame
    jbw_buffer queue;
    size_t queue_start;
    bool is_inside;  // counts as a client
    bool is_dropped; // to free memory: it closes as soon as possible
    size_t memory;   // bytes that it takes, when last noted
    size_t buffered; // of the latest message, which libwebsockets may not have sent yet
    uint64_t connected;
    uint64_t heard;    // when something last came from it
    uint64_t progress; // when something was last sent, or the queue last empty
} jbw_connection;

/// A slot for a connection. Its index and its generation make up the connection's id.
typedef struct jbw_slot {
    jbw_connection *client; // NULL: free, or closed and the world does not know yet
    uint16_t generation;
    bool is_forget_pending; // the ring was full when the connection closed
    int key;                // of that connection
} jbw_slot;

struct jbw_listener {
    jbw_server *server;
    struct lws_context *context;
    struct lws_vhost *vhost;
    SSL_CTX *no_client; // unused, since a server opens no connections
    pthread_t thread;
    bool has_thread;
    atomic_int sleep; // a jbw_listener_sleep
    atomic_bool is_ending;

    jbw_session_shared shared;
    jbw_door door;
    jbw_slot *slots; // (slot_count), one for each visitor
    size_t slot_count;
    size_t slot_next;          // where to start looking for a free one
    size_t client_count;       // WebSockets, with or without a hello
    size_t inside_count;       // those that have said hello, at most `clients_most`
    size_t memory;             // bytes that connections take
    size_t freed;              // bytes that they have given back since the system was given any
    jbw_connection **answered; // (slot_count) with answers to be sent together
    size_t answered_count;
    size_t held_count;  // messages and disconnects that wait for space in a ring
    int readable;       // a ready_set: connections with something to read, and `call`
    int call;           // wakes a drowsy thread
    uint64_t heard;     // when a client last sent something
    uint64_t round;     // the network thread goes round all connections
    unsigned read_turn; // messages of each connection in this one
    bool has_more;      // connections that have had their turn have more to read
    size_t napping_count;
    uint8_t bytes[JBW_READ_SIZE]; // read, and not looked at yet
    uint64_t next_service;        // when libwebsockets has its turn
    jbw_view_copy *copy;          // the latest
    size_t frame_turn;            // the slot that gets the next frame
    uint64_t next_frame;          // when the next frame is due, unless something happens
    uint64_t news_seen;           // of the terrain for viewers, then
    jbw_buffer page;
    jbw_buffer frame;
    jbw_spin_wait answer_spin; // waiting for the world thread
    jbw_spin_wait client_spin; // waiting for clients
    uint64_t forwarded;        // number of jobs
    uint64_t woken_for;        // jobs that the world thread was woken for
    lws_sorted_usec_list_t timer;
    uint64_t next_sweep;
    uint64_t next_peek; // when to ask the owner of an attached world
};

// ---- listener_clients.c ----

/// The callback of libwebsockets.
int jbw_listener_on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                          size_t size);

/// Makes numbers of the sessions known to other threads.
void jbw_listener_publish_counters(jbw_listener *l);

/// Once a second, drops clients that do not say hello and clients that do not read.
void jbw_listener_sweep(jbw_listener *l, uint64_t now);

// ---- listener_reads.c ----

/// Prepares reading from clients. False if the system does not allow it.
bool jbw_listener_open_reads(jbw_listener *l);

/// Reads from clients that have sent something, each at most its share of a round. Waits for that
/// many milliseconds until there is something.
void jbw_listener_read(jbw_listener *l, int milliseconds);

/// Begins another round: connections that have had their turn, or their nap, are read again. Returns
/// when the next nap ends.
uint64_t jbw_listener_go_round(jbw_listener *l, uint64_t now);

/// Retries messages and disconnects that did not fit into a ring.
void jbw_listener_retry(jbw_listener *l);

/// From now on a WebSocket is read here, or by libwebsockets, which closes it.
bool jbw_connection_begin_reads(jbw_connection *c);
void jbw_connection_end_reads(jbw_connection *c);

/// Whether there is something to read, or to take of what was read.
static inline bool jbw_connection_has_input(const jbw_connection *c)
{
    return !c->is_deaf && (c->input.size > 0 || c->is_readable);
}

// ---- listener_door.c ----

/// How many visitors there may be, with or without a hello: as many as descriptors allow if some
/// are left for saving.
size_t jbw_listener_visitors_most(const jbw_server *server);

/// A connection was made at this socket. False: there are too many.
bool jbw_listener_may_come(const jbw_listener *l);

/// A visitor has connected; someone else may have to go. Non-zero closes the new connection.
int jbw_listener_come(jbw_listener *l, struct lws *wsi);

/// A client has said hello: whether it may stay. Someone who only watches may have to go for it.
bool jbw_listener_enter(void *user, const jbw_session *session);

/// A client is no longer one of those inside.
void jbw_listener_leave(jbw_connection *c);

/// Notes how much memory a connection takes. If all of them take too much, those that take most are
/// dropped.
void jbw_connection_note_memory(jbw_connection *c);

/// The connection takes none any more: it is closed.
void jbw_connection_forget_memory(jbw_connection *c);

// ---- connection.c ----

/// The id of the connection in a slot, and the connection with an id: NULL if it has closed.
uint32_t jbw_connection_id(const jbw_listener *l, const jbw_slot *s);
jbw_connection *jbw_connection_find(const jbw_listener *l, uint32_t connection);

/// A free slot, or NULL.
jbw_slot *jbw_slot_find_free(jbw_listener *l);

/// Bytes in its send queue.
size_t jbw_connection_queued(const jbw_connection *c);

/// Flow control: stops reading from a client that sends requests faster than it reads answers, or
/// resumes.
void jbw_connection_regulate(jbw_connection *c);

/// Whether a message, or a frame, can be sent now. Frames also require that the socket keeps up.
bool jbw_connection_can_send(const jbw_connection *c);
bool jbw_connection_can_send_frame(const jbw_connection *c);

/// Hands a message with headroom to libwebsockets, which buffers what the socket does not accept.
bool jbw_connection_write(jbw_connection *c, uint8_t *bytes, size_t size);

/// Sends a message with headroom, at once if possible. `jbw_connection_enqueue` needs no headroom.
void jbw_connection_send(jbw_connection *c, uint8_t *bytes, size_t size, bool is_final);
bool jbw_connection_enqueue(jbw_connection *c, const uint8_t *bytes, size_t size, bool is_final);

/// Sends the first message of the queue; non-zero closes the connection.
int jbw_connection_send_queued(jbw_connection *c);

/// Sends the whole queue in one go.
void jbw_connection_send_queue(jbw_connection *c);

/// Closes a connection that misbehaves or does not keep up.
void jbw_connection_drop(jbw_connection *c);

/// Closes a connection as WebSockets are closed, with this code.
void jbw_connection_close(jbw_connection *c, int code);

/// The client has hung up.
void jbw_connection_hang_up(jbw_connection *c);

// ---- listener_frames.c ----

/// Sends one of the frames that are due, to one connection or to each. Returns when to call again.
uint64_t jbw_connection_send_frame(jbw_connection *c, uint64_t now);
uint64_t jbw_listener_send_frames(jbw_listener *l, uint64_t now);

/// Takes the newest copy out of the mailbox.
void jbw_listener_take_copy(jbw_listener *l);

/// Asks the owner of an attached world for a copy if one is due. Returns when to call again.
uint64_t jbw_listener_request_copy(jbw_listener *l, uint64_t now);

// ---- listener_world.c ----

/// Forwards a request, or the end of a connection, to the world. False if there is no space now.
bool jbw_listener_forward(void *user, uint32_t connection, int key, const uint8_t *bytes,
                          size_t size);
bool jbw_listener_forward_forget(jbw_listener *l, jbw_slot *s, int key);

/// Sends the answers of the world.
void jbw_listener_take_answers(jbw_listener *l);

/// Sends an answer of a session.
void jbw_listener_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                         bool is_final);

// ---- listener_http.c ----

/// Answers a request for a page; non-zero closes the connection.
int jbw_listener_serve_page(jbw_listener *l, struct lws *wsi, const char *path);

/// Whether a client may change to another protocol: only to WebSockets.
bool jbw_listener_may_upgrade(struct lws *wsi);

/// Whether a WebSocket may be opened, judging by its path and its origin.
bool jbw_listener_may_connect(jbw_listener *l, struct lws *wsi);

#endif
