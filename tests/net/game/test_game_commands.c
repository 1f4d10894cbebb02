// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Requests that change a served world: who may make them, and what they do.
#include "support/stage.h"

#include "net/game/game_internal.h"

static size_t game_seat_memory(const jbw_game *game)
{
    return game->seats.capacity;
}

static void test_permissions_are_checked(void **state)
{
    (void)state;
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

static void test_only_owners_control_agents(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    expect_error(stage_ask(&s, 1, stage_act(a, 0, true)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&s, 1, ASK(REMOVE_AGENT, .remove_agent.agent = a)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&s, 1, stage_set_active(a, false)), JBW_ERROR_NOT_YOURS);
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

static void test_edits(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    const jbw_position cell = {100, 100};
    jbw_message place = ASK(PLACE_ITEM, .place_item = {.item_type = 1, .position = cell});
    jbw_message reply = stage_ask(&s, 0, place);
    if (reply.type == JBW_MESSAGE_ERROR) { // something was generated there
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

// requests that are refused leave no seats behind
static void test_refused_agents_take_no_memory(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    const jbw_agent_id agent = stage_add(&s, 0);
    jbw_agent_state there;
    assert_int_equal(jbw_agent_get_state(s.world, agent, &there), JBW_OK);
    const size_t before = game_seat_memory(s.game);
    for (int i = 0; i < 1000; i++)
        expect_error(stage_ask(&s, 0,
                               ASK(ADD_AGENT, .add_agent = {.has_position = true,
                                                            .position = there.position})),
                     JBW_ERROR_CELL_BLOCKED);
    assert_int_equal(game_seat_memory(s.game), before);
    stage_close(&s);
}

// what no honest client sends
static void test_bad_arguments(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id agent;
    stage_open_ann(&s, NULL, &agent, 1);
    const jbw_message bad[] = {
        ASK(ADD_AGENT, .add_agent.direction = 4),
        ASK(STEP, .step.count = 0),
        ASK(STEP, .step.count = UINT32_MAX),
        ASK(SET_RATE, .set_rate.rate = -1),
        ASK(SET_RATE, .set_rate.rate = 1e10),
        ASK(EXPLORE, .explore.places_count = 0),
        ASK(GET_AGENTS, .request = 0),
        ASK(PERCEIVE, .request = 0),
        ASK(PERCEIVE, .perceive = {.wants = 255, .agents = {&agent, 1}}),
        ASK(ACT, .act = {.agent = agent, .wants = 255}),
        ASK(ACT, .act = {.agent = agent, .action = 99}),
        ASK(ACT_MANY, .request = 0),
        ASK(SUBSCRIBE, .subscribe.topic = 3),
        ASK(SUBSCRIBE, .subscribe.detail = 200),
        ASK(SUBSCRIBE, .subscribe.wants = 255),
        ASK(SUBSCRIBE, .subscribe.rate_most = -1),
        ASK(SUBSCRIBE, .subscribe = {.topic = 1, .region = {0, 0, 0, 5}}),
        ASK(SUBSCRIBE, .subscribe = {.topic = 1, .region = {0, 0, 5, 0}}),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_error(stage_ask(&s, 0, bad[i]), JBW_ERROR_INVALID_ARGUMENT);
    const jbw_region far[] = {{INT64_MAX - 9, 0, 5, 5}, {0, JBW_MAX_COORDINATE, 5, 5}};
    for (int i = 0; i < 2; i++)
        expect_error(stage_ask(&s, 0, ASK(SUBSCRIBE, .subscribe = {.topic = 1, .region = far[i]})),
                     JBW_ERROR_OUT_OF_RANGE);
    const jbw_region large[] = {{0, 0, 1 << 30, 1}, {0, 0, 1 << 20, 1 << 20}};
    for (int i = 0; i < 2; i++)
        expect_error(
            stage_ask(&s, 0, ASK(SUBSCRIBE, .subscribe = {.topic = 1, .region = large[i]})),
            JBW_ERROR_TOO_LARGE);
    const jbw_agent_id nobody = {.index1 = 77, .generation = 1};
    expect_error(stage_ask(&s, 0, stage_act(nobody, 0, true)), JBW_ERROR_NO_SUCH_AGENT);
    expect_error(stage_ask(&s, 0, stage_act((jbw_agent_id){0}, 0, true)), JBW_ERROR_NO_SUCH_AGENT);
    assert_int_equal(stage_ask(&s, 0, ASK(SEEK, .seek.time = 3)).type, JBW_MESSAGE_ERROR);
    assert_int_equal(stage_ask(&s, 0, ASK(FIND_EVENTS, .request = 0)).type, JBW_MESSAGE_ERROR);
    assert_int_equal(stage_ask(&s, 0, ASK(GET_TIMELINE, .request = 0)).type, JBW_MESSAGE_TIMELINE);
    assert_int_equal(jbw_world_time(s.world), 0);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permissions_are_checked),
        cmocka_unit_test(test_only_owners_control_agents),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_refused_agents_take_no_memory),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
