// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Plays a recording: step by step, from any time to any other, and finds what happened in it. A
/// thread of its own looks through the whole recording once, from the beginning.
#ifndef JBW_NET_GAME_PLAYER_H
#define JBW_NET_GAME_PLAYER_H

#include "jbw/recording.h"
#include "net/wire/message.h"

typedef struct jbw_player jbw_player;

/// Opens a recording. On failure `*out` is NULL, and `error` says why.
jbw_status jbw_player_create(const char *path, jbw_player **out, jbw_error *error);

/// NULL is fine. The player's worlds end with it.
void jbw_player_destroy(jbw_player *player);

/// The world as it is at the time reached so far; another one after `jbw_player_seek`, of the same
/// model.
jbw_world *jbw_player_world(jbw_player *player);

/// The text of a note that was kept with the recording, or NULL. Lives as long as the player.
const char *jbw_player_note(const jbw_player *player, const char *name);

/// Goes on by one step. JBW_NOT_FOUND at the end.
jbw_status jbw_player_advance(jbw_player *player);

/// Goes to a time, or the nearest one that the recording has.
jbw_status jbw_player_seek(jbw_player *player, uint64_t time);

/// The file's name without its folders, and from when to when it reaches.
const char *jbw_player_name(const jbw_player *player);
uint64_t jbw_player_first_time(const jbw_player *player);
uint64_t jbw_player_last_time(const jbw_player *player);

/// Writes the events that are asked for to `events`, which has room for `most`, in the order of time,
/// and returns how many there are. `*known_to` is the time up to which the recording has been looked
/// through.
size_t jbw_player_find_events(jbw_player *player, const jbw_wire_find_events *wanted,
                              jbw_wire_event *events, size_t most, uint64_t *known_to);

#endif
