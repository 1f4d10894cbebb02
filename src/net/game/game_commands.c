// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Requests that change something. Each is checked completely first, so that a refused request has
// changed nothing.

#include "net/game/game_internal.h"

// ---- agents ----

// the seat of an agent that the client owns; otherwise refuses the request and returns NULL
jbw_seat *jbw_game_find_own(jbw_game *game, const jbw_game_request *request, jbw_agent_id agent)
{
    jbw_seat *seat = jbw_seats_find(&game->seats, agent);
    if (seat && seat->owner == request->key && request->key >= 0) return seat;
    jbw_game_refuse_code(game, request, seat ? JBW_ERROR_NOT_YOURS : JBW_ERROR_NO_SUCH_AGENT);
    return NULL;
}

static void add_agent(jbw_game *game, const jbw_game_request *request, const jbw_wire_add_agent *m,
                      int body)
{
    const jbw_token_digest *key = &game->options.keys->keys[request->key];
    if (m->direction > JBW_LEFT) {
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
        return;
    }
    if (body >= jbw_model_body_count(jbw_world_model(game->world))) {
        jbw_game_refuse(game, request, JBW_ERROR_INVALID_ARGUMENT,
                        "there is no such body: `features` lists them");
        return;
    }
    if (m->is_forced && !(key->permissions & JBW_PERMISSION_EDIT)) {
        jbw_game_refuse(game, request, JBW_ERROR_NOT_PERMITTED,
                        "forcing an agent into a cell needs the permission edit");
        return;
    }
    if (game->seats.owners[request->key].agent_count >= key->agents_most) {
        jbw_game_refuse(game, request, JBW_ERROR_TOO_MANY,
                        "your token has reached its limit of agents");
        return;
    }
    if (!jbw_seats_reserve(&game->seats, game->seats.count + 1)) {
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
        return;
    }
    const jbw_agent_options options = {.has_position = m->has_position,
                                       .position = m->position,
                                       .direction = (jbw_direction)m->direction,
                                       .is_forced = m->is_forced,
                                       .body = body};
    jbw_agent_id agent;
    const jbw_status status = jbw_world_add_agent(game->world, &options, &agent);
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    // a loaded world may have free slots behind all the agents that it was loaded with
    if (!jbw_seats_reserve(&game->seats, agent.index1)) {
        jbw_world_remove_agent(game->world, agent);
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
        return;
    }
    if (game->seats.active_count == 0) game->turn_started = game->now;
    jbw_seat *seat = jbw_seats_take(&game->seats, agent, request->key);
    jbw_seats_set_active(&game->seats, seat, true);
    seat->driver = request->connection;
    game->change_count++;
    if (jbw_game_answer_agents(game, request, &agent, 1)) return;
    // an agent that its owner does not know of would hold up the world
    jbw_world_remove_agent(game->world, agent);
    jbw_seats_leave(&game->seats, seat);
}

static void set_active(jbw_game *game, const jbw_game_request *request,
                       const jbw_wire_set_active *m)
{
    jbw_seat *seat = jbw_game_find_own(game, request, m->agent);
    if (!seat) return;
    if (m->is_active) seat->driver = request->connection;
    jbw_status status = JBW_OK;
    if (m->is_active != seat->is_active) status = jbw_game_set_active(game, seat, m->is_active);
    jbw_game_answer_status(game, request, status);
}

// ---- actions ----

void jbw_game_refuse_act(jbw_game *game, const jbw_game_request *request,
                         const jbw_act_problem *problem)
{
    const char *text = problem->error.text;
    jbw_game_refuse(game, request, problem->code,
                    text[0] ? text : jbw_error_code_text(problem->code));
}

static void check_wish(jbw_game *game, const jbw_game_request *request, const jbw_wire_wish *wish,
                       jbw_act_problem *out)
{
    jbw_seat *seat = jbw_seats_find(&game->seats, wish->agent);
    if (!seat)
        out->code = JBW_ERROR_NO_SUCH_AGENT;
    else if (seat->owner != request->key)
        out->code = JBW_ERROR_NOT_YOURS;
    else if (!seat->is_active)
        out->code = JBW_ERROR_INACTIVE;
    else if (wish->action >= (uint32_t)jbw_model_action_count(jbw_world_model(game->world)) ||
             seat->mark == game->mark) // duplicate
        out->code = JBW_ERROR_INVALID_ARGUMENT;
    else if ((wish->say != 0 || wish->text.count > 0) &&
             !jbw_game_check_words(game, wish, &out->error))
        out->code = JBW_ERROR_INVALID_ARGUMENT;
    else
        seat->mark = game->mark;
}

