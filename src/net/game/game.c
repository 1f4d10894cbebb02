// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/game.h"

#include <stdlib.h>

#include "net/game/game_parts.h"

static const uint64_t second = 1000000000;

static const char world_file_note[] = "server.world_file";

// ---- answering ----

void jbw_game_answer(jbw_game *game, uint32_t connection, const jbw_message *message)
{
    game->out.size = 0;
    const bool is_final = message->type == JBW_MESSAGE_ERROR && message->error.is_final;
    if (!jbw_message_encode(message, &game->out)) {
        // an error is short, and there was room for one before
        const jbw_message error = {
            .type = JBW_MESSAGE_ERROR,
            .request = message->request,
            .error = {.code = JBW_ERROR_OUT_OF_MEMORY,
                      .text = jbw_text_field(jbw_error_code_text(JBW_ERROR_OUT_OF_MEMORY))}};
        game->out.size = 0;
        if (!jbw_message_encode(&error, &game->out)) return;
    }
    game->options.answer(game->options.user, connection, game->out.bytes, game->out.size, is_final);
}

void jbw_game_answer_ok(jbw_game *game, const jbw_client_request *request)
{
    const jbw_message message = {.type = JBW_MESSAGE_OK,
                                 .request = request->number,
                                 .ok = {.time = jbw_world_time(game->world)}};
    jbw_game_answer(game, request->connection, &message);
}

void jbw_game_refuse(jbw_game *game, uint32_t connection, uint32_t number, jbw_error_code code,
                     const char *text)
{
    const jbw_message message = {.type = JBW_MESSAGE_ERROR,
                                 .request = number,
                                 .error = {.code = (uint16_t)code, .text = jbw_text_field(text)}};
    game->refused_count++;
    jbw_game_answer(game, connection, &message);
}

void jbw_game_refuse_code(jbw_game *game, const jbw_client_request *request, jbw_error_code code)
{
    jbw_game_refuse(game, request->connection, request->number, code, jbw_error_code_text(code));
}

void jbw_game_answer_status(jbw_game *game, const jbw_client_request *request, jbw_status status)
{
    if (status)
        jbw_game_refuse(game, request->connection, request->number, jbw_look_error(status),
                        jbw_status_text(status));
    else
        jbw_game_answer_ok(game, request);
}

// ---- turns ----

// what the agents of a turn perceive after the step
static void answer_turn(jbw_game *game, const jbw_turn *turn)
{
    jbw_wire_observation *list = jbw_scratch_alloc(&game->scratch, turn->count, sizeof *list);
    jbw_status status = list ? JBW_OK : JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < turn->count && !status; i++)
        status = jbw_look_observation(game->world, turn->agents[i], turn->wants, &game->scratch,
                                      &list[i]);
    if (status) {
        jbw_game_refuse(game, turn->connection, turn->request, jbw_look_error(status),
                        jbw_status_text(status));
        return;
    }
    const jbw_message message = {.type = JBW_MESSAGE_OBSERVED,
                                 .request = turn->request,
                                 .observed = {.time = jbw_world_time(game->world),
                                              .observations = list,
                                              .observations_count = turn->count}};
    jbw_game_answer(game, turn->connection, &message);
}

// the first of the turns ahead is held, to be posted when the game is looked after next
static void go_ahead(jbw_game *game, jbw_seat *seat)
{
    seat->turn = seat->first_ahead;
    if (!seat->turn) return;
    seat->first_ahead = jbw_turns_get(&game->turns, seat->turn)->later;
    seat->ahead_count--;
    jbw_turns_move(&game->turns, seat->turn, JBW_TURN_HELD);
}

static void end_turn(jbw_game *game, uint32_t turn)
{
    const jbw_turn *t = jbw_turns_get(&game->turns, turn);
    for (size_t i = 0; i < t->count; i++) {
        jbw_seat *seat = jbw_seats_find(&game->seats, t->agents[i]);
        if (seat && seat->turn == turn) go_ahead(game, seat);
    }
    jbw_turns_remove(&game->turns, turn);
}

static void answer_posted_turns(jbw_game *game)
{
    uint32_t turn;
    while ((turn = game->turns.first[JBW_TURN_POSTED]) != 0) {
        const jbw_turn *t = jbw_turns_get(&game->turns, turn);
        // what the message in hand points at has been used by now
        jbw_scratch_reset(&game->scratch);
        if (t->waits) answer_turn(game, t);
        end_turn(game, turn);
    }
}

