// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Actions that are asked for ahead: one after another, in as many steps.
#include "support/stage.h"

#include "net/wire/limits.h"
#include "support/random.h"

static const uint64_t millisecond = 1000000;

static jbw_message act(jbw_agent_id agent, uint32_t action)
{
    return ASK(ACT, .act = {.agent = agent, .action = action, .waits = true});
}

static jbw_message act_next(jbw_agent_id agent, uint32_t action)
{
    return ASK(ACT_NEXT, .act_next = {.agent = agent, .action = action});
}

static void expect_step(stage *s, int client, uint32_t request, uint64_t time, int action)
{
    const jbw_message reply = stage_read(s, client, request);
    assert_int_equal(reply.type, JBW_MESSAGE_OBSERVED);
    assert_int_equal(reply.observed.time, time);
    assert_int_equal(reply.observed.observations[0].action, action);
}

static void each_is_done_in_its_own_step(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 1);
    uint32_t asked[3];
    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, act_next(a, i));
    stage_wait(&s, 0);
    assert_int_equal(jbw_world_time(s.world), 0);
    for (uint32_t i = 0; i < 3; i++) {
        // the other one acts step by step
        assert_int_equal(stage_ask(&s, 1, act(b, 1)).observed.time, i + 1);
        expect_step(&s, 0, asked[i], i + 1, (int)i);
        if (i < 2) assert_false(stage_has_reply(&s, 0, asked[i + 1]));
        stage_wait(&s, 0);
    }
    assert_int_equal(jbw_world_time(s.world), 3);
    // nothing is left: the next one is an ordinary turn
    const uint32_t last = stage_send(&s, 0, act_next(a, 1));
    stage_ask(&s, 1, act(b, 1));
    expect_step(&s, 0, last, 4, 1);
    stage_close(&s);
}

// many steps, asked for ahead in portions of changing size, and one by one in another world
static void the_world_is_the_same_as_step_by_step(void **unused)
{
    (void)unused;
    enum { AGENTS = 4, STEPS = 200, MOST = 20 };
    stage ahead;
    stage single;
    stage_open(&ahead, NULL);
    stage_open(&single, NULL);
    stage_hello(&ahead, 0, "ann-secret");
    stage_hello(&single, 0, "ann-secret");
    jbw_agent_id a[AGENTS];
    jbw_agent_id b[AGENTS];
    for (int i = 0; i < AGENTS; i++) a[i] = stage_add(&ahead, 0);
    for (int i = 0; i < AGENTS; i++) b[i] = stage_add(&single, 0);
    uint64_t random = 1;
    for (uint32_t time = 0; time < STEPS;) {
        const uint32_t count = 1 + time % MOST;
        uint32_t asked[AGENTS][MOST];
        uint32_t actions[MOST][AGENTS];
        for (uint32_t i = 0; i < AGENTS; i++) {
            for (uint32_t k = 0; k < count; k++) {
                actions[k][i] = random_below(&random, 4);
                asked[i][k] = stage_send(&ahead, 0, act_next(a[i], actions[k][i]));
            }
        }
        stage_wait(&ahead, 0);
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t i = 0; i < AGENTS; i++)
                expect_step(&ahead, 0, asked[i][k], time + k + 1, (int)actions[k][i]);
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t i = 0; i < AGENTS; i++)
                asked[i][k] = stage_send(&single, 0, act(b[i], actions[k][i]));
            for (uint32_t i = 0; i < AGENTS; i++) stage_read(&single, 0, asked[i][k]);
        }
        time += count;
        assert_int_equal(jbw_world_time(ahead.world), time);
        assert_true(jbw_world_hash(ahead.world) == jbw_world_hash(single.world));
    }
    stage_close(&ahead);
    stage_close(&single);
}

static void there_is_a_most(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 1);
    uint32_t asked[1 + JBW_AHEAD_MOST];
    for (uint32_t i = 0; i <= JBW_AHEAD_MOST; i++) asked[i] = stage_send(&s, 0, act_next(a, 1));
    expect_error(stage_ask(&s, 0, act_next(a, 1)), JBW_ERROR_TOO_MANY);
    // each step makes room for one
    stage_ask(&s, 1, act(b, 1));
    expect_step(&s, 0, asked[0], 1, 1);
    const uint32_t last = stage_send(&s, 0, act_next(a, 2));
    assert_false(stage_has_reply(&s, 0, last));
    expect_error(stage_ask(&s, 0, act_next(a, 1)), JBW_ERROR_TOO_MANY);
    for (uint32_t i = 1; i <= JBW_AHEAD_MOST; i++) {
        stage_wait(&s, 0);
        stage_ask(&s, 1, act(b, 1));
        expect_step(&s, 0, asked[i], i + 1, 1);
    }
    stage_wait(&s, 0);
    stage_ask(&s, 1, act(b, 1));
    expect_step(&s, 0, last, JBW_AHEAD_MOST + 2, 2);
    stage_close(&s);
}

