// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The network's side of a connection, without its socket: who is there, what may they do, is it their
/// turn to speak. What is good goes on to the world; what is not is answered here.
#ifndef JBW_NET_SERVER_SESSION_H
#define JBW_NET_SERVER_SESSION_H

#include "net/access/tokens.h"
#include "net/game/game.h"
#include "net/server/watch.h"
#include "net/wire/limits.h"
#include "net/wire/message.h"

/// Hands a message on to the world's side. False if there is no room now.
typedef bool jbw_forward_function(void *user, uint32_t connection, int key, const uint8_t *bytes,
                                  size_t size);

/// What all sessions of a server share. They belong to one thread.
typedef struct jbw_host {
    const jbw_keys *keys;
    const jbw_model *model;
    bool is_view;
    bool is_play; ///< a recording is shown
    uint64_t frame_interval;
    uint64_t world_time; ///< as far as it is known
    jbw_forward_function *forward;
    jbw_answer_function *answer;
    void *user;
    jbw_scratch scratch;
    jbw_buffer out;
    uint64_t refused_count;
    uint32_t subscription_count;
} jbw_host;

void jbw_host_deinit(jbw_host *host);

typedef struct jbw_session {
    uint32_t connection;
    int key; ///< or -1
    uint8_t permissions;
    bool has_said_hello;
    bool is_over; ///< nothing more is listened to
    int malformed_count;
    uint32_t in_flight; ///< messages handed on and not answered; kept by who carries the answers
    jbw_watch watches[JBW_SUBSCRIPTIONS_MOST];
} jbw_session;

void jbw_session_init(jbw_session *session, uint32_t connection);
void jbw_session_deinit(jbw_session *session, jbw_host *host);

/// Takes a message. False if it could not be handed on for want of room: it is to be brought again.
bool jbw_session_receive(jbw_session *session, jbw_host *host, const uint8_t *bytes, size_t size);

/// Answers with an error, after which the connection is to be closed.
void jbw_session_end(jbw_session *session, jbw_host *host, uint32_t request, jbw_error_code code);

#endif
