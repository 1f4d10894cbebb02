// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a server does with what it is told: who may do what, when steps are taken, what is answered.
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t millisecond = 1000000;

static jbw_message act(jbw_agent_id agent, uint32_t action, bool waits)
{
    return ASK(ACT, .act = {.agent = agent, .action = action, .waits = waits, .wants = 15});
}

// ---- who is there ----

static void hello_tells_the_shape_of_the_world(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    const jbw_message reply = stage_hello(&s, 0, "ann-secret");
    assert_int_equal(reply.welcome.version, JBW_PROTOCOL_VERSION);
    assert_int_equal(reply.welcome.permissions, 31);
    assert_memory_equal(reply.welcome.name.at, "ann", 3);
    assert_int_equal(reply.welcome.agents_most, 10);
    assert_int_equal(reply.welcome.seed, 7);
    assert_int_equal(reply.welcome.patch_size, 16);
    assert_int_equal(reply.welcome.vision_side, 7);
    assert_int_equal(reply.welcome.field_of_view.count, 49);
    assert_int_equal(reply.welcome.items_count, 2);
    assert_memory_equal(reply.welcome.items[1].name.at, "Wall", 4);
    assert_true(reply.welcome.items[1].blocks);
    assert_int_equal(reply.welcome.items[1].color.count, 3);
    assert_int_equal(reply.welcome.actions_count, 4);
    assert_memory_equal(reply.welcome.actions[3].name.at, "Drop[Apple]", 11);
    assert_int_equal(reply.welcome.agents_count, 0);
    stage_close(&s);
}

static void strangers_are_turned_away(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    jbw_message hello = ASK(HELLO, .hello = {.version_least = 1, .version_most = 1});
    hello.hello.token = jbw_text_field("ann-secreT");
    jbw_message reply = stage_ask(&s, 0, hello);
    expect_error(reply, JBW_ERROR_BAD_TOKEN);
    assert_true(reply.error.is_final);
    hello.hello.version_least = 2;
    hello.hello.version_most = 3;
    expect_error(stage_ask(&s, 1, hello), JBW_ERROR_VERSION);
    expect_error(stage_ask(&s, 2, ASK(PING, .ping.cookie = 1)), JBW_ERROR_HELLO_FIRST);
    stage_hello(&s, 3, "");
    hello.hello.version_least = 1;
    expect_error(stage_ask(&s, 3, hello), JBW_ERROR_HELLO_FIRST);
    assert_int_equal(stage_ask(&s, 3, ASK(PING, .ping.cookie = 5)).pong.cookie, 5);
    stage_close(&s);
}

static void permissions_are_asked_for(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    stage_hello(&s, 1, "bob-secret");
    const uint64_t hash = jbw_world_hash(s.world);
    expect_error(stage_ask(&s, 0, ASK(ADD_AGENT, .request = 0)), JBW_ERROR_NOT_PERMITTED);
    expect_error(stage_ask(&s, 0, ASK(SAVE, .request = 0)), JBW_ERROR_NOT_PERMITTED);
    expect_error(stage_ask(&s, 1, ASK(PAUSE, .request = 0)), JBW_ERROR_NOT_PERMITTED);
    expect_error(stage_ask(&s, 1, ASK(STEP, .step.count = 1)), JBW_ERROR_NOT_PERMITTED);
    expect_error(stage_ask(&s, 1, ASK(GET_HASH, .request = 0)), JBW_ERROR_NOT_PERMITTED);
    expect_error(
        stage_ask(&s, 1, ASK(PLACE_ITEM, .place_item = {.item_type = 0, .position = {1, 1}})),
        JBW_ERROR_NOT_PERMITTED);
    expect_error(stage_ask(&s, 1, ASK(ADD_AGENT, .add_agent = {.is_forced = true})),
                 JBW_ERROR_NOT_PERMITTED);
    assert_true(jbw_world_hash(s.world) == hash);
    stage_close(&s);
}

