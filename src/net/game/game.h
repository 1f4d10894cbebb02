// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The world's side of a server: carries out the requests of clients in order, and says when it
/// needs to run again. It knows nothing of sockets, threads or clocks, so that tests can supply
/// them; times are nanoseconds of any clock.
#ifndef JBW_NET_GAME_GAME_H
#define JBW_NET_GAME_GAME_H

#include "jbw/server.h"
#include "net/access/tokens.h"
#include "net/game/player.h"
#include "net/game/saver.h"
#include "net/game/terrain_maker.h"
#include "net/wire/message.h"

typedef struct jbw_game jbw_game;

/// What everyone may do with a recording.
enum { JBW_PERMISSIONS_OF_PLAY = JBW_PERMISSION_WATCH | JBW_PERMISSION_CONTROL };

/// Receives each answer. With `is_final`, the connection is to be closed afterwards.
typedef void jbw_answer_function(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                                 bool is_final);

/// Adds statistics that the game itself does not know.
typedef void jbw_stats_function(void *user, jbw_wire_stats *stats);

typedef struct jbw_game_options {
    const jbw_token_set *keys;
    bool is_paused;
    double rate;
    uint64_t catch_up;     ///< nanoseconds; steps that are later than this are skipped
    uint64_t turn_timeout; ///< nanoseconds
    bool deactivates;
    bool is_view;       ///< the world belongs to someone else: read-only
    jbw_player *player; ///< owns the world and steps it; NULL: agents do
    float frame_rate;
    uint64_t save_every;
    jbw_saver *saver;         ///< NULL: saving is not possible
    jbw_looking *looking;     ///< the processor time for it; NULL: no limit
    jbw_terrain_maker *maker; ///< of the terrain of an invariant world; NULL: the world makes it
    const char *world_file;
    const char *reward; ///< noted in snapshots; NULL: none, or the one in the notes
    const jbw_note *notes;
    size_t note_count;
    const jbw_resident *residents; ///< their policies must outlive the game
    size_t resident_count;
    jbw_answer_function *answer;
    jbw_stats_function *add_stats; ///< may be NULL
    void *user;
} jbw_game_options;

/// Creates a game. The world, the keys and the strings must outlive it. Agents already in the world
/// become inactive, except residents, and all in a view.
jbw_status jbw_game_create(jbw_world *world, const jbw_game_options *options, uint64_t now,
                           jbw_game **out, jbw_error *error);

/// NULL is fine. The world is not destroyed.
void jbw_game_destroy(jbw_game *game);

/// Carries out a message. `key` is the index of the sender's key, or -1; the caller has checked
/// that the sender has the permission the message needs. Malformed bytes are answered with an
/// error.
void jbw_game_receive(jbw_game *game, uint32_t connection, int key, const uint8_t *bytes,
                      size_t size, uint64_t now);

/// A connection has closed: its agents become inactive. `key` is the one it had.
void jbw_game_forget(jbw_game *game, uint32_t connection, int key, uint64_t now);

/// Does whatever is due. Returns the time of the next call, unless something happens before.
uint64_t jbw_game_tick(jbw_game *game, uint64_t now);

/// Refuses all requests that wait for a step, because the server is shutting down.
void jbw_game_close(jbw_game *game);

/// Saves the world now, and waits until it is on disk, or until that time of `jbw_clock_now`:
/// JBW_TIMED_OUT means that the disk is still at it.
jbw_status jbw_game_save(jbw_game *game, uint64_t until, jbw_error *error);

/// Sets the current world of a view. The previous one is no longer used.
void jbw_game_show(jbw_game *game, jbw_world *world);

/// The current world. With a player, it may change with every tick and every request.
jbw_world *jbw_game_world(jbw_game *game);

/// The state of a game.
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
    double steps_per_second; ///< over roughly the last second
    uint32_t save_failures;  ///< in a row, since the latest save that succeeded
    char save_error[200];    ///< why the latest one failed
    jbw_status status;       ///< of steps that no client requested
} jbw_game_info;

jbw_game_info jbw_game_get_info(const jbw_game *game);

#endif
