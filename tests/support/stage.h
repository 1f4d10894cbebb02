// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A server without sockets, threads and clock: sessions and a game that call each other directly.
/// The test plays the clients.
///
///     test (client 0, 1, ...)  --messages-->  sessions  --requests-->  game, world
///                              <--replies---            <--answers---
#ifndef JBW_TESTS_STAGE_H
#define JBW_TESTS_STAGE_H

#include "support/models.h"

#include "net/game/game.h"
#include "net/server/session.h"

#define ASK(type_, ...) ((jbw_message){.type = JBW_MESSAGE_##type_, __VA_ARGS__})

enum { STAGE_CLIENTS = 8, STAGE_REPLIES = 256 };
#define STAGE_MILLISECOND UINT64_C(1000000)

typedef struct stage_reply {
    uint32_t connection;
    uint8_t *bytes;
    size_t size;
    bool is_final;
} stage_reply;

typedef struct stage {
    jbw_model *model;
    jbw_world *world;
    jbw_token_set keys;
    jbw_game *game;
    jbw_session_shared host;
    jbw_session sessions[STAGE_CLIENTS]; // their connections are 1, 2, ...
    uint64_t now;
    stage_reply replies[STAGE_REPLIES]; // oldest first
    size_t reply_count;
    jbw_scratch scratch; // of the reply that was read last
} stage;

/// There are two tokens, "ann-secret" and "bob-secret": ann may do everything with up to ten
/// agents, bob may only act, with up to two. `options` may be NULL.
void stage_open(stage *s, const jbw_game_options *options);

/// The same in two parts, so that a test can change the world before there is a game.
void stage_prepare(stage *s);
void stage_prepare_season(stage *s, jbw_season season); ///< and apples grow back

/// With a body "Scout" that only moves and waits, three symbols that are heard within 5 cells, and a
/// third item type that carries texts, "Note"; action 4 drops one.
void stage_prepare_words(stage *s);
void stage_start(stage *s, const jbw_game_options *options);
void stage_close(stage *s);

/// Opens a stage on which ann is client 0 and has `count` agents.
void stage_open_ann(stage *s, const jbw_game_options *options, jbw_agent_id *agents, int count);

/// Opens a stage on which ann is client 0 and bob client 1; both have one agent.
void stage_open_two(stage *s, jbw_agent_id *ann, jbw_agent_id *bob);

/// Sends a message; returns its number. The reply waits until it is read.
uint32_t stage_send(stage *s, int client, jbw_message message);

/// Takes the reply to a request; fails the test if there is none. Valid until the next reply is
/// read.
jbw_message stage_read(stage *s, int client, uint32_t request);

/// True if there is a reply to a request.
bool stage_has_reply(const stage *s, int client, uint32_t request);

/// Sends a message and reads the reply.
jbw_message stage_ask(stage *s, int client, jbw_message message);

/// Says hello; the reply must be a welcome.
jbw_message stage_hello(stage *s, int client, const char *token);

/// Adds an agent.
jbw_agent_id stage_add(stage *s, int client);

/// Messages: an action with everything observed in reply, if `waits`; an action for a later step;
/// whether an agent is active.
jbw_message stage_act(jbw_agent_id agent, uint32_t action, bool waits);
jbw_message stage_act_next(jbw_agent_id agent, uint32_t action);
jbw_message stage_set_active(jbw_agent_id agent, bool is_active);

/// Sends arbitrary bytes.
void stage_send_bytes(stage *s, int client, const void *bytes, size_t size);

/// Lets that many nanoseconds pass.
void stage_wait(stage *s, uint64_t duration);

/// A client disconnects; another one can take its place.
void stage_leave(stage *s, int client);

/// Fail the test unless the reply is as expected: an error; success; the observation of one agent
/// after its action.
void expect_error(jbw_message reply, jbw_error_code code);
void expect_ok(jbw_message reply);
void expect_observed(jbw_message reply, uint64_t time, int action);

#endif
