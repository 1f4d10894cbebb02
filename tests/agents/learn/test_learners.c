// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What holds for every policy that learns: it is documented, may be handed observations, lives on from
/// saved bytes as if it had not stopped, refuses damaged ones, and allocates nothing after its creation.
#include "agents/learn/small_lives.h"

#include <stdio.h>

#include "support/allocations.h"

static const small_learner *const learners[] = {
    &small_authors, &small_fast, &small_remedies, &small_dqn, &small_dqn_lstm, &small_dqn_remedies};
enum { LEARNER_COUNT = sizeof learners / sizeof *learners };

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
    static const char *const policies[][2] = {{"ppo", "## PPO\n"}, {"dqn", "## DQN\n"}};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        char *section = strstr(text, policies[p][1]);
        assert_non_null(section);
        char *end = strstr(section + 3, "\n## ");
        assert_non_null(end);
        *end = '\0';
        for (size_t i = 0; jbw_policy_describe_setting(policies[p][0], i, &info); i++) {
            char row[80];
            snprintf(row, sizeof row, "| `%s` |", info.name);
            if (!strstr(section, row)) fail_msg("%s is not listed in %s", info.name, section);
        }
        *end = '\n';
    }
}

// ---- living ----

// what is observed elsewhere and handed over counts as much as what is written in place
static void own_buffers(const jbw_model *model, const jbw_reward *reward,
                        const small_learner *learner)
{
    life a = begin_life(model, reward, learner);
    life b = begin_life(model, reward, learner);
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
}

static void test_own_buffers(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    for (int i = 0; i < LEARNER_COUNT; i++) own_buffers(model, reward, learners[i]);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

// figures of plasticity are there if they are wanted
static void test_plasticity(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    jbw_policy_metric metric;
    for (int i = 0; i < LEARNER_COUNT; i++) {
        life l = begin_life(model, NULL, learners[i]);
        live(&l, 13);
        bool is_measured = false;
        for (size_t m = 0; jbw_policy_get_metric(l.policy, m, &metric); m++)
            if (strcmp(metric.name, "dormant") == 0) is_measured = true;
        assert_int_equal(is_measured,
                         learners[i] == &small_remedies || learners[i] == &small_dqn_remedies);
        if (is_measured) {
            assert_true(metric_of(l.policy, "dormant") < 1.0);
            assert_true(metric_of(l.policy, "effective_rank") > 1.0);
            assert_true(metric_of(l.policy, "stable_rank") >= 1.0);
            assert_true(metric_of(l.policy, "weight_norm") > metric_of(l.policy, "update_norm"));
            assert_true(metric_of(l.policy, "update_norm") > 0.0);
            assert_true(metric_of(l.policy, "replaced") > 0.0);
        }
        end_life(&l);
    }
    jbw_model_destroy(model);
}

// ---- saving ----

static bool collect(void *user, const void *bytes, size_t size)
{
    return jbw_buffer_append(user, bytes, size);
}

static bool refuse(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    size_t *left = user;
    if (size > *left) return false;
    *left -= size;
    return true;
}

// a sink gets the bytes that a buffer gets
static void send(const jbw_policy *policy, const jbw_buffer *saved)
{
    jbw_buffer sent = {0};
    assert_int_equal(jbw_policy_send(policy, (jbw_sink){collect, &sent}), JBW_OK);
    assert_int_equal(sent.size, saved->size);
    assert_memory_equal(sent.bytes, saved->bytes, saved->size);
    jbw_buffer_free(&sent);
    size_t left = saved->size - 1;
    assert_int_equal(jbw_policy_send(policy, (jbw_sink){refuse, &left}), JBW_WRITE_FAILED);
}

static jbw_policy *save_and_load(const jbw_policy *policy, const jbw_model *model,
                                 const jbw_reward *reward)
{
    jbw_buffer saved = {0};
    jbw_buffer again = {0};
    jbw_policy *copy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_save(policy, &saved), JBW_OK);
    send(policy, &saved);
    if (jbw_policy_load(saved.bytes, saved.size, model, reward, &copy, &error))
        fail_msg("%s", error.text);
    assert_int_equal(jbw_policy_save(copy, &again), JBW_OK);
    assert_int_equal(again.size, saved.size);
    assert_memory_equal(again.bytes, saved.bytes, saved.size);
    jbw_buffer_free(&saved);
    jbw_buffer_free(&again);
    return copy;
}

// saved and loaded at every step of two updates, it lives on in the same way, to the last bit
static void resume(const jbw_model *model, const jbw_reward *reward, const small_learner *learner)
{
    enum { STOPS = 11, STEPS = 14 };
    life straight = begin_life(model, reward, learner);
    live(&straight, STEPS);
    assert_true(metric_of(straight.policy, "updates") > 2.0);
    life newborn = begin_life(model, reward, learner);
    assert_true(jbw_policy_hash(straight.policy) != jbw_policy_hash(newborn.policy));
    end_life(&newborn);
    for (int stop = 0; stop < STOPS; stop++) {
        life l = begin_life(model, reward, learner);
        live(&l, stop);
        jbw_policy *copy = save_and_load(l.policy, model, reward);
        jbw_policy_destroy(l.policy);
        l.policy = copy;
        live(&l, STEPS - stop);
        assert_true(jbw_policy_hash(l.policy) == jbw_policy_hash(straight.policy));
        assert_true(jbw_world_hash(l.world) == jbw_world_hash(straight.world));
        end_life(&l);
    }
    end_life(&straight);
}

