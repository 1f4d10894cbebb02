// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Calls that are interrupted at every point where they ask: the world stays as it was, and the same
/// call later gives the same result as in a world that was never interrupted.
#include "support/models.h"

#include <string.h>

#include "support/allocations.h"
#include "support/life.h"

/// Says yes to the n-th question, counted from one, and to no other; zero: to none.
typedef struct questions {
    uint64_t yes_at;
    uint64_t count;
} questions;

static bool answer(void *user)
{
    questions *asked = user;
    asked->count++;
    return asked->count == asked->yes_at;
}

static jbw_model *make_model(jbw_generation generation, int iterations,
                             const jbw_allocator *allocator)
{
    jbw_config config = life_small_config();
    config.generation = generation;
    config.mh_iterations = iterations;
    if (allocator) config.allocator = *allocator;
    return model_of(&config);
}

// --- the calls ------------------------------------------------------------------------------------

enum { CELLS = 24 };

typedef jbw_status world_call(jbw_world *world);

static jbw_status explore(jbw_world *world)
{
    // some of them near what is there already, some far from each other
    const jbw_position cells[] = {{40, 0}, {-35, 30}, {500, 500}, {900, -900}, {55, 20}};
    return jbw_world_explore(world, cells, 5);
}

static jbw_status finalize(jbw_world *world)
{
    return jbw_world_finalize_patch(world, (jbw_position){3, 2});
}

static jbw_status add_agent(jbw_world *world)
{
    jbw_agent_id id;
    const jbw_agent_options options = {.has_position = true, .position = {70, -70}};
    return jbw_world_add_agent(world, &options, &id);
}

static jbw_status place(jbw_world *world)
{
    const jbw_status status = jbw_world_place_item(world, 0, (jbw_position){-333, 77});
    return status == JBW_CELL_BLOCKED ? JBW_OK : status;
}

// steps until the agents need patches that are not there
static jbw_status act(jbw_world *world)
{
    jbw_agent_id ids[16];
    int actions[16] = {0};
    const size_t count = jbw_world_agents(world, ids, 16);
    const uint64_t patch_count = jbw_world_get_stats(world).patch_count;
    while (jbw_world_get_stats(world).patch_count == patch_count) {
        const uint64_t hash = jbw_world_hash(world);
        const jbw_status status = jbw_world_act(world, ids, actions, count, NULL);
        if (status) assert_int_equal(jbw_world_hash(world), hash);
        if (status) return status;
    }
    return JBW_OK;
}

static jbw_status read(jbw_world *world)
{
    static uint8_t items[CELLS * CELLS];
    return jbw_world_read_region(world, (jbw_region){-700, 900, CELLS, CELLS}, items, NULL);
}

static jbw_status inspect(jbw_world *world)
{
    jbw_cell_info info;
    return jbw_world_inspect(world, (jbw_position){-9999, 9999}, &info);
}

// --- interrupting them ----------------------------------------------------------------------------

static jbw_world *make_world(const jbw_model *model)
{
    jbw_world *world = world_of(model, 7);
    jbw_agent_id id;
    for (int i = 0; i < 3; i++) assert_int_equal(jbw_world_add_agent(world, NULL, &id), JBW_OK);
    return world;
}

// interrupts a call at one question after the other; returns how often
static uint64_t interrupt_everywhere(const jbw_model *model, world_call *call, bool is_step)
{
    jbw_world *twin = make_world(model);
    assert_int_equal(call(twin), JBW_OK);
    jbw_world *world = make_world(model);
    questions asked = {0};
    jbw_world_on_interrupt(world, answer, &asked);
    uint64_t yes_at = 0;
    uint64_t interruptions = 0;
    jbw_status status;
    do {
        const uint64_t hash = jbw_world_hash(world);
        const jbw_world_stats before = jbw_world_get_stats(world);
        yes_at += 1 + yes_at / 2; // the first ones one by one, then fewer and fewer
        asked = (questions){.yes_at = yes_at};
        status = call(world);
        if (status) {
            assert_int_equal(status, JBW_INTERRUPTED);
            interruptions++;
            const jbw_world_stats after = jbw_world_get_stats(world);
            if (!is_step) assert_int_equal(jbw_world_hash(world), hash);
            if (jbw_model_generation(model) == JBW_GENERATION_FRONTIER) {
                assert_int_equal(after.patch_count, before.patch_count);
                assert_int_equal(after.proposal_count, before.proposal_count);
                assert_int_equal(after.accepted_count, before.accepted_count);
            }
        }
    } while (status);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));

    // both go on in the same way
    uint64_t random = 1;
    uint64_t same_random = 1;
    asked = (questions){0};
    assert_true(life_run(world, &random, 12));
    assert_true(life_run(twin, &same_random, 12));
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    return interruptions;
}

