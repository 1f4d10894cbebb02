// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Plays a recording: step by step, or from any time to any other. An event index finds what
/// happened in it.
#ifndef JBW_NET_GAME_PLAYER_H
#define JBW_NET_GAME_PLAYER_H

#include "jbw/recording.h"
#include "net/wire/message.h"

typedef struct jbw_player jbw_player;

/// Opens a recording. On failure `*out` is NULL, and `error` says why.
jbw_status jbw_player_create(const char *path, jbw_player **out, jbw_error *error);

/// NULL is fine. Destroys the player's world, too.
void jbw_player_destroy(jbw_player *player);

/// The world at the current time. `jbw_player_seek` replaces it by another one of the same model.
jbw_world *jbw_player_world(jbw_player *player);

/// The text of one of the recording's notes, or NULL. Lives as long as the player.
const char *jbw_player_note(const jbw_player *player, const char *name);

/// Plays one step. JBW_NOT_FOUND at the end.
jbw_status jbw_player_advance(jbw_player *player);

/// Jumps to a time, clamped to the recording.
jbw_status jbw_player_seek(jbw_player *player, uint64_t time);

/// The file's name without its folder, and the first and last time of the recording.
const char *jbw_player_name(const jbw_player *player);
uint64_t jbw_player_first_time(const jbw_player *player);
uint64_t jbw_player_last_time(const jbw_player *player);

/// See `jbw_event_index_find`.
size_t jbw_player_find_events(jbw_player *player, const jbw_wire_find_events *wanted,
                              jbw_wire_event *events, size_t most, uint64_t *known_to);

#endif
