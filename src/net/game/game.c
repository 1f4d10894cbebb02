// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/game.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "net/game/game_internal.h"
#include "net/game/notes.h"
#include "net/thread/clock.h"

// ---- answers ----

// false if memory has run out, and the answer says so instead
static bool answer(jbw_game *game, uint32_t connection, const jbw_message *message, bool is_final)
{
    game->out.size = 0;
    const bool is_good = jbw_message_encode(message, &game->out);
    if (!is_good) {
        // an error is short: the buffer has room for it from the beginning
        const jbw_message error = {
            .type = JBW_MESSAGE_ERROR,
            .request = message->request,
            .error = {.code = JBW_ERROR_OUT_OF_MEMORY,
                      .text = jbw_text_field(jbw_error_code_text(JBW_ERROR_OUT_OF_MEMORY))}};
        game->out.size = 0;
        jbw_message_encode(&error, &game->out);
    }
    game->options.answer(game->options.user, connection, game->out.bytes, game->out.size, is_final);
    return is_good;
}

bool jbw_game_answer(jbw_game *game, uint32_t connection, const jbw_message *message)
{
    return answer(game, connection, message, false);
}

void jbw_game_answer_and_close(jbw_game *game, uint32_t connection, const jbw_message *message)
{
    answer(game, connection, message, true);
}

void jbw_game_answer_ok(jbw_game *game, const jbw_game_request *request)
{
    const jbw_message message = {.type = JBW_MESSAGE_OK,
                                 .request = request->number,
                                 .ok = {.time = jbw_world_time(game->world)}};
    jbw_game_answer(game, request->connection, &message);
}

void jbw_game_refuse(jbw_game *game, const jbw_game_request *request, jbw_error_code code,
                     const char *text)
{
    const jbw_message message = {.type = JBW_MESSAGE_ERROR,
                                 .request = request->number,
                                 .error = {.code = (uint16_t)code, .text = jbw_text_field(text)}};
    game->refused_count++;
    jbw_game_answer(game, request->connection, &message);
}

void jbw_game_refuse_code(jbw_game *game, const jbw_game_request *request, jbw_error_code code)
{
    jbw_game_refuse(game, request, code, jbw_error_code_text(code));
}

void jbw_game_answer_status(jbw_game *game, const jbw_game_request *request, jbw_status status)
{
    if (status)
        jbw_game_refuse(game, request, jbw_look_error(status), jbw_status_text(status));
    else
        jbw_game_answer_ok(game, request);
}

// ---- ticks ----

static void measure_speed(jbw_game *game)
{
    const uint64_t elapsed = game->now - game->speed_since;
    if (elapsed < JBW_SECOND / 2) return;
    game->steps_per_second =
        (double)(game->step_count - game->speed_steps) * (double)JBW_SECOND / (double)elapsed;
    game->speed_since = game->now;
    game->speed_steps = game->step_count;
}

// steps without waiting for agents that have not acted
static void time_out(jbw_game *game)
{
    game->timeout_count++;
    game->turn_started = game->now;
    if (game->options.deactivates) {
        const uint64_t time = jbw_world_time(game->world);
        for (size_t i = 0; i < game->seats.count; i++) {
            jbw_seat *seat = &game->seats.seats[i];
            jbw_agent_state state;
            if (!seat->is_active || jbw_agent_get_state(game->world, seat->agent, &state)) continue;
            if (!state.has_request) jbw_game_set_active(game, seat, false);
            // deactivating the last of them makes the world step
            if (jbw_world_time(game->world) != time) return;
        }
        return;
    }
    const jbw_status status = jbw_game_step(game);
    if (status) game->status = status;
}

// plays a recording, a few steps at a time so that requests get their turn
static uint64_t play(jbw_game *game)
{
    enum { STEPS_AT_ONCE = 64 };
    for (int i = 0; i < STEPS_AT_ONCE && jbw_game_is_open(game); i++) {
        const jbw_status status = jbw_game_step(game);
        if (!status) continue;
        // JBW_NOT_FOUND: the end of the recording
        if (status != JBW_NOT_FOUND) game->status = status;
        game->is_paused = true;
        game->change_count++;
    }
    measure_speed(game);
    return game->is_paused ? UINT64_MAX : game->due;
}

