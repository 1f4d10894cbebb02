// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The policy "dqn": its settings, when it learns and explores, its weights.
#include "agents/learn/small_lives.h"

static void test_bad_settings(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    const jbw_status bad = JBW_INVALID_ARGUMENT;
    expect_error(model, "dqn", "exploration_flor", "1", bad,
                 "unknown setting 'exploration_flor', did you mean 'exploration_floor'?");
    expect_error(model, "dqn", "lstm", "17", bad,
                 "lstm: found '17', expected a multiple of 16 from 0 to 4096");
    expect_error(model, "dqn", "double", "1", bad, "double: found '1', expected true or false");
    expect_error(model, "dqn", "huber", "0", bad, "huber: found '0', expected 1e-09 to 1000000000");
    expect_error(model, "dqn", "sequence", "4", bad, "sequence: found 4, expected 1 without LSTM");
    expect_error(model, "dqn", "replay", "2", bad,
                 "replay: found 2, expected at least 7: two sequences");
    jbw_model_destroy(model);

    jbw_config config = lively_config();
    config.agent.vision_range = 1;
    model = model_of(&config);
    expect_error(model, "dqn", "senses", "both", JBW_UNSUPPORTED,
                 "the policy 'dqn' needs a vision_range of at least 2, or senses=scent");
    jbw_model_destroy(model);

    // a megabyte may be too little for what an agent sees that sees far
    config = lively_config();
    config.agent.vision_range = 100;
    config.patch_size = 220;
    config.mh_iterations = 1;
    model = model_of(&config);
    expect_error(model, "dqn", "replay_megabytes", "1", bad,
                 "replay_megabytes: found 1, which two sequences may exceed");
    jbw_model_destroy(model);
}

// some defaults depend on whether there is an LSTM
static void test_defaults(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    jbw_policy *policy = policy_of("dqn", model, NULL, 1);
    expect_setting(policy, "lstm", "0");
    expect_setting(policy, "sequence", "1");
    expect_setting(policy, "batch", "32");
    expect_setting(policy, "double", "true");
    jbw_policy_destroy(policy);
    const jbw_policy_setting setting = {"lstm", "16"};
    const jbw_policy_options options = {.settings = &setting, .setting_count = 1};
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create("dqn", model, &options, &policy, &error), JBW_OK);
    expect_setting(policy, "sequence", "16");
    expect_setting(policy, "batch", "8");
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

// an update every second step from the sixth on
static void test_updates(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, &small_dqn);
    assert_true(jbw_policy_is_learner(l.policy));
    const uint64_t first = jbw_policy_hash(l.policy);
    live(&l, 6);
    assert_true(metric_of(l.policy, "updates") == 0.0);
    assert_true(jbw_policy_hash(l.policy) == first);
    live(&l, 1);
    assert_true(metric_of(l.policy, "updates") == 1.0);
    live(&l, 80);
    assert_true(jbw_policy_hash(l.policy) != first);
    assert_true(metric_of(l.policy, "updates") == 41.0);
    assert_true(metric_of(l.policy, "replay") == 9.0);

    // frozen: it goes on acting, and nothing changes
    jbw_policy_set_learning(l.policy, false);
    const uint64_t frozen = jbw_policy_hash(l.policy);
    live(&l, 31);
    assert_true(metric_of(l.policy, "updates") == 41.0);
    assert_true(jbw_policy_hash(l.policy) == frozen);
    jbw_policy_set_learning(l.policy, true);
    live(&l, 8);
    assert_true(metric_of(l.policy, "updates") == 45.0);
    end_life(&l);
    jbw_model_destroy(model);
}

// it falls in a straight line and stays at its floor
static void test_exploration(void **state)
{
    (void)state;
    static const small_learner learner = {"dqn",
                                          {{"exploration", "0.9"},
                                           {"exploration_floor", "0.1"},
                                           {"exploration_steps", "40"},
                                           {"learns", "false"},
                                           {"replay_megabytes", "1"}}};
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, &learner);
    assert_true(metric_of(l.policy, "exploration") == 0.9);
    live(&l, 10);
    assert_float_equal(metric_of(l.policy, "exploration"), 0.7, 1e-12);
    live(&l, 30);
    assert_true(metric_of(l.policy, "exploration") == 0.1);
    live(&l, 100);
    assert_true(metric_of(l.policy, "exploration") == 0.1);
    end_life(&l);
    jbw_model_destroy(model);
}

static void expect_weights(const jbw_model *model, const small_learner *learner, size_t arrays,
                           size_t numbers)
{
    life l = begin_life(model, NULL, learner);
    jbw_policy_weights weights;
    size_t total = 0;
    size_t index = 0;
    for (; jbw_policy_get_weights(l.policy, index, &weights); index++) {
        size_t count = 1;
        for (int axis = 0; axis < weights.rank; axis++) count *= weights.shape[axis];
        total += count;
    }
    assert_int_equal(index, arrays);
    assert_int_equal(total, numbers);
    assert_string_equal(weights.name, "heads.bias");
    end_life(&l);
}

// without LSTM, values are linear in the features; there is one for each of three actions
static void test_weights(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    const size_t senses =
        9 * 3 * 16 + 16 + 4 * 16 * 16 + 16 + 16 * 512 + 512 + 3 * 32 + 32 + 32 * 512 + 512;
    expect_weights(model, &small_dqn, 12, senses + 1024 * 3 + 3);
    expect_weights(model, &small_dqn_lstm, 14, senses + (1024 + 16) * 64 + 64 + 16 * 3 + 3);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_settings), cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_updates),      cmocka_unit_test(test_exploration),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests_name("dqn_policy", tests, NULL, NULL);
}
