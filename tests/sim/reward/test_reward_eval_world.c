// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards at work: the user's own functions, agents in a world, and memory.
#include "support/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jbw/agent.h"
#include "jbw/reward.h"
#include "support/allocations.h"

static const jbw_item_type items[] = {
    {.name = "JellyBean"},
    {.name = "Onion"},
    {.name = "Wall", .blocks_movement = true, .is_uncollectable = true},
};
enum { JELLY_BEAN, ONION, WALL, ITEM_COUNT };

static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_LEFT, NULL},
    {JBW_ACTION_NO_OP, NULL},
    {JBW_ACTION_MOVE_BACKWARD, NULL},
};
enum { FORWARD, LEFT, NOTHING, BACKWARD };

static jbw_model *model;

static jbw_model *make_model(jbw_allocator allocator)
{
    jbw_config config = small_config(8, 0, items, ITEM_COUNT);
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    config.allocator = allocator;
    return model_of(&config);
}

static jbw_reward *compile(const char *text)
{
    jbw_reward *reward;
    jbw_error error;
    if (jbw_reward_compile(model, text, NULL, 0, &reward, &error))
        fail_msg("'%s': %d:%d: %s", text, error.line, error.column, error.text);
    return reward;
}

// --- the user's own functions -------------------------------------------------------------------

typedef struct probe {
    int call_count;
    jbw_reward_step latest;
} probe;

static double pay_probe(const double *arguments, const jbw_reward_step *step, void *user)
{
    probe *p = user;
    p->call_count++;
    p->latest = *step;
    return arguments[0] * 10 + arguments[1];
}

static double pay_time(const double *arguments, const jbw_reward_step *step, void *user)
{
    (void)arguments;
    (void)user;
    return (double)step->time;
}

static double pay_later(const double *arguments, const jbw_reward_step *step, void *user)
{
    return pay_time(arguments, step, user) + 1;
}

static void test_custom(void **state)
{
    (void)state;
    probe p = {0};
    char name[] = "Probe";
    jbw_reward_function functions[] = {{name, 2, pay_probe, &p}, {"Clock", 0, pay_time, NULL}};
    jbw_reward *reward;
    jbw_error error;
    const char *text = "Probe[3, -0.5] & Cyclical[(Clock, 2), (Scaled[Clock[], 2], 2)]";
    assert_int_equal(jbw_reward_compile(model, text, functions, 2, &reward, &error), JBW_OK);
    strcpy(name, "?"); // nothing of what was given is kept
    memset(functions, 0, sizeof functions);

    const jbw_reward_step step = {
        .time = 7, .has_acted = true, .collected = ONION, .start = {1, 2}, .position = {3, 4}};
    assert_true(jbw_reward_evaluate(reward, &step) == 29.5 + 14);
    assert_int_equal(p.call_count, 1);
    assert_int_equal(p.latest.time, 7);
    assert_true(p.latest.has_acted);
    assert_int_equal(p.latest.collected, ONION);
    assert_int_equal(p.latest.position.y, 4);
    assert_true(jbw_reward_of_collecting(reward, 7, ONION) == 0);
    assert_int_equal(p.call_count, 1);

    char out[100];
    jbw_reward_print(reward, out, sizeof out);
    assert_string_equal(out, "Probe[3, -0.5] & Cyclical[(Clock, 2), (Scaled[Clock, 2], 2)]");
    jbw_reward_print_at(reward, 4, out, sizeof out);
    assert_string_equal(out, "Probe[3, -0.5] & Clock");
    jbw_reward_destroy(reward);
}

// --- agents in a world --------------------------------------------------------------------------

static void place(jbw_world *world, int item, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_place_item(world, item, (jbw_position){x, y}), JBW_OK);
}

static void act(jbw_world *world, jbw_agent_id agent, int action)
{
    assert_int_equal(jbw_agent_act(world, agent, action, NULL), JBW_OK);
}