// a few steps at a time, or one if they take long, so that requests get their turn
static uint64_t tick_residents(jbw_game *game)
{
    enum { STEPS_AT_ONCE = 64 };
    const int most = game->residents.has_learner ? 1 : STEPS_AT_ONCE;
    if (game->residents.count == 0) return UINT64_MAX;
    for (int i = 0; i < most && jbw_game_is_open(game); i++) {
        const uint64_t time = game->time_seen;
        const jbw_status status = jbw_game_act_residents(game);
        if (status) game->status = status;
        if (game->time_seen == time) return UINT64_MAX; // others have yet to act
    }
    return game->is_paused ? UINT64_MAX : game->due;
}

uint64_t jbw_game_tick(jbw_game *game, uint64_t now)
{
    game->now = now;
    uint64_t next = jbw_game_tick_looks(game);
    if (game->options.is_view) return next;
    if (game->options.player) return jbw_earlier(next, play(game));
    while (game->turns.first[JBW_TURN_HELD] && jbw_game_is_open(game))
        jbw_game_post(game, game->turns.first[JBW_TURN_HELD]);
    next = jbw_earlier(next, tick_residents(game));
    if (!game->is_paused && game->turns.first[JBW_TURN_HELD]) next = jbw_earlier(next, game->due);

    const uint64_t timeout = game->options.turn_timeout;
    if (timeout > 0 && !game->is_paused && game->seats.active_count > 0) {
        uint64_t end = game->turn_started + timeout;
        if (end < game->due) end = game->due;
        if (now >= end) {
            time_out(game);
            end = game->turn_started + timeout;
        }
        next = jbw_earlier(next, end);
    }
    measure_speed(game);
    return jbw_earlier(next, jbw_game_tick_save(game));
}

// ---- creation ----

// deactivates the agents with a pending action, or those without
static jbw_status deactivate_agents(jbw_game *game, bool has_request)
{
    for (size_t i = 0; i < game->seats.count; i++) {
        jbw_seat *seat = &game->seats.seats[i];
        jbw_agent_state state;
        if (seat->agent.index1 == 0 || jbw_residents_include(&game->residents, seat->agent))
            continue;
        jbw_status status = jbw_agent_get_state(game->world, seat->agent, &state);
        if (!status && state.is_active && state.has_request == has_request)
            status = jbw_agent_set_active(game->world, seat->agent, false);
        if (status) return status;
    }
    return JBW_OK;
}

// No client can act for its agents yet, so all of them become inactive. Those with a pending action
// go first: if only they were left, the world would take a step that nobody sees.
static jbw_status deactivate_all(jbw_game *game)
{
    const uint64_t time = jbw_world_time(game->world);
    jbw_status status = deactivate_agents(game, true);
    if (!status) status = deactivate_agents(game, false);
    // residents that had acted before the world was saved waited for no one else
    if (jbw_world_time(game->world) != time) jbw_residents_end_turn(&game->residents, game->world);
    return status;
}

// residents have seats that belong to nobody
static jbw_status seat_residents(jbw_game *game)
{
    for (size_t i = 0; i < game->residents.count; i++) {
        jbw_seat *seat = jbw_seats_find(&game->seats, game->residents.list[i].agent);
        if (!seat || seat->owner >= 0) return JBW_INVALID_ARGUMENT;
        jbw_seats_set_active(&game->seats, seat, true);
    }
    return JBW_OK;
}

static jbw_status prepare(jbw_game *game, jbw_error *error)
{
    const jbw_game_options *options = &game->options;
    jbw_buffer *out = &game->out;
    if (!JBW_GROW(&out->allocator, out->bytes, out->capacity, JBW_ERROR_BYTES))
        return JBW_OUT_OF_MEMORY;
    if (!jbw_seats_init(&game->seats, options->keys)) return JBW_OUT_OF_MEMORY;
    if (options->is_view || options->player) return JBW_OK;
    const jbw_note *owners = jbw_note_find(options->notes, options->note_count, JBW_NOTE_OWNERS);
    jbw_status status = jbw_seats_decode(&game->seats, game->world, owners);
    if (status == JBW_INVALID_DATA && error)
        *error = (jbw_error){.text = "the snapshot's note " JBW_NOTE_OWNERS " is damaged"};
    if (!status)
        status = jbw_residents_init(&game->residents, game->world, options->residents,
                                    options->resident_count);
    if (!status) status = seat_residents(game);
    if (status == JBW_INVALID_ARGUMENT && error)
        *error = (jbw_error){.text = "a resident is not in the world, or belongs to someone else"};
    if (!status) status = deactivate_all(game);
    return status;
}