static void bad_ones_are_refused_alone(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "bob-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const uint32_t first = stage_send(&s, 0, act_next(a, 1));
    const uint32_t second = stage_send(&s, 0, act_next(a, 2));
    expect_error(stage_ask(&s, 1, act_next(a, 1)), JBW_ERROR_NOT_YOURS);
    expect_error(stage_ask(&s, 0, act_next(a, 4)), JBW_ERROR_INVALID_ARGUMENT);
    expect_error(stage_ask(&s, 0, act_next((jbw_agent_id){9, 9}, 1)), JBW_ERROR_NO_SUCH_AGENT);
    jbw_message wants = act_next(a, 1);
    wants.act_next.wants = 32;
    expect_error(stage_ask(&s, 0, wants), JBW_ERROR_INVALID_ARGUMENT);
    expect_step(&s, 0, stage_send(&s, 0, act_next(b, 0)), 1, 0);
    expect_step(&s, 0, first, 1, 1);
    stage_wait(&s, 0);
    expect_step(&s, 0, stage_send(&s, 0, act_next(b, 0)), 2, 0);
    expect_step(&s, 0, second, 2, 2);
    stage_close(&s);
}

static void they_end_with_the_agents_turn(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_hello(&s, 1, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 1);
    const jbw_message sleep = ASK(SET_ACTIVE, .set_active = {.agent = a, .is_active = false});
    const jbw_message wake = ASK(SET_ACTIVE, .set_active = {.agent = a, .is_active = true});
    uint32_t asked[3];

    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, act_next(a, 1));
    const uint32_t instead = stage_send(&s, 0, act(a, 2));
    for (int i = 0; i < 3; i++) expect_error(stage_read(&s, 0, asked[i]), JBW_ERROR_REPLACED);
    stage_ask(&s, 1, act(b, 1));
    expect_step(&s, 0, instead, 1, 2);

    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, act_next(a, 1));
    expect_ok(stage_ask(&s, 0, sleep));
    for (int i = 0; i < 3; i++) expect_error(stage_read(&s, 0, asked[i]), JBW_ERROR_INACTIVE);
    expect_ok(stage_ask(&s, 0, wake));

    // somebody who is gone needs no answer, and leaves nothing behind
    for (uint32_t i = 0; i < 3; i++) stage_send(&s, 0, act_next(a, 1));
    stage_leave(&s, 0);
    stage_wait(&s, 0);
    assert_int_equal(stage_ask(&s, 1, act(b, 1)).observed.time, 2);
    stage_hello(&s, 0, "ann-secret");
    expect_ok(stage_ask(&s, 0, wake));
    const uint32_t after = stage_send(&s, 0, act_next(a, 0));
    stage_ask(&s, 1, act(b, 1));
    expect_step(&s, 0, after, 3, 0);

    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, act_next(a, 1));
    jbw_game_close(s.game);
    for (int i = 0; i < 3; i++) expect_error(stage_read(&s, 0, asked[i]), JBW_ERROR_CLOSING);
    stage_close(&s);
}

// two act together and one of them has asked ahead; when the other leaves, it is still one action a step
static void those_who_act_together_stay_in_step(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    const jbw_agent_id a = stage_add(&s, 0);
    const jbw_agent_id b = stage_add(&s, 0);
    const jbw_agent_id c = stage_add(&s, 0);
    const jbw_wire_choice choices[2] = {{a, 1}, {b, 1}};
    stage_send(&s, 0,
               ASK(ACT_MANY, .act_many = {.waits = true,
                                          .choices = (jbw_wire_choice *)choices,
                                          .choices_count = 2}));
    const uint32_t later = stage_send(&s, 0, act_next(a, 2));
    expect_ok(stage_ask(&s, 0, ASK(SET_ACTIVE, .set_active = {.agent = b, .is_active = false})));
    stage_wait(&s, 0);
    assert_int_equal(stage_ask(&s, 0, act(c, 0)).observed.time, 1);
    jbw_agent_result result;
    assert_int_equal(jbw_agent_get_result(s.world, a, &result), JBW_OK);
    assert_int_equal(result.action, 1);
    stage_wait(&s, 0);
    assert_int_equal(stage_ask(&s, 0, act(c, 0)).observed.time, 2);
    expect_step(&s, 0, later, 2, 2);
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
    uint32_t asked[3];
    for (uint32_t i = 0; i < 3; i++) asked[i] = stage_send(&s, 0, act_next(a, i));
    expect_step(&s, 0, asked[0], 1, 0);
    for (uint32_t i = 1; i < 3; i++) {
        stage_wait(&s, 99 * millisecond);
        assert_false(stage_has_reply(&s, 0, asked[i]));
        stage_wait(&s, millisecond);
        expect_step(&s, 0, asked[i], i + 1, (int)i);
    }
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_done_in_its_own_step),
        cmocka_unit_test(the_world_is_the_same_as_step_by_step),
        cmocka_unit_test(there_is_a_most),
        cmocka_unit_test(bad_ones_are_refused_alone),
        cmocka_unit_test(they_end_with_the_agents_turn),
        cmocka_unit_test(those_who_act_together_stay_in_step),
        cmocka_unit_test(the_rate_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
