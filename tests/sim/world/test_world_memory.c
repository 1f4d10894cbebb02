// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Running out of memory: a call fails as if it had not been made, and succeeds when it is
/// repeated. And steps through generated terrain allocate nothing.
#include "support/models.h"

#include <stdlib.h>

#include "jbw/agent.h"
#include "support/allocations.h"
#include "support/random.h"

enum { SIZE = 26, RANGE = 4, COLORS = 2, SCENTS = 2, MAX_AGENTS = 4 };

static const double red[] = {1, 0};
static const double green[] = {0, 1};
static const jbw_item_type items[] = {
    {.name = "Apple",
     .color = red,
     .scent = red,
     .intensity = "Constant[-2.5]",
     .regrows = "Constant[3]"},
    {.name = "Wall",
     .color = green,
     .scent = green,
     .occlusion = 1,
     .blocks_movement = true,
     .is_uncollectable = true,
     .intensity = "Constant[-4]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_TURN_RIGHT, NULL},
    {JBW_ACTION_COLLECT, NULL},      {JBW_ACTION_NO_OP, NULL},     {JBW_ACTION_DROP, "Apple"},
};
enum { FORWARD, LEFT, RIGHT, COLLECT, NOTHING, DROP };

static jbw_config make_config(counting_allocator *counting)
{
    jbw_config config = jbw_config_default();
    config.patch_size = SIZE;
    config.mh_iterations = 200;
    config.color_dimensions = COLORS;
    config.scent_dimensions = SCENTS;
    config.items = items;
    config.item_count = 2;
    config.agent.color = red;
    config.agent.scent = green;
    config.agent.vision_range = RANGE;
    config.agent.field_of_view = 200;
    config.agent.visual_occlusion = true;
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    config.allocator = counting_allocator_make(counting);
    return config;
}

// --- a history of calls that can be repeated ----------------------------------------------------

typedef struct history {
    jbw_world *world;
    jbw_agent_id agents[MAX_AGENTS];
    jbw_position item; // that was generated
    bool keeps_hash;   // if this call fails the world is unchanged, including its patches
} history;

enum { CALLS = 300 };

static jbw_status look(history *h, jbw_agent_id agent)
{
    float vision[(2 * RANGE + 1) * (2 * RANGE + 1) * COLORS];
    float scent[SCENTS];
    return jbw_agent_perceive(h->world, agent, vision, scent);
}

static jbw_status add(history *h, int agent, int64_t x, int64_t y)
{
    const jbw_agent_options options = {
        .has_position = true, .position = {x, y}, .direction = JBW_RIGHT, .is_forced = true};
    return jbw_world_add_agent(h->world, &options, &h->agents[agent]);
}

// far away, where there may be an item already
static jbw_status place(history *h, int64_t x)
{
    const jbw_status status = jbw_world_place_item(h->world, 1, (jbw_position){x, 500});
    return status == JBW_CELL_BLOCKED ? JBW_OK : status;
}

// a cell of the first patch in which something was generated
static jbw_position find_item(const jbw_world *world)
{
    uint8_t found[SIZE * SIZE];
    const jbw_region region = {0, 0, SIZE, SIZE};
    assert_int_equal(jbw_world_read_region(world, region, found, NULL), JBW_OK);
    for (int i = 0; i < SIZE * SIZE; i++)
        if (found[i]) return (jbw_position){i % SIZE, i / SIZE};
    fail_msg("nothing was generated");
    return (jbw_position){0, 0};
}

static jbw_status make_call(history *h, int number)
{
    float scent[SCENTS];
    h->keeps_hash = false;
    switch (number) {
    case 0: return jbw_world_add_agent(h->world, NULL, &h->agents[0]);
    case 1: return add(h, 1, 5, 5);
    case 2: return add(h, 2, 200, -100);
    case 3: return place(h, 500);
    case 4: return place(h, 501);
    case 5: h->item = find_item(h->world); return jbw_world_remove_item(h->world, h->item);
    case 6: return jbw_world_place_item(h->world, 0, h->item);
    }
    h->keeps_hash = true;
    const bool has_visitor =
        h->agents[3].index1 != 0; // that the step waits for, but that never acts
    const jbw_agent_id others[] = {h->agents[0], h->agents[2]};
    const int two[2] = {number % 3 ? FORWARD : DROP, FORWARD};
    const int three[3] = {FORWARD, number % 7 ? FORWARD : LEFT, FORWARD};
    switch ((number - 7) % 12) {
    case 0: return look(h, h->agents[0]);
    case 1: return jbw_agent_act(h->world, h->agents[0], FORWARD, NULL);
    case 2: return jbw_agent_act(h->world, h->agents[1], number % 5 ? FORWARD : COLLECT, NULL);
    case 3: return jbw_agent_act(h->world, h->agents[2], FORWARD, NULL);
    case 4: return jbw_world_smell(h->world, (jbw_position){number, 3}, scent);
    case 5: return jbw_world_act(h->world, h->agents, three, 3, NULL);
    case 6: return jbw_world_act(h->world, others, two, 2, NULL);
    case 7: return jbw_agent_set_active(h->world, h->agents[1], false); // causes a step
    case 8: return jbw_world_act(h->world, others, two, 2, NULL);
    case 9: return jbw_agent_set_active(h->world, h->agents[1], true);
    case 10:
        if (has_visitor) return jbw_world_act(h->world, h->agents, three, 3, NULL);
        return jbw_world_step(h->world);
    default: break;
    }
    if (!has_visitor) {
        h->keeps_hash = false;
        return add(h, 3, 30 + number, -40);
    }
    const jbw_status status = jbw_world_remove_agent(h->world, h->agents[3]); // causes a step
    if (!status) h->agents[3] = (jbw_agent_id){0, 0};
    return status;
}

static void fail_everything(jbw_generation generation)
{
    counting_allocator counting = {0};
    jbw_config config = make_config(&counting);
    config.generation = generation;
    // patches in memory are not part of the state of a world
    const bool is_invariant = generation == JBW_GENERATION_INVARIANT;
    jbw_model *model = model_of(&config);

    // the history without failures
    static uint64_t hashes[CALLS];
    history h = {0};
    h.world = world_of(model, 3);
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(make_call(&h, i), JBW_OK);
        hashes[i] = jbw_world_hash(h.world);
    }
    assert_true(jbw_world_time(h.world) > 50);
    assert_true(jbw_world_get_stats(h.world).final_patch_count > 10);
    jbw_world_destroy(h.world);

    // the n-th allocation of each call fails, for n = 1, 2, ...: alone, or with all after it
    for (int variant = 0; variant < 2; variant++) {
        h = (history){0};
        size_t failure_count = 0;
        h.world = world_of(model, 3);
        for (int i = 0; i < CALLS; i++) {
            for (size_t n = 1;; n++) {
                const uint64_t hash = jbw_world_hash(h.world);
                const uint64_t time = jbw_world_time(h.world);
                const uint64_t finals = jbw_world_get_stats(h.world).final_patch_count;
                const size_t agents = jbw_world_agents(h.world, NULL, 0);
                fail_allocations(&counting, n, variant ? SIZE_MAX : 1);
                const jbw_status status = make_call(&h, i);
                allow_allocations(&counting);
                if (status == JBW_OK) break;

                failure_count++;
                assert_int_equal(status, JBW_OUT_OF_MEMORY);
                assert_int_equal(jbw_world_time(h.world), time);
                assert_int_equal(jbw_world_agents(h.world, NULL, 0), agents);
                const bool made_final = jbw_world_get_stats(h.world).final_patch_count != finals;
                if (h.keeps_hash || is_invariant || !made_final)
                    assert_int_equal(jbw_world_hash(h.world), hash);
                if (h.keeps_hash && !is_invariant) assert_false(made_final);
            }
            if (jbw_world_hash(h.world) != hashes[i])
                fail_msg("after call %d the world differs from the one without failures", i);
        }
        assert_true(failure_count > 20);
        jbw_world_destroy(h.world);
    }
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
    assert_int_equal(counting.byte_count, 0);
}