static void test_frontier(void **state)
{
    (void)state;
    jbw_model *model = make_model(JBW_GENERATION_FRONTIER, 6000, NULL);
    assert_true(interrupt_everywhere(model, explore, false) > 3);
    assert_true(interrupt_everywhere(model, finalize, false) > 1);
    assert_true(interrupt_everywhere(model, add_agent, false) > 1);
    assert_true(interrupt_everywhere(model, place, false) > 1);
    assert_true(interrupt_everywhere(model, act, true) > 1);
    assert_true(interrupt_everywhere(model, read, false) > 1);
    jbw_model_destroy(model);

    // also if every single sampling is short
    model = make_model(JBW_GENERATION_FRONTIER, 1, NULL);
    assert_true(interrupt_everywhere(model, explore, false) >= 3);
    jbw_model_destroy(model);
}

static void test_invariant(void **state)
{
    (void)state;
    jbw_model *model = make_model(JBW_GENERATION_INVARIANT, 100, NULL);
    assert_true(interrupt_everywhere(model, read, false) > 1);
    assert_true(interrupt_everywhere(model, add_agent, false) > 1);
    assert_true(interrupt_everywhere(model, inspect, false) > 3);
    assert_true(interrupt_everywhere(model, act, true) >= 1);
    jbw_model_destroy(model);
}

static void test_default_place(void **state)
{
    (void)state;
    // walls all around: the search can be interrupted, and goes on where it was
    jbw_model *model = make_model(JBW_GENERATION_FRONTIER, 10, NULL);
    int wall = 0;
    while (!jbw_model_item_blocks(model, wall)) wall++;
    jbw_world *world = world_of(model, 7);
    for (int64_t y = -9; y <= 9; y++)
        for (int64_t x = -9; x <= 9; x++) {
            jbw_world_remove_item(world, (jbw_position){x, y});
            jbw_world_place_item(world, wall, (jbw_position){x, y});
        }
    jbw_world *twin = clone_of(world);
    questions asked = {0};
    jbw_world_on_interrupt(world, answer, &asked);
    uint64_t interruptions = 0;
    jbw_agent_id id;
    for (jbw_status status = JBW_INTERRUPTED; status; interruptions++) {
        asked = (questions){.yes_at = 11};
        status = jbw_world_add_agent(world, NULL, &id);
        if (status) assert_int_equal(status, JBW_INTERRUPTED);
        assert_int_equal(jbw_world_agents(world, NULL, 0), status ? 0 : 1);
    }
    assert_true(interruptions > 5);
    assert_int_equal(jbw_world_add_agent(twin, NULL, &id), JBW_OK);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));

    // nobody asks a clone
    jbw_world *clone = clone_of(world);
    asked = (questions){.yes_at = 1};
    assert_int_equal(explore(clone), JBW_OK);
    assert_int_equal(asked.count, 0);
    jbw_world_on_interrupt(world, NULL, NULL);
    assert_int_equal(explore(world), JBW_OK);
    assert_int_equal(asked.count, 0);
    assert_int_equal(jbw_world_hash(clone), jbw_world_hash(world));
    jbw_world_destroy(clone);
    jbw_world_destroy(twin);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_failing_memory(void **state)
{
    (void)state;
    // what may have to be undone is kept in memory, which can run out
    counting_allocator counting = {0};
    const jbw_allocator allocator = counting_allocator_make(&counting);
    jbw_model *model = make_model(JBW_GENERATION_FRONTIER, 10, &allocator);
    jbw_world *world = make_world(model);
    jbw_world *twin = clone_of(world);
    assert_int_equal(explore(twin), JBW_OK);
    questions asked = {0};
    jbw_world_on_interrupt(world, answer, &asked);
    const uint64_t hash = jbw_world_hash(world);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status; n++) {
        fail_allocations(&counting, n, 1);
        status = explore(world);
        allow_allocations(&counting);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_int_equal(jbw_world_hash(world), hash);
    }
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));
    jbw_world_destroy(twin);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frontier),
        cmocka_unit_test(test_invariant),
        cmocka_unit_test(test_default_place),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
