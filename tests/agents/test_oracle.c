// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle: it earns more than the greedy policy, in all kinds of worlds and rewards; it plans
/// again when the reward changes or something is in its way; memory and saving. With --long over
/// more steps.
#include "support/shipped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/agent.h"
#include "support/action_sets.h"
#include "support/allocations.h"
#include "support/options.h"

static test_options options;

// ---- earning ----

typedef struct life {
    double reward;
    uint64_t hash;
    uint64_t onion_count;
} life;

static life live(const jbw_model *model, const char *policy_name, const char *reward_text,
                 uint64_t seed, int steps)
{
    jbw_reward *reward = reward_of(model, reward_text);
    jbw_policy *policy = policy_of(policy_name, model, reward, seed);
    jbw_world *world = world_of(model, seed);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    life result = {0};
    for (int i = 0; i < steps; i++) {
        double earned;
        assert_int_equal(jbw_policy_step(policy, world, agent, &earned), JBW_OK);
        result.reward += earned;
    }
    result.hash = jbw_world_hash(world);
    result.onion_count = jbw_agent_inventory(world, agent)[jbw_model_item_type(model, "Onion")];
    jbw_world_destroy(world);
    jbw_policy_destroy(policy);
    jbw_reward_destroy(reward);
    return result;
}

static jbw_model *invariant_model(const char *name)
{
    jbw_config *config = read_config(name);
    config->generation = JBW_GENERATION_INVARIANT;
    jbw_model *model = model_of(config);
    jbw_config_free(config);
    return model;
}

static void test_beats_greedy(void **state)
{
    (void)state;
    static const struct {
        const char *world;
        bool is_invariant;
        const char *reward;
    } cases[] = {
        {"paper-code", false, "Collect[JellyBean]"},
        {"paper-code", false, "Collect[JellyBean] & Avoid[Onion]"},
        {"paper-code", false, "Collect[Onion]"},
        {"paper-code", false,
         "Cyclical[(Collect[JellyBean] & Avoid[Onion], 700), (Avoid[JellyBean] & Collect[Onion], "
         "700)]"},
        {"scent", false, "Collect[JellyBean]"},
        {"scent", true, "Collect[JellyBean] & Avoid[Onion]"},
    };
    const int steps = options.is_long ? 20000 : 2000;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        jbw_model *model =
            cases[i].is_invariant ? invariant_model(cases[i].world) : shipped_model(cases[i].world);
        for (uint64_t seed = options.seed; seed < options.seed + 2; seed++) {
            const life oracle = live(model, "oracle", cases[i].reward, seed, steps);
            const life greedy = live(model, "greedy", cases[i].reward, seed, steps);
            printf("%s, %s, seed %" PRIu64 ": oracle %.4f, greedy %.4f\n", cases[i].world,
                   cases[i].reward, seed, oracle.reward / steps, greedy.reward / steps);
            assert_true(oracle.reward > greedy.reward);
        }
        jbw_model_destroy(model);
    }
}

static void test_same_life(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("paper-code");
    const char *reward = "Collect[JellyBean] & Avoid[Onion]";
    const life one = live(model, "oracle", reward, 3, 1000);
    const life two = live(model, "oracle", reward, 3, 1000);
    assert_int_equal(one.hash, two.hash);
    assert_int_equal(one.hash, UINT64_C(0x5b3043f9b19cb199)); // changes only with the planner
    assert_true(one.onion_count < 10);
    jbw_model_destroy(model);
}

// ---- in worlds drawn by hand ----

static const jbw_item_type items[] = {
    {.name = "Bean"},
    {.name = "Wall", .blocks_movement = true},
    {.name = "Nettle"},
};
enum { BEAN, WALL, NETTLE };

static jbw_model *bare_model(const jbw_allocator *allocator)
{
    static const jbw_action actions[] = {{JBW_ACTION_MOVE_FORWARD, NULL},
                                         {JBW_ACTION_TURN_LEFT, NULL},
                                         {JBW_ACTION_TURN_RIGHT, NULL}};
    jbw_config config = small_config(32, 0, items, 3);
    config.agent.vision_range = 2;
    config.agent.actions = actions;
    config.agent.action_count = 3;
    if (allocator) config.allocator = *allocator;
    return model_of(&config);
}