// Checks everything, then adds a turn; zero with a problem if that is not possible.
uint32_t jbw_game_add_turn(jbw_game *game, const jbw_game_request *request,
                           const jbw_act_order *order, jbw_turn_list list, jbw_act_problem *problem)
{
    const size_t count = order->count;
    const size_t size =
        count > 1 ? count * jbw_look_observation_size(jbw_world_model(game->world), order->wants)
                  : 0;
    if (count == 0 || (order->wants & ~JBW_WANT_ALL)) problem->code = JBW_ERROR_INVALID_ARGUMENT;
    if (count > JBW_LIST_MOST || (order->waits && size > JBW_OBSERVED_BYTES_MOST))
        problem->code = JBW_ERROR_TOO_LARGE;
    game->mark++;
    size_t letter_count = 0;
    for (size_t i = 0; i < count && !problem->code; i++) {
        const size_t length = order->wishes[i].text.count;
        check_wish(game, request, &order->wishes[i], problem);
        letter_count += length > 0 ? length + 1 : 0;
    }
    if (problem->code) return 0;
    const uint32_t turn = jbw_turns_add(&game->turns, list, count, letter_count);
    if (!turn) {
        problem->code = JBW_ERROR_OUT_OF_MEMORY;
        return 0;
    }
    jbw_turn *t = jbw_turns_get(&game->turns, turn);
    t->connection = request->connection;
    t->request = request->number;
    t->wants = order->wants;
    t->waits = order->waits;
    char *letters = t->letters;
    for (size_t i = 0; i < count; i++) {
        const jbw_wire_wish *wish = &order->wishes[i];
        const size_t length = wish->text.count;
        t->agents[i] = wish->agent;
        t->actions[i] = (int)wish->action;
        t->say[i] = wish->say;
        t->texts[i] = length > 0 ? letters : NULL;
        if (length == 0) continue;
        memcpy(letters, wish->text.at, length);
        letters[length] = '\0';
        letters += length + 1;
    }
    return turn;
}

void jbw_game_act(jbw_game *game, const jbw_game_request *request, const jbw_act_order *order)
{
    jbw_act_problem problem = {0};
    const jbw_turn_list list = jbw_game_is_open(game) ? JBW_TURN_POSTED : JBW_TURN_HELD;
    const uint32_t turn = jbw_game_add_turn(game, request, order, list, &problem);
    if (!turn) {
        jbw_game_refuse_act(game, request, &problem);
        return;
    }
    const jbw_turn *t = jbw_turns_get(&game->turns, turn);
    for (size_t i = 0; i < t->count; i++) {
        jbw_seat *seat = jbw_seats_find(&game->seats, t->agents[i]);
        jbw_game_leave_turn(game, seat, JBW_ERROR_REPLACED);
        seat->turn = turn;
        seat->driver = request->connection;
    }
    const jbw_status status = list == JBW_TURN_HELD ? JBW_OK : jbw_game_post(game, turn);
    if (!order->waits) jbw_game_answer_status(game, request, status);
}

static void act_alone(jbw_game *game, const jbw_game_request *request, const jbw_wire_act *m)
{
    const jbw_wire_wish wish = {.agent = m->agent, .action = m->action};
    jbw_game_act(
        game, request,
        &(jbw_act_order){.wishes = &wish, .count = 1, .waits = m->waits, .wants = m->wants});
}

// ---- control ----

static void set_paused(jbw_game *game, const jbw_game_request *request, bool is_paused)
{
    if (game->is_paused && !is_paused) {
        game->turn_started = game->now;
        game->due = game->now;
    }
    game->is_paused = is_paused;
    game->change_count++;
    jbw_game_answer_ok(game, request);
}

static void take_steps(jbw_game *game, const jbw_game_request *request, uint32_t count)
{
    if (count < 1 || count > JBW_STEP_COUNT_MOST) {
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
        return;
    }
    jbw_status status = JBW_OK;
    for (uint32_t i = 0; i < count && !status; i++) status = jbw_game_step(game);
    jbw_game_answer_status(game, request, status);
}

static void set_rate(jbw_game *game, const jbw_game_request *request, double rate)
{
    const double slowest = 1e-3; // keeps times far from overflow
    if (!(rate == 0.0 || (rate >= slowest && rate <= 1e9))) {
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
        return;
    }
    game->rate = rate;
    game->due = game->now;
    game->change_count++;
    jbw_game_answer_ok(game, request);
}

