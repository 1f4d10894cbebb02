// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The policy "ppo": its settings, when it learns, its weights.
#include "agents/learn/small_lives.h"

// ---- settings ----

static void test_bad_settings(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    const jbw_status bad = JBW_INVALID_ARGUMENT;
    expect_error(model, "ppo", "learning_rat", "1", bad,
                 "unknown setting 'learning_rat', did you mean 'learning_rate'?");
    expect_error(model, "ppo", "zzzzzzzzzzzz", "1", bad, "unknown setting 'zzzzzzzzzzzz'");
    expect_error(model, "ppo", "lstm", "17", bad,
                 "lstm: found '17', expected a multiple of 16 from 16 to 4096");
    expect_error(model, "ppo", "lstm", "99999999999", bad,
                 "lstm: found '99999999999', expected a multiple of 16 from 16 to 4096");
    expect_error(model, "ppo", "epochs", "0", bad,
                 "epochs: found '0', expected an integer from 1 to 1000");
    expect_error(model, "ppo", "gamma", "1.5", bad, "gamma: found '1.5', expected 0 to 1");
    expect_error(model, "ppo", "gamma", "nan", bad, "gamma: found 'nan', expected 0 to 1");
    expect_error(model, "ppo", "amsgrad", "yes", bad,
                 "amsgrad: found 'yes', expected true or false");
    expect_error(model, "ppo", "preset", "slow", bad,
                 "preset: found 'slow', expected authors or fast or tiny");
    expect_error(model, "ppo", "bptt", "7", bad,
                 "bptt: found 7, expected a divisor of rows, which is 512");
    expect_error(model, "ppo", NULL, NULL, bad, "unknown setting ''");
    const jbw_policy_setting setting = {"lstm", "16"};
    const jbw_policy_options options = {.settings = &setting, .setting_count = 1};
    jbw_policy *policy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create("greedy", model, &options, &policy, &error), bad);
    assert_string_equal(error.text, "the policy 'greedy' has no settings");
    jbw_model_destroy(model);
}

// the convolutions need five cells a side
static void test_short_sight(void **state)
{
    (void)state;
    jbw_config config = lively_config();
    config.agent.vision_range = 1;
    jbw_model *model = model_of(&config);
    expect_error(model, "ppo", "senses", "vision", JBW_UNSUPPORTED,
                 "the policy 'ppo' needs a vision_range of at least 2, or senses=scent");
    const jbw_policy_setting setting = {"senses", "scent"};
    const jbw_policy_options options = {.settings = &setting, .setting_count = 1};
    jbw_policy *policy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create("ppo", model, &options, &policy, &error), JBW_OK);
    assert_null(jbw_policy_wants(policy).vision);
    assert_non_null(jbw_policy_wants(policy).scent);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

// the numbers of the paper's authors
static void test_authors(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {
        {"senses", "both"},
        {"lstm", "512"},
        {"activation", "gelu"},
        {"moved", "true"},
        {"activate_moved", "true"},
        {"heads_see_features", "true"},
        {"heads_see_cell", "true"},
        {"shared_gate_init", "true"},
        {"rows", "512"},
        {"epochs", "4"},
        {"bptt", "1"},
        {"learning_rate", "0.0001"},
        {"amsgrad", "true"},
        {"gradient_norm", "0.5"},
        {"gamma", "0.99"},
        {"lambda", "0.9"},
        {"clip", "0.1"},
        {"value_clip", "0.1"},
        {"value_weight", "0.5"},
        {"half_value_loss", "true"},
        {"entropy_weight", "0.01"},
        {"normal_advantages", "false"},
        {"kl_weight", "1"},
        {"kl_target", "0.01"},
        {"kl_cutoff", "0.5"},
        {"kl_cutoff_weight", "1000"},
        {"kl_adapts", "false"},
        {"learns", "true"},
    };
    jbw_model *model = make_model();
    jbw_policy *policy = policy_of("ppo", model, NULL, 1);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        expect_setting(policy, wanted[i][0], wanted[i][1]);
    jbw_policy_destroy(policy);

    // with one sense, `moved` does not go through the activation
    const jbw_policy_setting setting = {"senses", "vision"};
    const jbw_policy_options options = {.settings = &setting, .setting_count = 1};
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create("ppo", model, &options, &policy, &error), JBW_OK);
    expect_setting(policy, "activate_moved", "false");
    const jbw_observation wants = jbw_policy_wants(policy);
    assert_non_null(wants.vision);
    assert_non_null(wants.moved);
    assert_null(wants.scent);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

// ---- living ----

// an update once the observation after its rows is there
static void test_updates(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, &small_authors);
    assert_true(jbw_policy_is_learner(l.policy));
    const uint64_t first = jbw_policy_hash(l.policy);
    live(&l, ROWS);
    assert_true(metric_of(l.policy, "updates") == 0.0);
    assert_true(jbw_policy_hash(l.policy) == first);
    live(&l, 1);
    assert_true(metric_of(l.policy, "updates") == 1.0);
    assert_true(metric_of(l.policy, "entropy") > 0.5);
    assert_true(jbw_policy_hash(l.policy) != first);
    live(&l, 10 * ROWS);
    assert_true(metric_of(l.policy, "updates") == 11.0);

    // frozen: it goes on acting, and nothing changes
    jbw_policy_set_learning(l.policy, false);
    const uint64_t frozen = jbw_policy_hash(l.policy);
    live(&l, 3 * ROWS);
    assert_true(metric_of(l.policy, "updates") == 11.0);
    assert_true(jbw_policy_hash(l.policy) == frozen);
    jbw_policy_set_learning(l.policy, true);
    live(&l, ROWS);
    assert_true(metric_of(l.policy, "updates") == 12.0);
    end_life(&l);
    jbw_model_destroy(model);
}

static void test_weights(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, &small_authors);
    jbw_policy_weights weights;
    size_t total = 0;
    size_t index = 0;
    const float *end = NULL;
    for (; jbw_policy_get_weights(l.policy, index, &weights); index++) {
        size_t count = 1;
        for (int axis = 0; axis < weights.rank; axis++) count *= weights.shape[axis];
        if (end) assert_ptr_equal(weights.values, end); // one after the other
        end = weights.values + count;
        total += count;
    }
    assert_int_equal(index, 14);
    // conv1, conv2, vision, scent1, scent2, lstm, heads; biases
    const size_t in = 512 + 512 + 1;
    assert_int_equal(total, 9 * 3 * 16 + 16 + 4 * 16 * 16 + 16 + 16 * 512 + 512 + 3 * 32 + 32 +
                                32 * 512 + 512 + (in + 16) * 64 + 64 + (in + 16) * 4 + 4);
    assert_string_equal(weights.name, "heads.bias");
    end_life(&l);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_settings), cmocka_unit_test(test_short_sight),
        cmocka_unit_test(test_authors),      cmocka_unit_test(test_updates),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests_name("ppo_policy", tests, NULL, NULL);
}
