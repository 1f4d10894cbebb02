// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Policies: names, required actions, randomness, memory, saving; and the greedy policy earns at
/// least ten times as much as the random one. With --long that is measured over 5 x 100,000 steps.
#include "support/shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "support/action_sets.h"
#include "support/allocations.h"
#include "support/options.h"
#include "support/random.h"
#include "support/statistics.h"

static test_options options;

enum { COLORS = 3 };

static const double bean_color[] = {0.82, 0.27, 0.20};
static const jbw_item_type items[] = {
    {.name = "Bean", .color = bean_color},
    {.name = "Wall", .blocks_movement = true},
};

static jbw_model *make_model(const action_set *set)
{
    jbw_config config = small_config(20, 10, items, 2);
    config.color_dimensions = COLORS;
    config.agent.vision_range = 2;
    config.agent.actions = set->actions;
    config.agent.action_count = set->count;
    return model_of(&config);
}

// ---- names, actions, randomness, memory ----

static void test_names(void **state)
{
    (void)state;
    jbw_model *model = make_model(&action_sets[PAPER_ACTIONS]);
    assert_string_equal(jbw_policy_name(0), "greedy");
    assert_string_equal(jbw_policy_name(1), "random");
    assert_string_equal(jbw_policy_name(2), "forward");
    assert_string_equal(jbw_policy_name(3), "oracle");
    assert_string_equal(jbw_policy_name(4), "ppo");
    assert_string_equal(jbw_policy_name(5), "dqn");
    assert_null(jbw_policy_name(6));
    jbw_policy *policy = (jbw_policy *)&policy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_create("gredy", model, NULL, &policy, &error), JBW_NOT_FOUND);
    assert_null(policy);
    assert_string_equal(error.text, "unknown policy 'gredy', did you mean 'greedy'?");
    assert_int_equal(jbw_policy_create("x", model, NULL, &policy, NULL), JBW_NOT_FOUND);
    assert_int_equal(jbw_policy_create(NULL, model, NULL, &policy, &error), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_policy_create("random", NULL, NULL, &policy, &error),
                     JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_policy_create("random", model, NULL, NULL, &error), JBW_INVALID_ARGUMENT);
    jbw_policy_destroy(NULL);
    jbw_model_destroy(model);
}

static void test_actions_required_by_greedy(void **state)
{
    (void)state;
    static const jbw_action three_moves[] = {{JBW_ACTION_MOVE_FORWARD, NULL},
                                             {JBW_ACTION_MOVE_LEFT, NULL},
                                             {JBW_ACTION_MOVE_RIGHT, NULL}};
    static const jbw_action turns[] = {{JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_TURN_RIGHT, NULL}};
    static const jbw_action backward[] = {{JBW_ACTION_MOVE_BACKWARD, NULL},
                                          {JBW_ACTION_TURN_LEFT, NULL}};
    static const action_set bad_sets[] = {{three_moves, 3}, {turns, 2}, {backward, 2}};
    for (int i = 0; i < 3; i++) {
        jbw_model *model = make_model(&bad_sets[i]);
        jbw_policy *policy;
        jbw_error error = {0};
        assert_int_equal(jbw_policy_create("greedy", model, NULL, &policy, &error),
                         JBW_UNSUPPORTED);
        assert_null(policy);
        assert_non_null(strstr(error.text, "MoveForward and a turn, or all four moves"));
        jbw_model_destroy(model);
    }
    // the others work with any actions
    jbw_model *model = make_model(&bad_sets[1]);
    jbw_policy *policy = policy_of("forward", model, NULL, 1);
    assert_int_equal(jbw_policy_act(policy, 0, NULL), 0);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
    model = make_model(&action_sets[ALL_ACTIONS]);
    policy = policy_of("forward", model, NULL, 1);
    assert_int_equal(jbw_policy_act(policy, 0, NULL), 8);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

static void test_random_is_uniform(void **state)
{
    (void)state;
    jbw_model *model = make_model(&action_sets[ALL_ACTIONS]);
    jbw_policy *policy = policy_of("random", model, NULL, options.seed);
    jbw_policy *twin = policy_of("random", model, NULL, options.seed);
    jbw_policy *other = policy_of("random", model, NULL, options.seed + 1);
    int counts[10] = {0};
    int same_count = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        const int action = jbw_policy_act(policy, i, NULL);
        assert_in_range(action, 0, 9);
        counts[action]++;
        assert_int_equal(jbw_policy_act(twin, i, NULL), action);
        same_count += jbw_policy_act(other, i, NULL) == action;
    }
    assert_true(fabs(uniform_z(counts, 10)) < 4);
    assert_in_range(same_count, 850, 1150);
    jbw_policy_destroy(other);
    jbw_policy_destroy(twin);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

static void test_memory(void **state)
{
    (void)state;
    // every allocation fails in turn; acting allocates nothing
    counting_allocator counting = {0};
    jbw_config config = small_config(20, 10, items, 2);
    config.color_dimensions = COLORS;
    config.agent.vision_range = 3;
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    const size_t blocks = counting.block_count;
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t i = 1; status; i++) {
        jbw_policy *policy;
        jbw_error error = {0};
        fail_allocations(&counting, i, 1);
        status = jbw_policy_create("greedy", model, NULL, &policy, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_string_equal(error.text, "out of memory");
            assert_null(policy);
        } else {
            assert_true(i > 5);
            const size_t calls = counting.call_count;
            float vision[7 * 7 * COLORS] = {1};
            for (uint64_t time = 0; time < 100; time++)
                jbw_policy_act(policy, time, &(jbw_observation){.vision = vision});
            assert_int_equal(counting.call_count, calls);
        }
        jbw_policy_destroy(policy);
        assert_int_equal(counting.block_count, blocks);
    }
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

// ---- saving ----

// the next actions of a policy that sees random things
static void act_randomly(jbw_policy *policy, uint64_t *random, int *actions, int count)
{
    float vision[5 * 5 * COLORS];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 5 * 5 * COLORS; k += COLORS) {
            const bool is_bean = random_chance(random, 6);
            for (int c = 0; c < COLORS; c++) vision[k + c] = is_bean ? (float)bean_color[c] : 0;
        }
        actions[i] = jbw_policy_act(policy, (uint64_t)i, &(jbw_observation){.vision = vision});
    }
}

