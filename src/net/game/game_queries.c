// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Requests that change nothing.

#include <stdio.h>

#include "net/game/game_internal.h"

// ---- agents ----

// "server:" and the policy, for an agent that the server lets act
static const char *owner_of(jbw_game *game, const jbw_seat *seat)
{
    for (size_t i = 0; i < game->residents.count; i++) {
        const jbw_resident *resident = &game->residents.list[i];
        if (jbw_seats_find(&game->seats, resident->agent) != seat) continue;
        const char *policy = jbw_policy_get_name(resident->policy);
        const size_t size = sizeof "server:" + strlen(policy);
        char *text = jbw_scratch_alloc(&game->scratch, 1, size);
        if (!text) return "server";
        snprintf(text, size, "server:%s", policy);
        return text;
    }
    return jbw_seats_name(&game->seats, seat->owner);
}

static jbw_status describe_agent(jbw_game *game, const jbw_game_request *request,
                                 jbw_agent_id agent, jbw_wire_agent_info *out)
{
    const jbw_status status = jbw_look_agent(game->world, agent, &game->scratch, out);
    const jbw_seat *seat = jbw_seats_find(&game->seats, agent);
    if (status || !seat) return status;
    out->owner = jbw_text_field(owner_of(game, seat));
    out->is_yours = seat->owner >= 0 && seat->owner == request->key;
    out->is_driven = seat->driver != JBW_NO_CONNECTION_ID;
    if (seat->turn) {
        // a held turn has not reached the world yet
        const jbw_turn *turn = jbw_turns_get(&game->turns, seat->turn);
        for (size_t i = 0; i < turn->count; i++)
            if (turn->agents[i].index1 == agent.index1) out->request = turn->actions[i];
    }
    return status;
}

// all agents of the world, in scratch memory; NULL when memory runs out
jbw_agent_id *jbw_game_all_agents(jbw_game *game, size_t *count)
{
    *count = jbw_world_agents(game->world, NULL, 0);
    jbw_agent_id *agents = jbw_scratch_alloc(&game->scratch, *count + 1, sizeof *agents);
    if (agents) jbw_world_agents(game->world, agents, *count);
    return agents;
}

bool jbw_game_answer_agents(jbw_game *game, const jbw_game_request *request,
                            const jbw_agent_id *agents, size_t count)
{
    jbw_wire_agent_info *list = jbw_scratch_alloc(&game->scratch, count + 1, sizeof *list);
    if (!list || !agents) {
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
        return false;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = describe_agent(game, request, agents[i], &list[found]);
        if (status == JBW_OUT_OF_MEMORY) {
            jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
            return false;
        }
        if (!status) found++;
    }
    const jbw_message message = {
        .type = JBW_MESSAGE_AGENTS,
        .request = request->number,
        .agents = {.time = jbw_world_time(game->world),
                   .total = (uint32_t)jbw_world_agents(game->world, NULL, 0),
                   .agents = list,
                   .agents_count = found}};
    return jbw_game_answer(game, request->connection, &message);
}

static void get_agents(jbw_game *game, const jbw_game_request *request, jbw_field_agents agents)
{
    if (agents.count > JBW_LIST_MOST)
        jbw_game_refuse_code(game, request, JBW_ERROR_TOO_LARGE);
    else if (agents.count == 0)
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
    else
        jbw_game_answer_agents(game, request, agents.at, agents.count);
}