static void measure_speed(jbw_game *game)
{
    const uint64_t elapsed = game->now - game->speed_since;
    if (elapsed < second / 2) return;
    game->steps_per_second =
        (double)(game->step_count - game->speed_steps) * (double)second / (double)elapsed;
    game->speed_since = game->now;
    game->speed_steps = game->step_count;
}

void jbw_game_settle(jbw_game *game)
{
    const uint64_t time = jbw_world_time(game->world);
    if (time == game->time_seen) return;
    game->step_count += time - game->time_seen;
    game->time_seen = time;
    game->change_count++;
    game->turn_started = game->now;
    if (game->rate > 0.0) {
        // keep the beat, but do not hurry after a pause
        const uint64_t interval = (uint64_t)((double)second / game->rate);
        game->due += interval;
        if (game->due < game->now) game->due = game->now + interval;
    }
    answer_posted_turns(game);
}

bool jbw_game_is_open(const jbw_game *game)
{
    return !game->is_paused && game->now >= game->due;
}

bool jbw_game_post(jbw_game *game, uint32_t turn)
{
    jbw_turn *t = jbw_turns_get(&game->turns, turn);
    if (t->list == JBW_TURN_HELD) jbw_turns_move(&game->turns, turn, JBW_TURN_POSTED);
    const jbw_status status =
        t->count == 1 ? jbw_agent_act(game->world, t->agents[0], t->actions[0], NULL)
                      : jbw_world_act(game->world, t->agents, t->actions, t->count, NULL);
    if (status) {
        if (t->waits)
            jbw_game_refuse(game, t->connection, t->request, jbw_look_error(status),
                            jbw_status_text(status));
        end_turn(game, turn);
        return false;
    }
    game->change_count++;
    jbw_game_settle(game);
    return true;
}

static void refuse_turn(jbw_game *game, jbw_turn *t, jbw_error_code code)
{
    if (t->waits) jbw_game_refuse(game, t->connection, t->request, code, jbw_error_code_text(code));
    t->waits = false;
}

// the one in hand, whatever comes behind it; the others go on with it
static void leave_this_turn(jbw_game *game, jbw_seat *seat, jbw_error_code code)
{
    const uint32_t turn = seat->turn;
    jbw_turn *t = jbw_turns_get(&game->turns, turn);
    refuse_turn(game, t, code);
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (jbw_seats_find(&game->seats, t->agents[i]) == seat) continue;
        t->agents[kept] = t->agents[i];
        t->actions[kept++] = t->actions[i];
    }
    t->count = kept;
    seat->turn = 0;
    if (kept == 0) jbw_turns_remove(&game->turns, turn);
}

void jbw_game_leave_turn(jbw_game *game, jbw_seat *seat, jbw_error_code code)
{
    if (!seat->turn) return;
    uint32_t ahead = seat->first_ahead;
    seat->first_ahead = 0;
    seat->ahead_count = 0;
    leave_this_turn(game, seat, code);
    while (ahead) {
        jbw_turn *t = jbw_turns_get(&game->turns, ahead);
        const uint32_t later = t->later;
        refuse_turn(game, t, code);
        jbw_turns_remove(&game->turns, ahead);
        ahead = later;
    }
}

// JBW_NOT_FOUND at the end of the recording
static jbw_status play_step(jbw_game *game)
{
    const jbw_status status = jbw_player_advance(game->options.player);
    jbw_game_settle(game);
    return status;
}

jbw_status jbw_game_step(jbw_game *game)
{
    if (game->options.player) return play_step(game);
    const uint64_t time = jbw_world_time(game->world);
    while (game->turns.first[JBW_TURN_HELD] && jbw_world_time(game->world) == time)
        jbw_game_post(game, game->turns.first[JBW_TURN_HELD]);
    if (jbw_world_time(game->world) != time) return JBW_OK;
    const jbw_status status = jbw_world_step(game->world);
    jbw_game_settle(game);
    return status;
}

jbw_status jbw_game_set_active(jbw_game *game, jbw_seat *seat, bool is_active)
{
    const jbw_agent_id agent = seat->agent;
    if (!is_active) jbw_game_leave_turn(game, seat, JBW_ERROR_INACTIVE);
    const jbw_status status = jbw_agent_set_active(game->world, agent, is_active);
    if (status) return status;
    if (is_active && game->seats.active_count == 0) game->turn_started = game->now;
    jbw_seats_set_active(&game->seats, seat, is_active);
    game->change_count++;
    jbw_game_settle(game);
    return JBW_OK;
}