static void test_saving(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    const int sets[] = {PAPER_ACTIONS, ALL_ACTIONS};
    for (int round = 0; round < 60; round++) {
        jbw_model *model = make_model(&action_sets[sets[round % 2]]);
        jbw_reward *reward = reward_of(model, "Collect[Bean]");
        const char *name = jbw_policy_name((size_t)round / 2 % 3);
        jbw_policy *policy = policy_of(name, model, reward, (uint64_t)round);
        assert_string_equal(jbw_policy_get_name(policy), name);
        int first[STEPS];
        int second[STEPS];
        uint64_t random = (uint64_t)round;
        act_randomly(policy, &random, first, round);
        jbw_buffer saved = {0};
        assert_int_equal(jbw_policy_save(policy, &saved), JBW_OK);
        jbw_policy *copy;
        jbw_error error = {0};
        assert_int_equal(jbw_policy_load(saved.bytes, saved.size, model, reward, &copy, &error),
                         JBW_OK);
        uint64_t same = random;
        act_randomly(policy, &random, first, STEPS);
        act_randomly(copy, &same, second, STEPS);
        assert_memory_equal(first, second, sizeof first);
        jbw_policy_destroy(copy);

        // a truncated policy is rejected; with a changed byte it is rejected or acts
        for (size_t size = 0; size < saved.size; size++) {
            assert_int_equal(jbw_policy_load(saved.bytes, size, model, reward, &copy, &error),
                             JBW_INVALID_DATA);
            assert_null(copy);
        }
        for (size_t i = 0; i < saved.size; i++) {
            const uint8_t before = saved.bytes[i];
            saved.bytes[i] = (uint8_t)(before + 1 + i * 7 % 255);
            if (!jbw_policy_load(saved.bytes, saved.size, model, reward, &copy, &error)) {
                act_randomly(copy, &same, second, STEPS);
                for (int k = 0; k < STEPS; k++)
                    assert_in_range(second[k], 0, jbw_model_action_count(model) - 1);
            }
            jbw_policy_destroy(copy);
            saved.bytes[i] = before;
        }
        jbw_buffer_free(&saved);
        jbw_policy_destroy(policy);
        jbw_reward_destroy(reward);
        jbw_model_destroy(model);
    }
}