jbw_status jbw_game_create(jbw_world *world, const jbw_game_options *options, uint64_t now,
                           jbw_game **out, jbw_error *error)
{
    *out = NULL;
    jbw_game *game = calloc(1, sizeof *game);
    if (!game) return JBW_OUT_OF_MEMORY;
    game->world = world;
    game->options = *options;
    const jbw_status status = prepare(game, error);
    if (status) {
        jbw_game_destroy(game);
        return status;
    }
    game->is_paused = options->is_paused;
    game->rate = options->rate;
    game->now = now;
    game->due = now;
    game->turn_started = now;
    game->speed_since = now;
    game->time_seen = jbw_world_time(world);
    game->started_time = game->time_seen;
    game->next_save = game->time_seen + options->save_every;
    *out = game;
    return JBW_OK;
}

void jbw_game_destroy(jbw_game *game)
{
    if (!game) return;
    jbw_look_queue_deinit(&game->looks);
    jbw_turns_deinit(&game->turns);
    jbw_residents_deinit(&game->residents);
    jbw_seats_deinit(&game->seats);
    jbw_scratch_deinit(&game->scratch);
    jbw_buffer_free(&game->out);
    free(game);
}

// ---- connections ----

void jbw_game_receive(jbw_game *game, uint32_t connection, int key, const uint8_t *bytes,
                      size_t size, uint64_t now)
{
    game->now = now;
    jbw_message message;
    jbw_scratch_reset(&game->scratch);
    const jbw_status status = jbw_message_decode(bytes, size, &game->scratch, &message);
    const jbw_game_request request = {
        .connection = connection, .number = message.request, .key = key};
    switch (status) {
    case JBW_OK:
        if (!jbw_game_look(game, &request, &message, bytes, size))
            jbw_game_handle(game, &request, &message);
        break;
    case JBW_UNSUPPORTED: jbw_game_refuse_code(game, &request, JBW_ERROR_UNKNOWN_MESSAGE); break;
    case JBW_OUT_OF_MEMORY: jbw_game_refuse_code(game, &request, JBW_ERROR_OUT_OF_MEMORY); break;
    default: jbw_game_refuse_code(game, &request, JBW_ERROR_MALFORMED); break;
    }
}

void jbw_game_forget(jbw_game *game, uint32_t connection, int key, uint64_t now)
{
    game->now = now;
    jbw_game_forget_looks(game, connection);
    if (key < 0 || !(game->options.keys->keys[key].permissions & JBW_PERMISSION_ACT)) return;
    for (size_t i = 0; i < game->seats.count; i++) {
        jbw_seat *seat = &game->seats.seats[i];
        if (seat->agent.index1 == 0 || seat->driver != connection) continue;
        seat->driver = JBW_NO_CONNECTION_ID;
        if (seat->is_active) jbw_game_set_active(game, seat, false);
    }
}

void jbw_game_close(jbw_game *game)
{
    jbw_game_end_looks(game, JBW_ERROR_CLOSING);
    jbw_game_end_turns(game, JBW_ERROR_CLOSING);
}

// ---- state ----

void jbw_game_show(jbw_game *game, jbw_world *world)
{
    game->world = world;
    const uint64_t time = jbw_world_time(world);
    if (time > game->time_seen) game->step_count += time - game->time_seen;
    game->time_seen = time;
    game->change_count++;
}

jbw_world *jbw_game_world(jbw_game *game)
{
    return game->world;
}

jbw_game_info jbw_game_get_info(const jbw_game *game)
{
    const size_t agent_count = game->options.is_view || game->options.player
                                   ? jbw_world_agents(game->world, NULL, 0)
                                   : game->seats.agent_count;
    jbw_game_info info = {
        .time = jbw_world_time(game->world),
        .change_count = game->change_count,
        .step_count = game->step_count,
        .timeout_count = game->timeout_count,
        .refused_count = game->refused_count,
        .saved_time = game->saved_time,
        .agent_count = (uint32_t)agent_count,
        .active_count = (uint32_t)game->seats.active_count,
        .is_paused = game->is_paused,
        .rate = game->rate,
        .steps_per_second = game->steps_per_second,
        .save_failures = game->save_failures,
        .status = game->status,
    };
    if (game->save_failures > 0)
        snprintf(info.save_error, sizeof info.save_error, "%.*s", (int)sizeof info.save_error - 1,
                 game->save_error.text);
    return info;
}
