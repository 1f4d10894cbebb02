// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Saving: on request, every N steps, and at the end. The saver's thread does the writing.

#include "base/text.h"
#include "net/game/game_internal.h"
#include "net/game/notes.h"
#include "net/thread/clock.h"

static void answer_saving(jbw_game *game, uint64_t time, jbw_status status, const char *text)
{
    for (size_t i = 0; i < game->saving_count; i++) {
        const jbw_game_request *request = &game->saving[i];
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

enum { NOTES_MOST = 32 };

// appends the notes that the world came with, except those that have new contents, or none any more
static size_t append_old_notes(const jbw_game *game, jbw_note *notes, size_t count)
{
    const size_t new_count = count;
    for (size_t i = 0; i < game->options.note_count && count < NOTES_MOST; i++) {
        const jbw_note *old = &game->options.notes[i];
        // the policy of a run has gone on as a resident, or stands still while others live
        const bool is_stale =
            game->residents.count > 0 && (strcmp(old->name, JBW_NOTE_RUN_POLICY) == 0 ||
                                          strcmp(old->name, JBW_NOTE_RUN_LOG) == 0);
        if (!is_stale && !jbw_note_find(notes, new_count, old->name)) notes[count++] = *old;
    }
    return count;
}

static jbw_note text_note(const char *name, const char *text)
{
    return (jbw_note){name, text, strlen(text)};
}

// hands a copy of the world and its notes to the saver
static jbw_status begin_save(jbw_game *game)
{
    jbw_note notes[NOTES_MOST];
    size_t count = 0;
    jbw_buffer owners = {0};
    jbw_buffer residents = {0};
    jbw_world *copy = NULL;
    memcpy(game->saving, game->waiting, sizeof game->saving);
    game->saving_count = game->waiting_count;
    game->waiting_count = 0;

    jbw_status status = jbw_seats_encode(&game->seats, &owners) ? JBW_OK : JBW_OUT_OF_MEMORY;
    notes[count++] = (jbw_note){JBW_NOTE_OWNERS, owners.bytes, owners.size};
    if (game->residents.count > 0) {
        if (!status) status = jbw_residents_encode(&game->residents, &residents);
        notes[count++] = (jbw_note){JBW_NOTE_RESIDENTS, residents.bytes, residents.size};
    }
    if (game->options.world_file)
        notes[count++] = text_note(JBW_NOTE_WORLD_FILE, game->options.world_file);
    if (game->options.reward) notes[count++] = text_note(JBW_NOTE_REWARD, game->options.reward);
    count = append_old_notes(game, notes, count);
    if (!status) status = jbw_world_clone(game->world, &copy);
    if (!status) status = jbw_saver_begin(game->options.saver, copy, notes, count);
    if (status) jbw_world_destroy(copy);
    jbw_buffer_free(&owners);
    jbw_buffer_free(&residents);
    return status;
}

// The world goes on; saving is tried again after pauses that grow.
static void note_failure(jbw_game *game, jbw_status status, const jbw_error *error)
{
    enum { DOUBLINGS_MOST = 8 }; // up to about four minutes
    const uint32_t doublings =
        game->save_failures < DOUBLINGS_MOST ? game->save_failures : DOUBLINGS_MOST;
    game->save_retry = game->now + (JBW_SECOND << doublings);
    game->save_failures++;
    game->wants_save = true;
    game->change_count++;
    jbw_error_set(&game->save_error, 0, 0, "%s",
                  error && error->text[0] ? error->text : jbw_status_text(status));
    answer_saving(game, 0, status, game->save_error.text);
}

static void note_success(jbw_game *game, uint64_t time)
{
    if (game->save_failures > 0) game->change_count++;
    game->save_failures = 0;
    game->save_retry = 0;
    game->saved_time = time;
    answer_saving(game, time, JBW_OK, "");
}

// collects a save, waiting for it until that time; false if there is none to collect
static bool collect_save(jbw_game *game, uint64_t until, jbw_status *status)
{
    uint64_t time;
    jbw_error error = {0};
    if (!jbw_saver_collect(game->options.saver, until, &time, status, &error)) return false;
    if (*status)
        note_failure(game, *status, &error);
    else
        note_success(game, time);
    return true;
}

uint64_t jbw_game_tick_save(jbw_game *game)
{
    const uint64_t never = UINT64_MAX;
    jbw_status status;
    if (!game->options.saver) return never;
    collect_save(game, 0, &status);
    const uint64_t every = game->options.save_every;
    if (every > 0 && game->time_seen >= game->next_save) game->wants_save = true;
    if (!game->wants_save || !jbw_saver_is_idle(game->options.saver)) return never;
    if (game->now < game->save_retry && game->waiting_count == 0) return game->save_retry;
    game->wants_save = false;
    if (every > 0) game->next_save = game->time_seen + every;
    status = begin_save(game);
    if (status) note_failure(game, status, NULL);
    return never;
}

jbw_status jbw_game_save(jbw_game *game, uint64_t until, jbw_error *error)
{
    if (!game->options.saver) return JBW_OK;
    // finish the save in progress, then save the world as it is now
    jbw_status status = JBW_OK;
    collect_save(game, until, &status);
    status = jbw_saver_is_idle(game->options.saver) ? begin_save(game) : JBW_TIMED_OUT;
    if (status && status != JBW_TIMED_OUT) note_failure(game, status, NULL);
    if (!status && !collect_save(game, until, &status)) status = JBW_TIMED_OUT;
    if (status == JBW_TIMED_OUT)
        jbw_error_set(error, 0, 0, "the disk did not finish in time");
    else if (status)
        jbw_error_set(error, 0, 0, "%s", game->save_error.text);
    return status;
}
