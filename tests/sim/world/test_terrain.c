// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reading and generating the map: reading changes nothing, regions match single cells, and
/// positions far away work or are refused.
#include "support/models.h"

#include <stdlib.h>

#include "jbw/world.h"
#include "support/random.h"

static void test_reading_changes_nothing(void **state)
{
    (void)state;
    jbw_model *model = varied_model(100);
    jbw_world *world = world_of(model, 1);
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
        explore_cell(world, 4 * i, 7 * i);
        assert_int_not_equal(jbw_world_hash(world), hash);
    }
    free(contents);
    free(states);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_regions_match_cells(void **state)
{
    (void)state;
    jbw_model *model = varied_model(100);
    jbw_world *world = world_of(model, 1);
    explore_cell(world, -3, 2);
    explore_cell(world, 9, 9);
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
        // and nothing beyond
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
    jbw_model *model = varied_model(1);
    jbw_world *world = world_of(model, 1);
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

static void test_far_away(void **state)
{
    (void)state;
    jbw_model *model = varied_model(60);
    const int64_t rim = JBW_MAX_COORDINATE;
    uint8_t contents[400];
    uint8_t states[400];

    // just inside, in all four corners, the world is like anywhere else
    const int64_t inside = rim - 100;
    for (int corner = 0; corner < 4; corner++) {
        jbw_world *world = world_of(model, 1);
        const int64_t x = corner & 1 ? inside : -inside;
        const int64_t y = corner & 2 ? inside : -inside;
        explore_cell(world, x, y);
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
        assert_true(final_count >= VARIED_SIZE * VARIED_SIZE);
        assert_int_equal(
            jbw_world_patch_state(world, jbw_world_patch_of(world, (jbw_position){x, y})),
            JBW_PATCH_FINAL);
        jbw_world_destroy(world);
    }

    // outside: an error that changes nothing
    static const int64_t beyond[] = {JBW_MAX_COORDINATE + 1, -JBW_MAX_COORDINATE - 1, INT64_MAX,
                                     INT64_MIN};
    jbw_world *world = world_of(model, 1);
    explore_cell(world, 0, 0);
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
    // a patch whose cells are outside, although its number is not
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){rim / VARIED_SIZE + 1, 0}),
                     JBW_OUT_OF_RANGE);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){0, -rim / VARIED_SIZE - 2}),
                     JBW_OUT_OF_RANGE);

    // regions that do not fit or have an invalid size
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

// a world that is given patches is the same as one that generates them
static void test_given_patches(void **state)
{
    (void)state;
    jbw_config config = varied_config(10);
    config.generation = JBW_GENERATION_INVARIANT;
    config.scent_dimensions = 1;
    config.scent_decay = 0.4;
    config.scent_diffusion = 0.05;
    jbw_model *model = model_of(&config);
    jbw_world *maker = world_of(model, 9);
    jbw_world *slow = world_of(model, 9);
    const jbw_position cell = {1000, -700};
    // a change that is no longer in memory
    if (jbw_world_remove_item(slow, cell)) assert_int_equal(jbw_world_place_item(slow, 1, cell), 0);
    jbw_model *none;
    jbw_buffer saved = encode_world(slow);
    jbw_world *given = decode_world(&saved, &(jbw_load_options){.model = model}, &none);
    jbw_position first;
    jbw_position last;
    jbw_world_patches_near(given, (jbw_region){cell.x - 3, cell.y, 7, 2}, &first, &last);
    for (jbw_position at = first; at.y <= last.y; at.y++) {
        for (at.x = first.x; at.x <= last.x; at.x++) {
            uint8_t cells[VARIED_SIZE * VARIED_SIZE];
            const jbw_region patch = {at.x * VARIED_SIZE, at.y * VARIED_SIZE, VARIED_SIZE,
                                      VARIED_SIZE};
            assert_false(jbw_world_patch_is_ready(given, at));
            assert_int_equal(jbw_world_read_region(maker, patch, cells, NULL), JBW_OK);
            assert_int_equal(jbw_world_put_patch(given, at, cells), JBW_OK);
            assert_int_equal(jbw_world_put_patch(given, at, cells), JBW_OK); // already there
            assert_true(jbw_world_patch_is_ready(given, at));
        }
    }
    // smelling in that region needs no other patches
    const uint64_t made = jbw_world_get_stats(given).patch_count;
    for (int64_t x = cell.x - 3; x <= cell.x + 3; x++) {
        float expected[JBW_MAX_DIMENSIONS];
        float found[JBW_MAX_DIMENSIONS];
        assert_int_equal(jbw_world_smell(slow, (jbw_position){x, cell.y + 1}, expected), JBW_OK);
        assert_int_equal(jbw_world_smell(given, (jbw_position){x, cell.y + 1}, found), JBW_OK);
        assert_true(expected[0] == found[0]);
    }
    assert_int_equal(jbw_world_get_stats(given).patch_count, made);
    uint8_t expected[900];
    uint8_t found[900];
    const jbw_region region = {cell.x - 15, cell.y - 15, 30, 30};
    assert_int_equal(jbw_world_read_region(slow, region, expected, NULL), JBW_OK);
    assert_int_equal(jbw_world_read_region(given, region, found, NULL), JBW_OK);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(jbw_world_hash(given), jbw_world_hash(slow));
    // worlds with history are not for this
    jbw_model *frontier = varied_model(10);
    jbw_world *other = world_of(frontier, 9);
    assert_int_equal(jbw_world_put_patch(other, first, found), JBW_UNSUPPORTED);
    jbw_world_destroy(other);
    jbw_model_destroy(frontier);
    jbw_buffer_free(&saved);
    jbw_world_destroy(given);
    jbw_world_destroy(slow);
    jbw_world_destroy(maker);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_changes_nothing),
        cmocka_unit_test(test_regions_match_cells),
        cmocka_unit_test(test_patch_of),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_given_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