static void nobody_moves_the_agents_of_others(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    expect_error(stage_ask(&s, 1, act(a, 0, true)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&s, 1, ASK(REMOVE_AGENT, .remove_agent.agent = a)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&s, 1, ASK(SET_ACTIVE, .set_active = {.agent = a, .is_active = false})),
                 JBW_ERROR_NOT_YOURS);
    stage_add(&s, 1);
    stage_add(&s, 1);
    expect_error(stage_ask(&s, 1, ASK(ADD_AGENT, .request = 0)), JBW_ERROR_TOO_MANY);
    const jbw_message reply = stage_ask(&s, 1, ASK(LIST_AGENTS, .list_agents.most = 10));
    assert_int_equal(reply.agents.total, 3);
    assert_memory_equal(reply.agents.agents[0].owner.at, "ann", 3);
    assert_false(reply.agents.agents[0].is_yours);
    assert_true(reply.agents.agents[1].is_yours);
    stage_close(&s);
}

// ---- turns ----

static void a_step_waits_for_everybody(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 1);
    const uint32_t first = stage_send(&s, 0, act(a, 1, true));
    assert_false(stage_has_reply(&s, 0, first));
    assert_int_equal(jbw_world_time(s.world), 0);
    const uint32_t second = stage_send(&s, 1, act(b, 2, true));
    assert_int_equal(jbw_world_time(s.world), 1);
    jbw_message reply = stage_read(&s, 0, first);
    assert_int_equal(reply.type, JBW_MESSAGE_OBSERVED);
    assert_int_equal(reply.observed.time, 1);
    assert_int_equal(reply.observed.observations_count, 1);
    const jbw_wire_observation *seen = &reply.observed.observations[0];
    assert_int_equal(seen->agent.index1, a.index1);
    assert_int_equal(seen->action, 1);
    assert_int_equal(seen->direction, JBW_LEFT);
    assert_int_equal(seen->vision.count, 7 * 7 * 3);
    assert_int_equal(seen->scent.count, 3);
    assert_int_equal(seen->items.count, 49);
    assert_int_equal(seen->inventory.count, 2);
    float vision[7 * 7 * 3];
    assert_int_equal(jbw_agent_perceive(s.world, a, vision, NULL), JBW_OK);
    assert_memory_equal(seen->vision.at, vision, sizeof vision);
    assert_int_equal(stage_read(&s, 1, second).type, JBW_MESSAGE_OBSERVED);
    stage_close(&s);
}

static void asking_again_replaces(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, act(a, 1, true));
    const uint32_t second = stage_send(&s, 0, act(a, 2, true));
    expect_error(stage_read(&s, 0, first), JBW_ERROR_REPLACED);
    expect_ok(stage_ask(&s, 0, act(b, 2, false)));
    assert_int_equal(stage_read(&s, 0, second).observed.observations[0].action, 2);
    stage_close(&s);
}

static void several_agents_act_together(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    jbw_wire_choice choices[3] = {{stage_add(&s, 0), 1}, {stage_add(&s, 0), 2}, {{0, 0}, 0}};
    choices[2] = choices[0];
    jbw_message many =
        ASK(ACT_MANY, .act_many = {.waits = true, .choices = choices, .choices_count = 3});
    expect_error(stage_ask(&s, 0, many), JBW_ERROR_INVALID_ARGUMENT); // one is named twice
    many.act_many.choices_count = 0;
    expect_error(stage_ask(&s, 0, many), JBW_ERROR_INVALID_ARGUMENT);
    choices[1].action = 4;
    many.act_many.choices_count = 2;
    expect_error(stage_ask(&s, 0, many), JBW_ERROR_INVALID_ARGUMENT); // there is no such action
    assert_int_equal(jbw_world_time(s.world), 0);
    choices[1].action = 2;
    const jbw_message reply = stage_ask(&s, 0, many);
    assert_int_equal(reply.observed.time, 1);
    assert_int_equal(reply.observed.observations_count, 2);
    assert_int_equal(reply.observed.observations[1].action, 2);
    stage_close(&s);
}

