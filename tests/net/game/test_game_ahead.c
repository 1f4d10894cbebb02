// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Actions requested in advance: one per step, in order.
#include "support/stage.h"

#include "net/wire/limits.h"
#include "support/random.h"

static void expect_step(stage *s, int client, uint32_t request, uint64_t time, int action)
{
    expect_observed(stage_read(s, client, request), time, action);
}

static void test_one_action_per_step(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id a;
    jbw_agent_id b;
    stage_open_two(&s, &a, &b);
    uint32_t asked[3];
    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, stage_act_next(a, i));
    stage_wait(&s, 0);
    assert_int_equal(jbw_world_time(s.world), 0);
    for (uint32_t i = 0; i < 3; i++) {
        // the other agent acts step by step
        assert_int_equal(stage_ask(&s, 1, stage_act(b, 1, true)).observed.time, i + 1);
        expect_step(&s, 0, asked[i], i + 1, (int)i);
        if (i < 2) assert_false(stage_has_reply(&s, 0, asked[i + 1]));
        stage_wait(&s, 0);
    }
    assert_int_equal(jbw_world_time(s.world), 3);
    // the queue is empty: the next request is an ordinary turn
    const uint32_t last = stage_send(&s, 0, stage_act_next(a, 1));
    stage_ask(&s, 1, stage_act(b, 1, true));
    expect_step(&s, 0, last, 4, 1);
    stage_close(&s);
}

// many steps, requested in batches of varying size, and one by one in another world
static void test_same_world_as_step_by_step(void **state)
{
    (void)state;
    enum { AGENTS = 4, STEPS = 200, MOST = 20 };
    stage ahead;
    stage single;
    jbw_agent_id a[AGENTS];
    jbw_agent_id b[AGENTS];
    stage_open_ann(&ahead, NULL, a, AGENTS);
    stage_open_ann(&single, NULL, b, AGENTS);
    uint64_t random = 1;
    for (uint32_t time = 0; time < STEPS;) {
        const uint32_t count = 1 + time % MOST;
        uint32_t asked[AGENTS][MOST];
        uint32_t actions[MOST][AGENTS];
        for (uint32_t i = 0; i < AGENTS; i++) {
            for (uint32_t k = 0; k < count; k++) {
                actions[k][i] = random_below(&random, 4);
                asked[i][k] = stage_send(&ahead, 0, stage_act_next(a[i], actions[k][i]));
            }
        }
        stage_wait(&ahead, 0);
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t i = 0; i < AGENTS; i++)
                expect_step(&ahead, 0, asked[i][k], time + k + 1, (int)actions[k][i]);
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t i = 0; i < AGENTS; i++)
                asked[i][k] = stage_send(&single, 0, stage_act(b[i], actions[k][i], true));
            for (uint32_t i = 0; i < AGENTS; i++) stage_read(&single, 0, asked[i][k]);
        }
        time += count;
        assert_int_equal(jbw_world_time(ahead.world), time);
        assert_true(jbw_world_hash(ahead.world) == jbw_world_hash(single.world));
    }
    stage_close(&ahead);
    stage_close(&single);
}

static void test_queue_is_limited(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id a;
    jbw_agent_id b;
    stage_open_two(&s, &a, &b);
    uint32_t asked[1 + JBW_AHEAD_MOST];
    for (uint32_t i = 0; i <= JBW_AHEAD_MOST; i++)
        asked[i] = stage_send(&s, 0, stage_act_next(a, 1));
    expect_error(stage_ask(&s, 0, stage_act_next(a, 1)), JBW_ERROR_TOO_MANY);
    // each step makes room for one request
    stage_ask(&s, 1, stage_act(b, 1, true));
    expect_step(&s, 0, asked[0], 1, 1);
    const uint32_t last = stage_send(&s, 0, stage_act_next(a, 2));
    assert_false(stage_has_reply(&s, 0, last));
    expect_error(stage_ask(&s, 0, stage_act_next(a, 1)), JBW_ERROR_TOO_MANY);
    for (uint32_t i = 1; i <= JBW_AHEAD_MOST; i++) {
        stage_wait(&s, 0);
        stage_ask(&s, 1, stage_act(b, 1, true));
        expect_step(&s, 0, asked[i], i + 1, 1);
    }
    stage_wait(&s, 0);
    stage_ask(&s, 1, stage_act(b, 1, true));
    expect_step(&s, 0, last, JBW_AHEAD_MOST + 2, 2);
    stage_close(&s);
}

