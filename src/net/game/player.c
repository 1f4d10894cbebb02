// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/player.h"

#include <stdlib.h>

#include "net/game/event_index.h"
#include "net/game/notes.h"

struct jbw_player {
    jbw_recording *recording;
    jbw_recording_info info;
    char *path;
    jbw_event_index *events;
};

jbw_status jbw_player_create(const char *path, jbw_player **out, jbw_error *error)
{
    *out = NULL;
    jbw_player *player = calloc(1, sizeof *player);
    if (!player) return JBW_OUT_OF_MEMORY;
    const size_t size = strlen(path) + 1;
    player->path = malloc(size);
    if (player->path) memcpy(player->path, path, size);
    jbw_status status = player->path ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_recording_open(path, NULL, &player->recording, error);
    if (!status) status = jbw_event_index_create(path, &player->events, error);
    if (status) {
        jbw_player_destroy(player);
        return status;
    }
    player->info = jbw_recording_get_info(player->recording);
    *out = player;
    return JBW_OK;
}

void jbw_player_destroy(jbw_player *player)
{
    if (!player) return;
    jbw_event_index_destroy(player->events);
    jbw_recording_close(player->recording);
    free(player->path);
    free(player);
}

jbw_world *jbw_player_world(jbw_player *player)
{
    return jbw_recording_world(player->recording);
}

const char *jbw_player_note(const jbw_player *player, const char *name)
{
    size_t count;
    const jbw_note *notes = jbw_recording_notes(player->recording, &count);
    const jbw_note *note = jbw_note_find(notes, count, name);
    return note ? note->bytes : NULL; // zero-terminated
}

jbw_status jbw_player_advance(jbw_player *player)
{
    return jbw_recording_advance(player->recording);
}

jbw_status jbw_player_seek(jbw_player *player, uint64_t time)
{
    jbw_error error;
    if (time < player->info.first_time) time = player->info.first_time;
    if (time > player->info.last_time) time = player->info.last_time;
    return jbw_recording_seek(player->recording, time, &error);
}

const char *jbw_player_name(const jbw_player *player)
{
    const char *slash = strrchr(player->path, '/');
    return slash ? slash + 1 : player->path;
}

uint64_t jbw_player_first_time(const jbw_player *player)
{
    return player->info.first_time;
}

uint64_t jbw_player_last_time(const jbw_player *player)
{
    return player->info.last_time;
}

size_t jbw_player_find_events(jbw_player *player, const jbw_wire_find_events *wanted,
                              jbw_wire_event *events, size_t most, uint64_t *known_to)
{
    return jbw_event_index_find(player->events, wanted, events, most, known_to);
}