static void those_who_wait_are_told_when_it_is_in_vain(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, act(a, 1, true));
    const uint32_t second = stage_send(&s, 0, act(b, 1, true));
    expect_ok(stage_ask(&s, 0, ASK(SET_ACTIVE, .set_active = {.agent = a, .is_active = false})));
    expect_error(stage_read(&s, 0, first), JBW_ERROR_INACTIVE);
    expect_ok(stage_ask(&s, 0, ASK(REMOVE_AGENT, .remove_agent.agent = b)));
    expect_error(stage_read(&s, 0, second), JBW_ERROR_NO_SUCH_AGENT);
    expect_error(stage_ask(&s, 0, act(a, 1, true)), JBW_ERROR_INACTIVE);
    expect_error(stage_ask(&s, 0, act(b, 1, true)), JBW_ERROR_NO_SUCH_AGENT);
    stage_close(&s);
}

// ---- time ----

static void silent_agents_are_not_waited_for(void **unused)
{
    (void)unused;
    stage s;
    const jbw_game_options options = {.turn_timeout = 100 * millisecond};
    stage_open(&s, &options);
    stage_hello(&s, 0, "ann-secret");
    stage_wait(&s, 1000 * millisecond);
    assert_int_equal(jbw_world_time(s.world), 0); // nobody is there
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, act(a, 1, true));
    stage_wait(&s, 99 * millisecond);
    assert_false(stage_has_reply(&s, 0, first));
    stage_wait(&s, millisecond);
    assert_int_equal(stage_read(&s, 0, first).observed.time, 1);
    jbw_agent_result result;
    assert_int_equal(jbw_agent_get_result(s.world, b, &result), JBW_OK);
    assert_int_equal(result.action, -1);
    stage_wait(&s, 100 * millisecond);
    assert_int_equal(jbw_world_time(s.world), 2);
    stage_close(&s);
}

static void silent_agents_are_deactivated(void **unused)
{
    (void)unused;
    stage s;
    const jbw_game_options options = {.turn_timeout = 100 * millisecond, .deactivates = true};
    stage_open(&s, &options);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, act(a, 1, true));
    stage_wait(&s, 100 * millisecond);
    assert_int_equal(stage_read(&s, 0, first).observed.time, 1);
    expect_error(stage_ask(&s, 0, act(b, 1, true)), JBW_ERROR_INACTIVE);
    assert_int_equal(stage_ask(&s, 0, act(a, 1, true)).observed.time, 2);
    expect_ok(stage_ask(&s, 0, ASK(SET_ACTIVE, .set_active = {.agent = b, .is_active = true})));
    // when nobody asks, all of them fall asleep, and no step is taken
    stage_wait(&s, 100 * millisecond);
    assert_int_equal(jbw_world_time(s.world), 2);
    assert_int_equal(jbw_game_get_info(s.game).active_count, 0);
    stage_close(&s);
}

static void the_rate_is_kept(void **unused)
{
    (void)unused;
    stage s;
    const jbw_game_options options = {.rate = 10};
    stage_open(&s, &options);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    assert_int_equal(stage_ask(&s, 0, act(a, 1, true)).observed.time, 1);
    const uint32_t second = stage_send(&s, 0, act(a, 1, true));
    stage_wait(&s, 99 * millisecond);
    assert_false(stage_has_reply(&s, 0, second));
    // one that is held can be replaced
    const uint32_t third = stage_send(&s, 0, act(a, 2, true));
    expect_error(stage_read(&s, 0, second), JBW_ERROR_REPLACED);
    stage_wait(&s, millisecond);
    assert_int_equal(stage_read(&s, 0, third).observed.observations[0].action, 2);
    expect_error(stage_ask(&s, 0, ASK(SET_RATE, .set_rate.rate = -1)), JBW_ERROR_INVALID_ARGUMENT);
    expect_ok(stage_ask(&s, 0, ASK(SET_RATE, .set_rate.rate = 0)));
    for (int i = 0; i < 5; i++) stage_ask(&s, 0, act(a, 1, true));
    assert_int_equal(jbw_world_time(s.world), 7);
    stage_close(&s);
}

