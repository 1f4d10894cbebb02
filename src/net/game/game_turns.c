// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Turns and steps: actions go to the world, the world steps, and those who waited are answered.

#include "net/game/game_internal.h"
#include "net/thread/clock.h"

static jbw_game_request request_of(const jbw_turn *t)
{
    return (jbw_game_request){.connection = t->connection, .number = t->request};
}

// promotes the agent's first turn ahead: it is held, to be posted on the next tick
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
        const jbw_game_request request = request_of(t);
        // the current message's lists have been used by now
        jbw_scratch_reset(&game->scratch);
        if (t->waits) jbw_game_answer_observed(game, &request, t->agents, t->count, t->wants);
        end_turn(game, turn);
    }
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
        // keep a steady beat; what a delay cost is caught up with as far as the options say
        const uint64_t interval = (uint64_t)((double)JBW_SECOND / game->rate);
        game->due += interval;
        if (game->due + game->options.catch_up < game->now) game->due = game->now + interval;
    }
    jbw_residents_end_turn(&game->residents, game->world);
    answer_posted_turns(game);
}

bool jbw_game_is_open(const jbw_game *game)
{
    return !game->is_paused && game->now >= game->due;
}

jbw_status jbw_game_post(jbw_game *game, uint32_t turn)
{
    jbw_turn *t = jbw_turns_get(&game->turns, turn);
    if (t->list == JBW_TURN_HELD) jbw_turns_move(&game->turns, turn, JBW_TURN_POSTED);
    const jbw_requests requests = {.actions = t->actions, .say = t->say, .texts = t->texts};
    const jbw_status status = jbw_world_request(game->world, t->agents, &requests, t->count, NULL);
    if (status) {
        const jbw_game_request request = request_of(t);
        if (t->waits) jbw_game_answer_status(game, &request, status);
        end_turn(game, turn);
        return status;
    }
    game->change_count++;
    jbw_game_settle(game);
    return JBW_OK;
}

static void refuse_turn(jbw_game *game, jbw_turn *t, jbw_error_code code)
{
    const jbw_game_request request = request_of(t);
    if (t->waits) jbw_game_refuse_code(game, &request, code);
    t->waits = false;
}

// removes the agent from its pending turn only; the turn's other agents stay in it
static void leave_pending_turn(jbw_game *game, jbw_seat *seat, jbw_error_code code)
{
    const uint32_t turn = seat->turn;
    jbw_turn *t = jbw_turns_get(&game->turns, turn);
    refuse_turn(game, t, code);
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (jbw_seats_find(&game->seats, t->agents[i]) == seat) continue;
        t->agents[kept] = t->agents[i];
        t->say[kept] = t->say[i];
        t->texts[kept] = t->texts[i];
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
    leave_pending_turn(game, seat, code);
    while (ahead) {
        jbw_turn *t = jbw_turns_get(&game->turns, ahead);
        const uint32_t later = t->later;
        refuse_turn(game, t, code);
        jbw_turns_remove(&game->turns, ahead);
        ahead = later;
    }
}

void jbw_game_end_turns(jbw_game *game, jbw_error_code code)
{
    // turns ahead need no list of their own here: ending a turn holds the one behind it
    for (int list = 0; list < JBW_TURN_AHEAD; list++) {
        while (game->turns.first[list]) {
            const uint32_t turn = game->turns.first[list];
            refuse_turn(game, jbw_turns_get(&game->turns, turn), code);
            end_turn(game, turn);
        }
    }
}

jbw_status jbw_game_act_residents(jbw_game *game)
{
    const jbw_status status = jbw_residents_act(&game->residents, game->world);
    jbw_game_settle(game);
    return status;
}

jbw_status jbw_game_step(jbw_game *game)
{
    if (game->options.player) {
        // JBW_NOT_FOUND at the end of the recording
        const jbw_status status = jbw_player_advance(game->options.player);
        jbw_game_settle(game);
        return status;
    }
    const uint64_t time = jbw_world_time(game->world);
    while (game->turns.first[JBW_TURN_HELD] && jbw_world_time(game->world) == time)
        jbw_game_post(game, game->turns.first[JBW_TURN_HELD]);
    if (jbw_world_time(game->world) != time) return JBW_OK;
    jbw_status status = jbw_game_act_residents(game);
    if (status || jbw_world_time(game->world) != time) return status;
    status = jbw_world_step(game->world);
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
