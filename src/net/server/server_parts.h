// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the server share. Two threads: the world's (server.c) has the game, the network's
/// (listener.c) has the sessions and their sockets. They talk through rings and a few atomics.
///
///       network                                world
///     sessions  -- requests, two rings -->   game
///               <------ answers, a ring --
///               <-- pictures, a mailbox --
///
/// Those who may only watch have a ring of their own: what they ask for is given a part of the world's
/// time, however many they are.
#ifndef JBW_NET_SERVER_SERVER_PARTS_H
#define JBW_NET_SERVER_SERVER_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alloc.h"
#include "jbw/recording.h"
#include "jbw/server.h"
#include "net/access/tokens.h"
#include "net/game/game.h"
#include "net/game/player.h"
#include "net/server/watch.h"
#include "net/thread/bell.h"
#include "net/thread/ring.h"
#include "net/thread/spin_wait.h"

typedef struct jbw_listener jbw_listener;

/// What goes through the rings of requests, followed by the message.
typedef struct jbw_job {
    uint32_t connection;
    int32_t key;
    uint32_t size;
    bool is_forget; ///< the connection has gone; no message
} jbw_job;

/// What goes through the ring of answers: then room for the header of the WebSocket, then the message;
/// or a pointer to such bytes, if they are many.
typedef struct jbw_reply {
    uint32_t connection;
    uint32_t size;
    bool is_final;
    bool is_apart;
    uint8_t *apart; ///< of malloc
} jbw_reply;

enum {
    JBW_WIRE_HEADROOM = 32,   ///< before a message's bytes, for libwebsockets
    JBW_APART_SIZE = 1 << 18, ///< messages of this size do not go through the ring
};

/// Counted by one thread each, read by all.
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
    atomic_uint_fast64_t pictures;
} jbw_counters;

static inline void jbw_count(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

struct jbw_server {
    jbw_server_options options; // its texts are in `texts`
    jbw_arena *texts;
    jbw_keys keys;
    const jbw_model *model;
    bool is_view;
    char url[300];
    int port;
    uint64_t started;
    uint64_t frame_interval;

    // the world's thread
    pthread_t world_thread;
    bool has_world_thread;
    atomic_bool has_world_clock;
    clockid_t world_clock; // of its processor time; only then
    jbw_world *world;
    jbw_game *game;
    jbw_saver *saver;
    jbw_recorder *recorder;
    jbw_player *player; // NULL unless a recording is shown
    jbw_bell bell;
    bool has_bell;
    jbw_spin_wait spin_wait;
    bool has_answered;                 // and has not told the network yet
    atomic_uint_fast64_t next_picture; // not before this time
    uint64_t last_picture;             // of an attached world: when it was made
    uint64_t picture_number;
    uint64_t change_shown;
    uint64_t watchers_wait; // until then nothing is done for those who only watch
    atomic_bool is_stopping;

    // between the threads
    jbw_ring requests; // of those who may act, edit, control or save
    jbw_ring looks;    // of those who may watch
    jbw_ring answers;
    _Atomic(jbw_picture *) picture; // the mailbox
    atomic_bool is_wanted;          // an attached world: viewers wait for a picture
    jbw_counters counters;
    atomic_uint_fast64_t idle_cpu; // nanoseconds that the world's thread was only looking out
    pthread_mutex_t info_mutex;
    bool has_info_mutex;
    jbw_game_info info; // under the mutex
    jbw_status status;  // under the mutex
    jbw_error error;    // under the mutex
    bool is_stopped;

    // the network's thread
    jbw_listener *listener;
};

// ---- listener.c ----

jbw_status jbw_listener_create(jbw_server *server, jbw_listener **out, jbw_error *error);

/// Tells clients that the server closes, and ends the thread. NULL is fine.
void jbw_listener_destroy(jbw_listener *listener);

/// Tells the network's thread that there is something for it.
void jbw_listener_wake(jbw_listener *listener);

// ---- server.c ----

/// The world as of now, for viewers. NULL when memory runs out.
jbw_picture *jbw_picture_make(const jbw_world *world, uint64_t number);

/// NULL is fine.
void jbw_picture_destroy(jbw_picture *picture);

double jbw_server_world_cpu(const jbw_server *server);
jbw_game_info jbw_server_info(const jbw_server *server);

// ---- pages.c ----

/// What is served over HTTP at a path: its type and bytes. NULL if there is nothing. The bytes are
/// constant, or in `out`.
const char *jbw_page_find(jbw_server *server, const char *path, jbw_buffer *out, const char **bytes,
                          size_t *size);

#endif
