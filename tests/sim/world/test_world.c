// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds as a user sees them: reading changes nothing, positions far away, running out of memory.
#include "support/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/world.h"
#include "support/allocations.h"
#include "support/random.h"

enum { SIZE = 6 };

static const jbw_interaction a_interactions[] = {
    {"A", "PiecewiseBox[4, 20, -0.5, 0.3]"},
    {"C", "CrossHash[3, 1, 3, 1, 0.5, -0.5, -1, 0.25]"},
};
static const jbw_interaction b_interactions[] = {
    {"A", "Table[(0.5, -0.25, 1), (0, 0, -1), (0.125, 0, 0.25)]"},
    {"B", "Cross[2, 5, 1, -0.5, -1, 0.125]"},
};
static const jbw_item_type items[] = {
    {.name = "A",
     .intensity = "Constant[-0.5]",
     .interactions = a_interactions,
     .interaction_count = 2},
    {.name = "B",
     .intensity = "RadialHash[5, 4, -1, 1]",
     .interactions = b_interactions,
     .interaction_count = 2},
    {.name = "C", .intensity = "Constant[-1]"},
};

static jbw_config make_config(int mh_iterations)
{
    return small_config(SIZE, mh_iterations, items, 3);
}

static jbw_model *make_model(int mh_iterations)
{
    const jbw_config config = make_config(mh_iterations);
    return model_of(&config);
}

static jbw_world *make_world(const jbw_model *model, uint64_t seed)
{
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, seed, &world), JBW_OK);
    return world;
}

static void explore(jbw_world *world, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_explore(world, &(jbw_position){x, y}, 1), JBW_OK);
}

// --- models -------------------------------------------------------------------------------------

static void test_model(void **state)
{
    (void)state;
    jbw_model *model = make_model(1);
    assert_int_equal(jbw_model_patch_size(model), SIZE);
    assert_int_equal(jbw_model_item_type_count(model), 3);
    assert_string_equal(jbw_model_item_name(model, 0), "A");
    assert_string_equal(jbw_model_item_name(model, 2), "C");
    assert_null(jbw_model_item_name(model, 3));
    assert_null(jbw_model_item_name(model, -1));
    assert_int_equal(jbw_model_item_type(model, "B"), 1);
    assert_int_equal(jbw_model_item_type(model, "b"), -1);
    assert_int_equal(jbw_model_item_type(model, ""), -1);
    assert_int_equal(jbw_model_reach(model), 5);
    jbw_model_destroy(model);
    jbw_model_destroy(NULL);
    jbw_world_destroy(NULL);
}

static void test_model_copies_the_config(void **state)
{
    (void)state;
    // everything of the config is overwritten once the model stands
    char name[] = "Thing";
    char other[] = "Other";
    char intensity[] = "Constant[-0.25]";
    char interaction[] = "PiecewiseBox[4, 9, -0.5, 0.25]";
    jbw_interaction interactions[] = {{name, interaction}, {other, interaction}};
    jbw_item_type own[] = {
        {.name = name,
         .intensity = intensity,
         .interactions = interactions,
         .interaction_count = 2},
        {.name = other, .intensity = intensity},
    };
    jbw_config config = small_config(SIZE, 200, own, 2);
    jbw_model *kept;
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &kept, NULL), JBW_OK);
    jbw_world *expected = make_world(kept, 3);
    explore(expected, 0, 0);

    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    memset(name, 'x', sizeof name);
    memset(other, 'x', sizeof other);
    memset(intensity, 'x', sizeof intensity);
    memset(interaction, 'x', sizeof interaction);
    memset(interactions, 0xA5, sizeof interactions);
    memset(own, 0xA5, sizeof own);
    memset(&config, 0xA5, sizeof config);
    jbw_world *world = make_world(model, 3);
    explore(world, 0, 0);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(expected));
    assert_string_equal(jbw_model_item_name(model, 0), "Thing");
    jbw_world_destroy(world);
    jbw_world_destroy(expected);
    jbw_model_destroy(model);
    jbw_model_destroy(kept);
}

static void test_config_without_cookie(void **state)
{
    (void)state;
    const jbw_config config = {.patch_size = 8, .mh_iterations = 1, .color_dimensions = 1};
    jbw_model *model = (jbw_model *)&config;
    assert_int_not_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    assert_null(model);
}

// --- reading ------------------------------------------------------------------------------------

