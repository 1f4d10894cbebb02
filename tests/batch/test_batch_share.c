// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// One mind for many worlds: a batch lets it live as a loop of single calls does, on any number of
/// threads, and it can be saved at any step.
#include "support/models.h"

#include "jbw/agent.h"
#include "jbw/batch.h"

enum { WORLDS = 4, STEPS = 11, DIMENSIONS = 3 };

static const double color[] = {0.82, 0.27, 0.20};
static const jbw_item_type item = {
    .name = "Bean", .color = color, .scent = color, .intensity = "Constant[-2]"};

static const jbw_policy_setting settings[] = {{"worlds", "4"}, {"preset", "fast"}, {"lstm", "16"},
                                              {"rows", "16"},  {"bptt", "2"},      {"epochs", "2"}};

typedef struct fixture {
    jbw_model *model;
    jbw_reward *reward;
} fixture;

static fixture begin(void)
{
    jbw_config config = small_config(20, 10, &item, 1);
    config.color_dimensions = DIMENSIONS;
    config.scent_dimensions = DIMENSIONS;
    config.agent.vision_range = 2;
    jbw_model *model = model_of(&config);
    return (fixture){model, reward_of(model, "Collect[Bean]")};
}

static void end(fixture *f)
{
    jbw_reward_destroy(f->reward);
    jbw_model_destroy(f->model);
}

static jbw_policy *make_policy(const fixture *f)
{
    const jbw_policy_options options = {.reward = f->reward,
                                        .seed = 3,
                                        .settings = settings,
                                        .setting_count = sizeof settings / sizeof *settings};
    jbw_policy *policy;
    jbw_error error = {0};
    if (jbw_policy_create("ppo", f->model, &options, &policy, &error)) fail_msg("%s", error.text);
    assert_int_equal(jbw_policy_agent_count(policy), WORLDS);
    return policy;
}

static jbw_batch *make_batch(const fixture *f, int threads)
{
    jbw_batch_world entries[WORLDS];
    for (size_t i = 0; i < WORLDS; i++)
        entries[i] =
            (jbw_batch_world){.model = f->model, .seed = i, .agent_count = 1, .reward = f->reward};
    jbw_batch *batch;
    jbw_error error = {0};
    if (jbw_batch_create(entries, WORLDS, threads, NULL, &batch, &error))
        fail_msg("%s", error.text);
    return batch;
}

// the slow and obvious way
static void live_by_hand(jbw_policy *policy, jbw_world *const *worlds, const jbw_agent_id *agents,
                         const jbw_reward *reward, double *totals)
{
    for (int step = 0; step < STEPS; step++) {
        jbw_observation seen[WORLDS];
        int actions[WORLDS];
        double rewards[WORLDS];
        for (size_t i = 0; i < WORLDS; i++) {
            seen[i] = jbw_policy_wants_for(policy, i);
            assert_int_equal(jbw_agent_observe(worlds[i], agents[i], &seen[i]), JBW_OK);
        }
        jbw_policy_act_all(policy, jbw_world_time(worlds[0]), seen, actions);
        for (size_t i = 0; i < WORLDS; i++) {
            assert_int_equal(jbw_agent_act(worlds[i], agents[i], actions[i], NULL), JBW_OK);
            rewards[i] = jbw_agent_reward(worlds[i], agents[i], reward);
            totals[i] += rewards[i];
        }
        jbw_policy_reward_all(policy, rewards);
    }
}

static jbw_policy *saved_and_loaded(const fixture *f, jbw_policy *policy)
{
    jbw_buffer saved = {0};
    jbw_policy *loaded;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_save(policy, &saved), JBW_OK);
    if (jbw_policy_load(saved.bytes, saved.size, f->model, f->reward, &loaded, &error))
        fail_msg("%s", error.text);
    jbw_buffer_free(&saved);
    jbw_policy_destroy(policy);
    return loaded;
}

