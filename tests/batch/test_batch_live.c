// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Many lives at once: policies in a batch, with any number of threads, do and learn what they would alone.
#include "support/models.h"

#include "jbw/agent.h"
#include "jbw/batch.h"

enum { WORLDS = 5, STEPS = 10, DIMENSIONS = 3 };

static const double color[] = {0.82, 0.27, 0.20};
static const jbw_item_type item = {
    .name = "Bean", .color = color, .scent = color, .intensity = "Constant[-2]"};

static const jbw_policy_setting settings[] = {
    {"preset", "fast"}, {"lstm", "16"}, {"rows", "4"}, {"bptt", "2"}, {"epochs", "2"}};

static jbw_model *make_model(void)
{
    jbw_config config = small_config(20, 10, &item, 1);
    config.color_dimensions = DIMENSIONS;
    config.scent_dimensions = DIMENSIONS;
    config.agent.vision_range = 2;
    return model_of(&config);
}

// learners, and a random one among them
static jbw_policy *make_policy(const jbw_model *model, const jbw_reward *reward, size_t index)
{
    const bool learns = index != 2;
    const jbw_policy_options options = {.reward = reward,
                                        .seed = index,
                                        .settings = settings,
                                        .setting_count =
                                            learns ? sizeof settings / sizeof *settings : 0};
    jbw_policy *policy;
    jbw_error error = {0};
    if (jbw_policy_create(learns ? "ppo" : "random", model, &options, &policy, &error))
        fail_msg("%s", error.text);
    return policy;
}

static void test_as_alone(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    uint64_t weights[WORLDS];
    uint64_t worlds[WORLDS];
    double totals[WORLDS] = {0};
    for (size_t i = 0; i < WORLDS; i++) {
        jbw_world *world = world_of(model, i);
        jbw_agent_id agent;
        assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
        jbw_policy *policy = make_policy(model, reward, i);
        for (int step = 0; step < STEPS; step++) {
            double earned;
            assert_int_equal(jbw_policy_step(policy, world, agent, &earned), JBW_OK);
            totals[i] += earned;
        }
        weights[i] = jbw_policy_hash(policy);
        worlds[i] = jbw_world_hash(world);
        jbw_policy_destroy(policy);
        jbw_world_destroy(world);
    }
    assert_true(weights[0] != weights[1]);

    static const int thread_counts[] = {1, 8};
    for (size_t t = 0; t < 2; t++) {
        jbw_batch_world entries[WORLDS];
        jbw_policy *policies[WORLDS];
        for (size_t i = 0; i < WORLDS; i++) {
            entries[i] =
                (jbw_batch_world){.model = model, .seed = i, .agent_count = 1, .reward = reward};
            policies[i] = make_policy(model, reward, i);
        }
        float scent[WORLDS * DIMENSIONS];
        const jbw_batch_buffers buffers = {.parts = {.scent = scent}};
        jbw_batch *batch;
        jbw_error error = {0};
        assert_int_equal(
            jbw_batch_create(entries, WORLDS, thread_counts[t], &buffers, &batch, &error), JBW_OK);
        double found[WORLDS];
        double more[WORLDS];
        assert_int_equal(jbw_batch_live(batch, policies, STEPS - 3, found), JBW_OK);
        assert_int_equal(jbw_batch_live(batch, policies, 3, more), JBW_OK);
        for (size_t i = 0; i < WORLDS; i++) {
            assert_true(jbw_policy_hash(policies[i]) == weights[i]);
            assert_true(jbw_world_hash(jbw_batch_get_world(batch, i)) == worlds[i]);
            assert_true(found[i] + more[i] == totals[i]);
            float smelled[DIMENSIONS];
            jbw_agent_perceive(jbw_batch_get_world(batch, i), jbw_batch_agent(batch, i), NULL,
                               smelled);
            assert_memory_equal(smelled, scent + i * DIMENSIONS, sizeof smelled);
        }
        jbw_policy *const kept = policies[3];
        policies[3] = policies[1]; // shared
        assert_int_equal(jbw_batch_live(batch, policies, 1, NULL), JBW_INVALID_ARGUMENT);
        policies[3] = NULL;
        assert_int_equal(jbw_batch_live(batch, policies, 1, NULL), JBW_INVALID_ARGUMENT);
        assert_int_equal(jbw_batch_live(batch, NULL, 1, NULL), JBW_INVALID_ARGUMENT);
        policies[3] = kept;
        jbw_batch_destroy(batch);
        for (size_t i = 0; i < WORLDS; i++) jbw_policy_destroy(policies[i]);
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

// lives that nobody pays or counts, beside an agent that takes no part, and after their own is gone
static void test_unpaid(void **state)
{
    (void)state;
    jbw_model *model = make_model();
    const jbw_batch_world entry = {.model = model, .seed = 3, .agent_count = 1};
    const jbw_batch_buffers buffers = {0};
    jbw_batch *batch;
    jbw_error error = {0};
    jbw_policy *policy = policy_of("random", model, NULL, 1);
    assert_int_equal(jbw_batch_create(&entry, 1, 1, &buffers, &batch, &error), JBW_OK);
    jbw_world *world = jbw_batch_get_world(batch, 0);
    jbw_agent_id other;
    assert_int_equal(jbw_world_add_agent(world, NULL, &other), JBW_OK);
    double total = 5;
    assert_int_equal(jbw_batch_live(batch, &policy, 4, NULL), JBW_OK);
    assert_int_equal(jbw_batch_live(batch, &policy, 3, &total), JBW_OK);
    assert_int_equal(jbw_world_time(world), 7);
    assert_true(total == 0);
    assert_int_equal(jbw_world_remove_agent(world, jbw_batch_agent(batch, 0)), JBW_OK);
    assert_true(jbw_batch_live(batch, &policy, 3, NULL) != JBW_OK);
    assert_int_equal(jbw_world_time(world), 7);
    jbw_batch_destroy(batch);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_alone),
                                       cmocka_unit_test(test_unpaid)};
    return cmocka_run_group_tests_name("batch_live", tests, NULL, NULL);
}
