// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static const double red[] = {1, 0.5, 0.25};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red, .scent = red, .intensity = "Constant[-2.5]"},
    {.name = "Wall", .color = red, .blocks_movement = true, .intensity = "Constant[-4]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_NO_OP, NULL},
    {JBW_ACTION_DROP, "Apple"},      {JBW_ACTION_DROP, "Note"}, // only with words
};
static const jbw_action scout_actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_NO_OP, NULL},
};
static const jbw_body scout = {
    .name = "Scout", .color = red, .actions = scout_actions, .action_count = 2};
static const jbw_token tokens[] = {
    {.name = "ann", .secret = "ann-secret", .permissions = 31, .agents_most = 10},
    {.name = "bob", .secret = "bob-secret", .permissions = JBW_MAY_ACT, .agents_most = 2},
};

static void take_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                        bool is_final)
{
    stage *s = user;
    assert_true(s->reply_count < STAGE_REPLIES);
    stage_reply *reply = &s->replies[s->reply_count++];
    *reply = (stage_reply){.connection = connection, .size = size, .is_final = is_final};
    // not malloc, which tests with failing_memory.h let fail
    void *copy;
    assert_int_equal(posix_memalign(&copy, sizeof copy, size + 1), 0);
    reply->bytes = copy;
    memcpy(reply->bytes, bytes, size);
}

static bool forward(void *user, uint32_t connection, int key, const uint8_t *bytes, size_t size)
{
    stage *s = user;
    jbw_game_receive(s->game, connection, key, bytes, size, s->now);
    return true;
}

static void make_world(stage *s, jbw_season season, bool has_words)
{
    jbw_item_type types[3] = {items[0], items[1], {.name = "Note", .has_text = true}};
    types[0].season = season;
    types[2].color = types[2].scent = red;
    types[2].intensity = "Constant[-30]";
    if (season.period > 0) types[0].regrows = "Uniform[5, 9]";
    jbw_config config = small_config(16, 200, types, has_words ? 3 : 2);
    config.color_dimensions = 3;
    config.scent_dimensions = 3;
    config.scent_decay = 0.4;
    config.scent_diffusion = 0.05;
    config.agent.vision_range = 3;
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof *actions - !has_words;
    if (has_words) {
        config.agent.voice = (jbw_voice){.symbols = 3, .range = 5};
        config.bodies = &scout;
        config.body_count = 1;
    }
    s->model = model_of(&config);
    s->world = world_of(s->model, 7);
}

void stage_prepare(stage *s)
{
    *s = (stage){.now = 1000};
    make_world(s, (jbw_season){0}, false);
}

void stage_prepare_season(stage *s, jbw_season season)
{
    *s = (stage){.now = 1000};
    make_world(s, season, false);
}

void stage_prepare_words(stage *s)
{
    *s = (stage){.now = 1000};
    make_world(s, (jbw_season){0}, true);
}

void stage_open(stage *s, const jbw_game_options *options)
{
    stage_prepare(s);
    stage_start(s, options);
}

void stage_start(stage *s, const jbw_game_options *options)
{
    assert_int_equal(jbw_token_set_init(&s->keys, tokens, 2, NULL), JBW_OK);
    jbw_game_options o = options ? *options : (jbw_game_options){0};
    o.keys = &s->keys;
    o.frame_rate = 30.0F;
    o.answer = take_answer;
    o.user = s;
    assert_int_equal(jbw_game_create(s->world, &o, s->now, &s->game, NULL), JBW_OK);
    s->host = (jbw_session_shared){
        .keys = &s->keys, .model = s->model, .forward = forward, .answer = take_answer, .user = s};
    assert_true(jbw_session_shared_init(&s->host));
    for (uint32_t i = 0; i < STAGE_CLIENTS; i++) jbw_session_init(&s->sessions[i], i + 1);
}

void stage_close(stage *s)
{
    for (size_t i = 0; i < STAGE_CLIENTS; i++) jbw_session_deinit(&s->sessions[i], &s->host);
    for (size_t i = 0; i < s->reply_count; i++) free(s->replies[i].bytes);
    jbw_scratch_deinit(&s->scratch);
    jbw_game_destroy(s->game);
    jbw_session_shared_deinit(&s->host);
    jbw_token_set_deinit(&s->keys);
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
}

void stage_open_ann(stage *s, const jbw_game_options *options, jbw_agent_id *agents, int count)
{
    stage_open(s, options);
    stage_hello(s, 0, "ann-secret");
    for (int i = 0; i < count; i++) agents[i] = stage_add(s, 0);
}

void stage_open_two(stage *s, jbw_agent_id *ann, jbw_agent_id *bob)
{
    stage_open_ann(s, NULL, ann, 1);
    stage_hello(s, 1, "bob-secret");
    *bob = stage_add(s, 1);
}