static void a_paused_world_takes_single_steps(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    expect_ok(stage_ask(&s, 0, ASK(PAUSE, .request = 0)));
    const uint32_t first = stage_send(&s, 0, act(a, 1, true));
    expect_ok(stage_ask(&s, 0, act(b, 1, false)));
    stage_wait(&s, 1000 * millisecond);
    assert_int_equal(jbw_world_time(s.world), 0);
    // the step is the one that both have asked for, not one more
    expect_ok(stage_ask(&s, 0, ASK(STEP, .step.count = 1)));
    assert_int_equal(jbw_world_time(s.world), 1);
    assert_int_equal(stage_read(&s, 0, first).observed.observations[0].action, 1);
    expect_ok(stage_ask(&s, 0, ASK(STEP, .step.count = 3)));
    assert_int_equal(jbw_world_time(s.world), 4);
    expect_error(stage_ask(&s, 0, ASK(STEP, .step.count = 0)), JBW_ERROR_INVALID_ARGUMENT);

    const uint32_t second = stage_send(&s, 0, act(a, 1, true));
    const uint32_t third = stage_send(&s, 0, act(b, 1, true));
    expect_ok(stage_ask(&s, 0, ASK(RESUME, .request = 0)));
    stage_wait(&s, 0);
    assert_int_equal(stage_read(&s, 0, second).observed.time, 5);
    assert_int_equal(stage_read(&s, 0, third).observed.time, 5);
    stage_close(&s);
}

// ---- coming and going ----

static void lost_agents_sleep_and_are_given_back(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 1);
    const uint32_t waiting = stage_send(&s, 1, act(b, 1, true));
    stage_leave(&s, 0); // and nobody waits for its agent any more
    assert_int_equal(stage_read(&s, 1, waiting).observed.time, 1);
    assert_int_equal(stage_ask(&s, 1, act(b, 1, true)).observed.time, 2);

    const jbw_message reply = stage_hello(&s, 2, "ann-secret");
    assert_int_equal(reply.welcome.time, 2);
    assert_int_equal(reply.welcome.agents_count, 1);
    assert_int_equal(reply.welcome.agents[0].agent.index1, a.index1);
    assert_false(reply.welcome.agents[0].is_active);
    assert_false(reply.welcome.agents[0].is_driven);
    expect_ok(stage_ask(&s, 2, ASK(SET_ACTIVE, .set_active = {.agent = a, .is_active = true})));
    const uint32_t both = stage_send(&s, 2, act(a, 1, true));
    assert_int_equal(stage_ask(&s, 1, act(b, 1, true)).observed.time, 3);
    assert_int_equal(stage_read(&s, 2, both).observed.time, 3);
    stage_close(&s);
}

static void ignore_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                          bool is_final)
{
    (void)user;
    (void)connection;
    (void)bytes;
    (void)size;
    (void)is_final;
}

// a world that was saved while some had asked and others not
static void no_step_is_taken_before_somebody_comes(void **unused)
{
    (void)unused;
    for (int asks = 0; asks < 3; asks++) {
        stage s;
        stage_open(&s, NULL);
        stage_hello(&s, 0, "ann-secret");
        jbw_agent_id agents[3];
        for (int i = 0; i < 3; i++) agents[i] = stage_add(&s, 0);
        for (int i = 0; i < 3; i++)
            if (i != asks) stage_send(&s, 0, act(agents[i], 1, true));
        jbw_world *saved;
        assert_int_equal(jbw_world_clone(s.world, &saved), JBW_OK);
        const jbw_game_options options = {.keys = &s.keys, .answer = ignore_answer};
        jbw_game *game;
        assert_int_equal(jbw_game_create(saved, &options, 0, &game, NULL), JBW_OK);
        jbw_game_tick(game, millisecond);
        assert_int_equal(jbw_world_time(saved), 0);
        assert_int_equal(jbw_game_get_info(game).active_count, 0);
        jbw_game_destroy(game);
        jbw_world_destroy(saved);
        stage_close(&s);
    }
}