static void test_agents(void **state)
{
    (void)state;
    jbw_world *world;
    jbw_agent_id agent;
    jbw_agent_id late;
    jbw_reward *clock;
    const jbw_reward_function function = {"Clock", 0, pay_later, NULL};
    assert_int_equal(jbw_reward_compile(model, "Clock", &function, 1, &clock, NULL), JBW_OK);
    assert_int_equal(jbw_world_create(model, 1, &world), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_true(jbw_agent_reward(world, agent, clock) == 0); // has not seen any
    place(world, JELLY_BEAN, 0, 1);
    place(world, ONION, 0, 2);
    place(world, WALL, 0, 3);
    jbw_reward *reward = compile("Action[0.01] & Explore[0.1] & Collect[JellyBean] & "
                                 "Curriculum[(Zero, 1), (Avoid[Onion], 1), (Zero, 1)]");

    assert_true(jbw_agent_reward(world, agent, reward) == 0); // nothing has happened
    act(world, agent, FORWARD);                               // at time 0
    assert_true(jbw_agent_reward(world, agent, clock) == 1);
    assert_true(fabs(jbw_agent_reward(world, agent, reward) - 1.11) < 1e-12);
    act(world, agent, FORWARD); // at time 1 the second stage is in force
    assert_true(fabs(jbw_agent_reward(world, agent, reward) - -0.89) < 1e-12);
    act(world, agent, FORWARD); // blocked
    assert_true(jbw_agent_reward(world, agent, reward) == 0.01);
    act(world, agent, NOTHING);
    assert_true(jbw_agent_reward(world, agent, reward) == 0);
    assert_true(jbw_agent_reward(world, agent, clock) == 4);
    act(world, agent, BACKWARD);
    assert_true(jbw_agent_reward(world, agent, reward) == 0.01);
    assert_int_equal(jbw_world_step(world), JBW_OK); // without having asked
    assert_true(jbw_agent_reward(world, agent, reward) == 0);
    act(world, agent, LEFT);
    assert_true(jbw_agent_reward(world, agent, reward) == 0.01);

    // who comes later is paid from its first step on, and who is gone no more
    assert_int_equal(jbw_world_add_agent(world, NULL, &late), JBW_OK);
    assert_true(jbw_agent_reward(world, late, reward) == 0);
    act(world, agent, NOTHING);
    act(world, late, LEFT);
    assert_true(jbw_agent_reward(world, late, reward) == 0.01);
    assert_int_equal(jbw_world_remove_agent(world, late), JBW_OK);
    assert_true(jbw_agent_reward(world, late, reward) == 0);
    assert_true(jbw_agent_reward(world, late, clock) == 0);
    jbw_reward_destroy(clock);
    jbw_reward_destroy(reward);
    jbw_world_destroy(world);
}

// --- memory -------------------------------------------------------------------------------------

// compiles with each allocation failing in turn; returns how many there are
static size_t check_failures(const jbw_model *counted, counting_allocator *counting,
                             const char *text, jbw_reward **reward)
{
    const jbw_reward_function clock = {"Clock", 1, pay_time, NULL};
    const size_t block_count = counting->block_count;
    counting->fail_count = 1;
    for (size_t n = 1;; n++) {
        jbw_error error;
        counting->fail_at = counting->call_count + n;
        const jbw_status status = jbw_reward_compile(counted, text, &clock, 1, reward, &error);
        counting->fail_at = 0;
        if (*reward) return n - 1;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_string_equal(error.text, "out of memory");
        assert_int_equal(error.line, 0);
        assert_int_equal(counting->block_count, block_count);
    }
}

// adds to a text
static void append(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_model *counted = make_model(counting_allocator_make(&counting));
    const size_t block_count = counting.block_count;

    // longer and longer, so that blocks of memory end everywhere
    static char text[40000] = "Clock[1]";
    static char out[40000];
    jbw_reward *reward = NULL;
    size_t failure_count = 0;
    for (int i = 0; i < 300; i++) {
        append(text, sizeof text,
               i % 2 ? " & Clock[2]" : " & Random[3, 4, Collect[Onion], Explore]");
        jbw_reward_destroy(reward);
        failure_count = check_failures(counted, &counting, text, &reward);
        jbw_reward_print(reward, out, sizeof out);
        assert_string_equal(out, text);
    }
    assert_true(failure_count > 10);

    // a compiled reward asks for nothing any more
    const size_t call_count = counting.call_count;
    const jbw_reward_step step = {.time = 5, .collected = ONION};
    assert_true(jbw_reward_evaluate(reward, &step) > 0);
    jbw_reward_of_collecting(reward, 5, ONION);
    jbw_reward_print(reward, out, sizeof out);
    assert_string_equal(out, text);
    jbw_reward_print_at(reward, 5, out, sizeof out);
    assert_int_equal(counting.call_count, call_count);

    jbw_reward_destroy(reward);
    jbw_reward_destroy(NULL);
    assert_int_equal(counting.block_count, block_count);
    // also a faulty text leaves nothing behind
    assert_int_equal(jbw_reward_compile(counted, "Zero & Zer", NULL, 0, &reward, NULL),
                     JBW_INVALID_EXPRESSION);
    assert_null(reward);
    assert_int_equal(counting.block_count, block_count);
    jbw_model_destroy(counted);
}

int main(void)
{
    model = make_model((jbw_allocator){0});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_custom),
        cmocka_unit_test(test_agents),
        cmocka_unit_test(test_memory),
    };
    const int failures = cmocka_run_group_tests_name("reward_use", tests, NULL, NULL);
    jbw_model_destroy(model);
    return failures;
}
