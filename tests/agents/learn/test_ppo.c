// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The learner PPO: a task that it learns. compare_with_jax.py compares gradients, losses and optimizer steps
// with automatic differentiation, tests/golden/test_golden_learner.c weights on all kinds of vectors.

#include "support/checks.h"

#include "agents/learn/ppo.h"

static const jbw_allocator allocator = {0};

// a task without a world: the second action pays
static void test_learning(void **state)
{
    (void)state;
    const jbw_network_options senses = {.scents = 2, .actions = 3};
    jbw_ppo_options o = jbw_ppo_preset_options(JBW_PPO_FAST, &senses);
    o.network.lstm_size = 16;
    o.rows = 32;
    o.length = 8;
    o.learning_rate = 0.01;
    jbw_ppo ppo;
    assert_true(jbw_ppo_init(&ppo, &o, jbw_nn_best_path(), 1, &allocator));
    int paid = 0;
    for (int t = 0; t < 32 * 60; t++) {
        jbw_ppo_scent(&ppo)[0] = 1.0f;
        jbw_ppo_scent(&ppo)[1] = 0.5f;
        const int action = jbw_ppo_act(&ppo, true);
        jbw_ppo_reward(&ppo, action == 1 ? 1.0 : 0.0);
        if (t >= 32 * 50) paid += action == 1;
    }
    jbw_ppo_deinit(&ppo);
    assert_in_range(paid, 32 * 9, 32 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learning),
    };
    return cmocka_run_group_tests_name("ppo", tests, NULL, NULL);
}