static void agents_of_one_token_follow_who_drives_them(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    expect_ok(stage_ask(&s, 1, act(a, 1, false))); // taken over
    stage_leave(&s, 0);
    // b sleeps, a goes on: its request was the last one that was waited for
    assert_int_equal(jbw_world_time(s.world), 1);
    jbw_agent_state state;
    assert_int_equal(jbw_agent_get_state(s.world, a, &state), JBW_OK);
    assert_true(state.is_active);
    assert_int_equal(jbw_agent_get_state(s.world, b, &state), JBW_OK);
    assert_false(state.is_active);
    stage_close(&s);
}

// ---- looking and editing ----

static void the_map_is_told_as_it_is(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "");
    stage_add(&s, 0);
    uint8_t items[40 * 30];
    uint8_t states[40 * 30];
    const jbw_region region = {-20, -15, 40, 30};
    assert_int_equal(jbw_world_read_region(s.world, region, items, states), JBW_OK);
    jbw_message reply =
        stage_ask(&s, 1, ASK(READ_REGION, .read_region = {.region = region, .wants_states = true}));
    assert_int_equal(reply.type, JBW_MESSAGE_REGION);
    assert_int_equal(reply.region.items.count, sizeof items);
    assert_memory_equal(reply.region.items.at, items, sizeof items);
    assert_memory_equal(reply.region.states.at, states, sizeof states);

    expect_error(stage_ask(&s, 1, ASK(READ_REGION, .read_region = {.region = {0, 0, 70000, 1}})),
                 JBW_ERROR_TOO_LARGE);
    expect_error(
        stage_ask(&s, 1, ASK(READ_REGION, .read_region = {.region = {INT64_MIN, 0, 1, 1}})),
        JBW_ERROR_OUT_OF_RANGE);
    expect_error(stage_ask(&s, 1, ASK(SMELL, .smell.region = {INT64_MAX, 0, 1, 1})),
                 JBW_ERROR_OUT_OF_RANGE);

    float scent[3];
    assert_int_equal(jbw_world_smell(s.world, (jbw_position){1, 2}, scent), JBW_OK);
    reply = stage_ask(&s, 1, ASK(SMELL, .smell.region = {0, 2, 2, 1}));
    assert_int_equal(reply.scent.scent.count, 6);
    assert_memory_equal(reply.scent.scent.at + 3, scent, sizeof scent);
    stage_close(&s);
}

static void edits_are_done_or_refused(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_position cell = {100, 100};
    jbw_message place = ASK(PLACE_ITEM, .place_item = {.item_type = 1, .position = cell});
    jbw_message reply = stage_ask(&s, 0, place);
    if (reply.type == JBW_MESSAGE_ERROR) { // something grew there
        expect_ok(stage_ask(&s, 0, ASK(REMOVE_ITEM, .remove_item.position = cell)));
        expect_ok(stage_ask(&s, 0, place));
    }
    expect_error(stage_ask(&s, 0, place), JBW_ERROR_CELL_BLOCKED);
    expect_ok(stage_ask(&s, 0, ASK(REMOVE_ITEM, .remove_item.position = cell)));
    expect_error(stage_ask(&s, 0, ASK(REMOVE_ITEM, .remove_item.position = cell)),
                 JBW_ERROR_NOT_FOUND);
    place.place_item.item_type = 2;
    expect_error(stage_ask(&s, 0, place), JBW_ERROR_INVALID_ARGUMENT);
    const jbw_wire_place far[] = {{{500, 500}}};
    expect_ok(stage_ask(&s, 0, ASK(EXPLORE, .explore = {.places = far, .places_count = 1})));
    assert_int_equal(
        jbw_world_patch_state(s.world, jbw_world_patch_of(s.world, (jbw_position){500, 500})),
        JBW_PATCH_FINAL);
    reply = stage_ask(&s, 0, ASK(GET_HASH, .request = 0));
    assert_true(reply.hash.hash == jbw_world_hash(s.world));
    expect_error(stage_ask(&s, 0, ASK(SAVE, .request = 0)), JBW_ERROR_UNSUPPORTED);
    stage_close(&s);
}