static void seek(jbw_game *game, const jbw_game_request *request, uint64_t time)
{
    if (!game->options.player) {
        jbw_game_refuse(game, request, JBW_ERROR_UNSUPPORTED, "only a recording can seek");
        return;
    }
    const jbw_status status = jbw_player_seek(game->options.player, time);
    game->world = jbw_player_world(game->options.player);
    game->time_seen = jbw_world_time(game->world);
    game->due = game->now;
    game->change_count++;
    jbw_game_answer_status(game, request, status);
}

static void save(jbw_game *game, const jbw_game_request *request)
{
    if (!game->options.saver) {
        jbw_game_refuse(game, request, JBW_ERROR_UNSUPPORTED, "this server has no file to save to");
        return;
    }
    if (game->waiting_count == JBW_SAVE_REQUESTS_MOST) {
        jbw_game_refuse_code(game, request, JBW_ERROR_TOO_MANY);
        return;
    }
    game->waiting[game->waiting_count++] = *request;
    game->wants_save = true;
}

static void explore(jbw_game *game, const jbw_game_request *request, const jbw_wire_explore *m)
{
    if (m->places_count < 1 || m->places_count > JBW_EXPLORE_PLACES_MOST) {
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
        return;
    }
    jbw_position positions[JBW_EXPLORE_PLACES_MOST];
    for (size_t i = 0; i < m->places_count; i++) positions[i] = m->places[i].position;
    const jbw_status status = jbw_world_explore(game->world, positions, m->places_count);
    game->change_count++;
    jbw_game_answer_status(game, request, status);
}

static void place_item(jbw_game *game, const jbw_game_request *request,
                       const jbw_wire_place_item *m)
{
    const int type_count = jbw_model_item_type_count(jbw_world_model(game->world));
    jbw_status status = JBW_INVALID_ARGUMENT;
    if (m->item_type < (uint32_t)type_count)
        status = jbw_world_place_item(game->world, (int)m->item_type, m->position);
    game->change_count++;
    jbw_game_answer_status(game, request, status);
}

static void remove_item(jbw_game *game, const jbw_game_request *request,
                        const jbw_wire_remove_item *m)
{
    const jbw_status status = jbw_world_remove_item(game->world, m->position);
    game->change_count++;
    jbw_game_answer_status(game, request, status);
}

void jbw_game_handle(jbw_game *game, const jbw_game_request *request, const jbw_message *message)
{
    const jbw_message_info *info = jbw_message_find(message->type);
    const bool is_query = (info->needs & ~JBW_PERMISSION_WATCH) == 0;
    if (is_query || message->type == JBW_MESSAGE_GET_HASH) {
        jbw_game_query(game, request, message);
        return;
    }
    if (game->options.is_view || (game->options.player && info->needs != JBW_PERMISSION_CONTROL)) {
        jbw_game_refuse(game, request, JBW_ERROR_UNSUPPORTED, "this world is read-only");
        return;
    }
    switch (message->type) {
    case JBW_MESSAGE_ADD_AGENT: add_agent(game, request, &message->add_agent, 0); break;
    case JBW_MESSAGE_JOIN:
        add_agent(game, request, &message->join.place, message->join.body);
        break;
    case JBW_MESSAGE_SET_ACTIVE: set_active(game, request, &message->set_active); break;
    case JBW_MESSAGE_ACT: act_alone(game, request, &message->act); break;
    case JBW_MESSAGE_PAUSE: set_paused(game, request, true); break;
    case JBW_MESSAGE_RESUME: set_paused(game, request, false); break;
    case JBW_MESSAGE_STEP: take_steps(game, request, message->step.count); break;
    case JBW_MESSAGE_SET_RATE: set_rate(game, request, message->set_rate.rate); break;
    case JBW_MESSAGE_SEEK: seek(game, request, message->seek.time); break;
    case JBW_MESSAGE_SAVE: save(game, request); break;
    case JBW_MESSAGE_PLACE_ITEM: place_item(game, request, &message->place_item); break;
    case JBW_MESSAGE_REMOVE_ITEM: remove_item(game, request, &message->remove_item); break;
    case JBW_MESSAGE_EXPLORE: explore(game, request, &message->explore); break;
    default: jbw_game_handle_program(game, request, message); break;
    }
}