static void test_reading_changes_nothing(void **state)
{
    (void)state;
    jbw_model *model = make_model(100);
    jbw_world *world = make_world(model, 1);
    const jbw_region region = {-30, -30, 60, 60};
    uint8_t *contents = malloc(60 * 60);
    uint8_t *states = malloc(60 * 60);
    assert_true(contents && states);
    for (int i = 0; i < 4; i++) {
        const uint64_t hash = jbw_world_hash(world);
        const jbw_world_stats before = jbw_world_get_stats(world);
        assert_int_equal(jbw_world_read_region(world, region, contents, states), JBW_OK);
        assert_int_equal(jbw_world_read_region(world, region, contents, NULL), JBW_OK);
        jbw_world_patch_state(world, (jbw_position){1000, -1000});
        jbw_world_patch_of(world, (jbw_position){1000, -1000});
        jbw_world_get_stats(world);
        const jbw_world_stats after = jbw_world_get_stats(world);
        assert_memory_equal(&before, &after, sizeof before);
        assert_int_equal(jbw_world_hash(world), hash);
        explore(world, 4 * i, 7 * i);
        assert_int_not_equal(jbw_world_hash(world), hash);
    }
    free(contents);
    free(states);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_regions_equal_cells(void **state)
{
    (void)state;
    jbw_model *model = make_model(100);
    jbw_world *world = make_world(model, 1);
    explore(world, -3, 2);
    explore(world, 9, 9);
    enum { MAX = 32 };
    uint8_t contents[MAX * MAX];
    uint8_t states[MAX * MAX];
    int seen[3][4] = {{0}}; // by state and content
    uint64_t random = 1;
    for (int i = 0; i < 200; i++) {
        const int64_t x = random_between(&random, -30, 29);
        const int64_t y = random_between(&random, -30, 29);
        const int64_t width = random_between(&random, 1, MAX);
        const int64_t height = random_between(&random, 1, MAX);
        memset(contents, 0xEE, sizeof contents);
        memset(states, 0xEE, sizeof states);
        assert_int_equal(
            jbw_world_read_region(world, (jbw_region){x, y, width, height}, contents, states),
            JBW_OK);
        for (int64_t row = 0; row < height; row++) {
            for (int64_t column = 0; column < width; column++) {
                const jbw_position cell = {x + column, y + row};
                uint8_t content;
                uint8_t cell_state;
                assert_int_equal(jbw_world_read_region(world, (jbw_region){cell.x, cell.y, 1, 1},
                                                       &content, &cell_state),
                                 JBW_OK);
                assert_int_equal(contents[row * width + column], content);
                assert_int_equal(states[row * width + column], cell_state);
                assert_int_equal(cell_state,
                                 jbw_world_patch_state(world, jbw_world_patch_of(world, cell)));
                assert_true(content <= 3 && cell_state <= JBW_PATCH_FINAL);
                if (cell_state == JBW_PATCH_MISSING) assert_int_equal(content, 0);
                seen[cell_state][content]++;
            }
        }
        // and not one byte more
        for (size_t k = (size_t)(width * height); k < sizeof contents; k++)
            assert_true(contents[k] == 0xEE && states[k] == 0xEE);
    }
    assert_true(seen[JBW_PATCH_MISSING][0] > 0);
    for (int content = 0; content < 4; content++) {
        assert_true(seen[JBW_PATCH_SAMPLED][content] > 0);
        assert_true(seen[JBW_PATCH_FINAL][content] > 0);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_patch_of(void **state)
{
    (void)state;
    jbw_model *model = make_model(1);
    jbw_world *world = make_world(model, 1);
    static const struct {
        int64_t cell;
        int64_t patch;
    } cases[] = {{0, 0}, {5, 0}, {6, 1}, {-1, -1}, {-6, -1}, {-7, -2}, {6000000005, 1000000000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const jbw_position at = jbw_world_patch_of(world, (jbw_position){cases[i].cell, -7});
        assert_int_equal(at.x, cases[i].patch);
        assert_int_equal(at.y, -2);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// --- far away -----------------------------------------------------------------------------------

static void test_far_away(void **state)
{
    (void)state;
    jbw_model *model = make_model(60);
    const int64_t rim = JBW_MAX_COORDINATE;
    uint8_t contents[400];
    uint8_t states[400];

    // just inside, in all four corners: a world like any other
    const int64_t inside = rim - 100;
    for (int corner = 0; corner < 4; corner++) {
        jbw_world *world = make_world(model, 1);
        const int64_t x = corner & 1 ? inside : -inside;
        const int64_t y = corner & 2 ? inside : -inside;
        explore(world, x, y);
        assert_true(jbw_world_get_stats(world).final_patch_count >= 1);
        const jbw_region region = {x - 10, y - 10, 20, 20};
        assert_int_equal(jbw_world_read_region(world, region, contents, states), JBW_OK);
        int item_count = 0;
        int final_count = 0;
        for (int i = 0; i < 400; i++) {
            item_count += contents[i] != 0;
            final_count += states[i] == JBW_PATCH_FINAL;
        }
        assert_true(item_count > 10);
        assert_true(final_count >= SIZE * SIZE);
        assert_int_equal(
            jbw_world_patch_state(world, jbw_world_patch_of(world, (jbw_position){x, y})),
            JBW_PATCH_FINAL);
        jbw_world_destroy(world);
    }

    // outside: an error that changes nothing
    static const int64_t beyond[] = {JBW_MAX_COORDINATE + 1, -JBW_MAX_COORDINATE - 1, INT64_MAX,
                                     INT64_MIN};
    jbw_world *world = make_world(model, 1);
    explore(world, 0, 0);
    const uint64_t hash = jbw_world_hash(world);
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        const jbw_position cells[] = {{1, 1}, {beyond[i], 0}, {0, beyond[i]}};
        assert_int_equal(jbw_world_explore(world, &cells[1], 1), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_explore(world, &cells[2], 1), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_explore(world, cells, 3), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_finalize_patch(world, cells[1]), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_finalize_patch(world, cells[2]), JBW_OUT_OF_RANGE);
        assert_int_equal(jbw_world_patch_state(world, cells[1]), JBW_PATCH_MISSING);
        assert_int_equal(jbw_world_hash(world), hash);
    }
    // a patch whose cells lie beyond the rim, though its number does not
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){rim / SIZE + 1, 0}),
                     JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){0, -rim / SIZE - 2}),
                     JBW_OUT_OF_RANGE);

    // regions that do not fit, or have no size that makes sense
    static const jbw_region regions[] = {
        {INT64_MAX - 5, 0, 20, 20},
        {0, INT64_MIN, 20, 20},
        {JBW_MAX_COORDINATE, 0, 20, 20},
        {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX},
        {0, 0, -1, 5},
        {0, 0, 5, INT64_MIN},
    };
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        const jbw_status status = jbw_world_read_region(world, regions[i], contents, states);
        assert_true(status == JBW_OUT_OF_RANGE || status == JBW_INVALID_ARGUMENT);
    }
    assert_int_equal(jbw_world_hash(world), hash);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// --- memory -------------------------------------------------------------------------------------