// ---- bad messages ----

static void bad_messages_are_answered(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    const uint8_t unknown[] = {99, 1, 0xaa, 0, 0, 0, 1, 2, 3};
    for (int i = 0; i < 10; i++) {
        stage_send_bytes(&s, 0, unknown, sizeof unknown);
        const jbw_message reply = stage_read(&s, 0, 0xaa);
        expect_error(reply, JBW_ERROR_UNKNOWN_MESSAGE);
        assert_false(reply.error.is_final);
    }
    expect_error(stage_ask(&s, 0, ASK(OK, .ok.time = 1)), JBW_ERROR_UNKNOWN_MESSAGE);
    const uint8_t cut[] = {3, 0, 0xbb, 0, 0, 0, 1};
    for (int i = 0; i < JBW_MALFORMED_MOST; i++) {
        stage_send_bytes(&s, 0, cut, sizeof cut);
        const jbw_message reply = stage_read(&s, 0, 0xbb);
        expect_error(reply, JBW_ERROR_MALFORMED);
        assert_int_equal(reply.error.is_final, i + 1 == JBW_MALFORMED_MOST);
    }
    // nothing more is listened to
    const uint32_t request = stage_send(&s, 0, ASK(PING, .ping.cookie = 1));
    assert_false(stage_has_reply(&s, 0, request));
    stage_close(&s);
}

static void goodbye_is_answered_last(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    stage_send(&s, 0, ASK(GOODBYE, .request = 0));
    assert_int_equal(s.reply_count, 1);
    assert_true(s.replies[0].is_final);
    stage_close(&s);
}

// ---- subscriptions ----

static void subscriptions_are_counted(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    jbw_message subscribe = ASK(SUBSCRIBE, .subscribe = {.topic = JBW_TOPIC_ALL});
    const uint32_t first = stage_send(&s, 0, subscribe);
    expect_ok(stage_read(&s, 0, first));
    for (int i = 1; i < JBW_SUBSCRIPTIONS_MOST; i++) expect_ok(stage_ask(&s, 0, subscribe));
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_TOO_MANY);
    assert_int_equal(s.host.subscription_count, JBW_SUBSCRIPTIONS_MOST);
    expect_ok(stage_ask(&s, 0, ASK(UNSUBSCRIBE, .unsubscribe.subscription = first)));
    expect_error(stage_ask(&s, 0, ASK(UNSUBSCRIBE, .unsubscribe.subscription = first)),
                 JBW_ERROR_NOT_FOUND);
    subscribe.subscribe.topic = 3;
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_INVALID_ARGUMENT);
    subscribe.subscribe.topic = JBW_TOPIC_REGION;
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_INVALID_ARGUMENT);
    subscribe.subscribe.region = (jbw_region){0, 0, 1 << 20, 1 << 20};
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_TOO_LARGE);
    stage_leave(&s, 0);
    assert_int_equal(s.host.subscription_count, 0);
    stage_close(&s);
}

