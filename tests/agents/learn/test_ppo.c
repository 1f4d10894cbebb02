// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The learner PPO: the same weights on every path, and a task that it learns. compare_with_jax.py compares
// gradients, losses and optimizer steps with automatic differentiation.

#include "support/checks.h"

#include <stdio.h>

#include "agents/learn/ppo.h"
#include "support/random.h"

static const jbw_allocator allocator = {0};

static jbw_ppo_options small_options(bool is_fast)
{
    const jbw_network_options senses = {.vision_side = 7, .colors = 3, .scents = 3, .actions = 3};
    jbw_ppo_options o = is_fast ? jbw_ppo_fast(&senses) : jbw_ppo_authors(&senses);
    o.network.lstm_size = 16;
    o.rows = 32;
    if (is_fast) o.length = 8;
    return o;
}

// some updates on random observations and rewards; returns the hash of the weights
static uint64_t live(const jbw_nn_path *path, bool is_fast, int steps)
{
    jbw_ppo ppo;
    const jbw_ppo_options options = small_options(is_fast);
    assert_true(jbw_ppo_init(&ppo, &options, path, 5, &allocator));
    uint64_t random = 11;
    for (int t = 0; t < steps; t++) {
        float *vision = jbw_ppo_vision(&ppo);
        float *scent = jbw_ppo_scent(&ppo);
        for (int i = 0; i < 7 * 7 * 3; i++)
            vision[i] = random_chance(&random, 20) ? (float)random_real(&random, 0.0, 1.0) : 0.0f;
        for (int i = 0; i < 3; i++) scent[i] = (float)random_real(&random, 0.0, 2.0);
        const bool moved = random_chance(&random, 50);
        const int action = jbw_ppo_act(&ppo, moved);
        jbw_ppo_reward(&ppo, action == 1 ? 1.0 : random_real(&random, -0.5, 0.5));
    }
    const uint64_t hash = jbw_parameters_hash(&ppo.network.parameters);
    jbw_ppo_deinit(&ppo);
    return hash;
}

// the same on every compiler, processor and path; they change only when the learner is meant to change
static void test_golden_weights(void **state)
{
    (void)state;
    static const uint64_t golden[2] = {UINT64_C(0x9b15d69cf5609ce6), UINT64_C(0x95f967f219feff4e)};
    for (size_t i = 0; jbw_nn_path_at(i); i++) {
        if (!jbw_nn_path_at(i)->is_supported()) continue;
        for (int is_fast = 0; is_fast < 2; is_fast++) {
            const uint64_t hash = live(jbw_nn_path_at(i), is_fast, 100);
            if (hash != golden[is_fast])
                fail_msg("%s, %s: %016llx", jbw_nn_path_at(i)->name, is_fast ? "fast" : "authors",
                         (unsigned long long)hash);
        }
    }
}

// a task without a world: the second action pays
static void test_learning(void **state)
{
    (void)state;
    const jbw_network_options senses = {.scents = 2, .actions = 3};
    jbw_ppo_options o = jbw_ppo_fast(&senses);
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
        cmocka_unit_test(test_golden_weights),
        cmocka_unit_test(test_learning),
    };
    return cmocka_run_group_tests_name("ppo", tests, NULL, NULL);
}