void jbw_game_answer_observed(jbw_game *game, const jbw_game_request *request,
                              const jbw_agent_id *agents, size_t count, unsigned wants)
{
    const bool has_words = (wants & JBW_WANT_WORDS) != 0;
    const size_t words_count = has_words ? count : 0;
    jbw_wire_observation *list = jbw_scratch_alloc(&game->scratch, count, sizeof *list);
    jbw_wire_words *words = jbw_scratch_alloc(&game->scratch, words_count, sizeof *words);
    jbw_status status = list && words ? JBW_OK : JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        status = jbw_look_observation(game->world, agents[i], wants, &game->scratch, &list[i]);
    for (size_t i = 0; i < words_count && !status; i++)
        status = jbw_look_words(game->world, agents[i], &game->scratch, &words[i]);
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    const jbw_message message = {.type = has_words ? JBW_MESSAGE_PERCEIVED : JBW_MESSAGE_OBSERVED,
                                 .request = request->number,
                                 .perceived = {.observed = {.time = jbw_world_time(game->world),
                                                            .observations = list,
                                                            .observations_count = count},
                                               .words = words,
                                               .words_count = words_count}};
    jbw_game_answer(game, request->connection, &message);
}

// ---- the map ----

static bool is_too_large(jbw_region region, int64_t most)
{
    return region.width > most || region.height > most || region.width * region.height > most;
}

// true if an invariant world might have to generate too many patches for a region
static bool is_too_much_to_generate(const jbw_world *world, jbw_region region)
{
    const jbw_model *model = jbw_world_model(world);
    if (jbw_model_generation(model) != JBW_GENERATION_INVARIANT) return false;
    const int64_t size = jbw_model_patch_size(model);
    const int64_t columns = region.width / size + 2;
    const int64_t rows = region.height / size + 2;
    return is_too_large((jbw_region){0, 0, columns, rows}, JBW_LOOK_PATCHES_MOST);
}

static jbw_region sampled(const jbw_wire_smell *m)
{
    const int64_t stride = m->stride > 1 ? m->stride : 1;
    return (jbw_region){0, 0, (m->region.width + stride - 1) / stride,
                        (m->region.height + stride - 1) / stride};
}

bool jbw_game_is_too_large(const jbw_game *game, const jbw_message *message)
{
    switch (message->type) {
    case JBW_MESSAGE_READ_REGION:
        return is_too_large(message->read_region.region, JBW_REGION_CELLS_MOST) ||
               is_too_much_to_generate(game->world, message->read_region.region);
    case JBW_MESSAGE_READ_PLANES:
        return is_too_large(message->read_planes.region, JBW_REGION_CELLS_MOST) ||
               is_too_much_to_generate(game->world, message->read_planes.region);
    case JBW_MESSAGE_SMELL:
        return is_too_large(sampled(&message->smell), JBW_SMELL_CELLS_MOST) ||
               is_too_much_to_generate(game->world, message->smell.region);
    default: return false;
    }
}

static void read_region(jbw_game *game, const jbw_game_request *request,
                        const jbw_wire_read_region *m)
{
    const size_t count = (size_t)(m->region.width * m->region.height);
    uint8_t *items = jbw_scratch_alloc(&game->scratch, count + 1, 1);
    uint8_t *states = m->wants_states ? jbw_scratch_alloc(&game->scratch, count + 1, 1) : NULL;
    jbw_status status = items && (states || !m->wants_states) ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_world_read_region(game->world, m->region, items, states);
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    const jbw_message message = {.type = JBW_MESSAGE_REGION,
                                 .request = request->number,
                                 .region = {.time = jbw_world_time(game->world),
                                            .region = m->region,
                                            .items = {items, count},
                                            .states = {states, states ? count : 0}}};
    jbw_game_answer(game, request->connection, &message);
}