static void test_failing_calls(void **state)
{
    (void)state;
    fail_everything(JBW_GENERATION_FRONTIER);
}

static void test_failing_calls_invariant(void **state)
{
    (void)state;
    fail_everything(JBW_GENERATION_INVARIANT);
}

static void test_failing_creation(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_config config = make_config(&counting);
    jbw_model *model = NULL;
    for (size_t n = 1; !model; n++) {
        fail_allocations(&counting, n, 1);
        const jbw_status status = jbw_model_create(&config, &model, NULL);
        if (!model) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_int_equal(counting.block_count, 0);
        }
    }
    const size_t block_count = counting.block_count;
    jbw_world *world = NULL;
    for (size_t n = 1; !world; n++) {
        fail_allocations(&counting, n, 1);
        const jbw_status status = jbw_world_create(model, 1, &world);
        if (!world) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_int_equal(counting.block_count, block_count);
        }
    }
    allow_allocations(&counting);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

// --- exploring ----------------------------------------------------------------------------------

enum { EXPLORING_CALLS = 6 };

// one call of the run below
static jbw_status make_exploring_call(jbw_world *world, int call)
{
    static const jbw_position near[] = {{0, 0}, {7, 1}, {14, 9}, {-90, 80}};
    static const jbw_position many[] = {{400, 0}, {-400, 7}, {0, 0}, {0, 300}, {9, 306}};
    if (call < 4) return jbw_world_explore(world, &near[call], 1);
    if (call == 4) return jbw_world_explore(world, many, 5);
    return jbw_world_finalize_patch(world, (jbw_position){50, 50});
}