// a policy saved for another world is rejected
static void test_saved_for_another_world(void **state)
{
    (void)state;
    jbw_model *model = make_model(&action_sets[ALL_ACTIONS]);
    jbw_config config = small_config(20, 10, items, 1);
    config.color_dimensions = COLORS;
    config.agent.vision_range = 2;
    jbw_model *other = model_of(&config);
    jbw_policy *policy = policy_of("greedy", model, NULL, 1);
    jbw_buffer saved = {0};
    assert_int_equal(jbw_policy_save(policy, &saved), JBW_OK);
    jbw_policy *copy;
    jbw_error error = {0};
    assert_int_equal(jbw_policy_load(saved.bytes, saved.size, other, NULL, &copy, &error),
                     JBW_INVALID_DATA);
    assert_string_equal(error.text, "the saved policy is damaged, or was made for another world");
    jbw_buffer_free(&saved);
    jbw_policy_destroy(policy);
    jbw_model_destroy(other);
    jbw_model_destroy(model);
}

// ---- in the paper's world ----

/// The result of a run.
typedef struct run {
    double rate; // reward per step
    uint64_t hash;
    uint64_t collected[16];
} run;

static run run_policy(const jbw_model *model, const char *policy_name, const char *reward_text,
                      uint64_t seed, int64_t steps)
{
    jbw_reward *reward = reward_of(model, reward_text);
    jbw_policy *policy = policy_of(policy_name, model, reward, seed);
    jbw_world *world = world_of(model, seed);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    const size_t side = (size_t)jbw_model_vision_side(model);
    float *vision = calloc(side * side * (size_t)jbw_model_color_dimensions(model), sizeof *vision);
    assert_non_null(vision);
    run result = {0};
    for (int64_t i = 0; i < steps; i++) {
        jbw_agent_perceive(world, agent, vision, NULL);
        const int action =
            jbw_policy_act(policy, jbw_world_time(world), &(jbw_observation){.vision = vision});
        assert_int_equal(jbw_agent_act(world, agent, action, NULL), JBW_OK);
        result.rate += jbw_agent_reward(world, agent, reward);
    }
    result.rate /= (double)steps;
    result.hash = jbw_world_hash(world);
    for (int t = 0; t < jbw_model_item_type_count(model); t++)
        result.collected[t] = jbw_agent_inventory(world, agent)[t];
    free(vision);
    jbw_world_destroy(world);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    return result;
}

static void test_greedy_beats_random(void **state)
{
    (void)state;
    const int seed_count = options.is_long ? 5 : 3;
    const int64_t steps = options.is_long ? 100000 : 10000;
    jbw_model *model = shipped_model("paper-code");
    double greedy = 0;
    double random = 0;
    for (int i = 0; i < seed_count; i++) {
        const uint64_t seed = options.seed + (uint64_t)i;
        const run a = run_policy(model, "greedy", "Collect[JellyBean]", seed, steps);
        const run b = run_policy(model, "random", "Collect[JellyBean]", seed, steps);
        if (options.is_long)
            printf("seed %llu: greedy %.5f, random %.5f\n", (unsigned long long)seed, a.rate,
                   b.rate);
        greedy += a.rate / seed_count;
        random += b.rate / seed_count;
    }
    printf("reward per step: greedy %.5f, random %.5f, ratio %.1f\n", greedy, random,
           greedy / random);
    assert_true(greedy > 0 && greedy >= 10 * random);
    jbw_model_destroy(model);
}

static void test_greedy_avoids_onions(void **state)
{
    (void)state;
    // the same seed gives the same run; and what should be avoided is avoided
    jbw_model *model = shipped_model("paper-code");
    const char *text = "Collect[JellyBean] & Avoid[Onion]";
    const run a = run_policy(model, "greedy", text, 4, 3000);
    const run b = run_policy(model, "greedy", text, 4, 3000);
    assert_int_equal(a.hash, b.hash);
    assert_true(a.collected[jbw_model_item_type(model, "JellyBean")] > 20);
    assert_int_equal(a.collected[jbw_model_item_type(model, "Onion")], 0);
    jbw_model_destroy(model);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_actions_required_by_greedy),
        cmocka_unit_test(test_random_is_uniform),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_saving),
        cmocka_unit_test(test_saved_for_another_world),
        cmocka_unit_test(test_greedy_beats_random),
        cmocka_unit_test(test_greedy_avoids_onions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