static void read_planes(jbw_game *game, const jbw_game_request *request,
                        const jbw_wire_read_planes *m)
{
    enum { PLANES = 4, ALL = (1 << PLANES) - 1 };
    if (m->planes == 0 || m->planes > ALL) {
        jbw_game_refuse_code(game, request, JBW_ERROR_INVALID_ARGUMENT);
        return;
    }
    const size_t count = (size_t)(m->region.width * m->region.height);
    jbw_field_bytes planes[PLANES] = {{NULL, 0}};
    uint8_t *into[PLANES] = {NULL};
    jbw_status status = JBW_OK;
    for (int i = 0; i < PLANES && !status; i++) {
        if ((m->planes >> i & 1) == 0) continue;
        into[i] = jbw_scratch_alloc(&game->scratch, count + 1, 1);
        planes[i] = (jbw_field_bytes){into[i], count};
        if (!into[i]) status = JBW_OUT_OF_MEMORY;
    }
    const jbw_region_planes wanted = {
        .items = into[0], .hidden = into[1], .growing = into[2], .states = into[3]};
    if (!status) status = jbw_world_read_planes(game->world, m->region, &wanted);
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    const jbw_message message = {.type = JBW_MESSAGE_PLANES,
                                 .request = request->number,
                                 .planes = {.time = jbw_world_time(game->world),
                                            .region = m->region,
                                            .items = planes[0],
                                            .hidden = planes[1],
                                            .growing = planes[2],
                                            .states = planes[3]}};
    jbw_game_answer(game, request->connection, &message);
}

// samples every stride-th cell of the region, starting at its corner
static void smell(jbw_game *game, const jbw_game_request *request, const jbw_wire_smell *m)
{
    const jbw_region region = m->region;
    const int64_t stride = m->stride > 1 ? m->stride : 1;
    const jbw_region cells = sampled(m);
    const size_t dimensions = (size_t)jbw_model_scent_dimensions(jbw_world_model(game->world));
    const size_t count = (size_t)(cells.width * cells.height) * dimensions;
    float *scent = jbw_scratch_alloc(&game->scratch, count + 1, sizeof *scent);
    jbw_status status = scent ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status && !jbw_limits_contain((jbw_position){region.x, region.y}))
        status = JBW_OUT_OF_RANGE;
    size_t at = 0;
    for (int64_t y = 0; y < region.height && !status; y += stride) {
        for (int64_t x = 0; x < region.width && !status; x += stride) {
            const jbw_position cell = {region.x + x, region.y + y};
            status = jbw_world_smell(game->world, cell, scent + at);
            at += dimensions;
        }
    }
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    const jbw_message message = {
        .type = JBW_MESSAGE_SCENT,
        .request = request->number,
        .scent = {.time = jbw_world_time(game->world), .region = region, .scent = {scent, count}}};
    jbw_game_answer(game, request->connection, &message);
}

jbw_status jbw_game_look_at_cell(jbw_game *game, jbw_position cell, jbw_cell_look *out)
{
    *out = (jbw_cell_look){0};
    size_t count;
    const jbw_agent_id *agents = jbw_game_all_agents(game, &count);
    jbw_status status = agents ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_world_inspect(game->world, cell, &out->info);
    if (!status) status = jbw_world_smell(game->world, cell, out->scent);
    if (status) return status;
    const size_t most = sizeof out->agents / sizeof *out->agents;
    for (size_t i = 0; i < count && out->agent_count < most; i++) {
        jbw_agent_state state;
        if (jbw_agent_get_state(game->world, agents[i], &state)) continue;
        if (state.position.x == cell.x && state.position.y == cell.y)
            out->agents[out->agent_count++] = agents[i];
    }
    return JBW_OK;
}

void jbw_game_explain_cell(jbw_game *game, const jbw_game_request *request, jbw_position cell,
                           bool has_text)
{
    jbw_cell_look look;
    const jbw_status status = jbw_game_look_at_cell(game, cell, &look);
    if (status) {
        jbw_game_answer_status(game, request, status);
        return;
    }
    const size_t dimensions = (size_t)jbw_model_scent_dimensions(jbw_world_model(game->world));
    const jbw_message message = {
        .type = has_text ? JBW_MESSAGE_EXPLAINED : JBW_MESSAGE_CELL_DETAILS,
        .request = request->number,
        .explained = {.cell = {.time = jbw_world_time(game->world),
                               .state = (uint8_t)look.info.state,
                               .item = look.info.item,
                               .is_hidden = look.info.is_hidden,
                               .is_generated = look.info.is_generated,
                               .since = look.info.since,
                               .is_since_known = look.info.is_since_known,
                               .growing = look.info.growing,
                               .due = look.info.due,
                               .scent = {look.scent, dimensions},
                               .agents = {look.agents, look.agent_count}},
                      .text = {(const uint8_t *)look.info.text, strlen(look.info.text)}}};
    jbw_game_answer(game, request->connection, &message);
}

