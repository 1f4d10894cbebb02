// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the game share: its struct, and a few verbs.
#ifndef JBW_NET_GAME_GAME_PARTS_H
#define JBW_NET_GAME_GAME_PARTS_H

#include "net/game/game.h"
#include "net/game/seats.h"
#include "net/game/turns.h"
#include "net/wire/limits.h"
#include "net/wire/look.h"

/// Somebody who asked for the world to be saved, and has not been answered.
typedef struct jbw_save_request {
    uint32_t connection;
    uint32_t request;
} jbw_save_request;

enum { JBW_SAVE_REQUESTS_MOST = 64 };

struct jbw_game {
    jbw_world *world;
    jbw_game_options options;
    jbw_seats seats;
    jbw_turns turns;
    jbw_scratch scratch; // what is decoded, and what an answer is made of
    jbw_buffer out;      // the answer's bytes

    uint32_t mark; // of the message in hand, see jbw_seat

    bool is_paused;
    double rate;
    uint64_t now;
    uint64_t time_seen;    // of the world, after the last step that was dealt with
    uint64_t due;          // no step before
    uint64_t turn_started; // when the step before was taken, or somebody came to wait for
    uint64_t started_time; // of the world

    uint64_t change_count;
    uint64_t step_count;
    uint64_t timeout_count;
    uint64_t refused_count;
    uint64_t speed_since; // when the steps were counted from
    uint64_t speed_steps;
    double steps_per_second;

    uint64_t next_save; // a time of the world
    uint64_t saved_time;
    jbw_save_request saving[JBW_SAVE_REQUESTS_MOST]; // answered by the save under way
    size_t saving_count;
    jbw_save_request waiting[JBW_SAVE_REQUESTS_MOST]; // answered by the next one
    size_t waiting_count;
    bool wants_save;
    jbw_status status;
};

/// Who asks, and what for.
typedef struct jbw_client_request {
    uint32_t connection;
    uint32_t number;
    int key;
} jbw_client_request;

// ---- answering ----

void jbw_game_answer(jbw_game *game, uint32_t connection, const jbw_message *message);
void jbw_game_answer_ok(jbw_game *game, const jbw_client_request *request);
void jbw_game_refuse(jbw_game *game, uint32_t connection, uint32_t number, jbw_error_code code,
                     const char *text);

/// Refuses with the words of the table.
void jbw_game_refuse_code(jbw_game *game, const jbw_client_request *request, jbw_error_code code);

/// OK, or what the world said.
void jbw_game_answer_status(jbw_game *game, const jbw_client_request *request, jbw_status status);

// ---- steps ----

/// Sees whether the world has taken a step, and answers who has waited for it. To be called after
/// everything that can make the world take one.
void jbw_game_settle(jbw_game *game);

/// Steps may be taken now.
bool jbw_game_is_open(const jbw_game *game);

/// Posts a turn to the world, which is held or was just added. False if the world refused it, and then
/// it is gone; who asked for it was told.
bool jbw_game_post(jbw_game *game, uint32_t turn);

/// Takes an agent out of the turn that it is part of. Whoever waits for it is told the code.
void jbw_game_leave_turn(jbw_game *game, jbw_seat *seat, jbw_error_code code);

/// Takes a step now; turns that are held come first.
jbw_status jbw_game_step(jbw_game *game);

/// Makes an agent active or inactive, and starts the clock if it is the first one to wait for.
jbw_status jbw_game_set_active(jbw_game *game, jbw_seat *seat, bool is_active);

// ---- requests ----

/// Does what a decoded message asks for.
void jbw_game_do(jbw_game *game, const jbw_client_request *request, const jbw_message *message);

/// The requests that only look.
void jbw_game_look(jbw_game *game, const jbw_client_request *request, const jbw_message *message);

#endif
