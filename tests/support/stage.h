// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A server without sockets, threads and clock: sessions and a game that talk to each other directly,
/// and a test that plays the clients.
#ifndef JBW_TESTS_STAGE_H
#define JBW_TESTS_STAGE_H

#include "support/support.h"

#include "net/game/game.h"
#include "net/server/session.h"

#define ASK(type_, ...) ((jbw_message){.type = JBW_MESSAGE_##type_, __VA_ARGS__})

enum { STAGE_CLIENTS = 8, STAGE_REPLIES = 256 };

typedef struct stage_reply {
    uint32_t connection;
    uint8_t *bytes;
    size_t size;
    bool is_final;
} stage_reply;

typedef struct stage {
    jbw_model *model;
    jbw_world *world;
    jbw_keys keys;
    jbw_game *game;
    jbw_session_shared host;
    jbw_session sessions[STAGE_CLIENTS]; // their connections are 1, 2, ...
    uint64_t now;
    stage_reply replies[STAGE_REPLIES]; // oldest first
    size_t reply_count;
    jbw_scratch scratch; // of the reply that was read last
} stage;

/// Names "ann" and "bob" with the secrets "ann-secret" and "bob-secret": ann may do everything with up
/// to ten agents, bob may act with up to two.
void stage_open(stage *s, const jbw_game_options *options);
void stage_close(stage *s);

/// Sends a message; returns its number. The reply stays until it is read.
uint32_t stage_send(stage *s, int client, jbw_message message);

/// The reply to a request, taken out; fails the test if there is none. Lives until the next one.
jbw_message stage_read(stage *s, int client, uint32_t request);

/// True if there is a reply to a request.
bool stage_has_reply(const stage *s, int client, uint32_t request);

/// Sends, and reads the reply.
jbw_message stage_ask(stage *s, int client, jbw_message message);

/// Says hello; the reply must be a welcome.
jbw_message stage_hello(stage *s, int client, const char *token);

/// Adds an agent.
jbw_agent_id stage_add(stage *s, int client);

/// Sends bytes that may be anything.
void stage_send_bytes(stage *s, int client, const void *bytes, size_t size);

/// So many nanoseconds later.
void stage_wait(stage *s, uint64_t duration);

/// Fails the test unless a reply is what was expected.
void expect_error(jbw_message reply, jbw_error_code code);
void expect_ok(jbw_message reply);

/// A connection is lost, and its place is free for another.
void stage_leave(stage *s, int client);

#endif