enum { STEPS = 6 };

// one step of the run below
static jbw_status run_step(jbw_world *world, int step)
{
    static const jbw_position near[] = {{0, 0}, {7, 1}, {14, 9}, {-90, 80}};
    static const jbw_position many[] = {{400, 0}, {-400, 7}, {0, 0}, {0, 300}, {9, 306}};
    if (step < 4) return jbw_world_explore(world, &near[step], 1);
    if (step == 4) return jbw_world_explore(world, many, 5);
    return jbw_world_finalize_patch(world, (jbw_position){50, 50});
}

// Makes and ends a world, with an allocator that fails once. Where it fails, things are as they
// were before, and the second try succeeds. False if no call failed, because there were too few.
static bool run_with_failure(size_t fail_at, size_t fail_count, const uint64_t *hashes)
{
    counting_allocator counting = {.fail_at = fail_at, .fail_count = fail_count};
    jbw_config config = make_config(30);
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

    for (int step = 0; step < STEPS; step++) {
        const uint64_t before = jbw_world_hash(world);
        const jbw_world_stats stats = jbw_world_get_stats(world);
        while ((status = run_step(world, step))) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_int_equal(jbw_world_hash(world), before);
            const jbw_world_stats after = jbw_world_get_stats(world);
            assert_int_equal(after.patch_count, stats.patch_count);
            assert_int_equal(after.final_patch_count, stats.final_patch_count);
            assert_int_equal(after.sampling_count, stats.sampling_count);
            assert_int_equal(after.proposal_count, stats.proposal_count);
        }
        assert_int_equal(jbw_world_hash(world), hashes[step]);
    }
    jbw_world_destroy(world);
    assert_int_equal(counting.block_count, model_blocks);
    jbw_model_destroy(model);
    assert_int_equal(counting.block_count, 0);
    assert_int_equal(counting.byte_count, 0);
    return counting.call_count >= fail_at;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    // what happens when nothing fails
    uint64_t hashes[STEPS];
    jbw_model *model = make_model(30);
    jbw_world *world = make_world(model, 77);
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(run_step(world, step), JBW_OK);
        hashes[step] = jbw_world_hash(world);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);

    // each call fails once; then two and three in a row
    for (size_t fail_count = 1; fail_count <= 3; fail_count++) {
        size_t fail_at = 1;
        while (run_with_failure(fail_at, fail_count, hashes)) fail_at++;
        print_message("%zu allocations failed, %zu at a time\n", fail_at - 1, fail_count);
        assert_true(fail_at > 20);
    }
}

