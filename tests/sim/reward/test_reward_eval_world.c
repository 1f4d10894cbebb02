// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards in a world: of agents, and with functions of the caller.
#include "support/models.h"

#include <math.h>
#include <string.h>

#include "jbw/agent.h"
#include "jbw/reward.h"

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

// --- functions of the caller --------------------------------------------------------------------

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

static void test_own_functions(void **state)
{
    (void)state;
    probe p = {0};
    char name[] = "Probe";
    jbw_reward_function functions[] = {{name, 2, pay_probe, &p}, {"Clock", 0, pay_time, NULL}};
    jbw_reward *reward;
    jbw_error error;
    const char *text = "Probe[3, -0.5] & Cyclical[(Clock, 2), (Scaled[Clock[], 2], 2)]";
    assert_int_equal(jbw_reward_compile(model, text, functions, 2, &reward, &error), JBW_OK);
    strcpy(name, "?"); // everything was copied
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
    jbw_world *world = world_of(model, 1);
    jbw_agent_id agent;
    jbw_agent_id late;
    jbw_reward *clock;
    const jbw_reward_function function = {"Clock", 0, pay_later, NULL};
    assert_int_equal(jbw_reward_compile(model, "Clock", &function, 1, &clock, NULL), JBW_OK);
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_true(jbw_agent_reward(world, agent, clock) == 0); // before the first step
    place(world, JELLY_BEAN, 0, 1);
    place(world, ONION, 0, 2);
    place(world, WALL, 0, 3);
    jbw_reward *reward = reward_of(model, "Action[0.01] & Explore[0.1] & Collect[JellyBean] & "
                                          "Curriculum[(Zero, 1), (Avoid[Onion], 1), (Zero, 1)]");

    assert_true(jbw_agent_reward(world, agent, reward) == 0); // nothing has happened
    act(world, agent, FORWARD);                               // at time 0
    assert_true(jbw_agent_reward(world, agent, clock) == 1);
    assert_true(fabs(jbw_agent_reward(world, agent, reward) - 1.11) < 1e-12);
    act(world, agent, FORWARD); // at time 1 the second stage applies
    assert_true(fabs(jbw_agent_reward(world, agent, reward) - -0.89) < 1e-12);
    act(world, agent, FORWARD); // blocked
    assert_true(jbw_agent_reward(world, agent, reward) == 0.01);
    act(world, agent, NOTHING);
    assert_true(jbw_agent_reward(world, agent, reward) == 0);
    assert_true(jbw_agent_reward(world, agent, clock) == 4);
    act(world, agent, BACKWARD);
    assert_true(jbw_agent_reward(world, agent, reward) == 0.01);
    assert_int_equal(jbw_world_step(world), JBW_OK); // without a request
    assert_true(jbw_agent_reward(world, agent, reward) == 0);
    act(world, agent, LEFT);
    assert_true(jbw_agent_reward(world, agent, reward) == 0.01);

    // a new agent is paid from its first step on, a removed one no more
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

int main(void)
{
    jbw_config config = small_config(8, 0, items, ITEM_COUNT);
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    model = model_of(&config);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_functions),
        cmocka_unit_test(test_agents),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    jbw_model_destroy(model);
    return failures;
}