// ---- the server ----

// lists the client's own agents, as many as fit
static bool list_own_agents(jbw_game *game, const jbw_game_request *request, jbw_wire_welcome *out)
{
    jbw_wire_agent_info *list = jbw_scratch_alloc(&game->scratch, JBW_LIST_MOST, sizeof *list);
    if (!list) return false;
    size_t count = 0;
    for (size_t i = 0; i < game->seats.count && count < JBW_LIST_MOST; i++) {
        const jbw_seat *seat = &game->seats.seats[i];
        if (seat->agent.index1 == 0 || request->key < 0 || seat->owner != request->key) continue;
        if (!describe_agent(game, request, seat->agent, &list[count])) count++;
    }
    out->agents = list;
    out->agents_count = count;
    return true;
}

static void welcome(jbw_game *game, const jbw_game_request *request, const jbw_wire_hello *hello)
{
    const jbw_token_digest *key = request->key < 0 ? NULL : &game->options.keys->keys[request->key];
    const uint32_t permissions = game->options.player            ? JBW_PERMISSIONS_OF_PLAY
                                 : game->options.is_view || !key ? JBW_PERMISSION_WATCH
                                                                 : key->permissions;
    char name[64] = "jbw ";
    strncat(name, jbw_version(), sizeof name - 5);
    jbw_message message = {
        .type = JBW_MESSAGE_WELCOME,
        .request = request->number,
        .welcome = {.version = hello->version_most < JBW_PROTOCOL_VERSION ? hello->version_most
                                                                          : JBW_PROTOCOL_VERSION,
                    .server = jbw_text_field(name),
                    .name = jbw_text_field(key ? key->name : ""),
                    .permissions = (uint8_t)permissions,
                    .agents_most = key ? key->agents_most : 0,
                    .time = jbw_world_time(game->world),
                    .started_time = game->started_time,
                    .seed = jbw_world_seed(game->world),
                    .is_paused = game->is_paused,
                    .rate = game->rate,
                    .turn_timeout = (uint32_t)(game->options.turn_timeout / 1000000),
                    .message_most = JBW_MESSAGE_MOST,
                    .region_cells_most = JBW_REGION_CELLS_MOST,
                    .smell_cells_most = JBW_SMELL_CELLS_MOST,
                    .list_most = JBW_LIST_MOST,
                    .subscriptions_most = JBW_SUBSCRIPTIONS_MOST,
                    .subscription_patches_most = JBW_SUBSCRIPTION_PATCHES_MOST,
                    .step_count_most = JBW_STEP_COUNT_MOST,
                    .explore_places_most = JBW_EXPLORE_PLACES_MOST,
                    .frame_rate_most = game->options.frame_rate}};
    const jbw_status status =
        jbw_look_model(jbw_world_model(game->world), &game->scratch, &message.welcome);
    if (status || !list_own_agents(game, request, &message.welcome))
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
    else
        jbw_game_answer(game, request->connection, &message);
}

static void answer_hash(jbw_game *game, const jbw_game_request *request)
{
    const jbw_message message = {
        .type = JBW_MESSAGE_HASH,
        .request = request->number,
        .hash = {.time = jbw_world_time(game->world), .hash = jbw_world_hash(game->world)}};
    jbw_game_answer(game, request->connection, &message);
}

