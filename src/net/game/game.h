// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The world's side of a server: does what clients ask for, in the order in which it is told, and says
/// when to look again. It knows neither sockets nor threads nor the clock, so a test can play all of
/// them; times are nanoseconds of whatever clock the caller has.
#ifndef JBW_NET_GAME_GAME_H
#define JBW_NET_GAME_GAME_H

#include "jbw/server.h"
#include "net/access/tokens.h"
#include "net/game/player.h"
#include "net/game/saver.h"
#include "net/wire/message.h"

typedef struct jbw_game jbw_game;

/// What everybody may do with a recording.
enum { JBW_PERMISSIONS_OF_PLAY = JBW_PERMISSION_WATCH | JBW_PERMISSION_CONTROL };

/// Told of each answer. With `is_final` the connection is to be closed behind it.
typedef void jbw_answer_function(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                                 bool is_final);

/// Asked for what the game itself does not know.
typedef void jbw_stats_function(void *user, jbw_wire_stats *stats);

typedef struct jbw_game_options {
    const jbw_keys *keys;
    bool is_paused;
    double rate;
    uint64_t turn_timeout; ///< nanoseconds
    bool deactivates;
    bool is_view;       ///< the world is another's: only to be looked at
    jbw_player *player; ///< the world is this one's, and it makes the steps; NULL: agents do
    float frame_rate;
    uint64_t save_every;
    jbw_saver *saver; ///< NULL: nowhere to save
    const char *world_file;
    const jbw_note *notes;
    size_t note_count;
    jbw_answer_function *answer;
    jbw_stats_function *add_stats; ///< may be NULL
    void *user;
} jbw_game_options;

/// Begins a game; the world, the keys and the texts must outlive it. Agents that are there are made
/// inactive, except in a view.
jbw_status jbw_game_create(jbw_world *world, const jbw_game_options *options, uint64_t now,
                           jbw_game **out, jbw_error *error);

/// NULL is fine. The world stays.
void jbw_game_destroy(jbw_game *game);

/// Does what a message asks for. `key` is the number of the sender's key, or -1; what the message needs
/// was checked to be permitted. The bytes are those of a message, or are answered by an error.
void jbw_game_receive(jbw_game *game, uint32_t connection, int key, const uint8_t *bytes,
                      size_t size, uint64_t now);

/// A connection has gone. Its agents become inactive.
void jbw_game_forget(jbw_game *game, uint32_t connection, uint64_t now);

/// Does what is due. Returns the time at which to call again, if nothing happens before.
uint64_t jbw_game_tick(jbw_game *game, uint64_t now);

/// Refuses everything that is still waiting for a step: the server is being shut down.
void jbw_game_close(jbw_game *game);

/// Saves now, in this thread, and waits for it.
jbw_status jbw_game_save(jbw_game *game, jbw_error *error);

/// The world of a view, as it is now; the one before is not used any more.
void jbw_game_show(jbw_game *game, jbw_world *world);

/// The world as it is now. That of a player may be another one after each tick or request.
jbw_world *jbw_game_world(jbw_game *game);

/// What is known of a game at any time.
typedef struct jbw_game_info {
    uint64_t time;
    uint64_t change_count; ///< grows whenever a viewer could see a difference
    uint64_t step_count;
    uint64_t timeout_count;
    uint64_t refused_count;
    uint64_t saved_time;
    uint32_t agent_count;
    uint32_t active_count;
    bool is_paused;
    double rate;
    double steps_per_second; ///< over the last second or so
    jbw_status status;       ///< of steps and savings that nobody asked for
} jbw_game_info;

jbw_game_info jbw_game_get_info(const jbw_game *game);

#endif