// ---- what happens by itself ----

// the world goes on without those who have not asked
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
            // the last one of them lets the world take its step
            if (jbw_world_time(game->world) != time) return;
        }
        return;
    }
    const jbw_status status = jbw_game_step(game);
    if (status) game->status = status;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void answer_savers(jbw_game *game, uint64_t time, jbw_status status, const char *text)
{
    for (size_t i = 0; i < game->saving_count; i++) {
        const jbw_save_request *who = &game->saving[i];
        if (status) {
            jbw_game_refuse(game, who->connection, who->request, JBW_ERROR_FAILED, text);
            continue;
        }
        const jbw_message message = {
            .type = JBW_MESSAGE_SAVED, .request = who->request, .saved = {.time = time}};
        jbw_game_answer(game, who->connection, &message);
    }
    game->saving_count = 0;
}

static jbw_status begin_save(jbw_game *game)
{
    enum { OWN_NOTES = 2, MOST_NOTES = 32 };
    jbw_note notes[MOST_NOTES];
    size_t count = 0;
    jbw_buffer owners = {0};
    jbw_world *copy = NULL;
    jbw_status status = jbw_seats_encode(&game->seats, &owners) ? JBW_OK : JBW_OUT_OF_MEMORY;
    notes[count++] = (jbw_note){jbw_seats_note, owners.bytes, owners.size};
    if (game->options.world_file)
        notes[count++] =
            (jbw_note){world_file_note, game->options.world_file, strlen(game->options.world_file)};
    for (size_t i = 0; i < game->options.note_count && count < MOST_NOTES; i++) {
        const char *name = game->options.notes[i].name;
        if (strcmp(name, jbw_seats_note) != 0 && strcmp(name, world_file_note) != 0)
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
    answer_savers(game, time, status, error.text[0] ? error.text : jbw_status_text(status));
}

static void tick_saver(jbw_game *game)
{
    if (!game->options.saver) return;
    collect_save(game, false);
    const uint64_t every = game->options.save_every;
    if (every > 0 && game->time_seen >= game->next_save) game->wants_save = true;
    if (!game->wants_save || !jbw_saver_is_idle(game->options.saver)) return;
    game->wants_save = false;
    if (every > 0) game->next_save = game->time_seen + every;
    memcpy(game->saving, game->waiting, sizeof game->saving);
    game->saving_count = game->waiting_count;
    game->waiting_count = 0;
    const jbw_status status = begin_save(game);
    if (status) {
        game->status = status;
        answer_savers(game, 0, status, jbw_status_text(status));
    }
}

// goes on with a recording, a few steps at a time, so that requests are heard
static uint64_t play(jbw_game *game)
{
    enum { STEPS_AT_ONCE = 64 };
    for (int i = 0; i < STEPS_AT_ONCE && jbw_game_is_open(game); i++) {
        const jbw_status status = play_step(game);
        if (!status) continue;
        if (status != JBW_NOT_FOUND) game->status = status;
        game->is_paused = true;
        game->change_count++;
    }
    measure_speed(game);
    return game->is_paused ? UINT64_MAX : game->due;
}

uint64_t jbw_game_tick(jbw_game *game, uint64_t now)
{
    game->now = now;
    uint64_t next = UINT64_MAX;
    if (game->options.is_view) return next;
    if (game->options.player) return play(game);
    while (game->turns.first[JBW_TURN_HELD] && jbw_game_is_open(game))
        jbw_game_post(game, game->turns.first[JBW_TURN_HELD]);
    if (!game->is_paused && game->turns.first[JBW_TURN_HELD]) next = game->due;

    const uint64_t timeout = game->options.turn_timeout;
    if (timeout > 0 && !game->is_paused && game->seats.active_count > 0) {
        uint64_t end = game->turn_started + timeout;
        if (end < game->due) end = game->due;
        if (now >= end) {
            time_out(game);
            end = game->turn_started + timeout;
        }
        next = earlier(next, end);
    }
    measure_speed(game);
    tick_saver(game);
    return next;
}

// ---- beginning and end ----

static const jbw_note *find_note(const jbw_game_options *options, const char *name)
{
    for (size_t i = 0; i < options->note_count; i++)
        if (strcmp(options->notes[i].name, name) == 0) return &options->notes[i];
    return NULL;
}

static jbw_status put_to_sleep_if(jbw_game *game, bool has_request)
{
    for (size_t i = 0; i < game->seats.count; i++) {
        jbw_seat *seat = &game->seats.seats[i];
        jbw_agent_state state;
        if (seat->agent.index1 == 0) continue;
        jbw_status status = jbw_agent_get_state(game->world, seat->agent, &state);
        if (!status && state.is_active && state.has_request == has_request)
            status = jbw_agent_set_active(game->world, seat->agent, false);
        if (status) return status;
    }
    return JBW_OK;
}

// Nobody is there yet who could act for the agents. Those who had asked for something come first: if
// only they were left, the world would take a step that nobody sees.
static jbw_status put_to_sleep(jbw_game *game)
{
    const jbw_status status = put_to_sleep_if(game, true);
    return status ? status : put_to_sleep_if(game, false);
}

static jbw_status prepare(jbw_game *game, jbw_error *error)
{
    const jbw_game_options *options = &game->options;
    if (!jbw_seats_init(&game->seats, options->keys)) return JBW_OUT_OF_MEMORY;
    if (options->is_view || options->player) return JBW_OK;
    jbw_status status =
        jbw_seats_decode(&game->seats, game->world, find_note(options, jbw_seats_note));
    if (status == JBW_INVALID_DATA && error)
        *error = (jbw_error){.text = "the note server.owners of the snapshot is damaged"};
    if (!status) status = put_to_sleep(game);
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
    jbw_turns_deinit(&game->turns);
    jbw_seats_deinit(&game->seats);
    jbw_scratch_deinit(&game->scratch);
    jbw_buffer_free(&game->out);
    free(game);
}

void jbw_game_receive(jbw_game *game, uint32_t connection, int key, const uint8_t *bytes,
                      size_t size, uint64_t now)
{
    game->now = now;
    jbw_message message;
    jbw_scratch_reset(&game->scratch);
    const jbw_status status = jbw_message_decode(bytes, size, &game->scratch, &message);
    const jbw_client_request request = {
        .connection = connection, .number = message.request, .key = key};
    switch (status) {
    case JBW_OK: jbw_game_do(game, &request, &message); break;
    case JBW_UNSUPPORTED: jbw_game_refuse_code(game, &request, JBW_ERROR_UNKNOWN_MESSAGE); break;
    case JBW_OUT_OF_MEMORY: jbw_game_refuse_code(game, &request, JBW_ERROR_OUT_OF_MEMORY); break;
    default: jbw_game_refuse_code(game, &request, JBW_ERROR_MALFORMED); break;
    }
}

void jbw_game_forget(jbw_game *game, uint32_t connection, uint64_t now)
{
    game->now = now;
    for (size_t i = 0; i < game->seats.count; i++) {
        jbw_seat *seat = &game->seats.seats[i];
        if (seat->agent.index1 == 0 || seat->driver != connection) continue;
        seat->driver = JBW_NO_CONNECTION_ID;
        if (seat->is_active) jbw_game_set_active(game, seat, false);
    }
}

void jbw_game_close(jbw_game *game)
{
    // when a turn ends, the one behind it is held
    for (int list = 0; list < JBW_TURN_AHEAD; list++) {
        while (game->turns.first[list]) {
            const uint32_t turn = game->turns.first[list];
            refuse_turn(game, jbw_turns_get(&game->turns, turn), JBW_ERROR_CLOSING);
            end_turn(game, turn);
        }
    }
}

jbw_status jbw_game_save(jbw_game *game, jbw_error *error)
{
    if (!game->options.saver) return JBW_OK;
    // what is under way, then the world as it is now
    collect_save(game, true);
    memcpy(game->saving, game->waiting, sizeof game->saving);
    game->saving_count = game->waiting_count;
    game->waiting_count = 0;
    jbw_status status = begin_save(game);
    if (status) return status;
    uint64_t time = 0;
    jbw_error detail = {0};
    jbw_saver_collect(game->options.saver, true, &time, &status, &detail);
    if (!status) game->saved_time = time;
    if (status && error) *error = detail;
    answer_savers(game, time, status, detail.text);
    return status;
}

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
    return (jbw_game_info){
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
        .status = game->status,
    };
}