static void test_resuming(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    for (int i = 0; i < LEARNER_COUNT; i++) resume(model, reward, learners[i]);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

// also between an action and its reward, and before anything was lived
static void test_resuming_before_reward(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    for (int i = 0; i < LEARNER_COUNT; i++) {
        life l = begin_life(model, NULL, learners[i]);
        jbw_policy_destroy(save_and_load(l.policy, model, NULL));
        live(&l, 6);
        jbw_policy_act(l.policy, 6, NULL);
        jbw_policy *copy = save_and_load(l.policy, model, NULL);
        for (int step = 0; step < 10; step++) {
            jbw_policy_reward(l.policy, step % 3);
            jbw_policy_reward(copy, step % 3);
            assert_int_equal(jbw_policy_act(l.policy, 12, NULL), jbw_policy_act(copy, 12, NULL));
        }
        assert_true(jbw_policy_hash(l.policy) == jbw_policy_hash(copy));
        jbw_policy_destroy(copy);
        end_life(&l);
    }
    jbw_model_destroy(model);
}

// changes every `stride`-th byte of what is not weights
static void damage(const jbw_model *model, const small_learner *learner, size_t stride)
{
    life l = begin_life(model, NULL, learner);
    live(&l, 9);
    jbw_buffer saved = {0};
    jbw_policy *copy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_save(l.policy, &saved), JBW_OK);
    for (size_t size = 0; size < saved.size; size += size < 1200 ? stride : 10007) {
        assert_int_equal(jbw_policy_load(saved.bytes, size, model, NULL, &copy, &error),
                         JBW_INVALID_DATA);
        assert_null(copy);
    }
    // with a changed byte it is rejected, or it lives; weights and what was perceived may be anything
    const size_t lived = saved.size - 4000;
    for (size_t i = 0; i < saved.size; i += i < 700 || i > lived ? stride : 30011) {
        const uint8_t before = saved.bytes[i];
        saved.bytes[i] = (uint8_t)(before + 1 + i * 7 % 255);
        if (!jbw_policy_load(saved.bytes, saved.size, model, NULL, &copy, &error))
            for (uint64_t step = 0; step < 4; step++)
                assert_in_range(jbw_policy_act(copy, step, NULL), 0,
                                jbw_model_action_count(model) - 1);
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
}

static void test_damage(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    damage(model, &small_authors, 2);
    damage(model, &small_dqn, 3);
    damage(model, &small_dqn_lstm, 7);
    damage(model, &small_remedies, 7);
    jbw_model_destroy(model);
}

// ---- memory ----

static void fail_creation(counting_allocator *counting, const jbw_model *model,
                          const small_learner *learner)
{
    const jbw_policy_options options = options_of(learner, NULL);
    const size_t blocks = counting->block_count;
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t i = 1; status; i++) {
        jbw_policy *policy;
        jbw_error error = {0};
        fail_allocations(counting, i, 1);
        status = jbw_policy_create(learner->policy, model, &options, &policy, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_string_equal(error.text, "out of memory");
            assert_null(policy);
        } else {
            assert_true(i > 10);
            const size_t calls = counting->call_count;
            for (uint64_t time = 0; time < 12; time++) {
                jbw_policy_act(policy, time, NULL);
                jbw_policy_reward(policy, 1.0);
            }
            assert_int_equal(counting->call_count, calls);
        }
        jbw_policy_destroy(policy);
        assert_int_equal(counting->block_count, blocks);
    }
}

static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = lively_config();
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    for (int i = 0; i < LEARNER_COUNT; i++) fail_creation(&counting, model, learners[i]);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

// a life with default settings, and what the paper's agent sees, takes less than 150 MB
static void test_default_memory(void **state)
{
    (void)state;
    static const small_learner defaults[] = {
        {"ppo", {{0}}}, {"dqn", {{0}}}, {"dqn", {{"lstm", "256"}}}};
    counting_allocator counting = {0};
    jbw_config config = lively_config();
    config.agent.vision_range = 8;
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const jbw_policy_options options = options_of(&defaults[i], NULL);
        jbw_policy *policy;
        jbw_error error = {0};
        if (jbw_policy_create(defaults[i].policy, model, &options, &policy, &error))
            fail_msg("%s", error.text);
        assert_in_range(counting.byte_count, 1000000, 150000000);
        jbw_policy_destroy(policy);
    }
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_own_buffers),
        cmocka_unit_test(test_plasticity),
        cmocka_unit_test(test_resuming),
        cmocka_unit_test(test_resuming_before_reward),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_default_memory),
    };
    return cmocka_run_group_tests_name("learners", tests, NULL, NULL);
}
