// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The learner PPO: a task that it learns. compare_with_jax.py compares gradients, losses and optimizer steps
// with automatic differentiation, tests/golden/test_golden_learner.c weights on all kinds of vectors.

#include "support/checks.h"

#include "agents/learn/ppo.h"
#include "support/random.h"

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
        int action;
        jbw_ppo_scent(&ppo, 0)[0] = 1.0f;
        jbw_ppo_scent(&ppo, 0)[1] = 0.5f;
        jbw_ppo_act(&ppo, &(bool){true}, &action);
        jbw_ppo_reward(&ppo, &(double){action == 1 ? 1.0 : 0.0});
        if (t >= 32 * 50) paid += action == 1;
    }
    jbw_ppo_deinit(&ppo);
    assert_in_range(paid, 32 * 9, 32 * 10);
}

// ---- several worlds ----

enum { WORLDS = 3, STEPS = 8, SCENTS = 2 };

typedef struct minds {
    jbw_ppo shared;
    jbw_ppo alone[WORLDS];
} minds;

// writes the same observations for the shared mind and for those that live alone
static void perceive(minds *m, uint64_t *random)
{
    for (int w = 0; w < WORLDS; w++)
        for (int i = 0; i < SCENTS; i++) {
            const float smell = (float)random_real(random, 0.0, 2.0);
            jbw_ppo_scent(&m->shared, w)[i] = smell;
            jbw_ppo_scent(&m->alone[w], 0)[i] = smell;
        }
}

static void expect_equal(const minds *m)
{
    for (int w = 0; w < WORLDS; w++) {
        const jbw_ppo *alone = &m->alone[w];
        const size_t size = STEPS * sizeof(double);
        assert_memory_equal(m->shared.values + w * STEPS, alone->values, size);
        assert_memory_equal(m->shared.advantages + w * STEPS, alone->advantages, size);
        assert_memory_equal(m->shared.targets + w * STEPS, alone->targets, size);
        assert_memory_equal(m->shared.probabilities + (ptrdiff_t)w * STEPS * 3,
                            alone->probabilities, 3 * size);
    }
}

// as long as it does not learn, a shared mind thinks in each world what it would think there alone
static void test_worlds(void **state)
{
    (void)state;
    const jbw_network_options senses = {.scents = SCENTS, .actions = 3};
    jbw_ppo_options o = jbw_ppo_preset_options(JBW_PPO_FAST, &senses);
    o.network.lstm_size = 16;
    o.network.has_moved = true;
    o.length = 4;
    o.rows = STEPS;
    o.is_learning = false;
    o.has_normal_advantages = false;
    static minds m;
    for (int w = 0; w < WORLDS; w++)
        assert_true(jbw_ppo_init(&m.alone[w], &o, jbw_nn_best_path(), 5, &allocator));
    o.worlds = WORLDS;
    o.rows = WORLDS * STEPS;
    assert_true(jbw_ppo_init(&m.shared, &o, jbw_nn_best_path(), 5, &allocator));
    uint64_t random = 1;
    for (int t = 0; t <= 3 * STEPS; t++) {
        perceive(&m, &random);
        if (t > 0 && t % STEPS == 0) {
            jbw_ppo_estimate(&m.shared);
            for (int w = 0; w < WORLDS; w++) jbw_ppo_estimate(&m.alone[w]);
            expect_equal(&m);
        }
        bool moved[WORLDS];
        double rewards[WORLDS];
        int actions[WORLDS];
        for (int w = 0; w < WORLDS; w++) {
            moved[w] = random_chance(&random, 50);
            rewards[w] = random_real(&random, -1.0, 1.0);
            jbw_ppo_act(&m.alone[w], &moved[w], &actions[w]);
            jbw_ppo_reward(&m.alone[w], &rewards[w]);
        }
        jbw_ppo_act(&m.shared, moved, actions);
        jbw_ppo_reward(&m.shared, rewards);
    }
    for (int w = 0; w < WORLDS; w++) jbw_ppo_deinit(&m.alone[w]);
    jbw_ppo_deinit(&m.shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learning),
        cmocka_unit_test(test_worlds),
    };
    return cmocka_run_group_tests_name("ppo", tests, NULL, NULL);
}
