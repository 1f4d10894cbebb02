// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Learners on several threads live the same lives as on one, to the last bit: also if they are saved and
/// loaded with another number of threads, and also in a batch that has threads of its own.
#include "agents/learn/small_lives.h"

#include <stdio.h>

#include "agents/learn/dqn.h"
#include "agents/learn/dqn_save.h"
#include "agents/learn/dqn_settings.h"
#include "agents/learn/ppo.h"
#include "agents/learn/ppo_save.h"
#include "agents/learn/ppo_settings.h"
#include "jbw/batch.h"

static const int thread_counts[] = {1, 2, 3, 5};
enum { COUNTS = sizeof thread_counts / sizeof *thread_counts, SEED = 4 };

/// A learner, how long it lives, and where it is saved on the way.
typedef struct shared_life {
    small_learner learner;
    int steps, stop;
    bool shares_all; // also what is too short to be worth it
} shared_life;

// Sizes that no number of threads divides, and few rows, so that some threads find nothing to do.
static const shared_life lives[] = {
    {{"ppo",
      {{"preset", "authors"}, {"lstm", "80"}, {"dense", "48"}, {"rows", "7"}, {"epochs", "3"}}},
     16,
     10,
     true},
    {{"ppo", {{"preset", "fast"}, {"lstm", "48"}, {"dense", "80"}, {"rows", "15"}, {"bptt", "5"}}},
     34,
     20,
     true},
    {{"ppo", {{"preset", "tiny"}, {"rows", "66"}, {"bptt", "3"}, {"epochs", "2"}}}, 140, 70, true},
    {{"ppo",
      {{"lstm", "16"},
       {"dense", "32"},
       {"rows", "6"},
       {"layer_norm", "true"},
       {"l2_init", "0.01"},
       {"shrink_interval", "1"},
       {"replacement_rate", "0.01"},
       {"maturity", "1"},
       {"plasticity_interval", "1"}}},
     20,
     9,
     true},
    {{"dqn",
      {{"batch", "7"}, {"warm_up", "12"}, {"interval", "3"}, {"n_step", "2"}, {"replay", "40"}}},
     34,
     22,
     true},
    {{"dqn",
      {{"lstm", "48"},
       {"sequence", "5"},
       {"batch", "3"},
       {"warm_up", "16"},
       {"interval", "4"},
       {"n_step", "2"},
       {"replay", "60"}}},
     34,
     26,
     true},
    // as large as they are by default: shared where it pays
    {{"ppo", {{"preset", "authors"}, {"rows", "13"}, {"epochs", "2"}}}, 28, 20, false},
    {{"ppo", {{"preset", "fast"}, {"rows", "32"}, {"bptt", "8"}, {"epochs", "2"}}}, 66, 40, false},
};
enum { LIVES = sizeof lives / sizeof *lives };

static const jbw_allocator allocator = {0};

// ---- a learner without the policy around it ----

typedef struct mind {
    bool is_dqn;
    jbw_ppo ppo;
    jbw_dqn dqn;
} mind;

static void set_threads(mind *m, const shared_life *l, int threads)
{
    jbw_nn *nn = m->is_dqn ? &m->dqn.nn : &m->ppo.nn;
    jbw_error error = {0};
    if (jbw_nn_set_threads(nn, threads, &allocator, &error)) fail_msg("%s", error.text);
    if (l->shares_all) nn->least_shared = 0.0;
}

static void begin_mind(mind *m, const shared_life *l, const jbw_model *model, int threads)
{
    const jbw_policy_options o = options_of(&l->learner, NULL);
    const jbw_nn_path *path = jbw_nn_best_path();
    jbw_ppo_options ppo;
    jbw_dqn_options dqn;
    jbw_error error = {0};
    *m = (mind){.is_dqn = strcmp(l->learner.policy, "dqn") == 0};
    if (m->is_dqn ? jbw_dqn_options_read(model, o.settings, o.setting_count, &dqn, &error)
                  : jbw_ppo_options_read(model, o.settings, o.setting_count, &ppo, &error))
        fail_msg("%s", error.text);
    assert_true(m->is_dqn ? jbw_dqn_init(&m->dqn, &dqn, path, SEED, &allocator)
                          : jbw_ppo_init(&m->ppo, &ppo, path, SEED, &allocator));
    set_threads(m, l, threads);
}

