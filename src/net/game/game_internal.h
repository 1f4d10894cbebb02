// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The game's struct, and the functions that its files share.
#ifndef JBW_NET_GAME_GAME_INTERNAL_H
#define JBW_NET_GAME_GAME_INTERNAL_H

#include "net/game/game.h"
#include "net/game/look_queue.h"
#include "net/game/residents.h"
#include "net/game/seats.h"
#include "net/game/turns.h"
#include "net/wire/limits.h"
#include "net/wire/look.h"

/// Where a request came from, and so where its answer goes.
typedef struct jbw_game_request {
    uint32_t connection;
    uint32_t number; ///< chosen by the client, repeated in the answer
    int key;         ///< of the client's token, or -1
} jbw_game_request;

enum { JBW_SAVE_REQUESTS_MOST = 64 };

struct jbw_game {
    jbw_world *world;
    jbw_game_options options;
    jbw_seats seats;
    jbw_turns turns;
    jbw_residents residents;
    jbw_scratch scratch; // lists of the decoded message, and of its answer
    jbw_buffer out;      // the encoded answer

    jbw_look_queue looks; // queries that wait for terrain, or for their share of the time

    uint32_t mark; // number of the current message, see jbw_seat

    bool is_paused;
    double rate;
    uint64_t now;
    uint64_t time_seen;    // world time after the last step that was handled
    uint64_t due;          // no step before this time
    uint64_t turn_started; // when the last step was taken, or the first agent became active
    uint64_t started_time; // world time when the game was created

    uint64_t change_count;
    uint64_t step_count;
    uint64_t timeout_count;
    uint64_t refused_count;
    uint64_t speed_since; // start of the interval over which speed is measured
    uint64_t speed_steps; // `step_count` at that time
    double steps_per_second;

    uint64_t next_save; // a world time
    uint64_t saved_time;
    jbw_game_request saving[JBW_SAVE_REQUESTS_MOST]; // answered by the save in progress
    size_t saving_count;
    jbw_game_request waiting[JBW_SAVE_REQUESTS_MOST]; // answered by the next save
    size_t waiting_count;
    bool wants_save;
    uint32_t save_failures; // in a row
    uint64_t save_retry;    // no save before this time, unless someone asks for it
    jbw_error save_error;   // of the latest failure
    jbw_status status;
};

// ---- answers: game.c ----

/// Sends an answer. False if there was no memory for it; an error has been sent instead.
bool jbw_game_answer(jbw_game *game, uint32_t connection, const jbw_message *message);

/// Answers, and has the connection closed afterwards.
void jbw_game_answer_and_close(jbw_game *game, uint32_t connection, const jbw_message *message);
void jbw_game_answer_ok(jbw_game *game, const jbw_game_request *request);

/// Answers with an error: with this text, or with the one in the table.
void jbw_game_refuse(jbw_game *game, const jbw_game_request *request, jbw_error_code code,
                     const char *text);
void jbw_game_refuse_code(jbw_game *game, const jbw_game_request *request, jbw_error_code code);

/// Answers OK, or with the world's error.
void jbw_game_answer_status(jbw_game *game, const jbw_game_request *request, jbw_status status);

// ---- turns and steps: game_turns.c ----

/// Handles a step if the world has taken one: answers everyone who waited for it. Call this after
/// everything that can make the world step.
void jbw_game_settle(jbw_game *game);

/// True if a step may be taken now.
bool jbw_game_is_open(const jbw_game *game);

/// Hands a turn to the world. The turn must be held, or have just been added. If the world refuses,
/// the turn is gone, and its request has been answered if it waits.
jbw_status jbw_game_post(jbw_game *game, uint32_t turn);

/// Removes an agent from its pending turn, and drops the turns queued behind it. Their requests are
/// refused with `code`.
void jbw_game_leave_turn(jbw_game *game, jbw_seat *seat, jbw_error_code code);

/// Refuses all turns and ends them.
void jbw_game_end_turns(jbw_game *game, jbw_error_code code);

/// Lets the residents act. The world takes a step if all others have acted.
jbw_status jbw_game_act_residents(jbw_game *game);

/// Takes a step now, posting turns that are held and letting residents act first.
jbw_status jbw_game_step(jbw_game *game);