// Creates, explores and destroys a world with an allocator that fails once. A call that fails
// changes nothing and succeeds when repeated. False if no allocation failed, because there were too
// few.
static bool explore_with_failure(size_t fail_at, size_t fail_count, const uint64_t *hashes)
{
    counting_allocator counting = {.fail_at = fail_at, .fail_count = fail_count};
    jbw_config config = varied_config(30);
    config.allocator = counting_allocator_make(&counting);

    assert_true(jbw_config_check(&config, NULL, NULL) == JBW_OK || counting.fail_at);
    assert_int_equal(counting.block_count, 0);

    jbw_model *model;
    jbw_error error = {0};
    jbw_status status = jbw_model_create(&config, &model, &error);
    while (status) {
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_null(model);
        assert_int_equal(counting.block_count, 0);
        status = jbw_model_create(&config, &model, NULL);
    }
    const size_t model_blocks = counting.block_count;
    jbw_world *world;
    while ((status = jbw_world_create(model, 77, &world))) {
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_null(world);
        assert_int_equal(counting.block_count, model_blocks);
    }

    for (int call = 0; call < EXPLORING_CALLS; call++) {
        const uint64_t before = jbw_world_hash(world);
        const jbw_world_stats stats = jbw_world_get_stats(world);
        while ((status = make_exploring_call(world, call))) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_int_equal(jbw_world_hash(world), before);
            const jbw_world_stats after = jbw_world_get_stats(world);
            assert_int_equal(after.patch_count, stats.patch_count);
            assert_int_equal(after.final_patch_count, stats.final_patch_count);
            assert_int_equal(after.sampling_count, stats.sampling_count);
            assert_int_equal(after.proposal_count, stats.proposal_count);
        }
        assert_int_equal(jbw_world_hash(world), hashes[call]);
    }
    jbw_world_destroy(world);
    assert_int_equal(counting.block_count, model_blocks);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
    assert_int_equal(counting.byte_count, 0);
    return counting.call_count >= fail_at;
}

static void test_failing_exploration(void **state)
{
    (void)state;
    // the run without failures
    uint64_t hashes[EXPLORING_CALLS];
    jbw_model *model = varied_model(30);
    jbw_world *world = world_of(model, 77);
    for (int call = 0; call < EXPLORING_CALLS; call++) {
        assert_int_equal(make_exploring_call(world, call), JBW_OK);
        hashes[call] = jbw_world_hash(world);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);

    // each allocation fails once; then two and three in a row
    for (size_t fail_count = 1; fail_count <= 3; fail_count++) {
        size_t fail_at = 1;
        while (explore_with_failure(fail_at, fail_count, hashes)) fail_at++;
        print_message("%zu allocations failed, %zu at a time\n", fail_at - 1, fail_count);
        assert_true(fail_at > 20);
    }
}

// --- steps without allocations ------------------------------------------------------------------

// agents wander in an area that is generated already
static void wander(history *h, uint64_t *random, int steps)
{
    static const int choices[] = {FORWARD, FORWARD, FORWARD, LEFT, RIGHT, NOTHING, FORWARD};
    for (int i = 0; i < steps; i++) {
        int asked[3];
        for (int k = 0; k < 3; k++) {
            // agents that are too far out turn back
            jbw_agent_state agent;
            assert_int_equal(jbw_agent_get_state(h->world, h->agents[k], &agent), JBW_OK);
            const jbw_position at = agent.position;
            const bool leaves = (at.x > 30 && agent.direction == JBW_RIGHT) ||
                                (at.x < -30 && agent.direction == JBW_LEFT) ||
                                (at.y > 30 && agent.direction == JBW_UP) ||
                                (at.y < -30 && agent.direction == JBW_DOWN);
            asked[k] = leaves ? LEFT : choices[random_below(random, 7)];
        }
        assert_int_equal(jbw_world_act(h->world, h->agents, asked, 3, NULL), JBW_OK);
        for (int k = 0; k < 3; k++) assert_int_equal(look(h, h->agents[k]), JBW_OK);
    }
}