static void end_mind(mind *m)
{
    if (m->is_dqn)
        jbw_dqn_deinit(&m->dqn);
    else
        jbw_ppo_deinit(&m->ppo);
}

static uint64_t hash_of(const mind *m)
{
    return jbw_parameters_hash(m->is_dqn ? &m->dqn.network.parameters : &m->ppo.network.parameters);
}

static jbw_buffer saved_of(const mind *m)
{
    jbw_buffer out = {0};
    jbw_writer writer = jbw_writer_begin(&out);
    if (m->is_dqn)
        jbw_dqn_save(&m->dqn, &writer);
    else
        jbw_ppo_save(&m->ppo, &writer);
    assert_true(writer.ok);
    return out;
}

static void step_mind(mind *m, jbw_world *world, jbw_agent_id agent, const jbw_reward *reward)
{
    uint8_t moved;
    int action;
    const jbw_observation wanted = {
        .vision = m->is_dqn ? jbw_dqn_vision(&m->dqn) : jbw_ppo_vision(&m->ppo, 0),
        .scent = m->is_dqn ? jbw_dqn_scent(&m->dqn) : jbw_ppo_scent(&m->ppo, 0),
        .moved = &moved};
    assert_int_equal(jbw_agent_observe(world, agent, &wanted), JBW_OK);
    if (m->is_dqn)
        action = jbw_dqn_act(&m->dqn, moved);
    else
        jbw_ppo_act(&m->ppo, &(bool){moved != 0}, &action);
    assert_int_equal(jbw_agent_act(world, agent, action, NULL), JBW_OK);
    const double earned = jbw_agent_reward(world, agent, reward);
    if (m->is_dqn)
        jbw_dqn_reward(&m->dqn, earned);
    else
        jbw_ppo_reward(&m->ppo, &earned);
}

// lives, saved on the way and loaded into a mind with another number of threads; returns all that is saved
static jbw_buffer live_with(const shared_life *l, const jbw_model *model, const jbw_reward *reward,
                            int threads, int later, uint64_t *hash)
{
    mind m;
    jbw_agent_id agent;
    jbw_world *world = world_of(model, SEED);
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    begin_mind(&m, l, model, threads);
    const uint64_t newborn = hash_of(&m);
    for (int i = 0; i < l->steps; i++) {
        if (i == l->stop && later != threads) {
            jbw_buffer half = saved_of(&m);
            end_mind(&m);
            begin_mind(&m, l, model, later);
            jbw_reader reader = jbw_reader_begin(half.bytes, half.size);
            if (m.is_dqn)
                jbw_dqn_load(&m.dqn, &reader);
            else
                jbw_ppo_load(&m.ppo, &reader);
            assert_true(reader.ok);
            jbw_buffer_free(&half);
        }
        step_mind(&m, world, agent, reward);
    }
    assert_true((m.is_dqn ? m.dqn.update_count : m.ppo.update_count) >= 2);
    assert_true(hash_of(&m) != newborn);
    *hash = hash_of(&m);
    const jbw_buffer out = saved_of(&m);
    end_mind(&m);
    jbw_world_destroy(world);
    return out;
}

static jbw_model *wide_model(void)
{
    jbw_config config = lively_config();
    config.agent.vision_range = 5;
    return model_of(&config);
}

