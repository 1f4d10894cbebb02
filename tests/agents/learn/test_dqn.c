// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The learner DQN: tasks that it learns. compare_with_jax.py compares gradients and losses with automatic
// differentiation, tests/golden/test_golden_learner.c weights on all kinds of vectors.

#include "support/checks.h"

#include "agents/learn/dqn.h"
#include "support/waiting.h"

static const jbw_allocator allocator = {0};

enum { FEW_STEPS = 300 }; // under a sanitizer: it looks at memory, not at what is learned

static jbw_dqn_options small_options(void)
{
    const jbw_network_options senses = {.scents = 2, .actions = 3};
    jbw_dqn_options o = jbw_dqn_default_options(&senses);
    o.replay_steps = 500;
    o.replay_megabytes = 1;
    o.warm_up = 50;
    o.interval = 2;
    o.target_life = 20;
    o.exploration_steps = 500;
    o.learning_rate = 0.003;
    o.gamma = 0.5;
    o.ahead = 1;
    return o;
}

// which action pays depends on a scent
static void test_learning(void **state)
{
    (void)state;
    enum { LAST = 300 };
    const int steps = is_sanitized() ? FEW_STEPS : 1500;
    const jbw_dqn_options o = small_options();
    jbw_dqn dqn;
    assert_true(jbw_dqn_init(&dqn, &o, jbw_nn_best_path(), 1, &allocator));
    int paid = 0;
    for (int t = 0; t < steps; t++) {
        const int good = t / 3 % 2;
        jbw_dqn_scent(&dqn)[0] = good ? 1.0f : 0.0f;
        jbw_dqn_scent(&dqn)[1] = 0.5f;
        const int action = jbw_dqn_act(&dqn, true);
        jbw_dqn_reward(&dqn, action == good ? 1.0 : 0.0);
        if (t >= steps - LAST) paid += action == good;
    }
    jbw_dqn_deinit(&dqn);
    if (is_sanitized()) return;
    assert_in_range(paid, LAST * 9 / 10, LAST); // 5 % of actions are drawn at random
}

// which action pays depends on the scent of the step before: that takes a memory
static int remembered(int lstm_size)
{
    enum { LAST = 300 };
    const int steps = is_sanitized() ? FEW_STEPS : 2000;
    jbw_dqn_options o = small_options();
    o.network.lstm_size = lstm_size;
    if (lstm_size > 0) {
        o.length = 8;
        o.batch = 8;
    }
    jbw_dqn dqn;
    jbw_rng rng = jbw_rng_open(4, 0, 0, JBW_PURPOSE_POLICY);
    assert_true(jbw_dqn_init(&dqn, &o, jbw_nn_best_path(), 2, &allocator));
    int good = 0;
    int paid = 0;
    for (int t = 0; t < steps; t++) {
        const int next = (int)jbw_rng_below(&rng, 2);
        jbw_dqn_scent(&dqn)[0] = next ? 1.0f : 0.0f;
        jbw_dqn_scent(&dqn)[1] = 0.5f;
        const int action = jbw_dqn_act(&dqn, true);
        jbw_dqn_reward(&dqn, action == good ? 1.0 : 0.0);
        if (t >= steps - LAST) paid += action == good;
        good = next;
    }
    jbw_dqn_deinit(&dqn);
    return paid;
}

static void test_memory(void **state)
{
    (void)state;
    const int with_memory = remembered(16);
    const int without = remembered(0);
    if (is_sanitized()) return;
    assert_in_range(with_memory, 250, 300);
    assert_in_range(without, 90, 210);
}

// an action that was not rewarded was rewarded with nothing
static void test_missing_reward(void **state)
{
    (void)state;
    const jbw_dqn_options o = small_options();
    jbw_dqn dqn;
    assert_true(jbw_dqn_init(&dqn, &o, jbw_nn_best_path(), 1, &allocator));
    jbw_dqn_reward(&dqn, 5.0); // for no action
    jbw_dqn_act(&dqn, true);
    jbw_dqn_reward(&dqn, 2.0);
    jbw_dqn_reward(&dqn, 3.0);
    jbw_dqn_act(&dqn, true);
    jbw_dqn_act(&dqn, false);
    assert_true(dqn.replay.end == 3);
    assert_true(jbw_replay_step_at(&dqn.replay, 0).reward == 2.0);
    assert_true(jbw_replay_step_at(&dqn.replay, 1).reward == 0.0);
    assert_false(jbw_replay_step_at(&dqn.replay, 2).moved);
    jbw_dqn_deinit(&dqn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learning),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_missing_reward),
    };
    return cmocka_run_group_tests_name("dqn", tests, NULL, NULL);
}
