// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// When a served world steps: turns, timeouts, the rate limit, pausing, and clients that come and
/// go.
#include "support/stage.h"

// ---- turns ----

static void test_step_waits_for_all_agents(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id a;
    jbw_agent_id b;
    stage_open_two(&s, &a, &b);
    const uint32_t first = stage_send(&s, 0, stage_act(a, 1, true));
    assert_false(stage_has_reply(&s, 0, first));
    assert_int_equal(jbw_world_time(s.world), 0);
    const uint32_t second = stage_send(&s, 1, stage_act(b, 2, true));
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

static void test_new_request_replaces_the_old_one(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id agents[2];
    stage_open_ann(&s, NULL, agents, 2);
    const jbw_agent_id a = agents[0];
    const jbw_agent_id b = agents[1];
    const uint32_t first = stage_send(&s, 0, stage_act(a, 1, true));
    const uint32_t second = stage_send(&s, 0, stage_act(a, 2, true));
    expect_error(stage_read(&s, 0, first), JBW_ERROR_REPLACED);
    expect_ok(stage_ask(&s, 0, stage_act(b, 2, false)));
    assert_int_equal(stage_read(&s, 0, second).observed.observations[0].action, 2);
    stage_close(&s);
}

static void test_agents_act_together(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    jbw_wire_choice choices[3] = {{stage_add(&s, 0), 1}, {stage_add(&s, 0), 2}, {{0, 0}, 0}};
    choices[2] = choices[0];
    jbw_message many =
        ASK(ACT_MANY, .act_many = {.waits = true, .choices = choices, .choices_count = 3});
    expect_error(stage_ask(&s, 0, many), JBW_ERROR_INVALID_ARGUMENT); // an agent is listed twice
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

static void test_pending_requests_end_with_their_agent(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id agents[3];
    stage_open_ann(&s, NULL, agents, 3);
    const jbw_agent_id a = agents[0];
    const jbw_agent_id b = agents[1];
    const uint32_t first = stage_send(&s, 0, stage_act(a, 1, true));
    const uint32_t second = stage_send(&s, 0, stage_act(b, 1, true));
    expect_ok(stage_ask(&s, 0, stage_set_active(a, false)));
    expect_error(stage_read(&s, 0, first), JBW_ERROR_INACTIVE);
    expect_ok(stage_ask(&s, 0, ASK(REMOVE_AGENT, .remove_agent.agent = b)));
    expect_error(stage_read(&s, 0, second), JBW_ERROR_NO_SUCH_AGENT);
    expect_error(stage_ask(&s, 0, stage_act(a, 1, true)), JBW_ERROR_INACTIVE);
    expect_error(stage_ask(&s, 0, stage_act(b, 1, true)), JBW_ERROR_NO_SUCH_AGENT);
    stage_close(&s);
}

// ---- time ----

static void test_timeout_steps_without_silent_agents(void **state)
{
    (void)state;
    stage s;
    const jbw_game_options options = {.turn_timeout = 100 * STAGE_MILLISECOND};
    stage_open_ann(&s, &options, NULL, 0);
    stage_wait(&s, 1000 * STAGE_MILLISECOND);
    assert_int_equal(jbw_world_time(s.world), 0); // there are no agents
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, stage_act(a, 1, true));
    stage_wait(&s, 99 * STAGE_MILLISECOND);
    assert_false(stage_has_reply(&s, 0, first));
    stage_wait(&s, STAGE_MILLISECOND);
    assert_int_equal(stage_read(&s, 0, first).observed.time, 1);
    jbw_agent_result result;
    assert_int_equal(jbw_agent_get_result(s.world, b, &result), JBW_OK);
    assert_int_equal(result.action, -1);
    stage_wait(&s, 100 * STAGE_MILLISECOND);
    assert_int_equal(jbw_world_time(s.world), 2);
    stage_close(&s);
}

static void test_timeout_deactivates_silent_agents(void **state)
{
    (void)state;
    stage s;
    const jbw_game_options options = {.turn_timeout = 100 * STAGE_MILLISECOND, .deactivates = true};
    jbw_agent_id agents[2];
    stage_open_ann(&s, &options, agents, 2);
    const jbw_agent_id a = agents[0];
    const jbw_agent_id b = agents[1];
    const uint32_t first = stage_send(&s, 0, stage_act(a, 1, true));
    stage_wait(&s, 100 * STAGE_MILLISECOND);
    assert_int_equal(stage_read(&s, 0, first).observed.time, 1);
    expect_error(stage_ask(&s, 0, stage_act(b, 1, true)), JBW_ERROR_INACTIVE);
    assert_int_equal(stage_ask(&s, 0, stage_act(a, 1, true)).observed.time, 2);
    expect_ok(stage_ask(&s, 0, stage_set_active(b, true)));
    // if no agent acts, all become inactive and no step is taken
    stage_wait(&s, 100 * STAGE_MILLISECOND);
    assert_int_equal(jbw_world_time(s.world), 2);
    assert_int_equal(jbw_game_get_info(s.game).active_count, 0);
    stage_close(&s);
}

static void test_rate_limit(void **state)
{
    (void)state;
    stage s;
    const jbw_game_options options = {.rate = 10};
    jbw_agent_id a;
    stage_open_ann(&s, &options, &a, 1);
    assert_int_equal(stage_ask(&s, 0, stage_act(a, 1, true)).observed.time, 1);
    const uint32_t second = stage_send(&s, 0, stage_act(a, 1, true));
    stage_wait(&s, 99 * STAGE_MILLISECOND);
    assert_false(stage_has_reply(&s, 0, second));
    // a held request can be replaced
    const uint32_t third = stage_send(&s, 0, stage_act(a, 2, true));
    expect_error(stage_read(&s, 0, second), JBW_ERROR_REPLACED);
    stage_wait(&s, STAGE_MILLISECOND);
    assert_int_equal(stage_read(&s, 0, third).observed.observations[0].action, 2);
    expect_error(stage_ask(&s, 0, ASK(SET_RATE, .set_rate.rate = -1)), JBW_ERROR_INVALID_ARGUMENT);
    expect_ok(stage_ask(&s, 0, ASK(SET_RATE, .set_rate.rate = 0)));
    for (int i = 0; i < 5; i++) stage_ask(&s, 0, stage_act(a, 1, true));
    assert_int_equal(jbw_world_time(s.world), 7);
    stage_close(&s);
}

static void test_paused_world_takes_single_steps(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id agents[2];
    stage_open_ann(&s, NULL, agents, 2);
    const jbw_agent_id a = agents[0];
    const jbw_agent_id b = agents[1];
    expect_ok(stage_ask(&s, 0, ASK(PAUSE, .request = 0)));
    const uint32_t first = stage_send(&s, 0, stage_act(a, 1, true));
    expect_ok(stage_ask(&s, 0, stage_act(b, 1, false)));
    stage_wait(&s, 1000 * STAGE_MILLISECOND);
    assert_int_equal(jbw_world_time(s.world), 0);
    // this is the step that both agents have requested, not an extra one
    expect_ok(stage_ask(&s, 0, ASK(STEP, .step.count = 1)));
    assert_int_equal(jbw_world_time(s.world), 1);
    assert_int_equal(stage_read(&s, 0, first).observed.observations[0].action, 1);
    expect_ok(stage_ask(&s, 0, ASK(STEP, .step.count = 3)));
    assert_int_equal(jbw_world_time(s.world), 4);
    expect_error(stage_ask(&s, 0, ASK(STEP, .step.count = 0)), JBW_ERROR_INVALID_ARGUMENT);

    const uint32_t second = stage_send(&s, 0, stage_act(a, 1, true));
    const uint32_t third = stage_send(&s, 0, stage_act(b, 1, true));
    expect_ok(stage_ask(&s, 0, ASK(RESUME, .request = 0)));
    stage_wait(&s, 0);
    assert_int_equal(stage_read(&s, 0, second).observed.time, 5);
    assert_int_equal(stage_read(&s, 0, third).observed.time, 5);
    stage_close(&s);
}

// ---- clients that come and go ----

static void test_agents_are_given_back_after_reconnect(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id a;
    jbw_agent_id b;
    stage_open_two(&s, &a, &b);
    const uint32_t waiting = stage_send(&s, 1, stage_act(b, 1, true));
    stage_leave(&s, 0); // from now on the step does not wait for its agent
    assert_int_equal(stage_read(&s, 1, waiting).observed.time, 1);
    assert_int_equal(stage_ask(&s, 1, stage_act(b, 1, true)).observed.time, 2);

    const jbw_message reply = stage_hello(&s, 2, "ann-secret");
    assert_int_equal(reply.welcome.time, 2);
    assert_int_equal(reply.welcome.agents_count, 1);
    assert_int_equal(reply.welcome.agents[0].agent.index1, a.index1);
    assert_false(reply.welcome.agents[0].is_active);
    assert_false(reply.welcome.agents[0].is_driven);
    expect_ok(stage_ask(&s, 2, stage_set_active(a, true)));
    const uint32_t both = stage_send(&s, 2, stage_act(a, 1, true));
    assert_int_equal(stage_ask(&s, 1, stage_act(b, 1, true)).observed.time, 3);
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

// a world that was saved after some agents had acted
static void test_no_step_before_a_client_connects(void **state)
{
    (void)state;
    for (int silent = 0; silent < 3; silent++) {
        stage s;
        jbw_agent_id agents[3];
        stage_open_ann(&s, NULL, agents, 3);
        for (int i = 0; i < 3; i++)
            if (i != silent) stage_send(&s, 0, stage_act(agents[i], 1, true));
        jbw_world *saved = clone_of(s.world);
        const jbw_game_options options = {.keys = &s.keys, .answer = ignore_answer};
        jbw_game *game;
        assert_int_equal(jbw_game_create(saved, &options, 0, &game, NULL), JBW_OK);
        jbw_game_tick(game, STAGE_MILLISECOND);
        assert_int_equal(jbw_world_time(saved), 0);
        assert_int_equal(jbw_game_get_info(game).active_count, 0);
        jbw_game_destroy(game);
        jbw_world_destroy(saved);
        stage_close(&s);
    }
}

static void test_agents_follow_the_client_that_drives_them(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    stage_hello(&s, 1, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    expect_ok(stage_ask(&s, 1, stage_act(a, 1, false))); // taken over
    stage_leave(&s, 0);
    // b becomes inactive; a steps, since only b was missing
    assert_int_equal(jbw_world_time(s.world), 1);
    jbw_agent_state agent;
    assert_int_equal(jbw_agent_get_state(s.world, a, &agent), JBW_OK);
    assert_true(agent.is_active);
    assert_int_equal(jbw_agent_get_state(s.world, b, &agent), JBW_OK);
    assert_false(agent.is_active);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_waits_for_all_agents),
        cmocka_unit_test(test_new_request_replaces_the_old_one),
        cmocka_unit_test(test_agents_act_together),
        cmocka_unit_test(test_pending_requests_end_with_their_agent),
        cmocka_unit_test(test_timeout_steps_without_silent_agents),
        cmocka_unit_test(test_timeout_deactivates_silent_agents),
        cmocka_unit_test(test_rate_limit),
        cmocka_unit_test(test_paused_world_takes_single_steps),
        cmocka_unit_test(test_agents_are_given_back_after_reconnect),
        cmocka_unit_test(test_no_step_before_a_client_connects),
        cmocka_unit_test(test_agents_follow_the_client_that_drives_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
