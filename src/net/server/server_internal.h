// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The server's struct. Two threads work on it: the world thread (world_thread.c) runs the game,
/// and the network thread (listener.c) runs the sessions and their sockets. They communicate
/// through rings and a few atomics.
///
///     network thread                          world thread
///       sessions  -- requests, two rings -->    game
///                 <------ answers, a ring --
///                 <---- copies, a mailbox --
///
/// Clients that may only watch have a request ring of their own: it gets a fixed share of the world
/// thread's time, however many they are. An attached world has no world thread: its owner publishes
/// copies, and the network thread runs the game on the latest one.
#ifndef JBW_NET_SERVER_SERVER_INTERNAL_H
#define JBW_NET_SERVER_SERVER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alloc.h"
#include "jbw/recording.h"
#include "jbw/server.h"
#include "net/access/tokens.h"
#include "net/game/game.h"
#include "net/game/player.h"
#include "net/server/view_copy.h"
#include "net/thread/bell.h"
#include "net/thread/clock.h"
#include "net/thread/ring.h"
#include "net/thread/spin_wait.h"

typedef struct jbw_listener jbw_listener;

/// A record of the request rings, followed by the message.
typedef struct jbw_job {
    uint32_t connection;
    int32_t key;
    uint32_t size;
    bool is_forget; ///< the connection has closed; there is no message
} jbw_job;

/// A record of the answer ring, followed by headroom for the WebSocket header and the message. A
/// large message is allocated separately instead.
typedef struct jbw_reply {
    uint32_t connection;
    uint32_t size;
    bool is_final;
    bool is_apart;
    uint8_t *apart; ///< headroom and message, from malloc
} jbw_reply;

enum {
    JBW_WIRE_HEADROOM = 32,   ///< bytes before a message, for libwebsockets
    JBW_APART_SIZE = 1 << 18, ///< messages of this size do not go through the ring
};

/// Each is written by one thread and read by all.
typedef struct jbw_counters {
    atomic_uint_fast64_t connections;
    atomic_uint_fast64_t requests;
    atomic_uint_fast64_t frames;
    atomic_uint_fast64_t bytes_received;
    atomic_uint_fast64_t bytes_sent;
    atomic_uint_fast64_t refused; ///< by sessions
    atomic_uint_fast64_t dropped;
    atomic_uint_fast32_t clients;
    atomic_uint_fast32_t subscriptions;
    atomic_uint_fast64_t copies;
} jbw_counters;

static inline void jbw_count(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

struct jbw_server {
    jbw_server_options options; // strings are in `texts`
    jbw_arena *texts;
    jbw_token_set keys;
    const jbw_model *model;
    bool is_view; // an attached world
    char url[300];
    int port;
    uint64_t started;
    uint64_t frame_interval;

    // the world thread
    pthread_t world_thread;
    bool has_world_thread;
    atomic_bool has_world_clock;
    clockid_t world_clock; // its processor time; only valid with `has_world_clock`
    jbw_world *world;
    jbw_game *game;
    jbw_saver *saver;
    jbw_recorder *recorder;
    jbw_player *player; // NULL unless a recording is shown
    jbw_bell bell;
    bool has_bell;
    jbw_spin_wait spin_wait;
    bool has_answered;              // since the network thread was last woken
    atomic_uint_fast64_t next_copy; // no copy before this time
    uint64_t last_copy;             // of an attached world: when the latest copy was made
    uint64_t copy_number;
    uint64_t change_shown;      // the game's `change_count` in the latest copy
    uint64_t watch_pause_until; // no requests of watching clients before this time
    atomic_bool is_stopping;

    // between the threads
    jbw_ring requests;       // of clients that may act, edit, control or save
    jbw_ring watch_requests; // of clients that may only watch
    jbw_ring answers;
    _Atomic(jbw_view_copy *) copy; // the mailbox
    atomic_bool is_copy_wanted;    // of an attached world: viewers are waiting
    jbw_counters counters;
    atomic_uint_fast64_t idle_cpu; // nanoseconds that the world thread has spent spinning
    pthread_mutex_t info_mutex;
    bool has_info_mutex;
    jbw_game_info info; // under the mutex
    jbw_status status;  // under the mutex
    jbw_error error;    // under the mutex
    bool is_stopped;

    // the network thread
    jbw_listener *listener;
};

// ---- listener.c ----

jbw_status jbw_listener_create(jbw_server *server, jbw_listener **out, jbw_error *error);

/// Tells clients that the server is shutting down, and ends the thread. NULL is fine.
void jbw_listener_destroy(jbw_listener *listener);

/// Wakes the network thread because there is an answer or a copy for it.
void jbw_listener_wake(jbw_listener *listener);

// ---- server_options.c ----

/// Checks the options and copies them into the server.
jbw_status jbw_server_set_options(jbw_server *server, const jbw_server_options *options,
                                  jbw_error *error);

/// Checks that a reward compiles. NULL is fine.
jbw_status jbw_server_check_reward(const jbw_model *model, const char *text, jbw_error *error);

// ---- view_copy.c ----

/// Puts a copy of the world into the mailbox, unless the previous one is still there. Sets the time
/// of the next one. Must not run in two threads at once.
bool jbw_server_send_copy(jbw_server *server, const jbw_world *world, uint64_t now,
                          const jbw_game_info *info);

// ---- world_thread.c ----

/// Starts the world thread. False if the system refuses.
bool jbw_world_thread_start(jbw_server *server);

/// Ends it, if it runs, after refusing all pending requests.
void jbw_world_thread_stop(jbw_server *server);

/// The functions `answer` and `add_stats` of the game, whose `user` is the server.
void jbw_server_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                       bool is_final);
void jbw_server_add_stats(void *user, jbw_wire_stats *stats);

/// Wakes the network thread if there are new answers.
void jbw_server_flush_answers(jbw_server *server);

/// Processor time of the world thread in seconds, without spinning.
double jbw_server_world_cpu(const jbw_server *server);

/// The game's state, as of a moment ago.
jbw_game_info jbw_server_info(const jbw_server *server);
void jbw_server_set_info(jbw_server *server, const jbw_game_info *info);

// ---- pages.c ----

/// The content type of what is served over HTTP at a path, and its bytes, which are constant or in
/// `out`. NULL if there is nothing.
const char *jbw_page_find(jbw_server *server, const char *path, jbw_buffer *out, const char **bytes,
                          size_t *size);

#endif