typedef struct scene {
    jbw_model *model;
    jbw_reward *reward;
    jbw_policy *policy;
    jbw_world *world;
    jbw_agent_id agent;
} scene;

static scene begin_scene(const char *reward)
{
    scene s = {.model = bare_model(NULL)};
    s.reward = reward_of(s.model, reward);
    s.policy = policy_of("oracle", s.model, s.reward, 1);
    s.world = world_of(s.model, 1);
    assert_int_equal(jbw_world_add_agent(s.world, NULL, &s.agent), JBW_OK);
    return s;
}

static void end_scene(scene *s)
{
    jbw_world_destroy(s->world);
    jbw_policy_destroy(s->policy);
    jbw_reward_destroy(s->reward);
    jbw_model_destroy(s->model);
}

static void place(scene *s, int type, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_place_item(s->world, type, (jbw_position){x, y}), JBW_OK);
}

static double walk(scene *s, int steps)
{
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        double reward;
        assert_int_equal(jbw_policy_step(s->policy, s->world, s->agent, &reward), JBW_OK);
        sum += reward;
    }
    return sum;
}

// it takes the two beans behind it, not the single one that is nearer
static void test_looks_ahead(void **state)
{
    (void)state;
    scene s = begin_scene("Collect[Bean]");
    place(&s, BEAN, 0, 14);
    for (int x = 0; x < 4; x++) place(&s, BEAN, x - 1, -15);
    assert_true(walk(&s, 26) == 4);
    end_scene(&s);
}

// an item to avoid is crossed only if there is no other way
static void test_avoids(void **state)
{
    (void)state;
    scene s = begin_scene("Collect[Bean] & Avoid[Nettle]");
    place(&s, BEAN, 0, 3);
    for (int x = -2; x <= 2; x++) place(&s, NETTLE, x, 1);
    assert_true(walk(&s, 16) == 1); // around
    end_scene(&s);

    s = begin_scene("Collect[Bean, 3] & Avoid[Nettle]");
    place(&s, BEAN, 0, 3);
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            if (x || y) place(&s, x == 0 && y == 1 ? NETTLE : WALL, x, y);
    assert_true(walk(&s, 3) == 2); // through
    end_scene(&s);
}

// a task that pays for nothing costs nothing, and when it changes, so does the way
static void test_follows_reward(void **state)
{
    (void)state;
    scene s = begin_scene("Curriculum[(Avoid[Nettle], 5), (Collect[Nettle] & Avoid[Bean], 1)]");
    place(&s, BEAN, 0, 2);
    place(&s, NETTLE, 0, -4);
    assert_true(walk(&s, 5) == 0);
    assert_true(walk(&s, 20) == 1);
    end_scene(&s);
}

// another agent that stands in the way is walked around
static void test_walks_around_agents(void **state)
{
    (void)state;
    scene s = begin_scene("Collect[Bean]");
    place(&s, BEAN, 0, 5);
    jbw_agent_id other;
    const jbw_agent_options options_of_other = {.has_position = true, .position = {0, 2}};
    assert_int_equal(jbw_world_add_agent(s.world, &options_of_other, &other), JBW_OK);
    assert_int_equal(jbw_agent_set_active(s.world, other, false), JBW_OK);
    assert_true(walk(&s, 14) == 1);
    end_scene(&s);
}

// ---- where there is nothing to collect ----

// A room with a way out at its end that is out of sight: the oracle sees 15 cells, and the room is 41
// long. It has to search both ends, and to leave.
static void test_leaves_a_room(void **state)
{
    (void)state;
    scene s = begin_scene("Collect[Bean]");
    for (int64_t x = -20; x <= 20; x++)
        for (int64_t y = -1; y <= 1; y += 2) place(&s, WALL, x, y);
    place(&s, WALL, -21, 0);
    place(&s, WALL, 22, 0);
    place(&s, BEAN, 0, 30);
    jbw_agent_state before;
    assert_int_equal(jbw_agent_get_state(s.world, s.agent, &before), JBW_OK);
    assert_true(before.position.x == 0 && before.position.y == 0);
    assert_true(walk(&s, 400) == 1);
    end_scene(&s);
}

