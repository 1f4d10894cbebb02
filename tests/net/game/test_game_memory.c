// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Requests to a served world while every allocation fails in turn: the client is told or
/// disconnected, the world is as before or as wanted, and the next request is answered.
#include "support/stage.h"

#include "support/failing_memory.h"

typedef struct scene {
    stage stage;
    jbw_agent_id ann[2];
    jbw_agent_id bob;
    jbw_wire_place place;
    jbw_position far;
    jbw_wire_choice choices[2];
    jbw_wire_wish wishes[2];
    jbw_agent_id all[3];
} scene;

// ann has two agents, bob has one that never acts
static void open_scene(scene *s, const jbw_game_options *options)
{
    stage_prepare_words(&s->stage);
    stage_start(&s->stage, options);
    stage_hello(&s->stage, 0, "ann-secret");
    for (int i = 0; i < 2; i++) s->ann[i] = stage_add(&s->stage, 0);
    stage_hello(&s->stage, 1, "bob-secret");
    s->bob = stage_add(&s->stage, 1);
    s->far = (jbw_position){2000, -3000};
    s->place = (jbw_wire_place){s->far};
    s->all[0] = s->ann[0], s->all[1] = s->ann[1], s->all[2] = s->bob;
    for (int i = 0; i < 2; i++) {
        s->choices[i] = (jbw_wire_choice){.agent = s->ann[i], .action = 0};
        s->wishes[i] = (jbw_wire_wish){.agent = s->ann[i], .action = 4, .say = 2};
    }
    s->wishes[1].text = (jbw_field_bytes){(const uint8_t *)"hello", 5};
}

// what ann asks for: request number `i`, or type zero after the last one
static jbw_message request_of(scene *s, int i)
{
    const jbw_region region = {-40, -30, 80, 60};
    const jbw_message requests[] = {
        ASK(PING, .ping.cookie = 5),
        ASK(GET_STATS, .request = 0),
        ASK(ADD_AGENT, .request = 0),
        ASK(ADD_AGENT, .add_agent = {.has_position = true, .position = s->far}),
        ASK(REMOVE_AGENT, .remove_agent.agent = s->ann[0]),
        ASK(SET_ACTIVE, .set_active = {.agent = s->ann[0], .is_active = false}),
        ASK(PERCEIVE, .perceive = {.wants = 15, .agents = {s->all, 3}}),
        ASK(PERCEIVE, .perceive = {.wants = JBW_WANT_WORDS, .agents = {s->all, 3}}),
        ASK(JOIN, .join.body = 1),
        ASK(ACT_WORDS, .act_words = {.wishes = s->wishes, .wishes_count = 2}),
        ASK(EXPLAIN, .explain.position = s->far),
        ASK(PLACE_TEXT, .place_text = {.item = {2, s->far, 0}, .text = s->wishes[1].text}),
        ASK(GET_FEATURES, .request = 0),
        ASK(READ_REGION, .read_region = {.region = region, .wants_states = true}),
        ASK(READ_PLANES, .read_planes = {.region = region, .planes = 15}),
        ASK(EXAMINE, .examine.position = s->far),
        ASK(GET_CALENDAR, .request = 0),
        ASK(LIST_AGENTS, .list_agents.most = 10),
        ASK(GET_AGENTS, .get_agents.agents = {s->all, 3}),
        ASK(SMELL, .smell.region = {-20, -20, 40, 40}),
        ASK(SUBSCRIBE, .subscribe = {.topic = 1, .region = region}),
        ASK(STEP, .step.count = 3),
        ASK(PLACE_ITEM, .place_item = {.item_type = 0, .position = s->far}),
        ASK(EXPLORE, .explore = {.places = &s->place, .places_count = 1}),
        ASK(GET_HASH, .request = 0),
        ASK(GET_WORLD_FILE, .request = 0),
        ASK(INSPECT, .inspect.position = s->far),
        stage_act(s->ann[0], 0, false),
        ASK(ACT_MANY, .act_many = {.choices = s->choices, .choices_count = 2}),
    };
    return i < (int)(sizeof requests / sizeof *requests) ? requests[i] : (jbw_message){0};
}

static jbw_buffer encode(jbw_message message)
{
    jbw_buffer bytes = {0};
    assert_true(jbw_message_encode(&message, &bytes));
    return bytes;
}

// Everything that a test sees of the world. Exploring it is no change.
static uint64_t time_and_agents(const scene *s)
{
    return jbw_world_time(s->stage.world) * 100 + jbw_world_agents(s->stage.world, NULL, 0);
}