void stage_send_bytes(stage *s, int client, const void *bytes, size_t size)
{
    assert_true(jbw_session_receive(&s->sessions[client], &s->host, bytes, size));
}

uint32_t stage_send(stage *s, int client, jbw_message message)
{
    static uint32_t request;
    message.request = ++request;
    jbw_buffer bytes = {0};
    assert_true(jbw_message_encode(&message, &bytes));
    stage_send_bytes(s, client, bytes.bytes, bytes.size);
    jbw_buffer_free(&bytes);
    return request;
}

static size_t find_reply(const stage *s, int client, uint32_t request)
{
    for (size_t i = 0; i < s->reply_count; i++) {
        const stage_reply *reply = &s->replies[i];
        uint32_t number = 0;
        for (int j = 0; j < 4; j++) number |= (uint32_t)reply->bytes[2 + j] << (8 * j);
        if (reply->connection == (uint32_t)client + 1 && number == request) return i;
    }
    return s->reply_count;
}

bool stage_has_reply(const stage *s, int client, uint32_t request)
{
    return find_reply(s, client, request) < s->reply_count;
}

jbw_message stage_read(stage *s, int client, uint32_t request)
{
    static uint8_t *latest; // what the message points at
    const size_t at = find_reply(s, client, request);
    if (at == s->reply_count) fail_msg("there is no reply to request %u", request);
    jbw_message message;
    jbw_scratch_reset(&s->scratch);
    free(latest);
    latest = s->replies[at].bytes;
    assert_int_equal(jbw_message_decode(latest, s->replies[at].size, &s->scratch, &message),
                     JBW_OK);
    if (message.type == JBW_MESSAGE_ERROR)
        assert_int_equal(message.error.is_final, s->replies[at].is_final);
    memmove(&s->replies[at], &s->replies[at + 1], (--s->reply_count - at) * sizeof *s->replies);
    return message;
}

jbw_message stage_ask(stage *s, int client, jbw_message message)
{
    return stage_read(s, client, stage_send(s, client, message));
}

jbw_message stage_hello(stage *s, int client, const char *token)
{
    const jbw_message reply = stage_ask(
        s, client,
        (jbw_message){
            .type = JBW_MESSAGE_HELLO,
            .hello = {.version_least = 1, .version_most = 9, .token = jbw_text_field(token)}});
    assert_int_equal(reply.type, JBW_MESSAGE_WELCOME);
    return reply;
}

jbw_agent_id stage_add(stage *s, int client)
{
    const jbw_message reply = stage_ask(s, client, (jbw_message){.type = JBW_MESSAGE_ADD_AGENT});
    assert_int_equal(reply.type, JBW_MESSAGE_AGENTS);
    assert_int_equal(reply.agents.agents_count, 1);
    return reply.agents.agents[0].agent;
}

jbw_message stage_act(jbw_agent_id agent, uint32_t action, bool waits)
{
    return ASK(ACT, .act = {.agent = agent, .action = action, .waits = waits, .wants = 15});
}

jbw_message stage_act_next(jbw_agent_id agent, uint32_t action)
{
    return ASK(ACT_NEXT, .act_next = {.agent = agent, .action = action});
}

jbw_message stage_set_active(jbw_agent_id agent, bool is_active)
{
    return ASK(SET_ACTIVE, .set_active = {.agent = agent, .is_active = is_active});
}

void stage_wait(stage *s, uint64_t duration)
{
    s->now += duration;
    jbw_game_tick(s->game, s->now);
}

void stage_leave(stage *s, int client)
{
    jbw_session_deinit(&s->sessions[client], &s->host);
    jbw_game_forget(s->game, (uint32_t)client + 1, s->sessions[client].key, s->now);
    jbw_session_init(&s->sessions[client], (uint32_t)client + 1);
}

void expect_error(jbw_message reply, jbw_error_code code)
{
    if (reply.type != JBW_MESSAGE_ERROR)
        fail_msg("expected %s, found %s", jbw_error_code_name(code),
                 jbw_message_find(reply.type)->name);
    if (reply.error.code != code)
        fail_msg("expected %s, found %s", jbw_error_code_name(code),
                 jbw_error_code_name(reply.error.code));
}

void expect_ok(jbw_message reply)
{
    if (reply.type == JBW_MESSAGE_ERROR)
        fail_msg("%s: %.*s", jbw_error_code_name(reply.error.code), (int)reply.error.text.length,
                 reply.error.text.at);
    assert_int_equal(reply.type, JBW_MESSAGE_OK);
}

void expect_observed(jbw_message reply, uint64_t time, int action)
{
    assert_int_equal(reply.type, JBW_MESSAGE_OBSERVED);
    assert_int_equal(reply.observed.time, time);
    assert_int_equal(reply.observed.observations[0].action, action);
}