static jbw_agent_state state_of(const scene *s)
{
    jbw_agent_state at;
    assert_int_equal(jbw_agent_get_state(s->world, s->agent, &at), JBW_OK);
    return at;
}

static int64_t distance_from_start(const scene *s)
{
    const jbw_position at = state_of(s).position;
    return llabs(at.x) + llabs(at.y);
}

// A bean behind its back makes it turn around. It does not go on that way: there was nothing.
static void test_remembers_where_it_was(void **state)
{
    (void)state;
    static const jbw_position ahead[4] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    scene s = begin_scene("Collect[Bean]");
    assert_true(walk(&s, 200) == 0);
    // it notices the bean when it plans again; until then the bean follows it
    for (bool is_found = false; !is_found;) {
        const jbw_agent_state at = state_of(&s);
        const jbw_position step = ahead[at.direction];
        const jbw_position behind = {at.position.x - 2 * step.x, at.position.y - 2 * step.y};
        place(&s, BEAN, behind.x, behind.y);
        is_found = walk(&s, 4) == 1; // two turns and two moves
        if (!is_found) assert_int_equal(jbw_world_remove_item(s.world, behind), JBW_OK);
    }
    const int64_t distance = distance_from_start(&s);
    assert_true(walk(&s, 100) == 0);
    assert_true(distance_from_start(&s) > distance);
    end_scene(&s);
}

// It goes on finding new cells where nothing pays, for good; and a copy that was saved and loaded
// does the same.
static void test_wanders(void **state)
{
    (void)state;
    jbw_model *model = shipped_model("paper-code");
    jbw_reward *reward = reward_of(model, "Avoid[Onion]");
    const int steps = options.is_long ? 100000 : 10000;
    for (uint64_t seed = options.seed; seed < options.seed + 3; seed++) {
        jbw_policy *policy = policy_of("oracle", model, reward, seed);
        jbw_world *world = world_of(model, seed);
        jbw_agent_id agent;
        assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
        jbw_position farthest = {0, 0};
        int64_t most = 0;
        for (int i = 0; i < steps; i++) {
            assert_int_equal(jbw_policy_step(policy, world, agent, NULL), JBW_OK);
            jbw_agent_state at;
            assert_int_equal(jbw_agent_get_state(world, agent, &at), JBW_OK);
            const int64_t distance = llabs(at.position.x) + llabs(at.position.y);
            if (distance > most) most = distance, farthest = at.position;
        }
        jbw_policy *copy = reloaded(policy, model, reward);
        jbw_world *clone = clone_of(world);
        for (int i = 0; i < 1000; i++) {
            assert_int_equal(jbw_policy_step(policy, world, agent, NULL), JBW_OK);
            assert_int_equal(jbw_policy_step(copy, clone, agent, NULL), JBW_OK);
        }
        assert_int_equal(jbw_world_hash(clone), jbw_world_hash(world));
        jbw_world_destroy(clone);
        jbw_policy_destroy(copy);
        printf("seed %" PRIu64 ": as far as (%" PRId64 ", %" PRId64 ")\n", seed, farthest.x,
               farthest.y);
        assert_true(most > 200); // it sees 31 cells
        jbw_world_destroy(world);
        jbw_policy_destroy(policy);
    }
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
}

// ---- memory, settings, saving ----

static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    jbw_model *model = bare_model(&allocator);
    jbw_reward *reward = reward_of(model, "Collect[Bean]");
    jbw_world *world = world_of(model, 1);
    jbw_agent_id agent;
    assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    assert_int_equal(jbw_world_place_item(world, BEAN, (jbw_position){3, 9}), JBW_OK);
    const size_t blocks = counting.block_count;
    const jbw_policy_options with_reward = {.reward = reward};
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t i = 1; status; i++) {
        jbw_policy *policy;
        fail_allocations(&counting, i, 1);
        status = jbw_policy_create("oracle", model, &with_reward, &policy, NULL);
        allow_allocations(&counting);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
        } else {
            assert_true(i > 10);
            const size_t calls = counting.call_count;
            int action;
            assert_int_equal(jbw_policy_choose(policy, world, agent, &action), JBW_OK);
            assert_int_equal(counting.call_count, calls); // planning allocates nothing
        }
        jbw_policy_destroy(policy);
        assert_int_equal(counting.block_count, blocks);
    }
    jbw_world_destroy(world);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