static void test_bad_requests_do_not_affect_others(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, stage_act_next(a, 1));
    const uint32_t second = stage_send(&s, 0, stage_act_next(a, 2));
    expect_error(stage_ask(&s, 1, stage_act_next(a, 1)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&s, 0, stage_act_next(a, 4)), JBW_ERROR_INVALID_ARGUMENT);
    expect_error(stage_ask(&s, 0, stage_act_next((jbw_agent_id){9, 9}, 1)),
                 JBW_ERROR_NO_SUCH_AGENT);
    jbw_message wants = stage_act_next(a, 1);
    wants.act_next.wants = 32;
    expect_error(stage_ask(&s, 0, wants), JBW_ERROR_INVALID_ARGUMENT);
    expect_step(&s, 0, stage_send(&s, 0, stage_act_next(b, 0)), 1, 0);
    expect_step(&s, 0, first, 1, 1);
    stage_wait(&s, 0);
    expect_step(&s, 0, stage_send(&s, 0, stage_act_next(b, 0)), 2, 0);
    expect_step(&s, 0, second, 2, 2);
    stage_close(&s);
}

static void test_queue_ends_with_the_agent(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 1);
    const jbw_message sleep = stage_set_active(a, false);
    const jbw_message wake = stage_set_active(a, true);
    uint32_t asked[3];

    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, stage_act_next(a, 1));
    const uint32_t instead = stage_send(&s, 0, stage_act(a, 2, true));
    for (int i = 0; i < 3; i++) expect_error(stage_read(&s, 0, asked[i]), JBW_ERROR_REPLACED);
    stage_ask(&s, 1, stage_act(b, 1, true));
    expect_step(&s, 0, instead, 1, 2);

    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, stage_act_next(a, 1));
    expect_ok(stage_ask(&s, 0, sleep));
    for (int i = 0; i < 3; i++) expect_error(stage_read(&s, 0, asked[i]), JBW_ERROR_INACTIVE);
    expect_ok(stage_ask(&s, 0, wake));

    // a client that has left gets no reply and leaves nothing behind
    for (uint32_t i = 0; i < 3; i++) stage_send(&s, 0, stage_act_next(a, 1));
    stage_leave(&s, 0);
    stage_wait(&s, 0);
    assert_int_equal(stage_ask(&s, 1, stage_act(b, 1, true)).observed.time, 2);
    stage_hello(&s, 0, "ann-secret");
    expect_ok(stage_ask(&s, 0, wake));
    const uint32_t after = stage_send(&s, 0, stage_act_next(a, 0));
    stage_ask(&s, 1, stage_act(b, 1, true));
    expect_step(&s, 0, after, 3, 0);

    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, stage_act_next(a, 1));
    jbw_game_close(s.game);
    for (int i = 0; i < 3; i++) expect_error(stage_read(&s, 0, asked[i]), JBW_ERROR_CLOSING);
    stage_close(&s);
}

// two agents act together and one has a request in the queue; when the other becomes inactive, it
// is still one action per step
static void test_agents_that_act_together_stay_in_step(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id agents[3];
    stage_open_ann(&s, NULL, agents, 3);
    const jbw_agent_id a = agents[0];
    const jbw_agent_id b = agents[1];
    const jbw_agent_id c = agents[2];
    const jbw_wire_choice choices[2] = {{a, 1}, {b, 1}};
    stage_send(&s, 0,
               ASK(ACT_MANY, .act_many = {.waits = true,
                                          .choices = (jbw_wire_choice *)choices,
                                          .choices_count = 2}));
    const uint32_t later = stage_send(&s, 0, stage_act_next(a, 2));
    expect_ok(stage_ask(&s, 0, stage_set_active(b, false)));
    stage_wait(&s, 0);
    assert_int_equal(stage_ask(&s, 0, stage_act(c, 0, true)).observed.time, 1);
    jbw_agent_result result;
    assert_int_equal(jbw_agent_get_result(s.world, a, &result), JBW_OK);
    assert_int_equal(result.action, 1);
    stage_wait(&s, 0);
    assert_int_equal(stage_ask(&s, 0, stage_act(c, 0, true)).observed.time, 2);
    expect_step(&s, 0, later, 2, 2);
    stage_close(&s);
}

static void test_rate_limit(void **state)
{
    (void)state;
    stage s;
    const jbw_game_options options = {.rate = 10};
    jbw_agent_id a;
    stage_open_ann(&s, &options, &a, 1);
    uint32_t asked[3];
    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, stage_act_next(a, i));
    expect_step(&s, 0, asked[0], 1, 0);
    for (uint32_t i = 1; i < 3; i++) {
        stage_wait(&s, 99 * STAGE_MILLISECOND);
        assert_false(stage_has_reply(&s, 0, asked[i]));
        stage_wait(&s, STAGE_MILLISECOND);
        expect_step(&s, 0, asked[i], i + 1, (int)i);
    }
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_action_per_step),
        cmocka_unit_test(test_same_world_as_step_by_step),
        cmocka_unit_test(test_queue_is_limited),
        cmocka_unit_test(test_bad_requests_do_not_affect_others),
        cmocka_unit_test(test_queue_ends_with_the_agent),
        cmocka_unit_test(test_agents_that_act_together_stay_in_step),
        cmocka_unit_test(test_rate_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