static void test_same_lives(void **state)
{
    (void)state;
    jbw_model *model = wide_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    for (int i = 0; i < LIVES; i++) {
        uint64_t wanted;
        jbw_buffer alone = live_with(&lives[i], model, reward, 1, 1, &wanted);
        for (int t = 0; t < COUNTS; t++) {
            // on as many threads to the end, and on another number after a while
            for (int other = 0; other < 2; other++) {
                const int threads = thread_counts[t];
                const int later = other ? thread_counts[(t + 1) % COUNTS] : threads;
                if (threads == 1 && later == 1) continue;           // it was that
                if (!lives[i].shares_all && threads != 2) continue; // large ones take long
                uint64_t hash;
                jbw_buffer got = live_with(&lives[i], model, reward, threads, later, &hash);
                if (hash != wanted || got.size != alone.size ||
                    memcmp(got.bytes, alone.bytes, got.size) != 0)
                    fail_msg("life %d differs with %d threads, then %d", i, threads, later);
                jbw_buffer_free(&got);
            }
        }
        jbw_buffer_free(&alone);
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

// ---- the setting ----

static const char *const policies[] = {"ppo", "dqn"};

// it is told, may change in the middle of a life, and is no part of what is saved
static void test_setting(void **state)
{
    (void)state;
    jbw_model *model = wide_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    static const small_learner on_one = {"ppo", {{"rows", "8"}, {"epochs", "2"}}};
    static const small_learner on_two = {"ppo", {{"rows", "8"}, {"epochs", "2"}, {"threads", "2"}}};
    life one = begin_life(model, reward, &on_one);
    life two = begin_life(model, reward, &on_two);
    expect_setting(one.policy, "threads", "1");
    expect_setting(two.policy, "threads", "2");
    jbw_error error = {0};
    static const char *const values[] = {"2", "3", "1", "2"};
    for (int i = 0; i < 4; i++) {
        live(&one, 5);
        live(&two, 5);
        jbw_buffer a = {0};
        jbw_buffer b = {0};
        assert_int_equal(jbw_policy_save(one.policy, &a), JBW_OK);
        assert_int_equal(jbw_policy_save(two.policy, &b), JBW_OK);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.bytes, b.bytes, a.size);
        assert_true(jbw_world_hash(one.world) == jbw_world_hash(two.world));
        jbw_policy_destroy(two.policy);
        assert_int_equal(jbw_policy_load(b.bytes, b.size, model, reward, &two.policy, &error),
                         JBW_OK);
        expect_setting(two.policy, "threads", "1");
        const jbw_policy_setting setting = {"threads", values[i]};
        assert_int_equal(jbw_policy_change_setting(two.policy, &setting, &error), JBW_OK);
        expect_setting(two.policy, "threads", values[i]);
        jbw_buffer_free(&a);
        jbw_buffer_free(&b);
    }
    assert_true(jbw_policy_hash(one.policy) == jbw_policy_hash(two.policy));
    end_life(&one);
    end_life(&two);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

static void expect_no_change(jbw_policy *policy, const char *name, const char *value,
                             const char *text)
{
    jbw_error error = {0};
    const jbw_policy_setting setting = {name, value};
    assert_int_equal(jbw_policy_change_setting(policy, &setting, &error), JBW_INVALID_ARGUMENT);
    assert_string_equal(error.text, text);
}

static void test_bad_settings(void **state)
{
    (void)state;
    jbw_model *model = wide_model();
    for (int i = 0; i < 2; i++) {
        const small_learner learner = {policies[i], {{"threads", "2"}}};
        life l = begin_life(model, NULL, &learner);
        expect_error(model, policies[i], "threads", "0", JBW_INVALID_ARGUMENT,
                     "threads: found '0', expected an integer from 1 to 64");
        expect_error(model, policies[i], "threads", "65", JBW_INVALID_ARGUMENT,
                     "threads: found '65', expected an integer from 1 to 64");
        expect_no_change(l.policy, "threads", "many",
                         "threads: found 'many', expected an integer from 1 to 64");
        expect_setting(l.policy, "threads", "2");
        expect_no_change(l.policy, "gamma", "0.5",
                         i ? "the policy 'dqn' has no setting 'gamma' that can change"
                           : "the policy 'ppo' has no setting 'gamma' that can change");
        end_life(&l);
    }
    jbw_policy *greedy;
    assert_int_equal(jbw_policy_create("greedy", model, NULL, &greedy, NULL), JBW_OK);
    expect_no_change(greedy, "threads", "2",
                     "the policy 'greedy' has no setting 'threads' that can change");
    jbw_policy_destroy(greedy);
    jbw_model_destroy(model);
}

// bytes that set it are refused: nobody's file may start threads
static void test_not_from_bytes(void **state)
{
    (void)state;
    jbw_model *model = wide_model();
    static const small_learner learner = {"ppo", {{"rows", "8"}, {"lstm", "16"}, {"dense", "16"}}};
    life l = begin_life(model, NULL, &learner);
    jbw_buffer saved = {0};
    jbw_policy *copy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_save(l.policy, &saved), JBW_OK);
    // a setting of the same length: its name, the length of its value, its value
    uint8_t *at = NULL;
    for (size_t i = 0; i + 9 < saved.size && i < 2000 && !at; i++)
        if (memcmp(saved.bytes + i, "\6shrink\5", 8) == 0) at = saved.bytes + i;
    assert_non_null(at);
    static const char threads[] = "\7threads\4"
                                  "0002";
    memcpy(at, threads, sizeof threads - 1);
    assert_int_equal(jbw_policy_load(saved.bytes, saved.size, model, NULL, &copy, &error),
                     JBW_INVALID_DATA);
    assert_string_equal(error.text, "the saved policy has damaged settings");
    jbw_buffer_free(&saved);
    end_life(&l);
    jbw_model_destroy(model);
}

// ---- a batch of learners, on its own threads and on theirs ----

static void test_batch(void **state)
{
    (void)state;
    enum { WORLDS = 3, STEPS = 22 };
    jbw_model *model = wide_model();
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    uint64_t wanted[WORLDS];
    for (int threads = 1; threads < 4; threads++) {
        char text[4];
        snprintf(text, sizeof text, "%d", threads);
        const small_learner learner = {"ppo", {{"rows", "8"}, {"epochs", "2"}, {"threads", text}}};
        const jbw_policy_options options = options_of(&learner, reward);
        jbw_batch_world entries[WORLDS];
        jbw_policy *minds[WORLDS];
        jbw_batch *batch;
        for (size_t i = 0; i < WORLDS; i++) {
            entries[i] =
                (jbw_batch_world){.model = model, .seed = i, .agent_count = 1, .reward = reward};
            assert_int_equal(jbw_policy_create("ppo", model, &options, &minds[i], NULL), JBW_OK);
        }
        float scent[WORLDS * DIMENSIONS];
        const jbw_batch_buffers buffers = {.parts = {.scent = scent}};
        assert_int_equal(jbw_batch_create(entries, WORLDS, 2, &buffers, &batch, NULL), JBW_OK);
        double totals[WORLDS];
        for (int half = 0; half < 2; half++)
            assert_int_equal(jbw_batch_live(batch, minds, STEPS / 2, totals), JBW_OK);
        for (size_t i = 0; i < WORLDS; i++) {
            if (threads == 1) wanted[i] = jbw_policy_hash(minds[i]);
            assert_true(jbw_policy_hash(minds[i]) == wanted[i]);
            assert_true(metric_of(minds[i], "updates") >= 2.0);
            jbw_policy_destroy(minds[i]);
        }
        jbw_batch_destroy(batch);
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_lives),   cmocka_unit_test(test_setting),
        cmocka_unit_test(test_bad_settings), cmocka_unit_test(test_not_from_bytes),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests_name("learner_threads", tests, NULL, NULL);
}