static void test_share(void **state)
{
    (void)state;
    fixture f = begin();
    jbw_world *worlds[WORLDS];
    jbw_agent_id agents[WORLDS];
    double totals[WORLDS] = {0};
    jbw_policy *policy = make_policy(&f);
    const uint64_t fresh = jbw_policy_hash(policy);
    for (size_t i = 0; i < WORLDS; i++) {
        worlds[i] = world_of(f.model, i);
        assert_int_equal(jbw_world_add_agent(worlds[i], NULL, &agents[i]), JBW_OK);
    }
    live_by_hand(policy, worlds, agents, f.reward, totals);
    const uint64_t weights = jbw_policy_hash(policy);
    assert_true(weights != fresh); // it has learnt
    jbw_policy_destroy(policy);

    static const int thread_counts[] = {1, 3};
    for (size_t t = 0; t < 2; t++) {
        jbw_batch *batch = make_batch(&f, thread_counts[t]);
        double found[WORLDS] = {0};
        policy = make_policy(&f);
        for (int step = 0; step < STEPS; step++) {
            double more[WORLDS];
            policy = saved_and_loaded(&f, policy);
            assert_int_equal(jbw_batch_share(batch, policy, 1, more), JBW_OK);
            for (size_t i = 0; i < WORLDS; i++) found[i] += more[i];
        }
        assert_true(jbw_policy_hash(policy) == weights);
        for (size_t i = 0; i < WORLDS; i++) {
            assert_true(found[i] == totals[i]);
            assert_true(jbw_world_hash(jbw_batch_get_world(batch, i)) == jbw_world_hash(worlds[i]));
        }
        jbw_policy_destroy(policy);
        jbw_batch_destroy(batch);
    }
    for (size_t i = 0; i < WORLDS; i++) jbw_world_destroy(worlds[i]);
    end(&f);
}

static void test_misuse(void **state)
{
    (void)state;
    fixture f = begin();
    jbw_policy *shared = make_policy(&f);
    jbw_policy *single;
    assert_int_equal(jbw_policy_create("random", f.model, NULL, &single, NULL), JBW_OK);
    assert_int_equal(jbw_policy_agent_count(single), 1);
    jbw_batch *batch = make_batch(&f, 1);
    assert_int_equal(jbw_batch_share(batch, single, 1, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_share(batch, NULL, 1, NULL), JBW_INVALID_ARGUMENT);
    int32_t actions[WORLDS];
    assert_int_equal(jbw_batch_choose(batch, single, actions), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_choose(batch, shared, NULL), JBW_INVALID_ARGUMENT);
    jbw_policy *const all[WORLDS] = {shared, single, shared, shared};
    assert_int_equal(jbw_batch_live(batch, all, 1, NULL), JBW_INVALID_ARGUMENT);

    jbw_world *world = world_of(f.model, 1);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_policy_step(shared, world, agent, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_policy_act(shared, 0, NULL), -1);
    jbw_policy_reward(shared, 1.0);
    assert_null(jbw_policy_wants_for(shared, WORLDS).vision);
    assert_non_null(jbw_policy_wants_for(shared, WORLDS - 1).vision);

    // sizes that do not fit together
    static const jbw_policy_setting bad[][2] = {{{"worlds", "3"}, {"rows", "16"}},
                                                {{"worlds", "4"}, {"rows", "4"}}};
    static const char *const problems[] = {"worlds: found 3", "bptt: found 64"};
    for (size_t i = 0; i < 2; i++) {
        const jbw_policy_setting three[] = {{"preset", "fast"}, bad[i][0], bad[i][1]};
        jbw_policy *none;
        jbw_error error = {0};
        assert_int_equal(
            jbw_policy_create("ppo", f.model,
                              &(jbw_policy_options){.settings = three, .setting_count = 3}, &none,
                              &error),
            JBW_INVALID_ARGUMENT);
        assert_contains(error.text, problems[i]);
    }
    jbw_world_destroy(world);
    jbw_batch_destroy(batch);
    jbw_policy_destroy(single);
    jbw_policy_destroy(shared);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests_name("batch_share", tests, NULL, NULL);
}
