// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The network's side of a connection, without its socket: authentication, permissions, and
/// subscriptions. Valid requests are forwarded to the world; everything else is answered here.
#ifndef JBW_NET_SERVER_SESSION_H
#define JBW_NET_SERVER_SESSION_H

#include "net/access/tokens.h"
#include "net/game/game.h"
#include "net/server/watch.h"
#include "net/wire/limits.h"
#include "net/wire/message.h"

/// Forwards a message to the world. False if there is no space now.
typedef bool jbw_forward_function(void *user, uint32_t connection, int key, const uint8_t *bytes,
                                  size_t size);

typedef struct jbw_session jbw_session;

/// Whether a client that has said hello may enter. False: there are too many.
typedef bool jbw_enter_function(void *user, const jbw_session *session);

/// What all sessions of a server share. They all belong to one thread.
typedef struct jbw_session_shared {
    const jbw_token_set *keys;
    const jbw_model *model;
    bool is_view;
    bool is_play; ///< a recording is shown
    uint64_t frame_interval;
    jbw_terrain_maker *maker; ///< of patches for viewers; NULL unless the world is invariant
    uint64_t world_time;      ///< the latest one known
    jbw_forward_function *forward;
    jbw_answer_function *answer;
    jbw_enter_function *enter; ///< NULL: everyone may
    void *user;
    jbw_scratch scratch;
    jbw_buffer out;
    uint64_t refused_count;
    uint32_t subscription_count;
} jbw_session_shared;

/// Takes the memory that short answers need. False when it runs out.
bool jbw_session_shared_init(jbw_session_shared *shared);
void jbw_session_shared_deinit(jbw_session_shared *shared);

struct jbw_session {
    uint32_t connection;
    int key; ///< or -1
    uint8_t permissions;
    bool has_said_hello;
    bool is_over; ///< further messages are ignored
    int malformed_count;
    uint32_t in_flight; ///< forwarded and not answered; the caller decrements it with each answer
    jbw_watch watches[JBW_SUBSCRIPTIONS_MOST];
};

void jbw_session_init(jbw_session *session, uint32_t connection);
void jbw_session_deinit(jbw_session *session, jbw_session_shared *shared);

/// Handles a message. False if there was no space to forward it; call again later.
bool jbw_session_receive(jbw_session *session, jbw_session_shared *shared, const uint8_t *bytes,
                         size_t size);

/// Answers with an error and ends the session; the connection is to be closed.
void jbw_session_end(jbw_session *session, jbw_session_shared *shared, uint32_t request,
                     jbw_error_code code);

#endif