static void answer_calendar(jbw_game *game, const jbw_game_request *request)
{
    jbw_message message = {.type = JBW_MESSAGE_CALENDAR, .request = request->number};
    const jbw_status status =
        jbw_look_calendar(jbw_world_model(game->world), &game->scratch, &message.calendar);
    if (status)
        jbw_game_answer_status(game, request, status);
    else
        jbw_game_answer(game, request->connection, &message);
}

static void answer_features(jbw_game *game, const jbw_game_request *request)
{
    jbw_message message = {.type = JBW_MESSAGE_FEATURES, .request = request->number};
    const jbw_status status =
        jbw_look_features(jbw_world_model(game->world), &game->scratch, &message.features);
    if (status)
        jbw_game_answer_status(game, request, status);
    else
        jbw_game_answer(game, request->connection, &message);
}

// ---- recordings ----

static void answer_timeline(jbw_game *game, const jbw_game_request *request)
{
    const jbw_player *player = game->options.player;
    jbw_message message = {.type = JBW_MESSAGE_TIMELINE,
                           .request = request->number,
                           .timeline = {.name = jbw_text_field("")}};
    if (player)
        message.timeline = (jbw_wire_timeline){.is_recording = true,
                                               .first_time = jbw_player_first_time(player),
                                               .last_time = jbw_player_last_time(player),
                                               .name = jbw_text_field(jbw_player_name(player))};
    jbw_game_answer(game, request->connection, &message);
}

static void find_events(jbw_game *game, const jbw_game_request *request,
                        const jbw_wire_find_events *m)
{
    if (!game->options.player) {
        jbw_game_refuse(game, request, JBW_ERROR_UNSUPPORTED, "only recordings have events");
        return;
    }
    jbw_wire_event *events = jbw_scratch_alloc(&game->scratch, JBW_LIST_MOST, sizeof *events);
    if (!events) {
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
        return;
    }
    jbw_message message = {.type = JBW_MESSAGE_EVENTS, .request = request->number};
    message.events.events = events;
    message.events.events_count = jbw_player_find_events(game->options.player, m, events,
                                                         JBW_LIST_MOST, &message.events.known_to);
    jbw_game_answer(game, request->connection, &message);
}

static void answer_ping(jbw_game *game, const jbw_game_request *request, uint64_t cookie)
{
    const jbw_message message = {.type = JBW_MESSAGE_PONG,
                                 .request = request->number,
                                 .pong = {.cookie = cookie, .time = jbw_world_time(game->world)}};
    jbw_game_answer(game, request->connection, &message);
}

void jbw_game_query(jbw_game *game, const jbw_game_request *request, const jbw_message *message)
{
    if (jbw_game_is_too_large(game, message)) {
        jbw_game_refuse_code(game, request, JBW_ERROR_TOO_LARGE);
        return;
    }
    switch (message->type) {
    case JBW_MESSAGE_HELLO: welcome(game, request, &message->hello); break;
    case JBW_MESSAGE_PING: answer_ping(game, request, message->ping.cookie); break;
    case JBW_MESSAGE_READ_REGION: read_region(game, request, &message->read_region); break;
    case JBW_MESSAGE_READ_PLANES: read_planes(game, request, &message->read_planes); break;
    case JBW_MESSAGE_GET_AGENTS: get_agents(game, request, message->get_agents.agents); break;
    case JBW_MESSAGE_SMELL: smell(game, request, &message->smell); break;
    case JBW_MESSAGE_GET_TIMELINE: answer_timeline(game, request); break;
    case JBW_MESSAGE_FIND_EVENTS: find_events(game, request, &message->find_events); break;
    case JBW_MESSAGE_EXPLAIN:
        jbw_game_explain_cell(game, request, message->explain.position, true);
        break;
    case JBW_MESSAGE_GET_FEATURES: answer_features(game, request); break;
    case JBW_MESSAGE_GET_CALENDAR: answer_calendar(game, request); break;
    case JBW_MESSAGE_GET_HASH: answer_hash(game, request); break;
    default: jbw_game_handle_program(game, request, message); break;
    }
}
