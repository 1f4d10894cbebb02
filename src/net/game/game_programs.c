// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Requests that programs make and the page does not: acting for several agents, ahead of time, or
// with words; perceiving; statistics. The playground, whose only client is the page, leaves them out.

#include "base/error.h"
#include "base/utf8.h"
#include "net/game/game_internal.h"

// ---- words ----

// copies a text, with a zero at its end; false if no item can carry it
static bool copy_text(jbw_field_bytes text, char out[JBW_MAX_TEXT + 1], jbw_error *error)
{
    if (text.count > JBW_MAX_TEXT)
        jbw_error_set(error, 0, 0, "the text has %zu bytes, expected at most %d", text.count,
                      JBW_MAX_TEXT);
    else if (text.count > 0 && memchr(text.at, 0, text.count))
        jbw_error_set(error, 0, 0, "the text has a byte that is zero");
    else if (!jbw_utf8_is_valid((const char *)text.at, text.count))
        jbw_error_set(error, 0, 0, "the text is not valid UTF-8");
    else {
        if (text.count > 0) memcpy(out, text.at, text.count);
        out[text.count] = '\0';
        return true;
    }
    return false;
}

bool jbw_game_check_words(const jbw_game *game, const jbw_wire_wish *wish, jbw_error *error)
{
    char text[JBW_MAX_TEXT + 1];
    const jbw_request wanted = {.action = (int)wish->action, .say = wish->say, .text = text};
    return copy_text(wish->text, text, error) &&
           !jbw_model_check_request(jbw_world_model(game->world), &wanted, error);
}

static void place_text(jbw_game *game, const jbw_game_request *request,
                       const jbw_wire_place_text *m)
{
    const jbw_model *model = jbw_world_model(game->world);
    const uint32_t type = m->item.item_type;
    char text[JBW_MAX_TEXT + 1];
    jbw_error error = {0};
    bool is_good = copy_text(m->text, text, &error);
    if (is_good && type >= (uint32_t)jbw_model_item_type_count(model)) {
        jbw_error_set(&error, 0, 0, "there is no item type %u", type);
        is_good = false;
    }
    if (is_good && m->text.count > 0 && !jbw_model_item_has_text(model, (int)type)) {
        jbw_error_set(&error, 0, 0, "%s carries no text", jbw_model_item_name(model, (int)type));
        is_good = false;
    }
    if (!is_good) {
        jbw_game_refuse(game, request, JBW_ERROR_INVALID_ARGUMENT, error.text);
        return;
    }
    const jbw_status status = jbw_world_place_text(game->world, (int)type, m->item.position, text);
    game->change_count++;
    jbw_game_answer_status(game, request, status);
}

// ---- acting ----

static void act_many(jbw_game *game, const jbw_game_request *request, const jbw_wire_act_many *m)
{
    const size_t count = m->choices_count;
    jbw_wire_wish *wishes = jbw_scratch_alloc(&game->scratch, count, sizeof *wishes);
    if (!wishes) {
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
        return;
    }
    for (size_t i = 0; i < count; i++)
        wishes[i] = (jbw_wire_wish){.agent = m->choices[i].agent, .action = m->choices[i].action};
    jbw_game_act(
        game, request,
        &(jbw_act_order){.wishes = wishes, .count = count, .waits = m->waits, .wants = m->wants});
}

// queues a turn behind the agent's pending ones
static void act_next(jbw_game *game, const jbw_game_request *request, const jbw_act_order *order)
{
    jbw_seat *seat = jbw_seats_find(&game->seats, order->wishes[0].agent);
    if (!seat || !seat->turn) {
        jbw_game_act(game, request, order);
        return;
    }
    jbw_act_problem problem = {0};
    if (seat->owner == request->key && seat->ahead_count >= JBW_AHEAD_MOST)
        problem.code = JBW_ERROR_TOO_MANY;
    const uint32_t turn =
        problem.code ? 0 : jbw_game_add_turn(game, request, order, JBW_TURN_AHEAD, &problem);
    if (!turn) {
        jbw_game_refuse_act(game, request, &problem);
        return;
    }
    if (seat->first_ahead)
        jbw_turns_get(&game->turns, seat->last_ahead)->later = turn;
    else
        seat->first_ahead = turn;
    seat->last_ahead = turn;
    seat->ahead_count++;
    seat->driver = request->connection;
}

static void act_next_alone(jbw_game *game, const jbw_game_request *request,
                           const jbw_wire_act_next *m)
{
    const jbw_wire_wish wish = {.agent = m->agent, .action = m->action};
    act_next(game, request,
             &(jbw_act_order){.wishes = &wish, .count = 1, .waits = true, .wants = m->wants});
}

static void act_words(jbw_game *game, const jbw_game_request *request, const jbw_wire_act_words *m)
{
    const jbw_act_order order = {.wishes = m->wishes,
                                 .count = m->wishes_count,
                                 .waits = m->waits || m->is_next,
                                 .wants = m->wants};
    if (!m->is_next)
        jbw_game_act(game, request, &order);
    else if (order.count != 1)
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
    else
        act_next(game, request, &order);
}

// ---- agents ----

static void remove_agent(jbw_game *game, const jbw_game_request *request, jbw_agent_id agent)
{
    jbw_seat *seat = jbw_game_find_own(game, request, agent);
    if (!seat) return;
    jbw_game_leave_turn(game, seat, JBW_ERROR_NO_SUCH_AGENT);
    const jbw_status status = jbw_world_remove_agent(game->world, agent);
    if (!status) jbw_seats_leave(&game->seats, seat);
    game->change_count++;
    jbw_game_settle(game);
    jbw_game_answer_status(game, request, status);
}