// sends a request while the n-th allocation fails; false if none has failed
static bool ask_without_memory(scene *s, jbw_message message, size_t n)
{
    message.request = 1000000;
    jbw_buffer bytes = encode(message);
    const uint64_t before = time_and_agents(s);
    memory_fails_at(n);
    const bool is_open =
        jbw_session_receive(&s->stage.sessions[0], &s->stage.host, bytes.bytes, bytes.size);
    const bool has_failed = memory_works_again();
    jbw_buffer_free(&bytes);
    assert_true(is_open);
    if (!stage_has_reply(&s->stage, 0, message.request))
        fail_msg("%s: no reply, allocation %zu", jbw_message_find(message.type)->name, n);
    const jbw_message reply = stage_read(&s->stage, 0, message.request);
    if (!has_failed) {
        if (reply.type == JBW_MESSAGE_ERROR)
            fail_msg("%s: %s", jbw_message_find(message.type)->name,
                     jbw_error_code_name(reply.error.code));
    } else if (reply.type == JBW_MESSAGE_ERROR) {
        if (reply.error.code != JBW_ERROR_OUT_OF_MEMORY)
            fail_msg("%s: %s, allocation %zu", jbw_message_find(message.type)->name,
                     jbw_error_code_name(reply.error.code), n);
        if (time_and_agents(s) != before)
            fail_msg("%s: refused, and carried out, allocation %zu",
                     jbw_message_find(message.type)->name, n);
    }
    return has_failed;
}

static void test_requests(void **state)
{
    (void)state;
    const jbw_game_options options = {.world_file = "a world file"};
    size_t failures = 0;
    for (int i = 0;; i++) {
        bool is_last = false;
        for (size_t n = 1; !is_last; n++) {
            scene s;
            open_scene(&s, &options);
            const jbw_message message = request_of(&s, i);
            if (message.type == 0) {
                stage_close(&s.stage);
                assert_true(failures > 60);
                return;
            }
            is_last = !ask_without_memory(&s, message, n);
            failures += !is_last;
            // others are served as before
            const jbw_message reply = stage_ask(&s.stage, 1, ASK(PING, .ping.cookie = 7));
            assert_int_equal(reply.type, JBW_MESSAGE_PONG);
            stage_close(&s.stage);
        }
    }
}

// A step, for which two clients wait, while allocations fail: both are answered, or told.
static void test_waiting_for_a_step(void **state)
{
    (void)state;
    bool is_last = false;
    size_t failures = 0;
    for (size_t n = 1; !is_last; n++) {
        scene s;
        open_scene(&s, NULL);
        expect_ok(stage_ask(&s.stage, 0, stage_set_active(s.ann[1], false)));
        const uint32_t first = stage_send(&s.stage, 0, stage_act(s.ann[0], 0, true));
        jbw_message message = stage_act(s.bob, 0, true);
        message.request = 1000000;
        jbw_buffer bytes = encode(message);
        memory_fails_at(n);
        jbw_session_receive(&s.stage.sessions[1], &s.stage.host, bytes.bytes, bytes.size);
        is_last = !memory_works_again();
        failures += !is_last;
        jbw_buffer_free(&bytes);
        const jbw_message reply = stage_read(&s.stage, 1, message.request);
        const bool is_refused = reply.type == JBW_MESSAGE_ERROR;
        if (is_refused) assert_int_equal(reply.error.code, JBW_ERROR_OUT_OF_MEMORY);
        // who is refused before the step can try again, and then the other one has its answer, too
        if (is_refused && jbw_world_time(s.stage.world) == 0)
            stage_send(&s.stage, 1, stage_act(s.bob, 0, true));
        assert_int_equal(jbw_world_time(s.stage.world), 1);
        assert_true(stage_has_reply(&s.stage, 0, first));
        stage_close(&s.stage);
    }
    assert_true(failures > 3);
}

static void test_creation(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    size_t failures = 0;
    for (bool is_made = false; !is_made; failures++) {
        jbw_game *game;
        const jbw_game_options options = {.keys = &s.keys, .answer = s.host.answer, .user = &s};
        memory_fails_at(failures + 1);
        const jbw_status status = jbw_game_create(s.world, &options, 0, &game, NULL);
        const bool has_failed = memory_works_again();
        is_made = status == JBW_OK;
        if (!is_made) {
            assert_true(has_failed && status == JBW_OUT_OF_MEMORY);
            assert_null(game);
        }
        jbw_game_destroy(game);
    }
    assert_true(failures > 1);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_waiting_for_a_step),
        cmocka_unit_test(test_creation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
