// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The policy "ppo": settings, living in a world, saving at any step, memory.
#include "support/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "support/allocations.h"

enum { DIMENSIONS = 3 };

static const double bean_color[] = {0.82, 0.27, 0.20};
static const double bean_scent[] = {1.64, 0.54, 0.40};
static const jbw_item_type items[] = {
    {.name = "Bean", .color = bean_color, .scent = bean_scent, .intensity = "Constant[-2]"},
    {.name = "Wall", .blocks_movement = true}};

static jbw_config lively_config(void)
{
    jbw_config config = small_config(20, 10, items, 2);
    config.color_dimensions = DIMENSIONS;
    config.scent_dimensions = DIMENSIONS;
    config.agent.vision_range = 2;
    return config;
}

static jbw_model *make_model(void)
{
    const jbw_config config = lively_config();
    return model_of(&config);
}

// updates every 4 steps
enum { ROWS = 4, SMALL_COUNT = 5 };
static const jbw_policy_setting small_authors[SMALL_COUNT] = {
    {"lstm", "16"}, {"rows", "4"}, {"epochs", "2"}, {"preset", "authors"}, {"bptt", "1"}};
static const jbw_policy_setting small_fast[SMALL_COUNT] = {
    {"bptt", "2"}, {"lstm", "16"}, {"rows", "4"}, {"epochs", "2"}, {"preset", "fast"}};

static jbw_policy *small_ppo(const jbw_model *model, const jbw_reward *reward, bool is_fast)
{
    const jbw_policy_options options = {.reward = reward,
                                        .seed = 3,
                                        .settings = is_fast ? small_fast : small_authors,
                                        .setting_count = SMALL_COUNT};
    jbw_policy *policy;
    jbw_error error = {0};
    if (jbw_policy_create("ppo", model, &options, &policy, &error)) fail_msg("%s", error.text);
    return policy;
}

// ---- settings ----

static void expect_error(const jbw_model *model, const char *name, const char *value,
                         jbw_status status, const char *text)
{
    const jbw_policy_setting setting = {name, value};
    const jbw_policy_options options = {.settings = &setting, .setting_count = 1};
    jbw_policy *policy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create("ppo", model, &options, &policy, &error), status);
    assert_null(policy);
    assert_string_equal(error.text, text);
}