/// Activates or deactivates an agent. The turn timeout starts with the first active agent.
jbw_status jbw_game_set_active(jbw_game *game, jbw_seat *seat, bool is_active);

// ---- saving: game_save.c ----

/// Collects a finished save and starts the next one if it is due or requested. Returns when to call
/// again.
uint64_t jbw_game_tick_save(jbw_game *game);

// ---- requests ----

/// True if a query asks for more than one message may hold or an invariant world should generate.
bool jbw_game_is_too_large(const jbw_game *game, const jbw_message *message);

/// Carries out a request (game_commands.c).
void jbw_game_handle(jbw_game *game, const jbw_game_request *request, const jbw_message *message);

/// Answers a request that changes nothing (game_queries.c).
void jbw_game_query(jbw_game *game, const jbw_game_request *request, const jbw_message *message);

/// Carries out or answers a request that programs make and the page does not (game_programs.c). The
/// playground refuses it.
void jbw_game_handle_program(jbw_game *game, const jbw_game_request *request,
                             const jbw_message *message);

/// Checks what is said and written with an action that exists. If it is not possible, `error` says
/// why (game_programs.c).
bool jbw_game_check_words(const jbw_game *game, const jbw_wire_wish *wish, jbw_error *error);

/// The seat of an agent that the client owns; otherwise refuses the request and returns NULL.
jbw_seat *jbw_game_find_own(jbw_game *game, const jbw_game_request *request, jbw_agent_id agent);

/// A request to act, of any kind.
typedef struct jbw_act_order {
    const jbw_wire_wish *wishes;
    size_t count;
    bool waits;
    uint8_t wants;
} jbw_act_order;

/// Why a client may not act.
typedef struct jbw_act_problem {
    jbw_error_code code; // zero: it may
    jbw_error error;     // its text may be empty
} jbw_act_problem;

/// Checks everything, then adds a turn. Zero, with a problem, if that is not possible.
uint32_t jbw_game_add_turn(jbw_game *game, const jbw_game_request *request,
                           const jbw_act_order *order, jbw_turn_list list,
                           jbw_act_problem *problem);
void jbw_game_refuse_act(jbw_game *game, const jbw_game_request *request,
                         const jbw_act_problem *problem);

/// Replaces what the agents are about to do.
void jbw_game_act(jbw_game *game, const jbw_game_request *request, const jbw_act_order *order);

/// All agents of the world, in scratch memory; NULL when memory runs out.
jbw_agent_id *jbw_game_all_agents(jbw_game *game, size_t *count);

/// What is known about a cell.
typedef struct jbw_cell_look {
    jbw_cell_info info;
    float scent[JBW_MAX_DIMENSIONS];
    jbw_agent_id agents[16];
    size_t agent_count;
} jbw_cell_look;

jbw_status jbw_game_look_at_cell(jbw_game *game, jbw_position cell, jbw_cell_look *out);

/// Answers `explain`, or without a text `examine`.
void jbw_game_explain_cell(jbw_game *game, const jbw_game_request *request, jbw_position cell,
                           bool has_text);

/// Answers a request that looks, or that needs terrain first: now or later. False if it does not;
/// the caller then handles it (game_looks.c).
bool jbw_game_look(jbw_game *game, const jbw_game_request *request, const jbw_message *message,
                   const uint8_t *bytes, size_t size);

/// Answers requests that have waited. Returns when to call again.
uint64_t jbw_game_tick_looks(jbw_game *game);

/// Drops the requests of a connection that is gone, and refuses all of them.
void jbw_game_forget_looks(jbw_game *game, uint32_t connection);
void jbw_game_end_looks(jbw_game *game, jbw_error_code code);

/// Answers with the state of agents, leaving out those that no longer exist. False if there was no
/// memory for it; an error has been sent instead.
bool jbw_game_answer_agents(jbw_game *game, const jbw_game_request *request,
                            const jbw_agent_id *agents, size_t count);

/// Answers with observations of agents.
void jbw_game_answer_observed(jbw_game *game, const jbw_game_request *request,
                              const jbw_agent_id *agents, size_t count, unsigned wants);

#endif
