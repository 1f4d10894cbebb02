// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Saving: on request, every N steps, and at the end. The saver's thread does the writing.

#include "net/game/game_internal.h"
#include "net/game/notes.h"

static void answer_saving(jbw_game *game, uint64_t time, jbw_status status, const char *text)
{
    for (size_t i = 0; i < game->saving_count; i++) {
        const jbw_client_request *request = &game->saving[i];
        if (status) {
            jbw_game_refuse(game, request, JBW_ERROR_FAILED, text);
            continue;
        }
        const jbw_message message = {
            .type = JBW_MESSAGE_SAVED, .request = request->number, .saved = {.time = time}};
        jbw_game_answer(game, request->connection, &message);
    }
    game->saving_count = 0;
}

// hands a copy of the world and its notes to the saver
static jbw_status begin_save(jbw_game *game)
{
    enum { NOTES_MOST = 32 };
    jbw_note notes[NOTES_MOST];
    size_t count = 0;
    jbw_buffer owners = {0};
    jbw_world *copy = NULL;
    memcpy(game->saving, game->waiting, sizeof game->saving);
    game->saving_count = game->waiting_count;
    game->waiting_count = 0;

    jbw_status status = jbw_seats_encode(&game->seats, &owners) ? JBW_OK : JBW_OUT_OF_MEMORY;
    notes[count++] = (jbw_note){JBW_NOTE_OWNERS, owners.bytes, owners.size};
    if (game->options.world_file)
        notes[count++] = (jbw_note){JBW_NOTE_WORLD_FILE, game->options.world_file,
                                    strlen(game->options.world_file)};
    for (size_t i = 0; i < game->options.note_count && count < NOTES_MOST; i++) {
        const char *name = game->options.notes[i].name;
        if (strcmp(name, JBW_NOTE_OWNERS) != 0 && strcmp(name, JBW_NOTE_WORLD_FILE) != 0)
            notes[count++] = game->options.notes[i];
    }
    if (!status) status = jbw_world_clone(game->world, &copy);
    if (!status) status = jbw_saver_begin(game->options.saver, copy, notes, count);
    if (status) jbw_world_destroy(copy);
    jbw_buffer_free(&owners);
    return status;
}

static void collect_save(jbw_game *game, bool waits)
{
    uint64_t time;
    jbw_status status;
    jbw_error error;
    if (!jbw_saver_collect(game->options.saver, waits, &time, &status, &error)) return;
    if (status)
        game->status = status;
    else
        game->saved_time = time;
    answer_saving(game, time, status, error.text[0] ? error.text : jbw_status_text(status));
}

void jbw_game_tick_save(jbw_game *game)
{
    if (!game->options.saver) return;
    collect_save(game, false);
    const uint64_t every = game->options.save_every;
    if (every > 0 && game->time_seen >= game->next_save) game->wants_save = true;
    if (!game->wants_save || !jbw_saver_is_idle(game->options.saver)) return;
    game->wants_save = false;
    if (every > 0) game->next_save = game->time_seen + every;
    const jbw_status status = begin_save(game);
    if (status) {
        game->status = status;
        answer_saving(game, 0, status, jbw_status_text(status));
    }
}

jbw_status jbw_game_save(jbw_game *game, jbw_error *error)
{
    if (!game->options.saver) return JBW_OK;
    // finish the save in progress, then save the world as it is now
    collect_save(game, true);
    jbw_status status = begin_save(game);
    if (status) return status;
    uint64_t time = 0;
    jbw_error detail = {0};
    jbw_saver_collect(game->options.saver, true, &time, &status, &detail);
    if (!status) game->saved_time = time;
    if (status && error) *error = detail;
    answer_saving(game, time, status, detail.text);
    return status;
}