static void test_bad_settings(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    const jbw_status bad = JBW_INVALID_ARGUMENT;
    expect_error(model, "learning_rat", "1", bad,
                 "unknown setting 'learning_rat', did you mean 'learning_rate'?");
    expect_error(model, "zzzzzzzzzzzz", "1", bad, "unknown setting 'zzzzzzzzzzzz'");
    expect_error(model, "lstm", "17", bad,
                 "lstm: found '17', expected a multiple of 16 from 16 to 4096");
    expect_error(model, "lstm", "99999999999", bad,
                 "lstm: found '99999999999', expected a multiple of 16 from 16 to 4096");
    expect_error(model, "epochs", "0", bad,
                 "epochs: found '0', expected an integer from 1 to 1000");
    expect_error(model, "gamma", "1.5", bad, "gamma: found '1.5', expected 0 to 1");
    expect_error(model, "gamma", "nan", bad, "gamma: found 'nan', expected 0 to 1");
    expect_error(model, "amsgrad", "yes", bad, "amsgrad: found 'yes', expected true or false");
    expect_error(model, "preset", "slow", bad, "preset: found 'slow', expected authors or fast");
    expect_error(model, "bptt", "7", bad,
                 "bptt: found 7, expected a divisor of rows, which is 512");
    expect_error(model, NULL, NULL, bad, "unknown setting ''");
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
    expect_error(model, "senses", "vision", JBW_UNSUPPORTED,
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

static void expect_setting(const jbw_policy *policy, const char *name, const char *value)
{
    jbw_policy_setting_info info;
    char found[64];
    for (size_t i = 0; jbw_policy_describe_setting("ppo", i, &info); i++) {
        if (strcmp(info.name, name) != 0) continue;
        assert_true(jbw_policy_get_setting(policy, i, found, sizeof found));
        if (strcmp(found, value) != 0) fail_msg("%s: %s, not %s", name, found, value);
        return;
    }
    fail_msg("no setting %s", name);
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

// docs/policies.md lists every setting
static void test_documented(void **state)
{
    (void)state;
    static char text[1 << 17];
    FILE *file = fopen(JBW_SOURCE_DIR "/docs/policies.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    jbw_policy_setting_info info;
    for (size_t i = 0; jbw_policy_describe_setting("ppo", i, &info); i++) {
        char row[80];
        snprintf(row, sizeof row, "| `%s` |", info.name);
        if (!strstr(text, row)) fail_msg("docs/policies.md does not list %s", info.name);
    }
}

// ---- living ----

typedef struct life {
    jbw_world *world;
    jbw_policy *policy;
    jbw_agent_id agent;
} life;

static life begin_life(const jbw_model *model, const jbw_reward *reward, bool is_fast)
{
    life l = {.world = world_of(model, 7), .policy = small_ppo(model, reward, is_fast)};
    assert_int_equal(jbw_world_add_agent(l.world, NULL, &l.agent), JBW_OK);
    return l;
}

static double live(const life *l, int steps)
{
    double sum = 0.0;
    for (int i = 0; i < steps; i++) {
        double reward;
        assert_int_equal(jbw_policy_step(l->policy, l->world, l->agent, &reward), JBW_OK);
        sum += reward;
    }
    return sum;
}

static void end_life(life *l)
{
    jbw_policy_destroy(l->policy);
    jbw_world_destroy(l->world);
}

static double metric_of(const jbw_policy *policy, const char *name)
{
    jbw_policy_metric metric;
    for (size_t i = 0; jbw_policy_get_metric(policy, i, &metric); i++)
        if (strcmp(metric.name, name) == 0) return metric.value;
    fail_msg("no metric %s", name);
    return 0.0;
}

// an update once the observation after its rows is there
static void test_updates(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, false);
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

// what is observed elsewhere and handed over counts as much as what is written in place
static void test_own_buffers(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    life a = begin_life(model, reward, true);
    life b = begin_life(model, reward, true);
    float vision[5 * 5 * DIMENSIONS];
    float scent[DIMENSIONS];
    uint8_t moved;
    const jbw_observation own = {.vision = vision, .scent = scent, .moved = &moved};
    live(&a, 21);
    for (int i = 0; i < 21; i++) {
        assert_int_equal(jbw_agent_observe(b.world, b.agent, &own), JBW_OK);
        const int action = jbw_policy_act(b.policy, jbw_world_time(b.world), &own);
        assert_int_equal(jbw_agent_act(b.world, b.agent, action, NULL), JBW_OK);
        jbw_policy_reward(b.policy, jbw_agent_reward(b.world, b.agent, reward));
    }
    assert_true(jbw_policy_hash(a.policy) == jbw_policy_hash(b.policy));
    assert_true(jbw_world_hash(a.world) == jbw_world_hash(b.world));
    end_life(&a);
    end_life(&b);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

static void test_weights(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, false);
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

// ---- saving ----

// saved and loaded at every step of two updates, it lives on in the same way, to the last bit
static void test_resuming(void **state)
{
    (void)state;
    enum { STOPS = 11, STEPS = 14 };
    jbw_model *model = make_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    for (int is_fast = 0; is_fast < 2; is_fast++) {
        life straight = begin_life(model, reward, is_fast);
        live(&straight, STEPS);
        for (int stop = 0; stop < STOPS; stop++) {
            life l = begin_life(model, reward, is_fast);
            live(&l, stop);
            jbw_buffer saved = {0};
            jbw_error error = {0};
            assert_int_equal(jbw_policy_save(l.policy, &saved), JBW_OK);
            jbw_policy_destroy(l.policy);
            if (jbw_policy_load(saved.bytes, saved.size, model, reward, &l.policy, &error))
                fail_msg("%s", error.text);
            jbw_buffer again = {0};
            assert_int_equal(jbw_policy_save(l.policy, &again), JBW_OK);
            assert_int_equal(again.size, saved.size);
            assert_memory_equal(again.bytes, saved.bytes, saved.size);
            live(&l, STEPS - stop);
            assert_true(jbw_policy_hash(l.policy) == jbw_policy_hash(straight.policy));
            assert_true(jbw_world_hash(l.world) == jbw_world_hash(straight.world));
            jbw_buffer_free(&saved);
            jbw_buffer_free(&again);
            end_life(&l);
        }
        end_life(&straight);
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

// also between an action and its reward
static void test_resuming_before_reward(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, true);
    live(&l, 6);
    jbw_policy_act(l.policy, 6, NULL);
    jbw_buffer saved = {0};
    jbw_error error = {0};
    jbw_policy *copy;
    assert_int_equal(jbw_policy_save(l.policy, &saved), JBW_OK);
    assert_int_equal(jbw_policy_load(saved.bytes, saved.size, model, NULL, &copy, &error), JBW_OK);
    for (int i = 0; i < 10; i++) {
        jbw_policy_reward(l.policy, i % 3);
        jbw_policy_reward(copy, i % 3);
        assert_int_equal(jbw_policy_act(l.policy, 12, NULL), jbw_policy_act(copy, 12, NULL));
    }
    assert_true(jbw_policy_hash(l.policy) == jbw_policy_hash(copy));
    jbw_policy_destroy(copy);
    jbw_buffer_free(&saved);
    end_life(&l);
    jbw_model_destroy(model);
}

static void test_damage(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    life l = begin_life(model, NULL, false);
    live(&l, 7);
    jbw_buffer saved = {0};
    jbw_policy *copy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_save(l.policy, &saved), JBW_OK);
    for (size_t size = 0; size < saved.size; size += size < 1200 ? 1 : 10007) {
        assert_int_equal(jbw_policy_load(saved.bytes, size, model, NULL, &copy, &error),
                         JBW_INVALID_DATA);
        assert_null(copy);
    }
    // with a changed byte it is rejected, or it acts; weights and rows may be anything
    const size_t rows = saved.size - 4000;
    for (size_t i = 0; i < saved.size; i += i < 700 || i > rows ? 1 : 30011) {
        const uint8_t before = saved.bytes[i];
        saved.bytes[i] = (uint8_t)(before + 1 + i * 7 % 255);
        if (!jbw_policy_load(saved.bytes, saved.size, model, NULL, &copy, &error))
            assert_in_range(jbw_policy_act(copy, 0, NULL), 0, jbw_model_action_count(model) - 1);
        jbw_policy_destroy(copy);
        saved.bytes[i] = before;
    }
    // from another learner: its version follows version, length and name
    assert_int_equal(saved.bytes[5], JBW_LEARNER_VERSION);
    saved.bytes[5]++;
    assert_int_equal(jbw_policy_load(saved.bytes, saved.size, model, NULL, &copy, &error),
                     JBW_INVALID_DATA);
    assert_string_equal(error.text, "the saved policy comes from version 2 of the learner, but "
                                    "this library has version 1");
    jbw_buffer_free(&saved);
    end_life(&l);
    jbw_model_destroy(model);
}

// ---- memory ----

static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = lively_config();
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    const size_t blocks = counting.block_count;
    const jbw_policy_options options = {.settings = small_fast, .setting_count = SMALL_COUNT};
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t i = 1; status; i++) {
        jbw_policy *policy;
        jbw_error error = {0};
        fail_allocations(&counting, i, 1);
        status = jbw_policy_create("ppo", model, &options, &policy, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_string_equal(error.text, "out of memory");
            assert_null(policy);
        } else {
            assert_true(i > 10);
            const size_t calls = counting.call_count;
            for (uint64_t time = 0; time < 10; time++) {
                jbw_policy_act(policy, time, NULL);
                jbw_policy_reward(policy, 1.0);
            }
            assert_int_equal(counting.call_count, calls);
        }
        jbw_policy_destroy(policy);
        assert_int_equal(counting.block_count, blocks);
    }
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_short_sight),
        cmocka_unit_test(test_authors),
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_own_buffers),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_resuming),
        cmocka_unit_test(test_resuming_before_reward),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("ppo_policy", tests, NULL, NULL);
}
