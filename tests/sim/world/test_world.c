// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds as a whole: they are independent, differ by seed, and report the memory they use.
#include "support/models.h"

#include "jbw/world.h"
#include "support/allocations.h"

static void test_worlds_are_independent(void **state)
{
    (void)state;
    jbw_model *model = varied_model(60);
    jbw_model *other_model = varied_model(61);
    jbw_world *a = world_of(model, 1);
    jbw_world *b = world_of(model, 2);
    jbw_world *c = world_of(other_model, 1);
    uint64_t a_hashes[10];
    for (int64_t i = 0; i < 10; i++) {
        explore_cell(a, 6 * i, 0);
        a_hashes[i] = jbw_world_hash(a);
    }

    // the same calls, with calls to other worlds in between
    jbw_world *again = world_of(model, 1);
    for (int64_t i = 0; i < 10; i++) {
        explore_cell(b, -5 * i, 3 * i);
        explore_cell(again, 6 * i, 0);
        explore_cell(c, 6 * i, 0);
        assert_int_equal(jbw_world_hash(again), a_hashes[i]);
        assert_int_not_equal(jbw_world_hash(c), a_hashes[i]);
        assert_int_not_equal(jbw_world_hash(b), a_hashes[i]);
    }
    jbw_world_destroy(b);
    assert_int_equal(jbw_world_hash(a), a_hashes[9]);
    assert_int_equal(jbw_world_seed(a), 1);
    assert_ptr_equal(jbw_world_model(c), other_model);
    jbw_world_destroy(a);
    jbw_world_destroy(c);
    jbw_world_destroy(again);
    jbw_model_destroy(model);
    jbw_model_destroy(other_model);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    jbw_model *model = varied_model(60);
    uint64_t hashes[64];
    for (uint64_t seed = 0; seed < 64; seed++) {
        jbw_world *world = world_of(model, seed < 32 ? seed : UINT64_MAX - seed);
        explore_cell(world, 0, 0);
        hashes[seed] = jbw_world_hash(world);
        for (uint64_t i = 0; i < seed; i++) assert_int_not_equal(hashes[i], hashes[seed]);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

static void test_empty_worlds(void **state)
{
    (void)state;
    // no item types at all, and types that are never generated
    static const jbw_item_type never[] = {{.name = "Never", .intensity = "Constant[-1e9]"}};
    for (size_t count = 0; count < 2; count++) {
        const jbw_config config = small_config(VARIED_SIZE, 50, never, count);
        if (jbw_config_check(&config, NULL, NULL)) continue;
        jbw_model *model = model_of(&config);
        jbw_world *world = world_of(model, 1);
        explore_cell(world, 0, 0);
        uint8_t contents[20 * 20];
        assert_int_equal(
            jbw_world_read_region(world, (jbw_region){-10, -10, 20, 20}, contents, NULL), JBW_OK);
        for (int i = 0; i < 400; i++) assert_int_equal(contents[i], 0);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }

    // and a type that fills the map
    static const jbw_item_type always[] = {{.name = "Always", .intensity = "Constant[1e9]"}};
    const jbw_config config = small_config(VARIED_SIZE, 2000, always, 1);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    explore_cell(world, 0, 0);
    uint8_t contents[2 * VARIED_SIZE * 2 * VARIED_SIZE];
    assert_int_equal(jbw_world_read_region(
                         world,
                         (jbw_region){-VARIED_SIZE, -VARIED_SIZE, 2 * VARIED_SIZE, 2 * VARIED_SIZE},
                         contents, NULL),
                     JBW_OK);
    for (int i = 0; i < 4 * VARIED_SIZE * VARIED_SIZE; i++) assert_int_equal(contents[i], 1);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_reported_bytes(void **state)
{
    (void)state;
    // the statistics match what was allocated
    counting_allocator counting = {0};
    jbw_config config = varied_config(30);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    const size_t model_bytes = counting.byte_count;
    jbw_world *world = world_of(model, 1);
    const size_t world_bytes = counting.byte_count - model_bytes;
    for (int64_t i = 0; i < 40; i++) {
        explore_cell(world, 5 * i, i);
        const jbw_world_stats stats = jbw_world_get_stats(world);
        assert_int_equal(stats.map_bytes + stats.scratch_bytes,
                         counting.byte_count - model_bytes - world_bytes);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_scratch_is_bounded(void **state)
{
    (void)state;
    jbw_model *model = varied_model(5);
    jbw_world *world = world_of(model, 1);
    for (int64_t i = 0; i < 50; i++) explore_cell(world, 5 * i, 0);
    const uint64_t before = jbw_world_get_stats(world).scratch_bytes;
    for (int64_t i = 50; i < 1000; i++) explore_cell(world, 5 * i, 0);
    assert_int_equal(jbw_world_get_stats(world).scratch_bytes, before);

    // many agents at once leave their lists behind, but no more
    static jbw_position many[500];
    for (int i = 0; i < 500; i++) many[i] = (jbw_position){30 * i, 10000};
    assert_int_equal(jbw_world_explore(world, many, 500), JBW_OK);
    for (int64_t i = 1000; i < 1100; i++) explore_cell(world, 5 * i, 0);
    assert_true(jbw_world_get_stats(world).scratch_bytes < before + 500 * 2048);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// Many worlds of a model share what sampling needs: less memory, and the same cells.
static void test_worlds_take_turns(void **state)
{
    (void)state;
    enum { WORLDS = 12, STOPS = 6 };
    counting_allocator counting = {0};
    jbw_config config = varied_config(30);
    jbw_world *alone[WORLDS];
    jbw_world *worlds[WORLDS];
    jbw_model *models[WORLDS];
    for (int i = 0; i < WORLDS; i++) {
        models[i] = model_of(&config);
        alone[i] = world_of(models[i], (uint64_t)i);
        for (int64_t k = 0; k < STOPS; k++) explore_cell(alone[i], 7 * k, i * k);
    }
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    for (int i = 0; i < WORLDS; i++) worlds[i] = world_of(model, (uint64_t)i);
    const size_t before = counting.byte_count;
    for (int64_t k = 0; k < STOPS; k++)
        for (int i = 0; i < WORLDS; i++) explore_cell(worlds[i], 7 * k, i * k);
    const size_t taken = counting.byte_count - before;
    size_t if_not_shared = 0;
    for (int i = 0; i < WORLDS; i++) {
        const jbw_world_stats stats = jbw_world_get_stats(alone[i]);
        assert_int_equal(jbw_world_hash(worlds[i]), jbw_world_hash(alone[i]));
        assert_int_equal(jbw_world_get_stats(worlds[i]).accepted_count, stats.accepted_count);
        if_not_shared += stats.map_bytes + stats.scratch_bytes;
    }
    assert_true(taken < if_not_shared * 3 / 4);
    for (int i = 0; i < WORLDS; i++) {
        jbw_world_destroy(worlds[i]);
        jbw_world_destroy(alone[i]);
        jbw_model_destroy(models[i]);
    }
    jbw_model_destroy(model);
    assert_int_equal(counting.byte_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds_take_turns), cmocka_unit_test(test_worlds_are_independent),
        cmocka_unit_test(test_seeds_differ),      cmocka_unit_test(test_empty_worlds),
        cmocka_unit_test(test_reported_bytes),    cmocka_unit_test(test_scratch_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