static void list_agents(jbw_game *game, const jbw_game_request *request,
                        const jbw_wire_list_agents *m)
{
    size_t count;
    const jbw_agent_id *agents = jbw_game_all_agents(game, &count);
    const size_t first = m->first < count ? m->first : count;
    const size_t most = m->most < JBW_LIST_MOST ? m->most : JBW_LIST_MOST;
    const size_t left = count - first;
    jbw_game_answer_agents(game, request, agents ? agents + first : NULL,
                           left < most ? left : most);
}

static void perceive(jbw_game *game, const jbw_game_request *request, const jbw_wire_perceive *m)
{
    const size_t count = m->agents.count;
    const size_t size = jbw_look_observation_size(jbw_world_model(game->world), m->wants);
    if (count == 0 || (m->wants & ~JBW_WANT_ALL)) {
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
        return;
    }
    if (count > JBW_LIST_MOST || (count > 1 && size > JBW_OBSERVED_BYTES_MOST / count)) {
        jbw_game_refuse_code(game, request, JBW_ERROR_TOO_LARGE);
        return;
    }
    jbw_game_answer_observed(game, request, m->agents.at, count, m->wants);
}

// ---- cells ----

static void inspect(jbw_game *game, const jbw_game_request *request, jbw_position cell)
{
    jbw_cell_look look;
    const jbw_status status = jbw_game_look_at_cell(game, cell, &look);
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    const size_t dimensions = (size_t)jbw_model_scent_dimensions(jbw_world_model(game->world));
    const jbw_message message = {.type = JBW_MESSAGE_CELL,
                                 .request = request->number,
                                 .cell = {.time = jbw_world_time(game->world),
                                          .state = (uint8_t)look.info.state,
                                          .item = look.info.item,
                                          .is_generated = look.info.is_generated,
                                          .since = look.info.since,
                                          .is_since_known = look.info.is_since_known,
                                          .scent = {look.scent, dimensions},
                                          .agents = {look.agents, look.agent_count}}};
    jbw_game_answer(game, request->connection, &message);
}

// ---- the server ----

static void answer_stats(jbw_game *game, const jbw_game_request *request)
{
    const jbw_game_info info = jbw_game_get_info(game);
    const jbw_world_stats stats = jbw_world_get_stats(game->world);
    jbw_message message = {.type = JBW_MESSAGE_STATS,
                           .request = request->number,
                           .stats = {.time = info.time,
                                     .step_count = info.step_count,
                                     .timeout_count = info.timeout_count,
                                     .agent_count = info.agent_count,
                                     .active_count = info.active_count,
                                     .patch_count = stats.patch_count,
                                     .final_patch_count = stats.final_patch_count,
                                     .map_bytes = stats.map_bytes,
                                     .refused_count = info.refused_count,
                                     .is_paused = info.is_paused,
                                     .rate = info.rate,
                                     .saved_time = info.saved_time}};
    if (game->options.add_stats) game->options.add_stats(game->options.user, &message.stats);
    jbw_game_answer(game, request->connection, &message);
}

static void answer_world_file(jbw_game *game, const jbw_game_request *request)
{
    const char *text = game->options.world_file;
    if (!text) {
        jbw_game_refuse(game, request, JBW_ERROR_UNSUPPORTED,
                        "the server does not have the world file");
        return;
    }
    const jbw_message message = {.type = JBW_MESSAGE_WORLD_FILE,
                                 .request = request->number,
                                 .world_file = {.text = {(const uint8_t *)text, strlen(text)}}};
    jbw_game_answer(game, request->connection, &message);
}

// the client's agents are inactive before the answer is sent
static void answer_goodbye(jbw_game *game, const jbw_game_request *request)
{
    jbw_game_forget(game, request->connection, request->key, game->now);
    const jbw_message message = {.type = JBW_MESSAGE_OK,
                                 .request = request->number,
                                 .ok = {.time = jbw_world_time(game->world)}};
    jbw_game_answer_and_close(game, request->connection, &message);
}

void jbw_game_handle_program(jbw_game *game, const jbw_game_request *request,
                             const jbw_message *message)
{
    switch (message->type) {
    case JBW_MESSAGE_REMOVE_AGENT: remove_agent(game, request, message->remove_agent.agent); break;
    case JBW_MESSAGE_ACT_MANY: act_many(game, request, &message->act_many); break;
    case JBW_MESSAGE_ACT_NEXT: act_next_alone(game, request, &message->act_next); break;
    case JBW_MESSAGE_ACT_WORDS: act_words(game, request, &message->act_words); break;
    case JBW_MESSAGE_PLACE_TEXT: place_text(game, request, &message->place_text); break;
    case JBW_MESSAGE_PERCEIVE: perceive(game, request, &message->perceive); break;
    case JBW_MESSAGE_LIST_AGENTS: list_agents(game, request, &message->list_agents); break;
    case JBW_MESSAGE_INSPECT: inspect(game, request, message->inspect.position); break;
    case JBW_MESSAGE_EXAMINE:
        jbw_game_explain_cell(game, request, message->examine.position, false);
        break;
    case JBW_MESSAGE_GET_STATS: answer_stats(game, request); break;
    case JBW_MESSAGE_GET_WORLD_FILE: answer_world_file(game, request); break;
    case JBW_MESSAGE_GOODBYE: answer_goodbye(game, request); break;
    default: jbw_game_refuse_code(game, request, JBW_ERROR_UNKNOWN_MESSAGE); break;
    }
}