static void test_settings(void **state)
{
    (void)state;
    jbw_model *model = bare_model(NULL);
    static const jbw_policy_setting bad[] = {{"horizon", "0"}, {"beam", "x"}, {"bean", "3"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const jbw_policy_options with = {.settings = &bad[i], .setting_count = 1};
        jbw_policy *policy;
        jbw_error error = {0};
        assert_int_equal(jbw_policy_create("oracle", model, &with, &policy, &error),
                         JBW_INVALID_ARGUMENT);
        assert_null(policy);
        assert_true(error.text[0] != '\0');
    }
    // without the world it knows nothing; an agent that is not there is an error
    jbw_policy *policy = policy_of("oracle", model, NULL, 1);
    assert_int_equal(jbw_policy_act(policy, 0, NULL), 0);
    jbw_world *world = world_of(model, 1);
    int action;
    assert_true(jbw_policy_choose(policy, world, (jbw_agent_id){0}, &action) != JBW_OK);
    jbw_world_destroy(world);
    jbw_policy_destroy(policy);
    jbw_model_destroy(model);
}

static void test_saving(void **state)
{
    (void)state;
    for (int steps = 0; steps < 30; steps++) {
        scene s = begin_scene("Curriculum[(Collect[Bean], 20), (Collect[Nettle], 1)]");
        for (int i = 0; i < 12; i++) {
            place(&s, BEAN, i * 7 % 11 - 5, i + 1);
            place(&s, NETTLE, i * 5 % 11 - 5, -i - 1);
        }
        walk(&s, steps);
        jbw_buffer saved = {0};
        assert_int_equal(jbw_policy_save(s.policy, &saved), JBW_OK);
        jbw_policy *copy = reloaded(s.policy, s.model, s.reward);
        jbw_world *clone = clone_of(s.world);
        for (int i = 0; i < 40; i++) {
            walk(&s, 1);
            assert_int_equal(jbw_policy_step(copy, clone, s.agent, NULL), JBW_OK);
            assert_int_equal(jbw_world_hash(clone), jbw_world_hash(s.world));
        }
        jbw_policy_destroy(copy);

        // a truncated policy is rejected; with a changed byte it is rejected or acts
        for (size_t size = 0; size < saved.size; size++)
            assert_int_equal(jbw_policy_load(saved.bytes, size, s.model, s.reward, &copy, NULL),
                             JBW_INVALID_DATA);
        for (size_t i = 0; i < saved.size; i++) {
            saved.bytes[i] ^= (uint8_t)(1 << i % 8);
            if (!jbw_policy_load(saved.bytes, saved.size, s.model, s.reward, &copy, NULL)) {
                int action = -1;
                for (int k = 0; k < 3; k++) {
                    assert_int_equal(jbw_policy_choose(copy, clone, s.agent, &action), JBW_OK);
                    assert_in_range(action, 0, 2);
                }
            }
            jbw_policy_destroy(copy);
            saved.bytes[i] ^= (uint8_t)(1 << i % 8);
        }
        jbw_world_destroy(clone);
        jbw_buffer_free(&saved);
        end_scene(&s);
    }
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beats_greedy),   cmocka_unit_test(test_same_life),
        cmocka_unit_test(test_looks_ahead),    cmocka_unit_test(test_avoids),
        cmocka_unit_test(test_follows_reward), cmocka_unit_test(test_walks_around_agents),
        cmocka_unit_test(test_leaves_a_room),  cmocka_unit_test(test_remembers_where_it_was),
        cmocka_unit_test(test_wanders),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_settings),       cmocka_unit_test(test_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