static void explore_around(jbw_world *world)
{
    for (int64_t y = -2 * SIZE; y <= 2 * SIZE; y += SIZE)
        for (int64_t x = -2 * SIZE; x <= 2 * SIZE; x += SIZE)
            assert_int_equal(jbw_world_explore(world, &(jbw_position){x, y}, 1), JBW_OK);
}

static void walk_without_memory(jbw_generation generation)
{
    counting_allocator counting = {0};
    jbw_config config = make_config(&counting);
    config.generation = generation;
    config.collection = JBW_COLLECTION_MANUAL; // so that the map does not change
    jbw_model *model = model_of(&config);
    history h = {0};
    h.world = world_of(model, 3);
    explore_around(h.world);
    for (int i = 0; i < 3; i++) assert_int_equal(add(&h, i, 6 * i, -10), JBW_OK);
    // agents with a scent leave traces wherever they go; the first steps allocate lists, and later
    // ones nothing
    uint64_t random = 1;
    wander(&h, &random, 10);
    const size_t call_count = counting.call_count;
    wander(&h, &random, 30000);
    assert_int_equal(counting.call_count, call_count);
    jbw_world_destroy(h.world);
    jbw_model_destroy(model);
}

static void test_walking_allocates_nothing(void **state)
{
    (void)state;
    walk_without_memory(JBW_GENERATION_FRONTIER);
    walk_without_memory(JBW_GENERATION_INVARIANT);
}

static void test_items_allocate_nothing(void **state)
{
    (void)state;
    // the same apples are collected and dropped over and over
    counting_allocator counting = {0};
    const jbw_config config = make_config(&counting);
    jbw_model *model = model_of(&config);
    history h = {0};
    h.world = world_of(model, 3);
    explore_around(h.world);
    for (int i = 0; i < 3; i++) {
        const jbw_position cell = {4 * i, 0};
        if (jbw_world_place_item(h.world, 0, cell) == JBW_CELL_BLOCKED) {
            assert_int_equal(jbw_world_remove_item(h.world, cell), JBW_OK);
            assert_int_equal(jbw_world_place_item(h.world, 0, cell), JBW_OK);
        }
        assert_int_equal(add(&h, i, cell.x, cell.y), JBW_OK);
    }
    size_t call_count = 0;
    for (int i = 0; i < 3000; i++) {
        if (i == 1000) call_count = counting.call_count;
        const int first = i % 2 ? DROP : COLLECT;
        const int second = i % 6 == 0 ? COLLECT : i % 6 == 3 ? DROP : NOTHING;
        const int asked[3] = {first, second, i % 3 ? LEFT : NOTHING};
        assert_int_equal(jbw_world_act(h.world, h.agents, asked, 3, NULL), JBW_OK);
        jbw_agent_result result;
        assert_int_equal(jbw_agent_get_result(h.world, h.agents[0], &result), JBW_OK);
        assert_int_equal(result.outcome, JBW_OUTCOME_DONE);
        for (int k = 0; k < 3; k++) assert_int_equal(look(&h, h.agents[k]), JBW_OK);
    }
    assert_int_equal(counting.call_count, call_count);
    jbw_world_destroy(h.world);
    jbw_model_destroy(model);
}

static void test_nothing_left_allocates_nothing(void **state)
{
    (void)state;
    // only changes of the map need memory
    counting_allocator counting = {0};
    jbw_config config = make_config(&counting);
    jbw_item_type gone[] = {items[0], items[1]};
    gone[0].regrows = NULL;
    config.items = gone;
    jbw_model *model = model_of(&config);
    history h = {0};
    uint64_t random = 1;
    h.world = world_of(model, 3);
    explore_around(h.world);
    for (int i = 0; i < 3; i++) assert_int_equal(add(&h, i, 3 * i, 0), JBW_OK);
    wander(&h, &random, 20000); // by now all apples within reach are collected
    const size_t call_count = counting.call_count;
    wander(&h, &random, 30000);
    assert_int_equal(counting.call_count, call_count);
    jbw_world_destroy(h.world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_exploration),
        cmocka_unit_test(test_failing_calls),
        cmocka_unit_test(test_failing_calls_invariant),
        cmocka_unit_test(test_failing_creation),
        cmocka_unit_test(test_walking_allocates_nothing),
        cmocka_unit_test(test_items_allocate_nothing),
        cmocka_unit_test(test_nothing_left_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