static void test_reported_bytes(void **state)
{
    (void)state;
    // what the statistics say is what was asked for
    counting_allocator counting = {0};
    jbw_config config = make_config(30);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    const size_t model_bytes = counting.byte_count;
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 1, &world), JBW_OK);
    const size_t world_bytes = counting.byte_count - model_bytes;
    for (int64_t i = 0; i < 40; i++) {
        explore(world, 5 * i, i);
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
    jbw_model *model = make_model(5);
    jbw_world *world = make_world(model, 1);
    for (int64_t i = 0; i < 50; i++) explore(world, 5 * i, 0);
    const uint64_t before = jbw_world_get_stats(world).scratch_bytes;
    for (int64_t i = 50; i < 1000; i++) explore(world, 5 * i, 0);
    assert_int_equal(jbw_world_get_stats(world).scratch_bytes, before);

    // many agents at once leave their lists behind, and no more
    static jbw_position many[500];
    for (int i = 0; i < 500; i++) many[i] = (jbw_position){30 * i, 10000};
    assert_int_equal(jbw_world_explore(world, many, 500), JBW_OK);
    for (int64_t i = 1000; i < 1100; i++) explore(world, 5 * i, 0);
    assert_true(jbw_world_get_stats(world).scratch_bytes < before + 500 * 2048);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// --- several worlds -----------------------------------------------------------------------------

static void test_worlds_never_meet(void **state)
{
    (void)state;
    jbw_model *model = make_model(60);
    jbw_model *other_model = make_model(61);
    jbw_world *a = make_world(model, 1);
    jbw_world *b = make_world(model, 2);
    jbw_world *c = make_world(other_model, 1);
    uint64_t a_hashes[10];
    for (int64_t i = 0; i < 10; i++) {
        explore(a, 6 * i, 0);
        a_hashes[i] = jbw_world_hash(a);
    }

    // the same steps, with others stepping between them
    jbw_world *again = make_world(model, 1);
    for (int64_t i = 0; i < 10; i++) {
        explore(b, -5 * i, 3 * i);
        explore(again, 6 * i, 0);
        explore(c, 6 * i, 0);
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
    jbw_model *model = make_model(60);
    uint64_t hashes[64];
    for (uint64_t seed = 0; seed < 64; seed++) {
        jbw_world *world = make_world(model, seed < 32 ? seed : UINT64_MAX - seed);
        explore(world, 0, 0);
        hashes[seed] = jbw_world_hash(world);
        for (uint64_t i = 0; i < seed; i++) assert_int_not_equal(hashes[i], hashes[seed]);
        jbw_world_destroy(world);
    }
    jbw_model_destroy(model);
}

static void test_empty_worlds(void **state)
{
    (void)state;
    // no item types at all, if a config may have none, and types that nothing ever makes
    static const jbw_item_type never[] = {{.name = "Never", .intensity = "Constant[-1e9]"}};
    for (size_t count = 0; count < 2; count++) {
        const jbw_config config = small_config(SIZE, 50, never, count);
        if (jbw_config_check(&config, NULL, NULL)) continue;
        jbw_model *model;
        assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
        jbw_world *world = make_world(model, 1);
        explore(world, 0, 0);
        uint8_t contents[20 * 20];
        assert_int_equal(
            jbw_world_read_region(world, (jbw_region){-10, -10, 20, 20}, contents, NULL), JBW_OK);
        for (int i = 0; i < 400; i++) assert_int_equal(contents[i], 0);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }

    // and one that everything is made of
    static const jbw_item_type always[] = {{.name = "Always", .intensity = "Constant[1e9]"}};
    const jbw_config config = small_config(SIZE, 2000, always, 1);
    jbw_model *model;
    assert_int_equal(jbw_model_create(&config, &model, NULL), JBW_OK);
    jbw_world *world = make_world(model, 1);
    explore(world, 0, 0);
    uint8_t contents[2 * SIZE * 2 * SIZE];
    assert_int_equal(jbw_world_read_region(world, (jbw_region){-SIZE, -SIZE, 2 * SIZE, 2 * SIZE},
                                           contents, NULL),
                     JBW_OK);
    for (int i = 0; i < 4 * SIZE * SIZE; i++) assert_int_equal(contents[i], 1);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_model_copies_the_config),
        cmocka_unit_test(test_config_without_cookie),
        cmocka_unit_test(test_reading_changes_nothing),
        cmocka_unit_test(test_regions_equal_cells),
        cmocka_unit_test(test_patch_of),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_reported_bytes),
        cmocka_unit_test(test_scratch_is_bounded),
        cmocka_unit_test(test_worlds_never_meet),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_empty_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