// what a viewer has of the map after some frames is what is there
static void frames_tell_what_has_changed(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_wire_subscribe wanted = {.topic = JBW_TOPIC_REGION, .region = {-16, -16, 32, 32}};
    jbw_watch watch;
    assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_OK);
    jbw_view_copy picture = {.world = s.world};
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    size_t patch_total = 0;
    uint8_t seen[4][256] = {{0}};
    for (int round = 0; round < 40; round++) {
        picture.number++;
        bytes.size = 0;
        assert_true(jbw_watch_is_behind(&watch, &picture));
        assert_true(jbw_watch_make_frame(&watch, &picture, &scratch, &bytes));
        assert_false(jbw_watch_is_behind(&watch, &picture));
        jbw_message frame;
        assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
        assert_int_equal(frame.request, 77);
        assert_int_equal(frame.frame.time, jbw_world_time(s.world));
        assert_int_equal(frame.frame.agents_count, 1);
        for (size_t i = 0; i < frame.frame.patches_count; i++) {
            const jbw_wire_patch *patch = &frame.frame.patches[i];
            assert_int_equal(patch->items.count, 256);
            const size_t at = (size_t)(2 * (patch->position.y + 1) + patch->position.x + 1);
            assert_true(at < 4);
            memcpy(seen[at], patch->items.at, 256);
        }
        patch_total += frame.frame.patches_count;
        for (int64_t i = 0; i < 4; i++) {
            uint8_t items[256];
            const jbw_region cells = {16 * (i % 2) - 16, 16 * (i / 2) - 16, 16, 16};
            assert_int_equal(jbw_world_read_region(s.world, cells, items, NULL), JBW_OK);
            assert_memory_equal(seen[i], items, sizeof items);
        }
        stage_ask(&s, 0, act(a, round % 9 == 8 ? 1 : 0, true));
    }
    assert_true(patch_total >= 4 && patch_total < 80); // not all of them each time
    jbw_watch_deinit(&watch);
    jbw_scratch_deinit(&scratch);
    jbw_buffer_free(&bytes);
    stage_close(&s);
}

static void frames_can_be_coarse(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_add(&s, 0);
    const jbw_wire_subscribe wanted = {
        .topic = JBW_TOPIC_REGION, .region = {0, 0, 16, 16}, .detail = 3};
    jbw_watch watch;
    assert_int_equal(jbw_watch_init(&watch, s.model, 1, &wanted, 1), JBW_OK);
    const jbw_view_copy picture = {.world = s.world, .number = 1};
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    assert_true(jbw_watch_make_frame(&watch, &picture, &scratch, &bytes));
    jbw_message frame;
    assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
    assert_int_equal(frame.frame.patches_count, 1);
    assert_int_equal(frame.frame.patches[0].items.count, 4 * 4);
    for (int64_t i = 0; i < 4; i++) {
        uint8_t items[64];
        int count = 0;
        const jbw_region cells = {8 * (i % 2), 8 * (i / 2), 8, 8};
        assert_int_equal(jbw_world_read_region(s.world, cells, items, NULL), JBW_OK);
        for (int j = 0; j < 64; j++) count += items[j] > 0;
        // both types have the colour (1, 0.5, 0.25), so red tells the same as the share
        const uint8_t *square = frame.frame.patches[0].items.at + 4 * i;
        assert_int_equal(square[3], (count * 255 + 32) / 64);
        assert_int_equal(square[0], square[3]);
        assert_true(square[1] <= square[0] && square[2] <= square[1]);
    }
    jbw_watch_deinit(&watch);
    jbw_scratch_deinit(&scratch);
    jbw_buffer_free(&bytes);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_tells_the_shape_of_the_world),
        cmocka_unit_test(strangers_are_turned_away),
        cmocka_unit_test(permissions_are_asked_for),
        cmocka_unit_test(nobody_moves_the_agents_of_others),
        cmocka_unit_test(a_step_waits_for_everybody),
        cmocka_unit_test(asking_again_replaces),
        cmocka_unit_test(several_agents_act_together),
        cmocka_unit_test(those_who_wait_are_told_when_it_is_in_vain),
        cmocka_unit_test(silent_agents_are_not_waited_for),
        cmocka_unit_test(silent_agents_are_deactivated),
        cmocka_unit_test(the_rate_is_kept),
        cmocka_unit_test(a_paused_world_takes_single_steps),
        cmocka_unit_test(lost_agents_sleep_and_are_given_back),
        cmocka_unit_test(no_step_is_taken_before_somebody_comes),
        cmocka_unit_test(agents_of_one_token_follow_who_drives_them),
        cmocka_unit_test(the_map_is_told_as_it_is),
        cmocka_unit_test(edits_are_done_or_refused),
        cmocka_unit_test(bad_messages_are_answered),
        cmocka_unit_test(goodbye_is_answered_last),
        cmocka_unit_test(subscriptions_are_counted),
        cmocka_unit_test(frames_tell_what_has_changed),
        cmocka_unit_test(frames_can_be_coarse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
